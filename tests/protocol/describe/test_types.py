"""Schemas in words."""

from __future__ import annotations

import pytest

from toolproto.protocol.describe.reading import followed, read_type
from toolproto.protocol.describe.words import in_words

ROOT = {
    "$defs": {
        "town": {"type": "object", "properties": {"name": {"type": "string"}}},
        "again": {"$ref": "#/$defs/town"},
        "loop": {"$ref": "#/$defs/loop"},
        "tree": {"type": "array", "items": {"$ref": "#/$defs/tree"}},
        "a/b": {"type": "integer"},
        "c~d": {"type": "boolean"},
    },
    "properties": {"unit": {"enum": ["c", "f"]}},
}

WORDS = [
    ({"type": "string"}, "string"),
    ({"type": "integer"}, "integer"),
    ({"type": "number"}, "number"),
    ({"type": "boolean"}, "boolean"),
    ({"type": "null"}, "null"),
    ({"type": "object"}, "object"),
    ({}, "any value"),
    (True, "any value"),
    (None, "any value"),
    ({"properties": {"a": {}}}, "object {a?: any value}"),
    ({"type": "string", "format": "date"}, "string, date"),
    ({"type": "integer", "format": "int32"}, "integer"),
    ({"enum": ["c", "f"]}, '"c" or "f"'),
    ({"enum": [1, None, True, "é"]}, '1 or null or true or "é"'),
    ({"enum": []}, "any value"),
    ({"type": "string", "enum": ["c", "c"]}, '"c"'),
    ({"const": "x"}, '"x"'),
    ({"const": None}, "null"),
    ({"type": ["string", "null"]}, "string or null"),
    ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "integer or null"),
    ({"oneOf": [{"type": "integer"}, {"enum": ["all"]}]}, 'integer or "all"'),
    ({"anyOf": [{"type": "string"}, {"type": "string"}]}, "string"),
    ({"type": "array"}, "list of any value"),
    ({"type": "array", "items": {"type": "string"}}, "list of string"),
    (
        {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
        "list of list of integer",
    ),
    ({"$ref": "#/$defs/town"}, "object {name?: string}"),
    ({"$ref": "#/$defs/again"}, "object {name?: string}"),
    ({"$ref": "#/properties/unit"}, '"c" or "f"'),
    ({"type": "array", "items": {"$ref": "#/$defs/town"}}, "list of object {name?: string}"),
    ({"$ref": "#/$defs/nowhere"}, "any value"),
    ({"$ref": "#/$defs/loop"}, "any value"),
    ({"$ref": "http://example.com/schema"}, "any value"),
    ({"$ref": "#/$defs/a~1b"}, "integer"),
    ({"$ref": "#/$defs/c~0d"}, "boolean"),
]


def said(schema, root):
    """What a value of *schema* is, in words."""
    return in_words(read_type(schema, root))


@pytest.mark.parametrize("schema, words", WORDS, ids=[str(schema) for schema, _ in WORDS])
def test_a_schema_reads_so(schema, words):
    assert said(schema, ROOT) == words


def test_a_schema_in_itself_comes_to_an_end():
    words = said({"$ref": "#/$defs/tree"}, ROOT)
    assert words.startswith("list of list of")
    assert words.endswith("any value")


def test_a_long_choice_is_cut():
    words = said({"enum": list(range(100))}, ROOT)
    assert words.startswith("0 or 1 or 2 or")
    assert words.endswith("19 or …")


def test_a_choice_of_twenty_is_not_cut():
    assert "…" not in said({"enum": list(range(20))}, ROOT)


def test_a_choice_that_repeats_itself_is_not_cut():
    assert said({"enum": ["a"] * 30}, ROOT) == '"a"'


def test_a_reference_is_followed_to_the_schema_itself():
    assert followed({"$ref": "#/$defs/again"}, ROOT) is ROOT["$defs"]["town"]


def test_the_root_can_be_referred_to():
    assert followed({"$ref": "#"}, ROOT) is ROOT


def test_a_schema_without_a_reference_is_itself():
    schema = {"type": "string"}
    assert followed(schema, ROOT) is schema


@pytest.mark.parametrize("schema", [None, True, 3, "x", [], {"$ref": "#/$defs/town/type"}])
def test_what_is_no_schema_says_nothing(schema):
    assert followed(schema, ROOT) == {}
