"""Numbers between bounds: what the grammar says is what arithmetic says."""

from __future__ import annotations

import json
from decimal import Decimal
from random import Random

import pytest

from toolproto.protocol.grammar.accepting import departure
from toolproto.protocol.grammar.ir import EMPTY, NOTHING, Grammar, Node
from toolproto.protocol.grammar.numbers import Bounds, integers, numbers
from toolproto.protocol.grammar.sampling import sample_reply


def grammar(node: Node) -> Grammar:
    return Grammar(node, {}, node, (), False, EMPTY)


def accepts(node: Node, text: str) -> bool:
    return departure(grammar(node), text) is None


RANGES = [(0, 0), (0, 9), (1, 12), (-7, 7), (18, 120), (-120, -18), (99, 1000), (0, 86400)]


@pytest.mark.parametrize("least, most", RANGES)
def test_integers_are_those_between_their_bounds(least: int, most: int) -> None:
    node = integers(Bounds(Decimal(least), Decimal(most)))
    for number in [*range(least - 30, least + 200), *range(most - 200, most + 30)]:
        assert accepts(node, str(number)) is (least <= number <= most), number


@pytest.mark.parametrize("text", ["", "-", "01", "+1", "1.0", "-0", "1e3", "0x1", " 1"])
def test_integers_have_one_spelling(text: str) -> None:
    assert not accepts(integers(Bounds()), text)


def test_an_integer_has_a_last_digit() -> None:
    assert accepts(integers(Bounds()), "9" * 24)
    assert not accepts(integers(Bounds()), "9" * 25)


BOUNDS = [
    Bounds(Decimal("0"), Decimal("1")),
    Bounds(Decimal("-1.5"), Decimal("2.75")),
    Bounds(Decimal("0.25"), Decimal("0.5")),
    Bounds(Decimal("0.1"), Decimal("0.1")),
    Bounds(Decimal("-90"), Decimal("90")),
    Bounds(Decimal("0"), None, above=True),
    Bounds(Decimal("0"), Decimal("100"), below=True),
    Bounds(None, Decimal("-0.001")),
    Bounds(Decimal("1.999"), Decimal("2.001")),
]


@pytest.mark.parametrize("bounds", BOUNDS)
def test_every_number_that_is_drawn_is_between_the_bounds(bounds: Bounds) -> None:
    node = numbers(bounds)
    random = Random(1)
    for _ in range(200):
        drawn = Decimal(
            repr(float(sample_reply(grammar(node), random, length=random.randint(1, 8))))
        )
        assert bounds.least is None or drawn >= bounds.least
        assert bounds.most is None or drawn <= bounds.most
        assert not (bounds.above and drawn == bounds.least)
        assert not (bounds.below and drawn == bounds.most)


@pytest.mark.parametrize("bounds", BOUNDS)
def test_every_number_between_the_bounds_is_accepted_as_json_writes_it(bounds: Bounds) -> None:
    node = numbers(bounds)
    low = float(bounds.least if bounds.least is not None else -1000)
    high = float(bounds.most if bounds.most is not None else 1000)
    random = Random(2)
    for _ in range(300):
        number = random.uniform(low, high)
        if (bounds.above and number == low) or (bounds.below and number == high):
            continue
        assert accepts(node, json.dumps(number)), number


def test_bounds_that_nothing_is_between_leave_nothing() -> None:
    assert integers(Bounds(Decimal("1.2"), Decimal("1.8"))) == NOTHING
    assert integers(Bounds(Decimal(3), Decimal(2))) == NOTHING


@pytest.mark.parametrize("number", [1e-05, 1.5e16, 1e20, -2.5e-10, 0.0001, 123456.789, 5e-07])
def test_very_small_and_very_large_numbers_have_exponents(number: float) -> None:
    assert accepts(numbers(Bounds()), json.dumps(number))
