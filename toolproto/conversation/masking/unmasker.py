"""Putting private values back into what a decoder saw, as it sees it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ...protocol.events import (
    ArgumentsDelta,
    CallCompleted,
    CallRejected,
    Event,
    ReasoningDelta,
    TextDelta,
)
from ...protocol.secrets import with_texts
from .placeholders import Filling, JsonFilling, Placeholders

__all__ = ["Unmasker"]


class Unmasker:
    """Puts values into the events of one reply, however the placeholders were split.

    At most the beginning of a placeholder is held back. Text loses its ``span``: what was put in
    stands nowhere in the reply. Problems stay as they are, because they go back to the model.
    """

    def __init__(self, placeholders: Placeholders) -> None:
        self._placeholders = placeholders
        self._in_json = placeholders.in_json()
        self._prose = Filling(placeholders)
        self._prose_kind: type[TextDelta] | type[ReasoningDelta] = TextDelta
        self._arguments: dict[int, JsonFilling] = {}

    def feed(self, events: Iterable[Event]) -> list[Event]:
        """*events* with the values in them, less what is held back."""
        return [told for event in events for told in self._told(event)]

    def finish(self) -> list[Event]:
        """What was held back."""
        ended = [told for index in list(self._arguments) for told in self._end_arguments(index)]
        return [*self._end_prose(), *ended]

    def _told(self, event: Event) -> Iterator[Event]:
        if not isinstance(event, self._prose_kind):
            yield from self._end_prose()
        match event:
            case TextDelta(text) | ReasoningDelta(text):
                self._prose_kind = type(event)
                if certain := self._prose.feed(text):
                    yield self._prose_kind(certain)
            case ArgumentsDelta(index, text):
                if certain := self._filling(index).feed(text):
                    yield ArgumentsDelta(index, certain)
            case CallCompleted(index, call):
                yield from self._end_arguments(index)
                arguments = with_texts(call.arguments, self._placeholders.fill)
                yield CallCompleted(index, replace(call, arguments=arguments))
            case CallRejected(index):
                yield from self._end_arguments(index)
                yield event
            case _:
                yield event

    def _filling(self, index: int) -> JsonFilling:
        return self._arguments.setdefault(index, JsonFilling(self._in_json))

    def _end_prose(self) -> Iterator[Event]:
        if held := self._prose.finish():
            yield self._prose_kind(held)

    def _end_arguments(self, index: int) -> Iterator[Event]:
        filling = self._arguments.pop(index, None)
        if filling and (held := filling.finish()):
            yield ArgumentsDelta(index, held)
