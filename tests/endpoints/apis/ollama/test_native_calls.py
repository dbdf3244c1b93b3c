"""Tools in Ollama's chats: offered, called and answered in the service's own way."""

from __future__ import annotations

import json

import pytest

from tests.endpoints.apis.offers import ASKED, CITY, REQUEST, choosing
from toolproto.endpoints.apis.frames import Frame
from toolproto.endpoints.apis.ollama.client import Ollama
from toolproto.protocol.errors import EndpointError
from toolproto.protocol.messages import ChatRequest, Chunk, NativePiece


def called(index, id, name, arguments):
    return {"id": id, "function": {"index": index, "name": name, "arguments": arguments}}


def answered(id, name, content, **more):
    return {"role": "tool", "content": content, "tool_name": name, "tool_call_id": id, **more}


def test_calls_and_results_go_as_values_in_their_order():
    body = Ollama().body(REQUEST, "m")
    assert body["options"] == {"temperature": 0}
    assert [tool["function"]["name"] for tool in body["tools"]] == ["get_weather", "clock"]
    assert body["tools"][0] == {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "The weather in a city.",
            "parameters": CITY,
        },
    }
    note = "rain\n[document: rain.wav, audio/wav, 1 KB: not shown to you]"
    assert body["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Oslo and Rome?"},
        {
            "role": "assistant",
            "content": "I will look.",
            "thinking": "Two cities.",
            "tool_calls": [
                called(0, "call_1", "get_weather", {"city": "Oslo"}),
                called(1, "call_2", "get_weather", {"city": "Rome"}),
            ],
        },
        answered("call_1", "get_weather", note, images=["aGk="]),
        answered("call_2", "get_weather", "sun"),
        {"role": "assistant", "content": "", "tool_calls": [called(0, "call_3", "clock", {})]},
        answered("call_3", "clock", "Error: it is broken"),
        {"role": "user", "content": "Go on."},
    ]


@pytest.mark.parametrize(
    "choice, offered",
    [
        ("auto", ["get_weather", "clock"]),
        ("required", ["get_weather", "clock"]),
        ("clock", ["clock"]),
        ("none", None),
    ],
)
def test_a_choice_leaves_only_the_tools_that_may_be_called(choice, offered):
    body = Ollama().body(choosing(choice, parallel=False), "m")
    tools = body.get("tools")
    assert (tools and [tool["function"]["name"] for tool in tools]) == offered


@pytest.mark.parametrize(
    "calls, pieces",
    [
        ([called(1, "c", "f", {"a": 1})], [NativePiece(1, "c", "f", {"a": 1})]),
        # Versions before 0.12 have no ids, and the oldest no numbers.
        ([{"function": {"name": "f", "arguments": {}}}], [NativePiece(None, "", "f", {})]),
        ([{"function": {"name": "f", "arguments": None}}], [NativePiece(None, "", "f", {})]),
        # What other servers of this API send.
        (
            [{"id": 1, "function": {"name": "f", "arguments": "{}"}}],
            [NativePiece(None, "1", "f", "{}")],
        ),
        ([None, {"function": None}, 3], [NativePiece(None, "", "", {})]),
        ("f", []),
    ],
)
def test_calls_are_read_as_the_wire_says_them(calls, pieces):
    body = {"message": {"content": "", "tool_calls": calls}, "done": False}
    chunk = Ollama().read(Frame("", json.dumps(body)))
    assert chunk == Ollama().read_whole(body) == Chunk(calls=tuple(pieces))


def test_a_call_comes_with_the_end_and_what_was_said():
    message = {"content": "So", "thinking": "hm", "tool_calls": [called(0, "c", "f", {})]}
    chunk = Ollama().read_whole({"message": message, "done": True, "done_reason": "stop"})
    assert chunk == Chunk("So", "hm", "stop", calls=(NativePiece(0, "c", "f", {}),))


def test_calls_that_were_offered_are_not_written_out_as_text():
    writing = Ollama().writing_calls()
    body = {"message": {"tool_calls": [called(0, "c", "f", {})]}}
    assert "<tool_call>" in writing.read_whole(body).text and not writing.read_whole(body).calls
    assert writing.answering(ChatRequest(ASKED)) is writing
    assert writing.answering(REQUEST).read_whole(body).calls


def test_an_error_that_stands_under_a_name_of_its_own_is_one():
    line = '{"error parsing tool call": "invalid character"}'
    with pytest.raises(EndpointError, match="error parsing tool call") as caught:
        Ollama().read(Frame("", line))
    assert caught.value.body == line
