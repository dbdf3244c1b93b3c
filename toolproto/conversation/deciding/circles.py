"""Noticing that a model makes the same calls over and over in one turn.

A step is what it calls, whatever the order of calls and arguments. When the last steps are the
same pattern of up to four steps again and again, or one reply has the same call again and again,
the turn goes in circles. Every turn begins anew: what the user asks for twice is no loop.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from typing import Any

from ...protocol.messages import ToolCall
from .approvals import call_digest

__all__ = ["DoomLoop"]

LONGEST_PERIOD = 4


class DoomLoop:
    """The last steps of calls of a turn, and which of them may go on for ever.

    *repeats* is how many times are too many; with None nothing is.
    """

    def __init__(self, repeats: int | None = 3) -> None:
        self.repeats = repeats
        self._steps: deque[tuple[str, ...]] = deque(maxlen=LONGEST_PERIOD * (repeats or 0))
        self._tolerated: set[tuple[str, ...]] = set()
        self._denied = False

    def goes_on(self, calls: Sequence[ToolCall]) -> str:
        """Take note of a step of *calls*; why it is one repetition too many, empty if it is not.

        The reason reads on from "not run: …".
        """
        if self.repeats is None:
            return ""
        signature = _signature(calls)
        self._steps.append(signature)
        reason = "" if signature in self._tolerated else self._reason(signature, self.repeats)
        self._denied = self._denied and bool(reason)
        return reason

    def tolerate(self, calls: Sequence[ToolCall]) -> None:
        """Never mind a step of just these *calls* again."""
        self._tolerated.add(_signature(calls))

    def forget(self) -> None:
        """Begin counting anew: another turn begins, or somebody said that it may go on."""
        self._steps.clear()
        self._denied = False

    def deny(self) -> bool:
        """Take note that the step was not run; whether the one before it was denied, too."""
        before, self._denied = self._denied, True
        return before

    def state(self) -> dict[str, Any]:
        """All that is remembered, as JSON can hold it."""
        return {
            "rounds": [list(each) for each in self._steps],
            "tolerated": sorted(list(each) for each in self._tolerated),
            "refused": self._denied,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Remember what :meth:`state` told."""
        self._steps = deque(map(tuple, state["rounds"]), maxlen=self._steps.maxlen)
        self._tolerated = set(map(tuple, state["tolerated"]))
        self._denied = state["refused"]

    def _reason(self, signature: tuple[str, ...], repeats: int) -> str:
        if max(Counter(signature).values(), default=0) >= repeats:
            return f"the same call stands {repeats} times in one reply"
        if any(self._has_period(period, repeats) for period in range(1, LONGEST_PERIOD + 1)):
            return f"the same calls were made {repeats} times in a row"
        return ""

    def _has_period(self, period: int, repeats: int) -> bool:
        length = period * repeats
        if len(self._steps) < length:
            return False
        last = list(self._steps)[-length:]
        return last[period:] == last[:-period]


def _signature(calls: Sequence[ToolCall]) -> tuple[str, ...]:
    return tuple(sorted(map(call_digest, calls)))
