"""OpenAI's responses, both directions."""

from __future__ import annotations

import pytest

from toolproto.endpoints.apis.asked import AnswerShape, ApiFault, Asked, BadRequest
from toolproto.endpoints.apis.openai_responses.server import ResponsesApi
from toolproto.endpoints.apis.pieces import Ended, Piece
from toolproto.endpoints.apis.serving.api import Answer, WrittenCall
from toolproto.protocol.events import ArgumentsDelta, CallStarted, TextDelta
from toolproto.protocol.messages import Message, ToolCall, ToolResult, Usage

from ..samples import (
    CONVERSATION,
    NO_ARGUMENTS,
    PIECES,
    SCHEMA,
    STAMP,
    events,
    read,
    streamed,
    without,
)

API = ResponsesApi()


def asked_with(**fields) -> Asked:
    return API.read({"model": "m", "input": "Hi.", **fields})


def said(*items) -> tuple[Message, ...]:
    return asked_with(input=list(items)).messages


def call_of(id: str, name: str = "now") -> dict[str, str]:
    return {"type": "function_call", "call_id": id, "name": name, "arguments": "{}"}


def result_of(id: str, output: object = "noon") -> dict[str, object]:
    return {"type": "function_call_output", "call_id": id, "output": output}


def test_a_conversation_is_read_with_its_calls_and_results():
    asked = read("openai_responses")
    assert asked.messages == CONVERSATION
    assert [call.id for call in asked.messages[2].calls] == ["call_1", "call_2"]
    assert [tool.name for tool in asked.offer.tools] == ["get_weather", "now"]
    assert (asked.model, asked.stream) == ("m", True)


def test_input_may_be_a_string():
    assert asked_with().messages == (Message("user", "Hi."),)


def test_parameters_have_the_names_of_chat_completions():
    asked = asked_with(
        max_output_tokens=9, temperature=0.5, top_p=1, reasoning={"effort": "high"}, user="u"
    )
    assert asked.params == {
        "max_tokens": 9,
        "temperature": 0.5,
        "top_p": 1,
        "reasoning_effort": "high",
    }


def test_calls_that_follow_words_belong_to_them_and_words_that_follow_calls_do_not():
    words = {"role": "assistant", "content": "So."}
    first, second = ToolCall("now", {}), ToolCall("fly", {})
    assert said(words, call_of("a"), call_of("b", "fly"), words, result_of("a")) == (
        Message("assistant", "So.", (first, second)),
        Message("assistant", "So."),
        Message(
            "user",
            "",
            results=(
                ToolResult(first, "noon"),
                ToolResult(second, "no result came for this call", is_error=True),
            ),
        ),
    )


def test_developers_speak_as_the_system():
    assert said({"role": "developer", "content": "Be kind."}) == (Message("system", "Be kind."),)


FORMATS = {
    "text": ({"type": "text"}, None),
    "object": ({"type": "json_object"}, AnswerShape()),
    "schema": ({"type": "json_schema", "name": "a", "schema": SCHEMA}, AnswerShape(SCHEMA)),
}


@pytest.mark.parametrize(("format", "shape"), FORMATS.values(), ids=FORMATS)
def test_the_format_of_the_text_is_read_and_repeated(format, shape):
    asked = asked_with(text={"format": format})
    assert asked.shape == shape
    assert API.whole(asked, [Answer()], STAMP)["text"] == {"format": format}


CHOICES = {
    "none": ("none", "none", {"get_weather", "now"}),
    "required": ("required", "required", {"get_weather", "now"}),
    "one": ({"type": "function", "name": "now"}, "now", {"get_weather", "now"}),
    "some": (
        {
            "type": "allowed_tools",
            "mode": "required",
            "tools": [{"type": "function", "name": "now"}],
        },
        "required",
        {"now"},
    ),
}


@pytest.mark.parametrize(("choice", "demand", "names"), CHOICES.values(), ids=CHOICES)
def test_the_choice_of_tools_is_read(choice, demand, names):
    offer = read("openai_responses", tool_choice=choice).offer
    assert (offer.choice, offer.names) == (demand, names)


def test_calls_may_be_asked_for_one_at_a_time():
    assert asked_with(parallel_tool_calls=False).offer.parallel is False


