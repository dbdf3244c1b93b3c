"""What a model is told."""

from __future__ import annotations

import pytest
from hypothesis import given

from toolproto.protocol.schemas.validate import find_faults
from toolproto.protocol.schemas.work import Work
from toolproto.protocol.tools.wording import show, show_path, word_faults

from .strategies import SCHEMAS, VALUES

WEATHER = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "minLength": 2},
        "days": {"type": "integer", "minimum": 1, "maximum": 7},
        "unit": {"enum": ["c", "f"]},
        "when": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "place": {"anyOf": [{"$ref": "#/$defs/place"}, {"type": "null"}]},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2, "uniqueItems": True},
        "code": {"type": "string", "pattern": "^[A-Z]{2}$"},
        "mode": {"anyOf": [{"const": "a"}, {"const": "b"}]},
    },
    "required": ["city"],
    "additionalProperties": False,
    "$defs": {"place": {"type": "object", "properties": {"lat": {"type": "number"}}}},
}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"city": "Oslo", "days": "three"}, 'arguments.days: expected integer, got string "three"'),
        ({"city": "Oslo", "days": 8}, "arguments.days: expected at most 7, got 8"),
        ({"city": "Oslo", "days": 0}, "arguments.days: expected at least 1, got 0"),
        ({"city": "Oslo", "days": None}, "arguments.days: expected integer, got null"),
        ({"city": "Oslo", "days": True}, "arguments.days: expected integer, got boolean true"),
        ({"days": 1}, "arguments: missing required 'city'"),
        ({"city": "Oslo", "dais": 1}, "arguments: unknown 'dais'; did you mean 'days'?"),
        ({"city": "Oslo", "unit": "k"}, 'arguments.unit: expected one of "c", "f"; got "k"'),
        ({"city": "Oslo", "mode": "k"}, 'arguments.mode: expected one of "a", "b"; got "k"'),
        ({"city": "O"}, "arguments.city: expected at least 2 characters, got 1"),
        ({"city": "Oslo", "when": 3}, "arguments.when: expected string or null, got integer 3"),
        (
            {"city": "Oslo", "place": {"lat": "north"}},
            'arguments.place.lat: expected number, got string "north"',
        ),
        (
            {"city": "Oslo", "tags": ["a", {"b": 1}]},
            'arguments.tags[1]: expected string, got object with "b"',
        ),
        ({"city": "Oslo", "tags": [*"abc"]}, "arguments.tags: expected at most 2 items, got 3"),
        (
            {"city": "Oslo", "tags": ["a", "a"]},
            "arguments.tags: expected items that all differ, got one twice",
        ),
        (
            {"city": "Oslo", "code": "no"},
            'arguments.code: expected text matching "^[A-Z]{2}$", got "no"',
        ),
        ([1, 2], "arguments: expected object, got array of 2 items"),
    ],
)
def test_a_line_names_place_expectation_and_value(arguments, message):
    assert word_faults(find_faults(arguments, WEATHER, WEATHER, Work())) == message


@pytest.mark.parametrize(
    ("schema", "value", "message"),
    [
        ({"oneOf": [{}, {"type": "integer"}]}, 3, "integer 3 fits 2 of the forms, expected one"),
        ({"not": {}}, 3, "integer 3 is not allowed here"),
        (False, 3, "integer 3 is not allowed here"),
        ({"multipleOf": 2}, 3, "expected a multiple of 2, got 3"),
        ({"exclusiveMinimum": 3}, 3, "expected more than 3, got 3"),
        ({"minItems": 1}, [], "expected at least 1 item, got 0"),
        ({"contains": {"const": 1}}, [2], "expected matching items: at least 1, got 0"),
        ({"propertyNames": {"maxLength": 1}}, {"ab": 1}, "'ab' is not allowed as a key"),
        ({"additionalProperties": False}, {"a": 1}, "unknown 'a'; leave it out"),
        (
            {"additionalProperties": False, "properties": {"city": {}, "days": {}}},
            {"budget": 1},
            "unknown 'budget'; leave it out, or use 'city' or 'days'",
        ),
        ({"const": None}, {}, "expected null, got object without keys"),
    ],
)
def test_rarer_rules_have_words_too(schema, value, message):
    assert word_faults(find_faults(value, schema, {}, Work())) == f"arguments: {message}"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("x" * 500, '"' + "x" * 59 + '…"'),
        ('say "hi"\n', '"say \\"hi\\"\\n"'),
        ("\ud800\u202e\x9b", '"\\ud800\\u202e\\u009b"'),
        (-7, "-7"),
        (0.5, "0.5"),
        (None, "null"),
        ([1] * 100_000, "array of 100000 items"),
        ({str(n): n for n in range(9)}, 'object with "0", "1", "2", "3", "4", "5", "6", "7", …'),
    ],
)
def test_a_value_is_shown_short_and_harmless(value, shown):
    assert show(value) == shown


def test_an_integer_too_long_to_print_is_measured():
    assert show(10**5000) == "integer of 5001 digits"


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ((), "arguments"),
        (("a", 3, "b"), "arguments.a[3].b"),
        (("two words",), 'arguments["two words"]'),
        (("\n\ud800",), 'arguments["\\n\\ud800"]'),
    ],
)
def test_a_path_reads_like_code(path, shown):
    assert show_path(path) == shown


@given(VALUES, SCHEMAS)
def test_a_message_is_three_short_printable_lines_at_most(value, schema):
    faults = find_faults(value, schema, schema, Work())
    lines = word_faults(faults).split("\n")
    assert len(lines) <= 3
    assert all(len(line) < 200 and line.isprintable() for line in lines)
    assert bool(faults) == bool(lines[0])
