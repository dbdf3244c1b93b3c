"""One conversation in the words of each API, and one answer to it in pieces."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from toolproto.endpoints.apis.anthropic.server import AnthropicApi
from toolproto.endpoints.apis.asked import Asked
from toolproto.endpoints.apis.ollama.server import OllamaApi
from toolproto.endpoints.apis.openai_chat.server import OpenAIChatApi
from toolproto.endpoints.apis.openai_responses.server import ResponsesApi
from toolproto.endpoints.apis.pieces import Ended, Piece
from toolproto.endpoints.apis.serving.api import Api, Stamp
from toolproto.protocol.events import (
    ArgumentsDelta,
    CallCompleted,
    CallStarted,
    ReasoningDelta,
    TextDelta,
)
from toolproto.protocol.messages import Message, ToolCall, ToolResult, Usage

STAMP = Stamp("abc", 1_700_000_000)
APIS: dict[str, Api] = {
    api.name: api for api in (OpenAIChatApi(), AnthropicApi(), ResponsesApi(), OllamaApi())
}
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
NO_ARGUMENTS = {"type": "object", "properties": {}}

#: The conversation of every body below.
CALLS = (
    ToolCall("get_weather", {"city": "Oslo"}, "call_1"),
    ToolCall("now", {}, "call_2"),
)
CONVERSATION = (
    Message("system", "Be brief."),
    Message("user", "How is Oslo?"),
    Message("assistant", "Let me look.", CALLS),
    Message("user", "", results=(ToolResult(CALLS[0], "rain"), ToolResult(CALLS[1], "noon"))),
    Message("user", "And?"),
)

_FUNCTIONS = [
    {"name": "get_weather", "description": "The weather.", "parameters": SCHEMA},
    {"name": "now", "description": "The time.", "parameters": NO_ARGUMENTS},
]

BODIES: dict[str, dict[str, Any]] = {
    "openai_chat": {
        "model": "m",
        "stream": True,
        "stream_options": {"include_usage": True},
        "stop": ["END"],
        "response_format": {"type": "text"},
        "tool_choice": "auto",
        "tools": [{"type": "function", "function": each} for each in _FUNCTIONS],
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [{"type": "text", "text": "How is Oslo?"}]},
            {
                "role": "assistant",
                "content": "Let me look.",
                "tool_calls": [
                    {
                        "id": "call_1",
                        "type": "function",
                        "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'},
                    },
                    {
                        "id": "call_2",
                        "type": "function",
                        "function": {"name": "now", "arguments": ""},
                    },
                ],
            },
            {"role": "tool", "tool_call_id": "call_1", "content": "rain"},
            {
                "role": "tool",
                "tool_call_id": "call_2",
                "content": [{"type": "text", "text": "noon"}],
            },
            {"role": "user", "content": "And?"},
        ],
    },
    "anthropic": {
        "model": "m",
        "max_tokens": 100,
        "stream": True,
        "stop_sequences": ["END"],
        "thinking": {"type": "enabled", "budget_tokens": 1024},
        "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
        "tool_choice": {"type": "auto"},
        "tools": [
            {
                "name": each["name"],
                "description": each["description"],
                "input_schema": each["parameters"],
            }
            for each in _FUNCTIONS
        ],
        "messages": [
            {"role": "user", "content": "How is Oslo?"},
            {
                "role": "assistant",
                "content": [
                    {"type": "redacted_thinking", "data": "…"},
                    {"type": "text", "text": "Let me look."},
                    {
                        "type": "tool_use",
                        "id": "call_1",
                        "name": "get_weather",
                        "input": {"city": "Oslo"},
                    },
                    {"type": "tool_use", "id": "call_2", "name": "now", "input": {}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "call_1", "content": "rain"},
                    {
                        "type": "tool_result",
                        "tool_use_id": "call_2",
                        "content": [{"type": "text", "text": "noon"}],
                    },
                    {"type": "text", "text": "And?"},
                ],
            },
        ],
    },
    "openai_responses": {
        "model": "m",
        "stream": True,
        "instructions": "Be brief.",
        "store": False,
        "metadata": {"run": "7"},
        "text": {"format": {"type": "text"}},
        "reasoning": {"effort": "low"},
        "tool_choice": "auto",
        "tools": [{"type": "function", **each} for each in _FUNCTIONS],
        "input": [
            {"role": "user", "content": "How is Oslo?"},
            {"type": "reasoning", "id": "rs_1", "summary": []},
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "Let me look.", "annotations": []}],
            },
            {
                "type": "function_call",
                "call_id": "call_1",
                "name": "get_weather",
                "arguments": '{"city": "Oslo"}',
            },
            {"type": "function_call", "call_id": "call_2", "name": "now", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "call_1", "output": "rain"},
            {
                "type": "function_call_output",
                "call_id": "call_2",
                "output": [{"type": "input_text", "text": "noon"}],
            },
            {
                "type": "message",
                "role": "user",
                "content": [{"type": "input_text", "text": "And?"}],
            },
        ],
    },
    "ollama": {
        "model": "m",
        "options": {"temperature": 0.5, "num_predict": 100, "stop": ["END"]},
        "keep_alive": "5m",
        "think": True,
        "tools": [{"type": "function", "function": each} for each in _FUNCTIONS],
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "How is Oslo?"},
            {
                "role": "assistant",
                "content": "Let me look.",
                "tool_calls": [
                    {"function": {"name": "get_weather", "arguments": {"city": "Oslo"}}},
                    {"function": {"name": "now", "arguments": {}}},
                ],
            },
            {"role": "tool", "tool_name": "get_weather", "content": "rain"},
            {"role": "tool", "tool_name": "now", "content": "noon"},
            {"role": "user", "content": "And?"},
        ],
    },
}

PIECES: tuple[Piece, ...] = (
    ReasoningDelta("Oslo, "),
    ReasoningDelta("then."),
    TextDelta("Let me "),
    TextDelta("look."),
    CallStarted(0, "get_weather", "call_a"),
    ArgumentsDelta(0, '{"city":'),
    ArgumentsDelta(0, ' "Oslo"}'),
    CallCompleted(0, ToolCall("now", {})),
    CallStarted(1, "now", "call_b"),
    ArgumentsDelta(1, "{}"),
    CallCompleted(1, ToolCall("now", {})),
    Ended("tool_calls", Usage(11, 7)),
)


def read(name: str, **changes: Any) -> Asked:
    """What the body of the API *name* asks for, with some of its fields changed."""
    return APIS[name].read({**BODIES[name], **changes})


def streamed(api: Api, asked: Asked, pieces: Iterable[Piece]) -> str:
    """All that is written when *pieces* go out."""
    writer = api.writer(asked, STAMP)
    frames = writer.begin()
    for piece in pieces:
        frames += writer.write(0, piece)
    return "".join([*frames, *writer.end()])


def events(stream: str) -> list[tuple[str | None, Any]]:
    """The name and the value of every server-sent event."""
    found = []
    for frame in stream.split("\n\n")[:-1]:
        fields = dict(line.split(": ", 1) for line in frame.split("\n"))
        written = fields["data"]
        value = written if written == "[DONE]" else json.loads(written)
        found.append((fields.get("event"), value))
    return found


def without(value: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    """*value* but for *keys*."""
    return {key: inner for key, inner in value.items() if key not in keys}
