"""Tools in Anthropic's messages: offered, called and answered in blocks of their own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from ....protocol.messages import Attachment, Message, NativePiece, ToolResult
from ....protocol.tools.spec import ToolOffer, ToolSpec
from ..calling import native_piece, schema_of, shown_by, words_of
from ..dialect import Dialect

__all__ = [
    "acting_messages",
    "begun_call",
    "continued_call",
    "offer_fields",
    "plain_content",
]

#: ``tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'``; Kimi's are ``functions.f:0``.
_NOT_IN_ID = re.compile(r"[^a-zA-Z0-9_-]")
_CHOICES = {"auto": "auto", "required": "any", "none": "none"}


def offer_fields(offer: ToolOffer) -> dict[str, Any]:
    """Return the fields that offer the tools of *offer*, and say how they may be called."""
    if not offer.tools:
        return {}
    tools = [_tool(tool) for tool in offer.tools]
    kind = _CHOICES.get(offer.choice, "tool")
    choice = {"type": kind, **({"name": offer.choice} if kind == "tool" else {})}
    if not offer.parallel and kind != "none":
        return {"tools": tools, "tool_choice": {**choice, "disable_parallel_tool_use": True}}
    return {"tools": tools, **({"tool_choice": choice} if kind != "auto" else {})}


def _tool(tool: ToolSpec) -> dict[str, Any]:
    about = {"description": tool.description} if tool.description else {}
    return {"name": tool.name, **about, "input_schema": schema_of(tool)}


def plain_content(message: Message) -> str | list[dict[str, Any]]:
    """Return what *message* says and shows, whatever else it has."""
    if not message.attachments:
        return message.content
    # The service reads what it is asked about best if that comes first.
    return [*map(_attached, message.attachments), *_text(message.content)]


def _attached(attachment: Attachment) -> dict[str, Any]:
    """Return a picture or a document as a block."""
    source = {"type": "url", "url": attachment.url}
    if attachment.data:
        source = {
            "type": "base64",
            "media_type": attachment.media_type,
            "data": attachment.data,
        }
    titled = {"title": attachment.name} if attachment.name and not attachment.is_image else {}
    return {"type": "image" if attachment.is_image else "document", "source": source, **titled}


def acting_messages(dialect: Dialect, messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Return *messages*, with their calls and results as such.

    Results stand before everything else in the one message that follows their calls, so what the
    user says behind them goes there, too.
    """
    told: list[dict[str, Any]] = []
    for message in messages:
        content = _content(dialect, message)
        if told and told[-1]["role"] == message.role:
            told[-1]["content"] = [*_blocks(told[-1]["content"]), *_blocks(content)]
        else:
            told.append({"role": message.role, "content": content})
    return told


def _content(dialect: Dialect, message: Message) -> str | list[dict[str, Any]]:
    plain = plain_content(message)
    if not message.calls and not message.results:
        return plain
    calls = [
        {
            "type": "tool_use",
            "id": _NOT_IN_ID.sub("_", call.id),
            "name": call.name,
            "input": dict(call.arguments),
        }
        for call in message.calls
    ]
    return [*(_result(dialect, each) for each in message.results), *_blocks(plain), *calls]


def _result(dialect: Dialect, result: ToolResult) -> dict[str, Any]:
    shown, hidden = shown_by(dialect, result)
    said: str | list[dict[str, Any]] = words_of(result, hidden, marks=False)
    if shown:
        said = [*_blocks(said), *map(_attached, shown)]
    failed = {"is_error": True} if result.is_error else {}
    id = _NOT_IN_ID.sub("_", result.call.id)
    return {"type": "tool_result", "tool_use_id": id, "content": said, **failed}


def _blocks(content: str | Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return _text(content) if isinstance(content, str) else list(content)


def _text(text: str) -> list[dict[str, Any]]:
    """Return *text* as a block; the service refuses one of nothing but space."""
    return [{"type": "text", "text": text}] if text.strip() else []


def begun_call(block: Any, slot: Any, whole: bool = False) -> tuple[NativePiece, ...]:
    """Return the call that *block* is, or that begins with it.

    A call that is streamed begins with an empty input, which is none yet.
    """
    if not isinstance(block, dict) or block.get("type") != "tool_use":
        return ()
    given = block.get("input")
    arguments = given if whole or given else ""
    return (native_piece(slot, block.get("id"), block.get("name"), arguments),)


def continued_call(delta: Any, slot: Any) -> tuple[NativePiece, ...]:
    """Return more of a call's input, if that is what *delta* has."""
    more = delta.get("partial_json") if isinstance(delta, dict) else None
    if not more:
        return ()
    return (native_piece(slot, None, None, more),)
