"""Does a marker stand here, in text of which more may come?

A marker is a tag (``<tool_code>``), a special token (``<｜tool▁sep｜>``), the beginning of a tag
(``<invoke name=``) or any other literal (``[[call ``). Tags are met in every spelling that models
give them: other case, stray spaces, attributes. Special tokens are met as endpoints show them: with
plain bars for full-width ones, with an underscore or a space for a ``▁``. Whether one may only have
begun follows from its pattern (`patterns.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, cached_property

from ..patterns import Pattern

__all__ = ["MORE", "NO", "SPELLINGS", "Marker", "MarkerSet", "end_of"]

NO = -1  # no marker here
MORE = -2  # there may be one, once more text has come

_TAG = re.compile(r"<(/?)([A-Za-z][\w:.-]*)>")
# Attributes are free text between name and ``>``; this is more than any model was seen to write.
_LONGEST_TAG = 256
#: Where this stands in a marker, a tool's name does.
_FIELD = "{name}"
_FIELD_REGEX = r"[\w.:/-]{1,128}"
#: How characters of a special token are met.
SPELLINGS = {"|": "[|｜]", "｜": "[|｜]", "_": r"(?:\\?_|▁| )", "▁": r"(?:\\?_|▁| )"}
_SAME = str.maketrans({"｜": "|", "▁": "_", " ": "_"})
_ODD_TAG = re.compile(r"<\s{0,3}([/\\]?)\s{0,3}(\S?)")
# How a tag goes on behind its bracket, and what cannot follow its name.
_SLASH = r"\s{0,3}+[/\\]?+\s{0,3}+"
_NAME_ENDS = r"(?![\w.-])"
# Letters that count as ``s``, ``k`` and ``i`` where case does not.
_OTHER_CASES = "\u017f\u212a\u0131\u0130"
_SPECIAL_TOKEN = re.compile(r"<[|｜]|[|｜]>|\[[A-Z_]{4,}\]")


class Marker:
    """One marker, to be looked for at a given place."""

    def __init__(self, text: str) -> None:
        self.text = text
        tag = _TAG.fullmatch(text.strip())
        self._closes = bool(tag and tag.group(1))
        self._name = tag.group(2).lower() if tag else ""
        self.same = _same(text)
        self.regex = self._regex()
        #: Is it a special token of some vocabulary, which nobody writes in a sentence?
        self.is_special = _SPECIAL_TOKEN.search(text) is not None
        #: Is it a tag, and no special token?
        self.is_tag = bool(self._name)
        #: The character it begins with.
        self.first = "<" if self._name else text[0]

    def _regex(self) -> str:
        if not self._name:
            return _spelled(self.text)
        # A checkpoint may have a suffix of its own: ``<tool_call:opensource>``.
        name = re.escape(self._name).replace("_", r"\\?_") + r"(?::\w{1,40})?"
        if self._closes:
            return rf"(?i:<\s{{0,3}}[/\\]\s{{0,3}}{name}\s{{0,3}}>)"
        return rf"(?i:<\s{{0,3}}{name}(?:\s[^<>]{{0,{_LONGEST_TAG}}})?>)"

    @cached_property
    def _pattern(self) -> Pattern:
        return Pattern(self.regex)

    @property
    def beginning(self) -> tuple[str, ...]:
        """Patterns that follow each other where it may begin, in any spelling.

        They match whatever :attr:`regex` does, and a little more: a tag by its name, opening or
        closing, and what a tool's name stands in by what is before that.
        """
        if self._name:
            return ("<", _SLASH, *map(_in_any_case, self._name), _NAME_ENDS)
        if not _is_token(self.text):
            return tuple(map(re.escape, self.literal))
        return tuple(SPELLINGS.get(char) or _in_any_case(char) for char in self.literal)

    @property
    def literal(self) -> str:
        """What it begins with, whatever the tool: all of it if no name stands in it."""
        return self.text.partition(_FIELD)[0]

    @property
    def length(self) -> int:
        """How much of it is the same for every tool."""
        return len(self.text) - len(_FIELD) * (_FIELD in self.text)

    def may_begin(self, pair: str) -> bool:
        """Does it begin with *pair*, two characters as all spellings have them in common?"""
        return self.same[:2] == pair or self.same == pair[:1]

    def at(self, text: str, at: int, final: bool) -> int:
        """Where the marker that begins at *at* ends, or NO, or MORE."""
        found = self._pattern.match(text, at)
        if found:
            return found.end()
        return MORE if not final and self._pattern.may_change(text, at) else NO

    def find(self, text: str) -> int:
        """Where it first stands in *text*; -1 if it does not."""
        found = self._pattern.search(text)
        return found.start() if found else -1

    def begun(self, text: str, at: int) -> bool:
        """May all the text from *at* on be the beginning of this marker?"""
        return self._pattern.may_change(text, at)


def end_of(markers: Sequence[Marker], text: str, at: int, final: bool) -> int:
    """Where one of a few *markers* ends that stands at *at*; or NO, or MORE."""
    found = [marker.at(text, at, final) for marker in markers]
    return MORE if MORE in found and max(found) < 0 else max(found, default=NO)


class MarkerSet:
    """Several markers, told apart in one look; where two stand, the longer one counts.

    Two characters rule nearly every place and nearly every marker out: markers are kept by those.
    """

    def __init__(self, markers: Sequence[Marker]) -> None:
        self._markers = markers
        firsts = "".join(sorted({m.first for m in markers}))
        #: The first character of any of them.
        self.begins = re.compile(f"[{re.escape(firsts)}]" if firsts else r"(?!)")
        self._firsts = frozenset(firsts)
        self._by_pair: dict[str, _Bucket] = {}
        self._made: dict[tuple[int, ...], _Bucket] = {}

    def at(self, text: str, at: int, final: bool) -> tuple[int, int]:
        """The number of the marker that stands at *at* and where it ends; or NO, or MORE, twice."""
        pair = text[at : at + 2]
        bucket = self._by_pair.get(pair)
        if bucket is None:
            if pair[:1] not in self._firsts:
                return NO, NO
            if len(pair) < 2:
                if not final:
                    return MORE, MORE
                pair += "\0"  # only a marker of one character can stand there
            elif pair[0] == "<" and (pair[1].isspace() or pair[1] == "\\"):
                pair = self._tag_pair(text, at)
                if not pair:
                    return (NO, NO) if final else (MORE, MORE)
            bucket = self._by_pair.get(pair) or self._bucket(pair)
        return bucket.at(text, at, final)

    def end_at(self, text: str, at: int, final: bool) -> int:
        """Where that marker ends; or NO, or MORE."""
        return self.at(text, at, final)[1]

    @staticmethod
    def _tag_pair(text: str, at: int) -> str:
        """What the tag at *at* begins with but for stray space; empty where that is to come."""
        tag = _ODD_TAG.match(text, at)
        assert tag is not None, "a bracket with space or a backslash behind it"
        slash, first = tag.groups()
        return "</" if slash and first else f"<{first}" if first else ""

    def _bucket(self, pair: str) -> _Bucket:
        same = _same(pair)
        numbers = [n for n, marker in enumerate(self._markers) if marker.may_begin(same)]
        made = self._made.get(tuple(numbers))
        if made is None:
            made = self._made[tuple(numbers)] = _Bucket(self._markers, numbers)
        if len(self._by_pair) < 4096:  # pairs of characters are the model's to choose
            self._by_pair[pair] = made
        return made


class _Bucket:
    """The markers that may begin with one pair of characters."""

    def __init__(self, markers: Sequence[Marker], numbers: Sequence[int]) -> None:
        self._by_next = _by_next(markers, numbers)
        self._by_length = sorted(numbers, key=lambda number: -markers[number].length)
        regexes = [markers[number].regex for number in self._by_length]
        whole = "|".join(f"({regex})" for regex in regexes) or r"(?!)"
        self._match = re.compile(whole).match
        self._pattern = Pattern("|".join(regexes)) if regexes else None
        # Of those that go on where another one ends, it must be known that they do not.
        self._longer = {
            number: [
                other
                for other in (markers[n] for n in numbers)
                if other.same != markers[number].same
                and other.same.startswith(markers[number].same)
            ]
            for number in numbers
        }

    def at(self, text: str, at: int, final: bool) -> tuple[int, int]:
        if self._pattern is None:
            return NO, NO
        if self._by_next:
            begun = text[at + 2 : at + 4]
            # Two letters are spelled in one way only, but for their case.
            if len(begun) == 2 and begun.isascii() and begun.isalpha() and text[at + 1] in "/|｜":
                bucket = self._by_next.get(begun.lower())
                return bucket.at(text, at, final) if bucket else (NO, NO)
        found = self._match(text, at)
        if found and found.lastindex:
            number = self._by_length[found.lastindex - 1]
            longer = self._longer[number]
            if longer and not final and any(marker.begun(text, at) for marker in longer):
                return MORE, MORE
            return number, found.end()
        return (MORE, MORE) if not final and self._pattern.may_change(text, at) else (NO, NO)


def _by_next(markers: Sequence[Marker], numbers: Sequence[int]) -> dict[str, _Bucket]:
    """The same markers by the two letters that come next, if that tells many of them apart.

    Dozens of closing tags and special tokens begin with one pair of characters.
    """
    if len(numbers) < 5 or any(len(markers[n].literal) < 4 for n in numbers):
        return {}
    nexts = {markers[n].same[2:4] for n in numbers}
    if len(nexts) < 2:
        return {}
    return {
        begun: _Bucket(markers, [n for n in numbers if markers[n].same[2:4] == begun])
        for begun in nexts
    }


@cache
def _in_any_case(char: str) -> str:
    """As ``(?i:…)`` would match it, but three times as fast: as a set."""
    if char == "_":
        return r"\\?_"
    others = (char.lower(), char.upper(), *_OTHER_CASES)
    same = {each for each in others if re.fullmatch(f"(?i:{re.escape(char)})", each)}
    return f"[{''.join(sorted(same))}]" if len(same) > 1 else re.escape(char)


def _is_token(text: str) -> bool:
    return text[0] == "<" or "▁" in text or "｜" in text or _FIELD in text


def _spelled(text: str) -> str:
    if not _is_token(text):
        return re.escape(text)
    parts = text.split(_FIELD)
    spelled = ("".join(SPELLINGS.get(char, re.escape(char)) for char in part) for part in parts)
    return f"(?i:{_FIELD_REGEX.join(spelled)})"


def _same(text: str) -> str:
    """*text* as all its spellings have in common."""
    return text.lower().replace("\\_", "_").translate(_SAME)
