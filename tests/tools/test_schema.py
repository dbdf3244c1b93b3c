"""What counts as a schema, and where its references lead."""

from __future__ import annotations

import pytest

from toolproto.errors import UsageError
from toolproto.tools.schema import check_schema, resolve


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
        (deep(70), "nest"),
        (deep(2000), "not JSON|nested"),
    ],
)  # fmt: skip
def test_what_is_no_schema_is_refused_by_name(schema, complaint):
    with pytest.raises(UsageError, match=complaint) as caught:
        check_schema(schema, "'get_weather'")
    assert "'get_weather'" in str(caught.value)
    assert len(str(caught.value)) < 400


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
