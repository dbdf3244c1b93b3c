"""What the reader of JSON knows while it reads: the text at hand, what is open, what was mended.

Text may come in pieces. Whoever looks at it asks here, and where more text could change the answer
:class:`Wait` is raised: the step that asked is then tried again when more has come. So a look that
answers is final, and every look is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from string import ascii_letters, digits
from typing import Any, Final

from ...messages import Grade, Repair
from ..faults import MAX_DEPTH, Refused, malformed, too_deep
from ..markers import MORE, Marker, end_of
from ..patterns import Pattern
from . import repairs as mend

MISSING: Final = object()
"""Stands where a value was due and none was written."""

# Which characters may end a string, by the one that opened it.
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
_LONGEST_COMMENT = 2000

_CLOSERS = {"{": "}", "[": "]", "(": ")"}
# Here and in the modules beside this one, possessive quantifiers stand on single characters
# only: over groups they match wrongly before CPython 3.11.5, which Debian 12 still ships, and
# with captures later too (https://github.com/python/cpython/issues/106052, …/101955).
_space = re.compile(r"[ \t\r\n]++").match
_odd_space = re.compile(r"[\s\ufeff\u200b-\u200f\u2060]++").match
_some_space = re.compile(r"\s{0,1000}+").match
# What cannot begin trivia in the text models write; the rest is left to the pattern.
_solid = frozenset("{}[](),:;'\"" + ascii_letters + digits + "-+.<>=_$“”‘’")


class Wait(Exception):
    """More text could change the answer, and more may come."""


class Open:
    """A container whose end has not been read yet; *key* awaits its value."""

    __slots__ = ("closer", "comma", "key", "marked", "role", "value")

    def __init__(self, opener: str) -> None:
        self.closer = _CLOSERS[opener]
        self.value: Any = {} if opener == "{" else []
        self.key: str | None = None
        self.comma = False  # the last thing read in it was a comma
        self.role: Any = None  # what it is to a call
        self.marked = False  # is it meant as one?


class State:
    """The text, the offset reached, the containers open there, and the repairs so far.

    *ends* are markers that nothing goes on behind; those are looked for everywhere that begin with
    one of *firsts*.
    """

    literals: Mapping[str, tuple[Any, Repair | None]] = {}  # words that stand for a value
    own: frozenset[Repair] = frozenset()  # what is no departure in the language that is read
    at_once = 0  # how many of the closers end what is told of with its last character
    depth = MAX_DEPTH  # of containers

    def __init__(
        self,
        keys: Container[str] | None = None,
        ends: Sequence[Marker] = (),
        firsts: str = "",
    ) -> None:
        self.text, self.at, self.final = "", 0, False
        self.start = 0  # where the step that is being tried began
        self.keys = keys
        self.firsts, self._markers = firsts, ends
        self.open: list[Open] = []
        self.closers = ""  # of the open containers, innermost first
        self.excess = 0  # containers that are open beyond the depth that is read
        self.fault: Refused | None = None  # why there is no value, whatever follows
        self.scanned = 0, 0  # from where to where the step looked for a quote in vain
        self._tried: list[Repair] = []  # of the step that is being tried
        self.start_over()

    def start_over(self) -> None:
        """Something begins that is mended, or not, for itself."""
        self._repairs: dict[str, Repair] = {}
        self._doubts = 0
        self.rereads = 4  # how often a string may be read again to a nearer end
        self.bare_keys = False  # some key had no quotes
        self.dashed_keys = False  # some key was written as an option is: --path "a"
        self.plain_quotes = False  # some string was quoted without a backslash

    # -- mending --------------------------------------------------------------------------

    def note(self, repair: Repair) -> None:
        """Record a repair once, however often it was needed."""
        if repair not in self.own:
            self._tried.append(repair)

    def flush(self) -> None:
        """Hand on the text that was read."""

    def settle_notes(self) -> None:
        """The step that was tried counts."""
        for repair in self._tried:
            self._repairs.setdefault(repair.name, repair)
            # Commas in a row are one mistake, however they were cut.
            if repair.grade is Grade.GUESSED and repair is not mend.EXTRA_COMMA:
                self.doubt()
        self._tried.clear()

    def forget_notes(self) -> None:
        """The step that was tried will be tried again."""
        self._tried.clear()

    def doubt(self) -> None:
        """Count a guess or a quote weighed, and give up on a text that needs too many."""
        self._doubts += 1
        if self._doubts > _MAX_DOUBTS:
            self.refuse(malformed("too many mistakes to be read"))

    def refuse(self, fault: Refused) -> None:
        """There is no value, but its end is still to be found."""
        self.fault = self.fault or fault

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """What was mended, in the order of first need."""
        return tuple(self._repairs.values())

    # -- looking --------------------------------------------------------------------------

    def here(self, at: int) -> str:
        """The character at *at*, or nothing where the text is over."""
        here = self.text[at : at + 1]
        if not here and not self.final:
            raise Wait
        return "" if here and here in self.firsts and self.ends(at) else here

    def ends(self, at: int) -> bool:
        """Does a marker that nothing goes on behind stand at *at*?"""
        end = end_of(self._markers, self.text, at, self.final)
        if end == MORE:
            raise Wait
        return end >= 0

    def look(self, pattern: Pattern, at: int) -> re.Match[str] | None:
        """What *pattern* matches at *at*."""
        if not self.final and pattern.may_change(self.text, at):
            raise Wait
        return pattern.match(self.text, at)

    def stands(self, literal: str, at: int) -> bool:
        """Does *literal* stand at *at*?"""
        if self.text.startswith(literal, at):
            return True
        if not self.final and literal.startswith(self.text[at : at + len(literal)]):
            raise Wait
        return False

    def behind_space(self, at: int) -> int:
        """Behind the white space at *at*, of which a thousand characters count."""
        end = _some_space(self.text, at).end()  # type: ignore[union-attr]  # may be empty
        if end == len(self.text) and not self.final and end - at < 1000:
            raise Wait
        return end

    def skip(self) -> str:
        """Move past white space and comments; the character then at hand, or ``""``.

        A step that skips does so first.
        """
        here = self.text[self.at : self.at + 1]
        if here == " " or here == "\n":
            self.at = _space(self.text, self.at).end()  # type: ignore[union-attr]  # it is there
            here = self.text[self.at : self.at + 1]
        while here not in _solid:
            if not self._skip_trivia(here):
                break
            self.start = self.at
            self.settle_notes()
            here = self.text[self.at : self.at + 1]
        if not here:
            self.start = self.at
        return self.here(self.at)

    def _skip_trivia(self, here: str) -> bool:
        at = self.at
        if here == "#" or here == "/":
            return self._skip_comment(here)
        if here == "\\":
            two = self.here(at + 1)
            if two and two in "nrt":
                self.at += 2
                self.note(mend.ESCAPED_JSON)
                return True
            return False
        if space := _space(self.text, at):
            self.at = space.end()
            return True
        if here and (space := _odd_space(self.text, at)):
            self.at = space.end()
            self.note(mend.ODD_SPACE)
            return True
        return False

    def _skip_comment(self, here: str) -> bool:
        """Move behind the comment that begins here, if one does; a marker ends it, too."""
        if here == "/" and self.here(self.at + 1) not in ("/", "*"):
            return False
        end = "*/" if self.text.startswith("/*", self.at) else "\n"
        start = self.at + (1 if here == "#" else 2)
        body = self.text[start : start + _LONGEST_COMMENT]
        place = body.find(end)
        stop = place + len(end) if place >= 0 else len(body)
        marker = self.marker_in(body[:stop])
        if place < 0 and marker < 0:
            if len(body) == _LONGEST_COMMENT:
                return False
            if not self.final:
                raise Wait
        is_open = place < 0 and end == "*/"
        self.at = start + (marker if marker >= 0 else stop)
        self.note(mend.CUT_SHORT if is_open else mend.COMMENT)
        return True

    def give_back(self, text: str) -> None:
        """*text* was read last, and is to be read again."""
        start = self.at - len(text)
        if start >= 0 and self.text.startswith(text, start):
            self.at = start
        else:
            self.text, self.at = text + self.text[self.at :], 0

    def read_again(self, text: str) -> None:
        """*text* was read in search of the end of a string, in vain: that has a nearer one."""
        self.rereads -= 1
        self.give_back(text)

    # -- what is said of a string that is a value, for those who hand it on ---------------

    def string_begins(self, string: Any) -> None:
        """*string* is read from here on."""

    def string_goes_on(self, piece: str) -> None:
        """*piece* of it was read, valid but for control characters."""

    def string_is_odd(self) -> None:
        """Here is something that JSON would not have inside it."""

    def string_ends(self) -> None:
        """It ends here."""

    def string_ends_at_once(self, body: str) -> bool:
        """Need nobody look behind the quote for the end of the string that says *body*?"""
        return False

    def marker_in(self, text: str) -> int:
        """Where the first marker stands in *text* that nothing goes on behind, or -1."""
        places = (end.find(text) for end in self._markers)
        return min((place for place in places if place >= 0), default=-1)

    # -- containers -----------------------------------------------------------------------

    def push(self, opener: str) -> None:
        """Open a container."""
        if len(self.open) >= self.depth:
            self.refuse(too_deep(self.depth))
            self.excess += 1
            return
        self.open.append(Open(opener))
        self.closers = _CLOSERS[opener] + self.closers

    def in_object(self, level: int = 0) -> bool:
        """Whether the container *level* steps out from the innermost is an object."""
        return level < len(self.open) and isinstance(self.open[-1 - level].value, dict)

    def awaits(self, key: str, level: int = 0) -> bool:
        """Whether *key* is a known key that the container *level* steps out still lacks."""
        if self.keys is None or key not in self.keys:
            return False
        top = self.open[-1 - level]
        return key not in top.value and key != top.key
