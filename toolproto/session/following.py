"""Turns that are kept behind another one: copies, in a branch of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..errors import UsageError
from ..turn.records import Record
from .logged import LoggedTurn, beginning, resuming

__all__ = ["copies"]

#: What a copy needs so that it says, afterwards, what the turn was.
_KEPT = frozenset({"message", "started", "outcome", "decision", "ended"})


def copies(
    turns: Sequence[LoggedTurn], number: int, parent: int, base: int, shift: int
) -> Iterator[Record]:
    """Records of *turns* once more, as *number* and the following, behind *parent*.

    *base* is how many messages stood before them, *shift* how many more stand there now. A turn
    that summed up what stood before it cannot be moved.
    """
    for at, turn in enumerate(turns):
        if any(record.kind == "compacted" for record in turn.told()):
            raise UsageError(
                f"turn {turn.number} shortened the history before it, and cannot be kept behind "
                "another one"
            )
        yield _begun(turn, number + at, parent)
        yield from (_moved(each, base, shift) for each in turn.told() if each.kind in _KEPT)
        parent = number + at


def _begun(turn: LoggedTurn, number: int, parent: int) -> Record:
    if turn.message is None:
        return resuming(number, parent, turn.verdicts)
    return beginning(number, parent, turn.message, turn.terms)


def _moved(record: Record, base: int, shift: int) -> Record:
    position = record.data.get("position", -1)
    if record.kind != "message" or position < base:
        return record
    return Record("message", {**record.data, "position": position + shift})
