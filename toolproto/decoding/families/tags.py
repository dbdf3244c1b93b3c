"""A call written in tags: an element for the call, one for each argument.

Five ways to say which tool and which argument are in use (``<function=f>``, ``<invoke name="f">``,
``<name>f</name>``, the tool's name as the tag, the name as plain text before the arguments), and as
many for an argument. A model that was asked for one writes another often enough; so all are read.

``<parameter=city>``, ``<parameter name="city" string="true">``, ``<｜DSML｜invoke name="f">``,
``<steptml:parameter name="x">``, ``<|open|>call tool="f"<|sep|>``, ``]<]minimax[>[</city>`` and
``<|tool_arg:start|>x<|tool_arg:value|>`` are all tags: a word, perhaps a value, or attributes.

Well-formed XML (`XmlCalls`) is read the same way, but for its entities.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from html import escape, unescape
from typing import Any, NamedTuple

from ...messages import Grade, Repair
from ..calls.names import Head, read_head
from ..calls.pulled import MISSING_CLOSER, NoCall, PulledCalls, cut_short
from ..calls.record import Beginning, CallRecord, TextSink
from ..patterns import LazyPattern, Pattern, text_before
from ..reply.markers import MORE, NO, Marker
from ..source import Pull, Source
from ..values.strict import Refused, malformed
from .json_calls import JsonCalls
from .tag_values import NOISE, ValueType, read_elements, value_type

# -- one tag ------------------------------------------------------------------------------

# What dialects put before the name of a tag.
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
_ATTRIBUTE = re.compile(rf"\s*([\w-]{{1,40}})\s{{0,3}}=\s{{0,3}}({_VALUE.replace('<>]', ']')})")
_ATTRIBUTES = rf"(?:\s{{1,80}}+[\w-]{{1,40}}+\s{{0,3}}+=\s{{0,3}}+(?:{_VALUE})){{0,8}}"
_TAG = Pattern(
    rf"{NOISE}<\s{{0,3}}+([/\\]?)\s{{0,3}}+{_TOKEN}({_NAME})"
    rf"(?:\s{{0,3}}=\s{{0,3}}[\"']?([^\"'<>\n]{{1,128}})[\"']?)?({_ATTRIBUTES})\s{{0,3}}(/?)>"
    rf"|<[|｜](open|close)[|｜]>({_NAME})({_ATTRIBUTES.replace('<>]', '<>]|<(?![|｜])')})"
    r"<[|｜]sep[|｜]>"
    r"|<[|｜]tool_arg:(?:start[|｜]>([^<>\n]{1,128})<[|｜]tool_arg:value|(end))[|｜]>"
    # Step 3.5 forgets the sign before a name, or the bracket behind it, or says what it is twice.
    r"|<(function|parameter)(?:\s{0,3}=|[ \t])\s{0,3}([\w.:/=-]{1,128}+)"
    r"[ \t]{0,3}(?:>|(?=\n[^\s>]|<))"
)
# ``<param name=…>`` without its space, or with the letter that stands for one in a vocabulary.
_COLLAPSED = re.compile(r"(?i:(function|invoke|param|parameter|arg|argument)Ġ?name)")
_PARTS = re.compile("[:|]")
_LONGEST = 2400  # characters of a tag: room for the longest attribute that is written


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

    def told(self, *names: str) -> str:
        """The first of the attributes *names* that it has."""
        return next((self.attributes[name] for name in names if self.attributes.get(name)), "")

    def closes_any(self, *words: str) -> bool:
        """Does it close an element that is called like one of *words*?"""
        return self.closes and any(word.lower() in self.names[:2] for word in words)

    @property
    def key(self) -> str:
        """The argument, or the tool, that it names."""
        return self.value or self.told("name", "key").strip()

    @property
    def type(self) -> str:
        """The type that it gives to its argument."""
        if "string" in self.attributes:
            return "string" if self.attributes["string"].lower() == "true" else "json"
        return self.attributes.get("type", "")


def tag_at(text: str, at: int, final: bool) -> Tag | int:
    """The tag that begins at *at*, or NO, or MORE."""
    found = _TAG.match(text, at, at + _LONGEST)
    if found is None or found[11]:  # nothing behind the last character of a whole one changes it
        short = not final and len(text) - at < _LONGEST
        if short and _TAG.may_change(text, at):
            return MORE
    return NO if found is None else _parsed(*found.groups(), length=found.end() - at) or NO


@lru_cache(maxsize=1024)  # a reply has few different ones, but perhaps many of them
def _parsed(*parts: str | None, length: int) -> Tag | None:
    slash, name, value, attributes, empty, kind, spelled, more, key, end, broken, given = parts
    name, closes = name or spelled or broken or "tool_arg", bool(slash or end) or kind == "close"
    name = name.removeprefix("longcat_")  # ``<longcat_arg_key>`` is GLM's
    names = tuple(_PARTS.split(name.replace("\\_", "_").lower()))
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


# -- what may end a value ---------------------------------------------------------------------

# Some dialects set a value apart by a line break at either end; others keep it. Behind one, the
# next argument may begin although the last one was not closed.
_LINE = r"\r\n|\n|\r"
_PREFIX = r"(?:[A-Za-z]{1,12}[:|])?"
# An element that may be the next argument, or is called like the one around it, or its call.
_OPENS = (
    rf"{_PREFIX}(?:(?:param|arg)(?:eter|ument)?(?:_key\s{{0,3}}+>|\s{{0,3}}+=|"
    r"\s{1,80}+[\w-]{1,40}+\s{0,3}+=)|(?:function|invoke)[\s=>])"
)
_MAY_END = Pattern(rf"(?:{_LINE})?(?:\]<\]m|<(?:\s{{0,3}}+[/\\][\w\s|｜]|[|｜][A-Za-z]|{_OPENS}))")
# Tags that close others are text in a value: files are full of them.
_OTHER_END = re.compile(rf"(?:{_LINE})?</([A-Za-z][A-Za-z0-9-]{{0,40}}+)>")
# Words on the line of a closing tag, before another tag.
_WORDS_BEHIND = Pattern(r"[ \t]{0,8}[^\s<][^<]{0,300}(?=<)")
# A closing tag without its end, before another tag.
_HALF_CLOSER = Pattern(
    rf"(?:{_LINE})?{NOISE}<\s{{0,3}}+[/\\]\s{{0,3}}+{_TOKEN}({_NAME})\s{{0,80}}+(?=<)"
)
_LINE_BREAK = Pattern(rf"(?:{_LINE})?(?=[<\]])")
_LINES_END = re.compile(_LINE)
_CDATA_OVER = Pattern(r"\]\]>\s{0,80}+")
_NULL = Pattern(r"\s{0,8}+null\s{0,8}+[<\]]")
# A bracket, or a word of JSON with nothing beside it, begins a value that may not be text.
_JSON_BEGINS = Pattern(
    r"\s{0,8}+(?:[\[{]|(?:-?[0-9]{1,18}+(?:\.[0-9]{1,18}+)?(?:[eE][-+]?[0-9]{1,3}+)?"
    r"|true|false|null)\s{0,8}+[<\]])"
)
_ELEMENTS = Pattern(r"\s{0,80}+(?:<[^!]|\]<)")
_KEY = Pattern(r"\s{0,8}([\w.-]{1,64})\s{0,8}<")
_CDATA = Pattern(r"<!\[CDATA\[\s{0,20}")
_TOOL_NAME = Pattern(r"\s{0,20}[\w.:/-]{1,128}\s{0,20}</tool>")
_NAME_TEXT = Pattern(r"(?:[^<\]]|\](?!<)|<(?=\d)){0,256}")
_NO_NAME = Pattern(r"[^<\]]|<\s{0,3}[/\\]")
_BLANK = Pattern(r"\s{0,80}")
#: A value has tags in it that would end it, if they did not stand for themselves.
_TAG_IN_VALUE = Repair("tag_in_value", Grade.GUESSED)
_CHARACTER = Pattern(r"[\s\S]")
_STRAY_MARK = re.compile(r"[<{\]]")
_NAMED = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'"}
# Models forget to escape: a raw ``&`` or ``<`` is read as it is. Unless it stands as it does in
# prose and code (``a < b``, ``x<=3``, ``a && b``, ``?a=1&b=2``), it may be what is left of markup
# or of an entity: that is a guess.
_ENTITY = r"(?:amp|lt|gt|quot|apos|#[0-9]{1,6}|#x[0-9a-fA-F]{1,5});"
# Entities have names that begin with a, g, l or q.
_PLAIN_AND = r"\s|&\s|[^\W_aglq]\w{0,39}+(?![\w;])|\w{1,40}+=(?![\"'])"
_PLAIN_LESS = r"[\s\d]|=(?![\"'])|<[\s\d=]"
_SIGN = re.compile(rf"&(?:({_ENTITY})|({_PLAIN_AND})|)|<(?:({_PLAIN_LESS})|)")
_RAW_SIGN, _RAW_MARKUP = Repair("raw_markup"), Repair("raw_markup", Grade.GUESSED)
_UNIT = Pattern(rf"&(?:{_ENTITY}|{_PLAIN_AND})|<(?:{_PLAIN_LESS})|[\s\S]")
_JSON_NEXT = Pattern(r"\s{0,80}(?:<!\[CDATA\[\s{0,20})?\{")


class _InValue(NamedTuple):
    """How a value goes on: up to what may be one of its *ends*, with *text* before that.

    For the hot path, only what is *special* has to be looked at.
    """

    ends: Pattern
    text: LazyPattern
    special: re.Pattern[str] = re.compile(r"[<\]\r\n]")


_IN_TEXT = _InValue(_MAY_END, text_before(r"<\]\r\n", _MAY_END))
# What has begun is waited for; once it is whole, it is text like any other.
_SIGN_BEGUN = Pattern(rf"(?:&(?:{_ENTITY}|{_PLAIN_AND})|<(?:{_PLAIN_LESS}))(?!)")
_IN_XML = _InValue(
    _MAY_END, text_before(r"<\]\r\n&", _MAY_END, _SIGN_BEGUN), re.compile(r"[<&\]\r\n]")
)
_CDATA_ENDS = Pattern(r"\]\]>|\]<\]m|<(?:\s{0,3}+[/\\]|[|｜])")
_IN_CDATA = _InValue(_CDATA_ENDS, text_before(r"<\]", _CDATA_ENDS))
_ANY_TAG = Pattern(rf"(?:{_LINE})?(?:\]<\]m|<(?:\s{{0,3}}+[/\\]|[\w|｜]))")
_IN_ELEMENTS = _InValue(_ANY_TAG, text_before(r"<\]\r\n", _ANY_TAG))
_VALUE_BEGINS = Pattern(r"(\r?\n)?(<!\[CDATA\[)?")

_Say = Callable[[str], object]


@dataclass(slots=True)
class _Value:
    """A value that is being read: where it stands, and how many of its like are open in it."""

    element: str
    say: _Say
    framed: bool  # by line breaks that do not belong to it
    cdata: bool
    nested: bool  # are there elements in it that say a list or an object?
    elements: int = 0
    calls: int = 0
    has_tags: bool = False  # that were counted


# -- the call -----------------------------------------------------------------------------

_CALLS = frozenset({"function", "invoke", "call", "function_call", "tool_call", "tool", "tool_use"})
_NAMES = frozenset({"name", "tool_name", "function_name"})
_ARGUMENTS = frozenset({"parameter", "param", "arg", "argument", "tool_arg"})
_AROUND = frozenset({"arguments", "parameters", "args", "params", "input"})
# An argument that tools seldom have: all of them may stand in it, as one object.
_WRAPPERS = _AROUND | {"properties", "kwargs"}
_AROUND |= {"args_json", "function_calls", "tool_calls", "calls", "json"}
# What the element around all arguments goes on with: one of them, or its own end if there is none.
_ONE_OF_ALL = r"(?:parameter|param|argument|arg)[\s=]"
_FIRST_OF_ALL = Pattern(rf"\s{{0,80}}<{_ONE_OF_ALL}")
_FIRST_OR_NONE = Pattern(rf"\s{{0,80}}<(?:/|{_ONE_OF_ALL})")
_LONGEST_NAME = 128
_NO_KEY = Repair("missing_name", Grade.GUESSED)
_OBJECT = ValueType(frozenset({"object"}))


def opens_call(tag: Tag) -> bool:
    """Does *tag* begin a call, by itself or with its name to come?"""
    return not tag.closes and tag.word.lower() in _CALLS | _AROUND | _NAMES


def closes_list(tag: Tag) -> bool:
    """Does *tag* close what stands around several calls?"""
    return tag.closes and tag.word.lower() in _AROUND


class TaggedCalls(PulledCalls):
    """Reads one call. See ``JsonCalls`` for the members."""

    is_call = True
    _begins, _entities = _VALUE_BEGINS, False

    def __init__(self, begun: Beginning) -> None:
        super().__init__(begun)
        self._ends, head = begun.ends, begun.head
        self._name, self._id = (head.name, head.id) if head else ("", "")
        self.element = ""  # of the call
        self._key = self._type = ""  # of the value that comes next
        self._given: set[str] = set()  # arguments whose value has begun
        self._raw: set[Repair] = set()  # what was said of raw signs
        ends = (end.text for end in self._ends if end.text[:2] == "</")
        self._marker_words = [_PARTS.split(end[2:].rstrip(">"))[-1] for end in ends]
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
            tag = yield from source.ask(tag_at)
            if isinstance(tag, Tag) and tag.closes_any(*self._closing_words):
                source.at += tag.length
                return
            source.at += 1
            yield from source.before(marks)

    @property
    def _closing_words(self) -> list[str]:
        return [self.element] if self.element else [*self._marker_words, "tool_call"]

    def _opened(self) -> CallRecord:
        """The call, told of with its first argument: before that, JSON may come instead."""
        if self._call is None:
            self.write()  # all of it counts for the limit
            return self.open(self._name, self._id)
        return self._call

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
        if tag.broken:
            self.mended(Repair("broken_tag"))
        if tag.closes:
            over = self._ends_with(tag)
            if not over or self._name:  # else it is refused, and passed over with its last tag
                source.at += tag.length
            return over
        if not self._name:
            yield from self._at_name(source, tag)
        elif self._begins_call(tag) and not self._is_named_again(tag):
            self.mended(Repair("missing_closer"))
            return True
        elif self._begins_call(tag):
            self.element = tag.word
            self.mended(Repair("named_twice"))
            source.at += tag.length
        else:
            source.at += tag.length
            yield from self._at_argument(source, tag)
        return False

    def _is_named_again(self, tag: Tag) -> bool:
        """Behind the name and nothing else, does *tag* open the call of that name?"""
        only_name = not (self.element or self._key) and self._call is None
        return only_name and tag.key.removeprefix("functions.") == self._name

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
        if own and not offered.has(tag.word):
            raise NoCall
        if tag.broken and not offered.knows(tag.value):
            raise NoCall  # two mistakes in one word are none that anybody can mend
        source.at += tag.length
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
        head = (yield from read_head(source)) if self.element else None
        end = source.at + head.length if head else 0
        if head is None or source.text[end : end + 1] not in ("{", "<"):
            raise NoCall
        source.at = end
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
        tag = yield from source.ask(tag_at)
        own, around = isinstance(tag, Tag) and tag.closes_any(element), self._closing_words
        if isinstance(tag, Tag) and tag.closes and (own or not tag.closes_any(*around)):
            if not own:
                written = source.text[source.at : source.at + tag.length]
                self.mended(Repair("other_closer", Grade.GUESSED, written))
            source.at += tag.length
        elif (yield from source.match(_NO_NAME)):
            raise malformed("a name in it has no end")
        else:
            self.mended(MISSING_CLOSER)
        return word

    # -- arguments ------------------------------------------------------------------------

    def _at_argument(self, source: Source, tag: Tag) -> Pull[None]:
        word = tag.word.lower()
        key = tag.key if word in _ARGUMENTS else ""
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
            call, key = self._opened(), key or tag.word
            value, repairs = value_type(call.tool, key, tag.type).read(tag.told("value"))
            self.tell({key: value}, *repairs)
        elif key.lower() in _WRAPPERS and not self._given and self._knows_others(key):
            yield from self._wrapped(source, key, tag.word)
        elif key or word not in _AROUND or (yield from self._is_value(source, tag.word)):
            if not key and word in _ARGUMENTS and not self._is_own(tag.word):
                self.mended(_NO_KEY)
            yield from self._value(source, key or tag.word, tag.word, tag.type)

    def _is_own(self, word: str) -> bool:
        """Is there an argument called *word*?"""
        tool = self._setting.offered.get(self._name)
        return tool is not None and word in tool.properties

    def _is_value(self, source: Source, word: str) -> Pull[bool]:
        """Is *word*, which may stand around all arguments, one of them here?"""
        # Where the tool's name is the tag of the call, each argument is one, and may be empty.
        around = _FIRST_OR_NONE if self.element.lower() in _CALLS else _FIRST_OF_ALL
        return self._is_own(word) and (yield from source.match(around)) is None

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
            self.tell(value, *repairs, Repair("dict_argument", Grade.GUESSED, key))
        else:
            call.argument(key, value)

    def _value(self, source: Source, key: str, element: str, told: str) -> Pull[None]:
        """The value of an argument; a string goes out while it comes."""
        call = self._opened()
        type = value_type(call.tool, key, told)
        call.key(key)
        self._given.add(key)
        begins = _NULL if type.nullable else _JSON_BEGINS if type.unlisted else None
        if type.text and not (begins and (yield from source.match(begins))):
            call.open_text()
            if (yield from self._inside(source, element, call)):
                self.mended(_TAG_IN_VALUE)
            call.close_text()
        else:
            value, repairs = yield from self._typed(source, element, type)
            self.mended(*repairs)
            call.value(value)

    def _typed(
        self, source: Source, element: str, type: ValueType
    ) -> Pull[tuple[Any, tuple[Repair, ...]]]:
        """A value that is read once all of it has come."""
        nested = type.container and (yield from source.match(_ELEMENTS)) is not None
        kept = TextSink(self._opened())
        has_tags = yield from self._inside(source, element, kept, raw=True, nested=nested)
        text = kept.close_text()
        if nested:
            return read_elements(text, type, self._setting.limits.depth, self._decoded)
        value, repairs = type.read(self._decoded(text))
        # Where all of it is JSON, its tags stand in strings.
        doubted = (_TAG_IN_VALUE,) if has_tags and isinstance(value, str) else ()
        return value, (*doubted, *repairs)

    def _inside(
        self,
        source: Source,
        element: str,
        sink: TextSink,
        *,
        raw: bool = False,
        nested: bool = False,
    ) -> Pull[bool]:
        """Give *sink* what stands in *element*, piece by piece; *raw* text is decoded later.

        Are there tags in it that would end it, if they did not stand for themselves?
        """
        begin = yield from source.take(self._begins)
        framed, cdata = bool(begin and begin.group(1)), bool(begin and begin.group(2))
        decode = self._decoded if self._entities and not raw and not cdata else None
        escapes = cdata and raw and self._entities
        say: _Say = (lambda piece: sink.text(escape(piece))) if escapes else sink.text
        value = _Value(element, say, framed, cdata, nested)
        words = (element, *self._closing_words, *self._marker_words)
        words = tuple(word.lower() for word in words)
        plain = _IN_XML if self._entities else _IN_TEXT
        like = _IN_CDATA if cdata else _IN_ELEMENTS if nested else plain
        stop = partial(_hot_stop, like.text, words)
        self.hot = None if cdata else lambda: sink.streaming(stop, plain.special, decode)
        before, over = (_CDATA_OVER if cdata else _LINE_BREAK), False
        while not over:
            certain = _certain(like.text, words, source.text, source.at)
            if piece := source.text[source.at : certain]:
                source.at = certain
                say(decode(piece) if decode else piece)
            if not (yield from source.peek()):
                raise cut_short()
            may_end = yield from source.match(like.ends)
            ahead = (yield from source.length(before)) if may_end else 0
            tag = (yield from source.ask(tag_at, ahead)) if may_end else NO
            if isinstance(tag, Tag):
                length = ahead + tag.length
                over = yield from self._ends_value(source, value, tag, ahead, length)
                piece = "" if over else source.text[source.at : source.at + length]
            elif may_end and not cdata and (yield from self._is_half_closed(source, element)):
                over, piece = True, ""
            else:
                unit = yield from source.match(_UNIT if decode else _CHARACTER)
                # What stood here while it waited may have gone out on the hot path.
                piece = unit.group() if unit else ""
            source.at += len(piece)
            if piece:
                say(decode(piece) if decode else piece)
        self.hot = None
        return value.has_tags

    def _ends_value(
        self, source: Source, value: _Value, tag: Tag, ahead: int, length: int
    ) -> Pull[bool]:
        """Is *value* over with *tag*, *ahead* of here? Then reading goes on where that is read.

        *length* is that of all up to behind the tag.
        """
        if not tag.closes:
            apart = ahead or source.text[source.at + 1] in "|｜"  # by a line break, or a token
            if apart and not value.cdata and (yield from self._is_next(source, tag, ahead)):
                self.mended(MISSING_CLOSER)
                source.at += ahead
                return True
            self._opens_inner(value, tag)
            return False
        if tag.closes_any(value.element) and not tag.key:
            if value.cdata and not ahead:
                return False
            if value.elements and (
                value.nested or not (yield from self._is_outer(source, value, length))
            ):
                value.elements -= 1
                return False
            if not value.nested and (yield from self._is_closed_again(source, value, length)):
                value.has_tags = True
                return False
            if not value.cdata and not value.framed:
                value.say(source.text[source.at : source.at + ahead])
            source.at += length
            return True
        if tag.names[-1].startswith(value.element.lower()) and not value.cdata:
            return (yield from self._is_drifted(source, length))
        return (yield from self._ends_call(source, value, tag, ahead, length))

    def _opens_inner(self, value: _Value, tag: Tag) -> None:
        """Count *tag* if it opens an element that is called like that of the value, or the call."""
        word, named = tag.word.lower(), bool(tag.key)
        if tag.empty or tag.broken or value.cdata:
            return
        if word == value.element.lower() and (named or value.nested):
            value.elements += 1
        elif word == self.element.lower() and not value.nested:
            value.calls += 1
        else:
            return
        value.has_tags = True

    def _ends_call(
        self, source: Source, value: _Value, tag: Tag, ahead: int, length: int
    ) -> Pull[bool]:
        """Does *tag* close the whole call, or the marker around it, and the value with it?

        It does, if nothing comes behind it or what closes something around.
        """
        if not tag.closes_any(*self._closing_words, *self._marker_words):
            return False
        if value.calls:
            value.calls -= 1
            return False
        length += yield from source.length(_BLANK, length)
        rest = yield from source.peek(length + 1)
        if len(rest) > length and not (yield from source.at_end(length)):
            around = yield from source.ask(tag_at, length)
            if not isinstance(around, Tag) or not around.closes_any(*_AROUND, *_CALLS):
                return False
        self.mended(MISSING_CLOSER)
        source.at += ahead
        return True

    def _is_closed_again(self, source: Source, value: _Value, length: int) -> Pull[bool]:
        """Do words follow what closes the value, *length* long, and what closes it once more?"""
        words = yield from source.match(_WORDS_BEHIND, length)
        if words is None:
            return False
        tag = yield from source.ask(tag_at, length + len(words.group()))
        return isinstance(tag, Tag) and tag.closes_any(value.element) and not tag.key

    def _is_outer(self, source: Source, value: _Value, length: int) -> Pull[bool]:
        """Does what closes the value, *length* long, close it and none of those within?"""
        length += yield from source.length(_BLANK, length)
        if not (yield from source.peek(length + 1))[length:]:
            return True
        return (yield from self._goes_on(source, length)) and not value.calls

    def _goes_on(self, source: Source, ahead: int) -> Pull[bool]:
        """Does the next argument stand *ahead* of here, or what closes the call?"""
        tag = yield from source.ask(tag_at, ahead)
        if isinstance(tag, Tag) and tag.closes_any(*self._closing_words, *_AROUND):
            return True
        return (yield from self._is_next(source, tag, ahead))

    def _is_half_closed(self, source: Source, element: str) -> Pull[bool]:
        """Does ``</parameter`` close *element*, without its end? Reading goes on behind it."""
        half = yield from source.match(_HALF_CLOSER)
        if half is None or not _PARTS.split(half[1].lower())[-1].startswith(element.lower()):
            return False
        return (yield from self._is_drifted(source, len(half.group())))

    def _is_drifted(self, source: Source, length: int) -> Pull[bool]:
        """Does ``</parameter1>`` or the like, *length* long, close the value? Then it is read."""
        written = source.text[source.at : source.at + length].strip()
        length += yield from source.length(_BLANK, length)
        if not (yield from self._goes_on(source, length)):
            return False
        self.mended(Repair("other_closer", Grade.GUESSED, written))
        source.at += length
        return True

    def _is_next(self, source: Source, tag: Tag | int, ahead: int) -> Pull[bool]:
        """Does *tag*, *ahead* of here, begin an argument of the tool that was not given?"""
        if not isinstance(tag, Tag) or tag.closes:
            return False
        key = tag.key
        if tag.word.lower() == "arg_key":
            named = yield from source.match(_KEY, ahead + tag.length)
            key = named.group(1) if named else ""
        return self._is_own(key) and key not in self._given

    def _decoded(self, text: str) -> str:
        """What raw *text* stands for."""
        if not self._entities or ("&" not in text and "<" not in text):
            return text
        return _SIGN.sub(self._meant, text)

    def _meant(self, sign: re.Match[str]) -> str:
        """What an entity stands for, or the sign itself."""
        code = sign.group()
        if sign.lastindex != 1:
            repair = _RAW_SIGN if sign.lastindex else _RAW_MARKUP
            if repair not in self._raw:  # there may be very many
                self._raw.add(repair)
                self.mended(repair)
            return code
        if code in _NAMED:
            return _NAMED[code]
        return chr(int(code[3:-1], 16) if code[2] == "x" else int(code[2:-1]))

    def _json_reader(self) -> JsonCalls:
        """What reads the arguments that follow as JSON."""
        self.write()
        own_end = (Marker(f"</{self.element}>"),) if self.element else ()
        begun = self._begun._replace(
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
            source.at += tag.length


class XmlCalls(TaggedCalls):
    """The same in XML: entities are characters, and so are line breaks at either end of a value."""

    _begins, _entities = Pattern(r"()(<!\[CDATA\[)?"), True
    _beside = True  # are arguments due elsewhere?

    def __init__(self, begun: Beginning) -> None:
        super().__init__(begun)
        self.element = self._closing_words[0]  # that of the marker

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
        self._opened()
        self.tell(value, *repairs)


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
