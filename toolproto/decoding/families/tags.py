"""A call written in tags: an element for the call, one for each argument.

Five ways to say which tool and which argument are in use (``<function=f>``, ``<invoke name="f">``,
``<name>f</name>``, the tool's name as the tag, the name as plain text before the arguments), and as
many for an argument. A model that was asked for one writes another often enough; so all are read.

``<parameter=city>``, ``<parameter name="city" string="true">``, ``<｜DSML｜invoke name="f">``,
``<steptml:parameter name="x">``, ``<|open|>call tool="f"<|sep|>`` and ``]<]minimax[>[</city>`` are
all tags: a word, perhaps a value behind ``=``, perhaps attributes.

Well-formed XML (`XmlCalls`) is read the same way, but for its entities.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from html import escape, unescape
from typing import Any, NamedTuple

from ...messages import Grade, Repair
from ..calls.names import Head, read_head
from ..calls.pulled import MISSING_CLOSER, NoCall, PulledCalls, cut_short
from ..calls.record import Beginning, CallRecord, TextSink
from ..patterns import LazyPattern, Pattern, text_before
from ..reply.hot_string import StreamedString
from ..reply.markers import MORE, NO, Marker
from ..source import Pull, Source
from ..values.strict import Refused, malformed
from .json_calls import JsonCalls
from .tag_values import (
    ANY_JSON,
    NULL_WORD,
    UNTOLD_TYPE,
    ValueType,
    read_elements,
    tell_argument,
    value_type,
)

__all__ = ["Tag", "TaggedCalls", "closes_list", "opens_call", "pass_closing", "tag_at"]

# -- one tag ------------------------------------------------------------------------------

# What dialects put before a tag, and before its name.
_NOISE = r"(?:\]<\]minimax\[>\[)?"
_TOKEN = r"(?:[|｜][A-Za-z]{1,12}+[|｜] ?)?"
# A name with all that may belong to it; which part of it is the word is seen when it is whole.
_NAME = r"[A-Za-z_][\w.:|\\-]{0,119}+"
_WORD = re.compile(r"(?:[A-Za-z]{1,12}[:|])?([A-Za-z_](?:[\w.-]|\\_){0,63})(?::\w{1,40})?")
# Special tokens leak into names.
_LEAK = r"<[|｜]\w{1,40}+[|｜]>"
_VALUE = (
    rf"\"(?:[^\"<>]|{_LEAK}){{0,2000}}+\"|'(?:[^'<>]|{_LEAK}){{0,2000}}+'|[^\s\"'<>/]{{1,200}}+"
)
_LEAKS = re.compile(_LEAK)
_ATTRIBUTE = re.compile(rf"\s*([\w-]{{1,40}})\s{{0,3}}=\s{{0,3}}({_VALUE})")
_ATTRIBUTES = rf"(?:\s{{1,80}}+[\w-]{{1,40}}+\s{{0,3}}+=\s{{0,3}}+(?:{_VALUE})){{0,8}}"
_TAG = Pattern(
    rf"{_NOISE}<\s{{0,3}}+([/\\]?)\s{{0,3}}+{_TOKEN}({_NAME})"
    rf"(?:\s{{0,3}}=\s{{0,3}}[\"']?([^\"'<>\n]{{1,128}})[\"']?)?({_ATTRIBUTES})\s{{0,3}}(/?)>"
    rf"|<[|｜](open|close)[|｜]>({_NAME})({_ATTRIBUTES})<[|｜]sep[|｜]>"
)
# ``<param name=…>`` without its space, or with the letter that stands for one in a vocabulary.
_COLLAPSED = re.compile(r"(?i:(function|invoke|param|parameter|arg|argument)Ġ?name)")
_LONGEST = 2400  # characters of a tag: room for the longest attribute that is written


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag: its *word*, the *value* behind ``=``, and where it ends."""

    word: str
    closes: bool
    value: str
    attributes: Mapping[str, str]
    end: int
    empty: bool = False  # <param name="k" value="v"/>

    def told(self, *names: str) -> str:
        """The first of the attributes *names* that it has."""
        return next((self.attributes[name] for name in names if self.attributes.get(name)), "")

    @property
    def type(self) -> str:
        """The type that it gives to its argument."""
        if "string" in self.attributes:
            return "string" if self.attributes["string"].lower() == "true" else "json"
        return self.attributes.get("type", "")


