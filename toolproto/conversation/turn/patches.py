"""What calls changed in files, as a unified diff.

A tool that changes a file says so in its result's metadata: ``{"change": {"path", "before",
"after"}}``, the texts of the file; None where there was none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import unified_diff
from typing import Any

from ...protocol.messages import ToolResult

__all__ = ["CHANGE", "changes_of", "unified"]

#: Under which name a result tells of a change.
CHANGE = "change"
#: Lines of a file above which comparing takes too long to do it in passing.
_MOST_LINES = 4_000
_LONGEST = 100_000


def changes_of(results: Iterable[ToolResult]) -> str:
    """The changes that *results* tell of, as one diff; empty if there are none.

    A file that was changed several times is compared with what it was before the first.
    """
    before: dict[str, str | None] = {}
    after: dict[str, str | None] = {}
    for change in (result.metadata.get(CHANGE) for result in results):
        if isinstance(change, Mapping) and isinstance(path := change.get("path"), str):
            before.setdefault(path, _text(change.get("before")))
            after[path] = _text(change.get("after"))
    diffs = [unified(path, before[path], after[path]) for path in after]
    diff = "".join(each for each in diffs if each)
    return diff if len(diff) <= _LONGEST else diff[:_LONGEST] + "\n[… the diff is longer …]\n"


def unified(path: str, before: str | None, after: str | None) -> str:
    """A unified diff from *before* to *after*; None is a file that is not there."""
    old, new = (before or "").splitlines(True), (after or "").splitlines(True)
    names = (
        "/dev/null" if before is None else f"a/{path.lstrip('/')}",
        "/dev/null" if after is None else f"b/{path.lstrip('/')}",
    )
    if max(len(old), len(new)) > _MOST_LINES:
        return f"--- {names[0]}\n+++ {names[1]}\n[{len(old)} lines became {len(new)}]\n"
    return "".join(map(_ended, unified_diff(old, new, *names)))


def _ended(line: str) -> str:
    """*line* with its end, as patch programs expect it."""
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
