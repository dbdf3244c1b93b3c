"""Steps of calls that repeat themselves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolproto import ToolCall
from toolproto.conversation.deciding.circles import DoomLoop


def steps(text: str) -> list[list[ToolCall]]:
    """A step for each letter."""
    return [[ToolCall(letter, {})] for letter in text]


def noticed(text: str, repeats: int = 3) -> int | None:
    """After which step the loop is noticed."""
    loop = DoomLoop(repeats)
    return next((at for at, each in enumerate(steps(text), 1) if loop.goes_on(each)), None)


@pytest.mark.parametrize(
    "text, at",
    [
        ("aaa", 3),
        ("aa", None),
        ("aabaa", None),
        ("ababab", 6),
        ("xyababab", 8),
        ("abcabcabc", 9),
        ("abcdabcdabcd", 12),
        ("abcdeabcdeabcde", None),
        ("abab", None),
    ],
)
def test_a_pattern_of_up_to_four_steps_is_noticed(text, at):
    assert noticed(text) == at


def test_the_order_of_calls_and_arguments_does_not_matter():
    loop = DoomLoop(2)
    one = [ToolCall("f", {"a": 1, "b": {"c": 2, "d": 3}}), ToolCall("g", {})]
    two = [ToolCall("g", {}), ToolCall("f", {"b": {"d": 3, "c": 2}, "a": 1})]
    assert [bool(loop.goes_on(one)), bool(loop.goes_on(two))] == [False, True]


def test_other_arguments_are_another_round():
    loop = DoomLoop(2)
    assert not any(loop.goes_on([ToolCall("f", {"page": page})]) for page in range(20))


def test_what_is_tolerated_is_not_mentioned_again():
    loop = DoomLoop(2)
    loop.tolerate([ToolCall("f", {})])
    assert not any(loop.goes_on([ToolCall("f", {})]) for _ in range(20))


def test_forgetting_begins_anew():
    loop = DoomLoop(2)
    assert [bool(loop.goes_on(each)) for each in steps("aa")] == [False, True]
    loop.forget()
    assert [bool(loop.goes_on(each)) for each in steps("aa")] == [False, True]


@given(st.text("ab", max_size=6), st.text("abcd", min_size=1, max_size=4))
def test_three_times_anything_short_is_noticed(before, pattern):
    assert noticed(before + pattern * 3) is not None
