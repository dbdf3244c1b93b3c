"""Values held against schemas, ours and hostile ones."""

from __future__ import annotations

import json
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from referencing import Registry

from tests.protocol.tools.strategies import SCHEMAS, VALUES
from toolproto.protocol.errors import UsageError
from toolproto.protocol.schemas.schema import check_schema
from toolproto.protocol.schemas.validate import find_faults, fits
from toolproto.protocol.schemas.work import MAX_VISITS, TooMuchWork, Work


def holds(value, schema):
    return fits(value, schema, schema, Work())


@settings(max_examples=20)
@given(SCHEMAS)
def test_the_generated_schemas_are_schemas(schema):
    Draft202012Validator.check_schema(schema)


@settings(max_examples=2 * settings().max_examples)
@given(VALUES, SCHEMAS)
def test_the_verdict_is_that_of_the_reference_implementation(value, schema):
    assert holds(value, schema) is Draft202012Validator(schema, registry=Registry()).is_valid(value)


@pytest.mark.parametrize(
    ("value", "schema", "verdict"),
    [
        (3.0, {"type": "integer"}, False),
        (3.0, {"type": "number"}, True),
        (True, {"type": "integer"}, False),
        (float("nan"), {"type": "number"}, False),
        (float("inf"), {"type": "number"}, False),
        (1, {"enum": [1.0]}, True),
        (True, {"enum": [1]}, False),
        (0.3, {"multipleOf": 0.1}, True),
        (0.35, {"multipleOf": 0.1}, False),
        ([1, True, "1"], {"uniqueItems": True}, True),
        ([{"a": 1, "b": 2}, {"b": 2.0, "a": 1}], {"uniqueItems": True}, False),
        ("not a date", {"type": "string", "format": "date"}, True),
        (["a", 1], {"items": [{"type": "string"}, {"type": "integer"}]}, True),
        (["a", "b"], {"items": [{"type": "string"}, {"type": "integer"}]}, False),
        ("x", {"type": "any"}, True),
    ],
)
def test_where_drafts_and_python_differ_we_choose(value, schema, verdict):
    assert holds(value, schema) is verdict


@pytest.mark.parametrize(
    "schema",
    [
        {"type": 5, "properties": [], "required": 3, "items": 3, "enum": 7},
        {"minimum": "x", "maxLength": None, "pattern": 3, "multipleOf": 0},
        {"anyOf": 3, "oneOf": {}, "allOf": None, "not": 3},
        {"prefixItems": 3, "patternProperties": [], "additionalProperties": 3},
        {"dependentRequired": 3, "dependentSchemas": [], "minContains": "x", "contains": {}},
        {"type": [{}]},
    ],
)
def test_a_keyword_that_makes_no_sense_raises_nothing(schema):
    for value in ({"a": 1}, [1], "x", 3, None):
        assert isinstance(find_faults(value, schema, schema, Work()), list)


@given(VALUES, st.dictionaries(st.sampled_from(["type", "items", "anyOf", "if"]), VALUES))
def test_a_schema_nobody_checked_raises_nothing(value, schema):
    assert isinstance(find_faults(value, schema, schema, Work()), list)


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"allOf": [{"$ref": "#"}]},
        {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]},
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
    ],
)
def test_a_schema_that_leads_back_to_itself_ends(schema):
    with pytest.raises(TooMuchWork):
        holds({}, schema)


def exploding(levels):
    schema = {"type": "integer"}
    for _ in range(levels):
        schema = {"anyOf": [schema, schema]}
    return schema


