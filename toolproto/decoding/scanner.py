"""Does a marker stand here, in text of which more may come?

A marker is a literal (``[[call ``) or a tag (``<tool_code>``). Tags are met in every spelling that
models give them: other case, stray spaces, attributes.
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


class Marker:
    """One marker, to be looked for at a given place."""

    def __init__(self, text: str) -> None:
        self.text = text
        tag = _TAG.fullmatch(text.strip())
        self._closes = bool(tag and tag.group(1))
        self._name = tag.group(2).lower() if tag else ""
        self.regex = self._regex()
        pattern = re.compile(self.regex)
        self._match, self._search = pattern.match, pattern.search

    def _regex(self) -> str:
        if not self._name:
            return re.escape(self.text)
        name = re.escape(self._name)
        if self._closes:
            return rf"(?i:<\s{{0,3}}[/\\]\s{{0,3}}{name}\s{{0,3}}>)"
        return rf"(?i:<\s{{0,3}}{name}(?:\s[^<>]{{0,{_LONGEST_TAG}}})?>)"

    @property
    def first(self) -> str:
        """The character it begins with."""
        return "<" if self._name else self.text[0]

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
        return self._tag_begun(tail) if self._name else self.text.startswith(tail)

    def _tag_begun(self, tail: str) -> bool:
        rest = tail[1:].lstrip()
        if tail[:1] != "<" or len(tail) - len(rest) > 4:
            return False
        if self._closes and rest:
            if rest[0] not in "/\\":
                return False
            rest = rest[1:].lstrip()
        name, after = rest[: len(self._name)].lower(), rest[len(self._name) :]
        if not after:
            return self._name.startswith(name)
        return name == self._name and after[0].isspace() and not set(after) & {"<", ">"}


class MarkerSet:
    """Several markers, told apart in one look."""

    def __init__(self, markers: Sequence[Marker]) -> None:
        self._markers = markers
        self._match = re.compile("|".join(f"({m.regex})" for m in markers) or r"(?!)").match
        # Two characters rule nearly every place out, whatever comes later.
        self._beginnings = {m.text.lower()[:2] for m in markers} | {"<\\"}
        self.firsts = "".join(sorted({m.first for m in markers}))

    def at(self, text: str, at: int, final: bool) -> tuple[int, int]:
        """The number of the marker that stands at *at* and where it ends; or NO, or MORE, twice."""
        found = self._match(text, at)
        if found and found.lastindex:
            return found.lastindex - 1, found.end()
        if final or self._is_ruled_out(text[at : at + 2]):
            return NO, NO
        return (MORE, MORE) if any(m.begun(text, at) for m in self._markers) else (NO, NO)

    def _is_ruled_out(self, pair: str) -> bool:
        """Can no marker begin with *pair*, as far as it goes?"""
        if len(pair) < 2 or (pair[0] == "<" and pair[1].isspace()):
            return False
        return pair.lower() not in self._beginnings
