"""Lenient reading: each mistake models make, what is made of it, and under which label."""

from __future__ import annotations

import importlib.util
import json
import random
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.amount import amount
from toolproto.protocol.decoding.faults import MAX_DEPTH, Refused
from toolproto.protocol.decoding.values.lenient import JsonReader, read_json, read_lenient
from toolproto.protocol.decoding.values.strict import MAX_DIGITS, Reading
from toolproto.protocol.messages import Grade, ProblemKind

from .test_strict import FINAL, json_values

KEYS = frozenset({"name", "arguments", "path", "content"})


def _benchmark(name: str) -> ModuleType:
    """A module of ``benchmarks/``, which is not a package."""
    path = Path(__file__).parents[4] / "benchmarks" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


defects = _benchmark("defects")

# (text, value, names of the repairs): another spelling of the same value.
LOSSLESS = [
    ("{'a': 'b'}", {"a": "b"}, ["quote_style"]),
    ("""{"a": 'x', 'b': "it's"}""", {"a": "x", "b": "it's"}, ["quote_style"]),
    (r"{'a': 'it\'s \"x\"'}", {"a": "it's \"x\""}, ["quote_style"]),
    (r"{'a': 'caf\xe9 \U0001f600 \u00e9'}", {"a": "café 😀 é"}, ["quote_style"]),
    ("{“a”: “b”}", {"a": "b"}, ["quote_style"]),
    ("{‘a’: ‘b’}", {"a": "b"}, ["quote_style"]),
    ("{`a`: `b`}", {"a": "b"}, ["quote_style"]),
    ('{a: 1, b-c: "d"}', {"a": 1, "b-c": "d"}, ["bare_key"]),
    ('{"a": True, "b": False, "c": None}', {"a": True, "b": False, "c": None}, ["literal"]),
    ('{"a": TRUE, "b": Null}', {"a": True, "b": None}, ["literal"]),
    ('{"a": [1, 2,],}', {"a": [1, 2]}, ["trailing_comma"]),
    ('{"a": 1, // note\n "b": 2}', {"a": 1, "b": 2}, ["comment"]),
    ('{"a": "x", # note\n "b": 2}', {"a": "x", "b": 2}, ["comment"]),
    ('{"a": 1 /* one */, "b": "x" /* two */}', {"a": 1, "b": "x"}, ["comment"]),
    ('{"a": "x\ny\tz",}', {"a": "x\ny\tz"}, ["control_character", "trailing_comma"]),
    (r'{"a": "it\'s"}', {"a": "it's"}, ["escaped_apostrophe"]),
    ("[(1, 2), ()]", [[1, 2], []], ["tuple"]),
    ("[(1)]", [1], ["parentheses"]),
    ("[(1,)]", [[1]], ["trailing_comma", "tuple"]),
    ("[1_000, +5, 0xff, .5, 5., -.5]", [1000, 5, 255, 0.5, 5.0, -0.5], ["number_form"]),
    ('{"a": """say "hi" """, "b": 1}', {"a": 'say "hi" ', "b": 1}, ["triple_quoted"]),
    (r"{\"a\": \"b\", \"c\": [1]}", {"a": "b", "c": [1]}, ["escaped_json"]),
    (r"{\n  \"a\": 1\n}", {"a": 1}, ["escaped_json"]),
    ('\ufeff{"a":\xa01}', {"a": 1}, ["odd_space"]),
    ("{'a': 1, 'a': 1}", {"a": 1}, ["quote_style", "duplicate_key"]),
]  # fmt: skip

