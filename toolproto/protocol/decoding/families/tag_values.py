"""What does the text of an argument in tags mean?

Strings stand there as they are, without escapes: every character counts. Values of other types are
JSON, or elements in elements where a list or an object is due. Which is which is said by an
attribute, or else by the tool's schema. Where the tool has no such argument, a value that is JSON
of another type is that, as a guess; any other is a string.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ...messages import Grade, Repair
from ...tools.kinds import below, kinds, schema_of
from ...tools.spec import ToolSpec
from .line_values import Repairs, read_text

#: JSON where nothing says that the value is any: it could have been meant as text.
_UNTOLD_TYPE = Repair("untold_type", Grade.GUESSED)
_STRINGS = frozenset({"string", "str", "text"})
_STRING = frozenset({"string"})


class ValueType(NamedTuple):
    """The types that are *wanted* of an argument; *schema* says more, where it is known."""

    wanted: frozenset[str]
    schema: Any = None
    unlisted: bool = False  # an argument that the tool does not have
    json: bool = False  # its tag says that it is JSON, although it may be a string

    @property
    def text(self) -> bool:
        """Is it a string, whose characters go out as they come?"""
        return self.unlisted or _STRING <= self.wanted <= {"string", "null"}

    @property
    def nullable(self) -> bool:
        """May it be null, although it is text?"""
        return self.text and "null" in self.wanted and not self.unlisted

    @property
    def container(self) -> bool:
        """Is it a list or an object?"""
        return "string" not in self.wanted and not self.wanted.isdisjoint({"array", "object"})

    def read(self, text: str) -> tuple[Any, Repairs]:
        """The value that *text* stands for, all of which has come."""
        value, repairs = read_text(text, self.wanted, bare=self.json)
        if self.unlisted and not isinstance(value, str):
            repairs = (*repairs, _UNTOLD_TYPE)
        return value, repairs


_UNTOLD = ValueType(_STRING)
_UNLISTED = ValueType(_STRING | {"object", "array", "number", "boolean", "null"}, unlisted=True)


def value_type(tool: ToolSpec | None, key: str, told: str = "") -> ValueType:
    """The type of the argument *key* of *tool*; *told* is the one that its tag gives to it."""
    schema = schema_of(tool, key)
    if told:
        # DeepSeek V3.2 calls numbers strings, too: where the schema has no strings, it is right.
        is_text = told.lower() in _STRINGS and "string" in (kinds(schema) or _STRING)
        type = _of({"type": "string"} if is_text else schema or {"type": told})
        return type._replace(json=told.lower() == "json" and "string" in type.wanted)
    if tool is None:
        return _UNTOLD
    return _of(schema) if key in tool.properties else _UNLISTED


def _of(schema: Any) -> ValueType:
    return ValueType(kinds(schema), schema)


# -- characters in XML ------------------------------------------------------------------------

_NAMED = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'"}
# Models forget to escape: a raw ``&`` or ``<`` is read as it is. Unless it stands as it does in
# prose and code (``a < b``, ``x<=3``, ``a && b``, ``?a=1&b=2``), it may be what is left of markup
# or of an entity: that is a guess.
_ENTITY = r"(?:amp|lt|gt|quot|apos|#[0-9]{1,6}|#x[0-9a-fA-F]{1,5});"
# Entities have names that begin with a, g, l or q.
_PLAIN_AND = r"\s|&\s|[^\W_aglq]\w{0,39}+(?![\w;])|\w{1,40}+=(?![\"'])"
_PLAIN_LESS = r"[\s\d]|=(?![\"'])|<[\s\d=]"
_SIGN = re.compile(rf"&(?:({_ENTITY})|({_PLAIN_AND})|)|<(?:({_PLAIN_LESS})|)")
#: An entity, or a sign that stands for itself.
SIGN = rf"&(?:{_ENTITY}|{_PLAIN_AND})|<(?:{_PLAIN_LESS})"
_RAW_SIGN, _RAW_MARKUP = Repair("raw_markup"), Repair("raw_markup", Grade.GUESSED)


class Entities:
    """Gives what raw text in XML stands for, and tells *mended* of signs that are not escaped."""

    def __init__(self, mended: Callable[[Repair], None]) -> None:
        self._mended = mended
        self._told: set[Repair] = set()  # there may be very many

    def __call__(self, text: str) -> str:
        return _SIGN.sub(self._meant, text) if "&" in text or "<" in text else text

    def _meant(self, sign: re.Match[str]) -> str:
        """What an entity stands for, or the sign itself."""
        code = sign.group()
        if sign.lastindex != 1:
            repair = _RAW_SIGN if sign.lastindex else _RAW_MARKUP
            if repair not in self._told:
                self._told.add(repair)
                self._mended(repair)
            return code
        if code in _NAMED:
            return _NAMED[code]
        return chr(int(code[3:-1], 16) if code[2] == "x" else int(code[2:-1]))


# -- elements in elements ---------------------------------------------------------------------

#: What MiniMax M3 puts before a tag.
NOISE = r"(?:\]<\]minimax\[>\[)?"
_NESTED = re.compile(rf"{NOISE}<(/?)([A-Za-z_][\w.:-]{{0,63}}+)(?:\s[^<>]{{0,400}}?)?(/?)>")


@dataclass(slots=True)
class _Element:
    """An element that is open: the text and the members in it."""

    word: str
    type: ValueType
    text: list[str] = field(default_factory=list)
    members: list[tuple[str, Any]] = field(default_factory=list)

    @property
    def verbatim(self) -> bool:
        """Is it known to hold a string, in which no tag counts but the one that closes it?"""
        return self.type.text and self.type.schema is not None


def read_elements(
    text: str, type: ValueType, depth: int, decode: Callable[[str], str]
) -> tuple[Any, tuple[Repair, ...]]:
    """The list or the object of *type* that elements in elements say, all of which have come.

    *decode* gives what the text in them stands for. What they are not good for (text between
    them, too deep) leaves the text that they are.
    """
    repairs: dict[Repair, None] = {}
    try:
        root = _root(text, type, depth, lambda element: _value(element, decode, repairs))
    except ValueError:
        return type.read(decode(text))
    return root, tuple(repairs)


def _root(text: str, type: ValueType, depth: int, value: Callable[[_Element], Any]) -> Any:
    open, at = [_Element("", type)], 0
    for tag in _NESTED.finditer(text):
        top, (slash, word, empty) = open[-1], tag.groups()
        own = slash and word.lower() == top.word.lower()
        if top.verbatim and not own:
            continue
        top.text.append(text[at : tag.start()])
        at = tag.end()
        if slash and not own:
            raise ValueError("it closes another one")
        if not slash:
            inner = below(top.type.schema, word)
            open.append(_Element(word, _UNTOLD if inner is None else _of(inner)))
        if slash or empty:
            closed = open.pop()
            open[-1].members.append((closed.word, value(closed)))
        if not 0 < len(open) <= depth:
            raise ValueError("too deep")
    if len(open) > 1:
        raise ValueError("not closed")
    open[0].text.append(text[at:])
    return value(open[0])


def _value(element: _Element, decode: Callable[[str], str], repairs: dict[Repair, None]) -> Any:
    text = "".join(element.text)
    if not element.members:
        value, mended = element.type.read(decode(text))
        repairs.update(dict.fromkeys(mended))
        return value
    words, wanted = [word for word, _ in element.members], element.type.wanted
    if text.strip():
        raise ValueError("text stands beside its members")
    if "array" in wanted or (element.type is _UNTOLD and set(words) == {"item"}):
        return [value for _, value in element.members]
    if len(set(words)) < len(words):
        raise ValueError("a member comes twice")
    return dict(element.members)
