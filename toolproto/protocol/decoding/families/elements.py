"""An element of a call: what its tag says, and where the text in it ends.

``<parameter=city>``, ``<parameter name="city" string="true">``, ``<｜DSML｜invoke name="f">``,
``<steptml:parameter name="x">``, ``<|open|>call tool="f"<|sep|>``, ``]<]minimax[>[</city>`` and
``<|tool_arg:start|>x<|tool_arg:value|>`` are all tags: a word, perhaps a value, or attributes.

The text of an element ends with the tag that closes it. But files are full of tags, so it may have
some in it that are text; and that tag may be missing, misspelt or half written. Then the next
argument, or what closes the call, shows that it should have come.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from html import escape, unescape
from typing import NamedTuple, Protocol

from ...messages import Grade, Repair
from ..calls.pulled import MISSING_CLOSER
from ..calls.record import TextSink
from ..hot_string import StreamedString
from ..markers import MORE, NO
from ..markup import ARGUMENTS, GAP, PREFIX, SLASH, TOKEN, pattern_of
from ..markup import CALLS as CALL_WORDS
from ..markup import NOISE as NOISE_BEGINS
from ..patterns import LazyPattern, Pattern, text_before
from ..source import Pull, Source
from .tag_values import NOISE, SIGN, Entities

# -- its tags -----------------------------------------------------------------------------

# A name with all that may belong to it; which part of it is the word is seen when it is whole.
_NAME = r"[A-Za-z_][\w.:|\\-]{0,119}+"
_WORD = re.compile(r"(?:[A-Za-z]{1,12}[:|])?([A-Za-z_](?:[\w.-]|\\_){0,63})(?::\w{1,40})?")
_PARTS = re.compile("[:|]")
# Special tokens leak into attributes.
_LEAK = r"<[|｜]\w{1,40}+[|｜]>"
# A whole file may stand in one, if no bracket does: then the tag need not be matched as it comes.
_QUOTED = rf"\"(?:[^\"<>]{{0,32000}}+|(?:[^\"<>]|{_LEAK}){{0,2000}}+)\""
_VALUE = "|".join((_QUOTED, _QUOTED.replace('"', "'"), r"[^\s\"'<>/]{1,200}+"))
LEAKS = re.compile(_LEAK)
_ATTRIBUTE = re.compile(
    r"\s*([\w-]{1,40})\s{0,3}=\s{0,3}(\"[^\"]*+\"|'[^']*+'|[^\s\"'<>/]{1,200}+)"
)
_ATTRIBUTES = rf"(?:\s{{1,80}}+[\w-]{{1,40}}+\s{{0,3}}+=\s{{0,3}}+(?:{_VALUE})){{0,8}}"
#: A tag; :func:`tag_at` tells what it says.
#: ``<parameter=city>``, ``</ City >``, ``<｜DSML｜invoke name="f">``, ``<a b="c"/>``,
#: ``<|open|>call tool="f"<|sep|>``, ``<|tool_arg:start|>x<|tool_arg:value|>``, ``<function f>``.
TAG = Pattern(
    rf"{NOISE}<{GAP}({SLASH}?){GAP}{TOKEN}({_NAME})"
    rf"(?:\s{{0,3}}=\s{{0,3}}[\"']?([^\"'<>\n]{{1,128}})[\"']?)?({_ATTRIBUTES})\s{{0,3}}(/?)>"
    rf"|<[|｜](open|close)[|｜]>({_NAME})({_ATTRIBUTES.replace(_LEAK, f'{_LEAK}|<(?![|｜])')})"
    r"<[|｜]sep[|｜]>"
    r"|<[|｜]tool_arg:(?:start[|｜]>([^<>\n]{1,128})<[|｜]tool_arg:value|(end))[|｜]>"
    # Step 3.5 forgets the sign before a name, or the bracket behind it, or says what it is twice.
    r"|<(function|parameter)(?:\s{0,3}=|[ \t])\s{0,3}([\w.:/=-]{1,128}+)"
    r"[ \t]{0,3}(?:>|(?=\n[^\s>]|<))"
)
# ``<param name=…>`` without its space, or with the letter that stands for one in a vocabulary.
_COLLAPSED = re.compile(r"(?i:(function|invoke|param|parameter|arg|argument)Ġ?name)")
_LONG = 120  # characters of a tag that must have a value of some length in it
_LONGER = 2400  # room for the longest one with a bracket in it
_LONGEST = 36_000  # and without
# A closing tag without its end, before another tag.
_HALF_CLOSER = Pattern(rf"(?:\r\n|\n|\r)?{NOISE}<{GAP}{SLASH}{GAP}{TOKEN}({_NAME})\s{{0,80}}+(?=<)")

#: What the element of a call is called, and what is around all arguments, or all calls.
CALLS = frozenset({"function", "invoke", "call", "function_call", "tool_call", "tool", "tool_use"})
AROUND = frozenset({"arguments", "parameters", "args", "params", "input", "args_json", "json"})
AROUND |= {"function_calls", "tool_calls", "calls", "functions"}


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag: its *word*, the *value* behind ``=``, and how long it is."""

    word: str
    closes: bool
    value: str
    attributes: Mapping[str, str]
    length: int
    empty: bool = False  # <param name="k" value="v"/>
    names: tuple[str, ...] = ()  # the parts of what stands there: a prefix, the word, a suffix
    broken: bool = False

    def attribute(self, *names: str) -> str:
        """The first of the attributes *names* that it has."""
        return next((self.attributes[name] for name in names if self.attributes.get(name)), "")

    def closes_any(self, *words: str) -> bool:
        """Does it close an element that is called like one of *words*?"""
        return self.closes and any(word.lower() in self.names[:2] for word in words)

    @property
    def closes_list(self) -> bool:
        """Does it close what stands around several calls?"""
        return self.closes and self.word.lower() in AROUND

    @property
    def key(self) -> str:
        """The argument, or the tool, that it names."""
        return self.value or self.attribute("name", "key").strip()

    @property
    def type(self) -> str:
        """The type that it gives to its argument."""
        if "string" in self.attributes:
            return "string" if self.attributes["string"].lower() == "true" else "json"
        return self.attributes.get("type", "")


