"""OpenAI's chat completions: ``POST /v1/chat/completions``.

The older ``functions`` and ``function_call`` are read too, and answered in their own form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ....protocol.messages import Message, ToolCall
from ..asked import Asked, BadRequest, ClientTool
from ..serving.api import Answer, ApiFault, Stamp
from ..serving.content import Sees, blind, read_parts
from ..serving.history import CallHistory
from ..serving.offering import Offering
from ..serving.reading import (
    check_depth,
    listed,
    mentions,
    objects,
    optional,
    read_arguments,
    read_params,
    read_stop,
    required,
    shown,
)
from .answer import OpenAIChunkWriter, whole_completion
from .custom import CUSTOM_ARGUMENT, add_custom
from .names import ROLES
from .terms import openai_error, openai_shape, read_choice

__all__ = ["OpenAIChatApi"]

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


class OpenAIChatApi:
    """Chat completions, streamed as server-sent events."""

    name = "openai_chat"
    dialect = "openai_chat"
    backend_path = None
    media_type = "text/event-stream"
    keep_alive = ": keep-alive\n\n"

    def is_about_tools(self, body: Mapping[str, Any]) -> bool:
        """Whether there are tools, terms for them, or calls and results of earlier ones."""
        return mentions(body, _ABOUT_TOOLS) or any(
            mentions(message, ("tool_calls", "function_call"))
            or message.get("role") in ("tool", "function")
            for message in listed(body, "messages")
        )

    def read(self, body: Mapping[str, Any], sees: Sees = blind) -> Asked:
        """The request in *body*."""
        check_depth(body)
        options = optional(body, "stream_options", dict) or {}
        legacy = bool(body.get("functions")) and not body.get("tools")
        offering = _offering(body, legacy)
        choice = "function_call" if legacy else "tool_choice"
        parallel = not legacy and optional(body, "parallel_tool_calls", bool) is not False
        return Asked(
            required(body, "model", str),
            tuple(_messages(objects(body, "messages"), offering, sees)),
            offering.offer(read_choice(body.get(choice), choice), parallel),
            stream=bool(optional(body, "stream", bool)),
            choices=_choices(body),
            stop=read_stop(body.get("stop")),
            params=read_params(body, _HANDLED),
            shape=openai_shape(body.get("response_format"), "response_format"),
            own=_format_alone(body),
            strict=frozenset(offering.strict),
            include_usage=bool(options.get("include_usage")),
            legacy=legacy,
            tools=offering.tools,
            notes=offering.notes,
            size=offering.size,
        )

    def writer(self, asked: Asked, stamp: Stamp) -> OpenAIChunkWriter:
        """A writer of chunks."""
        return OpenAIChunkWriter(asked, stamp)

    def whole(self, asked: Asked, answers: Sequence[Answer], stamp: Stamp) -> dict[str, Any]:
        """A chat completion."""
        return whole_completion(asked, answers, stamp)

    def error(self, fault: ApiFault) -> dict[str, Any]:
        """OpenAI's error body."""
        return openai_error(fault)


def _is_json(format: Any) -> bool:
    return isinstance(format, Mapping) and format.get("type") in ("json_object", "json_schema")


def _format_alone(body: Mapping[str, Any]) -> dict[str, Any]:
    """The format of an answer that no call can stand in the place of: a backend may know it."""
    if mentions(body, _ABOUT_TOOLS) or not _is_json(body.get("response_format")):
        return {}
    return {"response_format": body["response_format"]}


def _offering(body: Mapping[str, Any], legacy: bool) -> Offering:
    offering = Offering()
    if legacy:
        for at, function in enumerate(objects(body, "functions")):
            offering.function(function, f"functions[{at}]")
        return offering
    for at, tool in enumerate(objects(body, "tools")):
        _offer(offering, tool, f"tools[{at}]")
    return offering


def _offer(offering: Offering, tool: Mapping[str, Any], path: str) -> None:
    kind = tool.get("type", "function")
    if kind == "custom":
        # Some clients send what they would send to the newer API.
        custom = optional(tool, "custom", dict, f"{path}.") or tool
        name = required(custom, "name", str, f"{path}.custom.")
        add_custom(offering, ClientTool(name, "custom"), custom)
    elif kind == "function" or "function" in tool:
        flat = tool if "function" not in tool and "name" in tool else None
        offering.function(flat or required(tool, "function", dict, f"{path}."), f"{path}.function")
    else:
        offering.leave_out(str(kind))


def _choices(body: Mapping[str, Any]) -> int:
    choices = optional(body, "n", int)
    if choices is not None and choices < 1:
        raise BadRequest("n must be 1 or more", "n")
    return choices or 1


def _messages(messages: list[Mapping[str, Any]], offering: Offering, sees: Sees) -> list[Message]:
    if not messages:
        raise BadRequest("messages must be a list of at least one message", "messages")
    history = CallHistory(offering, sees)
    for at, message in enumerate(messages):
        _add(history, message, offering, f"messages[{at}]")
    return history.messages


def _add(history: CallHistory, message: Mapping[str, Any], offering: Offering, path: str) -> None:
    parts = read_parts(message.get("content"), f"{path}.content")
    match message.get("role"):
        case str(role) if role in ROLES:
            history.heard(ROLES[role], parts)
        case "assistant":
            parts += _refused(message, path)
            history.replied(parts, _calls(message, offering, path), path)
        case "tool":
            history.answered(required(message, "tool_call_id", str, f"{path}."), parts, path)
        case "function":
            history.answered(required(message, "name", str, f"{path}."), parts, path)
        case other:
            raise BadRequest(f"{path}.role is {shown(other)}", f"{path}.role")


def _refused(message: Mapping[str, Any], path: str) -> list[str]:
    refusal = optional(message, "refusal", str, f"{path}.")
    return [refusal] if refusal else []


def _calls(message: Mapping[str, Any], offering: Offering, path: str) -> list[ToolCall]:
    calls = []
    for at, call in enumerate(objects(message, "tool_calls", f"{path}.")):
        where = f"{path}.tool_calls[{at}]."
        id = required(call, "id", str, where)
        if call.get("type") == "custom":
            custom = required(call, "custom", dict, where)
            tool = ClientTool(required(custom, "name", str, f"{where}custom."), "custom")
            given = optional(custom, "input", str, f"{where}custom.") or ""
            calls.append(ToolCall(offering.name_of(tool), {CUSTOM_ARGUMENT: given}, id))
        else:
            function = required(call, "function", dict, where)
            calls.append(_call(function, offering, id, where))
    if (function := optional(message, "function_call", dict)) is not None:
        # The older form has no ids; its result names the function.
        name = required(function, "name", str, f"{path}.function_call.")
        calls.append(_call(function, offering, name, f"{path}.function_call."))
    return calls


def _call(function: Mapping[str, Any], offering: Offering, id: str, path: str) -> ToolCall:
    arguments = read_arguments(function.get("arguments", "{}"), f"{path}arguments")
    tool = ClientTool(required(function, "name", str, path))
    return ToolCall(offering.name_of(tool), arguments, id)
