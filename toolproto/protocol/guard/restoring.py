"""What a model says, without the breaks that were put into what it was told.

The guard breaks whatever could begin something in the text of strangers (:mod:`.neutralise`). A
model that writes such a text again, into a file perhaps, writes the break with it, in JSON maybe as
an escape. It did its work when the reply was read: what people see and what tools and clients get
is as it was before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from ..events import ArgumentsDelta, CallCompleted, ReasoningDelta, TextDelta
from ..secrets import with_texts
from .neutralise import BREAK, restore

__all__ = ["Restoring"]

E = TypeVar("E")
_Restored = TextDelta | ReasoningDelta | ArgumentsDelta | CallCompleted
_WRITTEN = "\\u2063"
_ESCAPE = re.compile(r"\\(u2063|.)", re.DOTALL)


class Restoring:
    """Restores the events of one reply, however it was cut.

    Of a run of breaks every second one was there before. So it is enough to know whether a run
    that goes on in the next piece has an odd number so far. Only what may be the first half of an
    escape waits, and for no more than the next event.
    """

    def __init__(self) -> None:
        self._is_odd: dict[object, bool] = {}
        #: Arguments that end in the middle of what may be a break's escape.
        self._half: ArgumentsDelta | None = None

    def feed(self, events: Sequence[E]) -> list[E | _Restored]:
        """*events* without breaks; those that brought nothing else are left out."""
        return [told for event in events for told in self._told(event)]

    def _told(self, event: E) -> Iterator[E | _Restored]:
        half, self._half = self._half, None
        if half is not None and isinstance(event, ArgumentsDelta) and event.index == half.index:
            event, half = replace(event, text=half.text + event.text), None
        if half is not None:  # it was none
            yield half
        match event:
            case TextDelta(text) | ReasoningDelta(text):
                if text := self._restored(type(event), text):
                    yield replace(event, text=text)
            case ArgumentsDelta(index, text):
                if text := self._restored(index, self._unescaped(event)):
                    yield replace(event, text=text)
            case CallCompleted(_, call):
                arguments = with_texts(call.arguments, restore)
                yield replace(event, call=replace(call, arguments=arguments))
            case _:
                yield event

    def _unescaped(self, event: ArgumentsDelta) -> str:
        """Its text with breaks for their escapes; half an escape at its end waits."""
        text = event.text
        if "\\" not in text:
            return text
        at = text.rfind("\\")
        before = text[:at]
        is_escaped = (len(before) - len(before.rstrip("\\"))) % 2
        if not is_escaped and len(text) - at < len(_WRITTEN) and _WRITTEN.startswith(text[at:]):
            self._half = replace(event, text=text[at:])
            text = before
        return _ESCAPE.sub(lambda found: BREAK if found[1] == "u2063" else found[0], text)

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
