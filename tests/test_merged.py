"""Many cases of a test, tried as one."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from .merged import AT_ONCE, TookTooLong, made_for_each, merged, one_by_one

ROWS = [{"n": n} for n in range(6)]


@pytest.fixture
def module(request: pytest.FixtureRequest) -> pytest.Module:
    found = request.node.getparent(pytest.Module)
    assert isinstance(found, pytest.Module)
    return found


def tried(module: pytest.Module, test) -> list[str] | None:
    """The names of the tests that *test* becomes, after they were run."""
    items = merged(module, "test_it", test)
    for item in items or []:
        item.obj()
    return items and [item.name for item in items]


def test_every_pair_of_cases_is_tried_once(module):
    seen = []

    @pytest.mark.parametrize("a", [1, 2])
    @pytest.mark.parametrize(("b", "c"), [(3, 4), pytest.param(5, 6), [7, 8]], ids=str)
    def test(a, b, c):
        seen.append((a, b, c))

    assert tried(module, test) == ["test_it"]
    assert sorted(seen) == [(a, b, b + 1) for a in (1, 2) for b in (3, 5, 7)]


def test_many_cases_are_several_tests(module):
    seen = []

    @pytest.mark.parametrize("n", range(2 * AT_ONCE + 1))
    def test(n):
        seen.append(n)

    assert tried(module, test) == [f"test_it[part {part}]" for part in (1, 2, 3)]
    assert seen == list(range(2 * AT_ONCE + 1))


def test_a_fixture_that_can_be_made_is_made_for_each_case(module, monkeypatch):
    monkeypatch.setattr("tests.merged._MADE", {})
    seen, over = [], []

    @contextmanager
    def made(kind):
        yield kind
        over.append(kind)

    made_for_each("it", made, ("x", "y"))

    @pytest.mark.parametrize("n", [1, 2])
    def test(n, it):
        assert len(over) == len(seen)
        seen.append((n, it))

    assert tried(module, test) == ["test_it"]
    assert seen == [(1, "x"), (1, "y"), (2, "x"), (2, "y")]
    assert over == ["x", "y", "x", "y"]


def with_a_fixture(n, tmp_path): ...
def with_a_mark(n): ...
def with_fixtures_for_values(n): ...
def with_few_cases(n): ...
def without_cases(): ...


APART = [
    pytest.mark.parametrize("n", range(9))(with_a_fixture),
    pytest.mark.parametrize("n", [1, 2, 3, pytest.param(4, marks=pytest.mark.skip)])(with_a_mark),
    pytest.mark.parametrize("n", range(9), indirect=True)(with_fixtures_for_values),
    pytest.mark.parametrize("n", range(3))(with_few_cases),
    without_cases,
]


@pytest.mark.parametrize("test", APART, ids=lambda test: test.__name__)
def test_what_needs_more_than_values_has_a_test_for_each_case(module, test):
    assert merged(module, "test_it", test) is None


def test_all_cases_are_tried_and_those_that_fail_are_named():
    tried = []

    def test(n):
        tried.append(n)
        assert n not in (1, 4), f"{n} is wrong"

    with pytest.raises(AssertionError) as caught:
        one_by_one(test, ROWS)()
    assert tried == list(range(6))
    assert str(caught.value).startswith("2 of 6 cases fail\nn='1': 1 is wrong")
    assert "n='4': 4 is wrong" in str(caught.value) and "1 is wrong" in str(caught.value.__cause__)


def test_cases_that_are_skipped_are_counted_when_the_others_were_tried():
    tried = []

    def test(n):
        if n < 2:
            pytest.skip("not today")
        tried.append(n)

    with pytest.raises(pytest.skip.Exception, match="2 of 6 cases: not today"):
        one_by_one(test, ROWS)()
    assert tried == [2, 3, 4, 5]


def test_when_the_time_is_over_no_further_case_is_begun():
    tried = []

    def test(n):
        tried.append(n)
        raise TookTooLong("took more than 240 seconds")

    with pytest.raises(TookTooLong):
        one_by_one(test, ROWS)()
    assert tried == [0]


def test_marks_of_the_test_stay_on_it(module):
    @pytest.mark.time_limit(7)
    @pytest.mark.parametrize("n", range(9))
    def test(n): ...

    (item,) = merged(module, "test_it", test)
    assert item.get_closest_marker("time_limit").args == (7,)
    assert item.get_closest_marker("parametrize") is None
