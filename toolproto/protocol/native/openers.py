"""Where in a text that comes in pieces could a leaked call begin?

Asked of every piece of every answer, most of which leak nothing: one search for a few characters
has to do. What stands at such a character is looked at with the markers of all forms.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NamedTuple

from ..decoding.calls.names import Offered
from ..decoding.markers import MORE, NO, Marker
from ..decoding.reply.landmarks import Found, Landmark, Landmarks

__all__ = ["CLOSING", "FoundOpeners", "LeakOpeners", "Marks"]

_indent = re.compile(r"[ \t]*+")
# So much is looked at again with the next piece: more than any marker, and a few of them in a row.
_MOST_KEPT = 300
#: What closes a call, or what stands around one.
CLOSING = (Landmark.END_OF_CALL, Landmark.DROPPED, Landmark.LEAK)
#: Finds a marker at a place in a text, which may be all of it.
Marks = Callable[[str, int, bool], Found | int]


class FoundOpeners(NamedTuple):
    """Where openers begin; and where text begins that tells nothing before more has come.

    That is the beginning of a marker at the end of the text, or markers there that close what was
    never opened; -1 if there is neither.
    """

    openers: tuple[int, ...] = ()
    waits: int = -1


_NOTHING = FoundOpeners()


class LeakOpeners:
    """Finds what opens calls, and what stands around them, in one text.

    A code fence opens none here, and words do only where a line begins.
    """

    def __init__(self, landmarks: Landmarks, offered: Offered) -> None:
        self.at: Marks = landmarks.finder(offered)
        self._lines = landmarks.lines.at
        self._words, self._stops = _stops(landmarks)
        self._stop = self._stops.search
        self._kept, self._base = "", 0  # what is looked at again, and where it begins
        self._line_begins = True

    def seen(self, text: str) -> FoundOpeners:
        """Read on: which openers does *text* complete, and does it begin one?"""
        if not (self._kept or self._line_begins or self._stop(text)):
            self._base += len(text)
            return _NOTHING
        if self._kept and self._kept[0] in self._words:  # it counted because a line began with it
            self._line_begins = True
        text, self._kept = self._kept + text, ""
        openers, waits, is_mark, behind = list[int](), len(text), False, 0
        for at in self._places(text):
            if at < behind:
                continue
            found = self._look(text, at)
            goes_on = is_mark and not text[behind:at].strip()
            if found == MORE:
                waits = waits if goes_on else at
                break
            if isinstance(found, Found) and _opens(found):
                openers.append(self._base + at)
                waits, is_mark = len(text), False
            elif isinstance(found, Found) and found.kind in CLOSING:
                waits, is_mark, behind = waits if goes_on else at, True, found.end
        else:
            if text[behind:].strip():
                waits = len(text)
        if len(text) - waits > _MOST_KEPT:
            waits = len(text)
        self._base += waits
        self._kept = text[waits:]
        return FoundOpeners(tuple(openers), self._base if self._kept else -1)

    def begins_with_mark(self) -> bool:
        """Does what is looked at again begin with a whole marker?"""
        return bool(self._kept) and isinstance(self.at(self._kept, 0, True), Found)

    def _places(self, text: str) -> list[int]:
        """Where something may begin in *text*."""
        places: list[int] = []
        if self._line_begins:
            indent = _indent.match(text)
            places += self._line(text, indent.end() if indent else 0)
        for stop in self._stops.finditer(text):
            if stop.group()[0] == "\n":
                places += self._line(text, stop.end())
            else:
                places.append(stop.start())
        return places

    def _line(self, text: str, at: int) -> list[int]:
        self._line_begins = at == len(text)
        return [at] if at < len(text) and text[at] in self._words else []

    def _look(self, text: str, at: int) -> Found | int:
        if text[at] in "<[]":
            return self.at(text, at, False)
        found = self._lines(text, at, False)
        return self.at(text, at, False) if found == NO else found


@lru_cache(maxsize=16)
def _stops(landmarks: Landmarks) -> tuple[frozenset[str], re.Pattern[str]]:
    """What openers begin with that count only where a line begins; and what to stop at."""
    markers = [row.marker for row in landmarks.anywhere.rows if row.marker.first in "[]"]
    ways = [rf"\{first}(?=[{_seconds(markers, first)}]|\Z)" for first in "[]"]
    rows = (*landmarks.anywhere.rows, *landmarks.lines.rows)
    words = frozenset(row.marker.first for row in rows if row.call) - set("<[]`> ")
    ways.append(rf"\n[ \t]*+(?=[{re.escape(''.join(sorted(words)))}]|\Z)")
    return words, re.compile("|".join(("<", *ways)))


def _seconds(markers: Iterable[Marker], first: str) -> str:
    """The second characters of those *markers* that begin with *first*, as a set of characters."""
    return re.escape("".join(sorted({each.text[1] for each in markers if each.text[0] == first})))


def _opens(found: Found) -> bool:
    if found.kind is Landmark.CALL:
        return True
    # Tokens around calls, or of a thought that goes before one. A tag around a thought is nothing
    # that was lost: that is how many servers show thoughts.
    is_token = "|" in found.tag or "\uff5c" in found.tag
    return is_token and found.kind in (Landmark.DROPPED, Landmark.THOUGHT)
