"""What counts as a schema, and where its references lead."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from jsonschema.validators import validator_for

from toolproto.protocol.errors import UsageError
from toolproto.protocol.schemas.schema import check_schema, resolve

DRAFTS = [
    "http://json-schema.org/draft-03/schema#",
    "http://json-schema.org/draft-04/schema#",
    "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
]


def test_a_schema_is_copied_so_that_nobody_changes_it_later():
    original = {"type": "object", "properties": {"a": {"enum": [1]}}}
    copy = check_schema(original, "'t'")
    assert copy == original
    original["properties"]["a"]["enum"].append(2)
    assert copy["properties"] == {"a": {"enum": [1]}}


@pytest.mark.parametrize("schema", [None, {}, {"properties": {}}])
def test_an_object_is_assumed(schema):
    assert check_schema(schema, "'t'")["type"] == "object"


def deep(levels):
    schema = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


@pytest.mark.parametrize(
    ("schema", "complaint"),
    [
        ([], "'type': 'object'"),
        ("object", "'type': 'object'"),
        ({"type": "array"}, "'type': 'object'"),
        ({"properties": {"a": {"type": "strng"}}}, "not a valid JSON Schema: 'strng'"),
        ({"required": "city"}, "at required breaks its 'type' rule"),
        ({"properties": {"a": {"minimum": "1"}}}, "properties/a/minimum"),
        ({"properties": {"a": {"default": {1, 2}}}}, "not JSON"),
        ({"properties": {"a": {"default": float("nan")}}}, "not JSON"),
        ({"properties": {"a": {"$ref": "http://example.org/x.json"}}}, "not a path into its own"),
        ({"properties": {"a": {"$ref": "other.json#/a"}}}, "not a path into its own"),
        ({"properties": {"a": {"$ref": "#/$defs/missing"}}}, "leads nowhere"),
        ({"items": [{"$ref": "#/$defs/x"}], "$schema": "http://json-schema.org/draft-07/schema#"},
         "leads nowhere"),
        ({"$schema": 5}, "5 at \\$schema breaks its 'type' rule"),
        ({"anyOf": [{}, 5]}, "5 at anyOf"),
        ({"properties": {"a": {"dependencies": {"b": 3}}}}, "properties/a/dependencies/b"),
        ({"properties": {"n" * 5000: {"type": 3}}}, "properties/nnn"),
        (deep(70), "nest"),
        (deep(2000), "not JSON|nest"),
    ],
)  # fmt: skip
def test_what_is_no_schema_is_refused_by_name(schema, complaint):
    with pytest.raises(UsageError, match=complaint) as caught:
        check_schema(schema, "'get_weather'")
    assert "'get_weather'" in str(caught.value)
    assert len(str(caught.value)) < 400


def test_a_tool_larger_than_any_real_one_is_taken():
    leaf = {"type": "string", "description": "words " * 10, "enum": ["a", 1, None]}
    inner = {"type": "object", "properties": {f"m{n}": leaf for n in range(20)}, "required": ["m1"]}
    schema = {"type": "object", "properties": {f"p{n}": inner for n in range(100)}}
    assert check_schema(schema, "'t'") == schema


@pytest.mark.parametrize(
    ("schema", "complaint"),
    [
        ({"properties": {f"p{n}": {} for n in range(6000)}}, "more than 5,000 schemas"),
        ({"anyOf": [True] * 6000}, "more than 5,000 schemas"),
        ({"dependencies": {f"p{n}": {} for n in range(6000)}}, "more than 5,000 schemas"),
        ({"description": "x" * 1_000_001}, "1,000,0.. characters long; the most is 1,000,000"),
        ({"properties": {f"p{n}": {"$anchor": "a"} for n in range(1000)}}, "of an unusual form"),
        ({"properties": {"a": {"type": [1, "x"] * 6000}}}, "of an unusual form"),
        ({"$schema": DRAFTS[0], "extends": [{}] * 9999}, "of an old draft"),
        ({"$schema": DRAFTS[1], "properties": {"a": {"enum": [*range(3000), "x"]}}}, "old draft"),
    ],
)
def test_a_schema_that_would_take_long_to_check_is_refused(schema, complaint):
    with pytest.raises(UsageError, match=complaint) as caught:
        check_schema(schema, "'get_weather'")
    assert "'get_weather'" in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("draft", DRAFTS[2:])
def test_a_long_choice_of_numbers_and_texts_is_taken(draft):
    """The package compares each with all others: 6,000 stopped the proxy for half a minute."""
    choices = [str(number) if number % 2 else number for number in range(20_000)]
    schema = {"$schema": draft, "type": "object", "properties": {"a": {"enum": choices}}}
    assert check_schema(schema, "'t'") == schema


_VALUES: list[Any] = [
    *(5, -1, 2.0, 0, 1.5, "x", "", "a#b", True, False, None, [], ["a"], [1], {}, {"a": 1}),
    *({"a": ["b"]}, {"a": {}}, [{}], [True], {"a": True}, ["string", "null"], "string", "any"),
]
_WORDS = """
    type properties required items additionalProperties enum const anyOf allOf oneOf not if then
    else minimum exclusiveMinimum maximum minLength maxItems multipleOf pattern format title default
    examples uniqueItems dependencies dependentRequired dependentSchemas patternProperties $defs
    propertyNames contains minContains prefixItems definitions $id $comment readOnly $anchor
    contentSchema $vocabulary unevaluatedProperties minProperties whatever"""
_flat = st.dictionaries(st.sampled_from(_WORDS.split()), st.sampled_from(_VALUES), max_size=3)
_nested = st.recursive(
    _flat,
    lambda inner: st.one_of(
        st.builds(lambda one, two: {**one, "properties": {"a": two}}, _flat, inner),
        st.builds(lambda one, two: {**one, "anyOf": [{}, two]}, _flat, inner),
        st.builds(lambda one, two: {**one, "not": two}, _flat, inner),
        st.builds(lambda one, two: {**one, "additionalProperties": two}, _flat, inner),
    ),
    max_leaves=3,
)


def rules_broken(schema: dict[str, Any]) -> set[str]:
    dialect = validator_for(schema, default=Draft202012Validator)
    return {str(error.validator) for error in dialect(dialect.META_SCHEMA).iter_errors(schema)}


def is_taken(schema: dict[str, Any]) -> bool:
    try:
        check_schema(schema, "'t'")
    except UsageError:
        return False
    return True


@given(_nested, st.sampled_from(DRAFTS))
def test_nothing_is_taken_that_breaks_the_rules_of_its_draft(schema, draft):
    schema = {**schema, "$schema": draft, "type": "object"}
    # That the names in a list differ is not asked for: nothing depends on it.
    assert not is_taken(schema) or rules_broken(schema) <= {"uniqueItems"}


@given(_nested)
def test_whatever_keeps_the_rules_is_taken(schema):
    schema = {**schema, "type": "object"}
    assert is_taken(schema) or rules_broken(schema)


def test_an_older_draft_is_judged_by_its_own_rules():
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "properties": {"pair": {"type": "array", "items": [{"type": "string"}]}},
    }
    assert check_schema(schema, "'t'")["properties"] == schema["properties"]


def test_a_pattern_of_another_language_is_no_reason_to_refuse():
    schema = {"properties": {"a": {"type": "string", "pattern": r"^\p{L}+$"}}}
    assert check_schema(schema, "'t'")["properties"] == schema["properties"]


def test_data_that_looks_like_a_reference_is_data():
    schema = {"properties": {"a": {"default": {"$ref": "http://example.org"}}}}
    assert check_schema(schema, "'t'")["properties"] == schema["properties"]


ROOT = {"$defs": {"a/b": {"type": "string"}, "c~d": True, "é": {"anyOf": [1, 2]}}}


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        ("#", ROOT),
        ("#/$defs/a~1b", {"type": "string"}),
        ("#/$defs/c~0d", True),
        ("#/%24defs/%C3%A9/anyOf/1", 2),
    ],
)
def test_a_reference_is_a_path_into_the_schema(reference, found):
    assert resolve(reference, ROOT) == found


@pytest.mark.parametrize(
    "reference",
    [
        "",
        "a",
        "#a",
        "#/x",
        "#/$defs/é/anyOf/2",
        "#/$defs/é/anyOf/-1",
        "file:///etc/passwd",
        3,
        None,
    ],
)
def test_a_reference_elsewhere_is_refused(reference):
    with pytest.raises(UsageError):
        resolve(reference, ROOT)
