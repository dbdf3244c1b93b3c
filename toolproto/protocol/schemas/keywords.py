"""What each JSON Schema keyword asks of a value.

Each is a row of ``KEYWORDS``; what has no row is not enforced. A keyword whose own value makes
no sense is passed over, so that a schema nobody checked cannot raise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from .faults import Keyword, SchemaFault, SchemaWalk, as_array, first, nearest
from .json_types import is_array, is_number, is_object, is_string, is_type, one_of, same, unique_key
from .members import MEMBERS
from .schema import resolve

__all__ = ["KEYWORDS"]

_Test = Callable[[Any], bool]


def _plain(keyword: str, applies: _Test, ok: Callable[[Any, Any], bool]) -> Keyword:
    """A keyword with a number that looks at one value alone."""

    def check(
        walk: SchemaWalk, bound: Any, value: Any, schema: Mapping[str, Any]
    ) -> list[SchemaFault]:
        if not applies(value) or not is_number(bound) or ok(value, bound):
            return []
        return [SchemaFault(keyword, bound, value)]

    return check


def _is_multiple(value: float, of: float) -> bool:
    # Through their decimal spelling: 0.3 is a multiple of 0.1, though not in binary.
    exact, unit = (Fraction(each if isinstance(each, int) else repr(each)) for each in (value, of))
    return unit == 0 or (exact / unit).denominator == 1


def _type(walk: SchemaWalk, names: Any, value: Any, schema: Mapping[str, Any]) -> list[SchemaFault]:
    wanted = names if is_array(names) else [names]
    for name in wanted:
        if is_type(value, name):
            return []
    return [SchemaFault("type", wanted, value)] if wanted else []


def _enum(
    walk: SchemaWalk, choices: Any, value: Any, schema: Mapping[str, Any]
) -> list[SchemaFault]:
    if not is_array(choices) or one_of(value, choices, walk.work):
        return []
    return [SchemaFault("enum", choices, value)]


def _const(
    walk: SchemaWalk, expected: Any, value: Any, schema: Mapping[str, Any]
) -> list[SchemaFault]:
    return [] if same(expected, value, walk.work) else [SchemaFault("enum", [expected], value)]


def _pattern(
    walk: SchemaWalk, pattern: Any, value: Any, schema: Mapping[str, Any]
) -> list[SchemaFault]:
    if is_string(value) and walk.work.search(pattern, value) is False:
        return [SchemaFault("pattern", pattern, value)]
    return []


def _unique(
    walk: SchemaWalk, unique: Any, value: Any, schema: Mapping[str, Any]
) -> list[SchemaFault]:
    if unique is not True or not is_array(value):
        return []
    distinct = {unique_key(each, walk.work) for each in value}
    return [] if len(distinct) == len(value) else [SchemaFault("uniqueItems", True, value)]


def _ref(
    walk: SchemaWalk, reference: Any, value: Any, schema: Mapping[str, Any]
) -> list[SchemaFault]:
    return walk.referred(value, resolve(reference, walk.root))


def _all_of(
    walk: SchemaWalk, branches: Any, value: Any, schema: Mapping[str, Any]
) -> list[SchemaFault]:
    return first(walk.faults(value, branch) for branch in as_array(branches))


def _any_of(
    walk: SchemaWalk, branches: Any, value: Any, schema: Mapping[str, Any]
) -> list[SchemaFault]:
    failed = []
    for branch in as_array(branches):
        found = walk.faults(value, branch)
        if not found:
            return []
        failed.append(found[0])
    return [nearest(value, failed)] if failed else []


def _one_of(
    walk: SchemaWalk, branches: Any, value: Any, schema: Mapping[str, Any]
) -> list[SchemaFault]:
    if found := _any_of(walk, branches, value, schema):
        return found
    fitting = sum(not walk.faults(value, each) for each in as_array(branches))
    return [SchemaFault("oneOf", fitting, value)] if fitting > 1 else []


def _not(walk: SchemaWalk, inner: Any, value: Any, schema: Mapping[str, Any]) -> list[SchemaFault]:
    return [] if walk.faults(value, inner) else [SchemaFault("not", inner, value)]


def _if(
    walk: SchemaWalk, condition: Any, value: Any, schema: Mapping[str, Any]
) -> list[SchemaFault]:
    branch = "else" if walk.faults(value, condition) else "then"
    return walk.faults(value, schema.get(branch, True))


KEYWORDS: dict[str, Keyword] = MEMBERS | {
    "$ref": _ref,
    "allOf": _all_of,
    "anyOf": _any_of,
    "const": _const,
    "enum": _enum,
    "exclusiveMaximum": _plain("exclusiveMaximum", is_number, lambda value, end: value < end),
    "exclusiveMinimum": _plain("exclusiveMinimum", is_number, lambda value, start: value > start),
    "if": _if,
    "maxItems": _plain("maxItems", is_array, lambda value, most: len(value) <= most),
    "maxLength": _plain("maxLength", is_string, lambda value, most: len(value) <= most),
    "maxProperties": _plain("maxProperties", is_object, lambda value, most: len(value) <= most),
    "maximum": _plain("maximum", is_number, lambda value, most: value <= most),
    "minItems": _plain("minItems", is_array, lambda value, least: len(value) >= least),
    "minLength": _plain("minLength", is_string, lambda value, least: len(value) >= least),
    "minProperties": _plain("minProperties", is_object, lambda value, least: len(value) >= least),
    "minimum": _plain("minimum", is_number, lambda value, least: value >= least),
    "multipleOf": _plain("multipleOf", is_number, _is_multiple),
    "not": _not,
    "oneOf": _one_of,
    "pattern": _pattern,
    "type": _type,
    "uniqueItems": _unique,
}