def tag_at(text: str, at: int, final: bool) -> Tag | int:
    """The tag that begins at *at*, or NO, or MORE."""
    found = _TAG.match(text, at, at + _LONGEST)
    if found is None:  # where one is found, nothing behind its last character can change it
        short = not final and len(text) - at < _LONGEST
        return MORE if short and _TAG.may_change(text, at) else NO
    slash, name, value, attributes, empty, kind, spelled, more = found.groups()
    word = _WORD.fullmatch(name or spelled)
    if word is None:
        return NO
    told = {
        name.lower(): unescape(said[1:-1] if said[0] in "\"'" else said)
        for name, said in _ATTRIBUTE.findall(attributes or more or "")
    }
    closes, value = bool(slash) or kind == "close", (value or "").strip()
    element = word[1].replace("\\_", "_")
    if value and (collapsed := _COLLAPSED.fullmatch(element)):
        element = collapsed[1]
    return Tag(element, closes, value, told, found.end(), bool(empty))


_CLOSES = rf"{_NOISE}<\s{{0,3}}+[/\\]\s{{0,3}}+{_TOKEN}"
_SPELLED = r"<[|｜]close[|｜]>"
_CLOSER = (
    rf"(?:{_CLOSES}(?P<name>{_NAME})\s{{0,3}}+>|{_SPELLED}(?P<spelled>{_NAME})<[|｜]sep[|｜]>)"
)
# Some dialects set a value apart by a line break at either end; others keep it. Behind one, the
# next argument may begin although the last one was not closed.
_LINE = r"\r\n|\n|\r"
_PREFIX = r"(?:[A-Za-z]{1,12}[:|])?"
_NEXT = (
    rf"{_NOISE}<{_TOKEN}{_PREFIX}(?:param|arg)(?:_key\s{{0,3}}+>\s{{0,8}}+[\w.-]"
    r"|(?:eter|ument)?(?:\s{1,80}+[\w-]{1,40}+)?\s{0,3}+=\s{0,3}+[\"']?[^\"'<>\n])"
)
_END = Pattern(rf"(?P<newline>{_LINE})?{_CLOSER}|(?P<next>{_LINE}){_NEXT}")
_CLOSE = Pattern(_CLOSER)
# A closing tag with more behind its word, or without its end, before another tag.
_BEGUN_CLOSER = Pattern(rf"(?:{_LINE})?{_CLOSES}(?P<name>{_NAME})")
_DRIFTED = Pattern(rf"{_BEGUN_CLOSER.source}\s{{0,3}}+>?\s{{0,80}}+(?=<)")
_CDATA_END = Pattern(rf"\]\]>\s{{0,80}}+{_CLOSER}")
_NULL = Pattern(rf"\s{{0,8}}+null\s{{0,8}}+{_CLOSER}")
# A bracket, or a word of JSON with nothing beside it, begins a value that may not be text.
_JSON_BEGINS = Pattern(
    rf"\s{{0,8}}+(?:[\[{{]|(?:-?[0-9]{{1,18}}+(?:\.[0-9]{{1,18}}+)?(?:[eE][-+]?[0-9]{{1,3}}+)?"
    rf"|true|false|null)\s{{0,8}}+{_CLOSER})"
)
_KEY = Pattern(r"\s{0,8}([\w.-]{1,64})\s{0,8}<")
_CDATA = Pattern(r"<!\[CDATA\[\s{0,20}")
_TOOL_NAME = Pattern(r"\s{0,20}[\w.:/-]{1,128}\s{0,20}</tool>")
_NAME_TEXT = Pattern(r"(?:[^<\]]|\](?!<)|<(?=\d)){0,256}")
_NO_NAME = Pattern(r"[^<\]]|<\s{0,3}[/\\]")
_BLANK = Pattern(r"\s{0,80}")
_LINE_BREAK = Pattern(rf"(?:{_LINE})?(?=<)")
#: A value has tags in it that would end it, if they did not stand for themselves.
_TAG_IN_VALUE = Repair("tag_in_value", Grade.GUESSED)
_PARTS = re.compile("[:|]")
_CHARACTER = Pattern(r"[\s\S]")
_STRAY_MARK = re.compile(r"[<{\]]")
_NAMED = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'"}
# Models forget to escape: a raw ``&`` or ``<`` is read as it is. Unless it stands as it does in
# prose and code (``a < b``, ``x<=3``, ``a && b``, ``?a=1&b=2``), it may be what is left of markup
# or of an entity: that is a guess.
_ODD_AND = r"#?\w{1,40}+;|amp|lt|gt|quot|apos|[^\s\w&<\]]"
_ODD_LESS = r"[^\s\d=<&\]-]"
_SIGN = re.compile(
    r"[&<](?:(?<=&)((?:amp|lt|gt|quot|apos|#[0-9]{1,6}|#x[0-9a-fA-F]{1,5});)"
    rf"|((?<=<){_ODD_LESS}|(?<=&)(?:{_ODD_AND}))|)"
)
_RAW_SIGN, _RAW_MARKUP = Repair("raw_markup"), Repair("raw_markup", Grade.GUESSED)
_UNIT = Pattern(rf"<{_ODD_LESS}|&(?:{_ODD_AND})|[\s\S]")
_NAME_ELEMENT = Pattern(r"\s{0,80}<(?:name|tool)>\s{0,20}([\w.:/-]{1,128})\s{0,20}</(?:name|tool)>")
_JSON_NEXT = Pattern(r"\s{0,80}(?:<!\[CDATA\[\s{0,20})?\{")


