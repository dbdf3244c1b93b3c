"""Reading text without quotes, to where it ends: a value, or the name before one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from ...messages import ProblemKind
from ..scanner import MORE, NO, Marker
from ..strict import Refused
from .names import KEYWORD
from .scalars import LONGEST_WORD, read_word

__all__ = ["WordReader", "marker_at"]

_KEYWORD = re.compile(KEYWORD)
_CONSTRUCTORS = frozenset(("dict", "list", "tuple", "set"))
_OPERATORS = frozenset("+-*/%^(")


@cache
def _plain(firsts: str) -> re.Pattern[str]:
    return re.compile(rf"""[^,()\[\]{{}}"'=:#\\{re.escape(firsts)}]+""")


def marker_at(ends: Sequence[Marker], text: str, at: int, final: bool) -> int:
    """Where one of the markers *ends* that stands at *at* is over, or NO, or MORE."""
    if not ends:
        return NO
    found = [marker.at(text, at, final) for marker in ends if marker.first == text[at]]
    whole = [end for end in found if end not in (NO, MORE)]
    return whole[0] if whole else MORE if MORE in found else NO


class WordReader:
    """Unquoted text, which one of the markers *ends* interrupts.

    *names* says whether it may turn out to name an argument, *keys* whether it may be the key of a
    dict. When it has ``ended``, it is a value unless it ``is_key`` or a ``constructor``.
    """

    def __init__(self, ends: Sequence[Marker], *, names: bool, keys: bool) -> None:
        self._ends = ends
        self._names = names
        self._keys = keys
        self._plain = _plain("".join(sorted({marker.first for marker in ends})))
        self._parts: list[str] = []
        self._length = 0
        self.depth = 0  # parentheses open in it
        self.at = 0
        self.ended = False
        self.is_key = False
        self.separator = ""
        self.constructor = ""

    @property
    def text(self) -> str:
        """What was read."""
        return "".join(self._parts).strip()

    def read(self, text: str, at: int, final: bool) -> int:
        """Read on from *at*; return where reading stopped."""
        self.at = at
        while self.at < len(text) and not self.ended:
            plain = self._plain.match(text, self.at)
            if plain:
                self._add(plain[0])
                continue
            stop = self._special(text, self.at, final)
            if stop == self.at:
                break
            self.at = stop
        return self.at

    def _add(self, part: str) -> None:
        room = LONGEST_WORD + 1 - self._length
        self._parts.append(part[:room])
        self._length += len(part[:room])
        self.at += len(part[:room])
        if len(part) >= room:
            read_word(self.text)  # refuses it
            raise _malformed("a value without quotes is too long")

    def _special(self, text: str, at: int, final: bool) -> int:
        marker = marker_at(self._ends, text, at, final)
        if marker != NO:
            self.ended = marker != MORE
            return at
        char = text[at]
        if char in ",)]}":
            return self._closer(char, at)
        if char == "(":
            return self._opener(at)
        if char in "=:":
            return self._separator(text, at, final)
        if char == "\\" and at + 1 == len(text) and not final:
            return at
        last = self._parts[-1][-1:] if self._parts else ""
        if char == "#" and last.isspace():
            self.ended = True
            return at
        if char in "[{" or (char in "\"'" and not (char == "'" and last.isalpha())):
            raise _malformed(f"{char} stands inside a value without quotes")
        self._add(text[at : at + 2] if char == "\\" else char)
        return self.at

    def _closer(self, char: str, at: int) -> int:
        if not self.depth:
            self.ended = True
            return at
        if char != ")":
            raise _malformed("an expression is no value; write what it comes to")
        self.depth -= 1
        self._add(char)
        return self.at

    def _opener(self, at: int) -> int:
        word = self.text
        if self.depth or word[-1:] in _OPERATORS:
            self._add("(")
            self.depth += 1
            return self.at
        if word in _CONSTRUCTORS:
            self.constructor = word
            self.ended = True
            return at + 1
        raise _malformed(
            f"{word[:80]}(...) is a call inside a call; make it first, then use its result"
        )

    def _separator(self, text: str, at: int, final: bool) -> int:
        """An equals sign or a colon, behind a name or in the middle of a value."""
        char = text[at]
        if self._keys or (self._names and _KEYWORD.fullmatch(self.text)):
            if at + 1 == len(text) and not final:
                return at
            if text[at : at + 2] != char * 2 and text[at : at + 2] != ":/":
                self.is_key = self.ended = True
                self.separator = char
                return at + 1
        self._add(char)
        return self.at


def _malformed(message: str) -> Refused:
    return Refused(ProblemKind.MALFORMED, message)
