"""Texts in which words can be found again, however many texts and however many words.

A text is searched as it is for as long as few ask. One that is asked about often is indexed once:
its blocks of 16 characters, none overlapping, and its words. Any longer run of characters holds a
whole block of its text, so 16 look-ups find it; a shorter one is found by its rarest word. So the
work grows with the length of the texts and of what is looked for, and not with their product.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from unicodedata import is_normalized

from ..foreign_text import as_seen, decoded

__all__ = ["Found", "Passages"]

#: As many searches cost about as much as the index does.
_SEARCHES = 32
_BLOCK = 16
_MOST_KNOWN = 64
_LONGEST_KNOWN = 4_000
#: Characters that are remembered, and with the index some ten times as many bytes.
_MOST = 2_000_000
#: How often one block is noted. What is made of such blocks alone is searched for.
_COMMON = 8
_AROUND = 40
#: Places of its longest word at which something is looked for before the whole text is loosened,
#: and how many characters may stand for one: ``&quot;``.
_PLACES = 8
_LONGEST_SPELLING = 6
_LONGEST_QUOTE = 160

_WORD = re.compile(r"\w+")
#: What may be a part of a word, in another spelling: ``&#97;``, ``%61``, ``\x61``, ``a\_b``. After
#: small letters have been made.
_CODE = re.compile(
    r"\\(?:[ux][0-9a-f]|\r?\n|(?<=\w\\)[^\Wnrtbf])|&(?:#|[a-z]{2,25};)|%[0-7c-f][0-9a-f]"
)
_MORE_OF_A_NUMBER = re.compile(r"[.,]\d")
_NUMBER_BEFORE = re.compile(r"\d[.,]\Z")
_MORE_OF_A_DATE = re.compile(r"[:/]\d|-\w")
_DATE_BEFORE = re.compile(r"\d[:/]\Z|\w-\Z")
_MORE_OF_AN_ADDRESS = re.compile(r"[.-]\w")
_ADDRESS_BEFORE = re.compile(r"\w[.+-]\Z")


@dataclass(frozen=True, slots=True)
class Found:
    """Where words stand: in whose text, and how it reads there, on one line."""

    source: str
    quote: str


class _Passage:
    """One text: as it was written, and as it is compared, in small letters, once it is."""

    __slots__ = ("_exact", "_has_codes", "_is_loose", "_lowered", "_shown", "searches", "source")

    def __init__(self, source: str, text: str, exact: bool = False) -> None:
        self.source = source
        self._exact = exact
        self.searches = 0
        self._is_loose = False
        self._shown = text
        self._lowered: str | None = None
        self._has_codes = False

    def __len__(self) -> int:
        return len(self._shown)

    @property
    def _text(self) -> str:
        if self._lowered is None:
            self._shown = as_seen(self._shown)
            self._lowered = self._shown.lower()
            self._has_codes = _has_codes(self._lowered)
        return self._lowered

    @property
    def loose(self) -> str:
        """Its words, with one blank between two and nothing escaped."""
        if not self._is_loose:
            self._is_loose = True
            self._shown = _loosened(as_seen(self._shown))
            self._lowered = self._shown.lower()
        return self._text

    def find(self, wanted: str) -> int:
        """Where *wanted* stands, with white space as it is or not; -1 if it does not."""
        self.searches += 1
        text = self._text
        if wanted.isalnum() and not self._has_codes:  # there is only one way to write it
            return self._at_words(text, wanted)
        words = _loosened(wanted).lower()
        if self._is_loose:
            return self._at_words(text, words)
        if not self._may_hold(wanted, words):
            return -1
        at = self._at_words(text, wanted)
        return at if at >= 0 else self._at_words(self.loose, words)

    def _may_hold(self, wanted: str, words: str) -> bool:
        """Whether *wanted* may stand in the text, or *words*, the same loosened, in it loosened.

        Its longest word is looked for, and then only around that: going through all of the text
        for what is long takes longer, and loosening it takes longest.
        """
        text, by_length = self._text, sorted(_WORD.findall(words), key=len)
        if not by_length or self._has_codes:
            return True
        word, other = by_length[-1], by_length[-2:][0]
        around = _LONGEST_SPELLING * len(wanted)
        at = -1
        for _ in range(_PLACES):
            at = text.find(word, at + 1)
            if at < 0:
                return False
            near = text[max(0, at - around) : at + around]
            # As it is, too: where one begins in a row of backslashes changes what they escape.
            if other in near and (wanted in near or words in _loosened(near)):
                return True
        return True

    def look_up(self, wanted: str) -> int:
        """Where *wanted* stands in the loose text; -1 if it does not."""
        return self._at_words(self.loose, wanted)

    def stands_at(self, wanted: str, at: int) -> bool:
        """Whether *wanted* stands at *at* of the loose text."""
        text = self._text
        return at >= 0 and text.startswith(wanted, at) and _is_apart(text, wanted, at, self._exact)

    def _at_words(self, text: str, wanted: str) -> int:
        """Where *wanted* stands in *text* and is not part of a longer word or number; or -1."""
        at = text.find(wanted) if wanted else -1
        while at >= 0 and not _is_apart(text, wanted, at, self._exact):
            # Wherever else it begins in this word, it is part of it.
            word = _WORD.match(text, at)
            at = text.find(wanted, word.end() if word else at + 1)
        return at

    def found(self, at: int, size: int) -> Found:
        """The *size* characters at *at*, with what stands around them."""
        # Some letters have small ones of another length; then the small ones are shown.
        text = self._shown if len(self._shown) == len(self._text) else self._text
        size = min(size, _LONGEST_QUOTE - 2 * _AROUND)
        start, end = max(0, at - _AROUND), min(len(text), at + size + _AROUND)
        quote = " ".join(text[start:end].split())
        before, behind = "…" if start else "", "…" if end < len(text) else ""
        return Found(self.source, f"{before}{quote}{behind}")


class Passages:
    """Texts by their sources, in which :meth:`find` finds words again.

    The oldest are forgotten when they become too many; :attr:`has_forgotten` says so. In *exact*
    ones, a part of a date, a measure or an address is not found.
    """

    def __init__(self, *, exact: bool = False) -> None:
        self._exact = exact
        self.has_forgotten = False
        self._fresh: list[_Passage] = []
        self._indexed: list[_Passage] = []
        self._blocks: dict[int, list[tuple[_Passage, int]]] = {}
        self._words: dict[str, list[_Passage]] = {}
        self._size = 0
        # What was looked for: a value is looked for as part of a call, and by itself.
        self._known: dict[str, Found | None] = {}

    def __bool__(self) -> bool:
        return self.has_forgotten or bool(self._fresh) or bool(self._indexed)

    def add(self, source: str, text: str) -> None:
        """Remember *text*, which is from *source*."""
        self._known.clear()
        self._fresh.append(_Passage(source, text, self._exact))
        self._size += len(text)
        if self._size > _MOST:
            self._forget()

    @property
    def latest(self) -> str:
        """Whose text was added last."""
        every = self._fresh or self._indexed
        return every[-1].source if every else ""

    def find(self, words: str) -> Found | None:
        """Where *words* stand: whole words, in letters of any size, with any white space."""
        if len(words) > _LONGEST_KNOWN:
            return self._find(words)
        if words not in self._known:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[words] = self._find(words)
        return self._known[words]

    def _find(self, words: str) -> Found | None:
        wanted = as_seen(words).strip().lower()
        if not wanted:
            return None
        for passage in self._fresh:
            if (at := passage.find(wanted)) >= 0:
                return passage.found(at, len(wanted))
        if any(passage.searches > _SEARCHES for passage in self._fresh):
            self._index()
        return self._looked_up(_loosened(wanted).lower()) if self._indexed else None

    def _looked_up(self, wanted: str) -> Found | None:
        for passage, at in self._candidates(wanted):
            if at is None:
                at = passage.look_up(wanted)
            if passage.stands_at(wanted, at):
                return passage.found(at, len(wanted))
        return None

    def _candidates(self, wanted: str) -> Iterator[tuple[_Passage, int | None]]:
        """Where *wanted* may stand; None for a passage that must be searched."""
        if len(wanted) < 2 * _BLOCK - 1:
            lists = [self._words.get(word, []) for word in set(_WORD.findall(wanted))]
            rarest = min(lists, key=len) if lists else self._indexed
            yield from ((passage, None) for passage in rarest)
            return
        common = 0
        for offset in range(_BLOCK):
            places = self._blocks.get(hash(wanted[offset : offset + _BLOCK]), ())
            common += len(places) >= _COMMON
            yield from ((passage, at - offset) for passage, at in places)
        if common:
            yield from ((passage, None) for passage in self._indexed)

    def _index(self) -> None:
        """Index what was searched often."""
        often = [each for each in self._fresh if each.searches > _SEARCHES]
        self._fresh = [each for each in self._fresh if each.searches <= _SEARCHES]
        for passage in often:
            text = passage.loose
            for at in range(0, len(text), _BLOCK):
                places = self._blocks.setdefault(hash(text[at : at + _BLOCK]), [])
                if len(places) < _COMMON:
                    places.append((passage, at))
            for word in set(_WORD.findall(text)):
                self._words.setdefault(word, []).append(passage)
        self._indexed += often

    def _forget(self) -> None:
        """Keep the newer half, as if nothing had been looked for yet."""
        self.has_forgotten = True
        kept: list[_Passage] = []
        size = 0
        for passage in reversed([*self._indexed, *self._fresh]):
            size += len(passage)
            if size > _MOST // 2 and kept:
                break
            passage.searches = 0
            kept.append(passage)
        self._fresh, self._indexed = kept[::-1], []
        self._blocks, self._words = {}, {}
        self._size = sum(map(len, kept))


def _has_codes(text: str) -> bool:
    """Whether words of *text*, in small letters, may be spelled otherwise than with letters."""
    if not text.isascii() and not is_normalized("NFKC", text):
        return True
    return any(sign in text for sign in "\\&%") and _CODE.search(text) is not None


def _loosened(text: str) -> str:
    """*text* as it is meant, with one blank for all white space between words."""
    return " ".join(decoded(text).split())


def _is_apart(text: str, wanted: str, at: int, exact: bool) -> bool:
    end = at + len(wanted)
    if exact and _is_part(text, wanted, at, end):
        return False
    if _is_word(wanted[0]) and at and _is_word(text[at - 1]):
        return False
    if end < len(text) and _is_word(wanted[-1]) and _is_word(text[end]):
        return False
    # 10.5 is neither 10 nor 5; but a full stop with nothing behind it ends a sentence.
    if wanted[-1].isdigit() and _MORE_OF_A_NUMBER.match(text, end):
        return False
    return not (wanted[0].isdigit() and _NUMBER_BEFORE.search(text[max(at - 2, 0) : at]))


def _is_part(text: str, wanted: str, at: int, end: int) -> bool:
    """Whether it is part of a date, a measure or an address: 12:00 names no file 12."""
    if wanted[0].isdigit() and _DATE_BEFORE.search(text[max(at - 2, 0) : at]):
        return True
    if wanted[-1].isdigit() and _MORE_OF_A_DATE.match(text, end):
        return True
    return "@" in wanted and bool(
        _ADDRESS_BEFORE.search(text[max(at - 2, 0) : at]) or _MORE_OF_AN_ADDRESS.match(text, end)
    )


def _is_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"
