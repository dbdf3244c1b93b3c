"""Anthropic's messages: ``POST /v1/messages``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...messages import Message, ToolCall
from ..asked import AnswerShape, Asked, BadRequest, Fault
from .anthropic_output import (
    THREADLESS,
    AnthropicAsked,
    MessageWriter,
    anthropic_error,
    whole_message,
)
from .base import Answer, Stamp, sse
from .history import History
from .reading import (
    check_depth,
    listed,
    mentions,
    not_text,
    objects,
    offered,
    optional,
    read_numbers,
    read_stop,
    required,
    shape_of,
    shown,
    text_parts,
)

__all__ = ["AnthropicApi"]

#: Generation parameters, here and in OpenAI's words. Metadata, service tiers, budgets for thinking
#: and the like mean nothing to a backend of another make, which may refuse what it does not know.
_PARAMS = {
    "max_tokens": "max_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
}
#: What a backend of the same make is told as well.
_OWN = ("metadata", "service_tier")


class AnthropicApi:
    """Messages, streamed as named server-sent events."""

    name = "anthropic"
    dialect = "anthropic"
    media_type = "text/event-stream"
    keep_alive = sse({"type": "ping"}, "ping")

    def is_about_tools(self, body: Mapping[str, Any]) -> bool:
        """Whether there are tools, terms for them, or calls and results of earlier ones."""
        return mentions(body, ("tools", "tool_choice")) or any(
            block.get("type") in ("tool_use", "tool_result")
            for message in listed(body, "messages")
            for block in listed(message, "content")
        )

    def read(self, body: Mapping[str, Any]) -> Asked:
        """The request in *body*."""
        check_depth(body)
        if body.get("thread"):
            told = "thread cannot be used: nothing is stored here; send every message"
            raise BadRequest(told, "thread", THREADLESS)
        if body.get("mcp_servers"):
            raise BadRequest("mcp_servers cannot be used here: no server is asked", "mcp_servers")
        tools = objects(body, "tools")
        definitions = [_definition(tool, f"tools[{at}]") for at, tool in enumerate(tools)]
        choice, parallel = _choice(optional(body, "tool_choice", dict) or {"type": "auto"})
        return AnthropicAsked(
            required(body, "model", str),
            tuple(_messages(body)),
            offered(definitions, "tools", choice, parallel),
            stream=bool(optional(body, "stream", bool)),
            stop=read_stop(optional(body, "stop_sequences", list), "stop_sequences"),
            params=read_numbers(body, _PARAMS),
            own={key: body[key] for key in _OWN if body.get(key) is not None},
            shape=_shape(body),
            strict=frozenset(each["name"] for each in definitions if each["strict"] is True),
            shows_thoughts=_shows_thoughts(optional(body, "thinking", dict) or {}),
        )

    def writer(self, asked: Asked, stamp: Stamp) -> MessageWriter:
        """A writer of the events of a message."""
        return MessageWriter(asked, stamp)

    def whole(self, asked: Asked, answers: Sequence[Answer], stamp: Stamp) -> dict[str, Any]:
        """A message."""
        return whole_message(asked, answers[0], stamp)

    def error(self, fault: Fault) -> dict[str, Any]:
        """Anthropic's error body."""
        return anthropic_error(fault)


def _definition(tool: Mapping[str, Any], path: str) -> dict[str, Any]:
    """A tool as OpenAI defines it."""
    kind = tool.get("type")
    if kind not in (None, "custom"):
        raise BadRequest(
            f"{path}: tools of type {shown(kind)} are for Anthropic's own models and servers; "
            "offer one with a name and an input_schema",
            f"{path}.type",
        )
    return {
        "name": required(tool, "name", str, f"{path}."),
        "description": tool.get("description"),
        "parameters": required(tool, "input_schema", dict, f"{path}."),
        "strict": tool.get("strict"),
    }


