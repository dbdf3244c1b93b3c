"""Schemas that strangers write, tamed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.protocol.tools.strategies import VALUES
from toolproto.protocol.schemas.dialect import LIST, NAMED, ONE
from toolproto.protocol.schemas.schema import check_schema
from toolproto.protocol.schemas.tame import tame
from toolproto.protocol.schemas.validate import fits
from toolproto.protocol.schemas.work import Work


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize(
    ("odd", "meant", "label"),
    [
        ({"type": "any"}, {}, "odd type"),
        ({"type": "int"}, {"type": "integer"}, "odd type"),
        ({"type": "STRING"}, {"type": "string"}, "odd type"),
        ({"type": ["str", "null"]}, {"type": ["string", "null"]}, "odd type"),
        ({"type": ["string", "any"]}, {}, "odd type"),
        ({"type": {"type": "string"}}, {}, "odd type"),
        ({"type": []}, {}, "odd type"),
        ({"minimum": 0, "exclusiveMinimum": True}, {"exclusiveMinimum": 0}, "old exclusiveMinimum"),
        ({"minimum": 0, "exclusiveMinimum": False}, {"minimum": 0}, "old exclusiveMinimum"),
        ({"maximum": 9, "exclusiveMaximum": True}, {"exclusiveMaximum": 9}, "old exclusiveMaximum"),
        ({"exclusiveMinimum": True}, {}, "old exclusiveMinimum"),
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}, "nullable"),
        ({"type": "string", "enum": ["a"], "nullable": True},
         {"type": ["string", "null"], "enum": ["a", None]}, "nullable"),
        ({"$ref": "https://example.org/city.json", "description": "A city."},
         {"description": "A city."}, "open $ref"),
        ({"$ref": "#/$defs/nobody"}, {}, "open $ref"),
        ({"$ref": 5}, {}, "dropped $ref"),
        ({"items": [{"type": "string"}], "additionalItems": False},
         {"prefixItems": [{"type": "string"}], "items": False}, "old items"),
        ({"maxItems": "3"}, {"maxItems": 3}, "odd maxItems"),
        ({"minLength": 1.0}, {"minLength": 1}, "odd minLength"),
        ({"minLength": -1}, {}, "dropped minLength"),
        ({"multipleOf": 0}, {}, "dropped multipleOf"),
        ({"minimum": "low"}, {}, "dropped minimum"),
        ({"enum": []}, {}, "dropped enum"),
        ({"enum": "a"}, {}, "dropped enum"),
        ({"anyOf": []}, {}, "dropped anyOf"),
        ({"anyOf": [{"type": "string"}, "number"]}, {"anyOf": [{"type": "string"}, {}]},
         "not a schema"),
        ({"description": ["two", "lines"]}, {}, "dropped description"),
        ({"default": float("nan")}, {}, "dropped default"),
        ({"properties": {"x": None}}, {"properties": {"x": {}}}, "not a schema"),
        ({"properties": ["x"]}, {}, "dropped properties"),
        ({"dependencies": {"a": ["b"], "c": {"required": ["d"]}}},
         {"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"c": {"required": ["d"]}}},
         "old dependencies"),
    ],
)  # fmt: skip
def test_odd_words_become_those_of_today(odd: Any, meant: Any, label: str):
    tamed, labels = tame(of(city=odd))
    assert tamed == of(city=meant)
    assert [each.split(" at ")[0] for each in labels] == [label]
    assert labels[0].split(" at ")[1].startswith("properties/city")


@pytest.mark.parametrize("given", [None, True, {}, {"properties": {}}])
def test_no_schema_means_an_object_without_a_label(given: Any):
    tamed, labels = tame(given)
    assert tamed["type"] == "object"
    assert labels == ()


@pytest.mark.parametrize("given", ["string", [], 5, False, {"type": "string"}, {"type": "array"}])
def test_what_is_no_object_becomes_one_that_is_open(given: Any):
    tamed, labels = tame(given)
    assert tamed == {"type": "object"}
    assert len(labels) == 1


def test_an_object_that_may_be_null_stays_an_object():
    assert tame({"type": ["object", "null"], "required": ["a"]})[0] == {
        "type": "object",
        "required": ["a"],
    }


def test_properties_that_say_themselves_that_they_are_required_are_listed():
    odd = of(a={"type": "string", "required": True}, b={"type": "string", "required": False})
    tamed, labels = tame(odd)
    assert tamed == {**of(a={"type": "string"}, b={"type": "string"}), "required": ["a"]}
    assert labels == ("old required at the top",)


@pytest.mark.parametrize(
    ("reference", "definitions"),
    [
        ("#/$defs/City", {"definitions": {"City": {"type": "string"}}}),
        ("#/definitions/City", {"$defs": {"City": {"type": "string"}}}),
        ("#/components/schemas/City", {"$defs": {"City": {"type": "string"}}}),
        ("#city", {"$defs": {"a/b%": {"$anchor": "city", "type": "string"}}}),
        ("city.json", {"$defs": {"x": {"$id": "city.json", "type": "string"}}}),
        ("http://a.b/c#/$defs/x", {"$id": "http://a.b/c", "$defs": {"x": {"type": "string"}}}),
    ],
)
def test_a_reference_by_another_name_is_found(reference: str, definitions: dict[str, Any]):
    tamed, labels = tame({**of(city={"$ref": reference}), **definitions})
    assert labels == ()
    assert fits({"city": "Oslo"}, tamed, tamed, Work())
    assert not fits({"city": 5}, tamed, tamed, Work())


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {**of(a={"$ref": "#/properties/a"})},
        {**of(a={"$ref": "#/$defs/x"}), "$defs": {"x": {"$ref": "#/$defs/y"},
                                                   "y": {"$ref": "#/$defs/x"}}},
    ],
)  # fmt: skip
def test_a_reference_that_leads_back_to_itself_is_cut(schema: dict[str, Any]):
    tamed, labels = tame(schema)
    assert any(label.startswith("circular $ref") for label in labels)
    assert fits({"a": 1}, tamed, tamed, Work())


def test_a_tree_may_refer_to_itself():
    tree = {**of(children={"type": "array", "items": {"$ref": "#"}})}
    assert tame(tree) == (tree, ())


def test_the_copy_is_private():
    schema = of(a={"enum": [1]})
    tamed, _ = tame(schema)
    schema["properties"]["a"]["enum"].append(2)
    assert tamed == of(a={"enum": [1]})


def deep(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


def a_default_of(levels: int) -> dict[str, Any]:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return of(a={"default": value})


def round_and_round() -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object"}
    schema["properties"] = {"a": schema, "b": schema}
    return schema


@pytest.mark.parametrize(
    ("schema", "label"),
    [
        (deep(100), "too deep"),
        (deep(100_000), "too deep"),
        (a_default_of(100_000), "dropped default"),
        (of(**{f"p{n}": {"type": "string"} for n in range(6_000)}), "too large"),
        (of(**{f"p{n}": {"type": "string", "description": "x" * 1_000} for n in range(2_000)}),
         "dropped long description"),
        (of(**{"n" * 100_000 + str(n): {} for n in range(20)}), "too large"),
        (of(a={"enum": ["x" * 1_000] * 2_000}), "dropped long enum"),
        (round_and_round(), "too deep"),
        ({"$ref": "#/" + "a/" * 100_000}, "open $ref"),
        (of(**{f"p{n}": {"$ref": f"#/properties/p{n + 1}"} for n in range(3_000)}),
         "open $ref"),
    ],
)  # fmt: skip
@pytest.mark.time_limit(20)
def test_what_is_too_much_is_cut(schema: dict[str, Any], label: str):
    tamed, labels = tame(schema)
    assert labels[0].startswith(label)
    assert len(labels) <= 17
    check_schema(tamed, "'t'")


SCHEMA_WORDS = st.sampled_from(
    [
        *sorted(ONE | LIST | NAMED),
        *("type", "enum", "const", "default", "required", "minimum", "exclusiveMinimum"),
        *("maxItems", "multipleOf", "pattern", "format", "description", "nullable", "title"),
        *("dependencies", "dependentRequired", "uniqueItems"),
        *("$ref", "$schema", "$id", "$anchor", "$dynamicRef"),
    ]
)
WORDS = st.sampled_from(["#", "#/$defs/a", "a", "#a", "any", "string", "object", "^a", "3", ""])
ANYTHING = st.recursive(
    VALUES | WORDS,
    lambda inner: (
        st.dictionaries(SCHEMA_WORDS | st.sampled_from(["a", "b"]), inner, max_size=4)
        | st.lists(inner, max_size=3)
    ),
    max_leaves=20,
)


@given(ANYTHING)
def test_whatever_comes_a_checked_schema_goes(schema: Any):
    tamed, _ = tame(schema)
    assert check_schema(tamed, "'t'") == tamed
    assert tame(tamed) == (tamed, ())
    json.dumps(tamed, allow_nan=False)
