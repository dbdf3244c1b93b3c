"""Tools in Google's API: declared, called and answered in parts of their own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ....protocol.messages import Attachment, Message, NativePiece, ToolResult
from ....protocol.tools.spec import ToolOffer, ToolSpec
from ..calling import named_source, native_piece, schema_of, shown_by, words_of
from ..dialect import Dialect
from .names import MODEL

__all__ = ["acting_contents", "lost_call", "native_pieces", "offer_fields", "plain_parts"]

_MODES = {"required": "ANY", "none": "NONE"}
#: Gemini 3 and later refuse a call that comes back without the signature of the thought before it.
#: This is what they take for calls that another model made, or that were kept without it:
#: https://ai.google.dev/gemini-api/docs/thought-signatures
_UNSIGNED = {"thoughtSignature": "skip_thought_signature_validator"}
_SIGN_NOTHING = ("gemini-1", "gemini-2", "gemma")
#: What stands before a call in the message of ``MALFORMED_FUNCTION_CALL``.
_MALFORMED = "Malformed function call:"


def offer_fields(offer: ToolOffer) -> dict[str, Any]:
    """Return the fields that declare the tools of *offer*, and say how they may be called.

    There is no word for one call at a time.
    """
    if not offer.tools:
        return {}
    tools = [{"functionDeclarations": [_declaration(tool) for tool in offer.tools]}]
    if offer.choice == "auto":
        return {"tools": tools}
    calling: dict[str, Any] = {"mode": _MODES.get(offer.choice, "ANY")}
    if offer.choice not in _MODES:
        calling["allowedFunctionNames"] = [offer.choice]
    return {"tools": tools, "toolConfig": {"functionCallingConfig": calling}}


def _declaration(tool: ToolSpec) -> dict[str, Any]:
    schema = schema_of(tool)
    # ``parameters`` takes a part of OpenAPI's schemas, this one JSON Schema.
    taken = {"parametersJsonSchema": schema} if schema["properties"] else {}
    return {"name": tool.name, "description": tool.description, **taken}


def plain_parts(message: Message) -> list[dict[str, Any]]:
    """Return what *message* says and shows, whatever else it has."""
    text = [{"text": message.content}] if message.content or not message.attachments else []
    return [*text, *map(_part, message.attachments)]


def _part(attachment: Attachment) -> dict[str, Any]:
    kind = attachment.media_type
    if attachment.data:
        return {"inlineData": {"mimeType": kind, "data": attachment.data}}
    known = {} if kind.endswith("*") else {"mimeType": kind}
    return {"fileData": {**known, "fileUri": attachment.url}}


def acting_contents(
    dialect: Dialect, messages: Iterable[Message], model: str
) -> list[dict[str, Any]]:
    """Return *messages*, with their calls and results as such; neighbours of one role are one."""
    signs = not any(name in model for name in _SIGN_NOTHING)
    told: list[dict[str, Any]] = []
    for message in messages:
        role = MODEL if message.role == "assistant" else "user"
        parts = _parts(dialect, message, signs)
        if told and told[-1]["role"] == role:
            told[-1]["parts"] += parts
        else:
            told.append({"role": role, "parts": parts})
    return told


def _parts(dialect: Dialect, message: Message, signs: bool) -> list[dict[str, Any]]:
    if not message.calls and not message.results:
        return plain_parts(message)
    said = plain_parts(message) if message.content or message.attachments else []
    calls: list[dict[str, Any]] = [
        {"functionCall": {"id": call.id, "name": call.name, "args": dict(call.arguments)}}
        for call in message.calls
    ]
    if calls and signs:  # of calls that were made together only the first is signed
        calls[0] |= _UNSIGNED
    answers = [_answer(dialect, each) for each in message.results]
    shown = [part for each in message.results for part in _shown(dialect, each)]
    return [*answers, *shown, *said, *calls]


def _answer(dialect: Dialect, result: ToolResult) -> dict[str, Any]:
    words = words_of(result, shown_by(dialect, result)[1], marks=False)
    response = {"error" if result.is_error else "output": words}
    answer = {"id": result.call.id, "name": result.call.name, "response": response}
    return {"functionResponse": answer}


def _shown(dialect: Dialect, result: ToolResult) -> list[dict[str, Any]]:
    """Return what *result* shows, beside it: only Gemini 3 takes pictures within results."""
    shown = shown_by(dialect, result)[0]
    return [part for each in shown for part in ({"text": named_source(each, result)}, _part(each))]


def native_pieces(content: Any) -> tuple[NativePiece, ...]:
    """Return the calls in *content*, each of which comes whole."""
    parts = content.get("parts") if isinstance(content, dict) else None
    found = [
        part["functionCall"]
        for part in (parts if isinstance(parts, list) else ())
        if isinstance(part, dict) and isinstance(part.get("functionCall"), dict)
    ]
    return tuple(_piece(call) for call in found)


def _piece(call: dict[str, Any]) -> NativePiece:
    arguments = call.get("args")
    whole = {} if arguments is None else arguments
    return native_piece(None, call.get("id"), call.get("name"), whole)


def lost_call(candidate: Any) -> str:
    """Return what the model wrote for a call that the service could not read; empty if unknown."""
    told = candidate.get("finishMessage")
    return told.partition(_MALFORMED)[2].strip() if isinstance(told, str) else ""
