"""A value that several threads change."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from toolproto.conversation.toolsets.latest import Latest


@pytest.fixture
def hurry():
    """Switch between threads as often as possible."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def test_a_change_follows_the_value():
    latest = Latest(1)
    latest.change(lambda value: value + 1)
    assert latest.get() == 2


def test_a_change_that_fails_changes_nothing():
    latest = Latest(0)
    with pytest.raises(ZeroDivisionError):
        latest.change(lambda value: 1 // value)
    assert latest.get() == 0


def test_no_change_is_lost_between_threads(hurry):
    latest = Latest(0)

    def add_many(_):
        for _ in range(500):
            latest.change(lambda value: value + 1)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add_many, range(8)))
    assert latest.get() == 8 * 500


def test_who_comes_second_starts_again_from_what_came_first():
    latest, seen = Latest("a"), []

    def slow(value):
        seen.append(value)
        if len(seen) == 1:
            latest.change(lambda value: value + "b")
        return value + "c"

    latest.change(slow)
    assert seen == ["a", "ab"]
    assert latest.get() == "abc"
