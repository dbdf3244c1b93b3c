"""Ollama's embeddings, from a backend that has OpenAI's."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from ..bridge.admission import read_model, read_object
from ..bridge.asked import BadRequest
from ..bridge.failures import failure_of
from ..bridge.translate import APIS
from ..errors import EndpointError
from .config import ProxyConfig
from .http_server import read_body
from .incoming import client_key
from .others import Others
from .relay import Relay
from .responding import turned_away
from .streamed import AsciiJson
from .upstreams import Backends

__all__ = ["Embedding"]

_MOST_TOLD = 64 * 1024 * 1024
_API = APIS["/api/chat"]


class Embedding:
    """Answers Ollama's clients that want embeddings."""

    def __init__(
        self, config: ProxyConfig, backends: Backends, relay: Relay, others: Others
    ) -> None:
        self._config = config
        self._backends = backends
        self._relay = relay
        self._others = others

    async def several(self, request: Request) -> Response:
        """``/api/embed``: a list of embeddings."""
        return await self._answered(request, "input")

    async def one(self, request: Request) -> Response:
        """``/api/embeddings``, the older form: one embedding."""
        return await self._answered(request, "prompt")

    async def _answered(self, request: Request, field: str) -> Response:
        try:
            body = await read_body(request, self._config.limits.body)
            values = read_object(body)
            model = read_model(values)
            if self._backends.find(model).dialect == "ollama":
                return await self._others.passed(request, body)
            found, tokens = await self._embedded(model, values, field, client_key(request))
        except BadRequest as error:
            return turned_away(_API, request.url.path, error.fault)
        except EndpointError as error:
            return turned_away(_API, request.url.path, failure_of(error), error.retry_after)
        except ClientDisconnect:
            return Response(status_code=499)
        if field == "prompt":
            return AsciiJson({"embedding": found[0] if found else []})
        durations = {"total_duration": 0, "load_duration": 0, "prompt_eval_count": tokens}
        return AsciiJson({"model": model, "embeddings": found, **durations})

    async def _embedded(
        self, model: str, values: Mapping[str, Any], field: str, key: str | None
    ) -> tuple[list[Any], int]:
        upstream = self._backends.find(model)
        if upstream.dialect not in ("openai_chat", "openai_completions"):
            told = f"the backend of {model[:80]!r} has no embeddings"
            raise BadRequest(told, "model", "not_found", 404)
        asked = {"model": upstream.name_of(model), "input": values.get(field, "")}
        if values.get("dimensions") is not None:
            asked["dimensions"] = values["dimensions"]
        answer = await self._relay.send(
            upstream,
            "/embeddings",
            self._backends.key(upstream, key),
            json.dumps(asked).encode(),
        )
        if answer.status != 200:
            raise EndpointError(
                "the upstream refused", status=answer.status, body=await answer.told()
            )
        return _read(await answer.read(_MOST_TOLD))


def _read(body: bytes) -> tuple[list[Any], int]:
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        told = None
    match told:
        case {"data": list(rows)}:
            found = [row.get("embedding") for row in rows if isinstance(row, dict)]
            usage = told.get("usage")
            tokens = usage.get("prompt_tokens") if isinstance(usage, dict) else None
            return found, tokens if isinstance(tokens, int) else 0
    raise EndpointError("the upstream sent no embeddings")
