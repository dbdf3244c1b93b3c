"""A client's own request, in which no result opens a call; all else stays as it came."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...protocol.guard.neutralise import Neutraliser

__all__ = ["neutral_body"]

_RESULT_ROLES = ("tool", "function")


def neutral_body(values: Mapping[str, Any], made: Neutraliser) -> Mapping[str, Any]:
    """*values* with neutral results; *values* itself if there is nothing to change.

    They are a request in the words of OpenAI's chats, of Anthropic or of Ollama.
    """
    messages = values.get("messages")
    if not isinstance(messages, list):
        return values
    neutral = [_message(each, made) for each in messages]
    return values if neutral == messages else {**values, "messages": neutral}


def _message(message: Any, made: Neutraliser) -> Any:
    if not isinstance(message, dict):
        return message
    content = message.get("content")
    if message.get("role") in _RESULT_ROLES:
        return {**message, "content": _text(content, made)}
    if not isinstance(content, list):
        return message
    return {**message, "content": [_block(each, made) for each in content]}


def _block(block: Any, made: Neutraliser) -> Any:
    """A block of Anthropic's, which may be a result."""
    if isinstance(block, dict) and block.get("type") == "tool_result":
        return {**block, "content": _text(block.get("content"), made)}
    return block


def _text(content: Any, made: Neutraliser) -> Any:
    """The text of a result, or of its parts."""
    if isinstance(content, str):
        return str(made.neutralise(content))
    if not isinstance(content, list):
        return content
    return [
        {**part, "text": str(made.neutralise(part["text"]))}
        if isinstance(part, dict) and isinstance(part.get("text"), str)
        else part
        for part in content
    ]
