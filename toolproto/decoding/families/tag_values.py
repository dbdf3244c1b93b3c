"""What does the text of an argument in tags mean?

Strings stand there as they are, without escapes: every character counts. Values of other types are
JSON, or elements in elements where a list or an object is due. Which is which is said by an
attribute, or else by the tool's schema; where neither does, the value is a string.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...messages import Grade, Repair
from ...tools.spec import ToolSpec
from ..calls.record import CallRecord
from ..values import repairs as mend
from ..values.lenient import read_json, read_lenient
from ..values.strict import Reading
from .line_values import ZERO_PADDED, kinds, zero_padded

__all__ = ["NULL_WORD", "Elements", "ValueType", "tell_argument", "value_type"]

#: ``null`` where a string may stand, too: it could have been meant as the word.
NULL_WORD = Repair("null_word", Grade.GUESSED)
_EMPTY = Repair("empty_element", Grade.GUESSED)
_STRINGS = frozenset({"string", "str", "text"})
_CONTAINERS = frozenset({"array", "object"})


@dataclass(frozen=True, slots=True)
class ValueType:
    """What an argument may be: *text* if its characters go out as they come.

    *schema* says more, where it is known.
    """

    text: bool
    schema: Any = None

    @property
    def nullable(self) -> bool:
        """May it be null, although it is text?"""
        return self.text and "null" in kinds(self.schema)

    @property
    def container(self) -> bool:
        """Is it a list or an object?"""
        return not self.text and bool(kinds(self.schema) & _CONTAINERS)

    def read(self, text: str) -> tuple[Any, tuple[Repair, ...]]:
        """The value that *text* stands for, all of which has come."""
        if not self.text:
            return _typed(text.strip(), kinds(self.schema))
        if self.nullable and text.strip() == "null":
            return None, (NULL_WORD,)
        return text, ()


def value_type(tool: ToolSpec | None, key: str, told: str = "") -> ValueType:
    """The type of the argument *key* of *tool*; *told* is the one that its tag gives to it."""
    schema = tool.properties.get(key) if tool is not None else None
    if told:
        text = told.lower() in _STRINGS
        return ValueType(text, {"type": "string"} if text else schema or {"type": told.lower()})
    return _of(schema) if tool is not None and key in tool.properties else ValueType(True)


def tell_argument(call: CallRecord, key: str, text: str, told: str = "") -> None:
    """Tell of an argument of *call* whose whole *text* has come; *told* is the type given to it."""
    call.key(key)
    value, repairs = value_type(call.tool, key, told).read(text)
    call.mended(*repairs)
    call.value(value)


def _of(schema: Any) -> ValueType:
    return ValueType(_may_be_text(schema), schema)


def _may_be_text(schema: Any) -> bool:
    if not isinstance(schema, Mapping):
        return False
    kind = schema.get("type")
    if kind is not None:
        return kind == "string" or (isinstance(kind, list) and "string" in kind)
    listed = schema.get("enum")
    if isinstance(listed, list):
        return all(isinstance(value, str) for value in listed)
    parts = [*(schema.get("anyOf") or ()), *(schema.get("oneOf") or ())]
    return any(_may_be_text(part) for part in parts)


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
        ):
            return reading.value, reading.repairs
    if (number := zero_padded(text, wanted)) is not None:
        return number, (ZERO_PADDED,)
    if not text and wanted in ({"array"}, {"object"}):
        return ([] if wanted == {"array"} else {}), (_EMPTY,)
    broken = text[:1] in ("{", "[") or (wanted and "string" not in wanted)
    return text, (mend.BARE_STRING,) if broken else ()


@dataclass(slots=True)
class _Element:
    """An element that is open, with the tag that opened it."""

    word: str
    markup: str
    type: ValueType
    inside: list[str] = field(default_factory=list)
    members: list[tuple[str, Any]] = field(default_factory=list)
    mixed: bool = False  # with text beside its members

    @property
    def verbatim(self) -> bool:
        """Is it known to hold a string, in which no tag counts but the one that closes it?"""
        return self.type.text and self.type.schema is not None


class Elements:
    """The list or the object of *type* that elements in elements say, as they come.

    What they are not good for (text between them, a member twice, too deep) leaves the text
    that they are.
    """

    def __init__(self, type: ValueType, depth: int) -> None:
        self._open = [_Element("", "", type)]
        self._depth = depth
        self._repairs: dict[Repair, None] = {}
        self._fits = True

    @property
    def nested(self) -> bool:
        """Is an element open?"""
        return len(self._open) > 1

    @property
    def word(self) -> str:
        """The name of the innermost element, in lower case."""
        return self._open[-1].word.lower()

    @property
    def inside(self) -> str:
        """The text that has come."""
        return "".join(part for each in self._open for part in (each.markup, *each.inside))

    def text(self, piece: str) -> None:
        """Text between two tags."""
        top = self._open[-1]
        top.inside.append(piece)
        top.mixed = top.mixed or bool(piece.strip())

    def tag(self, word: str, markup: str, *, closes: bool = False, empty: bool = False) -> bool:
        """The tag *markup* opens an element called *word*, or closes it; False if none is open."""
        top = self._open[-1]
        own = word.lower() == self.word
        if top.verbatim and not (closes and own):
            self.text(markup)
        elif closes and own:
            self._close(markup)
        elif not closes:
            self._fits = self._fits and len(self._open) < self._depth
            below = _below(top.type.schema, word)
            self._open.append(
                _Element(word, markup, ValueType(True) if below is None else _of(below))
            )
            if empty:
                self._close("")
        return own or not closes or top.verbatim

    def read(self) -> tuple[Any, Iterable[Repair]]:
        """What they say, once all are closed."""
        value = self._value(self._open[0])
        return (value, self._repairs) if self._fits else self._open[0].type.read(self.inside)

    def _close(self, markup: str) -> None:
        closed = self._open.pop()
        parent = self._open[-1]
        parent.members.append((closed.word, self._value(closed)))
        parent.inside.append(f"{closed.markup}{''.join(closed.inside)}{markup}")

    def _value(self, element: _Element) -> Any:
        if not element.members or element.verbatim:
            value, repairs = element.type.read("".join(element.inside))
            self._repairs.update(dict.fromkeys(repairs))
            return value
        words = [word for word, _ in element.members]
        wanted = kinds(element.type.schema)
        if "array" in wanted or (not wanted and set(words) == {"item"}):
            self._fits = self._fits and not element.mixed
            return [value for _, value in element.members]
        self._fits = self._fits and not element.mixed and len(set(words)) == len(words)
        return dict(element.members)


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
