"""Tools in Anthropic's messages: offered, called and answered in the service's own way."""

from __future__ import annotations

import json

import pytest

from tests.endpoints.apis.offers import ASKED, CITY, OFFER, OSLO, REQUEST, choosing
from toolproto.endpoints.apis.anthropic.client import Anthropic
from toolproto.endpoints.apis.frames import Frame
from toolproto.protocol.messages import (
    ChatRequest,
    Chunk,
    Message,
    NativePiece,
    ToolCall,
    ToolResult,
)
from toolproto.protocol.tools.spec import ToolOffer


def text(words):
    return {"type": "text", "text": words}


def used(id, name, given):
    return {"type": "tool_use", "id": id, "name": name, "input": given}


def test_calls_and_results_go_in_blocks_in_their_order():
    body = Anthropic().body(REQUEST, "m")
    assert body["system"] == "Be brief." and "tool_choice" not in body
    assert body["tools"] == [
        {"name": "get_weather", "description": "The weather in a city.", "input_schema": CITY},
        {"name": "clock", "input_schema": {"type": "object", "properties": {}}},
    ]
    picture = {"type": "base64", "media_type": "image/png", "data": "aGk="}
    note = "rain\n[document: rain.wav, audio/wav, 1 KB: not shown to you]"
    assert body["messages"] == [
        {"role": "user", "content": "Oslo and Rome?"},
        {
            "role": "assistant",
            "content": [
                text("I will look."),
                used("call_1", "get_weather", {"city": "Oslo"}),
                used("call_2", "get_weather", {"city": "Rome"}),
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "call_1",
                    "content": [text(note), {"type": "image", "source": picture}],
                },
                {"type": "tool_result", "tool_use_id": "call_2", "content": "sun"},
            ],
        },
        {"role": "assistant", "content": [used("call_3", "clock", {})]},
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "call_3",
                    "content": "it is broken",
                    "is_error": True,
                },
                text("Go on."),
            ],
        },
    ]


def test_what_the_user_says_behind_results_goes_into_their_message():
    said = (
        Message("assistant", "", calls=(OSLO,)),
        Message("user", "", results=(ToolResult(OSLO, "rain"),)),
        Message("user", "And Rome?"),
        Message("user", "And Bergen?"),
    )
    messages = Anthropic().body(ChatRequest(said, offer=OFFER), "m")["messages"]
    assert [each["role"] for each in messages] == ["assistant", "user"]
    kinds = [block["type"] for block in messages[1]["content"]]
    assert kinds == ["tool_result", "text", "text"]


def test_an_id_has_only_the_characters_that_the_service_takes():
    call = ToolCall("f", {}, "functions.f:0")
    said = (
        Message("assistant", " ", calls=(call,)),
        Message("user", "", results=(ToolResult(call, ""),)),
    )
    messages = Anthropic().body(ChatRequest(said, offer=OFFER), "m")["messages"]
    assert messages[0]["content"] == [used("functions_f_0", "f", {})]
    assert messages[1]["content"][0]["tool_use_id"] == "functions_f_0"


@pytest.mark.parametrize(
    "choice, parallel, told",
    [
        ("auto", True, None),
        ("required", True, {"type": "any"}),
        ("none", True, {"type": "none"}),
        ("clock", True, {"type": "tool", "name": "clock"}),
        ("auto", False, {"type": "auto", "disable_parallel_tool_use": True}),
        ("required", False, {"type": "any", "disable_parallel_tool_use": True}),
        ("none", False, {"type": "none"}),
    ],
)
def test_a_choice_is_told(choice, parallel, told):
    body = Anthropic().body(choosing(choice, parallel), "m")
    assert body.get("tool_choice") == told and len(body["tools"]) == 2


def test_no_tools_are_no_field():
    body = Anthropic().body(ChatRequest(ASKED, offer=ToolOffer()), "m")
    assert not {"tools", "tool_choice"} & {*body}


# -- answers ------------------------------------------------------------------------------


def read(**body):
    return Anthropic().read(Frame("", json.dumps(body)))


def begun(block, **more):
    return read(type="content_block_start", content_block=block, **more)


def test_a_streamed_call_begins_and_goes_on_in_pieces():
    begins = begun(used("toolu_1", "f", {}), index=1)
    assert begins == Chunk(calls=(NativePiece(1, "toolu_1", "f", ""),))
    for more in ("", '{"a": ', "1}"):
        delta = {"type": "input_json_delta", "partial_json": more}
        chunk = read(type="content_block_delta", index=1, delta=delta)
        assert chunk == (Chunk(calls=(NativePiece(1, arguments=more),)) if more else None)
    ended = read(type="message_delta", delta={"stop_reason": "tool_use"})
    assert ended == Chunk(finish_reason="tool_use")


def test_what_other_servers_of_this_api_send_is_read():
    assert begun(used(None, "f", {"a": 1})) == Chunk(calls=(NativePiece(None, "", "f", {"a": 1}),))
    delta = {"type": "input_json_delta", "partial_json": {"a": 1}}
    chunk = read(type="content_block_delta", index=0, delta=delta)
    assert chunk == Chunk(calls=(NativePiece(0, arguments={"a": 1}),))
    assert begun({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}) is None


def test_the_calls_of_a_whole_message_are_numbered_by_their_places():
    blocks = [text("So"), used("t1", "f", {}), used("t2", "f", {"a": 1})]
    body = {"content": blocks, "stop_reason": "tool_use"}
    pieces = (NativePiece(1, "t1", "f", {}), NativePiece(2, "t2", "f", {"a": 1}))
    assert Anthropic().read_whole(body) == Chunk("So", "", "tool_use", calls=pieces)
