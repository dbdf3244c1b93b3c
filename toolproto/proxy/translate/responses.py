"""OpenAI's responses: ``POST /v1/responses``.

The proxy keeps nothing between requests: whoever asks for an earlier response is told so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...messages import Message, ToolCall
from ..asked import Asked, BadRequest, Fault
from .base import Answer, Stamp
from .history import History
from .openai_terms import openai_error, openai_offer, openai_shape, strict_names
from .reading import (
    check_depth,
    objects,
    optional,
    read_arguments,
    read_numbers,
    required,
    shown,
    text_parts,
)
from .responses_output import ResponsesAsked, whole_response
from .responses_stream import ResponseWriter

__all__ = ["ResponsesApi"]

_PARAMS = {"max_output_tokens": "max_tokens", "temperature": "temperature", "top_p": "top_p"}
_TEXTS = ("input_text", "output_text", "text", "refusal")
#: What only a service with a memory can do, and what to do instead.
_STATEFUL = {
    "previous_response_id": "send the items of the earlier turns as input",
    "conversation": "send the items of the earlier turns as input",
    "background": "wait for the response, or stream it",
    "prompt": "send the text of the prompt as instructions and input",
}


class ResponsesApi:
    """Responses, streamed as named and numbered server-sent events."""

    name = "openai_responses"
    dialect = None
    media_type = "text/event-stream"
    keep_alive = ": keep-alive\n\n"

    def is_about_tools(self, body: Mapping[str, Any]) -> bool:
        """Always: no backend speaks this API, so every request is read."""
        return True

    def read(self, body: Mapping[str, Any]) -> Asked:
        """The request in *body*."""
        check_depth(body)
        _refuse_state(body)
        tools = [_definition(tool, at) for at, tool in enumerate(objects(body, "tools"))]
        parallel = optional(body, "parallel_tool_calls", bool) is not False
        instructions = optional(body, "instructions", str)
        text = optional(body, "text", dict) or {}
        return ResponsesAsked(
            required(body, "model", str),
            tuple(_messages(instructions, body.get("input"))),
            openai_offer(tools, body.get("tool_choice"), parallel),
            stream=bool(optional(body, "stream", bool)),
            params=_params(body),
            shape=openai_shape(text.get("format"), "text.format"),
            strict=strict_names(tools),
            instructions=instructions,
            metadata=_metadata(optional(body, "metadata", dict) or {}),
            format=text.get("format") or {"type": "text"},
        )

    def writer(self, asked: Asked, stamp: Stamp) -> ResponseWriter:
        """A writer of the events of a response."""
        return ResponseWriter(asked, stamp)

    def whole(self, asked: Asked, answers: Sequence[Answer], stamp: Stamp) -> dict[str, Any]:
        """A response."""
        return whole_response(asked, answers[0], stamp)

    def error(self, fault: Fault) -> dict[str, Any]:
        """OpenAI's error body."""
        return openai_error(fault)


def _refuse_state(body: Mapping[str, Any]) -> None:
    for key, remedy in _STATEFUL.items():
        if body.get(key):
            raise BadRequest(f"{key} cannot be used: nothing is stored here; {remedy}", key)


def _definition(tool: Mapping[str, Any], at: int) -> Mapping[str, Any]:
    kind = tool.get("type")
    if kind != "function":
        raise BadRequest(
            f"tools[{at}]: tools of type {shown(kind)} run on OpenAI's servers or need its own "
            "models; offer one of type 'function'",
            f"tools[{at}].type",
        )
    return tool


def _params(body: Mapping[str, Any]) -> dict[str, Any]:
    reasoning = optional(body, "reasoning", dict) or {}
    effort = optional(reasoning, "effort", str, "reasoning.")
    return {**read_numbers(body, _PARAMS), **({"reasoning_effort": effort} if effort else {})}


def _metadata(metadata: Mapping[str, Any]) -> Mapping[str, str]:
    for key, value in metadata.items():
        if not isinstance(value, str):
            raise BadRequest(f"metadata: the value of {shown(key)} is to be a string", "metadata")
    return metadata


def _messages(instructions: str | None, given: Any) -> list[Message]:
    items = _Items()
    if instructions:
        items.history.said(Message("system", instructions))
    if isinstance(given, str) and given:
        items.history.said(Message("user", given))
    elif isinstance(given, list) and given:
        for at, item in enumerate(given):
            items.add(item, f"input[{at}]")
    else:
        raise BadRequest("input is to be a string or a list of at least one item", "input")
    return items.messages


class _Items:
    """Items of the input, of which a reply and the calls made with it are one message."""

    def __init__(self) -> None:
        self.history = History()
        self._texts: list[str] = []
        self._calls: list[ToolCall] = []
        self._path = "input"

    @property
    def messages(self) -> list[Message]:
        """All of them."""
        self._end_reply()
        return self.history.messages

    def add(self, item: Any, path: str) -> None:
        """The next item."""
        match item:
            case {"type": "function_call"}:
                self._path = path
                self._calls.append(_call(item, f"{path}."))
            case {"type": "function_call_output"}:
                self._end_reply()
                id = required(item, "call_id", str, f"{path}.")
                self.history.answered(
                    id, text_parts(item.get("output"), f"{path}.output", _TEXTS), path
                )
            case {"type": "reasoning"}:
                pass  # The model's own; it is not told again what it once thought.
            case {"type": kind} if kind not in (None, "message"):
                raise BadRequest(f"{path}: items of type {shown(kind)} cannot be used here", path)
            case {"type": _} | {"role": _}:
                self._add_message(item, path)
            case _:
                raise BadRequest(f"{path} is to be an item with a type or a role", path)

    def _add_message(self, item: Mapping[str, Any], path: str) -> None:
        content = text_parts(item.get("content"), f"{path}.content", _TEXTS)
        match item.get("role"):
            case "assistant":
                # Words after calls begin another reply.
                if self._calls:
                    self._end_reply()
                self._texts.append(content)
            case "user":
                self._end_reply()
                self.history.said(Message("user", content))
            case "system" | "developer":
                self._end_reply()
                self.history.said(Message("system", content))
            case other:
                raise BadRequest(f"{path}.role is {shown(other)}", f"{path}.role")

    def _end_reply(self) -> None:
        if self._texts or self._calls:
            reply = Message("assistant", "\n".join(self._texts), tuple(self._calls))
            self.history.said(reply, self._path)
            self._texts.clear()
            self._calls.clear()


def _call(item: Mapping[str, Any], path: str) -> ToolCall:
    arguments = read_arguments(item.get("arguments", "{}"), f"{path}arguments")
    return ToolCall(
        required(item, "name", str, path), arguments, required(item, "call_id", str, path)
    )
