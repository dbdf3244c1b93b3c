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
from functools import cache, cached_property, lru_cache

from .markup import GAP, SLASH, SLASHED
from .patterns import Pattern

NO = -1  # no marker here
MORE = -2  # there may be one, once more text has come
_NO, _MORE = (NO, NO), (MORE, MORE)

_TAG = re.compile(r"<(/?)([A-Za-z][\w:.-]*)>")
# Attributes are free text between name and ``>``; this is more than any model was seen to write.
_LONGEST_TAG = 256
#: Where this stands in a marker, a tool's name does.
_FIELD = "{name}"
_FIELD_REGEX = r"[\w.:/-]{1,128}"
#: How characters of a special token are met.
SPELLINGS = {"|": "[|｜]", "｜": "[|｜]", "_": r"(?:\\?_|▁| )", "▁": r"(?:\\?_|▁| )", "\0": " ?"}
# Some tokenizers show a special token with a space behind it.
_TOKEN_THEN_WORD = re.compile(r"(?<=[|｜]>)(?=\w)")
# Letters that count as ``s``, ``k`` and ``i`` where case does not.
_OTHER_CASES = "\u017f\u212a\u0131\u0130"
_SAME = str.maketrans("｜▁ " + _OTHER_CASES, "|__skii")
_TAG_BEGINS = re.compile(rf"<{GAP}({SLASH}?){GAP}")
# So many characters rule nearly every marker out, in nearly every place.
_HEAD = 8
_LONGEST_HEAD = 24  # with stray spaces and backslashes
# What cannot follow the name of a tag.
_NAME_ENDS = r"(?![\w.-])"
_SPECIAL_TOKEN = re.compile(r"</?\w{0,12}[|｜]|[|｜]>|\[[A-Z_]{4,}\]|<(?:start|end)_function_call>")


class Marker:
    """One marker, to be looked for at a given place."""

    def __init__(self, text: str) -> None:
        self.text = text
        tag = _TAG.fullmatch(text.strip())
        self._closes = bool(tag and tag.group(1))
        self._name = tag.group(2).lower() if tag else ""
        #: What it begins with, whatever the tool, as all spellings have it in common.
        self.same = _same(self.literal)
        self.head = (self.same.removesuffix(">") if tag else self.same)[:_HEAD]
        self.regex = self._regex()
        #: Is it a special token of some vocabulary, which nobody writes in a sentence?
        self.is_special = _SPECIAL_TOKEN.search(text) is not None
        #: Is it a tag or a special token, with no tool's name in it?
        self.is_whole = _FIELD not in text and (bool(self._name) or self.is_special)
        #: The character it begins with.
        self.first = "<" if self._name else text[0]

    def _regex(self) -> str:
        if not self._name:
            return _spelled(self.text)
        # A checkpoint may have a suffix of its own: ``<tool_call:opensource>``.
        name = re.escape(self._name).replace("_", r"\\?_") + r"(?::\w{1,40})?"
        if self._closes:
            return rf"(?i:<{GAP}{SLASH}{GAP}{name}{GAP}>)"
        # ``<think />`` opens nothing.
        return rf"(?i:<{GAP}{name}(?:\s(?!\s{{0,3}}/>)[^<>]{{0,{_LONGEST_TAG}}})?>)"

    @cached_property
    def _pattern(self) -> Pattern:
        return _any_of((self.regex,))

    @cached_property
    def beginning(self) -> tuple[str, ...]:
        """Patterns that follow each other where it may begin, in any spelling.

        They match whatever :attr:`regex` does, and a little more: a tag by its name, opening or
        closing, and what a tool's name stands in by what is before that.
        """
        if self._name:
            return ("<", SLASHED, *map(in_any_case, self._name), _NAME_ENDS)
        if not _is_token(self.text):
            return tuple(map(re.escape, self.literal))
        words = _TOKEN_THEN_WORD.sub("\0", self.literal)
        return tuple(SPELLINGS.get(char) or in_any_case(char) for char in words)

    @property
    def literal(self) -> str:
        """What it begins with, whatever the tool: all of it if no name stands in it."""
        return self.text.partition(_FIELD)[0]

    @property
    def length(self) -> int:
        """How much of it is the same for every tool."""
        return len(self.text) - len(_FIELD) * (_FIELD in self.text)

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


@lru_cache(maxsize=4096)  # forms share most of theirs
def marker_of(text: str) -> Marker:
    """The marker that *text* is."""
    return Marker(text)


def end_of(markers: Sequence[Marker], text: str, at: int, final: bool) -> int:
    """Where one of a few *markers* ends that stands at *at*; or NO, or MORE."""
    if not (any_of := _any_of(tuple([marker.regex for marker in markers]))).match(text, at):
        return MORE if not final and any_of.may_change(text, at) else NO
    found = [marker.at(text, at, final) for marker in markers]
    return MORE if MORE in found and max(found) < 0 else max(found, default=NO)


@lru_cache(maxsize=2048)  # forms share most of their markers, and a pattern takes milliseconds
def _any_of(regexes: tuple[str, ...]) -> Pattern:
    return Pattern(*_either(regexes))


