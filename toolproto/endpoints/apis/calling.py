"""What requests with tools, and the calls in answers, have in common, whatever the API."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from ...protocol.messages import Attachment, NativePiece, ToolCall, ToolResult
from ...protocol.tools.spec import ToolSpec
from .dialect import Dialect

__all__ = [
    "arguments_of",
    "as_function",
    "named_source",
    "native_piece",
    "schema_of",
    "shown_by",
    "words_of",
]


def schema_of(tool: ToolSpec) -> dict[str, Any]:
    """Return the schema of the arguments of *tool*, with the two fields that services demand.

    OpenAI says "object schema missing properties", Anthropic that ``type`` is required.
    """
    return {"type": "object", "properties": {}, **tool.parameters}


def as_function(tool: ToolSpec) -> dict[str, Any]:
    """Return *tool* as OpenAI and Ollama have it."""
    # An empty description, too: DeepSeek's templates put it into the prompt unasked, and llama.cpp
    # refuses null ("Failed to parse tools: … type must be string").
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": schema_of(tool),
    }
    return {"type": "function", "function": function}


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


def words_of(result: ToolResult, hidden: Iterable[Attachment] = (), marks: bool = True) -> str:
    """Return what *result* says, with a word for each attachment that stays *hidden*.

    An error is marked as one, unless the API has a field for that (*marks*).
    """
    is_marked = marks and result.is_error and result.content[:5].lower() != "error"
    said = f"Error: {result.content}" if is_marked else result.content
    notes = [f"[{each}: not shown to you]" for each in hidden]
    return "\n".join([*([said] if said or not notes else []), *notes])


def named_source(attachment: Attachment, result: ToolResult) -> str:
    """Return words for an *attachment* that stands beside its *result*, and not in it."""
    return f"[{attachment}, from the result of {result.call.name}]"


def shown_by(
    dialect: Dialect, result: ToolResult
) -> tuple[tuple[Attachment, ...], tuple[Attachment, ...]]:
    """Return those attachments of *result* that *dialect* takes, and the others."""
    found = [each for each in result.attachments if isinstance(each, Attachment)]
    shown = tuple(each for each in found if dialect.takes(each))
    return shown, tuple(each for each in found if each not in shown)


def native_piece(slot: Any, id: Any, name: Any, arguments: Any) -> NativePiece:
    """Return the piece of a call that has these fields, which are whatever a service sent."""
    return NativePiece(
        slot if type(slot) is int else None,
        str(id) if isinstance(id, str | int) else "",
        name if isinstance(name, str) else "",
        "" if arguments is None else arguments,
    )