# The likeliest of several readings.
GUESSED = [
    ('{"a": "b"', {"a": "b"}, ["missing_close"]),
    ('{"a": [1, {"b": true', {"a": [1, {"b": True}]}, ["missing_close"]),
    ('{"a": 12\n', {"a": 12}, ["missing_close"]),
    ('{"a": [1, 2, "b": 3}', {"a": [1, 2], "b": 3}, ["missing_close"]),
    ('[{"a": 1, {"a": 2}]', [{"a": 1}, {"a": 2}], ["missing_close"]),
    ('{"a": [1, 2}', {"a": [1, 2]}, ["missing_close"]),
    ('[{"a": {"b": 1}}}', [{"a": {"b": 1}}], ["mismatched_close"]),
    ('{"a": {"b": 1}}, "c": 2}', {"a": {"b": 1}, "c": 2}, ["extra_close"]),
    ('{"a": {"b": "c"]}}', {"a": {"b": "c"}}, ["extra_close"]),
    ('"a": 1, "b": 2}', "a", ["glued_text"]),
    ('{"a": 1 "b": 2}', {"a": 1, "b": 2}, ["missing_comma"]),
    ('["a" "b" 3]', ["a", "b", 3], ["missing_comma"]),
    ('[{"a": "x"}{"a": "y"}]', [{"a": "x"}, {"a": "y"}], ["missing_comma"]),
    ("[1,, 2]", [1, 2], ["extra_comma"]),
    ('{"a" 1}', {"a": 1}, ["missing_colon"]),
    ("{a=1; b=>2}", {"a": 1, "b": 2}, ["bare_key", "odd_separator"]),
    ('{"a": "say "hi" now", "b": 1}', {"a": 'say "hi" now', "b": 1}, ["unescaped_quote"]),
    ("{'a': 'it's', 'b': 'x'}", {"a": "it's", "b": "x"}, ["quote_style", "unescaped_quote"]),
    ('{"n": "f", "args": "{"a": "b"}"}', {"n": "f", "args": '{"a": "b"}'}, ["unescaped_quote"]),
    (r'{"a": "[{\"f": \"x\"}]"}', {"a": '[{"f": "x"}]'}, ["unescaped_quote"]),
    ('{"a": "AAPL, "b": "NASDAQ"}', {"a": "AAPL", "b": "NASDAQ"}, ["missing_quote"]),
    ('{"a": {"b": "x}}', {"a": {"b": "x"}}, ["missing_quote"]),
    ('{"a": "x\n}', {"a": "x"}, ["missing_quote"]),
    ('{a": "x", "b: "y"}', {"a": "x", "b": "y"}, ["missing_quote"]),
    ('{"a": hello", "b": 1}', {"a": "hello", "b": 1}, ["missing_quote", "bare_string"]),
    (r'{"a": "\d+\.\w"}', {"a": r"\d+\.\w"}, ["invalid_escape"]),
    (r'{"a": "\u12 \x41"}', {"a": r"\u12 \x41"}, ["invalid_escape"]),
    (r'''{"a": "'it\'s'"}''', {"a": r"'it\'s'"}, ["invalid_escape"]),
    (r'{"a": "get\_it"}', {"a": "get_it"}, ["escaped_underscore"]),
    (r"{get\_it: 1}", {"get_it": 1}, ["bare_key", "escaped_underscore"]),
    (r"{\"a\": \"x\\ny\"}", {"a": "x\ny"}, ["escaped_json", "nested_escapes"]),
    ('{"p": 1.0 / 6.0, "n": 10 - 5}', {"p": "1.0 / 6.0", "n": "10 - 5"}, ["expression"]),
    ('{"n": 7 // 2, "m": 500*500}', {"n": "7 // 2", "m": "500*500"}, ["expression"]),
    ('{"t": now(1, "x"), "d": rows["k"]}', {"t": 'now(1, "x")', "d": 'rows["k"]'}, ["expression"]),
    ('{"zip": 00123, "city": Bruges}', {"zip": "00123", "city": "Bruges"}, ["bare_string"]),
    ("[0x_, 0b]", ["0x_", "0b"], ["bare_string"]),
    ('{"a": 10 inches, "b": 1}', {"a": "10 inches", "b": 1}, ["bare_string"]),
    ('{"a": 1}b": 2}', {"a": 1}, ["glued_text"]),
]  # fmt: skip

