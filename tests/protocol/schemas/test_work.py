"""What checking a call may cost: in proportion to its arguments, whatever the schema."""

from __future__ import annotations

import pytest

from toolproto import ToolCall, ToolOffer, ToolSpec
from toolproto.protocol.messages import CallProblem, ProblemKind
from toolproto.protocol.schemas.validate import find_faults
from toolproto.protocol.schemas.work import MAX_VISITS, Work, purse, takes_long
from toolproto.protocol.tools.check import check_call


def fan_out(keyword, leaf, width=10, depth=20):
    """Ten references to ten references to ten …: 10 ** 20 ways to one leaf."""
    defs = {f"d{at}": {keyword: [{"$ref": f"#/$defs/d{at + 1}"}] * width} for at in range(depth)}
    defs[f"d{depth}"] = leaf
    return {"type": "object", "$defs": defs, "properties": {"x": {"$ref": "#/$defs/d0"}}}


FAN_OUTS = [
    fan_out("allOf", {"type": "string"}),
    fan_out("allOf", {"type": "integer"}),
    fan_out("anyOf", {"type": "integer"}),
    fan_out("oneOf", {"type": "integer"}),
    fan_out("allOf", {"pattern": "(a|b|ab)*c"}),
    fan_out("anyOf", {"not": {"type": "string"}}),
    fan_out("allOf", {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/d0"}}, True]}),
]


@pytest.mark.parametrize("schema", FAN_OUTS)
def test_a_thousand_ways_to_one_schema_are_gone_once(schema):
    work = Work()
    find_faults({"x": "a"}, schema, schema, work)
    assert MAX_VISITS - work.visits < 2_000


@pytest.mark.parametrize("schema", FAN_OUTS)
def test_no_schema_makes_the_check_of_a_small_call_long(schema):
    call, offer = ToolCall("f", {"x": "a"}, "1"), ToolOffer((ToolSpec("f", "", schema),))
    work = Work(purse([call.arguments]))
    assert work.visits < 25_000
    checked = check_call(call, offer, work=work)
    # Mending may have cost too much; what was wrong is told all the same.
    assert isinstance(checked, ToolCall) or checked.kind is ProblemKind.INVALID_ARGUMENTS


def test_a_fault_found_by_one_way_is_not_told_twice():
    schema = fan_out("allOf", {"type": "integer"}, width=3, depth=2)
    checked = check_call(ToolCall("f", {"x": []}, "1"), ToolOffer((ToolSpec("f", "", schema),)))
    assert isinstance(checked, CallProblem) and checked.message.count("arguments.x") == 1


LARGE = {
    "many numbers": ({"type": "integer"}, list(range(50_000))),
    "numbers that are text": ({"type": "integer"}, list(map(str, range(20_000)))),
    "objects": (
        {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
        [{"a": at} for at in range(10_000)],
    ),
    "alternatives": (
        {"anyOf": [{"type": "boolean"}, {"type": "null"}, {"type": "integer"}]},
        list(range(10_000)),
    ),
}


@pytest.mark.parametrize("items, values", LARGE.values(), ids=list(LARGE))
def test_large_arguments_that_are_right_are_checked_to_their_end(items, values):
    schema = {"type": "object", "properties": {"x": {"type": "array", "items": items}}}
    call, offer = ToolCall("f", {"x": values}, "1"), ToolOffer((ToolSpec("f", "", schema),))
    assert isinstance(check_call(call, offer), ToolCall)


def test_arguments_that_are_json_in_a_text_count_as_what_they_hold():
    schema = {"type": "object", "properties": {"x": {"type": "array", "items": {}}}}
    call = ToolCall("f", {"x": str(list(range(20_000)))}, "1")
    checked = check_call(call, ToolOffer((ToolSpec("f", "", schema),)))
    assert isinstance(checked, ToolCall) and len(checked.arguments["x"]) == 20_000


def test_what_may_be_spent_is_bounded_and_small_for_what_is_small():
    assert not takes_long(purse([{"city": "Oslo"}] * 10))
    assert takes_long(purse([{"x": list(range(10_000))}]))
    nested: list = []
    nested.append(nested)
    assert purse([{"x": list(range(10_000_000))}]) == purse([nested]) == MAX_VISITS
