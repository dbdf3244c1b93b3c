"""Anthropic's messages: ``POST /v1/messages``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..asked import AnswerShape, ApiFault, Asked, BadRequest, ClientTool
from ..serving.api import Answer, Stamp, sse
from ..serving.content import Sees, blind
from ..serving.offering import Offering, ToolChoice
from ..serving.reading import (
    check_depth,
    listed,
    mentions,
    objects,
    optional,
    read_numbers,
    read_stop,
    required,
    shape_of,
)
from .answer import (
    AnthropicAsked,
    MessageWriter,
    anthropic_error,
    whole_message,
)
from .history import read_messages
from .known_tools import anthropic_tool
from .names import PARAMS, THREADLESS

__all__ = ["AnthropicApi"]

#: What a backend of the same make is told as well.
_OWN = ("metadata", "service_tier")


class AnthropicApi:
    """Messages, streamed as named server-sent events."""

    name = "anthropic"
    dialect = "anthropic"
    backend_path = None
    media_type = "text/event-stream"
    keep_alive = sse({"type": "ping"}, "ping")

    def is_about_tools(self, body: Mapping[str, Any]) -> bool:
        """Whether there are tools, terms for them, or calls and results of earlier ones."""
        return mentions(body, ("tools", "tool_choice")) or any(
            str(block.get("type")).endswith(("tool_use", "tool_result"))
            for message in listed(body, "messages")
            for block in listed(message, "content")
        )

    def read(self, body: Mapping[str, Any], sees: Sees = blind) -> Asked:
        """The request in *body*."""
        check_depth(body)
        if body.get("thread"):
            told = "thread cannot be used: nothing is stored here; send every message"
            raise BadRequest(told, "thread", THREADLESS)
        offering = _offering(body)
        choice, parallel = _choice(optional(body, "tool_choice", dict) or {"type": "auto"})
        return AnthropicAsked(
            required(body, "model", str),
            tuple(read_messages(body, offering, sees)),
            offering.offer(choice, parallel),
            stream=bool(optional(body, "stream", bool)),
            stop=read_stop(optional(body, "stop_sequences", list), "stop_sequences"),
            params=read_numbers(body, PARAMS),
            own={key: body[key] for key in _OWN if body.get(key) is not None},
            shape=_shape(body),
            strict=frozenset(offering.strict),
            tools=offering.tools,
            notes=offering.notes,
            size=offering.size,
            shows_thoughts=_shows_thoughts(optional(body, "thinking", dict) or {}),
        )

    def writer(self, asked: Asked, stamp: Stamp) -> MessageWriter:
        """A writer of the events of a message."""
        return MessageWriter(asked, stamp)

    def whole(self, asked: Asked, answers: Sequence[Answer], stamp: Stamp) -> dict[str, Any]:
        """A message."""
        return whole_message(asked, answers[0], stamp)

    def error(self, fault: ApiFault) -> dict[str, Any]:
        """Anthropic's error body."""
        return anthropic_error(fault)


def _offering(body: Mapping[str, Any]) -> Offering:
    offering = Offering()
    for at, tool in enumerate(objects(body, "tools")):
        _offer(offering, tool, f"tools[{at}]")
    if body.get("mcp_servers"):
        offering.leave_out("mcp_servers")
    return offering


def _offer(offering: Offering, tool: Mapping[str, Any], path: str) -> None:
    kind = optional(tool, "type", str, f"{path}.") or "custom"
    if kind in ("custom", "function") or "input_schema" in tool:
        parameters = required(tool, "input_schema", dict, f"{path}.")
        offering.function({**tool, "parameters": parameters}, path)
        return
    known = anthropic_tool(kind)
    if known is None:
        offering.leave_out(kind, tool.get("name"))
        return
    name = required(tool, "name", str, f"{path}.")
    offering.add(ClientTool(name), known.description, known.parameters)


def _choice(choice: Mapping[str, Any]) -> tuple[ToolChoice, bool]:
    """What *choice* demands, and whether several calls may be made at once."""
    parallel = not optional(choice, "disable_parallel_tool_use", bool, "tool_choice.")
    match choice:
        case {"type": "auto" | "none" as kind}:
            return ToolChoice(kind), parallel
        case {"type": "any"}:
            return ToolChoice("required"), parallel
        case {"type": "tool", "name": str(name)}:
            return ToolChoice(named=name), parallel
    raise BadRequest(
        "tool_choice.type must be 'auto', 'any', 'none', or 'tool' with a name", "tool_choice"
    )


def _shape(body: Mapping[str, Any]) -> AnswerShape | None:
    config = optional(body, "output_config", dict) or {}
    for path, format in (
        ("output_config.format", config.get("format")),
        ("output_format", body.get("output_format")),
    ):
        match format:
            case None:
                continue
            case {"type": "json_schema", "schema": dict(schema)}:
                return shape_of(schema, path)
            case _:
                raise BadRequest(f"{path} must be a json_schema with its schema", path)
    return None


def _shows_thoughts(thinking: Mapping[str, Any]) -> bool:
    """Whether the client takes blocks of thinking.

    One that did not ask for them may well read its answer from the first block, whatever that is.
    """
    kind = optional(thinking, "type", str, "thinking.")
    return kind not in (None, "disabled") and thinking.get("display") != "omitted"
