"""Tools in chat completions: offered, called and answered in the service's own way."""

from __future__ import annotations

import json

import pytest

from tests.endpoints.apis.offers import (
    ANSWERED,
    ASKED,
    CITY,
    OFFER,
    OSLO,
    PICTURE,
    REQUEST,
    choosing,
)
from toolproto.endpoints.apis.frames import Frame
from toolproto.endpoints.apis.openai_chat.azure import AzureOpenAI
from toolproto.endpoints.apis.openai_chat.client import OpenAIChat
from toolproto.protocol.messages import ChatRequest, Chunk, Message, NativePiece, ToolResult
from toolproto.protocol.tools.spec import ToolOffer

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "The weather in a city.",
            "parameters": CITY,
        },
    },
    {
        "type": "function",
        "function": {
            "name": "clock",
            "description": "",
            "parameters": {"type": "object", "properties": {}},
        },
    },
]


def called(id, name, arguments):
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


@pytest.mark.parametrize("dialect", [OpenAIChat(), AzureOpenAI(), OpenAIChat(writes_calls=True)])
def test_calls_and_results_go_as_values_in_their_order(dialect):
    body = dialect.body(REQUEST, "m")
    assert body["tools"] == TOOLS and body["temperature"] == 0
    assert not {"tool_choice", "parallel_tool_calls", "stop"} & {*body}
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}
    assert body["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Oslo and Rome?"},
        {
            "role": "assistant",
            "content": "I will look.",
            "tool_calls": [
                called("call_1", "get_weather", '{"city":"Oslo"}'),
                called("call_2", "get_weather", '{"city": "Rome"}'),
            ],
        },
        {
            "role": "tool",
            "tool_call_id": "call_1",
            "content": "rain\n[document: rain.wav, audio/wav, 1 KB: not shown to you]",
        },
        {"role": "tool", "tool_call_id": "call_2", "content": "sun"},
        {
            "role": "user",
            "content": [
                {
                    "type": "text",
                    "text": "[image: image/png, 1 KB, from the result of get_weather]",
                },
                picture,
            ],
        },
        {"role": "assistant", "content": None, "tool_calls": [called("call_3", "clock", "{}")]},
        {"role": "tool", "tool_call_id": "call_3", "content": "Error: it is broken"},
        {"role": "user", "content": "Go on."},
    ]


def test_what_the_user_says_behind_a_picture_of_a_result_stands_behind_it():
    result = ToolResult(OSLO, "rain", attachments=(PICTURE,))
    for more in (
        Message("user", "And now?", results=(result,)),
        Message("user", "And now?", results=(result,), attachments=(PICTURE,)),
    ):
        (_, _, told) = OpenAIChat().body(ChatRequest((ANSWERED[0], more), offer=OFFER), "m")[
            "messages"
        ]
        kinds = [part["type"] for part in told["content"]]
        assert kinds == ["text", "image_url", "text", *["image_url"] * len(more.attachments)]
        assert told["content"][2]["text"] == "And now?"


@pytest.mark.parametrize(
    "choice, told",
    [
        ("required", "required"),
        ("none", "none"),
        ("clock", {"type": "function", "function": {"name": "clock"}}),
    ],
)
def test_a_choice_is_told(choice, told):
    body = OpenAIChat().body(choosing(choice), "m")
    assert body["tool_choice"] == told and body["tools"] == TOOLS


def test_one_call_at_a_time_is_told_and_no_tools_are_no_field():
    assert OpenAIChat().body(choosing("auto", False), "m")["parallel_tool_calls"] is False
    body = OpenAIChat().body(ChatRequest(ASKED + ANSWERED, offer=ToolOffer()), "m")
    assert "tools" not in body and body["messages"][2]["tool_calls"]


def test_arguments_go_back_as_the_model_wrote_them_only_if_they_are_the_same():
    for raw, told in (
        ('{"city":"Oslo"}', '{"city":"Oslo"}'),
        ('{"city": "Bergen"}', '{"city": "Oslo"}'),
        ('{"city": "Oslo"', '{"city": "Oslo"}'),
        ("<tool_call>", '{"city": "Oslo"}'),
    ):
        call = type(OSLO)("get_weather", {"city": "Oslo"}, "call_1", raw=raw)
        request = ChatRequest((Message("assistant", "", calls=(call,)),), offer=OFFER)
        (message,) = OpenAIChat().body(request, "m")["messages"]
        assert message["tool_calls"][0]["function"]["arguments"] == told


def test_thoughts_go_back_to_services_that_want_them():
    told = OpenAIChat(thoughts=True).body(REQUEST, "m")["messages"]
    assert [each.get("reasoning_content") for each in told if "tool_calls" in each] == [
        "Two cities.",
        None,
    ]
    assert not any(
        "reasoning_content" in each for each in OpenAIChat().body(REQUEST, "m")["messages"]
    )


