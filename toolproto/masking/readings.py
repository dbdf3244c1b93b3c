"""Where a value stands in a text, however it is spelled there.

History is sent as text in which values may be JSON-escaped, JSON in JSON, or written as HTML
entities. Instead of searching for every spelling, the text is read with one layer of escapes
undone, then another, and each reading is searched for the plain value.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

__all__ = ["replaced"]

# JSON in JSON in JSON: a tool returned the log of a service that logs its requests.
_LAYERS = 3
_BACKSLASH = re.compile(
    r"\\u(?P<high>[dD][89abAB][0-9a-fA-F]{2})\\u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|\\u(?P<unit>[0-9a-fA-F]{4})"
    r"|\\x(?P<byte>[0-9a-fA-F]{2})"
    r"|\\(?P<sign>[nrtbf]|[^0-9A-Za-z])"
)
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});")
_SIGNS = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}


def replaced(text: str, table: Sequence[tuple[str, str]]) -> str:
    """*text* with the first of each pair replaced by the second.

    Earlier pairs go first; what would overlap with one of theirs is left alone.
    """
    readings = list(_readings(text))
    taken = bytearray(len(text))
    cuts: list[tuple[int, int, str]] = []
    for wanted, instead in table:
        for reading in readings:
            for start, end in reading.find_free(wanted, taken):
                taken[start:end] = b"\1" * (end - start)
                cuts.append((start, end, instead))
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
        stretch = bisect_right(self.starts, at) - 1
        place = self.sources[stretch] + at - self.starts[stretch]
        return self.below.source(place) if self.below else place

    def find_free(self, wanted: str, taken: bytearray) -> Iterator[tuple[int, int]]:
        """Where *wanted* was written, except where a character of it is *taken*."""
        at = self.text.find(wanted)
        while at >= 0:
            start, end = self.source(at), self.source(at + len(wanted))
            free = taken.find(1, start, end) < 0
            if free:
                yield start, end
            at = self.text.find(wanted, at + (len(wanted) if free else 1))

    def without(self, kind: re.Pattern[str], meant: Callable[[re.Match[str]], str]) -> _Reading:
        """The same with one layer less of one kind of escapes, and what was *meant* instead."""
        pieces: list[str] = []
        starts: list[int] = []
        sources: list[int] = []
        size = at = 0
        for escape in kind.finditer(self.text):
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
    for _ in range(_LAYERS):
        if not _BACKSLASH.search(reading.text):
            return
        reading = reading.without(_BACKSLASH, _unescaped)
        yield reading
        yield from _without_entities(reading)


def _without_entities(reading: _Reading) -> Iterator[_Reading]:
    # Apart from the other escapes: where HTML is written, a backslash is just that.
    if _ENTITY.search(reading.text):
        yield reading.without(_ENTITY, lambda entity: html.unescape(entity.group()))


def _unescaped(escape: re.Match[str]) -> str:
    high, low, unit, byte, sign = escape.groups()
    if high:
        return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
    return chr(int(unit or byte, 16)) if unit or byte else _SIGNS.get(sign, sign)
