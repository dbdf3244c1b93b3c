"""What the model is told about arguments that do not fit.

Every line names the place, what was expected and what came. Values are the model's own and may
be huge or unprintable, so they are shown short and escaped.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any

from ..schemas.faults import SchemaFault
from ..schemas.json_types import is_array, is_integer, is_object, name_type
from .names import suggest

__all__ = ["show", "show_name", "show_path", "word_faults", "word_line"]

_MAX_LINES = 3
_MAX_LINE = 199
_MAX_VALUE = 60
_MAX_CHOICES = 8


def word_faults(faults: Sequence[SchemaFault]) -> str:
    """The first few of *faults*, one line each."""
    lines = dict.fromkeys(_line(fault) for fault in faults)
    return "\n".join(list(lines)[:_MAX_LINES])


def word_line(path: Iterable[str | int], text: str) -> str:
    """One line about one place, short enough to be read."""
    line = _printable(f"{show_path(path)}: {text}")
    return line if len(line) <= _MAX_LINE else f"{line[: _MAX_LINE - 1]}…"


def show_path(path: Iterable[str | int]) -> str:
    """``arguments.items[3].name``: where in a call's arguments something stands."""
    return "arguments" + "".join(map(_step, path))


def show(value: Any) -> str:
    """A value as the model may see it again: JSON if short, else its beginning or its size."""
    if isinstance(value, str):
        return _quoted(value)
    if is_integer(value):
        return str(value) if abs(value) < 10**_MAX_VALUE else f"integer of {_digits(value)} digits"
    if is_array(value):
        return f"array of {len(value)} items"
    if is_object(value):
        return f"object with {_listed(value)}" if value else "object without keys"
    return json.dumps(value) if isinstance(value, float | bool | None) else _printable(repr(value))


def _line(fault: SchemaFault) -> str:
    words = _WORDS.get(fault.keyword, _unfit)
    return word_line(fault.path, words(fault))


def _step(part: str | int) -> str:
    if isinstance(part, int):
        return f"[{part}]"
    return f".{part}" if part.isidentifier() and len(part) <= _MAX_VALUE else f"[{_quoted(part)}]"


def _quoted(text: str) -> str:
    cut = text if len(text) <= _MAX_VALUE else f"{text[: _MAX_VALUE - 1]}…"
    return _printable(json.dumps(cut, ensure_ascii=False))


def _printable(text: str) -> str:
    """Without the characters that hide, reorder or cannot be encoded (lone surrogates)."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text)


def _digits(value: int) -> int:
    return int(value.bit_length() * math.log10(2)) + 1


def _listed(values: Iterable[Any]) -> str:
    shown = [show(value) for value in islice(values, _MAX_CHOICES + 1)]
    return ", ".join([*shown[:_MAX_CHOICES], "…"] if len(shown) > _MAX_CHOICES else shown)


def _came(value: Any) -> str:
    """A value under its type's name, for a reader who mistook the type."""
    shown, name = show(value), name_type(value)
    return shown if shown.startswith(name) else f"{name} {shown}"


def _count(noun: str, relation: str) -> Callable[[SchemaFault], str]:
    def words(fault: SchemaFault) -> str:
        plural = noun if fault.expected == 1 else f"{noun}s"
        return f"expected {relation} {show(fault.expected)} {plural}, got {len(fault.got)}"

    return words


def _bound(relation: str) -> Callable[[SchemaFault], str]:
    return lambda fault: f"expected {relation} {show(fault.expected)}, got {show(fault.got)}"


def _type(fault: SchemaFault) -> str:
    wanted = " or ".join(dict.fromkeys(map(str, fault.expected)))
    return f"expected {wanted}, got {_came(fault.got)}"


def _enum(fault: SchemaFault) -> str:
    if len(fault.expected) == 1:
        return f"expected {show(fault.expected[0])}, got {show(fault.got)}"
    return f"expected one of {_listed(fault.expected)}; got {show(fault.got)}"


def _unknown(fault: SchemaFault) -> str:
    text = f"unknown {show_name(fault.got)}"
    if close := suggest(fault.got, fault.expected, limit=1):
        return f"{text}; did you mean {show_name(close[0])}?"
    # Told only what is known, a small model wrote the same call again in half of the cases.
    known = " or ".join(map(show_name, fault.expected[:_MAX_CHOICES]))
    return f"{text}; leave it out, or use {known}" if known else f"{text}; leave it out"


def show_name(key: str) -> str:
    """A name the model wrote, in the quotes that names have."""
    return f"'{_quoted(key)[1:-1]}'"


def _unfit(fault: SchemaFault) -> str:
    return f"{_came(fault.got)} is not allowed here"


_WORDS: dict[str, Callable[[SchemaFault], str]] = {
    "additionalProperties": _unknown,
    "enum": _enum,
    "exclusiveMaximum": _bound("less than"),
    "exclusiveMinimum": _bound("more than"),
    "maxContains": _bound("matching items: at most"),
    "maxItems": _count("item", "at most"),
    "maxLength": _count("character", "at most"),
    "maxProperties": _count("key", "at most"),
    "maximum": _bound("at most"),
    "minContains": _bound("matching items: at least"),
    "minItems": _count("item", "at least"),
    "minLength": _count("character", "at least"),
    "minProperties": _count("key", "at least"),
    "minimum": _bound("at least"),
    "multipleOf": _bound("a multiple of"),
    "oneOf": lambda fault: f"{_came(fault.got)} fits {fault.expected} of the forms, expected one",
    "pattern": _bound("text matching"),
    "propertyNames": lambda fault: f"{show_name(fault.got)} is not allowed as a key",
    "required": lambda fault: f"missing required {show_name(fault.expected)}",
    "type": _type,
    "uniqueItems": lambda fault: "expected items that all differ, got one twice",
}