def words_of(name: str) -> list[str]:
    """The parts of the *name* of a tag: a prefix, the word, a suffix."""
    return _PARTS.split(name.replace("\\_", "_").lower())


def tag_at(text: str, at: int, final: bool) -> Tag | int:
    """The tag that begins at *at*, or NO, or MORE."""
    left, stop = len(text) - at, at + _LONGEST
    bracket = text.find(">", at, stop) >= 0 or text.find("<", at + 1, stop) >= 0
    short = not final and left < (_LONGER if bracket else _LONGEST)
    # In a long value it only waits: matched anew with each chunk, that would take very long.
    if short and left > _LONG and not bracket and TAG.may_change(text[at : at + _LONG], 0):
        return MORE
    found = TAG.match(text, at, stop)
    # Nothing behind the last character of a whole one changes it.
    if (found is None or found[11]) and short and TAG.may_change(text, at):
        return MORE
    if found is None:
        return NO
    length = found.end() - at
    parsed = _parsed if length < _LONG else _parsed.__wrapped__  # a long one comes once
    return parsed(*found.groups(), length=length) or NO


@lru_cache(maxsize=1024)  # a reply has few different ones, but perhaps many of them
def _parsed(*parts: str | None, length: int) -> Tag | None:
    slash, name, value, attributes, empty, kind, spelled, more, key, end, broken, given = parts
    name, closes = name or spelled or broken or "tool_arg", bool(slash or end) or kind == "close"
    names = tuple(words_of(name))
    word = _WORD.fullmatch(name)
    if word is None and not closes:
        return None
    told = {
        key.lower(): unescape(text[1:-1] if text[0] in "\"'" else text)
        for key, text in _ATTRIBUTE.findall(attributes or more or "")
    }
    said = (value or given or key or "").strip().removesuffix("/")  # ``<function=f/>``
    value = said.removeprefix("parameter=")
    element = word[1].replace("\\_", "_") if word else names[0]
    if value and (collapsed := _COLLAPSED.fullmatch(element)):
        element = collapsed[1]
    odd = bool(broken) or value != said
    return Tag(element, closes, value, told, length, bool(empty), names, odd)


# -- the text in it ------------------------------------------------------------------------

