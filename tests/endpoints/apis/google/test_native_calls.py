"""Tools in Google's API: declared, called and answered in the service's own way."""

from __future__ import annotations

import json

import pytest

from tests.endpoints.apis.offers import ASKED, CITY, OFFER, OSLO, REQUEST, choosing
from toolproto.endpoints.apis.frames import Frame
from toolproto.endpoints.apis.google.client import Gemini
from toolproto.protocol.messages import ChatRequest, Chunk, Message, NativePiece, ToolResult
from toolproto.protocol.tools.spec import ToolOffer

UNSIGNED = "skip_thought_signature_validator"


def called(id, name, args):
    return {"functionCall": {"id": id, "name": name, "args": args}}


def answered(id, name, response):
    return {"functionResponse": {"id": id, "name": name, "response": response}}


@pytest.mark.parametrize("model", ["gemini-3-pro", "gemini-2.5-flash"])
def test_calls_and_results_go_in_parts_in_their_order(model):
    body = Gemini().body(REQUEST, model)
    assert "toolConfig" not in body
    assert body["tools"] == [
        {
            "functionDeclarations": [
                {
                    "name": "get_weather",
                    "description": "The weather in a city.",
                    "parametersJsonSchema": CITY,
                },
                {"name": "clock", "description": ""},
            ]
        }
    ]
    signed = {"thoughtSignature": UNSIGNED} if model == "gemini-3-pro" else {}
    note = "rain\n[document: rain.wav, audio/wav, 1 KB: not shown to you]"
    assert body["contents"] == [
        {"role": "user", "parts": [{"text": "Oslo and Rome?"}]},
        {
            "role": "model",
            "parts": [
                {"text": "I will look."},
                {**called("call_1", "get_weather", {"city": "Oslo"}), **signed},
                called("call_2", "get_weather", {"city": "Rome"}),
            ],
        },
        {
            "role": "user",
            "parts": [
                answered("call_1", "get_weather", {"output": note}),
                answered("call_2", "get_weather", {"output": "sun"}),
                {"text": "[image: image/png, 1 KB, from the result of get_weather]"},
                {"inlineData": {"mimeType": "image/png", "data": "aGk="}},
            ],
        },
        {"role": "model", "parts": [{**called("call_3", "clock", {}), **signed}]},
        {
            "role": "user",
            "parts": [
                answered("call_3", "clock", {"error": "it is broken"}),
                {"text": "Go on."},
            ],
        },
    ]


def test_neighbours_of_one_role_are_one():
    said = (
        Message("assistant", "", calls=(OSLO,)),
        Message("user", "", results=(ToolResult(OSLO, "rain"),)),
        Message("user", "And Rome?"),
    )
    contents = Gemini().body(ChatRequest(said, offer=OFFER), "m")["contents"]
    assert [(each["role"], len(each["parts"])) for each in contents] == [("model", 1), ("user", 2)]


@pytest.mark.parametrize(
    "choice, told",
    [
        ("auto", None),
        ("required", {"mode": "ANY"}),
        ("none", {"mode": "NONE"}),
        ("clock", {"mode": "ANY", "allowedFunctionNames": ["clock"]}),
    ],
)
def test_a_choice_is_told(choice, told):
    body = Gemini().body(choosing(choice, parallel=False), "m")
    assert body.get("toolConfig", {}).get("functionCallingConfig") == told
    assert len(body["tools"][0]["functionDeclarations"]) == 2


def test_no_tools_are_no_field():
    body = Gemini().body(ChatRequest(ASKED, offer=ToolOffer()), "m")
    assert not {"tools", "toolConfig"} & {*body}


# -- answers ------------------------------------------------------------------------------


def answer(*parts, reason=None, **more):
    ended = {"finishReason": reason} if reason else {}
    return {"candidates": [{"content": {"parts": list(parts)}, **ended, **more}]}


@pytest.mark.parametrize(
    "parts, pieces",
    [
        ([called("c", "f", {"a": 1})], [NativePiece(None, "c", "f", {"a": 1})]),
        # Gemini before 3 has no ids, and leaves out arguments of which there are none.
        (
            [{"functionCall": {"name": "f"}}, {"functionCall": {"name": "f", "args": None}}],
            [NativePiece(None, "", "f", {}), NativePiece(None, "", "f", {})],
        ),
        ([{"functionCall": None}, {"functionCall": {}}, 3], [NativePiece(None, "", "", {})]),
    ],
)
def test_calls_are_read_as_the_wire_says_them(parts, pieces):
    body = answer(*parts)
    chunk = Gemini().read(Frame("", json.dumps(body)))
    assert chunk == Gemini().read_whole(body) == Chunk(calls=tuple(pieces))


def test_a_call_comes_with_the_end_and_what_was_said():
    body = answer(
        {"text": "hm", "thought": True}, {"text": "So"}, called("c", "f", {}), reason="STOP"
    )
    assert Gemini().read_whole(body) == Chunk(
        "So", "hm", "stop", calls=(NativePiece(None, "c", "f", {}),)
    )


@pytest.mark.parametrize(
    "told, lost",
    [
        ({"finishMessage": "Malformed function call: print(default_api.f(a=1))"},
         "print(default_api.f(a=1))"),
        ({"finishMessage": "Something else."}, ""),
        ({}, ""),
    ],
)  # fmt: skip
def test_a_call_that_the_service_could_not_read_comes_as_text(told, lost):
    body = answer(reason="MALFORMED_FUNCTION_CALL", **told)
    chunk = Gemini().answering(REQUEST).read_whole(body)
    assert chunk == Chunk(lost, finish_reason="tool_calls")
    chunk = Gemini().answering(ChatRequest(ASKED)).read_whole(body)
    assert chunk == Chunk(finish_reason="malformed_function_call")
