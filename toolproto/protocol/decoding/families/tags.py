"""A call written in tags: an element for the call, one for each argument.

Five ways to say which tool and which argument are in use (``<function=f>``, ``<invoke name="f">``,
``<name>f</name>``, the tool's name as the tag, the name as plain text before the arguments), and as
many for an argument. A model that was asked for one writes another often enough; so all are read.

Well-formed XML (`XmlCalls`) is read the same way, but for its entities.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from ...messages import Grade, Repair
from ..calls.names import Head, Offered, read_head
from ..calls.pulled import MISSING_CLOSER, NoCall, PulledCalls
from ..calls.record import Beginning, CallRecord, TextSink
from ..faults import Refused, cut_short, malformed
from ..markers import Marker
from ..markup import GAP, SLASH
from ..patterns import Pattern
from ..source import Pull, Source
from ..values.repairs import STRAY_TEXT
from .elements import AROUND, CALLS, LEAKS, TAG, ElementText, Tag, tag_at, words_of
from .json_calls import JsonCalls
from .tag_values import Entities, ValueType, read_elements, value_type

_NULL = Pattern(r"\s{0,8}+(?:null|None)\s{0,8}+[<\]]")
_NULL_OR_STRING = Pattern(rf"{_NULL.source}|\s{{0,8}}+\"")
# A bracket, or a word of JSON with nothing beside it, begins a value that may not be text.
# ``{``, ``[``, ``3.5</``, ``null<``.
_JSON_BEGINS = Pattern(
    r"\s{0,8}+(?:[\[{]|(?:-?[0-9]{1,18}+(?:\.[0-9]{1,18}+)?(?:[eE][-+]?[0-9]{1,3}+)?"
    r"|true|false|null)\s{0,8}+[<\]])"
)
_ELEMENTS = Pattern(r"\s{0,80}+(?:<[^!]|\]<)")
_CDATA = Pattern(r"<!\[CDATA\[\s{0,20}")
_TOOL_NAME = Pattern(r"\s{0,20}[\w.:/-]{1,128}\s{0,20}</tool>")
_NAME_TEXT = Pattern(r"(?:[^<\]]|\](?!<)|<(?=\d)){0,256}")
_NO_NAME = Pattern(rf"[^<\]]|<{GAP}{SLASH}")
#: A value has tags in it that would end it, if they did not stand for themselves.
_TAG_IN_VALUE = Repair("tag_in_value", Grade.GUESSED)
_STRAY_MARK = re.compile(r"[<{\]]")
_JSON_NEXT = Pattern(r"\s{0,80}(?:<!\[CDATA\[\s{0,20})?\{")
_NAMES = frozenset({"name", "tool_name", "function_name"})
_SAYS_NAME = ("name", "tool", "tool_name", "function")  # attributes
_ARGUMENTS = frozenset({"parameter", "param", "arg", "argument", "tool_arg"})
# An argument that tools seldom have: all of them may stand in it, as one object.
_WRAPPERS = frozenset(
    {"arguments", "parameters", "args", "params", "input", "properties", "kwargs"}
)
# What the element around all arguments goes on with: one of them, or its own end if there is none.
_ONE_OF_ALL = r"(?:parameter|param|argument|arg)[\s=]"
_FIRST_OF_ALL = Pattern(rf"\s{{0,80}}<{_ONE_OF_ALL}")
_FIRST_OR_NONE = Pattern(rf"\s{{0,80}}<(?:/|{_ONE_OF_ALL})")
# Between an argument whose value is an attribute and its end, if that comes.
_NOTHING_IN_IT = Pattern(r"\s{0,80}+(?:(</(?:param|arg)(?:eter|ument)?>)|(?=<(?:/|param|arg)))")
_LONGEST_NAME = 128
_OBJECT = ValueType(frozenset({"object"}))


def opens_call(tag: Tag) -> bool:
    """Does *tag* begin a call, by itself or with its name to come?"""
    return not tag.closes and tag.word.lower() in CALLS | AROUND | _NAMES


def as_call(tag: Tag, offered: Offered) -> Tag:
    """Return ``<function=bash>`` for the ``<function_bash>`` that Qwen 3 Coder leaks."""
    word, _, name = tag.word.partition("_")
    joined = word.lower() == "function" and not tag.value and offered.any and offered.has(name)
    return replace(tag, word=word, value=name) if joined else tag


class TaggedCalls(PulledCalls):
    """Reads one call. See ``JsonCalls`` for the members."""

    is_call = True
    #: What may stand before a value and not belong to it: a line break, and what begins CDATA.
    value_begins = Pattern(r"(\r?\n)?(<!\[CDATA\[)?")
    entities: Entities | None = None  # what gives the characters that they stand for

    def __init__(self, begun: Beginning) -> None:
        super().__init__(begun)
        self._ends, head = begun.ends, begun.head
        self._name, self._id = (head.name, head.id) if head else ("", "")
        self.element = ""  # of the call
        self._key = self._type = ""  # of the value that comes next
        self._given: set[str] = set()  # arguments whose value has begun
        ends = (end.text for end in self._ends if end.text[:2] == "</")
        self.marker_words = [words_of(end[2:].rstrip(">"))[-1] for end in ends]
        # What the elements in it begin with, as the one around it does: LongCat's ``<longcat_``.
        prefixes = (word.removesuffix("tool_call") for word in self.marker_words)
        self._prefix = next((each for each in prefixes if each.endswith("_")), "")
        self.json: JsonCalls | None = None  # reads on if the arguments are JSON
        self.committed = bool(self._name)

    @property
    def meant(self) -> bool:
        """Is it certain that this is a call, so that a cut makes it a truncated one?"""
        return bool(self._name) or not self._setting.only_offered

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
            if isinstance(tag, Tag) and tag.closes_any(*self.closing_words):
                source.at += tag.length
                return
            source.at += 1
            yield from source.before(marks)

    @property
    def closing_words(self) -> list[str]:
        """What the element of the call may be called."""
        return [self.element] if self.element else [*self.marker_words, "tool_call"]

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
                if TAG.may_change(source.text, source.at) and "/" not in source.text[source.at :]:
                    raise cut_short()  # within a tag that opens something
                self.mended(STRAY_TEXT)
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
        char = yield from source.skip_to()
        if char and not (yield from source.at_end()):
            return False
        if not char and self._name and self._own and not self._given:
            raise cut_short()  # behind its name: which arguments were to come, nobody knows
        if not char:
            self.mended(MISSING_CLOSER)
        return True

    def _at_tag(self, source: Source, tag: Tag) -> Pull[bool]:
        """Read what *tag* opens; is the call over with it?"""
        tag = as_call(tag, self._setting.offered)
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
        return tag.word.lower() in CALLS and tag.word not in self._own

    def word_of(self, tag: Tag) -> str:
        """What *tag* is called, but for a prefix that the element around the call has as well."""
        return tag.word.lower().removeprefix(self._prefix)

    def _ends_with(self, tag: Tag) -> bool:
        word = self.word_of(tag)
        if word == self.element.lower() or (word in CALLS and not self.element):
            return True
        own = tag.word in self._own and word not in CALLS | AROUND
        if own or word in _ARGUMENTS or word == "arg_value":
            # What was taken for the end of the value before may have been a part of it.
            self.mended(Repair("extra_closer", Grade.GUESSED))
        return False

    # -- the name -------------------------------------------------------------------------

    def _at_name(self, source: Source, tag: Tag) -> Pull[None]:
        word, offered = tag.word.lower(), self._setting.offered
        own = word not in _NAMES | CALLS | AROUND
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
        elif own or word in CALLS:
            self.element = tag.word
            name = tag.value or tag.attribute(*_SAYS_NAME)
            if own or name:
                self._named(tag.word if own else name)
            if self._own & (tag.attributes.keys() - _SAYS_NAME):
                self.mended(STRAY_TEXT)  # an argument among the attributes of the call

    def _plain_name(self, source: Source) -> Pull[None]:
        """Where the name may stand as it is, behind the tag of the call."""
        head = (yield from read_head(source)) if self.element else None
        end = source.at + head.length if head else 0
        if head is None or source.text[end : end + 1] not in ("{", "<"):
            raise NoCall
        source.at = end
        self._named(head.name)

    def _named(self, name: str) -> None:
        name = LEAKS.sub("", name)[:_LONGEST_NAME]
        self._name = name.removeprefix("functions.").replace("\\_", "_")
        if self._setting.only_offered and not self._setting.offered.knows(self._name):
            raise NoCall
        self.committed = True

    def _word(self, source: Source, element: str) -> Pull[str]:
        """A name or a type that stands in an *element*."""
        found = yield from source.take(_NAME_TEXT)
        assert found is not None, "matches the empty string"
        word = found.group().strip()
        yield from source.due()
        tag = yield from source.ask(tag_at)
        own, around = isinstance(tag, Tag) and tag.closes_any(element), self.closing_words
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
        word = self.word_of(tag)
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
        elif (key or tag.word in self._own) and (yield from self._is_in_tag(source, tag)):
            call, key = self._opened(), key or tag.word
            value, repairs = value_type(call.tool, key, tag.type).read(tag.attribute("value"))
            self.tell({key: value}, *repairs)
        elif key.lower() in _WRAPPERS and not self._given and self._own and key not in self._own:
            yield from self._wrapped(source, key, tag.word)
        elif key or word not in AROUND or (yield from self._is_value(source, tag.word)):
            if not key and word in _ARGUMENTS and tag.word not in self._own:
                self.mended(Repair("missing_name", Grade.GUESSED))
            yield from self._value(source, key or tag.word, tag.word, tag.type)

    def _is_in_tag(self, source: Source, tag: Tag) -> Pull[bool]:
        """Does *tag* hold its value as an attribute? Then what closes it is passed."""
        if tag.empty or "value" not in tag.attributes:
            return tag.empty
        if closed := (yield from source.match(_NOTHING_IN_IT)):
            source.at += len(closed.group())
            if not closed[1]:
                self.mended(MISSING_CLOSER)
        else:
            self.mended(STRAY_TEXT)  # it has another one
        return closed is not None

    @property
    def _own(self) -> frozenset[str]:
        """The names of the tool's arguments, if they are known."""
        return self._setting.offered.keys(self._name) or frozenset()

    def is_due(self, key: str) -> bool:
        """Is there an argument called *key* that was not given?"""
        return key not in self._given and key in self._own

    def _is_value(self, source: Source, word: str) -> Pull[bool]:
        """Is *word*, which may stand around all arguments, one of them here?"""
        # Where the tool's name is the tag of the call, each argument is one, and may be empty.
        around = _FIRST_OR_NONE if self.element.lower() in CALLS else _FIRST_OF_ALL
        return word in self._own and (yield from source.match(around)) is None

    def _wrapped(self, source: Source, key: str, element: str) -> Pull[None]:
        """All arguments as one object, if that is what stands in *element*; else it is *key*."""
        call = self._opened()
        value, repairs = yield from self._typed(source, element, _OBJECT)
        self._given.add(key)
        if isinstance(value, dict) and value and self._own.issuperset(value):
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
        begins = _NULL_OR_STRING if type.json else begins
        if type.text and not (begins and (yield from source.match(begins))):
            call.open_text()
            if (yield from ElementText(self, element, call).read()):
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
        has_tags = yield from ElementText(self, element, kept, raw=True, nested=nested).read()
        text, decode = kept.close_text(), self.entities or str
        if nested:
            return read_elements(text, type, self._setting.limits.depth, decode)
        value, repairs = type.read(decode(text))
        # Where all of it is JSON, its tags stand in strings.
        doubted = (_TAG_IN_VALUE,) if has_tags and isinstance(value, str) else ()
        return value, (*doubted, *repairs)

    def _json_reader(self) -> JsonCalls:
        """What reads the arguments that follow as JSON."""
        self.write()
        own_end = (Marker(f"</{self.element}>"),) if self.element else ()
        begun = self._begun._replace(
            marked=not self._setting.only_offered,
            repairs=self._repairs,
            ends=(*self._ends, *own_end),
            head=Head(self._name, self._id, 0) if self._name else None,
            lead=self._lead.getvalue(),
        )
        return JsonCalls(begun)


