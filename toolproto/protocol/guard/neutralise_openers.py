"""Where in a text could a reader of replies begin to read something?

Everything here is made from what the reader itself goes by: the landmarks of a form of reply, the
members that an object which is a call may begin with, the beginnings of Python calls, the tokens of
chat templates. A marker that is added there is found here. What is found is a little more than the
reader would take, never less: nobody knows what will stand around the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from ..decoding.calls.names import NAME_LINE, Offered
from ..decoding.families.python_calls import LEAD, LISTED, lead_of
from ..decoding.markers import Marker, marker_of
from ..decoding.markup import SLASHED
from ..decoding.reply.landmarks import LABELS, VOCABULARY, landmarks
from ..decoding.reply.thinking_tokens import Reasoning
from ..decoding.reply_form import Family, MarkedForm, ReplyForm
from ..decoding.values.state import QUOTES

__all__ = ["FormReading", "Openers"]

# What the reader takes for a quote that opens, and for one that closes.
_QUOTES = "".join(QUOTES)
_UNQUOTE = f"[{''.join(sorted(set(''.join(QUOTES.values()))))}]"
_WORD = re.compile(r"[A-Za-z]+")
_TICKS = re.compile(r"`+")
#: A word that opens a call as a label does: "call:".
_LABELLED = re.compile(r"[A-Za-z]+:")
# With these a letter of a name may be spelled so that the name is not found: escapes, entities of
# letters (not those of quotes and dashes, which every web page has), and a K in small letters.
_ESCAPES = (
    ("\\", re.compile(r"\\[uUxN0-7]")),
    ("&", re.compile(r"&(?:#(?:[xX0]|(?:4[89]|[5-9]\d|1[01]\d|12[0-2])(?!\d))|lowbar|UnderBar)")),
    ("\u212a", re.compile("\u212a")),
)
# Those of JSON can be undone at once. What an escaped backslash makes of the next is seen again.
_UNICODE = re.compile(r"\\u([0-9a-fA-F]{4})")
_NO_LETTERS = bytes(code for code in range(128) if not chr(code).isalnum())
_SMALL = bytes(range(256)).lower()
# At the beginning of a line, in a text with a line end put before it.
_LINE = r"\n[^\S\n]*+"
_LABEL = re.compile(rf"{_LINE}(?:{'|'.join(re.escape(label[:-1]) for label in LABELS)})(?=:)")
_NAMED_CALL = re.compile(rf"{_LINE}{LEAD.source}")
_NAMED_LINE = re.compile(rf"{_LINE}{NAME_LINE.source}")
_LISTED_CALL = re.compile(rf"\[(?={LISTED})")


class _Opener(NamedTuple):
    """Something that begins with *before*, behind which the break is put.

    *behind* are patterns for what has to follow. *literal* is text without which it does not stand
    anywhere.
    """

    literal: str
    before: str
    behind: Sequence[str]


# Special tokens look like this, also those of vocabularies that are not in our tables. Those in our
# tables, which are most of our markers, need no pattern of their own.
_ANY_TOKEN = _Opener("<", "<", (r"[|\uff5c](?=[\w▁/])",))
_IS_TOKEN = re.compile(r"<[|\uff5c][^\W_]")


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class FormReading:
    """What a paradigm's reader goes by.

    *form* is how it reads replies, and *others* the calls of other paradigms, whose markers are
    found whether it reads them or not.
    """

    form: ReplyForm
    reasoning: Reasoning
    others: tuple[MarkedForm, ...] = ()


class Openers:
    """Finds what could begin something for a reader.

    *offered* are the tools that replies may call; None where that is not known, and any name may
    be one.
    """

    def __init__(self, reading: FormReading, offered: Offered | None) -> None:
        self._tables = _tables(reading)
        self._offered = offered
        form = reading.form
        self._names = _ascii_names(offered) if offered else None
        self._tags = _Finder(_tool_tags(form, offered))
        self._any_list = form.bare_asked is Family.PYTHON
        self._python = offered is not None or Family.PYTHON in form.bare
        self._named = offered is not None or Family.NAMED_JSON in form.bare

    def find(self, text: str) -> list[int]:
        """The places in *text* at which a break keeps anything from beginning, in order."""
        places = {*self._tables.certain.ends(text), *self._tags.ends(text)}
        lines = f"\n{text}"
        if ":" in text and any(label in text for label in LABELS):
            places.update(found.end() - 1 for found in _LABEL.finditer(lines))
        places.update(self._calls(text, lines))
        # Whether a tool is named costs most, and few texts have anything that depends on it.
        possible = [*self._tables.possible.ends(text)]
        objects = sorted(self._tables.objects.ends(text))
        if (possible or objects) and self._may_call(text):
            places.update(possible)
            places.update(self._before_names(text, objects))
        return sorted(places)

    def _may_call(self, text: str) -> bool:
        """May anything in *text* be a call without a marker, or one of another form?

        Such a call names a tool on offer, or has the members that the form asks for.
        """
        if self._names is None:
            return True
        text = _UNICODE.sub(lambda found: chr(int(found[1], 16)), text) if "\\u" in text else text
        if any(word in text and found.search(text) for word, found in self._tables.telling):
            return True
        if any(sign in text and escape.search(text) for sign, escape in _ESCAPES):
            return True
        # A hundred times as fast as comparing names as the reader does, and no name is missed.
        folded = text.encode("ascii", "ignore").translate(_SMALL, _NO_LETTERS)
        return any(name in folded for name in self._names)

    def _before_names(self, text: str, objects: list[int]) -> list[int]:
        """Those of *objects* that may be calls: such a call names its tool behind its brace."""
        # Something that may name one stands behind the first of them up to a certain one.
        none_behind = bisect_left(objects, True, key=lambda at: not self._may_call(text[at:]))
        return objects[:none_behind]

    def _calls(self, text: str, lines: str) -> Iterator[int]:
        """Where calls that begin with their names do."""
        # One sign is looked for at ten times the speed of a pattern.
        if self._python and "(" in text:
            yield from self._python_calls(text, lines)
        if self._named and "{" in text:
            yield from self._named_lines(lines)

    def _python_calls(self, text: str, lines: str) -> Iterator[int]:
        for found in _NAMED_CALL.finditer(lines):
            if self._knows(found):
                yield found.end() - 2  # before the parenthesis
        for found in _LISTED_CALL.finditer(text) if "[" in text else ():
            if self._any_list or self._knows(found):
                yield found.end()

    def _named_lines(self, lines: str) -> Iterator[int]:
        for found in _NAMED_LINE.finditer(lines):
            if self._offered is None or self._offered.knows(found.group(1)):
                yield found.end() - 1

    def _knows(self, found: re.Match[str]) -> bool:
        """May the Python call that begins there be one of a tool on offer?"""
        if self._offered is None:
            return True
        lead = lead_of(found)
        return lead is not None and self._offered.knows(lead.name)


class _Tables(NamedTuple):
    """Patterns for the openers of a reader, whatever the tools.

    *certain* ones count wherever they stand, *possible* ones where a call may be, *objects* where
    one may be behind them. *telling* finds the words without which a call of no tool on offer is
    not taken for one.
    """

    certain: _Finder
    possible: _Finder
    objects: _Finder
    telling: tuple[tuple[str, re.Pattern[str]], ...]


@lru_cache(maxsize=256)
def _tables(reading: FormReading) -> _Tables:
    form, every = reading.form, _markers(reading)
    asked = _asked(reading)
    words = [each for each in every if _is_plain_text(each) and each.text not in asked]
    marks = [each for each in every if each not in words and not _IS_TOKEN.match(each.literal)]
    # Objects and fences are everywhere: they count only where one of them may be a call.
    keys = "|".join(sorted(form.shape.leading_keys))
    return _Tables(
        _Finder([*map(_broken, marks), _ANY_TOKEN, *_members(form)]),
        _Finder(map(_broken, words)),
        _Finder([_member(keys)]),
        _telling_words(form),
    )


def _tool_tags(form: ReplyForm, offered: Offered | None) -> list[_Opener]:
    """Elements that are called like a tool."""
    if offered is not None:
        return [_broken(marker_of(f"<{name}>")) for name in offered.names]
    return [_Opener("<", "<", (rf"{SLASHED}\w",))] if form.tool_tags else []


def _ascii_names(offered: Offered) -> tuple[bytes, ...]:
    """The names as they are found in text of which only letters and digits are left."""
    return tuple(name.encode("ascii", "ignore") for name in sorted(offered.folded))


def _markers(reading: FormReading) -> list[Marker]:
    """All that are looked for, those of other paradigms, and what vocabularies have; each once."""
    own = landmarks(reading.form, reading.reasoning).markers
    known = {marker.text for marker in own}
    texts = dict.fromkeys(text for form in reading.others for text in (form.opener, form.closer))
    others = [marker_of(text) for text in texts if text.strip("`\n") and text not in known]
    return [*own, *others, *map(marker_of, VOCABULARY)]


def _asked(reading: FormReading) -> set[str]:
    """The markers that count whatever tool they call."""
    form = reading.form
    calls = (
        mark for call in form.calls if not call.only_offered for mark in (call.opener, call.closer)
    )
    return {*calls, *form.results, *form.dropped}


def _is_plain_text(marker: Marker) -> bool:
    """Is it a word or a fence, which people write for other reasons as well?"""
    return marker.first != "<" and not marker.is_special


@lru_cache(maxsize=4096)
def _broken(marker: Marker) -> _Opener:
    """*marker* with the place of the break: behind its first character, or its first word."""
    atoms, text = marker.beginning, marker.literal
    run = _WORD.match(text) or _TICKS.match(text)
    size = run.end() if run else 1
    size = max(1, size - (size == len(text.rstrip())))  # something has to be left behind it
    same = all(atom == re.escape(char) for atom, char in zip(atoms, text[:size], strict=False))
    # Within a word it is none for a reader: "recall:0.93" in a table of figures.
    apart = r"(?<![^\W_])" if _LABELLED.fullmatch(text) else ""
    return _Opener(text[:size] if same else "", apart + "".join(atoms[:size]), atoms[size:])


def _member(names: str) -> _Opener:
    """An object whose first member is one of *names*."""
    return _Opener("{", r"\{", (rf"\s{{0,80}}+[{_QUOTES}]?+(?:{names})(?![A-Za-z_])",))


def _members(form: ReplyForm) -> Iterator[_Opener]:
    """Members that mean something wherever they stand."""
    if form.result_key:
        yield _member(re.escape(form.result_key))
    if form.shape.wrapper:  # an object that is no call may have it further behind
        for quote in _QUOTES:
            yield _Opener(quote, quote, (re.escape(form.shape.wrapper) + _UNQUOTE,))


def _telling_words(form: ReplyForm) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Members without which a call names a tool on offer: any other is not taken for one."""
    shape = form.shape
    if shape.keyed:
        return (("", re.compile("")),)  # any member may be the name
    words = sorted({shape.arguments, *shape.list_keys})
    return tuple((word, re.compile(rf"{word}\s{{0,8}}(?:{_UNQUOTE}|[:=])")) for word in words)


