"""Calls held against an offer."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolproto.protocol.errors import UsageError
from toolproto.protocol.messages import CallProblem, Grade, ProblemKind, Repair, Span, ToolCall
from toolproto.protocol.schemas.work import Work
from toolproto.protocol.tools import ToolOffer, ToolSpec, check_call

from .strategies import SCHEMAS, VALUES

WEATHER = ToolSpec(
    "get_weather",
    "The weather.",
    {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
        "required": ["city"],
        "additionalProperties": False,
    },
)
TIME = ToolSpec("get_time", "The time.", {"type": "object", "properties": {}})
OFFER = ToolOffer((WEATHER, TIME))


def offered(**parameters):
    return ToolOffer((ToolSpec("t", "", parameters),))


def test_a_call_written_as_asked_comes_back_as_it_is():
    call = ToolCall("get_weather", {"city": "Oslo"})
    assert check_call(call, OFFER) is call


def test_what_was_mended_is_added_to_the_repairs():
    call = ToolCall(
        "getWeather", {"City": "Oslo", "days": "3"}, id="c1", repairs=(Repair("single_quotes"),)
    )
    checked = check_call(call, OFFER)
    assert checked == ToolCall("get_weather", {"city": "Oslo", "days": 3})
    assert isinstance(checked, ToolCall) and checked.id == "c1"
    assert [repair.name for repair in checked.repairs] == [
        "single_quotes",
        "name_separator",
        "argument_name",
        "coerced_integer",
    ]
    assert checked.grade is Grade.LOSSLESS


def test_a_problem_says_where_it_came_from():
    call = ToolCall("get_weather", {"days": "x"}, raw="<call>", span=Span(3, 9))
    problem = check_call(call, OFFER)
    assert problem == CallProblem(
        ProblemKind.INVALID_ARGUMENTS,
        "arguments.days: expected integer, got string \"x\"\narguments: missing required 'city'",
        raw="<call>",
        name="get_weather",
    )
    assert problem.span == Span(3, 9)


def test_an_unknown_tool_is_answered_with_the_known_ones():
    problem = check_call(ToolCall("get_wether", {}), OFFER)
    assert isinstance(problem, CallProblem)
    assert problem.kind is ProblemKind.UNKNOWN_TOOL
    assert problem.suggestions == ("get_weather",)
    assert problem.message == (
        "there is no tool 'get_wether'; did you mean 'get_weather'? "
        "the tools are: get_weather, get_time"
    )


@pytest.mark.parametrize("name", ["<<", "", "{", "…"])
def test_the_scraps_of_a_garbled_call_are_not_told_as_the_name_of_a_tool(name):
    problem = check_call(ToolCall(name, {}), OFFER)
    told = "the name of the tool could not be read; the tools are: get_weather, get_time"
    assert isinstance(problem, CallProblem)
    assert (problem.kind, problem.message) == (ProblemKind.UNKNOWN_TOOL, told)


def test_a_misspelt_tool_may_be_guessed_if_asked():
    checked = check_call(ToolCall("get_wether", {"city": "Oslo"}), OFFER, near_names=True)
    assert isinstance(checked, ToolCall)
    assert (checked.name, checked.grade) == ("get_weather", Grade.GUESSED)


def test_of_many_tools_twenty_are_named():
    offer = ToolOffer(tuple(ToolSpec(f"tool_{n}", "", {}) for n in range(30)))
    problem = check_call(ToolCall("zzz", {}), offer)
    assert "tool_19, and 10 more" in problem.message
    assert "tool_20" not in problem.message


def test_without_tools_the_answer_says_so():
    problem = check_call(ToolCall("\ud800\n<x>" + "y" * 999, {}), ToolOffer())
    assert problem.message.isprintable()
    assert problem.message.endswith("the tools are: none")


@pytest.mark.parametrize(
    ("choice", "allowed"),
    [
        ("auto", True),
        ("required", True),
        ("get_weather", True),
        ("none", False),
        ("get_time", False),
    ],
)
def test_the_terms_of_the_offer_are_kept(choice, allowed):
    checked = check_call(
        ToolCall("get_weather", {"city": "Oslo"}), ToolOffer((WEATHER, TIME), choice)
    )
    assert isinstance(checked, ToolCall) is allowed
    assert allowed or checked.kind is ProblemKind.NOT_ALLOWED


def test_a_tool_without_a_schema_takes_any_object():
    call = ToolCall("t", {"a": 1})
    assert check_call(call, offered()) is call


def test_arguments_that_are_no_object_are_a_problem_whatever_the_schema_says():
    problem = check_call(ToolCall("t", [1]), offered())
    assert problem.message == "arguments: expected object, got array of 1 items"


@pytest.mark.parametrize(
    "parameters",
    [
        {"$ref": "#"},
        {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]},
        {"properties": {"x": {"$ref": "#/properties/x"}}},
    ],
)
def test_a_schema_that_cannot_be_checked_is_a_problem_of_its_own(parameters):
    problem = check_call(ToolCall("t", {"x": 1}), offered(**parameters))
    assert problem.kind is ProblemKind.TOO_LARGE


def laughing(levels):
    """A schema of few words that takes 2 ** *levels* steps to refuse a value with."""
    doubled = {
        f"d{level}": {"anyOf": [{"$ref": f"#/$defs/d{level + 1}"}] * 2} for level in range(levels)
    }
    defs = {**doubled, f"d{levels}": {"type": "string"}}
    return {"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": defs}


def test_calls_that_share_a_purse_cost_no_more_than_it_holds():
    offer = ToolOffer((ToolSpec("slow", "", laughing(30)), TIME))
    work = Work(2000)
    problem = check_call(ToolCall("slow", {"a": []}), offer, work=work)
    assert isinstance(problem, CallProblem)
    assert work.visits < 0
    again = check_call(ToolCall("slow", {"a": []}), offer, work=work)
    assert isinstance(again, CallProblem) and again.kind is ProblemKind.TOO_LARGE


def test_many_unknown_names_share_a_purse_too():
    offer = ToolOffer(tuple(ToolSpec(f"get_{'weather' * 9}_{n}", "", {}) for n in range(200)))
    work = Work(100_000)
    calls = [ToolCall(f"set_{'weather' * 9}_{n}", {}) for n in range(100)]
    problems = [check_call(call, offer, near_names=True, work=work) for call in calls]
    assert {problem.kind for problem in problems} == {ProblemKind.UNKNOWN_TOOL}
    assert problems[0].suggestions and not problems[-1].suggestions
    assert all("the tools are: get_" in problem.message for problem in problems)


def test_misnamed_arguments_of_many_objects_share_a_purse():
    names = [f"{'weather' * 30}{number}" for number in range(250)]
    item = {"type": "object", "properties": dict.fromkeys(names, True), "required": names}
    schema = {"type": "object", "properties": {"a": {"type": "array", "items": item}}}
    wrong = {f"{'wether' * 30}{number}x": 1 for number in range(30)}
    work = Work(20_000)
    call = ToolCall("f", {"a": [wrong] * 5})
    problem = check_call(call, ToolOffer((ToolSpec("f", "", schema),)), work=work)
    # That they do not fit is known; how they could be mended would cost too much.
    assert isinstance(problem, CallProblem) and problem.kind is ProblemKind.INVALID_ARGUMENTS
    assert work.visits < 0


def test_a_remote_reference_is_the_programs_mistake():
    with pytest.raises(UsageError, match=r"\$defs"):
        check_call(ToolCall("t", {}), offered(**{"$ref": "https://example.org/schema.json"}))


def test_a_nested_dialect_does_not_loosen_the_bounds():
    evil = {"$schema": "http://json-schema.org/draft-07/schema#", "pattern": "^(a+)+$"}
    call = ToolCall("t", {"x": "a" * 50 + "!"})
    assert isinstance(check_call(call, offered(properties={"x": evil})), CallProblem)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(max_size=9), VALUES, SCHEMAS, st.sampled_from(["auto", "none", "t", "u"]))
def test_whatever_a_model_writes_has_an_answer(name, arguments, schema, choice):
    offer = ToolOffer((ToolSpec("t", "", schema),), choice)
    for called in (name, "t"):
        checked = check_call(ToolCall(called, arguments), offer, near_names=True)
        assert isinstance(checked, ToolCall | CallProblem)


def test_a_form_copied_with_nothing_put_in_is_refused():
    spec = ToolSpec("look", "", {"type": "object", "properties": {"city": {"type": "string"}}})
    problem = check_call(ToolCall("look", {"city": "<city>"}), ToolOffer((spec,)))
    assert isinstance(problem, CallProblem)
    assert "put a real value where <city> stands" in problem.message


def test_of_a_placeholder_where_a_number_is_due_it_is_told_that_it_is_one():
    spec = ToolSpec("look", "", {"type": "object", "properties": {"id": {"type": "integer"}}})
    problem = check_call(ToolCall("look", {"id": "<id>"}), ToolOffer((spec,)))
    assert isinstance(problem, CallProblem)
    assert problem.message == "arguments.id: put a real value where <id> stands"


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        ({"items": ["<item>"]}, "arguments.items[0]: put a real value where <item> stands"),
        ({"items": [["a", "<items>"]]}, "arguments.items[0][1]"),
        ({"who": {"email": "<email>"}}, "arguments.who.email"),
        ({"people": [{"n": 1}, {"email": "<email>"}]}, "arguments.people[1].email"),
    ],
)
def test_a_placeholder_within_is_no_value_either(arguments, place):
    offer = ToolOffer((ToolSpec("f", "", {"type": "object"}),))
    problem = check_call(ToolCall("f", arguments), offer)
    assert isinstance(problem, CallProblem) and place in problem.message


@pytest.mark.parametrize("value", ["<b>", ["<b>"], {"c": "<d>"}, "a <it> b", [1, "it"], "<>"])
def test_words_in_angle_brackets_are_values_elsewhere(value):
    offer = ToolOffer((ToolSpec("f", "", {"type": "object"}),))
    assert isinstance(check_call(ToolCall("f", {"it": value}), offer), ToolCall)
