"""What the keywords for objects and arrays ask of the members."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from .faults import ENOUGH, Keyword, SchemaFault, SchemaWalk, as_array, as_object, first
from .json_types import is_array, is_number, is_object, is_string

__all__ = ["MEMBERS", "known_keys"]


def _properties(
    walk: SchemaWalk, properties: Any, value: Any, schema: Mapping[str, Any]
) -> list[SchemaFault]:
    if not is_object(value):
        return []
    named = as_object(properties)
    walk.work.spend(len(named))
    return first(walk.inside(key, value[key], named[key]) for key in named if key in value)


def _required(
    walk: SchemaWalk, required: Any, value: Any, schema: Mapping[str, Any]
) -> list[SchemaFault]:
    if not is_object(value):
        return []
    names = as_array(required)
    walk.work.spend(len(names))
    missing = (name for name in names if is_string(name) and name not in value)
    return [SchemaFault("required", name, value) for name in missing]


def known_keys(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The properties *schema* names; empty where it names none."""
    return as_object(schema.get("properties"))


def _extras(walk: SchemaWalk, value: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[str]:
    """Keys that neither ``properties`` nor ``patternProperties`` speaks of."""
    known, patterns = known_keys(schema), as_object(schema.get("patternProperties"))
    walk.work.spend(len(value))
    for key in value:
        # A pattern that cannot be tried may have matched: the doubt favours the key.
        if key not in known and all(walk.work.search(each, key) is False for each in patterns):
            yield key


def _additional(
    walk: SchemaWalk, extra: Any, value: Any, schema: Mapping[str, Any]
) -> list[SchemaFault]:
    if not is_object(value) or extra is True:
        return []
    if extra is False:
        known, extras = tuple(known_keys(schema)), islice(_extras(walk, value, schema), ENOUGH)
        return [SchemaFault("additionalProperties", known, key) for key in extras]
    return first(walk.inside(key, value[key], extra) for key in _extras(walk, value, schema))


def _pattern_properties(
    walk: SchemaWalk, patterns: Any, value: Any, schema: Mapping[str, Any]
) -> list[SchemaFault]:
    if not is_object(value):
        return []
    walk.work.spend(len(as_object(patterns)) * len(value))
    return first(
        walk.inside(key, value[key], inner)
        for pattern, inner in as_object(patterns).items()
        for key in value
        if walk.work.search(pattern, key)
    )


def _property_names(
    walk: SchemaWalk, inner: Any, value: Any, schema: Mapping[str, Any]
) -> list[SchemaFault]:
    if not is_object(value):
        return []
    bad = (key for key in value if walk.faults(key, inner))
    return [SchemaFault("propertyNames", inner, key) for key in islice(bad, ENOUGH)]


def _dependent_required(
    walk: SchemaWalk, needs: Any, value: Any, schema: Mapping[str, Any]
) -> list[SchemaFault]:
    if not is_object(value):
        return []
    named = as_object(needs)
    return first(_required(walk, named[key], value, schema) for key in named if key in value)


def _dependent_schemas(
    walk: SchemaWalk, schemas: Any, value: Any, schema: Mapping[str, Any]
) -> list[SchemaFault]:
    if not is_object(value):
        return []
    named = as_object(schemas)
    return first(walk.faults(value, named[key]) for key in named if key in value)


def _items(
    walk: SchemaWalk, items: Any, value: Any, schema: Mapping[str, Any]
) -> list[SchemaFault]:
    if not is_array(value):
        return []
    if is_array(items):  # how drafts before 2020-12 wrote prefixItems
        return _prefix_items(walk, items, value, schema)
    start = len(as_array(schema.get("prefixItems")))
    return first(walk.inside(at, value[at], items) for at in range(start, len(value)))


def _prefix_items(
    walk: SchemaWalk, prefix: Any, value: Any, schema: Mapping[str, Any]
) -> list[SchemaFault]:
    pairs = enumerate(zip(as_array(value), as_array(prefix), strict=False))
    return first(walk.inside(at, each, inner) for at, (each, inner) in pairs)


def _contains(
    walk: SchemaWalk, inner: Any, value: Any, schema: Mapping[str, Any]
) -> list[SchemaFault]:
    if not is_array(value):
        return []
    least, most = schema.get("minContains", 1), schema.get("maxContains", len(value))
    count = sum(not walk.faults(each, inner) for each in value)
    if is_number(least) and count < least:
        return [SchemaFault("minContains", least, count)]
    return [SchemaFault("maxContains", most, count)] if is_number(most) and count > most else []


MEMBERS: dict[str, Keyword] = {
    "additionalProperties": _additional,
    "contains": _contains,
    "dependentRequired": _dependent_required,
    "dependentSchemas": _dependent_schemas,
    "items": _items,
    "patternProperties": _pattern_properties,
    "prefixItems": _prefix_items,
    "properties": _properties,
    "propertyNames": _property_names,
    "required": _required,
}
