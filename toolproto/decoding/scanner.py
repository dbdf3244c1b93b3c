"""Does a marker stand here, in text of which more may come?

A marker is a tag (``<tool_code>``), a special token (``<｜tool▁sep｜>``), the beginning of a tag
(``<invoke name=``) or any other literal (``[[call ``). Tags are met in every spelling that models
give them: other case, stray spaces, attributes. Special tokens are met as endpoints show them: with
plain bars for full-width ones, with an underscore or a space for a ``▁``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["MORE", "NO", "Marker", "MarkerSet"]

NO = -1  # no marker here
MORE = -2  # there may be one, once more text has come

_TAG = re.compile(r"<(/?)([A-Za-z][\w:.-]*)>")
# Attributes are free text between name and ``>``; this is more than any model was seen to write.
_LONGEST_TAG = 256
#: Where this stands in a marker, a tool's name does.
_FIELD = "{name}"
_FIELD_REGEX = r"[\w.:/-]{1,128}"
_SPELLINGS = {"|": "[|｜]", "｜": "[|｜]", "_": r"(?:\\?_|▁| )", "▁": r"(?:\\?_|▁| )"}
_SAME = str.maketrans({"｜": "|", "▁": "_", " ": "_"})


class Marker:
    """One marker, to be looked for at a given place."""

    def __init__(self, text: str) -> None:
        self.text = text
        tag = _TAG.fullmatch(text.strip())
        self._closes = bool(tag and tag.group(1))
        self._name = tag.group(2).lower() if tag else ""
        self._same = _same(text)
        self.regex = self._regex()
        pattern = re.compile(self.regex)
        self._match, self._search = pattern.match, pattern.search

    def _regex(self) -> str:
        if not self._name:
            return _spelled(self.text)
        # A checkpoint may have a suffix of its own: ``<tool_call:opensource>``.
        name = re.escape(self._name).replace("_", r"\\?_") + r"(?::\w{1,40})?"
        if self._closes:
            return rf"(?i:<\s{{0,3}}[/\\]\s{{0,3}}{name}\s{{0,3}}>)"
        return rf"(?i:<\s{{0,3}}{name}(?:\s[^<>]{{0,{_LONGEST_TAG}}})?>)"

    @property
    def first(self) -> str:
        """The character it begins with."""
        return "<" if self._name else self.text[0]

    @property
    def literal(self) -> str:
        """What it begins with, whatever the tool: all of it if no name stands in it."""
        return self.text.partition(_FIELD)[0]

    @property
    def length(self) -> int:
        """How much of it is the same for every tool."""
        return len(self.text) - len(_FIELD) * (_FIELD in self.text)

    def continues(self, other: Marker) -> bool:
        """Does it begin like *other*, and go on?"""
        return self.text != other.text and self._same.startswith(other._same)

    def at(self, text: str, at: int, final: bool) -> int:
        """Where the marker that begins at *at* ends, or NO, or MORE."""
        found = self._match(text, at)
        if found:
            return found.end()
        return MORE if not final and self.begun(text, at) else NO

    def find(self, text: str) -> int:
        """Where it first stands in *text*; -1 if it does not."""
        found = self._search(text)
        return found.start() if found else -1

    def begun(self, text: str, at: int) -> bool:
        """Is all the text from *at* on the beginning of this marker?"""
        if len(text) - at > _LONGEST_TAG:
            return False
        tail = text[at:]
        return self._tag_begun(tail) if self._name else self._literal_begun(tail)

    def _literal_begun(self, tail: str) -> bool:
        if not _is_token(self.text):
            return self.text.startswith(tail)
        tail = _same(tail[:1] + tail[1:].removesuffix("\\"))
        head, field, rest = self._same.partition(_FIELD)
        if len(tail) <= len(head) or not field:
            return self._same.startswith(tail)
        after = tail[len(head) :].lstrip(_NAME_CHARACTERS)
        return tail.startswith(head) and rest.startswith(after)

    def _tag_begun(self, tail: str) -> bool:
        rest = tail[1:].lstrip()
        if tail[:1] != "<" or len(tail) - len(rest) > 4:
            return False
        if self._closes and rest:
            if rest[0] not in "/\\":
                return False
            rest = rest[1:].lstrip()
        rest = rest.replace("\\_", "_").removesuffix("\\")
        name, after = rest[: len(self._name)].lower(), rest[len(self._name) :]
        if not after:
            return self._name.startswith(name)
        begun = after[0].isspace() or after[0] == ":"
        return name == self._name and begun and not set(after) & {"<", ">"}


class MarkerSet:
    """Several markers, told apart in one look; where two stand, the longer one counts."""

    def __init__(self, markers: Sequence[Marker]) -> None:
        self._markers = markers
        by_length = sorted(range(len(markers)), key=lambda number: -markers[number].length)
        self._numbers = by_length
        regexes = (f"({markers[number].regex})" for number in by_length)
        self._match = re.compile("|".join(regexes) or r"(?!)").match
        # Two characters rule nearly every place out, whatever comes later.
        self._beginnings = {_same(m.text)[:2] for m in markers}
        firsts = "".join(sorted({m.first for m in markers}))
        #: The first character of any of them.
        self.begins = re.compile(f"[{re.escape(firsts)}]" if firsts else r"(?!)")
        self._longer = {
            m.text: [
                o for o in markers if o.text != m.text and _same(o.text).startswith(_same(m.text))
            ]
            for m in markers
        }

    def at(self, text: str, at: int, final: bool) -> tuple[int, int]:
        """The number of the marker that stands at *at* and where it ends; or NO, or MORE, twice."""
        found = self._match(text, at)
        if found and found.lastindex:
            number, end = self._numbers[found.lastindex - 1], found.end()
            longer = not final and self._longer_begun(number, text, at)
            return (MORE, MORE) if longer else (number, end)
        if final or self._is_ruled_out(text[at : at + 2]):
            return NO, NO
        return (MORE, MORE) if any(m.begun(text, at) for m in self._markers) else (NO, NO)

    def _longer_begun(self, number: int, text: str, at: int) -> bool:
        """May the marker found turn out to be only the beginning of another?"""
        own = self._markers[number]
        return any(marker.begun(text, at) for marker in self._longer.get(own.text, ()))

    def _is_ruled_out(self, pair: str) -> bool:
        """Can no marker begin with *pair*, as far as it goes?"""
        if len(pair) < 2 or (pair[0] == "<" and (pair[1].isspace() or pair[1] == "\\")):
            return False
        return _same(pair) not in self._beginnings


_NAME_CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789_.:/-"


def _is_token(text: str) -> bool:
    return text[0] == "<" or "▁" in text or "｜" in text or _FIELD in text


def _spelled(text: str) -> str:
    if not _is_token(text):
        return re.escape(text)
    parts = text.split(_FIELD)
    spelled = ("".join(_SPELLINGS.get(char, re.escape(char)) for char in part) for part in parts)
    return f"(?i:{_FIELD_REGEX.join(spelled)})"


def _same(text: str) -> str:
    """*text* as all its spellings have in common."""
    return text.lower().replace("\\_", "_").translate(_SAME)
