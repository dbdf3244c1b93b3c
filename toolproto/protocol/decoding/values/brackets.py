"""Where do open brackets close? The one scanner of brackets, for text that arrives in pieces."""

from __future__ import annotations

import re
from functools import lru_cache

#: Of so many open brackets it is known which they are: more than any value has.
_MOST_KNOWN = 128


@lru_cache(maxsize=256)
def _one_of(chars: str) -> re.Pattern[str]:
    return re.compile(f"[{re.escape(chars)}]")


class Brackets:
    r"""Follows brackets, and the strings among them, to where the last open one closes.

    *pairs* are the brackets that count and *quotes* those of strings, in which a backslash escapes
    one character and no bracket counts. Reading stops before one of *stops* outside strings, before
    one of *breaks* in them, and before a closer that nothing opened: of ``a[b]]`` it reads ``a[b]``
    and then nothing. Whoever finds that such a character means nothing goes on by *passing* it.
    Nothing of the text is kept, so that it may come in pieces; *depth* and *quote* are what is
    open.
    """

    __slots__ = (
        "_apostrophes", "_before", "_breaks", "_closes", "_escaped", "_known", "_matched", "_opens",
        "_quotes", "_special", "_stops", "deepest", "depth", "quote",
    )  # fmt: skip

    def __init__(
        self,
        pairs: str = "{}[]",
        quotes: str = '"',
        *,
        stops: str = "",
        breaks: str = "",
        depth: int = 0,
        quote: str = "",
    ) -> None:
        self._opens, self._closes = pairs[::2], pairs[1::2]
        self._quotes, self._stops, self._breaks = quotes, stops, breaks
        self._apostrophes = "'" in quotes  # then a quote behind a letter opens no string
        self._special = _one_of(pairs + quotes + stops)
        self.depth = self.deepest = depth
        self.quote = quote
        self._known: list[str] = []  # the outermost that are open
        self._escaped = False  # did the last piece end with a backslash in a string?
        self._matched = 0  # characters of the quote that stand right before
        self._before = ""  # the last character read

    @property
    def closed(self) -> bool:
        """Is nothing open?"""
        return not (self.depth or self.quote)

    @property
    def due(self) -> str:
        """What closes the brackets that are open, if they are not very many."""
        return "".join(self._closes[self._opens.find(each)] for each in reversed(self._known))

    def run(self, text: str, at: int, *, passing: bool = False) -> int:
        """Read *text* from *at* on; return where it stops, or all is closed, or the text ends."""
        start, over = at, False
        while at < len(text) and not over:
            if self.quote:
                at = self._in_string(text, at, passing=passing)
                over = bool(self.quote)
            else:
                found = None if passing else self._special.search(text, at)
                at = at if passing else found.start() if found else len(text)
                char = text[at : at + 1]
                closes_nothing = not self.depth and char in self._closes
                if not passing and (not char or closes_nothing or char in self._stops):
                    break
                over = self._takes(char, (text[at - 1] if at > start else self._before))
                at += 1
            passing = False
        self._before = text[at - 1] if at > start else self._before
        return at

    def _takes(self, char: str, before: str) -> bool:
        """Take in *char*; is the last open bracket closed with it?"""
        was_open = self.depth
        if char in self._opens:
            self.depth += 1
            self.deepest = max(self.deepest, self.depth)
            if self.depth <= _MOST_KNOWN:
                self._known.append(char)
        elif char in self._closes:
            self.depth = max(was_open - 1, 0)
            del self._known[self.depth :]
        elif char in self._quotes and not (self._apostrophes and before.isalnum()):
            self.quote = char
        return bool(was_open) and not self.depth

    def _in_string(self, text: str, at: int, *, passing: bool) -> int:
        """Read on in a string, to behind its quote, or before a break."""
        special = _one_of("\\" + self.quote[0] + self._breaks)
        if self._escaped:
            self._escaped, at, passing = False, at + 1, False
        while at < len(text):
            found = special.search(text, at)
            if found is None or found.start() > at:
                self._matched, passing = 0, False
            if found is None:
                return len(text)
            at, char = found.start(), found[0]
            if char == "\\":
                self._escaped, self._matched = at + 1 == len(text), 0
                at = min(at + 2, len(text))
            elif char == self.quote[0]:
                at, self._matched = at + 1, self._matched + 1
                if self._matched == len(self.quote):
                    self.quote, self._matched = "", 0
                    return at
            elif not passing:
                return at
            else:
                at += 1
            passing = False
        return at
