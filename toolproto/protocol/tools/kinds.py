"""Which JSON types does a schema want? As far as that can be said at a glance.

Readers ask it of a value whose text alone does not say what it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import UsageError
from ..schemas.json_types import name_type
from ..schemas.schema import resolve
from .spec import ToolSpec

__all__ = ["below", "fits", "kinds", "kinds_of", "member", "schema_of"]


def kinds_of(tool: ToolSpec | None, key: str) -> frozenset[str]:
    """The JSON types that the argument *key* of *tool* may have; empty where nobody knows."""
    return kinds(schema_of(tool, key))


def schema_of(tool: ToolSpec | None, key: str) -> Any:
    """What *tool* says of its argument *key*, or what that refers to; None if nothing."""
    schema = tool.properties.get(key) if tool is not None else None
    reference = member(schema, "$ref")
    if tool is None or reference is None:
        return schema
    try:
        return resolve(reference, tool.parameters)
    except UsageError:
        return schema


def kinds(schema: Any, *, part: bool = False) -> frozenset[str]:
    """The JSON types that *schema* allows; empty where it does not say."""
    told = member(schema, "type")
    if isinstance(told, str):
        return frozenset({told})
    if isinstance(told, list):
        return frozenset(kind for kind in told if isinstance(kind, str))
    is_fixed = isinstance(schema, Mapping) and "const" in schema
    listed = [schema["const"]] if is_fixed else member(schema, "enum")
    if isinstance(listed, list):
        return frozenset(map(name_type, listed))
    # Alternatives within alternatives are left alone.
    known = [] if part else [kinds(each, part=True) for each in _parts(schema)]
    return frozenset().union(*known) if known and all(known) else frozenset()


def fits(value: Any, wanted: frozenset[str]) -> bool:
    """Is *value* of one of the types *wanted*?"""
    kind = name_type(value)
    return kind in wanted or (kind == "integer" and "number" in wanted)


def member(schema: Any, key: str) -> Any:
    """What *schema* has under *key*, if it has anything."""
    return schema.get(key) if isinstance(schema, Mapping) else None


def below(schema: Any, word: str, *, part: bool = False) -> Any:
    """The schema of a member called *word*, or of an item; None where nothing says it."""
    named = member(member(schema, "properties"), word)
    for each in (named, member(schema, "items"), member(schema, "additionalProperties")):
        if isinstance(each, Mapping):
            return each
    # One level, as `kinds` looks: alternatives within alternatives are left alone.
    found = [] if part else [below(each, word, part=True) for each in _parts(schema)]
    return next(filter(None, found), None)


def _parts(schema: Any) -> list[Any]:
    """The alternatives of *schema*."""
    return [*(member(schema, "anyOf") or ()), *(member(schema, "oneOf") or ())]