# -- answers ------------------------------------------------------------------------------


def delta(**said):
    return {"choices": [{"index": 0, "delta": said, "finish_reason": None}]}


#: What services stream for calls, and the pieces that are.
PIECES = [
    # OpenAI: the head of a call, then its arguments in pieces.
    (
        {"tool_calls": [{"index": 0, **called("c1", "f", "")}], "content": None},
        [NativePiece(0, "c1", "f", "")],
    ),
    (
        {"tool_calls": [{"index": 0, "function": {"arguments": '{"a'}}]},
        [NativePiece(0, "", "", '{"a')],
    ),
    # Mistral and Gemini's way of OpenAI: whole calls, without an index or all of index 0.
    (
        {"tool_calls": [called("c1", "f", "{}"), called("c2", "g", "{}")]},
        [NativePiece(None, "c1", "f", "{}"), NativePiece(None, "c2", "g", "{}")],
    ),
    # vLLM and SGLang: null where nothing is new.
    (
        {
            "tool_calls": [
                {"index": 1, "id": None, "type": None, "function": {"name": None, "arguments": "1"}}
            ]
        },
        [NativePiece(1, "", "", "1")],
    ),
    # Arguments as an object; null for none.
    (
        {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": {"a": 1}}}]},
        [NativePiece(0, "c", "f", {"a": 1})],
    ),
    (
        {"tool_calls": [{"index": 0, "id": 7, "function": {"name": "f", "arguments": None}}]},
        [NativePiece(0, "7", "f", "")],
    ),
    # An index that is none, and a call without what stands around its function.
    (
        {"tool_calls": [{"index": "0", "name": "f", "arguments": "{}"}]},
        [NativePiece(None, "", "f", "{}")],
    ),
    (
        {"tool_calls": [{"index": True, "id": "c", "function": {"name": "f"}}]},
        [NativePiece(None, "c", "f", "")],
    ),
    (
        {"tool_calls": [{"index": None, "id": [[]], "function": {"name": 3, "arguments": [1]}}]},
        [NativePiece(None, "", "", [1])],
    ),
    # text-generation-inference: one call, and no list.
    (
        {
            "role": "assistant",
            "tool_calls": {"index": 0, "id": "", "function": {"name": "f", "arguments": "{"}},
        },
        [NativePiece(0, "", "f", "{")],
    ),
    # Functions of old, and what is no call at all.
    ({"function_call": {"name": "f", "arguments": ""}}, [NativePiece(None, "", "f", "")]),
    ({"function_call": {"arguments": '{"a": 1}'}}, [NativePiece(None, "", "", '{"a": 1}')]),
    ({"tool_calls": [None, 3, "f"], "function_call": None}, []),
    ({"tool_calls": [], "function_call": {"name": "f"}}, [NativePiece(None, "", "f", "")]),
]


@pytest.mark.parametrize("said, pieces", PIECES)
def test_pieces_of_calls_are_read_as_the_wire_says_them(said, pieces):
    chunk = OpenAIChat().read(Frame("", json.dumps(delta(**said))))
    assert chunk == Chunk(calls=tuple(pieces))


def test_words_thoughts_calls_and_the_reason_come_in_one_chunk():
    body = delta(content="So: ", reasoning_content="hm", tool_calls=[called("c", "f", "{}")])
    body["choices"][0]["finish_reason"] = "tool_calls"
    chunk = OpenAIChat().chunk_of(body)
    piece = NativePiece(None, "c", "f", "{}")
    assert chunk == Chunk("So: ", "hm", "tool_calls", calls=(piece,))


def test_the_calls_of_a_whole_message_are_numbered_by_their_places():
    calls = [{"index": 0, **called("", "f", "{}")}, {"index": 0, **called("", "f", {"a": 1})}]
    body = {
        "choices": [{"message": {"content": None, "tool_calls": calls}, "finish_reason": "stop"}]
    }
    pieces = (NativePiece(0, "", "f", "{}"), NativePiece(1, "", "f", {"a": 1}))
    assert OpenAIChat().read_whole(body) == Chunk(finish_reason="stop", calls=pieces)
    assert OpenAIChat().chunk_of(body) == Chunk(finish_reason="stop", calls=pieces)


def test_calls_that_were_offered_are_not_written_out_as_text():
    body = delta(tool_calls=[called("c", "f", "{}")])
    writing = OpenAIChat().writing_calls()
    assert "<tool_call>" in writing.chunk_of(body).text and not writing.chunk_of(body).calls
    assert writing.answering(ChatRequest(ASKED)) is writing
    chunk = writing.answering(REQUEST).chunk_of(body)
    assert chunk == Chunk(calls=(NativePiece(None, "c", "f", "{}"),))
