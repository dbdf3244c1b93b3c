"""The hot path: a long string argument, of which most chunks hold nothing to look at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..events import Event

__all__ = ["BATCH", "StreamedString", "StringFeed"]

# Somebody watching a file being written does not see the difference between one token and eight,
# but looking at each of them costs three times as much. Short calls are never batched.
BATCH = 8
_LONG_CALL = 1024
_SHORT_CHUNK = 16


@dataclass(frozen=True, slots=True)
class StreamedString:
    """A string argument that is being read, of an announced call.

    *stop* says how much of a text certainly goes on with it, or -1 if the text has to be read;
    *tell* takes that much in and makes the event, if there is one. *length* characters of the call
    have been read, and there is *room* for more.
    """

    stop: Callable[[str], int]
    tell: Callable[[str], Event | None]
    length: int
    room: int


class StringFeed:
    """Takes in text for as long as it only goes on with *string*.

    ``text`` is what is left over (of an escape, say), and ``base`` where in the reply it begins.
    """

    def __init__(self, string: StreamedString, base: int, text: str) -> None:
        self.base = base
        self.text = text
        self._stop = string.stop
        self._tell = string.tell
        self._until = base + string.room
        self._batch_from = base + _LONG_CALL - string.length

    def feed(self, chunk: str) -> list[Event] | None:
        """The events that *chunk* makes; None, and nothing taken in, if it has to be read."""
        text = self.text + chunk
        stop = self._stop(text)
        if stop < 0 or self.base + stop > self._until:
            return None
        self.base += stop
        self.text = text[stop:]
        event = self._tell(text[:stop]) if stop else None
        return [event] if event is not None else []

    def worth_batching(self, chunk: str) -> bool:
        """Is the call so long, and *chunk* so short, that chunks may be taken together?"""
        return self.base > self._batch_from and len(chunk) <= _SHORT_CHUNK
