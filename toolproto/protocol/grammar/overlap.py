"""Whether a value can be of two schemas at once."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

from ..schemas.faults import as_array
from ..schemas.json_types import is_array, is_object

__all__ = ["are_apart"]


def are_apart(branches: list[Any]) -> bool:
    """Whether no value can be of two of *branches*, as far as that is easily seen."""
    if len(branches) > 32:
        return False
    return all(_is_apart(one, other) for one, other in combinations(branches, 2))


def _is_apart(one: Any, other: Any) -> bool:
    if not is_object(one) or not is_object(other):
        return one is False or other is False
    kinds, others = _kinds(one), _kinds(other)
    if kinds and others and not kinds & others:
        return True
    values, more = _values(one), _values(other)
    if values is not None and more is not None:
        return not any(each in more for each in values)
    tags, tagged = one.get("properties"), other.get("properties")
    if not is_object(tags) or not is_object(tagged):
        return False
    shared = set(_names(one)) & set(_names(other))
    return any(
        _is_apart_by_value(tags[key], tagged[key])
        for key in shared
        if key in tags and key in tagged
    )


def _is_apart_by_value(one: Any, other: Any) -> bool:
    values, more = _values(one), _values(other)
    return values is not None and more is not None and not any(each in more for each in values)


def _values(schema: Any) -> list[Any] | None:
    if not is_object(schema):
        return None
    if "const" in schema:
        return [schema["const"]]
    listed = schema.get("enum")
    return [*as_array(listed)] if is_array(listed) and len(as_array(listed)) <= 100 else None


def _names(schema: Mapping[str, Any]) -> list[str]:
    return [each for each in as_array(schema.get("required")) if isinstance(each, str)]


def _kinds(schema: Mapping[str, Any]) -> set[str]:
    listed = schema.get("type")
    kinds = {listed} if isinstance(listed, str) else set()
    kinds |= {each for each in as_array(listed) if isinstance(each, str)}
    # An integer is a number, too.
    return kinds | ({"number"} if "integer" in kinds else set())
