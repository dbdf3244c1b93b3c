"""What a client sent: a JSON object within limits, and a key."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request

from ..bridge.admission import sent_keys
from ..bridge.asked import BadRequest
from .config import ProxyLimits

__all__ = [
    "check_limits",
    "client_key",
    "read_body",
]

BODY_SECONDS = 60.0


def client_key(request: Request) -> str | None:
    """The key that came with *request*: a bearer token, or in Anthropic's or Google's way."""
    return next(sent_keys(request.headers, request.url.path, request.url.query), None)


async def read_body(request: Request, most: int) -> bytes:
    """The body, which may be so many bytes long, and has a minute to come."""
    try:
        async with asyncio.timeout(BODY_SECONDS):
            return await _read(request, most)
    except TimeoutError:
        raise BadRequest("the body did not arrive in time", None, "timeout", 408) from None


async def _read(request: Request, most: int) -> bytes:
    # It would be taken for anything but what it is. Nobody's SDK packs what it sends here.
    encoding = request.headers.get("content-encoding", "").strip().lower()
    if encoding not in ("", "identity"):
        told = f"the body is packed (content-encoding: {encoding[:40]}); send it as it is"
        raise BadRequest(told, None, "packed_body", 415)
    too_large = BadRequest(f"the body is longer than {most} bytes", None, "too_large", 413)
    announced = request.headers.get("content-length", "")
    # By its digits first: a number of thousands of them is none that Python reads.
    if announced.isdigit() and (len(announced) > 18 or int(announced) > most):
        raise too_large
    pieces, size = [], 0
    async for piece in request.stream():
        size += len(piece)
        if size > most:
            raise too_large
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