# Something is missing and was not made up.
TRUNCATED = [
    ('{"a": 1, "b": "hel', {"a": 1, "b": "hel"}, ["cut_short", "missing_close"]),
    ('{"a": "x\\', {"a": "x"}, ["cut_short", "missing_close"]),
    ('{"a": "x\\u00e', {"a": "x"}, ["cut_short", "missing_close"]),
    ('{"a": 12', {"a": 12}, ["cut_short", "missing_close"]),
    ('{"a": -', {}, ["cut_short", "missing_close"]),
    ('{"a": tru', {}, ["cut_short", "missing_close"]),
    ('{"a":', {}, ["cut_short", "missing_close"]),
    ('{"a": 1, "b', {"a": 1}, ["cut_short", "missing_close"]),
    ('{"a": 1, "b"', {"a": 1}, ["cut_short", "missing_close"]),
    ('{"a": 1,', {"a": 1}, ["cut_short", "missing_close"]),
    ("[", [], ["cut_short", "missing_close"]),
    ('{"a": , "b": 1}', {"b": 1}, ["missing_value"]),
    ('{"a": }', {}, ["missing_value"]),
    ("[1, 2, ...]", [1, 2], ["ellipsis"]),
    ('{"a": ..., "b": 1, ...}', {"b": 1}, ["ellipsis", "missing_value"]),
]

CASES = [
    *((*case, Grade.LOSSLESS) for case in LOSSLESS),
    *((*case, Grade.GUESSED) for case in GUESSED),
    *((*case, Grade.TRUNCATED) for case in TRUNCATED),
]


def _grades(reading: Reading) -> set[Grade]:
    return {repair.grade for repair in reading.repairs}


def _worst(reading: Reading) -> Grade | None:
    """The least sure grade of a reading's repairs."""
    order = (Grade.TRUNCATED, Grade.GUESSED, Grade.LOSSLESS)
    return next((grade for grade in order if grade in _grades(reading)), None)


@pytest.mark.parametrize(("text", "value", "names", "grade"), CASES)
def test_a_mistake_is_read_and_labelled(
    text: str, value: object, names: list[str], grade: Grade
) -> None:
    reading = read_json(text)
    assert isinstance(reading, Reading)
    assert reading.value == value
    assert [repair.name for repair in reading.repairs] == names
    assert _worst(reading) is grade


@pytest.mark.parametrize("text", [case[0] for case in CASES])
def test_the_same_text_is_read_in_the_middle_of_another(text: str) -> None:
    alone, within = read_lenient(text), read_lenient("see: " + text, 5)
    assert isinstance(alone, Reading) and isinstance(within, Reading)
    assert (within.value, within.end) == (alone.value, alone.end + 5)


@pytest.mark.parametrize("text", ["", " ", "Hello there", "None of these", "}", ",", "// a note"])
def test_where_there_is_no_value_none_is_read(text: str) -> None:
    assert read_lenient(text) is None
    assert isinstance(read_json(text), Refused)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("{'a': 1, 'a': 2}", ProblemKind.MALFORMED),
        ("{'a': 1, 'a': True}", ProblemKind.MALFORMED),
        ("{'a': NaN}", ProblemKind.MALFORMED),
        ("{'a': -inf}", ProblemKind.MALFORMED),
        ("{'a': 1e999}", ProblemKind.MALFORMED),
        ("{'a': " + "9" * (MAX_DIGITS + 1) + "}", ProblemKind.TOO_LARGE),
        ("{'a': 0x" + "f" * MAX_DIGITS + "}", ProblemKind.TOO_LARGE),
        ("{'a': " + "[" * MAX_DEPTH, ProblemKind.TOO_LARGE),
        ("[" + r'"\d" ' * 20_000, ProblemKind.MALFORMED),
    ],
    ids=range(9),
)
def test_the_rules_of_strict_reading_hold_here_too(text: str, kind: ProblemKind) -> None:
    refusal = read_lenient(text)
    assert isinstance(refusal, Refused)
    assert (refusal.kind, refusal.final) == (kind, True)


@pytest.mark.parametrize("text", [case[0] for case in FINAL], ids=range(len(FINAL)))
def test_a_final_refusal_is_not_overruled(text: str) -> None:
    assert isinstance(read_json(text), Refused)


