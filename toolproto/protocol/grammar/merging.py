"""Several schemas that must all be met, as one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..schemas.json_types import is_array, is_number, is_object

__all__ = ["merged"]

_LARGER = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_SMALLER = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
#: They say nothing about values.
_WORDS = frozenset(
    ["title", "description", "default", "examples", "$defs", "definitions", "$schema", "$id",
     "$comment", "deprecated", "readOnly", "writeOnly"]
)  # fmt: skip


def merged(schemas: Iterable[Any]) -> tuple[Any, list[str]]:
    """One schema for all of *schemas*, and the keywords of which it holds only one."""
    whole: dict[str, Any] = {}
    unsaid: list[str] = []
    for schema in schemas:
        if schema is False:
            return False, []
        if is_object(schema):
            for keyword, value in schema.items():
                _add(whole, keyword, value, unsaid)
    return (False if whole.get("type") == [] else whole), unsaid


def _add(whole: dict[str, Any], keyword: str, value: Any, unsaid: list[str]) -> None:
    if keyword not in whole or keyword in _WORDS or whole[keyword] == value:
        whole[keyword] = value
        return
    both = _both(keyword, whole[keyword], value)
    if both is None:
        unsaid.append(keyword)
    else:
        whole[keyword] = both


def _both(keyword: str, one: Any, other: Any) -> Any:
    """What *keyword* asks if it asks *one* and *other*; None where that cannot be said."""
    if keyword in _LARGER and is_number(one) and is_number(other):
        return max(one, other)
    if keyword in _SMALLER and is_number(one) and is_number(other):
        return min(one, other)
    if keyword == "type":
        return _types(one, other)
    if keyword == "enum" and is_array(one) and is_array(other):
        return [each for each in one if each in other]
    if keyword == "required" and is_array(one) and is_array(other):
        return list(dict.fromkeys(str(each) for each in (*one, *other)))
    if keyword == "properties" and is_object(one) and is_object(other):
        return _properties(one, other)
    return None


def _types(one: Any, other: Any) -> list[Any]:
    kinds, others = (list(each) if is_array(each) else [each] for each in (one, other))
    shared = [kind for kind in kinds if kind in others]
    for some, more in ((kinds, others), (others, kinds)):
        # An integer is a number, too.
        if "integer" in some and "number" in more and "integer" not in shared:
            shared.append("integer")
    return shared


def _properties(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    both = dict(one)
    for key, schema in other.items():
        both[key] = {"allOf": [both[key], schema]} if key in both else schema
    return both
