"""An exchange with an endpoint as a line of JSON, and back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...protocol.errors import EndpointError, EndpointTimeout, UsageError, WireError
from ...protocol.messages import ChatRequest, Chunk, Usage, without_ids
from ...protocol.paradigms.system_prompt import undated
from ...protocol.secrets import Redactor

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

_KINDS = {kind.__name__: kind for kind in (EndpointError, EndpointTimeout, WireError)}


def write_request(request: ChatRequest) -> dict[str, Any]:
    """What a request is found by."""
    return {
        "messages": [{"role": each.role, "content": each.content} for each in request.messages],
        "stop": list(request.stop),
        "params": dict(request.params),
        **({"model": request.model} if request.model else {}),
    }


def key_of(request: dict[str, Any]) -> str:
    """A written request as one text; equal requests have equal texts.

    So have those of one session that runs twice: the day and the ids that were drawn for its calls
    make no difference. Which id is whose is lost with that, but not in which order they come.
    """
    return json.dumps({**request, "messages": _lasting(request)}, sort_keys=True, default=str)


def _lasting(request: dict[str, Any]) -> list[tuple[Any, str]]:
    """The messages of *request* without what is another the next time."""
    messages = request.get("messages", ())
    said = [(each.get("role"), without_ids(str(each.get("content")))) for each in messages]
    return [(role, undated(text) if role == "system" else text) for role, text in said]


def write_chunk(chunk: Chunk) -> dict[str, Any]:
    """A chunk, without what it does not have."""
    written: dict[str, Any] = {
        name: value
        for name in ("text", "reasoning", "finish_reason")
        if (value := getattr(chunk, name))
    }
    if chunk.usage is not None:
        written["usage"] = [chunk.usage.input_tokens, chunk.usage.output_tokens]
    return written


def read_chunk(written: dict[str, Any]) -> Chunk:
    """The chunk that was written."""
    usage = Usage(*written["usage"]) if "usage" in written else None
    return Chunk(
        written.get("text", ""), written.get("reasoning", ""), written.get("finish_reason"), usage
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
    return cleaned


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