# Some dialects set a value apart by a line break at either end; others keep it. Behind one, the
# next argument may begin although the last one was not closed.
_LINE = r"\r\n|\n|\r"
_ARGUMENT, _CALL = "|".join(ARGUMENTS), "|".join(CALL_WORDS)
_NOISE = pattern_of(NOISE_BEGINS)
# An element that may be the next argument, or is called like the one around it, or its call.
_OPENS = (
    rf"{PREFIX}(?:(?:{_ARGUMENT})(?:eter|ument)?(?:_key{GAP}>|{GAP}=|"
    rf"\s{{1,80}}+[\w-]{{1,40}}+{GAP}=)|(?:{_CALL})[\s=>])"
)
_MAY_END = Pattern(rf"(?:{_LINE})?(?:{_NOISE}|<(?:{GAP}{SLASH}[\w\s|｜]|[|｜][A-Za-z]|{_OPENS}))")
# Tags that close others are text in a value.
_OTHER_END = re.compile(rf"(?:{_LINE})?</([A-Za-z][A-Za-z0-9-]{{0,40}}+)>")
# Unless they are called as the elements of values in one form or another, and begin a line; where
# keys have elements of their own, anywhere.
_ALIKE = ("param", "arg", "value")
_LINE_BREAK = Pattern(rf"(?:{_LINE})?(?=[<\]])")
_LINES_END = re.compile(_LINE)
_CDATA_OVER = Pattern(r"\]\]>\s{0,80}+")
_KEY = Pattern(
    rf"\s{{0,8}}([\w.-]{{1,64}})\s{{0,8}}<(/[\w|:]{{1,40}}+>\s{{0,8}}<{PREFIX}arg_value>)?"
)
_BLANK = Pattern(r"\s{0,80}")
_CHARACTER, _UNIT = Pattern(r"[\s\S]"), Pattern(rf"{SIGN}|[\s\S]")


class _InValue(NamedTuple):
    """How a value goes on: up to what may be one of its *ends*, with *text* before that.

    For the hot path, only what is *special* has to be looked at.
    """

    ends: Pattern
    text: LazyPattern
    special: re.Pattern[str] = re.compile(r"[<\]\r\n]")


_IN_TEXT = _InValue(_MAY_END, text_before(r"<\]\r\n", _MAY_END))
# What has begun is waited for; once it is whole, it is text like any other.
_SIGN_BEGUN = Pattern(rf"(?:{SIGN})(?!)")
_IN_XML = _InValue(
    _MAY_END, text_before(r"<\]\r\n&", _MAY_END, _SIGN_BEGUN), re.compile(r"[<&\]\r\n]")
)
_CDATA_ENDS = Pattern(rf"\]\]>|{_NOISE}|<(?:{GAP}{SLASH}|[|｜])")
_IN_CDATA = _InValue(_CDATA_ENDS, text_before(r"<\]", _CDATA_ENDS))
_ANY_TAG = Pattern(rf"(?:{_LINE})?(?:{_NOISE}|<(?:{GAP}{SLASH}|[\w|｜]))")
_IN_ELEMENTS = _InValue(_ANY_TAG, text_before(r"<\]\r\n", _ANY_TAG))


class CallOfElements(Protocol):
    """The call around a value, as far as that tells where the value ends.

    ``hot`` gives the string that is being read, for the hot path, and ``value_begins`` what stands
    before a value and does not belong to it.
    """

    source: Source
    hot: Callable[[], StreamedString | None] | None
    element: str
    marker_words: list[str]
    value_begins: Pattern
    entities: Entities | None

    @property
    def closing_words(self) -> list[str]:
        """What the element of the call may be called."""
        ...

    def word_of(self, tag: Tag) -> str:
        """Return what *tag* is called, but for a prefix that the call has as well."""
        ...

    def is_due(self, key: str) -> bool:
        """Return True if there is an argument called *key* that was not given."""
        ...

    def mended(self, *repairs: Repair) -> None:
        """The call departs from the asked form in this."""
        ...


