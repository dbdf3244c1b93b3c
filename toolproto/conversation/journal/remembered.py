"""Which turns a session without a store has had, so that one can be run again or inserted.

They are counted from 1 as they stand in the conversation. A turn that was run again is gone when
the new one has its answer; until then it comes back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ...protocol.errors import UsageError
from ...protocol.messages import Message
from ..turn.setup import Conversation, Pending, Terms

__all__ = ["Remembered", "RememberedTurn"]


class RememberedTurn(NamedTuple):
    """What began a turn."""

    message: Message
    terms: Terms


class _Before(NamedTuple):
    """The conversation before a turn was taken out of it."""

    messages: list[Message]
    turns: list[RememberedTurn]
    pending: Pending | None


@dataclass(slots=True)
class Remembered:
    """The turns of *conversation*, in their order."""

    conversation: Conversation
    turns: list[RememberedTurn] = field(default_factory=list)
    _before: _Before | None = None

    def begins(self, message: Message, terms: Terms) -> None:
        """Note that *message* begins a turn at the end of the conversation."""
        self.turns.append(RememberedTurn(message, terms))

    def turn(self, number: int) -> RememberedTurn:
        """Return the turn *number*; UsageError if there is none."""
        if not 1 <= number <= len(self.turns):
            counted = list(range(1, len(self.turns) + 1))
            raise UsageError(f"there is no turn {number} to run again; there are {counted}")
        return self.turns[number - 1]

    def following(self, number: int) -> list[int]:
        """Return the turns behind turn *number*."""
        self.turn(number)
        return list(range(number + 1, len(self.turns) + 1))

    def leave(self, number: int) -> None:
        """Take out all turns but the first *number*, for another one to begin there."""
        said = self.conversation
        if number < len(self.turns):
            *_, begins = _beginnings(said.messages, self.turns[number : number + 1])
        else:
            begins = len(said.messages)
        self._before = _Before(list(said.messages), list(self.turns), said.pending)
        del said.messages[begins:], self.turns[number:]
        said.pending = None

    def settle(self, has_answer: bool, kept: Sequence[int] = ()) -> None:
        """Let the turns *kept* follow the new one; without an answer all is as it was before."""
        before, self._before = self._before, None
        if before is None:
            return
        said = self.conversation
        if not has_answer:
            said.messages[:], self.turns, said.pending = before
            return
        ends = [*_beginnings(before.messages, before.turns), len(before.messages)]
        for number in kept:
            self.turns.append(before.turns[number - 1])
            said.messages += before.messages[ends[number - 1] : ends[number]]


def _beginnings(messages: Sequence[Message], turns: Sequence[RememberedTurn]) -> Iterator[int]:
    places = {id(message): at for at, message in enumerate(messages)}
    for turn in turns:
        if (at := places.get(id(turn.message))) is None:
            raise UsageError(
                "the messages of a turn were summed up or changed since, so the conversation "
                "cannot go back to it; a session with a store can"
            )
        yield at
