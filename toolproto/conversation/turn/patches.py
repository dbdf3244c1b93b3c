"""What calls changed in files, as a unified diff.

A tool that changes a file says so in its result's metadata: ``{"change": {"path", "before",
"after"}}``, the texts of the file; None where there was none. What a tool changed without saying
so is found by comparing, and stands there as well, in a list; ``"by"`` names the tool that can undo
it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from difflib import unified_diff
from typing import Any

from ...protocol.messages import ToolResult

__all__ = ["CHANGE", "changes_of", "told_changes", "unified", "with_changes"]

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
    for change in (change for result in results for change in told_changes(result)):
        if isinstance(path := change.get("path"), str):
            before.setdefault(path, _text(change.get("before")))
            after[path] = _text(change.get("after"))
    diffs = [unified(path, before[path], after[path]) for path in after]
    diff = "".join(each for each in diffs if each)
    return diff if len(diff) <= _LONGEST else diff[:_LONGEST] + "\n[… the diff is longer …]\n"


def told_changes(result: ToolResult) -> Iterator[Mapping[str, Any]]:
    """The changes of files that *result* tells of."""
    told = result.metadata.get(CHANGE)
    for each in told if isinstance(told, list) else [told]:
        if isinstance(each, Mapping):
            yield each


def with_changes(
    result: ToolResult, before: Mapping[str, str], after: Mapping[str, str], by: str
) -> ToolResult:
    """Return *result* with those changes from *before* to *after* that it does not tell of."""
    known = list(told_changes(result))
    paths = {each.get("path") for each in known}
    found = [
        {"path": path, "before": before.get(path), "after": after.get(path), "by": by}
        for path in sorted(before.keys() | after.keys())
        if before.get(path) != after.get(path) and path not in paths
    ]
    if not found:
        return result
    return replace(result, metadata={**result.metadata, CHANGE: [*known, *found]})


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
