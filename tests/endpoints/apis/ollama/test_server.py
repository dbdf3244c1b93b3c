"""Ollama's chat, both directions."""

from __future__ import annotations

import json

import pytest

from toolproto.endpoints.apis.asked import AnswerShape, ApiFault, Asked, BadRequest
from toolproto.endpoints.apis.ollama.server import OllamaApi
from toolproto.endpoints.apis.pieces import Ended
from toolproto.endpoints.apis.serving.api import Answer, WrittenCall
from toolproto.protocol.events import ArgumentsDelta, CallStarted
from toolproto.protocol.messages import Message, Usage

from ..samples import CONVERSATION, PIECES, SCHEMA, STAMP, read, streamed

API = OllamaApi()


def asked_with(**fields) -> Asked:
    return API.read({"model": "m", "messages": [{"role": "user", "content": "Hi."}], **fields})


def said(*messages) -> tuple[Message, ...]:
    return asked_with(messages=list(messages)).messages


def calling(*names: str) -> dict[str, object]:
    calls = [{"function": {"name": name, "arguments": {"of": name}}} for name in names]
    return {"role": "assistant", "content": "", "tool_calls": calls}


def result(content: str, **more: str) -> dict[str, str]:
    return {"role": "tool", "content": content, **more}


def answers(messages: tuple[Message, ...]) -> list[tuple[str, str]]:
    """Each result, and the tool whose call it answers."""
    return [(each.call.name, each.content) for message in messages for each in message.results]


def test_a_conversation_is_read_with_its_calls_and_results():
    asked = read("ollama")
    assert asked.messages == CONVERSATION
    assert [tool.name for tool in asked.offer.tools] == ["get_weather", "now"]
    assert (asked.model, asked.stop) == ("m", ("END",))
    assert asked.params == {"temperature": 0.5, "max_tokens": 100}


def test_clients_stream_unless_they_say_otherwise():
    assert asked_with().stream
    assert not asked_with(stream=False).stream


def test_options_about_loading_a_model_are_left_out():
    options = {"seed": 1, "top_k": 3, "num_ctx": 8192, "num_gpu": 1, "num_predict": -1}
    assert asked_with(options=options).params == {"seed": 1, "top_k": 3, "num_ctx": 8192}


def test_thinking_may_have_a_level():
    assert asked_with(think="low").params == {"reasoning_effort": "low"}
    assert asked_with(think=False).params == {}


def test_the_answer_may_have_to_be_json():
    assert asked_with(format="json").shape == AnswerShape()
    assert asked_with(format=SCHEMA).shape == AnswerShape(SCHEMA)
    assert asked_with(format="").shape is None


def test_results_without_names_answer_calls_in_order():
    messages = said(calling("a", "b", "a"), result("1"), result("2"), result("3"))
    assert answers(messages) == [("a", "1"), ("b", "2"), ("a", "3")]


def test_results_with_names_answer_the_calls_of_that_tool():
    messages = said(
        calling("a", "b", "a"),
        result("1", tool_name="b"),
        result("2", tool_name="a"),
        result("3", name="a"),
    )
    assert answers(messages) == [("a", "2"), ("b", "1"), ("a", "3")]


def test_calls_that_were_never_answered_take_no_result_of_later_ones():
    user = {"role": "user", "content": "Never mind."}
    assert answers(said(calling("a"), user, calling("b"), result("1"))) == [("b", "1")]
    assert answers(said(calling("a", "a"), result("1"), calling("b"), result("2"))) == [
        ("a", "1"),
        ("a", "no result came for this call"),
        ("b", "2"),
    ]


def test_calls_of_two_messages_in_a_row_wait_together():
    messages = said(calling("a"), calling("b"), result("1"), result("2"))
    assert answers(messages) == [("a", "1"), ("b", "2")]


def test_ids_are_heeded_where_a_client_keeps_them():
    call = {"id": "x", "function": {"name": "now", "arguments": {}}}
    messages = said(
        {"role": "assistant", "tool_calls": [{**call, "id": "y"}, call]},
        result("noon", tool_call_id="x"),
        result("one", tool_call_id="y"),
    )
    told = [(each.call.id, each.content) for each in messages[1].results]
    assert told == [("y", "one"), ("x", "noon")]


@pytest.mark.parametrize(
    "before", [(), (calling("a"), result("1")), (calling("b"),)], ids=["none", "answered", "other"]
)
def test_a_result_whose_call_was_forgotten_is_told_as_text(before):
    """Ollama never asks which call a result belongs to, and clients forget old messages."""
    assert said(*before, result("22", tool_name="a"))[-1] == Message("user", "Result of a:\n22")


