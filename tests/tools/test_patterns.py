"""Patterns that may run, and those that must not."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolproto.tools.patterns import MAX_STEPS, search, worst_steps
from toolproto.tools.work import Work

NEVER = [
    "(a+)+$",
    "(a*)*b",
    "(a|a)*$",
    "(a|aa)+$",
    "(?:a+){2,}b",
    "(.*)*x",
    "([a-z]+-)*[a-z]+!",
    r"(a)\1",
    "(?P<x>a)(?P=x)",
    "(a?){30}a{30}",
    "a++",
    "(?(1)a|b)",
    "(?i:a)",
    "[[a]]",
    "[a--b]",
    "(",
    ")",
    "[",
    "\\",
    "a{",
    "x" * 2000,
]


@pytest.mark.parametrize("pattern", NEVER)
def test_a_pattern_that_may_take_hours_is_not_run(pattern):
    assert search(pattern, "a" * 50) is None


@pytest.mark.parametrize("pattern", ["a*a*a*a*a*b", ".*.*.*.*=", "(.*),(.*),(.*)!", "^a*a*a*a*b"])
def test_a_pattern_too_slow_for_a_long_text_still_serves_a_short_one(pattern):
    assert search(pattern, "aaaa") is False
    assert search(pattern, "a" * 5000) is None


@pytest.mark.parametrize(
    ("pattern", "fitting", "other"),
    [
        (r"^\d{4}-\d{2}-\d{2}$", "2024-05-06", "2024-5-6"),
        ("^[a-z0-9_-]+$", "a_b-1", "a b"),
        (r"^(\d{1,3}\.){3}\d{1,3}$", "10.0.0.1", "10.0.1"),
        ("^(?:red|green)$", "red", "blue"),
        (r"^[^@\s]+@[^@\s]+\.[a-z]{2,}$", "me@example.org", "me"),
        ("^(?=.*x)a", "a..x", "a..y"),
        ("b", "abc", "acd"),
        ("^[]a]+$", "]a", "b"),
        ("^(?<year>x)", "", ""),
        ("^#[0-9a-fA-F]{6}$", "#00ff00", "#00ff0"),
        ("", "anything", None),
    ],
)
def test_an_everyday_pattern_is_run(pattern, fitting, other):
    if "?<year>" in pattern:  # JavaScript's spelling, which Python cannot run
        assert search(pattern, fitting) is None
        return
    assert search(pattern, fitting) is True
    assert other is None or search(pattern, other) is False


def test_a_javascript_class_is_left_alone():
    assert search(r"^\p{L}+$", "abc") is None


def test_an_absurd_count_is_left_alone():
    assert search("a{999999999999}", "a") is None


def test_the_estimate_grows_with_the_text():
    assert worst_steps("^a*b*$", 10) < worst_steps("^a*b*$", 100) < worst_steps("a*b*$", 100)


def test_many_searches_draw_on_one_purse():
    work = Work()
    answers = {work.search("a*a*a*b", "a" * 15) for _ in range(100)}
    assert answers == {False, None}
    assert work.pattern_steps >= 0


@given(st.text(alphabet="ab(|)*+?{}[]^$\\,1.:=!<>P", max_size=12), st.text("ab", max_size=12))
def test_any_pattern_has_an_answer_and_never_a_wrong_one(pattern, text):
    answer = search(pattern, text)
    if answer is not None:
        assert worst_steps(pattern, len(text)) <= MAX_STEPS
        assert answer is bool(re.search(pattern, text))
