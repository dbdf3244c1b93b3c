"""Which models there are, asked of every backend and told in the client's own form."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from ..errors import EndpointError
from .config import Upstream
from .relay import Relay
from .upstreams import Backends

__all__ = ["model_names", "models_path", "openai_list", "tag_list"]

_PATHS = {"ollama": "/api/tags"}
_MOST_BYTES = 4 * 1024 * 1024


async def model_names(backends: Backends, relay: Relay, client_key: str | None) -> list[str]:
    """The models of all *backends*, as clients name them; EndpointError if none answers.

    Nobody knows for which of several backends *client_key* is; then it goes to none of them.
    """
    if sum(upstream.api_key_env is None for upstream in backends.upstreams) > 1:
        client_key = None
    asked = [
        _names(upstream, relay, backends.key(upstream, client_key))
        for upstream in backends.upstreams
    ]
    answers = await asyncio.gather(*asked, return_exceptions=True)
    lists = [answer for answer in answers if isinstance(answer, list)]
    if not lists:
        raise EndpointError("no upstream lists its models")
    return [name for names in lists for name in names]


def models_path(upstream: Upstream) -> str:
    """Where *upstream* lists its models."""
    return _PATHS.get(upstream.dialect, "/models")


async def _names(upstream: Upstream, relay: Relay, key: str | None) -> list[str]:
    path = models_path(upstream)
    async with asyncio.timeout(10):
        answer = await relay.send(upstream, path, key, method="GET")
        body = await answer.read(_MOST_BYTES)
    if answer.status != 200:
        raise EndpointError("the list of models was refused", status=answer.status)
    added = upstream.prefix if upstream.prefix.endswith("/") else ""
    return [added + name for name in _read(body)]


def _read(body: bytes) -> list[str]:
    """The names in a list as OpenAI, Anthropic (``data``) or Ollama (``models``) write it."""
    try:
        values = json.loads(body)
    except (ValueError, RecursionError):
        raise EndpointError("the list of models is not JSON") from None
    rows = (values.get("data") or values.get("models")) if isinstance(values, dict) else None
    rows = rows if isinstance(rows, list) else []
    names = [row.get("id") or row.get("name") for row in rows if isinstance(row, dict)]
    return [name for name in names if isinstance(name, str)]


def openai_list(names: Sequence[str]) -> dict[str, Any]:
    """*names* as OpenAI lists models."""
    rows = [{"id": name, "object": "model", "created": 0, "owned_by": "upstream"} for name in names]
    return {"object": "list", "data": rows}


def tag_list(names: Sequence[str]) -> dict[str, Any]:
    """*names* as Ollama lists models."""
    when = datetime.fromtimestamp(0, UTC).isoformat()
    rows = [
        {"name": name, "model": name, "modified_at": when, "size": 0, "digest": "", "details": {}}
        for name in names
    ]
    return {"models": rows}
