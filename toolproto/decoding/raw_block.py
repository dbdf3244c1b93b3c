"""A text without any escapes, up to a line that holds nothing but one word."""

from __future__ import annotations

import re

from .quoted_text import QuotingCall
from .scanner import MORE, NO
from .string_feed import StreamedString

__all__ = ["RawBlock"]


class RawBlock:
    """Reads the text below ``<<word`` into a string argument of *call*.

    *newline* is what stood behind the word, and so stands before it when it comes again. ``done``
    once that was read.
    """

    def __init__(self, call: QuotingCall, word: str, newline: str) -> None:
        self._call = call
        self._word = word
        self._last = newline + word
        self._over = re.compile(rf"{re.escape(word)}[ \t]{{0,8}}(?=\r?\n)")
        self._over_at_end = re.compile(rf"{re.escape(word)}[ \t]{{0,8}}\r?\Z")
        self._begun = False
        self.done = False
        call.open_text()

    def feed(self, text: str, at: int, final: bool) -> int:
        """Read on from *at*, as far as is certain."""
        if not self._begun:
            end = self._end(text, at, final)
            self._begun = end == NO
            if end != NO:
                return self._closed(end) if end >= 0 else at
        found = text.find(self._last, at)
        stop = found if found >= 0 else self._certain(text) if not final else len(text)
        if stop > at:
            self._call.text(text[at:stop])
            return stop
        if found != at:
            return at
        line = at + len(self._last) - len(self._word)
        end = self._end(text, line, final)
        if end != NO:
            return self._closed(end) if end >= 0 else at
        self._call.text(text[at : at + 1])
        return at + 1

    @property
    def streaming(self) -> StreamedString | None:
        """The text for the hot path."""
        return self._call.streaming(self._stop) if self._begun else None

    def _stop(self, text: str) -> int:
        return -1 if self._last in text else self._certain(text)

    def _certain(self, text: str) -> int:
        """How much of *text*, in which the end does not stand, cannot be the beginning of it."""
        line = text.rfind(self._last[0], max(0, len(text) - len(self._last)))
        return line if line >= 0 and self._last.startswith(text[line:]) else len(text)

    def _end(self, text: str, at: int, final: bool) -> int:
        """Where the line at *at* ends if it is the last one; NO if it is not, or MORE."""
        over = self._over.match(text, at) or (final and self._over_at_end.match(text, at))
        if over:
            return over.end()
        begun = self._word.startswith(
            text[at : at + len(self._word) + 1]
        ) or self._over_at_end.match(text, at)
        return MORE if begun and not final else NO

    def _closed(self, end: int) -> int:
        self.done = True
        self._call.close_text()
        return end
