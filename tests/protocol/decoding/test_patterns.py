"""Whether more text may change what a pattern matches, for every kind of pattern."""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
from collections.abc import Iterable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolproto.protocol import decoding
from toolproto.protocol.decoding.patterns import Pattern

LETTERS = "abA_ \n\\."

CHARACTERS = st.sampled_from(
    ["a", "b", "A", r"\.", ".", "[ab]", "[^a]", r"\w", r"\s", r"[\w.]", r"\\", "\n", "_"]
)
REPEATS = st.sampled_from(["?", "*", "+", "{2}", "{0,2}", "{1,3}", "{2,}"])
KINDS = st.sampled_from(["", "", "?", "+"])  # greedy, lazy, possessive


def _larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds("".join, st.lists(inner, min_size=1, max_size=3)),
        st.builds("(?:{}|{})".format, inner, inner),
        st.builds("({})".format, inner),
        st.builds("(?:{}){}{}".format, CHARACTERS, REPEATS, KINDS),
        st.builds("(?:{}){}".format, inner, st.sampled_from(["?", "{0,2}", "{1,2}+", "{2}"])),
        st.builds("{}(?={})".format, inner, inner),
        st.builds("{}(?!{})".format, inner, inner),
        st.builds("a(?<=a){}".format, inner),
        st.builds("(?<![ab]){}".format, inner),
        st.builds("(?i:{})".format, inner),
        st.builds("(?>{})".format, inner),
        st.builds(r"{}\b{}".format, inner, inner),
        st.builds(r"{}\B".format, inner),
        st.builds(r"{}\Z".format, inner),
        st.builds("{}$".format, inner),
    )


PATTERNS = st.recursive(CHARACTERS, _larger, max_leaves=6)
FLAGS = st.sampled_from([0, re.IGNORECASE, re.DOTALL, re.MULTILINE])


def _found(pattern: Pattern, text: str, at: int) -> tuple[object, ...] | None:
    match = pattern.match(text, at)
    return (match.span(), match.groups()) if match else None


@settings(max_examples=5 * settings().max_examples, deadline=None)
@given(PATTERNS, FLAGS, st.text(LETTERS, max_size=6), st.text(LETTERS, max_size=3))
def test_what_may_not_change_does_not(source: str, flags: int, text: str, more: str) -> None:
    pattern = Pattern(source, flags)
    for at in (0, 1):
        if at <= len(text) and not pattern.may_change(text, at):
            assert _found(pattern, text, at) == _found(pattern, text + more, at)


SETTLED = [
    ("abc", "abc"),
    ("abc", "abx"),
    (r"\s{0,8}x", "  y"),
    ("[ab]{1,3}", "ab."),
    (r"a(?=\r?\n)", "ab"),
    ("a(?!b)", "ac"),
    ("(?i:<call>)", "<CALLS"),
    ("a++b", "aac"),
    (r"json\b", "json "),
    ("-?", "-"),
    (r"(?<=a)b", "c"),
]


@pytest.mark.parametrize(("source", "text"), SETTLED)
def test_what_is_settled_is_not_waited_for(source: str, text: str) -> None:
    assert not Pattern(source).may_change(text, 0)


BEGUN = [
    ("abc", "ab"),
    ("abc", ""),
    ("ab?", "a"),
    (r"(?:\w|\\_)+", "get\\"),
    (r"a(?=\r?\n)", "a\r"),
    ("a(?!bc)", "ab"),
    ("(?i:<call>)", "<CA"),
    (r"json\b", "json"),
    (r"a\Z", "a"),
    ("a$", "a\n"),
    ("(?s)a.b", "a\n"),
    ("(?>a|ab)c", "a"),
]


@pytest.mark.parametrize(("source", "text"), BEGUN)
def test_what_has_begun_is_waited_for(source: str, text: str) -> None:
    assert Pattern(source).may_change(text, 0)


@pytest.mark.parametrize("source", [r"(a)\1", "(a)?(?(1)b|c)"])
def test_what_cannot_be_derived_is_refused(source: str) -> None:
    with pytest.raises(ValueError, match="streamed text"):
        Pattern(source).may_change("a", 0)


def test_every_pattern_of_the_readers_compiles_and_has_its_beginnings() -> None:
    """They do so when they are first asked for, which some may never be in these tests."""
    for module in pkgutil.walk_packages(decoding.__path__, f"{decoding.__name__}."):
        importlib.import_module(module.name)
    modules = [each for name, each in sys.modules.items() if name.startswith(decoding.__name__)]
    patterns = [each for module in modules for each in _patterns(list(vars(module).values()))]
    assert len(patterns) > 70
    for pattern in patterns:
        pattern.match("", 0)
        assert pattern.derived().longest > 0


def _patterns(values: Iterable[object]) -> Iterator[Pattern]:
    """Those among *values*, and in the lists and tables that are."""
    for value in values:
        if isinstance(value, Pattern):
            yield value
        elif isinstance(value, dict):
            yield from _patterns(value.values())
        elif isinstance(value, list | tuple):
            yield from _patterns(value)
