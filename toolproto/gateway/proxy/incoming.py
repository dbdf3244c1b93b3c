"""What a client sent: a JSON object within limits, and a key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request

from ...endpoints.apis.asked import BadRequest
from ..bridge.admission import sent_keys
from .config import ProxyLimits

__all__ = ["check_limits", "client_key"]


def client_key(request: Request) -> str | None:
    """The key that came with *request*: a bearer token, or in Anthropic's or Google's way."""
    return next(sent_keys(request.headers, request.url.path, request.url.query), None)


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