def _choice(choice: Mapping[str, Any]) -> tuple[str, bool]:
    """What *choice* demands, and whether several calls may be made at once."""
    parallel = not optional(choice, "disable_parallel_tool_use", bool, "tool_choice.")
    match choice:
        case {"type": "auto" | "none" as kind}:
            return kind, parallel
        case {"type": "any"}:
            return "required", parallel
        case {"type": "tool", "name": str(name)}:
            return name, parallel
    raise BadRequest(
        "tool_choice.type is to be 'auto', 'any', 'none', or 'tool' with a name", "tool_choice"
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
                raise BadRequest(f"{path} is to be a json_schema with its schema", path)
    return None


def _shows_thoughts(thinking: Mapping[str, Any]) -> bool:
    """Whether the client takes blocks of thinking.

    One that did not ask for them may well read its answer from the first block, whatever that is.
    """
    kind = optional(thinking, "type", str, "thinking.")
    return kind not in (None, "disabled") and thinking.get("display") != "omitted"


def _messages(body: Mapping[str, Any]) -> list[Message]:
    history = History()
    if system := text_parts(body.get("system"), "system"):
        history.said(Message("system", system))
    messages = objects(body, "messages")
    if not messages:
        raise BadRequest("messages is to be a list of at least one message", "messages")
    for at, message in enumerate(messages):
        _add(history, message, f"messages[{at}]")
    return history.messages


def _add(history: History, message: Mapping[str, Any], path: str) -> None:
    match message.get("role"):
        case "user":
            _hear(history, _blocks(message, path), f"{path}.content")
        case "assistant":
            history.said(_reply(_blocks(message, path), f"{path}.content"), path)
        case "system":
            content = text_parts(message.get("content"), f"{path}.content")
            history.said(Message("system", content))
        case other:
            raise BadRequest(f"{path}.role is {shown(other)}", f"{path}.role")


def _blocks(message: Mapping[str, Any], path: str) -> list[Mapping[str, Any]]:
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return objects(message, "content", f"{path}.")


def _hear(history: History, blocks: list[Mapping[str, Any]], path: str) -> None:
    """What a user says, and the results that come with it, in their order."""
    texts: list[str] = []
    for at, block in enumerate(blocks):
        where = f"{path}[{at}]"
        match block.get("type"):
            case "text":
                texts.append(required(block, "text", str, f"{where}."))
            case "tool_result":
                _say(history, texts)
                _answer(history, block, where)
            case other:
                raise not_text(other, where)
    _say(history, texts)


def _say(history: History, texts: list[str]) -> None:
    if texts:
        history.said(Message("user", "\n".join(texts)))
        texts.clear()


def _answer(history: History, block: Mapping[str, Any], path: str) -> None:
    id = required(block, "tool_use_id", str, f"{path}.")
    content = text_parts(block.get("content"), f"{path}.content")
    is_error = bool(optional(block, "is_error", bool, f"{path}."))
    history.answered(id, content, path, is_error)


def _reply(blocks: list[Mapping[str, Any]], path: str) -> Message:
    """What the model said, thought and called."""
    texts, thoughts, calls = [], [], []
    for at, block in enumerate(blocks):
        where = f"{path}[{at}]"
        match block.get("type"):
            case "text":
                texts.append(required(block, "text", str, f"{where}."))
            case "thinking":
                thoughts.append(required(block, "thinking", str, f"{where}."))
            case "tool_use":
                calls.append(_call(block, f"{where}."))
            case "redacted_thinking":
                pass  # Nobody but Anthropic can read it.
            case other:
                raise not_text(other, where)
    return Message("assistant", "\n".join(texts), tuple(calls), reasoning="\n".join(thoughts))


def _call(block: Mapping[str, Any], path: str) -> ToolCall:
    name, given = required(block, "name", str, path), required(block, "input", dict, path)
    return ToolCall(name, given, required(block, "id", str, path))
