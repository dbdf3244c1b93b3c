"""The judge of replies: what is wrong with one, and what the model is told."""

from __future__ import annotations

import pytest

from toolproto import ToolOffer, ToolSpec
from toolproto.protocol.judge import Heard, judged, worth_telling
from toolproto.protocol.messages import CallProblem, ProblemKind, Span

TOOLS = (ToolSpec("look", "Looks.", {"type": "object", "properties": {}}),)


def problem(kind: ProblemKind) -> CallProblem:
    return CallProblem(kind, f"it is {kind.value}", "<call>", Span(0, 6), "look")


WRONG, SHOWN, MADE_UP = map(
    problem, (ProblemKind.UNKNOWN_TOOL, ProblemKind.DOUBTED, ProblemKind.FABRICATED_RESULT)
)
# What was heard, the choice; what is wrong with it, and whether it may stand if it stays so.
TABLE = [
    ("words", Heard("It is dry."), "auto", ""),
    ("a call", Heard("", 1), "auto", ""),
    ("a call, and one that cannot be used", Heard("", 1, (WRONG,)), "auto", ""),
    ("a call that was demanded", Heard("", 1), "required", ""),
    ("nothing", Heard(" \n"), "auto", "empty_reply"),
    ("nothing, where no tools are", Heard("", may_be_empty=True), "none", ""),
    ("no call that can be used", Heard("Hm.", 0, (WRONG,)), "auto", "unusable_tool_call"),
    ("a call that is shown", Heard("Hm.", 0, (SHOWN,)), "auto", "unusable_tool_call, may stand"),
    ("a result made up", Heard("Hm.", 0, (MADE_UP,)), "auto", "unusable_tool_call, may stand"),
    ("words beside a call, where none may be made", Heard("Hm.", 0, (WRONG,)), "none", ""),
    ("only a call, where none may be made", Heard("", 0, (WRONG,)), "none", "unusable_tool_call"),
    ("words, where a call is demanded", Heard("Hm."), "required", "tool_choice_unmet"),
    ("words, where a tool is demanded", Heard("Hm."), "look", "tool_choice_unmet"),
    ("no JSON", Heard("Hm.", misshapen="it is not a JSON object"), "auto", "response_format_unmet"),
    ("a call that ends a sentence", Heard("Hm.", ends_in_call=True), "auto", "unusable_tool_call"),
    ("a call that did not arrive", Heard("Hm.", announced=True), "auto", "unusable_tool_call"),
    ("an announced call that is there", Heard("", 1, announced=True), "auto", ""),
]  # fmt: skip


@pytest.mark.parametrize(
    "heard, choice, wrong", [row[1:] for row in TABLE], ids=[r[0] for r in TABLE]
)
def test_what_is_wrong_with_a_reply(heard, choice, wrong):
    offer = ToolOffer(TOOLS, choice)
    fault = judged(Heard(**{n: getattr(heard, n) for n in heard.__slots__} | {"offer": offer}))
    told = f"{fault.kind}{', may stand' if fault.is_passable else ''}" if fault else ""
    assert told == wrong
    if fault:
        assert fault.reason and (fault.problems or fault.advice.endswith("."))


def test_a_result_that_was_made_up_beside_a_call_is_not_worth_telling():
    assert worth_telling([MADE_UP, WRONG], 1) == [WRONG]
    assert worth_telling([MADE_UP]) == [MADE_UP]


def test_the_model_is_told_which_call_is_demanded():
    fault = judged(Heard("Hm.", offer=ToolOffer(TOOLS, "look")))
    assert fault is not None and fault.advice.startswith("You must call the tool 'look' now.")
    assert fault.reason == "was asked for a call of 'look', and wrote prose"