# An element that may be called like the one around it, or its call.
_OPENS = Pattern(rf"(?:{_LINE})?<{_PREFIX}(?:param|arg|function|invoke)")


class _InValue(NamedTuple):
    """What the value of an argument begins with, and what has to be looked at in it.

    *text* stands before what begins like one of *ends*. For the hot path, only what is *special*
    has to be looked at.
    """

    begin: Pattern
    text: LazyPattern
    special: re.Pattern[str]
    ends: tuple[Pattern, ...] = (_END, _BEGUN_CLOSER, _OPENS)
    entities: bool = False  # are they characters?


_MAY_END = Pattern(
    rf"(?:{_LINE})?(?:\]<\]m|<(?:\s{{0,3}}+[/\\][\w\s|｜]|[|｜][A-Za-z]"
    rf"|{_PREFIX}(?:param|arg|function|invoke)))"
)
_IN_VALUE = _InValue(
    Pattern(r"(\r?\n)?(<!\[CDATA\[)?"),
    text_before(r"<\]\r\n", _MAY_END),
    re.compile(r"[<\]\r\n]"),
)
_IN_XML = _InValue(
    Pattern(r"()(<!\[CDATA\[)?"),
    text_before(r"<\]\r\n&", _MAY_END, Pattern(rf"&(?={_ODD_AND})(?!)")),  # begun, not whole
    re.compile(r"[<&\]\r\n]"),
    entities=True,
)
_IN_CDATA = _IN_VALUE._replace(
    text=text_before(r"<\]", Pattern(r"\]\]>|\]<\]m|<(?:\s{0,3}+[/\\]|[|｜])")),
    ends=(_CDATA_END, _CLOSE),
)
# Tags that close others are text in a value: files are full of them.
_OTHER_END = re.compile(rf"(?:{_LINE})?</([A-Za-z][A-Za-z0-9-]{{0,40}}+)>")


@dataclass(slots=True)
class _Inner:
    """The elements that stand in a value and are called like the one around it, or its call."""

    values: int = 0
    calls: int = 0

    def passes(self, tag: Tag, element: str, call: str) -> bool:
        """Count *tag*, if it opens or closes one of them."""
        step = -1 if tag.closes else 1
        word = tag.word.lower()
        if word == element.lower() and self.values + step >= 0 and (tag.closes or _is_named(tag)):
            self.values += step
        elif call and word == call.lower() and self.calls + step >= 0:
            self.calls += step
        else:
            return False
        return True


def _base(name: str) -> str:
    """*name* of a tag without the prefix of its dialect."""
    return _PARTS.split(name.lower())[-1]


def _is_named(tag: Tag) -> bool:
    return bool(tag.value or tag.told("name", "key"))


def _closes(found: re.Match[str], word: str) -> bool:
    """Does the closing tag that was *found* close an element called *word*?"""
    name = (found["name"] or found["spelled"]).replace("\\_", "_").lower()
    return word.lower() in _PARTS.split(name)[:2]  # a prefix or a suffix may stand with it


# -- the call -----------------------------------------------------------------------------

_CALLS = frozenset({"function", "invoke", "call", "function_call", "tool_call", "tool", "tool_use"})
_NAMES = frozenset({"name", "tool_name", "function_name"})
_ARGUMENTS = frozenset({"parameter", "param", "arg", "argument"})
_AROUND = frozenset({"arguments", "parameters", "args", "params", "args_json", "input"})
_AROUND |= {"function_calls", "tool_calls", "calls"}
# An argument that tools seldom have: all of them may stand in it, as one object.
_WRAPPERS = frozenset(
    {"arguments", "parameters", "args", "params", "input", "properties", "kwargs"}
)
_LONGEST_NAME = 128
_OBJECT = ValueType(False, {"type": "object"})
_Say = Callable[[str], object]