class MarkerSet:
    """Several markers, told apart in one look; where two stand, the longer one counts.

    What may stand behind the first characters of a place is found out once, and kept by those.
    """

    def __init__(self, markers: Sequence[Marker]) -> None:
        self._markers = markers
        firsts = "".join(sorted({m.first for m in markers}))
        #: The first character of any of them.
        self.begins = re.compile(f"[{re.escape(firsts)}]" if firsts else r"(?!)")
        self._firsts = frozenset(firsts)
        self._heads = {marker.head for marker in markers}
        cut = {(head[:end], head[end]) for head in self._heads for end in range(1, len(head))}
        # Before an underscore there may be a backslash.
        self._begun = {begun + end for begun, then in cut for end in ("", "\\"[: then == "_"])}
        self._by_text: dict[str, _Bucket] = {}
        self._made: dict[tuple[str, bool], _Bucket] = {}

    def at(self, text: str, at: int, final: bool) -> tuple[int, int]:
        """The number of the marker that stands at *at* and where it ends; or NO, or MORE, twice."""
        head = text[at : at + _HEAD]
        bucket = self._by_text.get(head)
        if bucket is None:
            if head[:1] not in self._firsts:
                return _NO
            if len(head) == 1 and not final:
                return _MORE
            # As the last character only a marker of one character can stand.
            same = f"{_same(head)}\0" if len(head) == 1 else _head(text[at : at + _LONGEST_HEAD])
            bucket = self._bucket(same)
            if len(self._by_text) < 4096 and _tells_all(head, same):
                self._by_text[head] = bucket  # characters are the model's to choose
        if bucket.more and not final:
            return _MORE
        if not bucket.numbers:  # as behind most brackets
            return _NO
        found = bucket.match(text, at)
        if found is None:
            return _MORE if not final and bucket.pattern.may_change(text, at) else _NO
        which = (found.lastindex or 0) - 1
        longer = bucket.longer[which]
        if longer and not final and any(marker.begun(text, at) for marker in longer):
            return _MORE
        return bucket.numbers[which], found.end()

    def _bucket(self, same: str) -> _Bucket:
        """The markers that may begin with *same*, as all spellings have it in common.

        Only those whose head is all there: a few, of which a pattern is soon made.
        """
        more = same in self._begun
        ends = range(_HEAD, 0, -1)
        head = next((same[:end] for end in ends if same[:end] in self._heads), "")
        made = self._made.get((head, more))
        if made is None:
            heads = (marker.head for marker in self._markers)
            numbers = [number for number, each in enumerate(heads) if head.startswith(each)]
            made = self._made[head, more] = _Bucket(self._markers, numbers, more=more)
        return made


class _Bucket:
    """The markers that may begin with the same few characters."""

    __slots__ = ("longer", "match", "more", "numbers", "pattern")

    def __init__(self, markers: Sequence[Marker], numbers: Sequence[int], *, more: bool) -> None:
        #: Do others begin so, with more of their head to come?
        self.more = more
        #: The longest first, as in the groups of what is matched.
        self.numbers = sorted(numbers, key=lambda number: -markers[number].length)
        here = [markers[number] for number in self.numbers]
        regexes = [marker.regex for marker in here]
        self.match = re.compile(*_either(regexes, "()")).match
        self.pattern = _any_of(tuple(regexes))
        #: Of those that go on where another one ends, it must be known that they do not.
        self.longer = [
            [each for each in here if each.length > one.length and each.same.startswith(one.same)]
            for one in here
        ]


def _either(regexes: Sequence[str], behind: str = "") -> tuple[str, int]:
    """A pattern of one of *regexes* with *behind* it, and its flags.

    Where case counts in none of them, what they all begin with is looked at only once.
    """
    if not regexes or not all(regex.startswith("(?i:") for regex in regexes):
        return "|".join(f"{regex}{behind}" for regex in regexes) or "(?!)", 0
    return "|".join(f"{regex[4:-1]}{behind}" for regex in regexes), re.IGNORECASE


@cache
def in_any_case(char: str) -> str:
    """As ``(?i:…)`` would match it, but three times as fast: as a set."""
    if char == "_":
        return r"\\?_"
    lower, upper = char.lower(), char.upper()
    same = {each for each in _OTHER_CASES if each.lower()[0] == lower or each.upper() == upper}
    same |= {each for each in (lower, upper) if len(each) == 1}
    return f"[{''.join(sorted(same))}]" if len(same) > 1 else re.escape(char)


def _is_token(text: str) -> bool:
    return text[0] == "<" or "▁" in text or "｜" in text or _FIELD in text


def _spelled(text: str) -> str:
    if not _is_token(text):
        return re.escape(text)
    parts = _TOKEN_THEN_WORD.sub("\0", text).split(_FIELD)
    spelled = ("".join(SPELLINGS.get(char, re.escape(char)) for char in part) for part in parts)
    return f"(?i:{_FIELD_REGEX.join(spelled)})"


def _head(text: str) -> str:
    """The beginning of a marker, if *text* is that, as all spellings have it in common."""
    tag = _TAG_BEGINS.match(text)
    if tag:
        text = f"<{'/' if tag[1] else ''}{text[tag.end() :]}"
    return _same(text)


def _tells_all(head: str, same: str) -> bool:
    """Do all texts with this *head* have the same marker? *same* is this one without spellings.

    Not if more of a marker's own head comes behind stray space, or a backslash that is left out.
    """
    if len(head) < _HEAD:  # there the text ends
        return len(head) > 1
    alike = _same(head)
    return len(alike) == _HEAD and same.startswith(alike) and head[-1] != "\\"


def _same(text: str) -> str:
    """*text* as all its spellings have in common."""
    return text.translate(_SAME).lower().replace("\\_", "_")