def test_known_keys_settle_which_quote_ends_a_string() -> None:
    content = '{"a": "b", "c": 1}, "x": "y'
    text = f'{{"content": "{content}", "path": "p"}}'
    reading = read_json(text, keys=KEYS)
    assert isinstance(reading, Reading)
    assert reading.value == {"content": content, "path": "p"}
    assert _worst(reading) is Grade.GUESSED


def test_keys_that_nobody_announced_are_read_all_the_same() -> None:
    reading = read_json('{name: "f", "parameters": {"city": "Gent", unit: "C"},}', keys=KEYS)
    assert isinstance(reading, Reading)
    assert reading.value == {"name": "f", "parameters": {"city": "Gent", "unit": "C"}}


def test_what_follows_a_value_is_left_to_the_caller() -> None:
    text = "{'a': 'b'}</tool_call> {'c': 1}"
    reading = read_json(text)
    assert isinstance(reading, Reading)
    assert text[reading.end :] == "</tool_call> {'c': 1}"


def test_a_body_comes_back_to_the_last_character() -> None:
    body = " \r\n\tx  \n\n"
    reading = read_json(f"{{'a': '{body}',}}")
    assert isinstance(reading, Reading)
    assert reading.value == {"a": body}


@example({"": "", "\U00010000" * 11: None}, None)  # a key of more than twenty escapes
@given(json_values, st.sampled_from([None, 1]))
def test_valid_json_needs_no_repair(value: object, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    for reading in (read_json(text), read_lenient(text)):
        assert reading == Reading(json.loads(text), len(text))


@given(json_values)
def test_a_python_literal_reads_back(value: object) -> None:
    reading = read_lenient(repr(value))
    assert isinstance(reading, Reading)
    assert reading.value == value


_PIECES = [
    *"{}[]()\"'\\,:=;#\n `“”1-.ex_\ud800\x00",
    *(
        "true",
        "None",
        "NaN",
        "...",
        "//",
        "/*",
        "*/",
        '{"a": "',
        '"a": ',
        '\\"',
        "\\u",
        '"""',
        "0x",
    ),
]


@settings(max_examples=4 * settings().max_examples)
@given(
    st.lists(st.sampled_from(_PIECES) | st.text(max_size=3), max_size=30).map("".join),
    st.booleans(),
)
def test_no_text_raises(text: str, with_keys: bool) -> None:
    keys = frozenset({"a", "name"}) if with_keys else None
    assert isinstance(read_json(text, 0, keys), (Reading, Refused))
    reading = read_lenient(text, 0, keys)
    assert reading is None or isinstance(reading, Refused) or 0 <= reading.end <= len(text)


@given(st.dictionaries(st.text(min_size=1), json_values, min_size=1), st.data())
def test_a_value_cut_short_is_never_passed_off_as_whole(value: object, data: st.DataObject) -> None:
    text = json.dumps(value)
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    reading = read_json(cut)
    assert isinstance(reading, Refused) or _grades(reading) & {Grade.GUESSED, Grade.TRUNCATED}


def test_real_code_with_one_mistake_comes_back_identical() -> None:
    payloads = list(defects.defects(300, seed=7))
    identical = 0
    for payload in payloads:
        reading = read_json(payload.text, 0, defects.KEYS)
        if isinstance(reading, Reading) and reading.value == payload.value:
            identical += 1
        elif isinstance(reading, Reading):
            assert _worst(reading) in (Grade.GUESSED, Grade.TRUNCATED), payload
    assert identical >= 0.99 * len(payloads)


def test_real_code_cut_anywhere_is_labelled() -> None:
    rng = random.Random(3)
    for payload in defects.defects(200, seed=8):
        text = json.dumps(payload.value)
        reading = read_json(text[: rng.randrange(1, len(text))], 0, defects.KEYS)
        assert isinstance(reading, Reading)
        assert _worst(reading) in (Grade.GUESSED, Grade.TRUNCATED)


HOSTILE = [
    ("", "{"),
    ("", "["),
    ("[", '"'),
    ('{"a": "', "\\"),
    ('{"a": "', '\\"'),
    ("{'a': '", "'"),
    ("{", '"a":'),
    ("", '{"a":['),
    ("[", ","),
    ("[", "\"'"),
    ('{"a": "', 'b "c" d'),
    ('{"a": "', 'b", c'),
    ('{"a": "x"y', '"}'),
    ('{"a": "', '", "b": '),
    ('{"a": ', '"a" b", c: '),
    ("[", '"\\d",'),
    ("[", "`,"),
    ("[", "1,"),
    ("[", "/*x*/"),
    ("[", "/*"),
    ("[", "//\n"),
    ("{", "a:1,"),
    ("{", "a "),
    ("[", "f("),
    ('{"a": "', '"""'),
]


@pytest.mark.parametrize(("prefix", "pattern"), HOSTILE)
def test_the_work_grows_with_the_text_and_not_faster(prefix: str, pattern: str) -> None:
    def seconds(length: int) -> float:
        text = prefix + pattern * (length // len(pattern))
        began = time.process_time()
        read_json(text)
        return time.process_time() - began

    # Eight times the text: linear work grows about eightfold, quadratic sixty-fourfold. The
    # constant keeps the noise of a busy machine out of what takes next to no time.
    small = amount(6_000, 30_000)
    assert seconds(8 * small) <= 20 * min(seconds(small) for _ in range(3)) + 0.1


def test_numbers_and_plain_members_in_a_row_are_what_they_are_one_by_one() -> None:
    numbers = [0, -1, 2.5, 10**17, 10**30, -0.125] * 500
    written = ", ".join(map(json.dumps, numbers))
    reading = read_json(f"[{written},]")
    assert isinstance(reading, Reading) and reading.value == numbers
    assert [repair.name for repair in reading.repairs] == ["trailing_comma"]
    members = {f"key_{at}": number for at, number in enumerate(numbers)}
    written = ",".join(f"{key}:{json.dumps(number)}" for key, number in members.items())
    reading = read_json(f"{{{written}}}")
    assert isinstance(reading, Reading) and reading.value == members
    assert [repair.name for repair in reading.repairs] == ["bare_key"]


def in_pieces(text: str, places: list[int], keys: frozenset[str] | None) -> tuple[object, ...]:
    """What a reader makes of *text* that comes in pieces, cut at *places*."""
    reader = JsonReader(keys)
    reading, done = reader.read(), 0
    for place in [*places, len(text)]:
        reader.text, reader.at = reader.text[reader.at :] + text[done:place], 0
        reader.final, done = place == len(text), place
        try:
            next(reading)
        except StopIteration as over:
            return over.value, reader.repairs, reader.fault and reader.fault.message
    raise AssertionError("it waits for more than all of the text")


odd_text = st.text(st.sampled_from(list("{}[]():,;=\"'“”`\\/#*.\n a1tn<-…")), max_size=40)
parts = st.lists(st.sampled_from(['{"a": "', '", "b": ', '"c"', '"""', "[1, ", "true", "}", "//"]))


@settings(max_examples=amount(300, 5000), deadline=None)
@given(
    text=st.tuples(parts.map("".join), odd_text).map("".join),
    cuts=st.lists(st.integers(0, 60), max_size=6),
    keys=st.sampled_from([None, KEYS, frozenset("ab")]),
)
def test_text_in_pieces_is_read_as_the_whole(
    text: str, cuts: list[int], keys: frozenset[str] | None
) -> None:
    places = sorted({cut for cut in cuts if cut < len(text)})
    assert in_pieces(text, places, keys) == in_pieces(text, [], keys)


@pytest.mark.parametrize("defect", list(defects.defects(amount(68, 680), 3)))
def test_a_broken_payload_that_comes_character_by_character_is_read_as_the_whole(
    defect: object,
) -> None:
    text = defect.text  # type: ignore[attr-defined]
    assert in_pieces(text, list(range(len(text))), KEYS) == in_pieces(text, [], KEYS)


def test_a_key_over_two_lines_is_a_key() -> None:
    reading = read_lenient("{'city': 'Oslo', 'da\nys': 3}")
    assert isinstance(reading, Reading)
    assert reading.value == {"city": "Oslo", "da\nys": 3}