def opens_call(tag: Tag) -> bool:
    """Does *tag* begin a call, by itself or with its name to come?"""
    return not tag.closes and tag.word.lower() in _CALLS | _AROUND | _NAMES


def closes_list(tag: Tag) -> bool:
    """Does *tag* close what stands around several calls?"""
    return tag.closes and tag.word.lower() in _AROUND


class TaggedCalls(PulledCalls):
    """Reads one call. See ``JsonCalls`` for the members."""

    is_call = True
    _in_value = _IN_VALUE

    def __init__(self, begun: Beginning) -> None:
        super().__init__(begun)
        self._ends, head = begun.ends, begun.head
        self._name, self._id = (head.name, head.id) if head else ("", "")
        self.element = ""  # of the call
        self._key = self._type = ""  # of the value that comes next
        self._given: set[str] = set()  # arguments whose value has begun
        self._raw: set[int | None] = set()  # the kinds of raw signs that were seen
        ends = (end.text for end in self._ends if end.text[:2] == "</")
        self._marker_words = frozenset(_base(end[2:].rstrip(">")) for end in ends)
        self.json: JsonCalls | None = None  # reads on if the arguments are JSON
        self.committed = bool(self._name)

    @property
    def meant(self) -> bool:
        """Is it certain that this is a call, so that a cut makes it a truncated one?"""
        return bool(self._name) or not self._setting.gated

    def reject(self, fault: Refused) -> None:
        """Say what is wrong with the call, also if no argument has come."""
        if self._name:
            self._opened()
        super().reject(fault)

    def pass_over(self, source: Source) -> Pull[None]:
        """Read on to behind what closes the call, or to a marker."""
        marks = re.compile(f"[]<{re.escape(source.firsts)}]")
        while (yield from source.peek()) and not (yield from source.at_end()):
            found = yield from source.match(_CLOSE)
            if found and self._closes_call(found):
                source.at = found.end()
                return
            source.at += 1
            yield from source.before(marks)

    def _closes_call(self, found: re.Match[str]) -> bool:
        """Does the closing tag that was *found* close the call's element, or its marker?"""
        return any(_closes(found, word) for word in self._closing_words)

    @property
    def _closing_words(self) -> list[str]:
        if self.element:
            return [self.element]
        ends = [end.text for end in self._ends if end.text[:2] == "</"]
        return [*(re.split(r"[/:|>]", end)[-2] for end in ends), "tool_call"]

    def _opened(self) -> CallRecord:
        """The call, told of with its first argument: before that, JSON may come instead."""
        return self._call if self._call is not None else self.open(self._name, self._id)

    # -- its parts ------------------------------------------------------------------------

    def grammar(self, source: Source) -> Pull[None]:
        """The name, then the arguments, up to what closes the call."""
        while not (yield from self._is_over(source)):
            tag = yield from source.ask(tag_at)
            said = self._name or self.element
            if isinstance(tag, Tag):
                if (yield from self._at_tag(source, tag)):
                    break
            elif self._name and (yield from source.take(_CDATA)):
                continue  # Toolify's models wrap JSON in it; the value is the same without
            elif self._call is None and said and source.text[source.at] == "{":
                self.json = self._json_reader()
                return
            elif self._name:
                if _TAG.may_change(source.text, source.at) and "/" not in source.text[source.at :]:
                    raise cut_short()  # within a tag that opens something
                self.mended(Repair("stray_text", Grade.GUESSED))
                source.at += 1
                yield from source.before(_STRAY_MARK)
            else:
                yield from self._plain_name(source)
        if not self._name:
            raise malformed("it does not say which tool")
        if self._key:
            self.mended(Repair("missing_value", Grade.GUESSED))
        self._opened()
        self.complete()

    def _is_over(self, source: Source) -> Pull[bool]:
        """Behind white space: does a marker that ends calls stand here, or nothing at all?"""
        char = yield from source.skip_space()
        if char and not (yield from source.at_end()):
            return False
        if not char:
            self.mended(MISSING_CLOSER)
        return True

    def _at_tag(self, source: Source, tag: Tag) -> Pull[bool]:
        """Read what *tag* opens; is the call over with it?"""
        if tag.closes:
            over = self._ends_with(tag)
            if not over or self._name:  # else it is refused, and passed over with its last tag
                source.at = tag.end
            return over
        if not self._name:
            yield from self._at_name(source, tag)
        elif self._begins_call(tag):
            self.mended(Repair("missing_closer"))
            return True
        else:
            source.at = tag.end
            yield from self._at_argument(source, tag)
        return False

    def _begins_call(self, tag: Tag) -> bool:
        """Does *tag* open the next call?"""
        return tag.word.lower() in _CALLS and not self._is_own(tag.word)

    def _ends_with(self, tag: Tag) -> bool:
        word = tag.word.lower()
        if word == self.element.lower() or (word in _CALLS and not self.element):
            return True
        if word in _ARGUMENTS or word == "arg_value":
            # What was taken for the end of the value before may have been a part of it.
            self.mended(Repair("extra_closer", Grade.GUESSED))
        return False

    # -- the name -------------------------------------------------------------------------

    def _at_name(self, source: Source, tag: Tag) -> Pull[None]:
        word, offered = tag.word.lower(), self._setting.offered
        own = word not in _NAMES | _CALLS | _AROUND
        if own and not (offered.any and offered.knows(tag.word)):
            raise NoCall
        source.at = tag.end
        # Within a call, <tool>f</tool> says which; by itself it would be a call without arguments.
        if word == "tool" and self.element and (yield from source.match(_TOOL_NAME)):
            word = "tool_name"
        if word in _NAMES:
            self._named((yield from self._word(source, tag.word)))
        elif own or word in _CALLS:
            self.element = tag.word
            name = tag.value or tag.told("name", "tool", "tool_name", "function")
            if own or name:
                self._named(tag.word if own else name)

    def _plain_name(self, source: Source) -> Pull[None]:
        """Where the name may stand as it is, behind the tag of the call."""
        head = (yield from source.ask(read_head)) if self.element else NO
        if not isinstance(head, Head) or source.text[head.end : head.end + 1] not in ("{", "<"):
            raise NoCall
        source.at = head.end
        self._named(head.name)

    def _named(self, name: str) -> None:
        name = _LEAKS.sub("", name)[:_LONGEST_NAME]
        self._name = name.removeprefix("functions.").replace("\\_", "_")
        if self._setting.gated and not self._setting.offered.knows(self._name):
            raise NoCall
        self.committed = True

    def _word(self, source: Source, element: str) -> Pull[str]:
        """A name or a type that stands in an *element*."""
        found = yield from source.take(_NAME_TEXT)
        assert found is not None, "matches the empty string"
        word = found.group().strip()
        if not (yield from source.peek()):
            raise cut_short()
        end = yield from source.match(_END)
        if end and not end["next"] and (_closes(end, element) or not self._closes_call(end)):
            if not _closes(end, element):
                self.mended(Repair("other_closer", Grade.GUESSED, end.group()))
            source.at = end.end()
        elif (yield from source.match(_NO_NAME)):
            raise malformed("a name in it has no end")
        else:
            self.mended(MISSING_CLOSER)
        return word

    # -- arguments ------------------------------------------------------------------------

    def _at_argument(self, source: Source, tag: Tag) -> Pull[None]:
        word = tag.word.lower()
        key = (tag.value or tag.told("name", "key")) if word in _ARGUMENTS else ""
        if word == "arg_type":
            self._type = yield from self._word(source, tag.word)
        elif word == "arg_key":
            if self._key:
                self.mended(Repair("missing_value", Grade.GUESSED))
            self._key = yield from self._word(source, tag.word)
        elif word == "arg_value":
            if not self._key:
                self._opened().spoil("an argument in it has no name")
            key, told, self._key, self._type = self._key, self._type, "", ""
            yield from self._value(source, key, tag.word, told)
        elif tag.empty and (key or self._is_own(tag.word)):
            tell_argument(self._opened(), key or tag.word, tag.told("value"), tag.type)
        elif key.lower() in _WRAPPERS and not self._given and self._knows_others(key):
            yield from self._wrapped(source, key, tag.word)
        elif key or word not in _AROUND or self._is_own(tag.word):
            yield from self._value(source, key or tag.word, tag.word, tag.type)

    def _is_own(self, word: str) -> bool:
        """Is there an argument called *word*?"""
        tool = self._setting.offered.get(self._name)
        return tool is not None and word in tool.properties

    def _knows_others(self, key: str) -> bool:
        """Are the tool's arguments known, and *key* not among them?"""
        tool = self._setting.offered.get(self._name)
        return tool is not None and bool(tool.properties) and key not in tool.properties

    def _wrapped(self, source: Source, key: str, element: str) -> Pull[None]:
        """All arguments as one object, if that is what stands in *element*; else it is *key*."""
        call = self._opened()
        value, repairs = yield from self._typed(source, element, _OBJECT)
        self._given.add(key)
        if isinstance(value, dict) and value and all(map(self._is_own, value)):
            call.mended(*repairs, Repair("dict_argument", Grade.GUESSED, key))
            for name, each in value.items():
                call.argument(name, each)
        else:
            call.argument(key, value)

    def _value(self, source: Source, key: str, element: str, told: str) -> Pull[None]:
        """The value of an argument; a string goes out while it comes."""
        call = self._opened()
        type = value_type(call.tool, key, told)
        call.key(key)
        self._given.add(key)
        if type.nullable and (yield from self._is_null(source, element)):
            call.mended(NULL_WORD)
            call.value(None)
        elif type.unlisted and (yield from source.match(_JSON_BEGINS)):
            value, repairs = yield from self._typed(source, element, ANY_JSON)
            self.mended(*repairs, *(() if isinstance(value, str) else (UNTOLD_TYPE,)))
            call.value(value)
        elif type.text:
            call.open_text()
            yield from self._inside(source, element, call)
            call.close_text()
        else:
            value, repairs = yield from self._typed(source, element, type)
            self.mended(*repairs)
            call.value(value)

    def _is_null(self, source: Source, element: str) -> Pull[bool]:
        null = yield from source.match(_NULL)
        if null is None or not _closes(null, element):
            return False
        source.at = null.end()
        return True

    def _inside(
        self,
        source: Source,
        element: str,
        sink: TextSink,
        *,
        raw: bool = False,
        begun: bool = False,
    ) -> Pull[bool]:
        """Give *sink* what stands in *element*, piece by piece; *raw* text is decoded later.

        Does its own tag close it, and not that of the call?
        """
        like = self._in_value
        begin = None if begun else (yield from source.take(like.begin))
        framed, cdata = bool(begin and begin.group(1)), bool(begin and begin.group(2))
        decode = self._decoded if like.entities and not raw and not cdata else None
        say: _Say = sink.text
        if cdata and raw and like.entities:
            say = _escaping(sink.text)
        closing = (element, *self._closing_words, *self._marker_words)
        words = tuple(word.lower() for word in closing)
        inside, stop = _IN_CDATA if cdata else like, partial(_hot_stop, like, words)
        inner = _Inner()
        self.hot = None if cdata else lambda: sink.streaming(stop, like.special, decode)
        while True:
            certain = _certain(inside, words, source.text, source.at)
            if piece := source.text[source.at : certain]:
                source.at = certain
                say(decode(piece) if decode else piece)
            if not (yield from source.peek()):
                raise cut_short()
            closed = yield from self._closed(source, element, say, inner, framed, cdata)
            if closed is not None:
                self.hot = None
                return closed
            if not (raw or cdata) and (yield from self._in_inner(source, element, say, inner)):
                continue
            # What stood here while it waited may have gone out on the hot path.
            if unit := (yield from source.take(_UNIT if decode else _CHARACTER)):
                say(decode(unit.group()) if decode else unit.group())

    def _in_inner(self, source: Source, element: str, say: _Say, inner: _Inner) -> Pull[bool]:
        """Say a tag that opens or closes what stands in the value and is called like its own."""
        newline = yield from source.length(_LINE_BREAK)
        tag = yield from source.ask(tag_at, newline)
        if not isinstance(tag, Tag) or not inner.passes(tag, element, self.element):
            return False
        if not tag.closes:
            self.mended(_TAG_IN_VALUE)
        piece = source.text[source.at : tag.end]
        source.at = tag.end
        say(piece)
        return True

    def _closed(
        self, source: Source, element: str, say: _Say, inner: _Inner, framed: bool, cdata: bool
    ) -> Pull[bool | None]:
        """Is the value over here? Then reading goes on behind what closes it, if that is its own.

        None if it goes on.
        """
        end = yield from source.match(_CDATA_END if cdata else _END)
        if end and not cdata and end["next"]:
            return False if (yield from self._begins_next(source, end["next"])) else None
        if end and _closes(end, element):
            if inner.values and not (yield from self._is_outer(source, len(end.group()), inner)):
                return None
            source.at += len(end.group())  # text may have come meanwhile: nothing else still holds
            if not cdata and not framed and end["newline"]:
                say(end["newline"])
            return True
        # Of most closing tags in a value it is seen at once that they are others.
        other = (
            end is not None and end["name"] and not _base(end["name"]).startswith(element.lower())
        )
        if not (cdata or other) and (yield from self._is_drifted(source, element)):
            return True
        if cdata:
            end = yield from source.match(_END)
        if end is None or end["next"] or inner.calls:
            return None
        # What closes the marker around the call closes it, too.
        ends = end["name"] and _base(end["name"]) in self._marker_words
        if not self._closes_call(end) and not ends:
            return None
        # It closes the whole call, if nothing comes behind it or what closes something around.
        line, length = len(end["newline"] or ""), len(end.group())
        length += yield from source.length(_BLANK, length)
        rest = yield from source.peek(length + 1)
        if len(rest) > length and not (yield from source.at_end(length)):
            around = yield from source.match(_CLOSE, length)
            if around is None or not any(_closes(around, word) for word in _AROUND | _CALLS):
                return None
        self.mended(MISSING_CLOSER)
        source.at += line
        return False

    def _is_outer(self, source: Source, length: int, inner: _Inner) -> Pull[bool]:
        """Does what closes the value, *length* long, close it and none of those within?"""
        length += yield from source.length(_BLANK, length)
        if not (yield from source.peek(length + 1))[length:]:
            return True
        if (yield from self._is_next(source, length)):
            return True
        end = yield from source.match(_CLOSE, length)
        return end is not None and self._closes_call(end) and not inner.calls

    def _is_drifted(self, source: Source, element: str) -> Pull[bool]:
        """Does ``</parameter1>`` or the like close *element*? Then reading goes on behind it."""
        begun = yield from source.match(_BEGUN_CLOSER)
        if begun is None or not _base(begun["name"]).startswith(element.lower()):
            return False
        drifted = yield from source.match(_DRIFTED)
        if drifted is None:
            return False
        length = len(drifted.group())
        end = yield from source.match(_CLOSE, length)
        if not (end and self._closes_call(end)) and not (yield from self._is_next(source, length)):
            return False
        self.mended(Repair("other_closer", Grade.GUESSED, drifted.group().strip()))
        source.at += length
        return True

    def _begins_next(self, source: Source, newline: str) -> Pull[bool]:
        """Does another argument of the tool begin behind *newline*, though this one is open?"""
        if not (yield from self._is_next(source, len(newline))):
            return False
        self.mended(MISSING_CLOSER)
        source.at += len(newline)
        return True

    def _is_next(self, source: Source, ahead: int) -> Pull[bool]:
        """Does an argument of the tool that was not given begin *ahead* of here?"""
        tag = yield from source.ask(tag_at, ahead)
        if not isinstance(tag, Tag) or tag.closes:
            return False
        key = tag.value or tag.told("name", "key")
        if tag.word.lower() == "arg_key":
            named = yield from source.match(_KEY, tag.end - source.at)
            key = named.group(1) if named else ""
        return self._is_own(key) and key not in self._given

    def _typed(
        self, source: Source, element: str, type: ValueType
    ) -> Pull[tuple[Any, tuple[Repair, ...]]]:
        """A value that is read once all of it has come."""
        kept = _Kept(self._opened())
        closed = yield from self._inside(source, element, kept, raw=True)
        parts = [kept.close_text()]
        nested = type.container and parts[0].lstrip()[:1] in ("<", "]")
        opens, due = re.compile(rf"<{re.escape(element)}[\s>]"), 0
        while closed and nested:  # did it only close an element inside that is called the same?
            due += len(opens.findall(parts[-1]))
            if not due:
                break
            due -= 1
            closed = yield from self._inside(source, element, kept, raw=True, begun=True)
            parts += [f"</{element}>", kept.close_text()]
        text = "".join(parts)
        if nested:
            return read_elements(text, type, self._setting.limits.depth, self._decoded)
        return type.read(self._decoded(text))

    def _decoded(self, text: str) -> str:
        """What raw *text* stands for."""
        if not self._in_value.entities or ("&" not in text and "<" not in text):
            return text
        return _SIGN.sub(self._meant, text)

    def _meant(self, sign: re.Match[str]) -> str:
        """What an entity stands for, or the sign itself."""
        code = sign.group()
        if sign.lastindex != 1:
            if sign.lastindex not in self._raw:  # there may be very many
                self._raw.add(sign.lastindex)
                self.mended(_RAW_MARKUP if sign.lastindex else _RAW_SIGN)
            return code
        if code in _NAMED:
            return _NAMED[code]
        return chr(int(code[3:-1], 16) if code[2] == "x" else int(code[2:-1]))

    def _json_reader(self) -> JsonCalls:
        """What reads the arguments that follow as JSON."""
        self.write()
        own_end = (Marker(f"</{self.element}>"),) if self.element else ()
        begun = Beginning(
            self._setting,
            marked=not self._setting.gated,
            drift=self._drift,
            ends=(*self._ends, *own_end),
            head=Head(self._name, self._id, 0) if self._name else None,
            lead=self._lead.getvalue(),
        )
        return JsonCalls(begun)


