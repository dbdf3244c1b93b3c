"""A call for each word of CommonMark's own examples, and where a numbered deviation matters."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from tests.amount import amount, some
from toolproto.protocol.messages import ToolCall
from toolproto.protocol.paradigms import get_paradigm
from toolproto.testing import STANDARD_OFFER, laws
from toolproto.testing.places import DEVIATIONS, Placing, example_placings

XML_TAG, OSLO = get_paradigm("xml_tag"), ToolCall("get_weather", {"city": "Oslo"})
_FILE = Path(__file__).parent.parent / "testing" / "places" / "commonmark.json"
EXAMPLES = list(example_placings(json.loads(_FILE.read_text("utf-8"))["examples"]))


def hold(placings: list[Placing], size: int | None) -> None:
    for placing in placings:
        laws.place(XML_TAG, placing.judged(), OSLO, STANDARD_OFFER, size=size)


@pytest.mark.parametrize("size", [None, 1, 7])
def test_an_example_of_the_specification_shows_what_it_shows(size: int | None) -> None:
    """One example in twelve in a usual run, others for each size; `make soak` reads all."""
    hold(some(EXAMPLES, 12, first=size or 0), size)


@pytest.mark.parametrize("number", DEVIATIONS)
def test_a_deviation_makes_no_call_plain_that_the_judge_doubts(number: int) -> None:
    random = Random(number)
    hold([DEVIATIONS[number](random) for _ in range(amount(40, 1_000))], None)
    hold([DEVIATIONS[number](random) for _ in range(amount(20, 500))], 1)
