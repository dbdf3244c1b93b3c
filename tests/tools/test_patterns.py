"""Patterns that may run, and those that must not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolproto.tools.patterns import MAX_STEPS, rounded, worst_steps
from toolproto.tools.work import Work


def search(pattern: str, text: str) -> bool | None:
    """What is said of a pattern by whoever has done no work yet."""
    return Work().search(pattern, text)


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
    "((){60000}){60000}",
    "(?:(?=a){60000}){60000}",
    "(?:(?:^){60000}){60000}",
    "(?:(?:a{0}){60000}){60000}",
    "(?:(){0,60000}){60000}",
    "(?:(?:a?){60000}){60000}",
    "(?:(?:a??){60000}?){60000}",
    "(a|){50000}",
    "(?:(?!b)a{0,1}){60000}",
    "[\u0100-\uffff]" * 20,
]


@pytest.mark.parametrize("pattern", NEVER)
def test_a_pattern_that_may_take_hours_is_not_run(pattern):
    assert search(pattern, "a" * 50) is None


#: Patterns with one way to match, or with ways that take no character, and a text of that length.
LABORIOUS = [
    ("a{50000}b", 90_000),
    ("[ab]{40000}c", 70_000),
    ("(?<=a{30000})b", 60_000),
    ("()?" * 60 + "(?!)", 0),
    ("(?:()?){60}(?!)", 0),
    ("(?:|){60}(?!)", 0),
    ("^" + "()" * 300 + "(?:ab)*$", 200_000),
    (r"(?:\x61|\x61)*b", 60),
    (r"(?:\u0061|\u0061)*b", 60),
    ("^a", 100_000_000),
]


@pytest.mark.parametrize(("pattern", "length"), LABORIOUS, ids=[each[0][:20] for each in LABORIOUS])
def test_a_pattern_of_many_steps_is_not_run_however_few_its_ways(pattern, length):
    assert worst_steps(pattern, length) > MAX_STEPS


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
        ("^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", f"{0:08}{'-0000' * 3}-{0:012}", "0"),
        (r"^\d+(\.\d+){2}$", "1.12.3", "1.2"),
        (r"^[\u0041-\u024f '-]+$", "Zoë", "3"),
        ("^(?:[01]\\d|2[0-3]):[0-5]\\d$", "23:59", "24:00"),
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


@pytest.mark.parametrize("length", [*range(100), 1000, 12_345, 10**6 + 1])
def test_an_estimate_is_made_for_a_little_more_than_the_text(length):
    assert length <= rounded(length) <= length * 1.13
    assert rounded(rounded(length)) == rounded(length)


def test_reading_many_patterns_draws_on_the_purse_too():
    work = Work()
    patterns = [f"[\u0100-\uffff]{number}" for number in range(1000)]
    answers = [work.search(pattern, "a") for pattern in patterns]
    assert 0 < answers.count(False) < 250
    assert answers[-1] is None
    assert work.search(patterns[0], "a") is False


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


class Tried:
    """A pattern as text, and as the search for it: where each way to match ends.

    The search steps as ``re`` does, without its short cuts, and counts in ``Steps``.
    """

    def __init__(self, text: str, ends: Callable[[str, int], Iterator[int]]) -> None:
        self.text, self.ends = text, ends


class Steps:
    taken = 0


def character(char: str) -> Tried:
    def ends(text: str, at: int) -> Iterator[int]:
        Steps.taken += 1
        if text[at : at + 1] == char:
            yield at + 1

    return Tried(char, ends)


def followed(one: Tried, two: Tried) -> Tried:
    def ends(text: str, at: int) -> Iterator[int]:
        for end in one.ends(text, at):
            yield from two.ends(text, end)

    return Tried(one.text + two.text, ends)


def either(one: Tried, two: Tried) -> Tried:
    def ends(text: str, at: int) -> Iterator[int]:
        Steps.taken += 1
        yield from one.ends(text, at)
        yield from two.ends(text, at)

    return Tried(f"(?:{one.text}|{two.text})", ends)


def looked(sign: str, inner: Tried) -> Tried:
    def ends(text: str, at: int) -> Iterator[int]:
        Steps.taken += 1
        if (next(inner.ends(text, at), None) is None) is (sign == "!"):
            yield at

    return Tried(f"(?{sign}{inner.text})", ends)


def repeated(inner: Tried, least: int, more: int | None, lazy: str) -> Tried:
    most = 1000 if more is None else least + more

    def ends(text: str, at: int, turn: int = 0) -> Iterator[int]:
        Steps.taken += 1
        for end in inner.ends(text, at) if turn < most else ():
            if end > at or turn < least:
                yield from ends(text, end, turn + 1)
            else:  # a turn beyond those asked for that took nothing is the last
                yield end
        if turn >= least:
            yield at

    return Tried(f"(?:{inner.text}){{{least},{'' if more is None else most}}}{lazy}", ends)


searches = st.recursive(
    st.sampled_from([character("a"), character("b"), Tried("", lambda text, at: iter([at]))]),
    lambda inner: st.one_of(
        st.builds(followed, inner, inner),
        st.builds(either, inner, inner),
        st.builds(looked, st.sampled_from("=!"), inner),
        st.builds(
            repeated,
            inner,
            st.sampled_from([0, 1, 2, 7]),
            st.sampled_from([0, 1, 3, None]),
            st.sampled_from(["", "?"]),
        ),
    ),
    max_leaves=8,
)


@given(searches, st.text("ab", max_size=6))
def test_no_search_takes_more_steps_than_the_estimate(tried, text):
    estimate = worst_steps(tried.text, len(text))
    Steps.taken = 0
    for start in range(len(text) + 1):
        for _ in tried.ends(text, start):
            if Steps.taken > 20_000:  # some would not end today
                return
            assert Steps.taken <= estimate
    assert Steps.taken <= estimate
