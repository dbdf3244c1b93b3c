"""Anthropic's messages, both directions."""

from __future__ import annotations

import pytest

from toolproto.endpoints.apis.anthropic.server import AnthropicApi
from toolproto.endpoints.apis.asked import AnswerShape, ApiFault, Asked, BadRequest
from toolproto.endpoints.apis.pieces import Ended
from toolproto.endpoints.apis.serving.api import Answer, WrittenCall
from toolproto.protocol.events import ArgumentsDelta, CallStarted, ReasoningDelta, TextDelta
from toolproto.protocol.messages import Message, ToolCall, ToolResult, Usage

from ..samples import CONVERSATION, PIECES, SCHEMA, STAMP, events, read, streamed

API = AnthropicApi()
PLAIN = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi."}]}


def asked_with(**fields) -> Asked:
    return API.read({**PLAIN, **fields})


def said(*messages) -> tuple[Message, ...]:
    return asked_with(messages=list(messages)).messages


def blocks(*content, role="user") -> dict[str, object]:
    return {"role": role, "content": list(content)}


USE = {"type": "tool_use", "id": "t1", "name": "now", "input": {}}
CALL = ToolCall("now", {}, "t1")


def test_a_conversation_is_read_with_its_calls_and_results():
    asked = read("anthropic")
    assert asked.messages == CONVERSATION
    assert [call.id for call in asked.messages[2].calls] == ["call_1", "call_2"]
    assert [tool.name for tool in asked.offer.tools] == ["get_weather", "now"]
    assert (asked.model, asked.stream, asked.stop) == ("m", True, ("END",))


def test_only_parameters_that_other_backends_know_are_passed_on():
    asked = asked_with(
        temperature=0.5, top_p=1, top_k=40, metadata={"user_id": "u"}, service_tier="auto"
    )
    assert asked.params == {"max_tokens": 9, "temperature": 0.5, "top_p": 1, "top_k": 40}


def test_a_result_may_be_an_error_and_may_say_nothing():
    result = {"type": "tool_result", "tool_use_id": "t1", "is_error": True}
    assert said(blocks(USE, role="assistant"), blocks(result)) == (
        Message("assistant", "", (CALL,)),
        Message("user", "", results=(ToolResult(CALL, "", is_error=True),)),
    )


def test_words_before_and_behind_a_result_keep_their_place():
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "noon"}
    before, behind = {"type": "text", "text": "Here:"}, {"type": "text", "text": "So?"}
    _, *rest = said(blocks(USE, role="assistant"), blocks(before, result, behind))
    assert rest == [
        Message("user", "Here:"),
        Message("user", "", results=(ToolResult(CALL, "noon"),)),
        Message("user", "So?"),
    ]


def test_thinking_of_earlier_turns_is_read_and_what_is_redacted_is_left_out():
    thinking = {"type": "thinking", "thinking": "Hm.", "signature": "s"}
    redacted = {"type": "redacted_thinking", "data": "xyz"}
    text = {"type": "text", "text": "Rain."}
    assert said(blocks(thinking, redacted, text, role="assistant")) == (
        Message("assistant", "Rain.", reasoning="Hm."),
    )


