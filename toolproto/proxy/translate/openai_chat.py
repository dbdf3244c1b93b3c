"""OpenAI's chat completions: ``POST /v1/chat/completions``.

The older ``functions`` and ``function_call`` are read too, and answered in their own form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...messages import Message, ToolCall, Usage
from ...tools.spec import ToolOffer
from ..asked import Asked, BadRequest
from ..pieces import ArgumentsPiece, CallBegun, CallEnded, Ended, Failed, Piece, Text, Thought
from .base import Answer, Fault, Stamp, WrittenCall, sse
from .history import History
from .openai_terms import openai_error, openai_offer, openai_shape, read_choice, strict_names
from .reading import (
    check_depth,
    listed,
    mentions,
    objects,
    offered,
    optional,
    read_arguments,
    read_params,
    read_stop,
    required,
    shown,
    text_parts,
)

__all__ = ["OpenAIChatApi", "openai_error"]

_HANDLED = frozenset(
    [
        "model",
        "messages",
        "tools",
        "tool_choice",
        "parallel_tool_calls",
        "functions",
        "function_call",
        "stream",
        "stream_options",
        "n",
        "stop",
        "response_format",
        "logprobs",
        "top_logprobs",
    ]
)
_ABOUT_TOOLS = ("tools", "tool_choice", "parallel_tool_calls", "functions", "function_call")
_TEXTS = ("text", "refusal", "input_text", "output_text")


class OpenAIChatApi:
    """Chat completions, streamed as server-sent events."""

    name = "openai_chat"
    dialect = "openai_chat"
    media_type = "text/event-stream"
    keep_alive = ": keep-alive\n\n"

    def is_about_tools(self, body: Mapping[str, Any]) -> bool:
        """Whether there are tools, terms for them, or calls and results of earlier ones."""
        return mentions(body, _ABOUT_TOOLS) or any(
            mentions(message, ("tool_calls", "function_call"))
            or message.get("role") in ("tool", "function")
            for message in listed(body, "messages")
        )

    def read(self, body: Mapping[str, Any]) -> Asked:
        """The request in *body*."""
        check_depth(body)
        tools = objects(body, "tools")
        options = optional(body, "stream_options", dict) or {}
        return Asked(
            required(body, "model", str),
            tuple(_messages(objects(body, "messages"))),
            _offer(body, tools),
            stream=bool(optional(body, "stream", bool)),
            choices=_choices(body),
            stop=read_stop(body.get("stop")),
            params=read_params(body, _HANDLED),
            shape=openai_shape(body.get("response_format"), "response_format"),
            strict=strict_names(tools),
            include_usage=bool(options.get("include_usage")),
            legacy=bool(body.get("functions")) and not tools,
        )

    def writer(self, asked: Asked, stamp: Stamp) -> _Writer:
        """A writer of chunks."""
        return _Writer(asked, stamp)

    def whole(self, asked: Asked, answers: Sequence[Answer], stamp: Stamp) -> dict[str, Any]:
        """A chat completion."""
        usage = Usage()
        for answer in answers:
            usage += answer.usage
        return {
            "id": f"chatcmpl-{stamp.id}",
            "object": "chat.completion",
            "created": stamp.created,
            "model": asked.model,
            "choices": [
                {
                    "index": index,
                    "message": _message(answer, asked.legacy),
                    "logprobs": None,
                    "finish_reason": _reason(answer.reason, asked.legacy),
                }
                for index, answer in enumerate(answers)
            ],
            "usage": _usage(usage),
        }

    def error(self, fault: Fault) -> dict[str, Any]:
        """OpenAI's error body."""
        return openai_error(fault)


# -- reading ------------------------------------------------------------------------------


def _offer(body: Mapping[str, Any], tools: list[Mapping[str, Any]]) -> ToolOffer:
    functions = objects(body, "functions")
    parallel = optional(body, "parallel_tool_calls", bool) is not False
    if functions and not tools:
        choice, _ = read_choice(body.get("function_call"), "function_call")
        return offered(functions, "functions", choice, parallel=False)
    return openai_offer(tools, body.get("tool_choice"), parallel)


def _choices(body: Mapping[str, Any]) -> int:
    choices = optional(body, "n", int)
    if choices is not None and choices < 1:
        raise BadRequest("n is to be 1 or more", "n")
    return choices or 1


def _messages(messages: list[Mapping[str, Any]]) -> list[Message]:
    if not messages:
        raise BadRequest("messages is to be a list of at least one message", "messages")
    history = History()
    for at, message in enumerate(messages):
        _add(history, message, f"messages[{at}]")
    return history.messages


