"""Turns that are kept behind another one: copies, in a branch of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...protocol.errors import UsageError
from ..stores.base import Record
from .logged import LoggedTurn, beginning, resuming

__all__ = ["Copying"]

#: What a copy needs so that it says, afterwards, what the turn was.
_KEPT = frozenset({"message", "started", "outcome", "decision", "ended"})


@dataclass(slots=True)
class Copying:
    """Makes copies of turns.

    *base* is how many messages stood before them, *shift* how many more stand there now. A call
    whose reply is not among what stands there, or has an answer there already, gets no answer from
    the copies: what a turn said about the calls of the one before it goes with that.
    """

    base: int = 0
    shift: int = 0
    _open: set[str] = field(default_factory=set)

    def copies(self, turns: Sequence[LoggedTurn], number: int, parent: int) -> Iterator[Record]:
        """Records of *turns* once more, as *number* and the following, behind *parent*.

        A turn that summed up what stood before it cannot be moved.
        """
        for at, turn in enumerate(turns):
            told = list(turn.told())
            if any(record.kind == "compacted" for record in told):
                raise UsageError(
                    f"turn {turn.number} shortened the history before it, so it cannot be kept "
                    "after another turn"
                )
            yield _begun(turn, number + at, parent)
            for record in told:
                if record.kind == "message":
                    yield from self._message(record.data)
                elif record.kind == "ended":
                    yield Record("ended", self._ended(record.data))
                elif record.kind in _KEPT:
                    yield record
            parent = number + at

    def _message(self, data: Mapping[str, Any]) -> Iterator[Record]:
        self._open |= {call["id"] for call in data.get("calls", ())}
        results = data.get("results", ())
        kept = [each for each in results if each["call"]["id"] in self._open]
        self._open -= {each["call"]["id"] for each in kept}
        position = data["position"]
        if results and not kept:
            self.shift -= position >= self.base
            return
        moved = {**data, "position": position + self.shift if position >= self.base else position}
        if len(kept) < len(results):
            # The text is what all of them looked like; it is rendered again from those that stay.
            moved |= {"results": kept, "content": ""}
        yield Record("message", moved)

    def _ended(self, data: Mapping[str, Any]) -> dict[str, Any]:
        waiting = (data.get("pending") or {}).get("calls", ())
        if all(call["id"] in self._open for call in waiting):
            return dict(data)
        return {name: each for name, each in data.items() if name != "pending"}


def _begun(turn: LoggedTurn, number: int, parent: int) -> Record:
    if turn.message is None:
        return resuming(number, parent, turn.verdicts)
    return beginning(number, parent, turn.message, turn.terms)