def pass_closing(source: Source, element: str) -> Pull[None]:
    """Behind arguments in JSON, pass over what closes around them, up to the call's *element*."""
    goes_on = bool(element)
    while goes_on:
        yield from source.skip_space()
        tag = yield from source.ask(tag_at)
        if not isinstance(tag, Tag) or not tag.closes:
            return
        goes_on = closes_list(tag)
        if goes_on or tag.word.lower() == element.lower():
            source.at = tag.end


class XmlCalls(TaggedCalls):
    """The same in XML: entities are characters, and so are line breaks at either end of a value."""

    _in_value = _IN_XML
    _beside = True  # are arguments due elsewhere?

    def grammar(self, source: Source) -> Pull[None]:
        """The name first, and all of it in the element of the marker."""
        named = yield from source.take(_NAME_ELEMENT)
        if named is None:
            raise NoCall
        self.element = self._closing_words[0]
        self._named(named.group(1))
        yield from super().grammar(source)

    def _is_over(self, source: Source) -> Pull[bool]:
        over = yield from super()._is_over(source)
        if over and not self._beside and not (yield from source.peek()):
            raise cut_short()  # among the arguments
        return over

    def _begins_call(self, tag: Tag) -> bool:
        return False  # it would have a marker of its own

    def _ends_with(self, tag: Tag) -> bool:
        over, around = super()._ends_with(tag), tag.word.lower() in _AROUND
        if not over and not around:
            self.mended(Repair("extra_closer", Grade.GUESSED))
        self._beside = self._beside or around
        return over

    def _at_argument(self, source: Source, tag: Tag) -> Pull[None]:
        around = tag.word.lower() in _AROUND
        if not around and self._beside:
            self.mended(Repair("flattened_arguments", Grade.GUESSED))
        self._beside = self._beside and not around
        if not around or not (yield from source.match(_JSON_NEXT)):
            yield from super()._at_argument(source, tag)
            return
        yield from source.skip_space()
        value, repairs = yield from self._typed(source, tag.word, _OBJECT)
        if not isinstance(value, dict):
            raise malformed(f"its <{tag.word}> are neither elements nor JSON")
        call = self._opened()
        call.mended(*repairs)
        for key, each in value.items():
            call.argument(key, each)


