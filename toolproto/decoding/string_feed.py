"""The hot path: a long string argument, of which most chunks hold nothing to look at."""

from __future__ import annotations

from ..events import Event, arguments_delta
from .call_draft import CallDraft
from .json_end import string_stop

__all__ = ["BATCH", "StringFeed"]

# Somebody watching a file being written does not see the difference between one token and eight,
# but looking at each of them costs three times as much. Short calls are never batched.
BATCH = 8
_LONG_CALL = 1024
_SHORT_CHUNK = 16


class StringFeed:
    """Takes in text for as long as it only goes on with a string argument of *draft*.

    ``text`` is what of an escape is not whole yet, and ``base`` where in the reply it begins.
    """

    def __init__(self, draft: CallDraft, index: int, base: int, text: str) -> None:
        self.base = base
        self.text = text
        self._index = index
        self._append = draft.append
        self._until = base + draft.room
        self._batch_from = base + _LONG_CALL - draft.length

    def feed(self, chunk: str) -> list[Event] | None:
        """The events that *chunk* makes; None, and nothing taken in, if it has to be read."""
        text = self.text + chunk
        stop = string_stop(text)
        if stop < 0 or self.base + stop > self._until:
            return None
        piece = text[:stop]
        self._append(piece)
        self.base += stop
        self.text = text[stop:]
        return [arguments_delta(self._index, piece)] if piece else []

    def worth_batching(self, chunk: str) -> bool:
        """Is the call so long, and *chunk* so short, that chunks may be taken together?"""
        return self.base > self._batch_from and len(chunk) <= _SHORT_CHUNK
