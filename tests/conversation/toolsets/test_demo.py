"""The tools to play with."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from toolproto import ToolFailed, ToolRegistry
from toolproto.conversation.toolsets import demo_tools
from toolproto.conversation.toolsets.demo import WEATHER, calculate, get_weather


def test_they_are_few_and_only_writing_does_more_than_read():
    tools = ToolRegistry(demo_tools()).values()
    assert {tool.name: tool.risk for tool in tools} == {
        "get_weather": "read",
        "calculate": "read",
        "current_time": "read",
        "list_directory": "read",
        "read_file": "read",
        "write_file": "write",
    }


@pytest.mark.parametrize("asked", ["Oslo", "oslo", " OSLO ", "Oslo, Norway"])
def test_the_weather_is_found_however_the_city_is_written(asked):
    assert get_weather(asked) == WEATHER["Oslo"]


def test_an_unknown_city_is_answered_with_those_there_are():
    with pytest.raises(ToolFailed, match=r"'Atlantis'; the cities are Berlin, .*Tokyo"):
        get_weather("Atlantis")


@pytest.mark.parametrize(
    "expression, value",
    [
        ("2 * (3 + 4)", "14"),
        ("7 // 2 + 7 % 2", "4"),
        ("-2 ** 2", "-4"),
        ("1 / 4", "0.25"),
        ("+10", "10"),
        ("2**100", str(2**100)),
        ("2 ** 0.5", str(2**0.5)),
    ],
)
def test_arithmetic_is_worked_out(expression, value):
    assert calculate(expression) == value


HOSTILE = [
    "__import__('os')", "(1).real", "'a' * 9", "9**9**9", "2**-100000", "(-8)**0.5",
    "1e308 * 10 ** 400", "(" * 150, "[1]", "1 if 1 else 2", "", "True + 1", "1" + "+1" * 200,
    "1 << 100", "10.0 ** 400", "1_0\x00",
]  # fmt: skip


@pytest.mark.parametrize("expression", HOSTILE, ids=lambda each: each[:20])
def test_anything_else_is_refused(expression):
    with pytest.raises(ToolFailed):
        calculate(expression)


def test_dividing_by_zero_is_said_to_be_that():
    with pytest.raises(ToolFailed, match="divide by zero"):
        calculate("1 / 0")


def test_the_clock_shows_the_time_of_a_city():
    tools = ToolRegistry(demo_tools(lambda: datetime(2026, 11, 2, 23, 30, tzinfo=UTC)))
    clock = tools["current_time"].function
    assert clock("Tokyo") == "Tuesday, 03 November 2026, 08:30"
    assert clock() == "Monday, 02 November 2026, 23:30"
    with pytest.raises(ToolFailed, match="the cities are UTC"):
        clock("Atlantis")


def test_each_set_has_notes_of_its_own():
    first, second = (ToolRegistry(demo_tools()) for _ in range(2))
    assert first["read_file"].function("notes/shopping.txt") == "milk\neggs\n"
    first["write_file"].function("notes/shopping.txt", "bread\n")
    assert second["read_file"].function("notes/shopping.txt") == "milk\neggs\n"
