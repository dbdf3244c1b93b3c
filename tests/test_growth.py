"""What the soak that measures growth reports, and what it does not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from soak import growth

JOB = ("xml_tag", [1])


def reported(monkeypatch: pytest.MonkeyPatch, seconds: Callable[[int], float]) -> list[int]:
    """In which pieces a family grows too fast, if a text of that length takes so many *seconds*."""
    monkeypatch.setattr(growth, "seconds", lambda paradigm, text, chunk: seconds(len(text)))
    return [each.chunk for each in growth.grown(JOB)]


@pytest.mark.parametrize("square", [1e-9, 1e-8, 1e-6])
def test_what_grows_with_the_square_of_its_text_is_reported(monkeypatch, square):
    assert reported(monkeypatch, lambda n: 1e-6 * n + square * n * n) == [1, 7, 0]


def test_so_is_what_grows_so_behind_a_quiet_beginning(monkeypatch):
    took = lambda n: 1e-6 * n + 1e-9 * max(0, n - 4000) ** 2  # noqa: E731
    assert reported(monkeypatch, took) == [1, 7, 0]


@pytest.mark.parametrize("start", [1_500, 3_500, 7_000])
def test_work_that_begins_somewhere_and_is_linear_is_not(monkeypatch, start):
    assert not reported(monkeypatch, lambda n: 1e-7 * n + 1e-5 * max(0, n - start))


@pytest.mark.parametrize("limit", [5_000, 20_000, 100_000])
def test_nor_is_what_costs_more_behind_a_limit(monkeypatch, limit):
    assert not reported(monkeypatch, lambda n: 2e-7 * n * (1 if n < limit else 8))
