"""What requests with tools have in common, whatever API they are written in."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from ...protocol.messages import Attachment, ToolCall, ToolResult
from ...protocol.tools.spec import ToolSpec
from .dialect import Dialect

__all__ = ["arguments_of", "schema_of", "shown_by", "words_of"]


def schema_of(tool: ToolSpec) -> dict[str, Any]:
    """Return the schema of the arguments of *tool*, with the two fields that services demand.

    OpenAI says "object schema missing properties", Anthropic that ``type`` is required.
    """
    return {"type": "object", "properties": {}, **tool.parameters}


def arguments_of(call: ToolCall) -> str:
    """Return the arguments of *call* as JSON: in the model's own characters, if they say the same.

    A service keeps what it has computed for a conversation only as far as that is the same text.
    """
    arguments = json.dumps(dict(call.arguments), ensure_ascii=False)
    try:
        own = json.loads(call.raw) if call.raw else None
        is_same = own is not None and json.dumps(own, ensure_ascii=False) == arguments
    except (ValueError, RecursionError):
        return arguments
    return call.raw if is_same else arguments


def words_of(result: ToolResult, hidden: Iterable[Any] = ()) -> str:
    """Return *result* as text, for an API that has no field for errors, or none for *hidden*."""
    is_plain = not result.is_error or result.content[:5].lower() == "error"
    said = result.content if is_plain else f"Error: {result.content}"
    notes = [f"[{each}: not shown to you]" for each in hidden if isinstance(each, Attachment)]
    return "\n".join([*([said] if said or not notes else []), *notes])


def shown_by(
    dialect: Dialect, result: ToolResult
) -> tuple[tuple[Attachment, ...], tuple[Attachment, ...]]:
    """Return those attachments of *result* that *dialect* takes, and the others."""
    found = [each for each in result.attachments if isinstance(each, Attachment)]
    shown = tuple(each for each in found if dialect.takes(each))
    return shown, tuple(each for each in found if each not in shown)