def test_a_backend_of_the_same_make_is_told_the_rest():
    body = {"think": False, "keep_alive": "30m", "options": {"num_gpu": 0, "seed": 1}}
    assert asked_with(**body).own == {
        "think": False,
        "keep_alive": "30m",
        "options": {"num_gpu": 0},
    }


def test_thinking_of_earlier_turns_is_read():
    reply = {"role": "assistant", "content": "Rain.", "thinking": "Hm."}
    assert said(reply) == (Message("assistant", "Rain.", reasoning="Hm."),)


REFUSED = {
    "no messages": ({"messages": []}, "messages", "at least one"),
    "a role": ({"messages": [{"role": "developer"}]}, "messages[0].role", "'developer'"),
    "a call without a function": (
        {"messages": [{"role": "assistant", "tool_calls": [{"name": "a"}]}]},
        "messages[0].tool_calls[0].function",
        "is missing",
    ),
    "a call that is none": (
        {"messages": [{"role": "assistant", "tool_calls": ["a"]}]},
        "messages[0].tool_calls[0]",
        "must be an object",
    ),
    "an option": ({"options": {"seed": "x"}}, "options.seed", "must be a number"),
    "a stop": ({"options": {"stop": [1]}}, "options.stop", "strings"),
    "a format": ({"format": "xml"}, "format", "'json'"),
    "a thought": ({"think": 3}, "think", "true, false"),
}


@pytest.mark.parametrize(("fields", "param", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_used_is_refused_by_name(fields, param, message):
    with pytest.raises(BadRequest) as refused:
        asked_with(**fields)
    assert refused.value.param == param
    assert message in refused.value.message


def line(done: bool = False, **message: object) -> dict[str, object]:
    return {
        "model": "m",
        "created_at": "2023-11-14T22:13:20Z",
        "message": {"role": "assistant", "content": "", **message},
        "done": done,
    }


def call(index: int, id: str, name: str, arguments: dict[str, object]) -> dict[str, object]:
    return {"id": id, "function": {"index": index, "name": name, "arguments": arguments}}


FIRST, SECOND = call(0, "call_a", "get_weather", {"city": "Oslo"}), call(1, "call_b", "now", {})
ENDING = {"done_reason": "stop", "total_duration": 0, "prompt_eval_count": 11, "eval_count": 7}


def lines(stream: str) -> list[dict[str, object]]:
    assert stream.endswith("\n")
    return [json.loads(each) for each in stream.splitlines()]


def test_a_stream_is_lines_of_which_the_last_is_done():
    assert lines(streamed(API, read("ollama"), PIECES)) == [
        line(thinking="Oslo, "),
        line(thinking="then."),
        line(content="Let me "),
        line(content="look."),
        line(tool_calls=[FIRST]),
        line(tool_calls=[SECOND]),
        {**line(done=True), **ENDING},
    ]


def test_a_call_that_was_cut_does_not_leave():
    begun = [CallStarted(0, "now", "c"), ArgumentsDelta(0, '{"ci')]
    (last,) = lines(streamed(API, read("ollama"), [*begun, Ended("length", Usage(11, 7))]))
    assert last == {**line(done=True), **ENDING, "done_reason": "length"}


def test_an_error_in_a_stream_is_a_line_and_nothing_is_done():
    fault = ApiFault(502, "it broke", "broken")
    assert lines("".join(API.writer(read("ollama"), STAMP).fail(fault))) == [{"error": "it broke"}]
    assert API.error(fault) == {"error": "it broke"}


def test_a_whole_response_is_one_object():
    calls = [
        WrittenCall("call_a", "get_weather", '{"city": "Oslo"}'),
        WrittenCall("call_b", "now", "{}"),
    ]
    answer = Answer("Look.", "Hm.", calls, "tool_calls", Usage(11, 7))
    assert API.whole(read("ollama"), [answer], STAMP) == {
        **line(done=True, content="Look.", thinking="Hm.", tool_calls=[FIRST, SECOND]),
        **ENDING,
    }


def test_words_alone_are_a_message_without_calls():
    whole = API.whole(read("ollama"), [Answer("Rain.")], STAMP)
    assert whole["message"] == {"role": "assistant", "content": "Rain."}


def test_a_silent_connection_gets_nothing_since_every_line_counts():
    assert API.keep_alive == ""
