"""What does the text of an argument in tags mean?

Strings stand there as they are, without escapes: every character counts. Values of other types are
JSON, or elements in elements where a list or an object is due. Which is which is said by an
attribute, or else by the tool's schema. Where the tool has no such argument, a value that is JSON
of another type is that, as a guess; any other is a string.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...errors import UsageError
from ...messages import Grade, Repair
from ...tools.schema import resolve
from ...tools.spec import ToolSpec
from ..calls.record import CallRecord
from ..values import repairs as mend
from ..values.lenient import read_all, read_json, read_lenient
from ..values.strict import Reading
from .line_values import ZERO_PADDED, fits, kinds, zero_padded

__all__ = [
    "ANY_JSON",
    "NULL_WORD",
    "UNTOLD_TYPE",
    "ValueType",
    "read_elements",
    "tell_argument",
    "value_type",
]

#: ``null`` where a string may stand, too: it could have been meant as the word.
NULL_WORD = Repair("null_word", Grade.GUESSED)
_EMPTY = Repair("empty_element", Grade.GUESSED)
#: A member that comes several times is a list: no other reading keeps all of it.
_LISTED = Repair("repeated_element", Grade.GUESSED)
_JSON_STRING = Repair("json_string")
#: JSON where nothing says that the value is any: it could have been meant as text.
UNTOLD_TYPE = Repair("untold_type", Grade.GUESSED)
_STRINGS = frozenset({"string", "str", "text"})
_CONTAINERS = frozenset({"array", "object"})


@dataclass(frozen=True, slots=True)
class ValueType:
    """What an argument may be: *text* if its characters go out as they come.

    *schema* says more, where it is known.
    """

    text: bool
    schema: Any = None
    unlisted: bool = False  # an argument that the tool does not have

    @property
    def nullable(self) -> bool:
        """May it be null, although it is text?"""
        return self.text and "null" in kinds(self.schema)

    @property
    def container(self) -> bool:
        """Is it a list or an object?"""
        wanted = kinds(self.schema)
        return not self.text and "string" not in wanted and bool(wanted & _CONTAINERS)

    def read(self, text: str) -> tuple[Any, tuple[Repair, ...]]:
        """The value that *text* stands for, all of which has come."""
        wanted = kinds(self.schema)
        if not self.text:
            return _one_of(text, wanted) if "string" in wanted else _typed(text.strip(), wanted)
        if self.nullable and text.strip() == "null":
            return None, (NULL_WORD,)
        return text, ()


def value_type(tool: ToolSpec | None, key: str, told: str = "") -> ValueType:
    """The type of the argument *key* of *tool*; *told* is the one that its tag gives to it."""
    schema = _meant(tool, tool.properties.get(key)) if tool is not None else None
    if told:
        text = told.lower() in _STRINGS
        return ValueType(text, {"type": "string"} if text else schema or {"type": told.lower()})
    if tool is None:
        return ValueType(True)
    return _of(schema) if key in tool.properties else _UNLISTED


_UNLISTED = ValueType(True, unlisted=True)
#: The same, read once all of it has come.
ANY_JSON = ValueType(False, {"type": ["string", "object", "array", "number", "boolean", "null"]})


def tell_argument(call: CallRecord, key: str, text: str, told: str = "") -> None:
    """Tell of an argument of *call* whose whole *text* has come; *told* is the type given to it."""
    call.key(key)
    value, repairs = value_type(call.tool, key, told).read(text)
    call.mended(*repairs)
    call.value(value)


def _meant(tool: ToolSpec, schema: Any) -> Any:
    """*schema*, or what it refers to."""
    if not isinstance(schema, Mapping) or "$ref" not in schema:
        return schema
    try:
        return resolve(schema["$ref"], tool.parameters)
    except UsageError:
        return schema


def _of(schema: Any) -> ValueType:
    # Where other types are allowed, too, it is not known before all of it has come.
    only = kinds(schema) <= {"string", "null"}
    return ValueType(only and _may_be_text(schema), schema)


def _may_be_text(schema: Any) -> bool:
    if not isinstance(schema, Mapping):
        return False
    kind = schema.get("type")
    if kind is not None:
        return kind == "string" or (isinstance(kind, list) and "string" in kind)
    listed = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if isinstance(listed, list):
        return all(isinstance(value, str) for value in listed)
    parts = [*(schema.get("anyOf") or ()), *(schema.get("oneOf") or ())]
    return any(_may_be_text(part) for part in parts)


def _one_of(text: str, wanted: frozenset[str]) -> tuple[Any, tuple[Repair, ...]]:
    """*text*, or the JSON that it is if one of the types *wanted* beside a string is that."""
    word = text.strip()
    reading = read_json(word) if word else None
    if (
        isinstance(reading, Reading)
        and reading.is_all_of(word)
        and fits(reading.value, wanted - {"string"})
    ):
        return reading.value, (NULL_WORD,) if reading.value is None else reading.repairs
    return text, ()


def _typed(text: str, wanted: frozenset[str]) -> tuple[Any, tuple[Repair, ...]]:
    """The JSON that *text* is.

    What is not JSON, or only if some of it is left out, stays the text that it is: the check
    against the schema then says what was expected, and nothing is made of half a value.
    """
    for read in (read_json, read_lenient):
        reading = read(text)
        # What is left out of a value was meant, too.
        if (
            isinstance(reading, Reading)
            and text
            and reading.is_all_of(text)
            and (mend.STRAY_TEXT not in reading.repairs)
            # 1_000 is no number of JSON: where nobody asks for one, it is text.
            and (wanted or mend.NUMBER_FORM not in reading.repairs)
        ):
            return _unquoted(reading, wanted)
    if (number := zero_padded(text, wanted)) is not None:
        return number, (ZERO_PADDED,)
    if not text and wanted in ({"array"}, {"object"}):
        return ([] if wanted == {"array"} else {}), (_EMPTY,)
    broken = text[:1] in ("{", "[") or (wanted and "string" not in wanted)
    return text, (mend.BARE_STRING,) if broken else ()


def _unquoted(reading: Reading, wanted: frozenset[str]) -> tuple[Any, tuple[Repair, ...]]:
    """What was read, or the list or object in it if that is *wanted* and a string was read."""
    if isinstance(reading.value, str) and wanted and wanted <= _CONTAINERS:
        inner = read_all(reading.value) or read_lenient(reading.value)
        if (
            isinstance(inner, Reading)
            and inner.is_all_of(reading.value)
            and fits(inner.value, wanted)
        ):
            return inner.value, (*reading.repairs, *inner.repairs, _JSON_STRING)
    return reading.value, reading.repairs


# -- elements in elements ---------------------------------------------------------------------

_NESTED = re.compile(
    r"(?:\]<\]minimax\[>\[)?<(/?)([A-Za-z_][\w.:-]{0,63}+)(?:\s[^<>]{0,400}?)?(/?)>"
)


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
            below = _below(top.type.schema, word)
            open.append(_Element(word, ValueType(True) if below is None else _of(below)))
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
    words, wanted = [word for word, _ in element.members], kinds(element.type.schema)
    if text.strip():
        raise ValueError("text stands beside its members")
    if "array" in wanted or (not wanted and set(words) == {"item"}):
        return [value for _, value in element.members]
    if len(set(words)) == len(words):
        return dict(element.members)
    repairs[_LISTED] = None
    listed: dict[str, list[Any]] = {}
    for word, value in element.members:
        listed.setdefault(word, []).append(value)
    return {word: each if len(each) > 1 else each[0] for word, each in listed.items()}


def _below(schema: Any, word: str) -> Any:
    """The schema of a member called *word*, or of an item; None where nothing says it."""
    if not isinstance(schema, Mapping):
        return None
    members = schema.get("properties")
    if isinstance(members, Mapping) and isinstance(members.get(word), Mapping):
        return members[word]
    for others in (schema.get("items"), schema.get("additionalProperties")):
        if isinstance(others, Mapping):
            return others
    parts = [*(schema.get("anyOf") or ()), *(schema.get("oneOf") or ())]
    # One level, as `kinds` looks: alternatives within alternatives are left alone.
    plain = [{**part, "anyOf": (), "oneOf": ()} for part in parts if isinstance(part, Mapping)]
    return next((found for part in plain if (found := _below(part, word))), None)
