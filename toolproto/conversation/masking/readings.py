"""Where a value stands in a text, however it is spelled there.

History is sent as text in which values may be JSON-escaped, JSON in JSON, or written as HTML
entities or for a URL. Instead of searching for every spelling, the text is read with one layer of
escapes undone, then another, and each reading is searched for the plain value. Small and capital
letters are the same there, and so is white space of every kind and length: a model wraps lines, a
web page has no-break spaces, a log shouts.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import NamedTuple
from unicodedata import normalize

from ...protocol.foreign_text import ENTITY, ESCAPE, PERCENT, UNSEEN, as_seen, unescaped, unquoted

__all__ = ["Alike", "alike", "replaced"]

# JSON in JSON in JSON: a tool returned the log of a service that logs its requests.
_LAYERS = 3
#: Accents that stand behind their letters, as names of files have them, and letters of full width.
_ACCENTS, _WIDE = "\u0300-\u036f", "\uff01-\uff5e"
_ODD = re.compile(f"[{UNSEEN}{_ACCENTS}{_WIDE}]")
#: So many digits are a number, which people group as they like: an account, a card, a phone.
_A_NUMBER = 6
_GROUPED = r"[\s./()+-]{0,3}+"


class Alike(NamedTuple):
    """A value that is looked for in all its spellings: as it is compared, and where it is found."""

    folded: str
    pattern: re.Pattern[str]


def alike(value: str) -> Alike:
    """*value*, to be looked for in all its spellings."""
    folded = _Reading(value).folded().text.strip()
    words = folded.split()
    if sum(map(str.isdigit, folded)) >= _A_NUMBER and "@" not in folded:
        signs = re.findall(r"[^\s./()+-]", folded)
        between = _GROUPED
    else:
        signs, between = words, r"(?:\s++|\+)"  # a plus is a blank in a URL
    # A literal to begin with, and no going back: a long text is gone over once.
    return Alike(" ".join(words), re.compile(between.join(map(re.escape, signs))))


def replaced(
    text: str,
    exact: Sequence[tuple[str, str]],
    several: Sequence[Alike] = (),
    instead: Callable[[Alike, str], str] = lambda wanted, spelling: spelling,
) -> str:
    """*text* with the first of each *exact* pair replaced by the second.

    After that come *several* that may be spelled otherwise: *instead* is told which was found, and
    how it is spelled there, less what nobody sees. Earlier ones go first; what would overlap with
    one of theirs is left alone.
    """
    readings = list(_readings(text))
    taken = bytearray(len(text))
    cuts: list[tuple[int, int, str]] = []
    for wanted, other in exact:
        for reading in readings:
            for start, end, _ in reading.find_free(re.compile(re.escape(wanted)), taken):
                cuts.append((start, end, other))
    folded = [reading.folded() for reading in readings] if several else []
    for each in several:
        for reading in folded:
            for start, end, spelling in reading.find_free(each.pattern, taken):
                cuts.append((start, end, instead(each, as_seen(spelling))))
    return _cut(text, sorted(cuts)) if cuts else text


def _cut(text: str, cuts: Sequence[tuple[int, int, str]]) -> str:
    pieces: list[str] = []
    at = 0
    for start, end, instead in cuts:
        pieces += (text[at:start], instead)
        at = end
    return "".join([*pieces, text[at:]])


@dataclass(frozen=True, slots=True)
class _Reading:
    """A text as it reads with some layers of escapes undone.

    It consists of stretches: *starts* says where they begin here, *sources* where in the text
    *below*, which has one layer more.
    """

    text: str
    starts: Sequence[int] = (0,)
    sources: Sequence[int] = (0,)
    below: _Reading | None = None

    def source(self, at: int) -> int:
        """Where the character at *at* begins in the text as it was written."""
        place = self._place(at)
        return self.below.source(place) if self.below else place

    def _place(self, at: int) -> int:
        """The same in the text below."""
        if len(self.starts) == 1:
            return at
        stretch = bisect_right(self.starts, at) - 1
        place = self.sources[stretch] + at - self.starts[stretch]
        # What stands for one character may have three here.
        return min([place, *self.sources[stretch + 1 : stretch + 2]])

    def find_free(
        self, wanted: re.Pattern[str], taken: bytearray
    ) -> Iterator[tuple[int, int, str]]:
        """Where *wanted* was written and how it reads in the text below; it is *taken*, then.

        Except where a character of it is taken already.
        """
        found = wanted.search(self.text)
        while found:
            at, behind = found.span()
            start, end = self.source(at), self.source(behind)
            free = start < end and taken.find(1, start, end) < 0
            if free:
                taken[start:end] = b"\1" * (end - start)
                below = self.below.text[self._place(at) : self._place(behind)] if self.below else ""
                yield start, end, below
            found = wanted.search(self.text, behind if free else at + 1)

    def folded(self) -> _Reading:
        """The same without a difference between letters, and between blanks."""
        folded = self.text.casefold()
        # Nearly always: each character has become one.
        if len(folded) == len(self.text) and (folded.isascii() or not _ODD.search(folded)):
            return _Reading(folded, below=self)
        reading = self.without(_foldable(), _fold)
        return _Reading(reading.text.casefold(), reading.starts, reading.sources, self)

    def without(
        self, kind: str | re.Pattern[str], meant: Callable[[re.Match[str]], str]
    ) -> _Reading:
        """The same with one layer less of one kind of escapes, and what was *meant* instead."""
        pieces: list[str] = []
        starts: list[int] = []
        sources: list[int] = []
        size = at = 0
        for escape in re.finditer(kind, self.text):
            before, instead = self.text[at : escape.start()], meant(escape)
            pieces += (before, instead)
            starts += (size, size + len(before))
            sources += (at, escape.start())
            size += len(before) + len(instead)
            at = escape.end()
        return _Reading("".join([*pieces, self.text[at:]]), [*starts, size], [*sources, at], self)


def _readings(text: str) -> Iterator[_Reading]:
    reading = _Reading(text)
    yield reading
    yield from _without_entities(reading)
    if re.search(PERCENT, text):
        yield reading.without(PERCENT, unquoted)
    for _ in range(_LAYERS):
        if not re.search(ESCAPE, reading.text):
            return
        # Two words on two lines stay apart: to find one value too many is better than one too few.
        reading = reading.without(ESCAPE, partial(unescaped, line_end="\n"))
        yield reading
        yield from _without_entities(reading)


def _without_entities(reading: _Reading) -> Iterator[_Reading]:
    # Apart from the other escapes: where HTML is written, a backslash is just that.
    if re.search(ENTITY, reading.text):
        yield reading.without(ENTITY, lambda entity: html.unescape(entity.group()))


@cache
def _foldable() -> re.Pattern[str]:
    """What does not become one letter when it is folded: blanks, and letters such as ß."""
    longer = "".join(char for char in map(chr, range(0xDF, 0xFB18)) if len(char.casefold()) > 1)
    return re.compile(
        rf"[\s{UNSEEN}]{{2,}}|[^\S ]|[{UNSEEN}]|[{longer}](?![{_ACCENTS}])|[{_WIDE}]"
        rf"|[^\W{_ACCENTS}][{_ACCENTS}]{{1,8}}"
    )


def _fold(found: re.Match[str]) -> str:
    text = as_seen(found.group())
    return " " if text.isspace() else normalize("NFKC", text).casefold()
