"""Putting back what a turn changed in files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ...protocol.errors import ToolFailed, UsageError
from ...protocol.tools.define import Tool
from .patches import told_changes
from .result import CallRecord

__all__ = ["undone"]


@dataclass(slots=True)
class _Change:
    """What became of one file over all calls."""

    tool: Tool
    path: str
    before: Any
    after: Any


def undone(tools: Mapping[str, Tool], calls: Iterable[CallRecord]) -> list[str]:
    """Put back what *calls* changed, each file to what it was before the first; their paths.

    A file that was changed since is left as it is, and told by a UsageError when the others are
    back.
    """
    changes: dict[tuple[str, str], _Change] = {}
    for record in calls:
        for told in told_changes(record.result):
            tool = tools.get(str(told.get("by", record.call.name)))
            if tool is None or tool.undo is None:
                continue
            path = str(told.get("path"))
            place = getattr(tool.undo, "__self__", None)
            known = changes.setdefault(
                (f"{id(place)}", path), _Change(tool, path, told.get("before"), None)
            )
            known.after = told.get("after")
    if not changes:
        raise UsageError("the turn changed no file that can be restored")
    done: list[str] = []
    left: list[str] = []
    for change in changes.values():
        assert change.tool.undo is not None
        try:
            change.tool.undo(change.path, change.before, change.after)
            done.append(change.path)
        except ToolFailed as error:
            left.append(str(error))
    if left:
        back = f"; put back: {', '.join(done)}" if done else ""
        raise UsageError(f"not restored: {'; '.join(left)}{back}")
    return done
