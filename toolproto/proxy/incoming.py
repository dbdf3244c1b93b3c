"""What a client sent: a JSON object within limits, and a key."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any, NoReturn
from urllib.parse import parse_qsl

from starlette.datastructures import Headers
from starlette.requests import Request

from ..bridge.asked import BadRequest
from ..bridge.translate.reading import required
from .config import ProxyLimits

__all__ = [
    "check_limits",
    "check_messages",
    "client_key",
    "read_body",
    "read_model",
    "read_object",
    "sent_keys",
]

BODY_SECONDS = 60.0
#: Names of models are kept, in caches and in the log.
_LONGEST_NAME = 512
_LONGEST_QUERY = 4096


def client_key(request: Request) -> str | None:
    """The key that came with *request*: a bearer token, or in Anthropic's or Google's way."""
    return next(sent_keys(request.headers, request.url.path, request.url.query), None)


def sent_keys(headers: Headers, path: str, query: str) -> Iterator[str]:
    """Every key that came with a request; Google's clients may write it into the URL."""
    kind, _, token = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer" and token.strip():
        yield token.strip()
    for name in ("x-api-key", "x-goog-api-key"):
        if headers.get(name):
            yield headers[name]
    if path.startswith("/v1beta"):
        yield from (value for name, value in parse_qsl(query[:_LONGEST_QUERY]) if name == "key")


async def read_body(request: Request, most: int) -> bytes:
    """The body, which may be so many bytes long, and has a minute to come."""
    try:
        async with asyncio.timeout(BODY_SECONDS):
            return await _read(request, most)
    except TimeoutError:
        raise BadRequest("the body did not come in time", None, "timeout", 408) from None


async def _read(request: Request, most: int) -> bytes:
    pieces, size = [], 0
    async for piece in request.stream():
        size += len(piece)
        if size > most:
            raise BadRequest(f"the body is longer than {most} bytes", None, "too_large", 413)
        pieces.append(piece)
    return b"".join(pieces)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _finite(written: str) -> float:
    # ``1e999`` is JSON, but nothing that could be written as JSON again.
    number = float(written)
    if not isfinite(number):
        raise ValueError(f"{written} is too large")
    return number


def read_object(body: bytes) -> dict[str, Any]:
    """The JSON object in *body*."""
    try:
        values = json.loads(body, parse_constant=_refuse_constant, parse_float=_finite)
    except (ValueError, RecursionError):
        raise BadRequest("the body is not JSON") from None
    if not isinstance(values, dict):
        raise BadRequest("the body is to be a JSON object")
    return values


def read_model(values: Mapping[str, Any]) -> str:
    """The name of the model that is asked for."""
    model: str = required(values, "model", str)
    if len(model) > _LONGEST_NAME:
        raise BadRequest(f"model is longer than {_LONGEST_NAME} characters", "model")
    return model


def check_messages(values: Mapping[str, Any]) -> None:
    """Raise BadRequest for messages that are none: some backends break off over them."""
    messages = values.get("messages")
    if not isinstance(messages, list) or not messages:
        raise BadRequest("messages is to be a list of at least one message", "messages")
    for at, message in enumerate(messages):
        if not isinstance(message, dict):
            raise BadRequest(f"messages[{at}] is to be an object", f"messages[{at}]")


def check_limits(values: Mapping[str, Any], limits: ProxyLimits) -> None:
    """Raise BadRequest for a request that would cost too much."""
    counts = {"n": (values.get("n"), limits.choices)}
    for field, most in (
        ("tools", limits.tools),
        ("functions", limits.tools),
        ("messages", limits.messages),
        ("input", limits.messages),
        ("contents", limits.messages),
    ):
        several = values.get(field)
        counts[field] = (len(several) if isinstance(several, list) else None, most)
    for field, (count, most) in counts.items():
        if isinstance(count, int) and count > most:
            raise BadRequest(f"{field}: {count} is more than {most}", field)
