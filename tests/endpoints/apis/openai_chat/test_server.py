"""OpenAI's chat completions, both directions."""

from __future__ import annotations

import pytest

from toolproto.endpoints.apis.asked import AnswerShape, ApiFault, Asked, BadRequest
from toolproto.endpoints.apis.openai_chat.server import OpenAIChatApi
from toolproto.endpoints.apis.pieces import Ended
from toolproto.endpoints.apis.serving.api import Answer, WrittenCall
from toolproto.protocol.events import ArgumentsDelta, CallCompleted, CallStarted, TextDelta
from toolproto.protocol.messages import Message, ToolCall, ToolResult, Usage

from ..samples import CONVERSATION, PIECES, SCHEMA, STAMP, events, read, streamed

API = OpenAIChatApi()
FUNCTION = {"name": "now", "parameters": {"type": "object"}}


def asked_with(**fields) -> Asked:
    return API.read({"model": "m", "messages": [{"role": "user", "content": "Hi."}], **fields})


def said(*messages) -> tuple[Message, ...]:
    return asked_with(messages=list(messages)).messages


def calling(*ids: str) -> dict[str, object]:
    calls = [{"id": id, "function": {"name": "now", "arguments": "{}"}} for id in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def test_a_conversation_is_read_with_its_calls_and_results():
    asked = read("openai_chat")
    assert asked.messages == CONVERSATION
    assert [call.id for call in asked.messages[2].calls] == ["call_1", "call_2"]
    assert [tool.name for tool in asked.offer.tools] == ["get_weather", "now"]
    assert (asked.model, asked.stream, asked.stop) == ("m", True, ("END",))
    assert asked.include_usage


def test_what_is_not_about_tools_is_left_for_the_backend():
    asked = asked_with(temperature=0.5, seed=1, n=2, logprobs=True, user=None)
    assert (asked.params, asked.choices) == ({"temperature": 0.5, "seed": 1}, 2)


@pytest.mark.parametrize("key", ["api_base", "base_url", "api_key", "extra_headers", "fallbacks"])
def test_no_client_chooses_another_backend(key):
    assert asked_with(**{key: "http://elsewhere"}).params == {}


def test_developers_speak_as_the_system():
    assert said({"role": "developer", "content": "Be kind."}) == (Message("system", "Be kind."),)


def test_refusals_of_earlier_turns_are_read():
    parts = [{"type": "text", "text": "Well:"}, {"type": "refusal", "refusal": "no."}]
    assert said({"role": "assistant", "content": parts}) == (Message("assistant", "Well:\nno."),)


def test_arguments_that_are_no_json_are_shown_to_the_model_as_they_are():
    call = {"id": "a", "function": {"name": "now", "arguments": "{oops"}}
    (message,) = said({"role": "assistant", "tool_calls": [call]})
    assert message.calls == (ToolCall("now", {"arguments": "{oops"}),)


def test_the_older_form_of_calls_is_read():
    messages = said(
        {"role": "assistant", "function_call": {"name": "now", "arguments": "{}"}},
        {"role": "function", "name": "now", "content": "noon"},
    )
    call = ToolCall("now", {})
    assert messages == (
        Message("assistant", "", (call,)),
        Message("user", "", results=(ToolResult(call, "noon"),)),
    )


def test_an_id_that_comes_again_means_the_later_call():
    result = {"role": "tool", "tool_call_id": "a", "content": "noon"}
    other = {"id": "a", "function": {"name": "fly", "arguments": "{}"}}
    messages = said(calling("a"), result, {"role": "assistant", "tool_calls": [other]}, result)
    assert [each.results[0].call.name for each in messages if each.results] == ["now", "fly"]


CHOICES = {
    "none": ("none", "none", {"get_weather", "now"}),
    "required": ("required", "required", {"get_weather", "now"}),
    "any": ("any", "required", {"get_weather", "now"}),
    "one": ({"type": "function", "function": {"name": "now"}}, "now", {"get_weather", "now"}),
    "some": (
        {
            "type": "allowed_tools",
            "allowed_tools": {
                "mode": "auto",
                "tools": [{"type": "function", "function": {"name": "now"}}],
            },
        },
        "auto",
        {"now"},
    ),
}


@pytest.mark.parametrize(("choice", "demand", "names"), CHOICES.values(), ids=CHOICES)
def test_the_choice_of_tools_is_read(choice, demand, names):
    offer = read("openai_chat", tool_choice=choice).offer
    assert (offer.choice, offer.names) == (demand, names)


def test_strict_tools_are_told_apart():
    tools = [{"type": "function", "function": {**FUNCTION, "strict": True}}]
    assert asked_with(tools=tools).strict == {"now"}


def test_the_answer_may_have_to_be_json():
    assert asked_with(response_format={"type": "json_object"}).shape == AnswerShape()
    wrapped = {"type": "json_schema", "json_schema": {"name": "a", "schema": SCHEMA}}
    assert asked_with(response_format=wrapped).shape == AnswerShape(SCHEMA)


def test_functions_are_an_offer_of_one_call_at_a_time():
    asked = asked_with(functions=[FUNCTION], function_call={"name": "now"})
    assert (asked.offer.choice, asked.offer.parallel, asked.legacy) == ("now", False, True)


def test_who_sends_tools_is_answered_with_tools():
    tools = [{"type": "function", "function": FUNCTION}]
    assert not asked_with(tools=tools, functions=[FUNCTION]).legacy


REFUSED = {
    "no model": ({"model": 7}, "model", "must be a string"),
    "no messages": ({"messages": None}, "messages", "at least one"),
    "a role": ({"messages": [{"role": ["user"]}]}, "messages[0].role", "['user']"),
    "a text that is none": (
        {"messages": [{"role": "user", "content": [{"type": "text", "text": 7}]}]},
        "messages[0].content[0].text",
        "must be a string",
    ),
    "a call that is none": (
        {"messages": [{"role": "assistant", "tool_calls": [7]}]},
        "messages[0].tool_calls[0]",
        "must be an object",
    ),
    "an unknown tool": ({"tool_choice": {"name": "fly"}}, "tool_choice", "'fly'"),
    "an unknown allowed tool": (
        {
            "tool_choice": {"type": "allowed_tools", "mode": "auto", "tools": [{"name": "fly"}]},
        },
        "tool_choice",
        "'fly'",
    ),
    "no answers": ({"n": 0}, "n", "1 or more"),
    "a format": ({"response_format": "json"}, "response_format", "json_object"),
    "a stop": ({"stop": {}}, "stop", "strings"),
}


@pytest.mark.parametrize(("fields", "param", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_used_is_refused_by_name(fields, param, message):
    with pytest.raises(BadRequest) as refused:
        asked_with(**fields)
    assert refused.value.param == param
    assert message in refused.value.message


def chunk(delta: dict[str, object], reason: str | None = None, choice: int = 0) -> object:
    said = {"index": choice, "delta": delta, "logprobs": None, "finish_reason": reason}
    return {
        "id": "chatcmpl-abc",
        "object": "chat.completion.chunk",
        "created": 1_700_000_000,
        "model": "m",
        "choices": [said],
    }


def begun(index: int, id: str, name: str) -> dict[str, object]:
    function = {"name": name, "arguments": ""}
    return {"tool_calls": [{"index": index, "id": id, "type": "function", "function": function}]}


def arguments(index: int, text: str) -> dict[str, object]:
    return {"tool_calls": [{"index": index, "function": {"arguments": text}}]}


USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}


def test_a_stream_has_its_chunks_in_order():
    asked = read("openai_chat", stream_options=None)
    assert [value for _, value in events(streamed(API, asked, PIECES))] == [
        chunk({"role": "assistant", "content": ""}),
        chunk({"reasoning_content": "Oslo, "}),
        chunk({"reasoning_content": "then."}),
        chunk({"content": "Let me "}),
        chunk({"content": "look."}),
        chunk(begun(0, "call_a", "get_weather")),
        chunk(arguments(0, '{"city":')),
        chunk(arguments(0, ' "Oslo"}')),
        chunk(begun(1, "call_b", "now")),
        chunk(arguments(1, "{}")),
        chunk({}, "tool_calls"),
        "[DONE]",
    ]


def test_usage_comes_before_the_end_for_who_asked_for_it():
    *chunks, usage, done = (
        value for _, value in events(streamed(API, read("openai_chat"), PIECES))
    )
    assert (usage["choices"], usage["usage"], done) == ([], USAGE, "[DONE]")
    assert all(each["usage"] is None for each in chunks)


def test_several_answers_share_a_stream():
    writer = API.writer(asked_with(n=2), STAMP)
    frames = [*writer.begin(), *writer.write(1, TextDelta("b")), *writer.write(0, TextDelta("a"))]
    assert [value for _, value in events("".join(frames))] == [
        chunk({"role": "assistant", "content": ""}),
        chunk({"role": "assistant", "content": ""}, choice=1),
        chunk({"content": "b"}, choice=1),
        chunk({"content": "a"}),
    ]


def test_functions_are_answered_in_their_own_form():
    asked = asked_with(functions=[FUNCTION])
    pieces = [
        CallStarted(0, "now", "c"),
        ArgumentsDelta(0, "{}"),
        CallCompleted(0, ToolCall("now", {})),
        Ended("tool_calls", Usage()),
    ]
    assert [value for _, value in events(streamed(API, asked, pieces))][1:] == [
        chunk({"function_call": {"name": "now", "arguments": ""}}),
        chunk({"function_call": {"arguments": "{}"}}),
        chunk({}, "function_call"),
        "[DONE]",
    ]
    answer = Answer(calls=[WrittenCall("c", "now", "{}")], reason="tool_calls")
    (choice,) = API.whole(asked, [answer], STAMP)["choices"]
    assert choice["message"]["function_call"] == {"name": "now", "arguments": "{}"}
    assert choice["finish_reason"] == "function_call"


def test_an_error_in_a_stream_is_no_finish():
    frames = API.writer(read("openai_chat"), STAMP).fail(ApiFault(502, "it broke", "broken"))
    error = {"message": "it broke", "type": "upstream_error", "param": None, "code": "broken"}
    (_, told), (_, end) = events("".join(frames))
    assert (told["error"], told["choices"], end) == (error, [], "[DONE]")
    assert told["id"] == f"chatcmpl-{STAMP.id}"


def test_a_whole_completion_has_a_choice_for_each_answer():
    calls = [WrittenCall("call_a", "get_weather", '{"city": "Oslo"}')]
    answers = [
        Answer("", "Hm.", calls, "tool_calls", Usage(11, 7)),
        Answer("Rain.", usage=Usage(11, 1)),
    ]
    whole = API.whole(read("openai_chat"), answers, STAMP)
    function = {"name": "get_weather", "arguments": '{"city": "Oslo"}'}
    assert whole["choices"] == [
        {
            "index": 0,
            "message": {
                "role": "assistant",
                "content": None,
                "refusal": None,
                "reasoning_content": "Hm.",
                "tool_calls": [{"id": "call_a", "type": "function", "function": function}],
            },
            "logprobs": None,
            "finish_reason": "tool_calls",
        },
        {
            "index": 1,
            "message": {"role": "assistant", "content": "Rain.", "refusal": None},
            "logprobs": None,
            "finish_reason": "stop",
        },
    ]
    assert whole["usage"] == {"prompt_tokens": 22, "completion_tokens": 8, "total_tokens": 30}
    assert (whole["id"], whole["object"]) == ("chatcmpl-abc", "chat.completion")


def test_an_error_before_a_stream_names_the_field():
    assert API.error(ApiFault(400, "no", "invalid_value", "n")) == {
        "error": {
            "message": "no",
            "type": "invalid_request_error",
            "param": "n",
            "code": "invalid_value",
        }
    }