REFUSED = {
    "no input": ({"input": None}, "input", "must be a string or a list"),
    "a conversation": ({"conversation": "conv_1"}, "conversation", "stored"),
    "the background": ({"background": True}, "background", "stream it"),
    "a stored prompt": ({"prompt": {"id": "p"}}, "prompt", "instructions"),
    "a reference": (
        {"input": [{"type": "item_reference", "id": "x"}]},
        "input[0]",
        "'item_reference'",
    ),
    "no item": ({"input": ["Hi."]}, "input[0]", "must be an item"),
    "a role": ({"input": [{"role": "tool", "content": ""}]}, "input[0].role", "'tool'"),
    "a call without a name": (
        {"input": [{"type": "function_call", "call_id": "a"}]},
        "input[0].name",
        "is missing",
    ),
    "an unknown tool": ({"tool_choice": {"name": "fly"}}, "tool_choice", "'fly'"),
    "an unknown mode": (
        {"tool_choice": {"type": "allowed_tools", "mode": "maybe", "tools": []}},
        "tool_choice",
        "'required'",
    ),
    "a demand without tools": (
        {"tool_choice": {"type": "allowed_tools", "mode": "required", "tools": []}},
        "tool_choice",
        "no tool",
    ),
    "a format": ({"text": {"format": {"type": "xml"}}}, "text.format", "json_object"),
    "a schema that is none": (
        {"text": {"format": {"type": "json_schema", "schema": {"type": "array"}}}},
        "text.format",
        "JSON Schema",
    ),
    "effort": ({"reasoning": {"effort": 3}}, "reasoning.effort", "must be a string"),
}


