"""The tools of rows are a stranger's: their schemas are made right, at a bounded cost."""

from __future__ import annotations

import json

import pytest

from toolproto.bulk import offers
from toolproto.bulk.offers import read_offer
from toolproto.protocol.tools import spec_from_openai

from .samples import WEATHER

ODD = {"type": "object", "properties": {"day": {"type": "String", "minimum": "x"}}}


def defined(number, parameters):
    return {"name": f"t{number}", "parameters": parameters}


def read(*definitions):
    return read_offer(json.dumps(definitions)).tools


def test_a_tool_that_is_plainly_right_is_as_a_programs_own():
    assert read(WEATHER) == (spec_from_openai(WEATHER),)


@pytest.mark.parametrize(
    "odd, tamed",
    [
        (ODD, {"type": "object", "properties": {"day": {"type": "string"}}}),
        ({"type": 3}, {"type": "object"}),
        ([1], {"type": "object"}),
        (
            {"properties": {"a": {"$ref": "#/$defs/no"}}},
            {"type": "object", "properties": {"a": {}}},
        ),
    ],
)
def test_an_odd_schema_is_tamed_and_the_tool_is_offered(odd, tamed):
    (spec,) = read(defined(0, odd))
    assert spec.parameters == tamed


def test_what_taming_the_tools_of_a_row_costs_is_bounded(monkeypatch):
    paid = []

    class Counted(offers.Work):
        def spend(self, visits=1):
            paid.append(visits)
            super().spend(visits)

    monkeypatch.setattr(offers, "Work", Counted)
    monkeypatch.setattr(offers, "_VISITS", 1_000)
    large = {"properties": {f"p{number}": {"type": "String"} for number in range(300)}}
    specs = read(*(defined(number, large) for number in range(20)))
    assert len(specs) == 20
    # Each property costs two visits, its schema and its type.
    assert [len(spec.properties) for spec in specs[:3]] == [300, 200, 0]
    assert all(spec.parameters == {"type": "object", "properties": {}} for spec in specs[3:])
    assert sum(paid) < 1_100
