"""What the lenient reader knows while it reads: the text, what is open, what was mended."""

from __future__ import annotations

import re
from string import ascii_letters, digits
from typing import Any, Final

from ...messages import Grade, Repair
from . import repairs as mend
from .strict import MAX_DEPTH, malformed, too_deep

__all__ = ["MISSING", "QUOTES", "Open", "State"]

MISSING: Final = object()
"""Stands where a value was due and none was written."""

# Which characters may end a string, by the one that opened it. The opener is always among
# them: a scan for the end then never runs past the next string's opening, which is what
# keeps repeated scans linear.
QUOTES: Final = {
    '"': '"',
    "'": "'",
    "`": "`",
    "“": '”“"',
    "”": '”“"',
    "„": '”“„"',
    "‘": "’‘'",
    "’": "’‘'",
    "«": "»«",
}

# One in a hundred characters of a megabyte: what raises more doubts is not JSON.
_MAX_DOUBTS = 10_000

_CLOSERS = {"{": "}", "[": "]", "(": ")"}
# Here and in the modules beside this one, possessive quantifiers stand on single characters
# only: over groups they match wrongly before CPython 3.11.5, which Debian 12 still ships, and
# with captures later too (https://github.com/python/cpython/issues/106052, …/101955).
_space = re.compile(r"[ \t\r\n]++").match
_odd_space = re.compile(r"[\s\ufeff\u200b-\u200f\u2060]++").match
_escaped_space = re.compile(r"(?:\\[nrt])+").match
_comment = re.compile(r"(?://|#)[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*\*/").match
_open_comment = re.compile(r"/\*[\S\s]*+").match
_TRIVIA = (
    (_space, None),
    (_comment, mend.COMMENT),
    (_escaped_space, mend.ESCAPED_JSON),
    (_odd_space, mend.ODD_SPACE),
    (_open_comment, mend.CUT_SHORT),
)
# What cannot begin trivia in the text models write; the rest is left to the pattern.
_solid = frozenset("{}[](),:;'\"" + ascii_letters + digits + "-+.<>=_$“”‘’")


class Open:
    """A container whose end has not been read yet; *key* awaits its value."""

    __slots__ = ("closer", "comma", "key", "value")

    def __init__(self, opener: str) -> None:
        self.closer = _CLOSERS[opener]
        self.value: Any = {} if opener == "{" else []
        self.key: str | None = None
        self.comma = False  # the last thing read in it was a comma


class State:
    """The text, the offset reached, the containers open there, and the repairs so far."""

    def __init__(self, text: str, at: int, keys: frozenset[str] | None) -> None:
        self.text = text
        self.at = at
        self.keys = keys
        self.open: list[Open] = []
        self.closers = ""  # of the open containers, innermost first
        self.bare_keys = False  # some key had no quotes
        self.plain_quotes = False  # some string was quoted without a backslash
        self.rereads = 4  # how often a string may be read again to a nearer end
        self._triples: dict[str, int] = {}
        self._doubts = 0
        self._repairs: dict[str, Repair] = {}

    def note(self, repair: Repair) -> None:
        """Record a repair once, however often it was needed."""
        self._repairs.setdefault(repair.name, repair)
        if repair.grade is Grade.GUESSED:
            self.doubt()

    def doubt(self) -> None:
        """Count a guess or a quote weighed, and give up on a text that needs too many."""
        self._doubts += 1
        if self._doubts > _MAX_DOUBTS:
            raise malformed("too many mistakes to be read as JSON")

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """What was mended, in the order of first need."""
        return tuple(self._repairs.values())

    def skip(self) -> str:
        """Move past white space and comments; the character then at hand, or ``""``."""
        here = self.text[self.at : self.at + 1]
        if here == " " or here == "\n":
            self.at = _space(self.text, self.at).end()  # type: ignore[union-attr]  # it is there
            here = self.text[self.at : self.at + 1]
        while here and here not in _solid and self._skip_trivia():
            here = self.text[self.at : self.at + 1]
        return here

    def _skip_trivia(self) -> bool:
        for pattern, repair in _TRIVIA:
            if match := pattern(self.text, self.at):
                self.at = match.end()
                if repair is not None:
                    self.note(repair)
                return True
        return False

    def find_triple(self, quotes: str, at: int) -> int:
        """Where *quotes* stand next, or -1; asked in text order, it searches the text once."""
        known = self._triples.get(quotes, 0)
        if 0 <= known < at:
            known = self._triples[quotes] = self.text.find(quotes, at)
        return known

    def push(self, opener: str) -> None:
        """Open a container."""
        if len(self.open) >= MAX_DEPTH:
            raise too_deep()
        self.open.append(Open(opener))
        self.closers = _CLOSERS[opener] + self.closers

    def in_object(self, level: int = 0) -> bool:
        """Whether the container *level* steps out from the innermost is an object."""
        return self.closers[level : level + 1] == "}"

    def awaits(self, key: str, level: int = 0) -> bool:
        """Whether *key* is a known key that the container *level* steps out still lacks."""
        if self.keys is None or key not in self.keys:
            return False
        top = self.open[-1 - level]
        return key not in top.value and key != top.key