@pytest.mark.parametrize(("fields", "param", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_used_is_refused_by_name(fields, param, message):
    with pytest.raises(BadRequest) as refused:
        asked_with(**fields)
    assert refused.value.param == param
    assert message in refused.value.message


RESPONSE = {
    "id": "resp_abc",
    "object": "response",
    "created_at": 1_700_000_000,
    "status": "in_progress",
    "background": False,
    "error": None,
    "incomplete_details": None,
    "instructions": "Be brief.",
    "max_output_tokens": None,
    "metadata": {"run": "7"},
    "model": "m",
    "output": [],
    "parallel_tool_calls": True,
    "previous_response_id": None,
    "reasoning": {"effort": "low", "summary": None},
    "store": False,
    "temperature": None,
    "text": {"format": {"type": "text"}},
    "tool_choice": "auto",
    "tools": [
        {
            "type": "function",
            "name": "get_weather",
            "description": "The weather.",
            "parameters": SCHEMA,
            "strict": False,
        },
        {
            "type": "function",
            "name": "now",
            "description": "The time.",
            "parameters": NO_ARGUMENTS,
            "strict": False,
        },
    ],
    "top_p": None,
    "truncation": "disabled",
    "usage": None,
    "user": None,
}
USAGE = {
    "input_tokens": 11,
    "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
    "output_tokens": 7,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 18,
}
THOUGHT = {"type": "reasoning_text", "text": "Oslo, then."}
WORDS = {"type": "output_text", "text": "Let me look.", "annotations": [], "logprobs": []}


def reasoning(status: str, *content: object) -> dict[str, object]:
    return {
        "id": "rs_abc0000",
        "type": "reasoning",
        "status": status,
        "summary": [],
        "content": list(content),
    }


def message(status: str, *content: object) -> dict[str, object]:
    return {
        "id": "msg_abc0001",
        "type": "message",
        "status": status,
        "role": "assistant",
        "content": list(content),
    }


def call(at: int, id: str, name: str, status: str, arguments: str) -> dict[str, object]:
    return {
        "id": f"fc_abc000{at}",
        "type": "function_call",
        "status": status,
        "call_id": id,
        "name": name,
        "arguments": arguments,
    }


OUTPUT = [
    reasoning("completed", THOUGHT),
    message("completed", WORDS),
    call(2, "call_a", "get_weather", "completed", '{"city": "Oslo"}'),
    call(3, "call_b", "now", "completed", "{}"),
]
COMPLETED = {**RESPONSE, "status": "completed", "output": OUTPUT, "usage": USAGE}


def place(id: str, at: int) -> dict[str, object]:
    return {"item_id": id, "output_index": at}


def part_of(id: str, at: int) -> dict[str, object]:
    return {**place(id, at), "content_index": 0}


def test_a_stream_has_its_events_in_order_and_numbered():
    found = events(streamed(API, read("openai_responses"), PIECES))
    assert [value["sequence_number"] for _, value in found] == list(range(len(found)))
    assert all(name == value["type"] for name, value in found)
    thought, words = part_of("rs_abc0000", 0), part_of("msg_abc0001", 1)
    first, second = place("fc_abc0002", 2), place("fc_abc0003", 3)
    assert [(name, without(value, "type", "sequence_number")) for name, value in found] == [
        ("response.created", {"response": RESPONSE}),
        ("response.in_progress", {"response": RESPONSE}),
        ("response.output_item.added", {"output_index": 0, "item": reasoning("in_progress")}),
        ("response.content_part.added", {**thought, "part": {**THOUGHT, "text": ""}}),
        ("response.reasoning_text.delta", {**thought, "delta": "Oslo, "}),
        ("response.reasoning_text.delta", {**thought, "delta": "then."}),
        ("response.reasoning_text.done", {**thought, "text": "Oslo, then."}),
        ("response.content_part.done", {**thought, "part": THOUGHT}),
        ("response.output_item.done", {"output_index": 0, "item": OUTPUT[0]}),
        ("response.output_item.added", {"output_index": 1, "item": message("in_progress")}),
        ("response.content_part.added", {**words, "part": {**WORDS, "text": ""}}),
        ("response.output_text.delta", {**words, "delta": "Let me ", "logprobs": []}),
        ("response.output_text.delta", {**words, "delta": "look.", "logprobs": []}),
        ("response.output_text.done", {**words, "text": "Let me look.", "logprobs": []}),
        ("response.content_part.done", {**words, "part": WORDS}),
        ("response.output_item.done", {"output_index": 1, "item": OUTPUT[1]}),
        (
            "response.output_item.added",
            {"output_index": 2, "item": call(2, "call_a", "get_weather", "in_progress", "")},
        ),
        ("response.function_call_arguments.delta", {**first, "delta": '{"city":'}),
        ("response.function_call_arguments.delta", {**first, "delta": ' "Oslo"}'}),
        (
            "response.function_call_arguments.done",
            {**first, "name": "get_weather", "arguments": '{"city": "Oslo"}'},
        ),
        ("response.output_item.done", {"output_index": 2, "item": OUTPUT[2]}),
        (
            "response.output_item.added",
            {"output_index": 3, "item": call(3, "call_b", "now", "in_progress", "")},
        ),
        ("response.function_call_arguments.delta", {**second, "delta": "{}"}),
        ("response.function_call_arguments.done", {**second, "name": "now", "arguments": "{}"}),
        ("response.output_item.done", {"output_index": 3, "item": OUTPUT[3]}),
        ("response.completed", {"response": COMPLETED}),
    ]


def test_a_whole_response_is_what_a_stream_ends_with():
    calls = [
        WrittenCall("call_a", "get_weather", '{"city": "Oslo"}'),
        WrittenCall("call_b", "now", "{}"),
    ]
    answer = Answer("Let me look.", "Oslo, then.", calls, "tool_calls", Usage(11, 7))
    assert API.whole(read("openai_responses"), [answer], STAMP) == COMPLETED


def ended_with(*pieces: Piece) -> tuple[list[str], dict[str, object]]:
    """The kinds of the last two events before the end, and the response it ends with."""
    found = events(streamed(API, read("openai_responses"), pieces))
    return [str(name) for name, _ in found[-3:]], found[-1][1]["response"]


def test_an_answer_that_was_cut_is_incomplete():
    kinds, response = ended_with(TextDelta("Let"), Ended("length", Usage()))
    assert kinds[-2:] == ["response.output_item.done", "response.incomplete"]
    assert (response["status"], response["incomplete_details"]) == (
        "incomplete",
        {"reason": "max_output_tokens"},
    )
    whole = API.whole(read("openai_responses"), [Answer("Let", reason="length")], STAMP)
    assert whole == response
    assert whole["output"][0]["status"] == "incomplete"


def test_a_call_that_was_cut_is_never_done_and_not_in_the_response():
    begun = [CallStarted(0, "now", "c"), ArgumentsDelta(0, '{"ci')]
    kinds, response = ended_with(*begun, Ended("length", Usage()))
    assert kinds == [
        "response.function_call_arguments.delta",
        "response.output_item.done",
        "response.incomplete",
    ]
    assert response["output"] == []


def test_a_filtered_answer_says_so():
    _, response = ended_with(TextDelta("Let"), Ended("content_filter", Usage()))
    assert response["incomplete_details"] == {"reason": "content_filter"}


@pytest.mark.parametrize(
    ("status", "code"),
    [(502, "server_error"), (429, "rate_limit_exceeded"), (400, "invalid_prompt")],
)
def test_an_error_in_a_stream_is_raised_by_clients_and_ends_the_response(status, code):
    writer = API.writer(read("openai_responses"), STAMP)
    writer.begin()
    found = events("".join(writer.fail(ApiFault(status, "it broke", "broken"))))
    error = {"code": "broken", "message": "it broke", "param": None}
    assert [name for name, _ in found] == ["error", "response.failed"]
    assert without(found[0][1], "error") == {"type": "error", "sequence_number": 2, **error}
    assert found[0][1]["error"]["message"] == "it broke"
    failed = {**RESPONSE, "status": "failed", "error": {"code": code, "message": "it broke"}}
    assert found[1][1] == {"type": "response.failed", "sequence_number": 3, "response": failed}


def test_a_named_tool_is_repeated_as_the_choice():
    asked = read("openai_responses", tool_choice={"type": "function", "name": "now"})
    whole = API.whole(asked, [Answer()], STAMP)
    assert whole["tool_choice"] == {"type": "function", "name": "now"}
