"""An exchange with an endpoint as a line of JSON, and back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...protocol.errors import EndpointError, EndpointTimeout, ToolsRefused, UsageError, WireError
from ...protocol.messages import (
    ChatRequest,
    Chunk,
    Message,
    NativePiece,
    ToolCall,
    Usage,
    without_ids,
)
from ...protocol.paradigms.system_prompt import undated
from ...protocol.secrets import Redactor
from ...protocol.tools.spec import ToolOffer

__all__ = [
    "cleaned",
    "key_of",
    "load_cassette",
    "read_chunk",
    "read_error",
    "write_chunk",
    "write_error",
    "write_request",
]

_KINDS = {kind.__name__: kind for kind in (EndpointError, EndpointTimeout, ToolsRefused, WireError)}

#: Where the arguments stand in a written piece of a call.
_ARGUMENTS = 3


def write_request(request: ChatRequest) -> dict[str, Any]:
    """What a request is found by."""
    return {
        "messages": [_write_message(each) for each in request.messages],
        "stop": list(request.stop),
        "params": dict(request.params),
        **({"model": request.model} if request.model else {}),
        **({"offer": _write_offer(request.offer)} if request.offer is not None else {}),
    }


def _write_message(message: Message) -> dict[str, Any]:
    written: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.calls:
        written["calls"] = [_write_call(each) for each in message.calls]
    if message.results:
        written["results"] = [[each.call.id, each.content] for each in message.results]
    return written


def _write_call(call: ToolCall) -> list[Any]:
    return [call.id, call.name, dict(call.arguments)]


def _write_offer(offer: ToolOffer) -> dict[str, Any]:
    tools = [[each.name, each.description, dict(each.parameters)] for each in offer.tools]
    return {"tools": tools, "choice": offer.choice, "parallel": offer.parallel}


def key_of(request: dict[str, Any]) -> str:
    """A written request as one text; equal requests have equal texts.

    So have those of one session that runs twice: the day and the ids that were drawn for its calls
    make no difference. Which id is whose is lost with that, but not in which order they come.
    """
    return json.dumps({**request, "messages": _lasting(request)}, sort_keys=True, default=str)


def _lasting(request: dict[str, Any]) -> list[tuple[Any, str]]:
    """The messages of *request* without what is another the next time."""
    messages = request.get("messages", ())
    said = [(each.get("role"), without_ids(_said(each))) for each in messages]
    return [(role, undated(text) if role == "system" else text) for role, text in said]


def _said(message: dict[str, Any]) -> str:
    """All that *message* says, its calls and results too."""
    acts = {name: message[name] for name in ("calls", "results") if name in message}
    text = str(message.get("content"))
    return text + json.dumps(acts, sort_keys=True, default=str) if acts else text


def write_chunk(chunk: Chunk) -> dict[str, Any]:
    """A chunk, without what it does not have."""
    written: dict[str, Any] = {
        name: value
        for name in ("text", "reasoning", "finish_reason")
        if (value := getattr(chunk, name))
    }
    if chunk.usage is not None:
        written["usage"] = [chunk.usage.input_tokens, chunk.usage.output_tokens]
    if chunk.calls:
        written["calls"] = [[each.slot, each.id, each.name, each.arguments] for each in chunk.calls]
    return written


def read_chunk(written: dict[str, Any]) -> Chunk:
    """The chunk that was written."""
    usage = Usage(*written["usage"]) if "usage" in written else None
    return Chunk(
        written.get("text", ""),
        written.get("reasoning", ""),
        written.get("finish_reason"),
        usage,
        calls=tuple(NativePiece(*each) for each in written.get("calls", ())),
    )


def write_error(error: EndpointError) -> dict[str, Any]:
    """An error with all it says."""
    kind = type(error).__name__
    return {
        "kind": kind if kind in _KINDS else "EndpointError",
        "message": str(error),
        "status": error.status,
        "body": error.body,
        "retry_after": error.retry_after,
    }


def read_error(written: dict[str, Any]) -> EndpointError:
    """The error that was written."""
    return _KINDS.get(written.get("kind", ""), EndpointError)(
        written.get("message", ""),
        status=written.get("status"),
        body=written.get("body", ""),
        retry_after=written.get("retry_after"),
    )


def cleaned(exchange: dict[str, Any], redactor: Redactor) -> dict[str, Any]:
    """*exchange* without secrets, also those whose letters lie in several chunks."""
    cleaned: dict[str, Any] = redactor.value(exchange)
    for name in ("text", "reasoning"):
        texts = redactor.pieces([chunk.get(name, "") for chunk in exchange["chunks"]])
        for chunk, text in zip(cleaned["chunks"], texts, strict=True):
            if text:
                chunk[name] = text
            else:
                chunk.pop(name, None)
    dirty, clean = (_argument_pieces(each["chunks"]) for each in (exchange, cleaned))
    texts = redactor.pieces([piece[_ARGUMENTS] for piece in dirty])
    for piece, text in zip(clean, texts, strict=True):
        piece[_ARGUMENTS] = text
    return cleaned


def _argument_pieces(chunks: list[dict[str, Any]]) -> list[list[Any]]:
    """The pieces of native calls in *chunks* that bring text of arguments."""
    pieces = (piece for chunk in chunks for piece in chunk.get("calls", ()))
    return [piece for piece in pieces if isinstance(piece[_ARGUMENTS], str)]


def load_cassette(path: Path) -> Iterator[dict[str, Any]]:
    """The exchanges in a file; a line that is none is a UsageError naming it."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the cassette {path.name!r} cannot be read: {error}") from None
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _exchange(line, f"line {number} of the cassette {path.name!r}")


def _exchange(line: str, place: str) -> dict[str, Any]:
    try:
        exchange = json.loads(line)
        for chunk in exchange["chunks"]:
            read_chunk(chunk)
        if isinstance(exchange["request"], dict):
            return dict(exchange)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        pass
    raise UsageError(f"{place} is not an exchange; record it again")
