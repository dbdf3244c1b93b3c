"""Noticing that a model makes the same calls over and over.

A round is what it calls, whatever the order of calls and arguments. When the last rounds are the
same pattern of up to four rounds again and again, the conversation goes in circles; what was called
in earlier turns counts too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

from ..approvals import call_digest
from ..messages import ToolCall

__all__ = ["DoomLoop"]

LONGEST_PERIOD = 4


class DoomLoop:
    """The last rounds of calls, and which of them may go on for ever."""

    def __init__(self, repeats: int = 3) -> None:
        self.repeats = repeats
        self._rounds: deque[tuple[str, ...]] = deque(maxlen=LONGEST_PERIOD * repeats)
        self._tolerated: set[tuple[str, ...]] = set()
        self._refused = False

    def goes_on(self, calls: Iterable[ToolCall]) -> bool:
        """Take note of a round of *calls*; whether it is one repetition too many."""
        self._rounds.append(_signature(calls))
        circling = self._rounds[-1] not in self._tolerated and any(
            self._has_period(period) for period in range(1, LONGEST_PERIOD + 1)
        )
        self._refused = self._refused and circling
        return circling

    def tolerate(self, calls: Iterable[ToolCall]) -> None:
        """Never mind a round of just these *calls* again."""
        self._tolerated.add(_signature(calls))

    def forget(self) -> None:
        """Begin counting anew: somebody said that it may go on."""
        self._rounds.clear()

    def refuse(self) -> bool:
        """Take note that the round was not run; whether the one before it was refused too."""
        before, self._refused = self._refused, True
        return before

    def state(self) -> dict[str, Any]:
        """All that is remembered, as JSON can hold it."""
        return {
            "rounds": [list(each) for each in self._rounds],
            "tolerated": sorted(list(each) for each in self._tolerated),
            "refused": self._refused,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Remember what :meth:`state` told."""
        self._rounds = deque(map(tuple, state["rounds"]), maxlen=self._rounds.maxlen)
        self._tolerated = set(map(tuple, state["tolerated"]))
        self._refused = state["refused"]

    def _has_period(self, period: int) -> bool:
        length = period * self.repeats
        if len(self._rounds) < length:
            return False
        last = list(self._rounds)[-length:]
        return last[period:] == last[:-period]


def _signature(calls: Iterable[ToolCall]) -> tuple[str, ...]:
    return tuple(sorted(map(call_digest, calls)))
