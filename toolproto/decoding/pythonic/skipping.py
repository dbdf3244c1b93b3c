"""Passing over the rest of a call that cannot be read, to find where it ends."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..scanner import MORE, NO, Marker

__all__ = ["Skipper"]


class Skipper:
    """Reads to the bracket that closes *depth* open ones; *quote* is that of an open string.

    Instead of a bracket, one of *stops* may end it, and is not passed over then.

    One of the markers *ends* interrupts it anywhere: where quotes are wrong, what looks like a
    string may be none.
    """

    def __init__(self, depth: int, quote: str, ends: Sequence[Marker], *, stops: str = "") -> None:
        self._depth = depth
        self._quote = quote
        self._ends = ends
        self._stops = stops
        firsts = re.escape(stops + "".join({marker.first for marker in ends}))
        self._plain = re.compile(rf"""[^()\[\]{{}}"'\\{firsts}]+""")
        self._last = ""
        self.interrupted = False
        self.done = False

    def feed(self, text: str, at: int, final: bool) -> int:
        """Read on from *at*; return where reading stopped."""
        while at < len(text) and not self.done and not self.interrupted:
            stop = self._step(text, at, final)
            if stop == at:
                break
            self._last = text[stop - 1]
            at = stop
        return at

    def _step(self, text: str, at: int, final: bool) -> int:
        found = [marker.at(text, at, final) for marker in self._ends if marker.first == text[at]]
        if any(end not in (NO, MORE) for end in found):
            self.interrupted = True
            return at
        if MORE in found:
            return at
        if text[at] == "\\":
            return min(at + 2, len(text)) if final or at + 2 <= len(text) else at
        if text[at] in self._stops and self._depth <= 0 and not self._quote:
            self.done = True
            return at
        plain = self._plain.match(text, at)
        if plain:
            return plain.end()
        if self._quote:
            return self._in_string(text, at, final)
        if text[at] in "\"'" and not self._last.isalnum():  # else it is an apostrophe
            self._quote = text[at]
        elif text[at] in "([{":
            self._depth += 1
        elif text[at] in ")]}":
            self._depth -= 1
            self.done = self._depth == 0 and not self._stops
        return at + 1

    def _in_string(self, text: str, at: int, final: bool) -> int:
        if not final and self._quote != text[at:] and self._quote.startswith(text[at:]):
            return at
        if text.startswith(self._quote, at):
            stop = at + len(self._quote)
            self._quote = ""
            return stop
        return at + 1