def test_a_system_prompt_is_a_string_or_blocks():
    block = {"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}
    for system in ("Be brief.", [block]):
        assert asked_with(system=system).messages[0] == Message("system", "Be brief.")


def test_a_system_message_may_stand_between_others():
    assert said(blocks(role="user"), {"role": "system", "content": "Now in French."}) == (
        Message("system", "Now in French."),
    )


CHOICES = {
    "auto": ({"type": "auto"}, ("auto", True)),
    "any": ({"type": "any"}, ("required", True)),
    "one": ({"type": "tool", "name": "now"}, ("now", True)),
    "none": ({"type": "none"}, ("none", True)),
    "not parallel": ({"type": "any", "disable_parallel_tool_use": True}, ("required", False)),
}


@pytest.mark.parametrize(("choice", "terms"), CHOICES.values(), ids=CHOICES)
def test_the_choice_of_tools_is_read(choice, terms):
    offer = read("anthropic", tool_choice=choice).offer
    assert (offer.choice, offer.parallel) == terms


def test_strict_tools_are_told_apart():
    tool = {"name": "get_weather", "input_schema": SCHEMA}
    assert asked_with(tools=[{**tool, "strict": True}]).strict == {"get_weather"}
    assert asked_with(tools=[{**tool, "type": "custom"}]).strict == frozenset()


def test_the_answer_may_have_to_be_json():
    format = {"type": "json_schema", "schema": SCHEMA}
    assert asked_with(output_config={"format": format}).shape == AnswerShape(SCHEMA)
    assert asked_with(output_format=format).shape == AnswerShape(SCHEMA)
    assert asked_with(output_config={"effort": "low"}).shape is None


REFUSED = {
    "no model": ({"model": None}, "model", "model is missing"),
    "no messages": ({"messages": []}, "messages", "at least one"),
    "a role": ({"messages": [{"role": "tool"}]}, "messages[0].role", "'tool'"),
    "a call without input": (
        {"messages": [blocks({**USE, "input": "{}"}, role="assistant")]},
        "messages[0].content[0].input",
        "must be an object",
    ),
    "no schema": ({"tools": [{"name": "now"}]}, "tools[0].input_schema", "is missing"),
    "a choice": ({"tool_choice": {"type": "maybe"}}, "tool_choice", "'any'"),
    "an unknown tool": (
        {"tool_choice": {"type": "tool", "name": "fly"}},
        "tool_choice",
        "'fly', which is not among the tools",
    ),
    "a demand without tools": ({"tool_choice": {"type": "any"}}, "tool_choice", "no tools"),
    "a number": ({"max_tokens": "9"}, "max_tokens", "must be a number"),
    "a stop": ({"stop_sequences": "END"}, "stop_sequences", "must be a list"),
    "a format": ({"output_format": {"type": "json"}}, "output_format", "json_schema"),
}


@pytest.mark.parametrize(("fields", "param", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_used_is_refused_by_name(fields, param, message):
    with pytest.raises(BadRequest) as refused:
        asked_with(**fields)
    assert refused.value.param == param
    assert message in refused.value.message


def delta(index: int, kind: str, **more: str) -> tuple[str, dict[str, object]]:
    event = {"type": "content_block_delta", "index": index, "delta": {"type": kind, **more}}
    return ("content_block_delta", event)


def start(index: int, **block: object) -> tuple[str, dict[str, object]]:
    event = {"type": "content_block_start", "index": index, "content_block": block}
    return ("content_block_start", event)


def stop(index: int) -> tuple[str, dict[str, object]]:
    return ("content_block_stop", {"type": "content_block_stop", "index": index})


def message_delta(reason: str, usage: dict[str, int]) -> tuple[str, dict[str, object]]:
    ended = {"stop_reason": reason, "stop_sequence": None}
    return ("message_delta", {"type": "message_delta", "delta": ended, "usage": usage})


BEGUN = (
    "message_start",
    {
        "type": "message_start",
        "message": {
            "id": "msg_abc",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": 89, "output_tokens": 1},
        },
    },
)
STOPPED = ("message_stop", {"type": "message_stop"})


def test_a_stream_has_its_events_in_order():
    assert events(streamed(API, read("anthropic"), PIECES)) == [
        BEGUN,
        start(0, type="thinking", thinking="", signature=""),
        delta(0, "thinking_delta", thinking="Oslo, "),
        delta(0, "thinking_delta", thinking="then."),
        delta(0, "signature_delta", signature="abc"),
        stop(0),
        start(1, type="text", text=""),
        delta(1, "text_delta", text="Let me "),
        delta(1, "text_delta", text="look."),
        stop(1),
        start(2, type="tool_use", id="call_a", name="get_weather", input={}),
        delta(2, "input_json_delta", partial_json=""),
        delta(2, "input_json_delta", partial_json='{"city":'),
        delta(2, "input_json_delta", partial_json=' "Oslo"}'),
        stop(2),
        start(3, type="tool_use", id="call_b", name="now", input={}),
        delta(3, "input_json_delta", partial_json=""),
        delta(3, "input_json_delta", partial_json="{}"),
        stop(3),
        message_delta("tool_use", {"input_tokens": 11, "output_tokens": 7}),
        STOPPED,
    ]


def test_words_behind_a_call_are_a_block_of_their_own():
    pieces = [TextDelta("a"), *PIECES[4:8], TextDelta("b"), Ended("tool_calls", Usage())]
    kinds = [
        value["content_block"]["type"]
        for name, value in events(streamed(API, read("anthropic"), pieces))
        if name == "content_block_start"
    ]
    assert kinds == ["text", "tool_use", "text"]


def test_thinking_is_not_shown_to_who_did_not_ask_for_it():
    for thinking in (None, {"type": "disabled"}, {"type": "adaptive", "display": "omitted"}):
        asked = read("anthropic", thinking=thinking)
        found = events(
            streamed(API, asked, [ReasoningDelta("Hm."), TextDelta("Rain."), PIECES[-1]])
        )
        assert found[1] == start(0, type="text", text="")
        whole = API.whole(asked, [Answer("Rain.", "Hm.")], STAMP)
        assert whole["content"] == [{"type": "text", "text": "Rain."}]


def test_a_call_that_was_cut_is_closed_and_the_end_says_why():
    begun = [CallStarted(0, "now", "c"), ArgumentsDelta(0, '{"ci')]
    found = events(streamed(API, read("anthropic"), [*begun, Ended("length", Usage(1, 2))]))
    assert found[-3:] == [
        stop(0),
        message_delta("max_tokens", {"input_tokens": 1, "output_tokens": 2}),
        STOPPED,
    ]


def test_an_error_in_a_stream_is_an_event_and_no_end():
    fault = ApiFault(502, "the upstream broke off", "upstream_broken_off")
    error = {"type": "api_error", "message": "the upstream broke off"}
    assert events("".join(API.writer(read("anthropic"), STAMP).fail(fault))) == [
        ("error", {"type": "error", "error": error})
    ]


def test_a_silent_connection_is_kept_open_with_pings():
    assert events(API.keep_alive) == [("ping", {"type": "ping"})]


def test_a_whole_message_has_the_same_blocks():
    calls = [WrittenCall("call_a", "get_weather", '{"city": "Oslo"}')]
    answer = Answer("Look.", "Hm.", calls, "tool_calls", Usage(11, 7))
    assert API.whole(read("anthropic"), [answer], STAMP) == {
        "id": "msg_abc",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [
            {"type": "thinking", "thinking": "Hm.", "signature": "abc"},
            {"type": "text", "text": "Look."},
            {"type": "tool_use", "id": "call_a", "name": "get_weather", "input": {"city": "Oslo"}},
        ],
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 11, "output_tokens": 7},
    }


REASONS = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}


@pytest.mark.parametrize(("ours", "theirs"), REASONS.items())
def test_an_end_is_told_in_anthropics_words(ours, theirs):
    whole = API.whole(read("anthropic"), [Answer("Rain.", reason=ours)], STAMP)
    assert whole["stop_reason"] == theirs


ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    422: "invalid_request_error",
    429: "rate_limit_error",
    500: "api_error",
    502: "api_error",
    529: "overloaded_error",
}


@pytest.mark.parametrize(("status", "kind"), ERRORS.items())
def test_an_error_is_of_the_type_that_belongs_to_its_status(status, kind):
    told = API.error(ApiFault(status, "no", "code"))
    assert told == {"type": "error", "error": {"type": kind, "message": "no"}}


@pytest.mark.parametrize("stops, which", [(["END"], "END"), (["END", "."], None)])
def test_a_stop_sequence_is_told_apart_from_an_end(stops, which):
    asked = read("anthropic", stop_sequences=stops)
    whole = API.whole(asked, [Answer("Rain.", stopped=True)], STAMP)
    assert (whole["stop_reason"], whole["stop_sequence"]) == ("stop_sequence", which)
    frames = API.writer(asked, STAMP).write(0, Ended("stop", Usage(), stopped=True))
    ((_, told),) = [each for each in events("".join(frames)) if each[0] == "message_delta"]
    assert told["delta"] == {"stop_reason": "stop_sequence", "stop_sequence": which}
