"""What is tried together says what fails, and a few are the same few in every run."""

from __future__ import annotations

import pytest

from tests import amount
from tests.amount import EACH_PAYLOAD, some, some_paradigms, together
from toolproto.protocol.paradigms import get_paradigm, list_paradigms


@pytest.mark.parametrize("first", ["a", "b"])
@together(second=["c", "d"], third={"e": 1, "f": 2})
def test_cases_and_parameters_of_pytest_stand_side_by_side(first, second, third, tmp_path):
    assert first + second + third in ("ace", "acf", "ade", "adf", "bce", "bcf", "bde", "bdf")
    assert tmp_path.is_dir()


def test_every_case_that_fails_is_named_and_the_first_is_the_cause():
    tried = []

    @together(number=range(5), word=["odd", "even"])
    def checked(number: int, word: str) -> None:
        tried.append(number)
        if word == "odd" and number % 2:
            pytest.fail("no")
        assert number < 4, "too large"

    with pytest.raises(AssertionError) as caught:
        checked()
    assert tried == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert str(caught.value).splitlines() == [
        "4 of 10 cases fail",
        "number='1', word='odd': no",
        "number='3', word='odd': no",
        "number='4', word='odd': too large\nassert 4 < 4".partition("\n")[0],
        "assert 4 < 4",
        "number='4', word='even': too large",
        "assert 4 < 4",
    ]
    assert str(caught.value.__cause__) == "no"


def test_a_few_are_spread_and_all_of_them_are_taken_on_demand(monkeypatch):
    monkeypatch.setattr(amount, "WHOLE", False)
    assert some(range(10), 4) == [0, 4, 8] and some(range(10), 4, first=5) == [1, 5, 9]
    monkeypatch.setattr(amount, "WHOLE", True)
    assert some(range(10), 4, first=5) == list(range(10))


def test_every_payload_is_among_some_paradigms_and_each_paradigm_has_its_turn():
    assert {payload(name) for name in list_paradigms()} == {payload(name) for name in EACH_PAYLOAD}
    turns = [some_paradigms(first) for first in range(8)]
    assert all(set(EACH_PAYLOAD) < set(turn) for turn in turns)
    assert set().union(*turns) == set(list_paradigms())


def payload(name: str) -> type | None:
    """How *name* writes a call, if it is declared."""
    wire = getattr(get_paradigm(name), "wire", None)
    return wire and type(wire.payload)