class ElementText:
    """Gives *sink* the text in *element*, which holds a value of the call that *calls* reads.

    *raw* text is decoded later. If it is *nested*, elements in it say a list or an object.
    """

    def __init__(
        self,
        calls: CallOfElements,
        element: str,
        sink: TextSink,
        *,
        raw: bool = False,
        nested: bool = False,
    ) -> None:
        self._calls, self._source = calls, calls.source
        self._element, self._sink = element.lower(), sink
        self._of_keys = self._element.endswith("arg_value")  # behind keys in elements of their own
        self._raw, self._nested = raw, nested
        self._framed = self._cdata = False  # by line breaks that do not belong to it; in CDATA
        self._spell: Callable[[str], str] = str  # how *sink* is to get it
        self._inner_alike = self._inner_calls = 0  # open in it, called like it or like its call
        self._has_tags = False  # that were counted

    def read(self) -> Pull[bool]:
        """Read to behind its end; has it tags that would end it, if they were not text?"""
        calls, source = self._calls, self._source
        begin = yield from source.take(calls.value_begins)
        framed, cdata = begin.groups() if begin else (None, None)
        self._framed, self._cdata = bool(framed), bool(cdata)
        decode = None if self._raw or cdata else calls.entities
        escapes = cdata and self._raw and calls.entities
        self._spell = decode or (escape if escapes else str)
        words = (self._element, *calls.closing_words, *calls.marker_words, *_ALIKE)
        words = tuple(word.lower() for word in words)
        plain = _IN_XML if calls.entities else _IN_TEXT
        like = _IN_CDATA if cdata else _IN_ELEMENTS if self._nested else plain
        stop = partial(_hot_stop, like.text, words)
        calls.hot = None if cdata else lambda: self._sink.streaming(stop, plain.special, decode)
        over = False
        while not over:
            self._take(_certain(like.text, words, source.text, source.at) - source.at)
            yield from source.due()
            over = yield from self._is_over(like.ends, _UNIT if decode else _CHARACTER)
        calls.hot = None
        return self._has_tags

    def _take(self, length: int) -> None:
        """So much of the text that stands here is part of the value."""
        if piece := self._source.text[self._source.at : self._source.at + length]:
            self._source.at += len(piece)
            self._sink.text(self._spell(piece))

    def _is_over(self, ends: Pattern, unit: Pattern) -> Pull[bool]:
        """Does what stands here end the value? If not, it is taken, a *unit* if it is no tag."""
        source = self._source
        if (yield from source.match(ends)):
            ahead = yield from source.length(_CDATA_OVER if self._cdata else _LINE_BREAK)
            tag = yield from source.ask(tag_at, ahead)
            if isinstance(tag, Tag):
                over = yield from self._ends_with(tag, ahead)
                self._take(0 if over else ahead + tag.length)
                return over
            if not self._cdata and (
                (yield from self._is_half_closed()) or (yield from self._is_cut_off(ahead))
            ):
                return True
        found = yield from source.match(unit)
        # What stood here while it waited may have gone out on the hot path.
        self._take(len(found.group()) if found else 0)
        return False

    def _ends_with(self, tag: Tag, ahead: int) -> Pull[bool]:
        """Is the value over with *tag*, *ahead* of here? Then that is read, if it is part of it."""
        source, length = self._source, ahead + tag.length
        if not tag.closes:
            # By a line break or a token, or with a key and the beginning of its value behind it.
            keyed = self._of_keys and self._is_key(tag)
            apart = ahead or keyed or source.text[source.at + 1] in "|｜"
            if apart and not self._cdata and (yield from self._is_next(tag, ahead)):
                self._calls.mended(MISSING_CLOSER)
                source.at += ahead
                return True
            self._opens_inner(tag)
            return False
        if tag.closes_any(self._element) and not tag.key:
            if self._cdata and not ahead:
                return False
            if self._inner_alike and (self._nested or not (yield from self._is_outer(length))):
                self._inner_alike -= 1
                return False
            # In XML a tag that is text would have been written with an entity.
            is_raw = not (self._nested or self._calls.entities)
            if is_raw and (yield from self._is_in_text(length)):
                self._has_tags = True
                return False
            if not self._cdata and not self._framed:
                self._take(ahead)
                length = tag.length
            source.at += length
            return True
        if tag.names[-1].startswith(self._element) and not self._cdata:
            return (yield from self._is_drifted(length, *AROUND))
        return (yield from self._ends_call(tag, ahead))

    def _is_key(self, tag: Tag) -> bool:
        """Does *tag* open the name of an argument, which then stands in it?"""
        return self._calls.word_of(tag) == "arg_key"

    def _opens_inner(self, tag: Tag) -> None:
        """Count *tag* if it opens an element that is called like that of the value, or the call."""
        word, named = tag.word.lower(), bool(tag.key)
        if tag.empty or tag.broken or self._cdata:
            return
        if word == self._element and (named or self._nested):
            self._inner_alike += 1
        elif word == self._calls.element.lower() and not self._nested:
            self._inner_calls += 1
        elif not (self._of_keys and self._is_key(tag)):
            return
        self._has_tags = True

    def _ends_call(self, tag: Tag, ahead: int) -> Pull[bool]:
        """Does *tag* close the whole call, or the marker around it, and the value with it?

        It does, if nothing comes behind it or what closes something around. Or is it called like
        the elements of values, and closes the value alone?
        """
        calls, source = self._calls, self._source
        length = ahead + tag.length
        if not tag.closes_any(*calls.closing_words, *calls.marker_words):
            alike = tag.names[-1].startswith(_ALIKE) and bool(ahead or self._of_keys)
            in_text = self._cdata or self._nested or self._has_tags
            return alike and not in_text and (yield from self._is_drifted(length))
        if self._inner_calls:
            self._inner_calls -= 1
            return False
        length += yield from source.length(_BLANK, length)
        rest = yield from source.peek(length + 1)
        if len(rest) > length and not (yield from source.at_end(length)):
            around = yield from source.ask(tag_at, length)
            if not isinstance(around, Tag) or not around.closes_any(*AROUND, *CALLS):
                return False
        calls.mended(MISSING_CLOSER)
        source.at += ahead
        return True

    def _is_in_text(self, ahead: int) -> Pull[bool]:
        """Do words stand *ahead* of here, behind what closes the value? Then that is part of it.

        So it is if they stand behind what closes the call with it, and not its marker.
        """
        calls, source = self._calls, self._source
        ahead += yield from source.length(_BLANK, ahead)
        char = (yield from source.peek(ahead + 1))[ahead:]
        if char not in ("<", "]"):
            return bool(char)
        tag = yield from source.ask(tag_at, ahead)
        if not isinstance(tag, Tag) or not tag.closes_any(calls.element) or not calls.element:
            return False
        if tag.closes_any(*calls.marker_words) or not calls.marker_words:
            return False  # behind it the reply goes on
        return (yield from self._is_in_text(ahead + tag.length))

    def _is_outer(self, length: int) -> Pull[bool]:
        """Does what closes the value, *length* long, close it and none of those within?"""
        length += yield from self._source.length(_BLANK, length)
        if not (yield from self._source.peek(length + 1))[length:]:
            return True
        return (yield from self._goes_on(length, *AROUND)) and not self._inner_calls

    def _goes_on(self, ahead: int, *around: str) -> Pull[bool]:
        """Does the next argument stand *ahead* of here, or what closes the call, or *around* it?"""
        tag = yield from self._source.ask(tag_at, ahead)
        if isinstance(tag, Tag) and tag.closes_any(*self._calls.closing_words, *around):
            return True
        return (yield from self._is_next(tag, ahead))

    def _is_half_closed(self) -> Pull[bool]:
        """Does ``</parameter`` close the value, without its end? Reading goes on behind it."""
        half = yield from self._source.match(_HALF_CLOSER)
        if half is None or not words_of(half[1])[-1].startswith(self._element):
            return False
        return (yield from self._is_drifted(len(half.group()), *AROUND))

    def _is_cut_off(self, ahead: int) -> Pull[bool]:
        """Does a special token close the whole call *ahead* of here, and the reply with it?

        A value may hold such a token, or two; but then what closes the value comes behind them.
        """
        source = self._source
        if source.text[source.at + ahead + 1 : source.at + ahead + 2] not in ("|", "｜"):
            return False
        end = yield from source.ask(source.end_at, ahead)
        if end == NO:
            return False
        ahead = end - source.at
        ahead += yield from source.length(_BLANK, ahead)
        if (yield from source.peek(ahead + 1))[ahead:]:
            return False
        self._calls.mended(MISSING_CLOSER)
        return True

    def _is_drifted(self, length: int, *around: str) -> Pull[bool]:
        """Does ``</parameter1>`` or the like, *length* long, close the value? Then it is read."""
        source = self._source
        written = source.text[source.at : source.at + length].strip()
        length += yield from source.length(_BLANK, length)
        if not (yield from self._goes_on(length, *around)):
            return False
        self._calls.mended(Repair("other_closer", Grade.GUESSED, written))
        source.at += length
        return True

    def _is_next(self, tag: Tag | int, ahead: int) -> Pull[bool]:
        """Does *tag*, *ahead* of here, begin an argument of the tool that was not given?"""
        if not isinstance(tag, Tag) or tag.closes:
            return False
        key = tag.key
        if self._is_key(tag):
            named = yield from self._source.match(_KEY, ahead + tag.length)
            key = named[1] if named and (ahead or named[2]) else ""
        return self._calls.is_due(key)


def _certain(before: LazyPattern, words: tuple[str, ...], text: str, at: int) -> int:
    """Up to where *text* certainly goes on with a value from *at* on: *before* matches that.

    Elements whose names begin like one of *words* are open.
    """
    while found := before.match(text, at):
        at = found.end()
        other = _OTHER_END.match(text, at)
        if other is None or other[1].lower().startswith(words):
            break
        at = other.end()
    return at


def _hot_stop(before: LazyPattern, words: tuple[str, ...], text: str) -> int:
    """How much of *text* certainly goes on with a value; -1 if it has to be read."""
    stop = _certain(before, words, text, 0)
    begun = _LINES_END.match(text, stop)
    tag = begun.end() if begun else stop
    waits = text[tag : tag + 1] in ("", "&") or tag_at(text, tag, False) == MORE
    return stop if waits else -1