def test_alternatives_within_alternatives_end():
    schema = exploding(40)
    with pytest.raises(TooMuchWork):  # with a small purse; a large one takes seconds to empty
        fits("x", schema, schema, Work(MAX_VISITS // 20))


def test_a_modest_heap_of_alternatives_is_still_checked():
    assert not holds("x", exploding(8))


NODE = {"$defs": {"n": {"properties": {"a": {"$ref": "#/$defs/n"}}}}, "$ref": "#/$defs/n"}


def nested(levels):
    return json.loads('{"a":' * levels + "{}" + "}" * levels)


def test_a_deep_value_is_checked_until_it_is_too_deep():
    assert holds(nested(40), NODE)
    with pytest.raises(TooMuchWork):
        holds(nested(400), NODE)


def test_a_huge_integer_is_compared_like_any_other():
    huge = 10**5000
    schema = {"type": "integer", "maximum": 5, "multipleOf": 0.5, "enum": [1]}
    assert {fault.keyword for fault in find_faults(huge, schema, schema, Work())} == {
        "maximum",
        "enum",
    }


def test_a_lone_surrogate_is_a_string_like_any_other():
    assert holds("\ud800", {"type": "string", "minLength": 1, "pattern": "^.$"})


@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(a|a)*$"])
def test_a_pattern_that_takes_python_hours_is_enforced(pattern):
    text = "a" * 50 + "!"
    assert not holds(text, {"type": "string", "pattern": pattern})
    keys = {"patternProperties": {pattern: {"type": "string"}}, "additionalProperties": False}
    assert not holds({text: 1}, keys)


@pytest.mark.parametrize("pattern", ["(?=b)", r"(a)\1"])
def test_a_pattern_that_is_not_enforced_lets_values_and_keys_pass(pattern):
    assert holds("x", {"type": "string", "pattern": pattern})
    keys = {"patternProperties": {pattern: {"type": "string"}}, "additionalProperties": False}
    assert holds({"x": 1}, keys)


class Listener:
    """Hears of connections and opened addresses; an audit hook stays for the process's life."""

    def __init__(self):
        self.heard = []
        self.listening = False
        sys.addaudithook(self)

    def __call__(self, event, args):
        if self.listening and event.startswith(("socket.", "urllib.")):
            self.heard.append(event)

    def __enter__(self):
        self.listening = True
        return self

    def __exit__(self, *error):
        self.listening = False


def test_a_remote_reference_is_never_fetched():
    remote = {"properties": {"x": {"$ref": "http://localhost:1/schema.json"}}}
    with Listener() as listener:
        with pytest.raises(UsageError, match="not a path into its own schema"):
            holds({"x": 1}, remote)
        with pytest.raises(UsageError, match="not a path into its own schema"):
            check_schema(remote, "'t'")
        with pytest.raises(UsageError, match="not a valid JSON Schema"):
            check_schema({"$schema": "http://localhost:1/dialect", "required": 3}, "'t'")
    assert listener.heard == []


@pytest.mark.parametrize(
    "items",
    [
        {"type": "integer", "minimum": 0},
        {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        {"enum": list(range(5))},
    ],
)
def test_the_work_for_a_long_array_is_linear(items):
    def visits(length):
        work = Work()
        find_faults([each % 5 for each in range(length)], {"items": items}, {}, work)
        return MAX_VISITS - work.visits

    assert visits(4_000) <= 2.1 * visits(2_000)
    assert 50 * visits(2_000) < MAX_VISITS


def test_a_long_array_of_objects_fits_the_purse():
    rows = [{"id": at, "name": "x"} for at in range(100_000)]
    row = {
        "type": "object",
        "properties": {"id": {"type": "integer"}, "name": {"type": "string"}},
        "required": ["id"],
    }
    assert holds(rows, {"type": "array", "items": row})


def test_a_long_array_of_wrong_items_tells_of_a_few():
    schema = {"items": {"type": "string"}}
    faults = find_faults(list(range(100_000)), schema, schema, Work())
    assert [fault.path for fault in faults] == [(0,), (1,), (2,), (3,)]


def test_many_unknown_keys_tell_of_a_few():
    schema = {"additionalProperties": False}
    assert len(find_faults({str(n): n for n in range(1000)}, schema, schema, Work())) == 4