def _add(history: History, message: Mapping[str, Any], path: str) -> None:
    content = text_parts(message.get("content"), f"{path}.content", _TEXTS)
    match message.get("role"):
        case "system" | "developer":
            history.said(Message("system", content))
        case "user":
            history.said(Message("user", content))
        case "assistant":
            history.said(Message("assistant", content, tuple(_calls(message, path))), path)
        case "tool":
            history.answered(required(message, "tool_call_id", str, f"{path}."), content, path)
        case "function":
            history.answered(required(message, "name", str, f"{path}."), content, path)
        case other:
            raise BadRequest(f"{path}.role is {shown(other)}", f"{path}.role")


def _calls(message: Mapping[str, Any], path: str) -> list[ToolCall]:
    calls = []
    for at, call in enumerate(objects(message, "tool_calls", f"{path}.")):
        where = f"{path}.tool_calls[{at}]."
        function = required(call, "function", dict, where)
        calls.append(_call(function, required(call, "id", str, where), where))
    if (function := optional(message, "function_call", dict)) is not None:
        # The older form has no ids; its result names the function.
        name = required(function, "name", str, f"{path}.function_call.")
        calls.append(_call(function, name, f"{path}.function_call."))
    return calls


def _call(function: Mapping[str, Any], id: str, path: str) -> ToolCall:
    arguments = read_arguments(function.get("arguments", "{}"), f"{path}arguments")
    return ToolCall(required(function, "name", str, path), arguments, id)


# -- writing ------------------------------------------------------------------------------


def _message(answer: Answer, legacy: bool) -> dict[str, Any]:
    content = answer.text if answer.text or not answer.calls else None
    message: dict[str, Any] = {"role": "assistant", "content": content, "refusal": None}
    if answer.thought:
        message["reasoning_content"] = answer.thought
    if answer.calls and legacy:
        call = answer.calls[0]
        message["function_call"] = {"name": call.name, "arguments": call.arguments}
    elif answer.calls:
        message["tool_calls"] = [_tool_call(call) for call in answer.calls]
    return message


def _tool_call(call: WrittenCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": function}


def _reason(reason: str, legacy: bool) -> str:
    return "function_call" if legacy and reason == "tool_calls" else reason


def _usage(usage: Usage) -> dict[str, int]:
    return {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.input_tokens + usage.output_tokens,
    }


class _Writer:
    """Chunks of chat completions; one id, time and model for all of them."""

    def __init__(self, asked: Asked, stamp: Stamp) -> None:
        self._asked = asked
        self._common = {
            "id": f"chatcmpl-{stamp.id}",
            "object": "chat.completion.chunk",
            "created": stamp.created,
            "model": asked.model,
        }
        self._usage = Usage()

    def begin(self) -> list[str]:
        """The role of each choice."""
        delta = {"role": "assistant", "content": ""}
        return [self._chunk(choice, delta) for choice in range(self._asked.choices)]

    def write(self, choice: int, piece: Piece) -> list[str]:
        """*piece* as a chunk of *choice*."""
        match piece:
            case Text(text):
                return [self._chunk(choice, {"content": text})]
            case Thought(text):
                return [self._chunk(choice, {"reasoning_content": text})]
            case CallBegun(index, id, name):
                return [self._chunk(choice, self._begun(index, id, name))]
            case ArgumentsPiece(index, text):
                return [self._chunk(choice, self._arguments(index, text))]
            case Ended(reason, usage):
                self._usage += usage
                return [self._chunk(choice, {}, _reason(reason, self._asked.legacy))]
            case CallEnded() | Failed():
                return []

    def end(self) -> list[str]:
        """The usage, if it was asked for, and the end of the stream."""
        done = [sse("[DONE]")]
        if not self._asked.include_usage:
            return done
        return [sse({**self._common, "choices": [], "usage": _usage(self._usage)}), *done]

    def fail(self, fault: Fault) -> list[str]:
        """An error event; there is no finish reason and no ``[DONE]``."""
        return [sse(openai_error(fault))]

    def _chunk(self, choice: int, delta: dict[str, Any], reason: str | None = None) -> str:
        said = {"index": choice, "delta": delta, "logprobs": None, "finish_reason": reason}
        chunk = {**self._common, "choices": [said]}
        # Promised to whoever asked for usage: every chunk has the field.
        return sse({**chunk, "usage": None} if self._asked.include_usage else chunk)

    def _begun(self, index: int, id: str, name: str) -> dict[str, Any]:
        function = {"name": name, "arguments": ""}
        if self._asked.legacy:
            return {"function_call": function}
        return {
            "tool_calls": [{"index": index, "id": id, "type": "function", "function": function}]
        }

    def _arguments(self, index: int, text: str) -> dict[str, Any]:
        function = {"arguments": text}
        if self._asked.legacy:
            return {"function_call": function}
        return {"tool_calls": [{"index": index, "function": function}]}
