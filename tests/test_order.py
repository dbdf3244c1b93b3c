"""Processes share the tests so that what belongs together stays with one of them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import pytest

from .order import TOGETHER, dealt, place_of


@dataclass(frozen=True)
class Item:
    nodeid: str


ITEMS = [
    *(Item(f"tests/gateway/bridge/test_a.py::test_{n}") for n in range(40)),
    *(Item(f"{place}test_b.py::test_{n}") for place in TOGETHER for n in range(5)),
    *(Item(f"tests/protocol/tools/test_c.py::test_{n}") for n in range(161)),
]


@pytest.mark.parametrize("processes", [2, 3, 7, 40])
def test_every_test_is_there_once_and_groups_are_whole(processes):
    order = dealt(ITEMS, processes)
    assert sorted(order, key=ITEMS.index) == ITEMS
    runs = [place for place, _ in groupby(order, key=lambda item: place_of(item.nodeid))]
    assert sorted(filter(None, runs)) == sorted(TOGETHER)


@pytest.mark.parametrize("processes", [2, 3])
def test_each_share_begins_with_what_is_dear_and_ends_with_what_is_cheap(processes):
    order = dealt(ITEMS, processes)
    size = len(order) // processes
    for at in range(processes):
        share = [bool(place_of(item.nodeid)) for item in order[at * size : (at + 1) * size]]
        assert share[0] and not share[-1] and share == sorted(share, reverse=True)


def test_the_places_are_there():
    root = Path(__file__).parent.parent
    assert [place for place in TOGETHER if not (root / place).exists()] == []
