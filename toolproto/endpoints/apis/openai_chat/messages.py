"""Messages as chat completions hold them, with calls and results in fields of their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....protocol.messages import Attachment, Message, ToolResult
from ..calling import arguments_of, named_source, shown_by, words_of
from ..dialect import Dialect
from .names import THOUGHTS

__all__ = ["acting_messages", "plain_message"]


def plain_message(message: Message) -> dict[str, Any]:
    """Return *message* as text and attachments, whatever else it has."""
    return {"role": message.role, "content": _content(message)}


def acting_messages(dialect: Dialect, message: Message, thoughts: bool) -> Iterator[dict[str, Any]]:
    """Yield *message*, with its calls and results as such, as one message or several."""
    if message.calls:
        yield _calling(message, thoughts)
        return
    shown: list[dict[str, Any]] = []
    for result in message.results:
        seen, hidden = shown_by(dialect, result)
        told = words_of(result, hidden)
        yield {"role": "tool", "tool_call_id": result.call.id, "content": told}
        shown += _shown(result, seen)
    if shown:
        # The content of a tool message is text: pictures follow in one of the user's.
        also = _content(message)
        behind = [{"type": "text", "text": also}] if isinstance(also, str) and also else also
        yield {"role": "user", "content": [*shown, *behind]}
    elif message.content or message.attachments or not message.results:
        yield plain_message(message)


def _calling(message: Message, thoughts: bool) -> dict[str, Any]:
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": arguments_of(call)},
        }
        for call in message.calls
    ]
    thought = {THOUGHTS[0]: message.reasoning} if thoughts and message.reasoning else {}
    # Null is what OpenAI's own answers have there, which clients give back as they came.
    return {"role": "assistant", "content": message.content or None, **thought, "tool_calls": calls}


def _shown(result: ToolResult, attachments: tuple[Attachment, ...]) -> Iterator[dict[str, Any]]:
    for each in attachments:
        yield {"type": "text", "text": named_source(each, result)}
        yield _part(each)


def _content(message: Message) -> str | list[dict[str, Any]]:
    """What *message* says; in parts only where it must be, since many servers read no parts."""
    if not message.attachments:
        return message.content
    said: list[dict[str, Any]] = [{"type": "text", "text": message.content}]
    return [*(said if message.content else []), *map(_part, message.attachments)]


def _part(attachment: Attachment) -> dict[str, Any]:
    if attachment.is_image:
        return {"type": "image_url", "image_url": {"url": attachment.as_url}}
    name = attachment.name or "document.pdf"
    return {"type": "file", "file": {"filename": name, "file_data": attachment.as_url}}
