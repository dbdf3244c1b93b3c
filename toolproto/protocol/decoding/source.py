"""Text that arrives in pieces, read by ordinary sequential code that waits by itself.

A reader of calls is a generator: ``found = yield from source.take(_COMMA)`` gives the comma, or
None, once no text to come can change the answer; until then the generator rests at a ``yield``.
So "could more text change this?" is asked in one place, and follows from each pattern
(`patterns.py`) or marker (`markers.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Sequence
from functools import lru_cache
from io import StringIO
from typing import TypeVar

from .faults import cut_short
from .markers import MORE, NO, Marker, end_of
from .patterns import Pattern

R = TypeVar("R")
#: A part of a reader. What it yields is nothing: it wants more text.
Pull = Generator[None, None, R]
_NO_SPACE = re.compile(r"\S")


@lru_cache(maxsize=256)
def stops(ends: tuple[Marker, ...]) -> tuple[str, re.Pattern[str], re.Pattern[str]]:
    """What *ends* begin with; one of these characters; one of them, or a line break."""
    firsts = "".join(sorted({end.first for end in ends}))
    one = re.escape(firsts)
    return firsts, re.compile(f"[{one}]" if one else "(?!)"), re.compile(f"[\n{one}]")


_NO_STOPS = stops(())


class Source:
    """The text at hand: ``at`` is where reading stands, ``final`` if no more comes.

    *ends* are markers that no call goes on behind; ``firsts`` are their first characters, of which
    ``marks`` finds one, and ``line_or_mark`` one or a line break. Text that was read is forgotten
    between two yields, so nobody keeps an offset into ``text`` over one; :attr:`offset` counts in
    the reply.
    """

    __slots__ = (
        "_ends", "at", "base", "final", "firsts", "line_or_mark", "marks", "returns", "text",
    )  # fmt: skip

    def __init__(self, ends: Sequence[Marker] = ()) -> None:
        self.text, self.at, self.base, self.final = "", 0, 0, False
        self.returns = 0  # how often it went back
        self._ends = ends
        self.firsts, self.marks, self.line_or_mark = stops(tuple(ends)) if ends else _NO_STOPS

    @property
    def offset(self) -> int:
        """Where in the reply reading stands."""
        return self.base + self.at

    def forget(self) -> None:
        """Drop the text that was read."""
        self.base += self.at
        self.text, self.at = self.text[self.at :], 0

    def again(self, text: str) -> None:
        """Go back to before *text*, which was read last: it is read again."""
        self.unread(text)
        self.returns += 1

    def unread(self, text: str) -> None:
        """The same, where *text* was only looked at."""
        if not text:
            return
        self.base += self.at - len(text)
        self.text, self.at = text + self.text[self.at :], 0

    def peek(self, count: int = 1) -> Pull[str]:
        """The next *count* characters; fewer at the end."""
        while len(self.text) - self.at < count and not self.final:
            yield
        return self.text[self.at : self.at + count]

    def due(self) -> Pull[str]:
        """The next character, without which what is read is cut short."""
        if not (char := (yield from self.peek())):
            raise cut_short()
        return char

    def skip_to(self, solid: re.Pattern[str] = _NO_SPACE) -> Pull[str]:
        """Read on to the next *solid* character: that one, or none at the end."""
        while (char := (yield from self.peek())) and not solid.match(char):
            yield from self.before(solid)
        return char

    def spaces(self, most: int) -> Pull[int]:
        """How many spaces stand here, up to *most*."""
        while True:
            here = self.text[self.at : self.at + most]
            count = len(here) - len(here.lstrip(" "))
            if self.final or count == most or count < len(here):
                return count
            yield

    def match(self, pattern: Pattern, ahead: int = 0) -> Pull[re.Match[str] | None]:
        """What *pattern* matches *ahead* of here, once no more text can change that."""
        while not self.final and pattern.may_change(self.text, self.at + ahead):
            yield
        return pattern.match(self.text, self.at + ahead)

    def take(self, pattern: Pattern) -> Pull[re.Match[str] | None]:
        """The same, and reading goes on behind it."""
        while not self.final and pattern.may_change(self.text, self.at):
            yield
        found = pattern.match(self.text, self.at)
        if found:
            self.at = found.end()
        return found

    def length(self, pattern: Pattern, ahead: int = 0) -> Pull[int]:
        """How many characters *pattern*, which matches nothing at least, takes *ahead* of here."""
        found = yield from self.match(pattern, ahead)
        return found.end() - found.start() if found else 0

    def stands(self, literal: str, ahead: int = 0) -> Pull[bool]:
        """Does *literal* stand *ahead* of here?"""
        while not (found := self.text.startswith(literal, self.at + ahead)):
            tail = self.text[self.at + ahead : self.at + ahead + len(literal)]
            if self.final or not literal.startswith(tail):
                break
            yield
        return found

    def ask(self, look: Callable[[str, int, bool], R | int], ahead: int = 0) -> Pull[R | int]:
        """What *look* finds *ahead* of here, once it does not want more text."""
        while (found := look(self.text, self.at + ahead, self.final)) == MORE:
            yield
        return found

    def at_end(self, ahead: int = 0) -> Pull[bool]:
        """Does a marker that ends calls stand *ahead* of here?"""
        while (end := self.end_at(self.text, self.at + ahead, self.final)) == MORE:
            yield
        return end >= 0

    def end_at(self, text: str, at: int, final: bool) -> int:
        """Where such a marker ends at *at* in *text*, or NO, or MORE."""
        if not self.marks.match(text, at):
            return NO if at < len(text) or final or not self._ends else MORE
        return end_of(self._ends, text, at, final)

    def before(self, stop: re.Pattern[str]) -> Pull[str]:
        """All text before *stop* that is here, and reading goes on behind it.

        Empty if *stop* stands here or the text is over; *stop* is to be a single character.
        """
        while self.at >= len(self.text) and not self.final:
            yield
        found = stop.search(self.text, self.at)
        start, self.at = self.at, found.start() if found else len(self.text)
        return self.text[start : self.at]

    def past(self, stop: re.Pattern[str]) -> str:
        """The character here and all text that is here behind it, up to *stop*; reading goes on."""
        found = stop.search(self.text, self.at + 1)
        start, self.at = self.at, found.start() if found else len(self.text)
        return self.text[start : self.at]

    def word(self, stop: re.Pattern[str], ended: Pattern | None = None) -> Pull[str]:
        """The text in this line up to what *ended* matches, or a marker that ends calls.

        All of these begin with *stop*, which is a single character.
        """
        word = StringIO()
        while (char := (yield from self.peek())) and char != "\n":
            if (yield from self.at_end()) or (ended and (yield from self.match(ended))):
                break
            word.write(self.past(stop))
        return word.getvalue()

    def up_to(self, literal: str) -> Pull[str]:
        """All text before *literal* that is certain, and reading goes on behind it.

        Empty if *literal* stands here or the text is over.
        """
        while (stop := self._certain(literal)) == self.at:
            if self.final or self.text.startswith(literal, self.at):
                return ""
            yield
        start, self.at = self.at, stop
        return self.text[start:stop]

    def _certain(self, literal: str) -> int:
        found = self.text.find(literal, self.at)
        if found >= 0 or self.final:
            return found if found >= 0 else len(self.text)
        return max(self.at, len(self.text) - begun_at_end(literal, self.text))

    def pass_over(self) -> Pull[None]:
        """Read on to a marker that ends calls, or to the end of the text."""
        while True:
            yield from self.before(self.marks)
            if not (yield from self.peek()) or (yield from self.at_end()):
                return
            self.at += 1


def begun_at_end(literal: str, text: str) -> int:
    """How many characters at the end of *text* may be the beginning of *literal*."""
    most = min(len(literal) - 1, len(text))
    start = text.find(literal[0], len(text) - most) if most else -1
    while start >= 0:
        if literal.startswith(text[start:]):
            return len(text) - start
        start = text.find(literal[0], start + 1)
    return 0
