"""Figures that got worse are noticed: what ``make bench`` compares, and how."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "benchmarks"
sys.path.insert(0, str(FOLDER))  # benchmarks are scripts, not a package

from compare import EXPECTED, Expectation, read_expected, report, updated, written  # noqa: E402

from toolproto import ToolOffer, ToolSpec  # noqa: E402

EXPECTATION = Expectation(
    "some",
    {"lower": 0.3, "higher": 0.01},
    ("--quick",),
    {"time / buffer": 10.0, "wrong": 0.0},
    {"read right": 0.99},
)
AS_EXPECTED = {"time / buffer": 12.0, "wrong": 0.0, "read right": 0.99}
CASES = [
    ({}, {}),
    ({"time / buffer": 13.1}, {"time / buffer": "worse"}),
    ({"time / buffer": 6.0}, {"time / buffer": "better"}),
    ({"read right": 0.97}, {"read right": "worse"}),
    ({"read right": 0.985}, {}),
    ({"wrong": 1}, {"wrong": "worse"}),
    ({"never seen": 3.0}, {"never seen": "new"}),
]


@pytest.mark.parametrize("script", sorted(path.stem for path in FOLDER.glob("*.py")))
def test_a_script_finds_what_it_uses_of_the_package(script):
    try:
        importlib.import_module(script)
    except ModuleNotFoundError as missing:  # of an extra that is not installed here
        assert not (missing.name or "").startswith("toolproto")


def verdicts(measured):
    found = {each.figure: each.verdict for each in EXPECTATION.findings(measured)}
    return {figure: verdict for figure, verdict in found.items() if verdict != "as expected"}


@pytest.mark.parametrize("measured, expected", CASES)
def test_a_figure_beyond_its_margin_is_noticed(measured, expected):
    assert verdicts({**AS_EXPECTED, **measured}) == expected


def test_a_figure_that_was_not_measured_is_noticed():
    assert verdicts({}) == dict.fromkeys(AS_EXPECTED, "missing")


@pytest.mark.parametrize("slow, code", [(12.0, 0), (13.1, 1)])
def test_what_got_worse_is_said_and_fails(slow, code, capsys):
    measured = {**AS_EXPECTED, "time / buffer": slow}
    assert report(list(EXPECTATION.findings(measured))) == code
    assert ("WORSE: some, time / buffer: +31%" in capsys.readouterr().out) is bool(code)


def test_what_was_measured_is_expected_from_then_on(tmp_path):
    after = updated(EXPECTATION, {**AS_EXPECTED, "never seen": 3.0})
    path = tmp_path / "expected.toml"
    path.write_text(written({"some": after}))
    assert read_expected(path) == {"some": after}
    assert after.lower == {"time / buffer": 12.0, "wrong": 0.0, "never seen": 3.0}
    assert after.higher == {"read right": 0.99}


def test_every_benchmark_that_has_expectations_is_there():
    expected = read_expected(EXPECTED)
    assert [name for name in expected if not (FOLDER / f"{name}.py").exists()] == []


def test_the_prompt_that_people_write_by_hand_leads_the_same_loop():
    way = pytest.importorskip("bfcl_multi_turn").paradigm_of("array")
    city = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    offer = ToolOffer((ToolSpec("get_weather", "Weather.", city),))
    assert '"get_weather"' in way.splice_system_prompt("Be brief.", offer)
    reply = '[{"name": "get_weather", "arguments": {"city": "Oslo"}}]'
    (call,) = way.parse_response(reply, offer).calls
    assert call.arguments == {"city": "Oslo"}


def test_a_coin_says_what_is_chance():
    by_coins = pytest.importorskip("bfcl_multi_turn").by_coins
    assert by_coins([]) == by_coins([1, -1]) == 1.0
    assert by_coins([1] * 12) < 0.01 < by_coins([1] * 8 + [-1] * 4)


def test_the_interval_of_stories_drawn_again_is_around_what_was_gained():
    by_drawing = pytest.importorskip("bfcl_multi_turn").by_drawing
    assert by_drawing([]) == "none"
    assert by_drawing([(1, 4)] * 5) == "25.0 (25.0 to 25.0)"
    assert by_drawing([(1, 2), (-1, 2)], "+") == "+0.0 (-50.0 to +50.0)"


def test_a_way_that_was_drawn_several_times_is_judged_by_its_mean():
    turns = pytest.importorskip("bfcl_multi_turn")

    def led(number, *right):
        due = [["a()"], [], ["b()"]]  # the second turn calls for nothing
        task = turns.Task({"id": f"multi_turn_base_{number}"}, due, [])
        return turns.Reached(task, right, [""] * len(right))

    once = led(1, 3, 1, 0, 0)
    assert (once.mean, once.due, once.right, once.whole) == (1.0, 2, 0.75, 0.25)
    ours = {"1": led(1, 3, 3), "2": led(2, 1, 0)}
    theirs = {"1": led(1, 3, 1), "2": led(2, 1, 0)}
    assert turns.versus(ours, theirs).startswith("1 / 0 (p=1), turns +12.5 ")
    assert turns.drawn("array", 0) == ["array"]
    assert turns.drawn("array", 2) == ["array#1", "array#2"]
