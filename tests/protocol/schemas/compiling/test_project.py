"""Each service is sent a schema that it takes; what it takes already is sent as it is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from toolproto.protocol.schemas.compiling import COMPILERS, compiled
from toolproto.testing import STANDARD_OFFER


def of(schema: Any, **more: Any) -> dict[str, Any]:
    """A tool's schema with one argument ``a``."""
    return {"type": "object", "properties": {"a": schema}, **more}


ANY = {"type": ["string", "number", "boolean", "object", "array", "null"]}
DEFS = {"$defs": {"City": {"type": "string"}}}
#: The service, the schema of an argument as its author wrote it, and as it is sent.
ROWS = [
    ("llama.cpp", {"type": "string", "pattern": "[a-z]+"}, {"type": "string"}),
    ("llama.cpp", {"type": "string", "pattern": r"^(?!x)\w+$"}, {"type": "string"}),
    ("llama.cpp", {"type": "string", "format": "email"}, {"type": "string"}),
    ("llama.cpp", {"type": "string", "maxLength": 10_000}, {"type": "string"}),
    ("llama.cpp", {"type": "array", "minItems": 3_000}, {"type": "array"}),
    ("llama.cpp", {"description": "x"}, {"description": "x", **ANY}),
    ("llama.cpp", True, ANY),
    ("llama.cpp", {"$ref": "https://example.org/city"}, ANY),
    ("llama.cpp", {"type": "integer", "maximum": 1e30}, {"type": "integer"}),
    ("llama.cpp", {"allOf": [{"type": "string"}]}, {"type": "string"}),
    ("xgrammar", {"type": "integer", "multipleOf": 5}, {"type": "integer"}),
    ("xgrammar", {"type": "array", "uniqueItems": True}, {"type": "array"}),
    ("xgrammar", {"type": "string", "format": "int32"}, {"type": "string"}),
    (
        "xgrammar",
        {"type": "string", "format": "email", "maxLength": 9},
        {"type": "string", "format": "email"},
    ),
    ("openai", {"type": "array"}, {"type": "array", "items": {}}),
    ("openai_strict", {"type": "string", "maxLength": 9}, {"type": ["string", "null"]}),
    (
        "openai_strict",
        {"type": "object", "properties": {"b": {"enum": ["x"]}}},
        {
            "type": ["object", "null"],
            "properties": {"b": {"anyOf": [{"enum": ["x"]}, {"type": "null"}]}},
            "additionalProperties": False,
            "required": ["b"],
        },
    ),
    ("openai_strict", {"oneOf": [{"type": "string"}]}, None),
    ("gemini", {"type": "integer", "exclusiveMinimum": 0}, {"type": "integer"}),
    ("gemini", {"type": ["string", "null"]}, {"type": "string", "nullable": True}),
    ("gemini", {"const": "x"}, {"enum": ["x"]}),
    ("gemini", {"type": "string", "format": "uri"}, {"type": "string"}),
    ("gemini", {"type": "array"}, {"type": "array", "items": {"type": "string"}}),
    (
        "gemini",
        {"type": ["string", "integer"], "description": "x"},
        {"description": "x", "anyOf": [{"type": "string"}, {"type": "integer"}]},
    ),
    ("gemini", {"type": "object", "additionalProperties": False}, {"type": "object"}),
]


@pytest.mark.parametrize(("service", "written", "sent"), ROWS, ids=map(str, range(len(ROWS))))
def test_what_a_service_refuses_is_said_otherwise(service, written, sent):
    schema, found = compiled(of(written), COMPILERS[service])
    assert found and all(finding.what for finding in found)
    if sent is not None:
        assert schema["properties"]["a"] == sent


@pytest.mark.parametrize("service", COMPILERS)
def test_what_was_sent_is_taken_as_it_is(service):
    for _, written, _ in ROWS:
        schema, _ = compiled(of(written, **DEFS), COMPILERS[service])
        again, found = compiled(schema, COMPILERS[service])
        assert (found, again) == ((), schema) and again is schema


def test_gemini_is_sent_what_references_mean_and_a_circle_is_open():
    tree = {
        "type": "object",
        "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/T"}}},
    }
    schema = of({"$ref": "#/$defs/T"}, **{"$defs": {"T": tree}})
    sent, found = compiled(schema, COMPILERS["gemini"])
    assert "$ref" not in json.dumps(sent) and "$defs" not in sent
    kids = sent["properties"]["a"]["properties"]["kids"]
    assert kids["items"] == {}
    assert {each.what: each.place for each in found if "$ref" in each.what} == {
        "a `$ref` that it does not follow": "properties/a",
        "a `$ref` back to itself": "properties/a/properties/kids/items",
    }


def test_a_reference_that_a_service_follows_stays():
    schema = of({"$ref": "#/$defs/City"}, **DEFS)
    for service in ("llama.cpp", "xgrammar", "openai", "anthropic"):
        assert compiled(schema, COMPILERS[service]) == (schema, ())


@pytest.mark.parametrize("service", COMPILERS)
def test_a_choice_at_the_top_is_kept_from_those_who_refuse_it(service):
    schema = of({"type": "string"}, required=["a"], anyOf=[{"required": ["a"]}])
    sent, found = compiled(schema, COMPILERS[service])
    refusing = {"openai", "openai_strict", "anthropic", "llama.cpp"}
    assert ("anyOf" in sent) is (service not in refusing)
    assert sent["properties"]["a"] == {"type": "string"}
    assert [each.place for each in found if "anyOf" in each.what] == (
        ["the top"] if service in refusing else []
    )


#: Calls that the author's schema takes.
CALLS = [
    (of({"type": "string", "pattern": "^[a-z]+$", "maxLength": 900}), {"a": "abc"}),
    (of({"type": "string", "format": "email"}, required=["a"]), {"a": "a@example.org"}),
    (of({"oneOf": [{"type": "string"}, {"type": "integer", "multipleOf": 2}]}), {"a": 4}),
    (of({"allOf": [{"type": "object", "properties": {"b": {"const": 1}}}]}), {"a": {"b": 1}}),
    (of({"not": {"type": "string", "maxLength": 3_000}}), {"a": 1}),
    (of({"type": "array", "items": {"enum": [1, None]}, "uniqueItems": True}), {"a": [1, None]}),
]


@pytest.mark.parametrize("service", ["llama.cpp", "xgrammar", "openai", "anthropic", "ollama"])
@pytest.mark.parametrize(("schema", "call"), CALLS, ids=map(str, range(len(CALLS))))
def test_what_is_sent_takes_every_call_that_the_author_takes(service, schema, call):
    assert Draft202012Validator(schema).is_valid(call)
    sent, _ = compiled(schema, COMPILERS[service])
    assert Draft202012Validator(sent).is_valid(call)


@pytest.mark.parametrize("service", [each for each in COMPILERS if each != "openai_strict"])
def test_plain_tools_are_sent_as_they_are(service):
    for tool in STANDARD_OFFER.tools:
        sent, found = compiled(tool.parameters, COMPILERS[service])
        if service != "gemini":  # which has no word for a closed object
            assert sent is tool.parameters and found == ()


def test_every_rule_names_its_source():
    for compiler in COMPILERS.values():
        assert all(rule.source and rule.what for rule in compiler.rules)
