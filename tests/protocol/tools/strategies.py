"""JSON values and JSON schemas, for the laws about them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

KEYS = st.sampled_from(["a", "b", "max_results", "unit"])
NUMBERS = st.integers(-5, 5) | st.sampled_from([0.5, -1.5, 2.25])
SCALARS = st.none() | st.booleans() | NUMBERS | st.sampled_from(["", "a", "3", "true", "[1]", "A"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)
TYPES = st.sampled_from(["null", "boolean", "integer", "number", "string", "array", "object"])


def schema_of(**keywords: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=keywords)


PLAIN = schema_of(
    type=TYPES | st.lists(TYPES, min_size=1, max_size=3, unique=True),
    enum=st.lists(SCALARS, min_size=1, max_size=3),
    const=SCALARS,
    minimum=NUMBERS,
    exclusiveMaximum=NUMBERS,
    multipleOf=st.sampled_from([1, 2, 0.5]),
    minLength=st.integers(0, 2),
    maxItems=st.integers(0, 2),
    uniqueItems=st.booleans(),
    pattern=st.sampled_from(["^a", "[0-9]$"]),
)


def _nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    some = st.lists(inner, min_size=1, max_size=2)
    return schema_of(
        type=TYPES,
        properties=st.dictionaries(KEYS, inner, max_size=3),
        required=st.lists(KEYS, max_size=2, unique=True),
        additionalProperties=inner,
        patternProperties=st.dictionaries(st.just("^a"), inner, max_size=1),
        propertyNames=inner,
        dependentRequired=st.dictionaries(KEYS, st.lists(KEYS, max_size=1), max_size=1),
        dependentSchemas=st.dictionaries(KEYS, inner, max_size=1),
        minProperties=st.integers(0, 2),
        items=inner,
        prefixItems=some,
        contains=inner,
        minContains=st.integers(0, 2),
        maxContains=st.integers(0, 2),
        allOf=some,
        anyOf=some,
        oneOf=some,
        **{"not": inner, "if": inner, "then": inner, "else": inner, "$ref": st.just("#/$defs/d")},
    )


INNER = st.recursive(st.booleans() | PLAIN, _nested, max_leaves=5)
SCHEMAS = st.builds(lambda schema, leaf: {**schema, "$defs": {"d": leaf}}, _nested(INNER), PLAIN)

# What tools really ask for: mostly types, so that coercion has something to do.
_LEAVES = schema_of(type=TYPES) | schema_of(enum=st.lists(SCALARS, min_size=1, max_size=3))
WANTED = st.recursive(
    _LEAVES,
    lambda inner: (
        st.fixed_dictionaries({"type": st.just("array"), "items": inner})
        | st.fixed_dictionaries(
            {
                "type": st.just("object"),
                "properties": st.dictionaries(KEYS, inner, max_size=3),
                "required": st.lists(KEYS, max_size=2, unique=True),
                "additionalProperties": st.booleans(),
            }
        )
        | schema_of(anyOf=st.lists(inner, min_size=1, max_size=3))
    ),
    max_leaves=6,
)
_SPELT = SCALARS | st.sampled_from([3.0, "0.5", "NULL", '{"a": "1"}', '["3"]', "[1", "None"])
WRITTEN = st.recursive(
    _SPELT,
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(KEYS | st.sampled_from(["A", "maxResults", "unt"]), inner, max_size=3)
    ),
    max_leaves=6,
)
