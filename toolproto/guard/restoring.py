"""What a model says, without the breaks that were put into what it was told.

The guard breaks whatever could begin something in the text of strangers (:mod:`.neutralise`). A
model that writes such a text again, into a file perhaps, writes the break with it. It did its work
when the reply was read: what people see and what tools get is as it was before.
"""

from __future__ import annotations

from dataclasses import replace

from ..events import ArgumentsDelta, CallCompleted, Event, ReasoningDelta, TextDelta
from ..masking.unmasker import with_texts
from .neutralise import BREAK, restore

__all__ = ["Restoring"]


class Restoring:
    """Restores the events of one reply, however it was cut; nothing is held back.

    Of a run of breaks every second one was there before. So it is enough to know whether a run
    that goes on in the next piece has an odd number so far.
    """

    def __init__(self) -> None:
        self._is_odd: dict[object, bool] = {}

    def feed(self, events: list[Event]) -> list[Event]:
        """*events* without breaks; those that brought nothing else are left out."""
        return [told for event in events if (told := self._told(event)) is not None]

    def _told(self, event: Event) -> Event | None:
        match event:
            case TextDelta(text) | ReasoningDelta(text):
                text = self._restored(type(event), text)
                return replace(event, text=text) if text else None
            case ArgumentsDelta(index, text):
                text = self._restored(index, text)
                return replace(event, text=text) if text else None
            case CallCompleted(_, call):
                arguments = with_texts(call.arguments, restore)
                return replace(event, call=replace(call, arguments=arguments))
        return event

    def _restored(self, stream: object, text: str) -> str:
        if BREAK not in text:
            if text:
                self._is_odd.pop(stream, None)
            return text
        before = BREAK if self._is_odd.get(stream) else ""
        whole = before + text
        run = len(whole) - len(whole.rstrip(BREAK))
        self._is_odd[stream] = run % 2 == 1
        return restore(whole)
