"""Right things in wrong form."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolproto.protocol.messages import Grade, Repair
from toolproto.protocol.schemas.validate import fits
from toolproto.protocol.schemas.work import Work
from toolproto.protocol.tools.coerce import coerce

from .strategies import SCHEMAS, VALUES, WANTED, WRITTEN

LOSSLESS, GUESSED = Grade.LOSSLESS, Grade.GUESSED
STRINGS = {"type": "array", "items": {"type": "string"}}
POINT = {
    "type": "object",
    "properties": {"lat": {"type": "number"}, "lon": {"type": "number"}},
    "required": ["lat"],
    "additionalProperties": False,
}


def coerced(value, schema, **options):
    """*value* as the argument ``x``, coerced, and the repairs told from there."""
    root = {"type": "object", "properties": {"x": schema}, "required": ["x"]}
    mended, repairs = coerce({"x": value}, root, **options)
    return mended["x"], [(each.name, each.grade) for each in repairs]


@pytest.mark.parametrize(
    ("value", "schema", "mended", "repair", "grade"),
    [
        ("3", {"type": "integer"}, 3, "coerced_integer", LOSSLESS),
        ("-12", {"type": "integer"}, -12, "coerced_integer", LOSSLESS),
        (3.0, {"type": "integer"}, 3, "coerced_integer", LOSSLESS),
        ("100.00", {"type": "integer"}, 100, "coerced_integer", LOSSLESS),
        ("07", {"type": "integer"}, 7, "number_form", GUESSED),
        ("-012", {"type": "integer"}, -12, "number_form", GUESSED),
        ("00", {"type": "integer"}, 0, "number_form", GUESSED),
        ("00.5", {"type": "number"}, 0.5, "number_form", GUESSED),
        ("0.5", {"type": "number"}, 0.5, "coerced_number", LOSSLESS),
        ("1e3", {"type": "number"}, 1000.0, "coerced_number", LOSSLESS),
        ("7", {"type": "number"}, 7, "coerced_number", LOSSLESS),
        ("true", {"type": "boolean"}, True, "coerced_boolean", LOSSLESS),
        ("False", {"type": "boolean"}, False, "coerced_boolean", LOSSLESS),
        (1, {"type": "boolean"}, True, "coerced_boolean", GUESSED),
        ("0", {"type": "boolean"}, False, "coerced_boolean", GUESSED),
        ("1", {"type": ["boolean", "integer"]}, 1, "coerced_integer", LOSSLESS),
        ("null", {"type": ["integer", "null"]}, None, "coerced_null", LOSSLESS),
        ("None", {"type": ["integer", "null"]}, None, "coerced_null", LOSSLESS),
        ("5", {"type": ["null", "integer"]}, 5, "coerced_integer", LOSSLESS),
        (5, {"type": "string"}, "5", "coerced_string", LOSSLESS),
        (1.1, {"type": "string"}, "1.1", "coerced_string", GUESSED),
        (True, {"type": "string"}, "true", "coerced_string", GUESSED),
        ('["a", "b"]', STRINGS, ["a", "b"], "json_string", LOSSLESS),
        (' {"lat": 1} ', POINT, {"lat": 1}, "json_string", LOSSLESS),
        ("a", STRINGS, ["a"], "wrapped_in_array", GUESSED),
        ({"lat": 1}, {"type": "array", "items": POINT}, [{"lat": 1}], "wrapped_in_array", GUESSED),
        (["a"], {"type": "string"}, "a", "unwrapped_from_array", GUESSED),
        ([{"lat": 1}], POINT, {"lat": 1}, "unwrapped_from_array", GUESSED),
        ("Celsius", {"enum": ["celsius", "kelvin"]}, "celsius", "enum_spelling", LOSSLESS),
        ("2", {"enum": [1, 2]}, 2, "enum_spelling", LOSSLESS),
        (2, {"enum": ["1", "2"]}, "2", "enum_spelling", LOSSLESS),
        (" ON ", {"const": "on"}, "on", "enum_spelling", LOSSLESS),
        ({"LAT": 1}, POINT, {"lat": 1}, "argument_name", LOSSLESS),
        ({"lat": 1, "Lon": 2}, POINT, {"lat": 1, "lon": 2}, "argument_name", LOSSLESS),
        ({"latt": 1}, POINT, {"lat": 1}, "argument_name", GUESSED),
        ({"lat": 1, "lon": None}, POINT, {"lat": 1}, "dropped_null", LOSSLESS),
        ("3", {"anyOf": [{"type": "integer"}, {"type": "null"}]}, 3, "coerced_integer", LOSSLESS),
        ("3", {"oneOf": [STRINGS, {"type": "integer"}]}, 3, "coerced_integer", LOSSLESS),
        ("3", {"allOf": [{"type": "integer"}, {"minimum": 1}]}, 3, "coerced_integer", LOSSLESS),
        ([3, "4"], {"items": {"type": "integer"}}, [3, 4], "coerced_integer", LOSSLESS),
        (
            ["a", "1"],
            {"prefixItems": [{"type": "string"}, {"type": "integer"}]},
            ["a", 1],
            "coerced_integer",
            LOSSLESS,
        ),
        (
            {"k": "1"},
            {"additionalProperties": {"type": "integer"}},
            {"k": 1},
            "coerced_integer",
            LOSSLESS,
        ),
    ],
)
def test_one_thing_in_another_form(value, schema, mended, repair, grade):
    result, repairs = coerced(value, schema)
    assert json.dumps(result) == json.dumps(mended)  # 3 is not 3.0 here
    assert repairs == [(repair, grade)]


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ("three", {"type": "integer"}),
        ("+3", {"type": "integer"}),
        (" 3", {"type": "integer"}),
        ("1_000", {"type": "integer"}),
        ("٣", {"type": "integer"}),
        ("9" * 31, {"type": "integer"}),
        (3.5, {"type": "integer"}),
        ("3.5", {"type": "integer"}),
        ("3.", {"type": "integer"}),
        ("3.0" + "0" * 31, {"type": "integer"}),
        (1e300, {"type": "integer"}),
        (math.inf, {"type": "integer"}),
        ("NaN", {"type": "number"}),
        ("inf", {"type": "number"}),
        ("1e999", {"type": "number"}),
        ("0x10", {"type": "number"}),
        ("1+1", {"type": "number"}),
        ("yes", {"type": "boolean"}),
        (2, {"type": "boolean"}),
        ("11", {"type": "boolean"}),
        (1.0, {"type": "boolean"}),
        ("null", {"type": "integer"}),
        (None, {"type": "string"}),
        (math.nan, {"type": "string"}),
        ({"a": 1}, {"type": "string"}),
        ("{lat: 1}", POINT),
        ('{"lat": NaN}', POINT),
        ('{"lat": 1e999}', POINT),
        ("a", {"type": "array", "items": {"type": "integer"}}),
        (None, STRINGS),
        (["a", "b"], {"type": "string"}),
        (["a"], {"type": "integer"}),
        ("c", {"enum": ["celsius"]}),
        ("A", {"enum": ["a", "á", "ａ", "Á", "a "]}),
        ({"Lat": 1, "LAT": 2}, POINT),
        ({"height": 1}, POINT),
        ({"lat": 1, "lom": 2}, POINT),
        ("x", {"anyOf": [{"type": "integer"}, {"type": "boolean"}]}),
        ("3", {"allOf": [{"type": "integer"}, {"type": "boolean"}]}),
    ],
)
def test_what_is_not_clear_stays_as_it_came(value, schema):
    result, repairs = coerced(value, schema)
    assert result is value
    assert repairs == []


@pytest.mark.parametrize("length", [31, 5000])
def test_an_integer_too_long_to_be_meant_stays_as_it_came(length):
    assert coerced(10**length, {"type": "string"}) == (10**length, [])


def test_json_text_too_deep_to_read_stays_as_it_came():
    assert coerced("[" * 100_000, POINT) == ("[" * 100_000, [])


def test_a_reading_that_two_alternatives_give_differently_is_a_guess():
    schema = {"anyOf": [{"type": "integer"}, {"enum": ["3 "]}]}
    assert coerced("3", schema) == (3, [("coerced_integer", GUESSED)])


def test_several_repairs_are_told_each_with_its_place():
    schema = {
        "type": "object",
        "properties": {
            "maxResults": {"type": "integer"},
            "places": {"type": "array", "items": {"$ref": "#/$defs/point"}},
        },
        "required": ["maxResults"],
        "additionalProperties": False,
        "$defs": {"point": POINT},
    }
    arguments = {"max_results": "3", "places": '[{"lat": "1"}, {"lat": "2", "lon": null}]'}
    assert coerce(arguments, schema) == (
        {"maxResults": 3, "places": [{"lat": 1}, {"lat": 2}]},
        (
            Repair("argument_name", LOSSLESS, "arguments.max_results -> maxResults"),
            Repair("coerced_integer", LOSSLESS, "arguments.maxResults"),
            Repair("json_string", LOSSLESS, "arguments.places"),
            Repair("coerced_number", LOSSLESS, "arguments.places[].lat"),
            Repair("dropped_null", LOSSLESS, "arguments.places[].lon"),
        ),
    )


def test_the_arguments_as_a_whole_may_be_json_text():
    assert coerce('{"lat": "1"}', POINT)[0] == {"lat": 1}


def test_one_object_as_text_may_be_a_list_of_one():
    assert coerced('{"lat": 1}', {"type": "array", "items": POINT}) == (
        [{"lat": 1}],
        [("json_string", LOSSLESS), ("wrapped_in_array", GUESSED)],
    )


def test_a_broken_list_is_not_an_item():
    assert coerced('["a", "b', STRINGS) == ('["a", "b', [])


def test_json_in_a_text_cannot_smuggle_in_an_infinity():
    assert coerced("[1e999]", {"type": "array"})[1] == []


def test_an_open_object_keeps_keys_that_are_not_missed():
    schema = {"type": "object", "properties": {"lat": {}, "n": {"type": "integer"}}}
    assert coerce({"LAT": 1, "n": "1"}, schema)[0] == {"LAT": 1, "n": 1}


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]},
        {"allOf": [{"$ref": "#"}, {"$ref": "#"}]},
        {"properties": {"x": {"anyOf": [{"$ref": "#/properties/x"}] * 9}}},
    ],
)
def test_a_schema_that_leads_back_to_itself_changes_nothing(schema):
    arguments = {"x": "3"}
    assert coerce(arguments, schema) == (arguments, ())


def test_a_deep_value_is_left_alone():
    schema = {"properties": {"a": {"$ref": "#"}, "n": {"type": "integer"}}}
    value = {"n": "1"}
    for _ in range(60):
        value = {"a": value}
    assert coerce(value, schema) == (value, ())


def test_a_long_array_is_mended_with_one_repair():
    schema = {"properties": {"xs": {"type": "array", "items": {"type": "integer"}}}}
    value, repairs = coerce({"xs": [str(n) for n in range(100_000)]}, schema)
    assert value == {"xs": list(range(100_000))}
    assert repairs == (Repair("coerced_integer", LOSSLESS, "arguments.xs[]"),)


def test_thousands_of_stray_keys_are_not_compared():
    value = {f"lat{n}": n for n in range(5000)}
    assert coerce(value, POINT) == (value, ())


LAW = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
PAIRS = st.tuples(VALUES, SCHEMAS) | st.tuples(WRITTEN, WANTED)


@LAW
@given(PAIRS)
def test_what_fits_comes_back_as_it_is(pair):
    value, schema = pair
    result, repairs = coerce(value, schema)
    if fits(value, schema, schema, Work()):
        assert result is value
        assert repairs == ()


@LAW
@given(PAIRS)
def test_coercing_twice_is_coercing_once(pair):
    value, schema = pair
    once, _ = coerce(value, schema)
    assert json.dumps(coerce(once, schema)[0]) == json.dumps(once)


@LAW
@given(PAIRS)
def test_a_change_is_always_told_and_never_made_in_place(pair):
    value, schema = pair
    before = json.dumps(value)
    result, repairs = coerce(value, schema)
    assert json.dumps(value) == before
    assert repairs or result is value
