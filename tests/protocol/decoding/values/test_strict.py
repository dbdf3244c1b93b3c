"""Strict reading: what JSON says, two labelled liberties, and final refusals."""

from __future__ import annotations

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolproto.protocol.decoding.faults import MAX_DEPTH, Refused
from toolproto.protocol.decoding.values.lenient import read_json
from toolproto.protocol.decoding.values.strict import MAX_DIGITS, Reading, read_strict
from toolproto.protocol.messages import Grade, ProblemKind

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)

LIBERTIES = [
    ('{"a": 1, "a": 1}', {"a": 1}, ["duplicate_key"]),
    ('{"a": {"b": 1, "c": 2}, "a": {"c": 2, "b": 1}}', {"a": {"b": 1, "c": 2}}, ["duplicate_key"]),
    ('{"a": "x\ny"}', {"a": "x\ny"}, ["control_character"]),
    ('["\t\x00"]', ["\t\x00"], ["control_character"]),
    ('{"a": "\n", "a": "\n"}', {"a": "\n"}, ["control_character", "duplicate_key"]),
]

FINAL = [
    ('{"a": 1, "a": 2}', ProblemKind.MALFORMED, "'a'"),
    ('{"a": 1, "a": true}', ProblemKind.MALFORMED, "'a'"),
    ('{"a": 1, "a": 1.0}', ProblemKind.MALFORMED, "'a'"),
    ('{"a": [0], "a": [false]}', ProblemKind.MALFORMED, "'a'"),
    ("[NaN]", ProblemKind.MALFORMED, "NaN"),
    ('{"a": -Infinity}', ProblemKind.MALFORMED, "-Infinity"),
    ("[1e999]", ProblemKind.MALFORMED, "1e999"),
    ("9" * (MAX_DIGITS + 1), ProblemKind.TOO_LARGE, "digits"),
    ("0." + "1" * MAX_DIGITS, ProblemKind.TOO_LARGE, "digits"),
    ("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), ProblemKind.TOO_LARGE, "deep"),
    ('{"a":' * 100_000, ProblemKind.TOO_LARGE, "deep"),
]


@given(json_values, st.sampled_from([None, 1]), st.booleans())
def test_valid_json_reads_as_the_standard_library_reads_it(
    value: object, indent: int | None, ascii_only: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert read_strict(text) == Reading(json.loads(text), len(text))


@given(st.text(), st.integers(0, 50))
def test_any_text_gives_a_reading_or_a_refusal(text: str, at: int) -> None:
    assert isinstance(read_strict(text, at), (Reading, Refused))


@pytest.mark.parametrize(("text", "value", "names"), LIBERTIES)
def test_a_liberty_is_taken_and_labelled(text: str, value: object, names: list[str]) -> None:
    strict = read_strict(text)
    assert isinstance(strict, Refused) and not strict.final
    reading = read_json(text)
    assert isinstance(reading, Reading)
    assert reading.value == value
    assert [repair.name for repair in reading.repairs] == names
    assert {repair.grade for repair in reading.repairs} == {Grade.LOSSLESS}


@pytest.mark.parametrize(("text", "kind", "hint"), FINAL, ids=range(len(FINAL)))
def test_what_json_cannot_mean_is_refused_for_good(text: str, kind: ProblemKind, hint: str) -> None:
    refusal = read_json(text)
    assert isinstance(refusal, Refused)
    assert (refusal.kind, refusal.final) == (kind, True)
    assert hint in refusal.message


@pytest.mark.parametrize("text", ["", "{", '{"a" 1}', "{'a': 1}", "tru", '"a', "hello"])
def test_broken_json_is_refused_and_may_be_tried_again(text: str) -> None:
    refusal = read_strict(text)
    assert isinstance(refusal, Refused)
    assert (refusal.kind, refusal.final) == (ProblemKind.MALFORMED, False)


def test_white_space_is_skipped_and_the_rest_is_left() -> None:
    assert read_strict('call:  {"a": 1}, and so on', 5) == Reading({"a": 1}, 15)


def test_the_deepest_value_allowed_is_read() -> None:
    text = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert isinstance(read_strict(text), Reading)
    assert isinstance(read_strict(f"[{text[1:-1]}, {'[],' * 200} 1]"), Reading)


def test_long_numbers_are_refused_even_where_the_program_lifted_the_limit() -> None:
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        refusal = read_strict("1" * 1_000_000)
    finally:
        sys.set_int_max_str_digits(limit)
    assert isinstance(refusal, Refused)
    assert refusal.kind is ProblemKind.TOO_LARGE
