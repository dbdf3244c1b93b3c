"""JSON's types and JSON's equality, for values that Python holds."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from .work import Work

__all__ = [
    "is_array",
    "is_integer",
    "is_number",
    "is_object",
    "is_string",
    "is_type",
    "name_type",
    "one_of",
    "same",
    "unique_key",
]


def is_number(value: Any) -> bool:
    """Whether *value* is a JSON number: NaN and the infinities are Python's only."""
    if isinstance(value, float):
        return math.isfinite(value)
    return is_integer(value)


def is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def is_string(value: Any) -> bool:
    return isinstance(value, str)


def is_array(value: Any) -> bool:
    return isinstance(value, list | tuple)


def is_object(value: Any) -> bool:
    # Asking an abstract class takes five times as long, and nearly every object is a dict.
    return isinstance(value, (dict, Mapping))


# An integer is a number too; the narrower name comes first so that name_type finds it.
_TYPES: dict[str, Callable[[Any], bool]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": is_integer,
    "number": is_number,
    "string": is_string,
    "array": is_array,
    "object": is_object,
}


def is_type(value: Any, name: Any) -> bool:
    """Whether *value* is of a JSON type; a type nobody knows accepts anything."""
    test = _TYPES.get(name) if isinstance(name, str) else None
    return test is None or test(value)


def name_type(value: Any) -> str:
    """What JSON calls *value*."""
    found = next((name for name, test in _TYPES.items() if test(value)), None)
    return found or type(value).__name__


def same(one: Any, two: Any, work: Work) -> bool:
    """Equality as JSON has it: 1 is 1.0 but not true."""
    work.spend()
    if is_object(one) and is_object(two):
        return one.keys() == two.keys() and all(same(one[key], two[key], work) for key in one)
    if is_array(one) and is_array(two):
        pairs = zip(one, two, strict=False)
        return len(one) == len(two) and all(same(left, right, work) for left, right in pairs)
    return isinstance(one, bool) == isinstance(two, bool) and bool(one == two)


def one_of(value: Any, choices: Sequence[Any], work: Work) -> bool:
    """Whether *value* is the same JSON as one of *choices*."""
    known = work.choices(choices)
    return known.has_plain(value) or any(same(each, value, work) for each in known.containers)


def unique_key(value: Any, work: Work) -> Hashable:
    """A key that two values share exactly if they are the same JSON."""
    work.spend()
    if is_object(value):
        return frozenset((key, unique_key(each, work)) for key, each in value.items())
    if is_array(value):
        return tuple(unique_key(each, work) for each in value)
    return isinstance(value, bool), value
