"""What a client sent: a JSON object within limits, and a key."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl

from starlette.datastructures import Headers
from starlette.requests import Request

from ..bridge.asked import BadRequest
from .config import ProxyLimits

__all__ = [
    "check_limits",
    "client_key",
    "read_body",
    "sent_keys",
]

BODY_SECONDS = 60.0
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
