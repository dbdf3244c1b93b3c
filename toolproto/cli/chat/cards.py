"""A call as a card: which tool, what for, with which arguments.

::

    ╭─ write_file · write
    │ path     "notes.txt"
    │ content  text, 2 lines, 9 characters
    │   ┆ milk
    │   ┆ eggs
    │ ! content “eggs” comes from the result of fetch: “… and eggs, said the page …”
    ╰─ write_file changes something

Whatever the arguments hold stays to the right of the border: a text of theirs cannot look like the
end of the card, like another argument, or like a question of ours.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, repeat
from typing import Any

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from ...conversation.deciding.approvals import ApprovalRequest
from ...protocol.deciding.pins import changes
from ...protocol.foreign_text import visible
from ...protocol.guard.concerns import Concern
from ...protocol.messages import Repair, ToolCall
from .folding import counted, fold, one_line

__all__ = ["Card"]

#: Rows of one argument, and arguments and repairs of one call, that are shown without being asked.
_ROWS = 8
_ARGUMENTS = 20
_REPAIRS = 6
_CONCERNS = 6
_LONGEST_NAME = 128
_LONGEST_PAD = 16
_LONGEST_REASON = 2_000
_BORDER = "dim"
_BLOCK = "  ┆ "
_COLOURS = {"read": "green", "write": "yellow", "egress": "magenta", "exec": "red"}


@dataclass(frozen=True, slots=True)
class Card:
    """*call*, drawn, with *concerns* about it. Long arguments are folded unless it is *whole*.

    *changed* are the parts of its tool that are not as they were when it was decided about.
    """

    call: ToolCall
    risk: str = ""
    reason: str = ""
    whole: bool = False
    concerns: Sequence[Concern] = ()
    changed: Sequence[tuple[str, str, str]] = ()

    @classmethod
    def of(cls, request: ApprovalRequest, call: ToolCall, whole: bool = False) -> Card:
        """Return the card of *request*, whose call may have been changed to *call*."""
        before, now = request.before, request.pin
        changed = tuple(changes(before, now)) if before and now else ()
        return cls(call, request.risk, request.reason, whole, request.concerns, changed)

    def is_folded(self, width: int) -> bool:
        """Whether there is more to see than is shown in a window of *width*."""
        return any(row.is_fold for row in self._rows(width - 2))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = options.max_width
        yield from self._top(width)
        for row in self._rows(width - 2):
            yield Text.assemble(("│ ", _BORDER), (row.text, row.style))
        yield from _edged("╰─ ", "   ", visible(self.reason[:_LONGEST_REASON]), width)

    def _top(self, width: int) -> list[Text]:
        risk = f" · {self.risk}" if self.risk else ""
        name = one_line(self.call.name, _LONGEST_NAME)
        rows = list(_edged("╭─ ", "│  ", name, width - len(risk), "bold"))
        rows[-1].append(risk, _COLOURS.get(self.risk, "dim"))
        return rows

    def _rows(self, width: int) -> Iterator[_Row]:
        arguments = self.call.arguments
        most = len(arguments) if self.whole else _ARGUMENTS
        pad = min(max(map(len, map(_key, arguments)), default=0), _LONGEST_PAD)
        for key, value in islice(arguments.items(), most):
            yield from _argument(_key(key).ljust(pad), value, width, self.whole)
        if len(arguments) > most:
            yield _Row(f"… {counted(len(arguments) - most, 'more argument')}", "dim", True)
        for text in _mended(self.call.repairs):
            yield from _rows_of(text, width, "dim")
        for part, was, now in self.changed:
            yield _Row(f"! its {part} has changed", "yellow")
            yield from _rows_of(f"  was  {was or '(nothing)'}", width, "dim")
            yield from _rows_of(f"  is   {now or '(nothing)'}", width, "yellow")
        most = len(self.concerns) if self.whole else _CONCERNS
        for concern in self.concerns[:most]:
            yield from _rows_of(f"! {concern.line}", width, "yellow")
        if len(self.concerns) > most:
            yield _Row(f"! … {counted(len(self.concerns) - most, 'more concern')}", "yellow", True)


@dataclass(frozen=True, slots=True)
class _Row:
    text: str
    style: str = ""
    is_fold: bool = False


def _edged(first: str, more: str, text: str, width: int, style: str = "") -> Iterator[Text]:
    """*text* behind *first*, and if it is longer than a row, behind *more*."""
    for edge, row in zip(chain([first], repeat(more)), fold(text, width - 3), strict=False):
        yield Text.assemble((edge, _BORDER), (row, style))


def _rows_of(text: str, width: int, style: str = "") -> Iterator[_Row]:
    """*text* in rows; those but the first are set in, so that they look like no other argument."""
    first, *more = fold(visible(text), width - len(_BLOCK))
    yield _Row(first, style)
    yield from (_Row(" " * len(_BLOCK) + row, style) for row in more)


def _key(key: str) -> str:
    return key if key.isidentifier() and key.isascii() else json.dumps(key, ensure_ascii=False)


def _argument(key: str, value: Any, width: int, whole: bool) -> Iterator[_Row]:
    flat = json.dumps(value, ensure_ascii=False, default=str)
    rows = list(_rows_of(f"{key}  {flat[:width]}", width))
    has_lines = isinstance(value, str) and "\n" in value
    if len(rows) == 1 and len(flat) <= width and not has_lines:
        yield from rows
        return
    kind, text = "text", value
    if not isinstance(value, str):
        kind, text = "JSON", json.dumps(value, ensure_ascii=False, default=str, indent=2)
    yield from _rows_of(f"{key}  {kind}, {_size(text)}", width)
    yield from _block(text, width, whole)


def _block(text: str, width: int, whole: bool) -> Iterator[_Row]:
    # As much as could be in the rows that are shown: the rest need not be looked at.
    seen = text if whole else text[: _ROWS * width]
    rows = fold(visible(seen), width - len(_BLOCK))
    for row in rows if whole else islice(rows, _ROWS):
        yield _Row(_BLOCK + row)
    if len(seen) < len(text) or next(rows, None) is not None:
        yield _Row(f"{_BLOCK}… folded", "dim", True)


def _size(text: str) -> str:
    lines = text.count("\n") + (not text.endswith("\n"))
    characters = counted(len(text), "character")
    return f"{counted(lines, 'line')}, {characters}" if lines > 1 else characters


def _mended(repairs: Sequence[Repair]) -> Iterator[str]:
    for repair in repairs[:_REPAIRS]:
        detail = f": {one_line(repair.detail)}" if repair.detail else ""
        yield f"~ {repair.name} ({repair.grade.value}){detail}"
    if len(repairs) > _REPAIRS:
        yield f"~ and {counted(len(repairs) - _REPAIRS, 'more repair')}"
