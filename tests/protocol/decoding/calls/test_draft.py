"""What a call in JSON turns out to be, once its object is over."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.protocol.decoding.reading import read_reply
from toolproto import ArgumentsDelta, Grade, ToolOffer, ToolSpec, get_paradigm
from toolproto.testing import STANDARD_OFFER, laws

WHOLE = '{"name": "get_weather", "arguments": {"city": "Oslo"}}'


def handed_out(paradigm: str, reply: str, offer: ToolOffer) -> str:
    decoder = get_paradigm(paradigm).decoder(offer)
    events = [event for char in reply for event in decoder.feed(char)] + decoder.finish()
    return "".join(event.text for event in events if isinstance(event, ArgumentsDelta))


@pytest.mark.parametrize("offer", [STANDARD_OFFER, ToolOffer()], ids=["offered", "unknown"])
@pytest.mark.parametrize(
    ("paradigm", "reply"),
    [
        ("function_tag", f"<function=get_weather>{WHOLE}</function>"),
        ("mistral_v11", f"[TOOL_CALLS]get_weather[ARGS]{WHOLE}"),
        ("minimax_m2", f'<minimax:tool_call><invoke name="get_weather">{WHOLE}</invoke>'),
    ],
)
def test_of_a_whole_call_behind_its_name_only_the_arguments_are_handed_out(
    paradigm: str, reply: str, offer: ToolOffer
) -> None:
    [call] = get_paradigm(paradigm).parse_response(reply, offer).calls
    assert call.arguments == {"city": "Oslo"}
    assert handed_out(paradigm, reply, offer) == '{"city": "Oslo"}'


def test_what_was_handed_out_as_an_argument_stays_one() -> None:
    reply = '[TOOL_CALLS]run[ARGS]{"id": "7", "name": "run", "arguments": {"x": "y"}}'
    [call] = get_paradigm("mistral_v11").parse_response(reply).calls
    assert call.arguments == {"id": "7", "name": "run", "arguments": {"x": "y"}}


def test_arguments_in_two_places_are_a_problem() -> None:
    reply = '<tool_call>{"name": "now", "args": {"a": "1"}, "arguments": {"b": "2"}}</tool_call>'
    [problem] = get_paradigm("hermes").parse_response(reply).problems
    assert problem.message == "it gives its arguments in two places; give them in one"


WRAPPED = ["arguments", "input", "parameters", "properties", "kwargs"]


@pytest.mark.parametrize("key", WRAPPED)
def test_arguments_that_are_wrapped_once_more_are_unwrapped_as_a_guess(key: str) -> None:
    call = f'{{"name": "get_weather", "arguments": {{"{key}": {{"city": "Oslo"}}}}}}'
    reply = f"<tool_call>{call}</tool_call>"
    [read] = get_paradigm("hermes").parse_response(reply, STANDARD_OFFER).calls
    assert read.arguments == {"city": "Oslo"}
    assert [(repair.name, repair.detail) for repair in read.repairs] == [("dict_argument", key)]
    assert read.grade is Grade.GUESSED
    assert json.loads(handed_out("hermes", reply, STANDARD_OFFER)) == {"city": "Oslo"}


@pytest.mark.parametrize(
    "arguments",
    [
        {"input": {"city": "Oslo", "other": 1}},  # not all of them are arguments
        {"input": {}},
        {"input": {"city": "Oslo"}, "days": 1},
        {"properties": {"city": {"type": "string"}}},  # a description of the arguments
    ],
)
def test_what_may_be_meant_as_it_stands_is_not_unwrapped(arguments: dict[str, Any]) -> None:
    call = json.dumps({"name": "get_weather", "arguments": arguments})
    [read] = get_paradigm("hermes").parse_response(wrapped(call), STANDARD_OFFER).calls
    assert read.arguments == arguments
    assert not read.repairs


def test_a_parameter_that_is_called_like_a_wrapper_is_one() -> None:
    schema = {"properties": {"input": {"type": "object"}, "city": {"type": "string"}}}
    call = '{"name": "get_weather", "arguments": {"input": {"city": "Oslo"}}}'
    offer = ToolOffer((ToolSpec("get_weather", "", schema),))
    [read] = get_paradigm("hermes").parse_response(wrapped(call), offer).calls
    assert read.arguments == {"input": {"city": "Oslo"}}


CITY_AND_DAYS = ToolOffer(
    (
        ToolSpec(
            "get_weather",
            "",
            {"properties": {"city": {"type": "string"}, "days": {"type": "integer"}}},
        ),
    )
)
BESIDE = [
    '{"name": "get_weather", "arguments": {"city": "Oslo"}, "days": 3, "status": "sent"}',
    '{"name": "get_weather", "days": 3, "arguments": {"city": "Oslo"}}',
    '{"name": "get_weather", "arguments": {}, "city": "Oslo", "days": 3}',
    '{"function": {"name": "get_weather", "arguments": {"city": "Oslo"}, "days": 3}}',
]


@pytest.mark.parametrize("call", BESIDE)
def test_an_argument_beside_the_others_is_one_as_a_guess(call: str) -> None:
    [read] = get_paradigm("hermes").parse_response(wrapped(call), CITY_AND_DAYS).calls
    assert read.arguments == {"city": "Oslo", "days": 3}
    assert "flattened_arguments" in [repair.name for repair in read.repairs]
    assert read.grade is Grade.GUESSED
    assert json.loads(handed_out("hermes", wrapped(call), CITY_AND_DAYS)) == read.arguments


def wrapped(call: str) -> str:
    return f"<tool_call>{call}</tool_call>"


def test_a_call_whose_element_is_not_closed_is_one_call() -> None:
    reply = '<functions><function=get_weather>{"city": "Oslo"}'
    parsed = get_paradigm("bfcl_verbose_xml").parse_response(reply, STANDARD_OFFER)
    assert [call.arguments for call in parsed.calls] == [{"city": "Oslo"}]


OSLO, BERGEN = '{"city": "Oslo"}', '{"city": "Bergen"}'
INNER = f'{{"name": "get_weather", "arguments": {OSLO}}}'
CALLS_IN_CALLS = [
    # A list of calls holds calls, whatever else stands beside it.
    (f'{{"tool_calls": [{INNER}], "name": "get_weather", "arguments": {BERGEN}}}', ["Oslo"], 0),
    (f'{{"calls": [{INNER}], "tool_call": {INNER}}}', ["Oslo", "Oslo"], 0),
    # What has arguments is a call, and no list of others.
    (f'{{"name": "get_weather", "arguments": {BERGEN}, "calls": [{INNER}]}}', ["Bergen"], 0),
    # What was announced by its name alone is refused when it turns out to hold others.
    (f'{{"name": "get_weather", "calls": [{INNER}], "arguments": {BERGEN}}}', ["Oslo"], 1),
    (f'{{"name": "get_weather", "calls": [{INNER}, {INNER}]}}', ["Oslo", "Oslo"], 1),
    ('{"name": "get_weather", "calls": [{"x": "y"}]}', [], 2),
    ('{"name": "get_weather", "calls": [{"a": [1}], "arguments": ["x\'y", \'"},{"\', [1]]}', [], 2),
]


@pytest.mark.parametrize(("written", "cities", "problems"), CALLS_IN_CALLS)
def test_an_object_is_a_call_or_holds_calls(written: str, cities: list[str], problems: int) -> None:
    paradigm, reply = get_paradigm("hermes"), f"<tool_call>{written}</tool_call>"
    parsed = paradigm.parse_response(reply, STANDARD_OFFER)
    assert [call.arguments["city"] for call in parsed.calls] == cities
    assert len(parsed.problems) == problems
    laws.totality(paradigm, reply, STANDARD_OFFER)
    laws.streamed_arguments(paradigm, reply, STANDARD_OFFER)
    laws.lossless(paradigm, reply, STANDARD_OFFER)
    for size in (1, 7):
        laws.chunking(paradigm, reply, range(0, len(reply), size), STANDARD_OFFER)


def test_a_member_that_is_written_twice_is_handed_out_as_it_stands() -> None:
    arguments = '{"city": "Oslo","city": "Oslo"}'
    reply = f'<tool_call>{{"name": "get_weather", "arguments": {arguments}}}</tool_call>'
    [call] = get_paradigm("hermes").parse_response(reply, STANDARD_OFFER).calls
    assert call.arguments == {"city": "Oslo"}
    assert [repair.name for repair in call.repairs] == ["duplicate_key"]
    assert handed_out("hermes", reply, STANDARD_OFFER) == arguments


def test_arguments_beside_those_that_were_handed_out_are_a_problem() -> None:
    reply = '<tool_call>{"name": "now", "parameters": [] {"genre": "Any"}}</tool_call>'
    [problem] = get_paradigm("hermes").parse_response(reply).problems
    assert problem.message == "it gives its arguments in two places; give them in one"


def test_a_string_that_ran_over_a_marker_takes_no_other_call_with_it() -> None:
    first = '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo}}</tool_call>\n'
    reply = first + wrapped('{"name": "get_weather", "arguments": {"city": "Bergen"}}')
    parsed = get_paradigm("hermes").parse_response(reply, STANDARD_OFFER)
    assert [call.arguments for call in parsed.calls] == [{"city": "Bergen"}]
    assert len(parsed.problems) == 1


def test_two_calls_of_which_the_first_lacks_its_brace_are_two() -> None:
    reply = '{"tool_calls": [{"name": "now", "arguments": {}, {"name": "now", "arguments": {}}]}'
    parsed = get_paradigm("json_strict").parse_response(reply, STANDARD_OFFER)
    assert [call.grade for call in parsed.calls] == [Grade.GUESSED, None]


@pytest.mark.parametrize("end", ["", "}}</tool_call>", "}}"])
@pytest.mark.parametrize("name", ["hermes", "llama3_json", "json_strict"])
def test_arguments_that_are_begun_anew_are_no_part_of_a_string(name: str, end: str) -> None:
    call = f'{{"name": "get_weather", "arguments": {{"city": "Oslo"}}{{"city": "Oslo"{end}'
    head = {"hermes": "<tool_call>", "json_strict": '{"tool_calls": ['}.get(name, "")
    parsed = read_reply(name, head + call, STANDARD_OFFER)
    assert parsed.problems
    assert all(call.arguments == {"city": "Oslo"} for call in parsed.calls)
