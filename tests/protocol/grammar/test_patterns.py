"""Patterns of schemas as grammar: against Python's own engine."""

from __future__ import annotations

import re
from random import Random

import pytest

from toolproto.protocol.grammar.accepting import departure
from toolproto.protocol.grammar.ir import EMPTY, Grammar
from toolproto.protocol.grammar.patterns import FORMATS, pattern_node
from toolproto.protocol.grammar.sampling import sample_reply

SAID = [
    "^[a-z]{2,5}$", r"^\d{3}-\d{2}$", "[A-Z]", "^(foo|bar)+$", "^a?b*c+$", r"^\S+@\S+\.\S+$",
    r"^[^/\\]+$", "^(?:x|y){0,3}z$", r"^\x41\u0042$", "^[a-c-]$", "^$", "abc", r"^\.[\w-]+$", "^é$",
]  # fmt: skip
UNSAID = [
    r"\bword\b", "(?=x)", "(?!x)a", r"(a)\1", "a$b", "(^a)", r"\p{L}", "a{3000}", "[[a]]", "(",
]  # fmt: skip


@pytest.mark.parametrize("pattern", SAID)
def test_what_is_drawn_fits_the_pattern(pattern: str) -> None:
    node = pattern_node(pattern)
    assert node is not None
    grammar = Grammar(node, {}, node, (), False, EMPTY)
    random = Random(3)
    for _ in range(50):
        drawn = sample_reply(grammar, random, length=random.randint(0, 20))
        assert re.search(pattern, drawn, re.ASCII), drawn


@pytest.mark.parametrize("pattern", SAID)
@pytest.mark.parametrize(
    "text", ["", "abc", "ABC", "123-45", "foobar", "a@b.cd", "xyz", "AB", "-", ".a-b", "é", "b/c"]
)
def test_what_fits_the_pattern_is_accepted_and_nothing_else(pattern: str, text: str) -> None:
    node = pattern_node(pattern)
    assert node is not None
    fits = re.search(pattern, text, re.ASCII) is not None
    grammar = Grammar(node, {}, node, (), False, EMPTY)
    assert (departure(grammar, text) is None) is fits


@pytest.mark.parametrize("pattern", UNSAID)
def test_what_not_every_engine_has_is_not_said(pattern: str) -> None:
    assert pattern_node(pattern) is None


FORMATTED = [
    ("date", "2024-02-29", True), ("date", "2024-02-30", False), ("date", "tomorrow", False),
    ("time", "23:59:59", True), ("time", "24:00:00", False), ("ipv4", "255.0.0.1", True),
    ("ipv4", "256.0.0.1", False), ("email", "a.b@example.org", True), ("email", "a@b", False),
    ("uuid", "123e4567-e89b-12d3-a456-426614174000", True), ("uuid", "123", False),
    ("date-time", "2024-01-31T12:00:00Z", True), ("date-time", "2024-01-31", False),
]  # fmt: skip


@pytest.mark.parametrize("format, text, fits", FORMATTED)
def test_formats_that_are_regular_are_demanded(format: str, text: str, fits: bool) -> None:
    grammar = Grammar(FORMATS[format], {}, EMPTY, (), False, EMPTY)
    assert (departure(grammar, text) is None) is fits