def pass_closing(source: Source, element: str) -> Pull[None]:
    """Behind arguments in JSON, pass over what closes around them, up to the call's *element*."""
    goes_on = bool(element)
    while goes_on:
        yield from source.skip_to()
        tag = yield from source.ask(tag_at)
        if not isinstance(tag, Tag) or not tag.closes:
            return
        goes_on = tag.closes_list
        if goes_on or tag.word.lower() == element.lower():
            source.at += tag.length


class XmlCalls(TaggedCalls):
    """The same in XML: entities are characters, and so are line breaks at either end of a value."""

    value_begins = Pattern(r"()(<!\[CDATA\[)?")
    _beside = True  # are arguments due elsewhere?

    def __init__(self, begun: Beginning) -> None:
        super().__init__(begun)
        self.entities = Entities(self.mended)
        self.element = self.closing_words[0]  # that of the marker

    def _ends_with(self, tag: Tag) -> bool:
        over, around = super()._ends_with(tag), tag.word.lower() in AROUND
        if not over and not around:
            self.mended(Repair("extra_closer", Grade.GUESSED))
        self._beside = self._beside or around
        return over

    def _at_argument(self, source: Source, tag: Tag) -> Pull[None]:
        around = tag.word.lower() in AROUND
        if not around and self._beside:
            self.mended(Repair("flattened_arguments", Grade.GUESSED))
        self._beside = self._beside and not around
        if not around or not (yield from source.match(_JSON_NEXT)):
            yield from super()._at_argument(source, tag)
            return
        yield from source.skip_to()
        value, repairs = yield from self._typed(source, tag.word, _OBJECT)
        if not isinstance(value, dict):
            raise malformed(f"its <{tag.word}> are neither elements nor JSON")
        self._opened()
        self.tell(value, *repairs)