class _Finder:
    """Finds where the break is put in any of *openers*."""

    def __init__(self, openers: Iterable[_Opener]) -> None:
        trees: dict[tuple[str, str], dict[str, Any]] = {}
        for literal, before, behind in openers:
            branch = trees.setdefault((literal, before), {})
            for atom in behind:
                branch = branch.setdefault(atom, {})
            branch[""] = {}  # an end
        self._patterns = [
            _Pattern(_sign(literal, tree), literal, before, tree)
            for (literal, before), tree in trees.items()
        ]

    def ends(self, text: str) -> Iterator[int]:
        """The places, in no order."""
        for pattern in self._patterns:
            if pattern.sign in text and pattern.literal in text:
                yield from (found.end() for found in pattern.compiled().finditer(text))


@dataclass(slots=True)
class _Pattern:
    """Openers that begin with *before*, and go on as *behind* says.

    A pattern that begins with a *literal* is searched for at ten times the speed of others. So is
    one *sign* before a whole word.
    """

    sign: str
    literal: str
    before: str
    behind: dict[str, Any]
    made: re.Pattern[str] | None = None

    def compiled(self) -> re.Pattern[str]:
        # Not before a text has the sign: those of a paradigm take a twentieth of a second.
        if self.made is None:
            self.made = re.compile(f"{self.before}(?={_written(self.behind)})")
        return self.made


def _sign(literal: str, behind: dict[str, Any]) -> str:
    """A sign, no letter, without which nothing begins with *literal* and goes on as *behind*."""
    following = next(iter(behind)) if len(behind) == 1 else ""
    sign = following[-1:]
    certain = sign if following == re.escape(sign) else ""
    return next((each for each in f"{literal}{certain}" if not each.isalnum()), literal)


def _written(tree: dict[str, Any]) -> str:
    """The patterns of *tree*, those with the same beginning as one: each is looked at once."""
    if not tree or "" in tree:
        return ""
    branches = [atom + _written(behind) for atom, behind in tree.items()]
    return branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})"
