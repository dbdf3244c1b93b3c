"""What a client puts together from a stream is what it would have got in one piece."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolproto.endpoints.apis.pieces import Ended, Piece
from toolproto.endpoints.apis.serving.api import Answer, collected
from toolproto.protocol.events import (
    ArgumentsDelta,
    CallCompleted,
    CallStarted,
    ReasoningDelta,
    TextDelta,
)
from toolproto.protocol.messages import ToolCall, Usage

from .samples import APIS, STAMP, events, read, streamed

FEW = settings(max_examples=settings.default.max_examples // 3)
ASKED = {name: read(name) for name in APIS}

# -- small clients: each knows of its API what the official one does, and no more ----------


def put_together_chat(stream: str) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": "", "refusal": None}
    found: dict[str, Any] = {}
    for _, chunk in events(stream)[:-1]:
        found |= {key: chunk[key] for key in ("id", "created", "model", "usage")}
        for choice in chunk["choices"]:
            delta = choice["delta"]
            for key in {"content", "reasoning_content"} & delta.keys():
                message[key] = message.get(key, "") + delta[key]
            for call in delta.get("tool_calls", ()):
                calls = message.setdefault("tool_calls", [])
                if call["index"] == len(calls):
                    calls.append({key: call[key] for key in ("id", "type", "function")})
                else:
                    calls[call["index"]]["function"]["arguments"] += call["function"]["arguments"]
            found["reason"] = choice["finish_reason"]
    if "tool_calls" in message:
        message["content"] = message["content"] or None
    said = {"index": 0, "message": message, "logprobs": None, "finish_reason": found.pop("reason")}
    return {**found, "object": "chat.completion", "choices": [said]}


def put_together_message(stream: str) -> dict[str, Any]:
    message: dict[str, Any] = {}
    written: dict[int, str] = {}
    for kind, event in events(stream):
        if kind == "message_start":
            message = event["message"]
        elif kind == "content_block_start":
            assert event["index"] == len(message["content"])
            message["content"].append(event["content_block"])
        elif kind == "content_block_delta":
            at, delta = event["index"], event["delta"]
            block = message["content"][at]
            if "partial_json" in delta:
                written[at] = written.get(at, "") + delta["partial_json"]
            else:
                (key,) = delta.keys() - {"type"}
                block[key] += delta[key]
        elif kind == "content_block_stop" and event["index"] in written:
            message["content"][event["index"]]["input"] = json.loads(written[event["index"]])
        elif kind == "message_delta":
            message |= {**event["delta"], "usage": event["usage"]}
    return message


def put_together_response(stream: str) -> dict[str, Any]:
    """The response that came last, of which the events before it have told the same."""
    told: list[dict[str, Any]] = []
    response: dict[str, Any] = {}
    for kind, event in events(stream):
        match (kind or "").split(".")[1:]:
            case ["output_item", "added"]:
                told.append(event["item"])
            case ["content_part", "added"]:
                told[event["output_index"]]["content"].append(event["part"])
            case ["function_call_arguments", "delta"]:
                told[event["output_index"]]["arguments"] += event["delta"]
            case [_, "delta"]:
                told[event["output_index"]]["content"][0]["text"] += event["delta"]
            case ["output_item", "done"]:
                told[event["output_index"]]["status"] = event["item"]["status"]
            case ["completed" | "incomplete"]:
                response = event["response"]
    assert response["output"] == told
    return response


def put_together_lines(stream: str) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": ""}
    part: dict[str, Any] = {}
    for line in stream.splitlines():
        part = json.loads(line)
        for key, value in part["message"].items():
            if key != "role" and value:
                message[key] = message[key] + value if key in message else value
    return {**part, "message": message}


CLIENTS: Mapping[str, Callable[[str], dict[str, Any]]] = {
    "openai_chat": put_together_chat,
    "anthropic": put_together_message,
    "openai_responses": put_together_response,
    "ollama": put_together_lines,
}


def calls_of_chat(whole: dict[str, Any]) -> list[tuple[str, str, Any]]:
    calls = whole["choices"][0]["message"].get("tool_calls", ())
    return [
        (each["id"], each["function"]["name"], json.loads(each["function"]["arguments"]))
        for each in calls
    ]


def calls_of_message(whole: dict[str, Any]) -> list[tuple[str, str, Any]]:
    blocks = [each for each in whole["content"] if each["type"] == "tool_use"]
    return [(each["id"], each["name"], each["input"]) for each in blocks]


def calls_of_response(whole: dict[str, Any]) -> list[tuple[str, str, Any]]:
    items = [each for each in whole["output"] if each["type"] == "function_call"]
    return [(each["call_id"], each["name"], json.loads(each["arguments"])) for each in items]


def calls_of_line(whole: dict[str, Any]) -> list[tuple[str, str, Any]]:
    return [
        (each["id"], each["function"]["name"], each["function"]["arguments"])
        for each in whole["message"].get("tool_calls", ())
    ]


CALLS_OF: Mapping[str, Callable[[dict[str, Any]], list[tuple[str, str, Any]]]] = {
    "openai_chat": calls_of_chat,
    "anthropic": calls_of_message,
    "openai_responses": calls_of_response,
    "ollama": calls_of_line,
}


# -- answers ------------------------------------------------------------------------------


def cut_up(text: str, sizes: Sequence[int]) -> list[str]:
    """*text* in pieces of *sizes*, the rest in one."""
    pieces = []
    for size in sizes:
        pieces.append(text[:size])
        text = text[size:]
    return [each for each in (*pieces, text) if each]


#: Line ends of every kind, what JSON escapes, and half of a character.
TEXTS = st.text(st.sampled_from('ab{}"\\\n\r\u2028\u0085\x00é😀\ud83d:'), min_size=1, max_size=12)
SIZES = st.lists(st.integers(1, 5), max_size=4)
ARGUMENTS = st.dictionaries(TEXTS, st.one_of(TEXTS, st.integers(), st.lists(TEXTS)), max_size=3)


@st.composite
def answers(draw: st.DrawFn) -> list[Piece]:
    """The pieces of an answer: thoughts, words and calls, cut up somehow."""
    pieces: list[Piece] = []
    for kind in (ReasoningDelta, TextDelta):
        if draw(st.booleans()):
            pieces += map(kind, cut_up(draw(TEXTS), draw(SIZES)))
    calls = draw(st.lists(ARGUMENTS, max_size=3))
    for index, arguments in enumerate(calls):
        pieces.append(CallStarted(index, draw(st.sampled_from(["a", "b"])), f"call_{index}"))
        written = cut_up(json.dumps(arguments), draw(SIZES))
        pieces += (ArgumentsDelta(index, text) for text in written)
        pieces.append(CallCompleted(index, ToolCall("now", {})))
    reason = "tool_calls" if calls else draw(st.sampled_from(["stop", "length", "content_filter"]))
    return [*pieces, Ended(reason, Usage(draw(st.integers(0, 9)), draw(st.integers(0, 9))))]


@pytest.mark.parametrize("name", APIS)
@FEW
@given(pieces=answers())
def test_a_stream_put_together_is_the_whole_answer(name, pieces):
    api, asked = APIS[name], ASKED[name]
    answer = collected(pieces)
    assert isinstance(answer, Answer)
    stream = streamed(api, asked, pieces)
    assert stream.isascii()
    found = CLIENTS[name](stream)
    assert found == api.whole(asked, [answer], STAMP)
    assert CALLS_OF[name](found) == [
        (call.id, call.name, json.loads(call.arguments)) for call in answer.calls
    ]


@pytest.mark.parametrize("name", APIS)
def test_an_empty_answer_is_an_answer(name):
    stream = streamed(APIS[name], ASKED[name], [Ended("stop", Usage())])
    assert CLIENTS[name](stream) == APIS[name].whole(ASKED[name], [Answer()], STAMP)