class _Kept(TextSink):
    """Keeps the text of a value of *call* that is read as a whole."""

    def __init__(self, call: CallRecord) -> None:
        super().__init__()
        self._call = call

    def streaming(
        self,
        stop: Callable[[str], int],
        special: re.Pattern[str],
        decode: Callable[[str], str] | None = None,
    ) -> StreamedString:
        """The text for the hot path, which tells nothing."""
        return StreamedString(stop, self._take, lambda piece: None, self._call.room, special)

    def _take(self, piece: str) -> None:
        self._call.write(piece)
        self._parts.append(piece)


def _certain(like: _InValue, words: tuple[str, ...], text: str, at: int) -> int:
    """Up to where *text* certainly goes on with a value from *at* on.

    Elements whose names begin like one of *words* are open.
    """
    while found := like.text.match(text, at):
        at = found.end()
        if text[at : at + 1] in ("", "&"):  # all was read, but for what may be an entity
            break
        other = _OTHER_END.match(text, at)
        if other is not None and not other[1].lower().startswith(words):
            at = other.end()
        elif any(end.match(text, at) or end.may_change(text, at) for end in like.ends):
            break
        else:
            at += 1
    return at


def _hot_stop(like: _InValue, words: tuple[str, ...], text: str) -> int:
    """How much of *text* certainly goes on with a value; -1 if it has to be read."""
    stop = _certain(like, words, text, 0)
    waits = text[stop : stop + 1] in ("", "&") or _END.may_change(text, stop)
    return stop if waits else -1


def _escaping(say: _Say) -> _Say:
    return lambda piece: say(escape(piece))
