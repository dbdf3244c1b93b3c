"""A structured answer while it is being written: what of it is known, over and over."""

from __future__ import annotations

from typing import Any

from ...protocol.decoding.argument_strings import GrowingJson
from ...protocol.events import ArgumentsDelta, CallStarted
from ..turn.events import SessionEvent, StepStarted

__all__ = ["PartialAnswer"]

#: Below this many characters every piece is shown. Above it, an answer is shown when it has grown
#: by a part of its length: a copy of all of it for each token would take quadratic time.
_SHORT = 2_000
_GROWTH = 64


class PartialAnswer:
    """Hears the events of a turn whose answer is a call; *others* are the tools that are none."""

    def __init__(self, others: frozenset[str], wrapped: bool) -> None:
        self._others, self._wrapped = others, wrapped
        self._begin(None)

    def _begin(self, index: int | None) -> None:
        self._index = index
        self._value = GrowingJson()
        self._length = self._shown = 0

    def hear(self, event: SessionEvent) -> Any:
        """What is known of the answer now, if *event* tells more of it; else None."""
        if type(event) is StepStarted:
            self._begin(None)
        elif type(event) is CallStarted and event.name not in self._others:
            self._begin(event.index)
        elif type(event) is ArgumentsDelta and event.index == self._index:
            return self._more(event.text)
        return None

    def _more(self, text: str) -> Any:
        self._length += len(text)
        self._value.feed(text)
        if self._length - self._shown < (self._length // _GROWTH if self._length > _SHORT else 1):
            return None
        known = self._value.known()
        if self._wrapped:
            known = known.get("value") if isinstance(known, dict) else None
        if known is not None:
            self._shown = self._length
        return known
