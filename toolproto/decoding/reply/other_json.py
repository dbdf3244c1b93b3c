"""A JSON object in prose that is no call, so that what looks like a call inside it is data."""

from __future__ import annotations

import re
from collections.abc import Callable

from .markers import MORE, NO

__all__ = ["OtherJson"]

_BODY = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_NOTHING = re.compile(r'[^\S\n]++|[^\s{}\[\],:"<]++')
_LONGEST_KEY = 100  # of which it is known what is in it


class OtherJson:
    """Follows such an object to its end. Only double quotes quote in it.

    ``done`` there, or where it shows that it was no JSON: at a blank line, or where *end_at* finds
    a marker outside a string, or ``at_calls``: where the member *wrapper* of the object itself
    opens a list, of calls after all, behind members nobody asked for.
    """

    def __init__(self, wrapper: str | None, end_at: Callable[[str, int, bool], int]) -> None:
        self._wrapper, self._end_at = wrapper, end_at
        self._depth = 0
        self._in_string = False
        self._key = ""  # the last string
        self._calls_next = False
        self._newlines = 0  # since the last thing that was not space
        self.done = self.at_calls = False

    def feed(self, text: str, at: int, final: bool) -> int:
        """Read on from *at*; return where reading stopped."""
        while at < len(text) and not self.done:
            stop = self._string(text, at) if self._in_string else self._between(text, at, final)
            if stop == at and not final:
                break
            at = max(stop, at + (stop == at and not self.done))
        return at

    def _string(self, text: str, at: int) -> int:
        """Behind what there is of the string; here if an escape has to be waited for."""
        end = _BODY.match(text, at).end()  # type: ignore[union-attr]  # may be empty
        if len(self._key) < _LONGEST_KEY:
            self._key += text[at:end]
        if text[end : end + 1] == '"':
            self._in_string = False
            return end + 1
        return end

    def _between(self, text: str, at: int, final: bool) -> int:
        char = text[at]
        if char == "\n":
            self._newlines += 1
            self.done = self._newlines == 2
            return at + 1
        if nothing := _NOTHING.match(text, at):
            self._newlines = self._newlines if char.isspace() else 0
            return nothing.end()
        if char == "<":
            marker = self._end_at(text, at, final)
            self.done = marker >= 0
            if marker != NO:
                return at if marker == MORE or self.done else at + 1
        self._newlines = 0
        self._structure(char)
        return at + 1

    def _structure(self, char: str) -> None:
        if char == '"':
            self._in_string, self._key = True, ""
        elif char in "{[":
            self._depth += 1
            self.done = self.at_calls = char == "[" and self._calls_next
        elif char in "}]":
            self._depth -= 1
            self.done = self._depth <= 0
        self._calls_next = char == ":" and self._depth == 1 and self._key == self._wrapper
