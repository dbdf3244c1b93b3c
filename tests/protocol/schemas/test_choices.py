"""EnumChoices of an ``enum`` are looked up, however many there are."""

from __future__ import annotations

import pytest

from toolproto import ToolCall, ToolOffer, ToolSpec
from toolproto.protocol.schemas.choices import EnumChoices
from toolproto.protocol.schemas.work import Work
from toolproto.protocol.tools.check import check_call

MANY = [f"street {number}" for number in range(50_000)]


def checked(choices, value, work):
    schema = {"type": "object", "properties": {"x": {"enum": choices}}}
    return check_call(
        ToolCall("f", {"x": value}, "1"), ToolOffer((ToolSpec("f", "", schema),)), work=work
    )


@pytest.mark.parametrize("value", ["street 49999", "Street 49999 "])
def test_one_of_fifty_thousand_choices_is_looked_up(value):
    work = Work()
    before = work.visits
    assert checked(MANY, value, work).arguments == {"x": "street 49999"}
    assert before - work.visits < 10_000


def test_looking_up_again_costs_next_to_nothing():
    work = Work()
    checked(MANY, "street 1", work)
    before = work.visits
    listed = {"type": "array", "items": {"enum": MANY}}
    spec = ToolSpec("f", "", {"type": "object", "properties": {"x": listed}})
    check_call(ToolCall("f", {"x": MANY[:1000]}, "1"), ToolOffer((spec,)), work=work)
    assert before - work.visits < 5_000


LISTED = [1, 2.5, None, True, "a", "B b", {"x": [1]}, "7"]


@pytest.mark.parametrize(
    "value, meant",
    [("1", 1), ("2.5", 2.5), ("null", None), ("true", True), ("A", "a"), (" b B", "B b"), (7, "7")],
)
def test_another_spelling_of_one_choice_is_that_choice(value, meant):
    assert not EnumChoices(LISTED).has_plain(value)
    assert EnumChoices(LISTED).spelled(value) == [meant]


def test_a_number_is_no_boolean_and_nothing_is_made_up():
    assert EnumChoices([1]).has_plain(1.0) and not EnumChoices([1]).has_plain(True)
    assert EnumChoices(["a"]).spelled("null") == EnumChoices(["a"]).spelled("[1]") == []
    assert EnumChoices([1]).spelled("1.0") == []


def test_two_choices_of_one_spelling_are_no_answer():
    assert len(EnumChoices(["on", "ON"]).spelled("On")) == 2
    assert checked(["on", "ON"], "On", Work()).message
