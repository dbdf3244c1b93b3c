"""Paths that have nothing to do with tools: handed to a backend of the same API, unread.

Embeddings, audio, files, text completions and whatever else a backend has: what came goes there as
it is, and what comes back is handed back. Nothing but the model's name is changed, and nothing is
asked of a backend outside its own URL.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from ...endpoints.apis.asked import BadRequest
from ...endpoints.apis.served import api_at
from ...endpoints.apis.serving.api import Api, ApiFault
from ...protocol.errors import EndpointError
from ..bridge.failures import failure_of, fault_of
from ..http_server import read_body
from .config import ProxyConfig, Upstream
from .incoming import client_key
from .listing import key_for_all
from .passing import kept_headers
from .record import Recorder, RequestRecord
from .relay import Relay, Relayed
from .responding import refused, turned_away
from .streamed import ClosingStream
from .upstreams import Backends

__all__ = ["Others"]

_OPENAI = ("openai_chat", "openai_completions", "ollama")
#: Headers of a request that belong to its body, or to its answer.
_SENT_ON = ("content-type", "accept", "range", "anthropic-version", "anthropic-beta", "openai-beta")
#: Headers of an answer that say what its body is.
_BODY_HEADERS = ("content-disposition", "content-range", "accept-ranges")
_MODEL_FIELD = re.compile(rb'name="model"\r\n(?:[^\r\n]*\r\n){0,3}\r\n([^\r\n]{1,512})\r\n--')
_MOST_TOLD = 4 * 1024 * 1024


class Others:
    """Hands requests on by their paths."""

    def __init__(
        self, config: ProxyConfig, backends: Backends, relay: Relay, recorder: Recorder
    ) -> None:
        self._config = config
        self._recorder = recorder
        self._backends = backends
        self._relay = relay

    def speaks(self, dialect: str) -> bool:
        """Whether what names no model goes to a backend that speaks *dialect*."""
        upstream = self._usual((dialect,))
        return upstream is not None and all(
            each.dialect == dialect for each in self._backends.upstreams
        )

    async def answer(self, request: Request) -> Response:
        """What a backend answers to *request*; that there is none for it, if so."""
        try:
            body = await read_body(request, self._config.limits.body)
        except BadRequest as error:
            return turned_away(api_at(request.url.path), request.url.path, error.fault)
        except ClientDisconnect:
            return Response(status_code=499)
        path = request.url.path
        api = api_at(path)
        record = self._recorder.begin(_model(_object(body), body) or "", api)
        try:
            relayed = await self._sent(request, body)
            if relayed is not None:
                return await _handed_back(relayed, api, record)
            told = f"{request.method} {path[:80]} is not served here"
            fault = ApiFault(404, told, "not_found")
        except BadRequest as error:
            fault = error.fault
        except EndpointError as error:
            failed = failure_of(error)
            record.end("failed", fault=failed)
            return refused(api, fault_of(failed), error.retry_after)
        except asyncio.CancelledError:
            record.end("left", status=None)
            raise
        record.end("refused", fault=fault)
        return refused(api, fault)

    async def told(self, request: Request, values: Mapping[str, Any]) -> dict[str, Any] | None:
        """The JSON object that a backend answers to *values*; None if it refuses them."""
        relayed = await self._sent(request, json.dumps(values).encode())
        if relayed is None or relayed.status != 200:
            if relayed is not None:
                await relayed.close()
            return None
        try:
            told = json.loads(await relayed.read(_MOST_TOLD))
        except (ValueError, RecursionError):
            return None
        return told if isinstance(told, dict) else None

    async def _sent(self, request: Request, body: bytes) -> Relayed | None:
        path = request.url.path
        dialects = _dialects(path, "anthropic-version" in request.headers)
        values = _object(body)
        model = _model(values, body)
        upstream = self._backends.find(model) if model else self._usual(dialects)
        if upstream is None or upstream.dialect not in dialects or not _is_plain(path):
            return None
        if not self._config.pass_others:
            return None
        key = client_key(request)
        key = key if model else key_for_all(self._backends, key)
        headers = {name: request.headers[name] for name in _SENT_ON if name in request.headers}
        query = f"?{request.url.query}" if request.url.query else ""
        return await self._relay.send(
            upstream,
            _inner(path, upstream) + query,
            self._backends.key(upstream, key),
            _renamed(body, values, model, upstream),
            request.method,
            headers,
        )

    def _usual(self, dialects: tuple[str, ...]) -> Upstream | None:
        """Where a request goes that names no model: to the backend for all models, if it can."""
        fitting = [each for each in self._backends.upstreams if each.dialect in dialects]
        return min(fitting, key=lambda each: each.prefix != "", default=None)


def _dialects(path: str, is_anthropic: bool) -> tuple[str, ...]:
    if path.startswith("/api/"):
        return ("ollama",)
    if path.startswith("/v1/messages") or (is_anthropic and path.startswith("/v1/")):
        return ("anthropic",)
    return _OPENAI if path.startswith("/v1/") else ()


def _is_plain(path: str) -> bool:
    """Whether *path* stays where it is appended."""
    return not {".", ".."} & set(path.split("/")) and "\\" not in path and path.isprintable()


def _inner(path: str, upstream: Upstream) -> str:
    """*path* behind the URL of *upstream*, which ends with ``/v1`` unless it is Ollama's."""
    inner = path if upstream.dialect == "ollama" else path.removeprefix("/v1")
    return quote(inner, safe="/:@!$&'()*+,;=~-._")


def _object(body: bytes) -> dict[str, Any] | None:
    if not body.lstrip().startswith(b"{"):
        return None
    try:
        values = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return values if isinstance(values, dict) else None


def _model(values: Mapping[str, Any] | None, body: bytes) -> str | None:
    """The model that is asked for: in JSON, or in a form that a file comes with."""
    if values is not None:
        model = values.get("model") or values.get("name")
        return model if isinstance(model, str) else None
    found = _MODEL_FIELD.search(body)
    return found[1].decode("utf-8", "replace") if found else None


def _renamed(
    body: bytes, values: Mapping[str, Any] | None, model: str | None, upstream: Upstream
) -> bytes:
    """*body* for the backend, which may know *model* by another name."""
    if model is None or upstream.name_of(model) == model:
        return body
    name = upstream.name_of(model)
    if values is not None:
        field = "model" if values.get("model") else "name"
        return json.dumps({**values, field: name}).encode()
    found = _MODEL_FIELD.search(body)
    return body[: found.start(1)] + name.encode() + body[found.end(1) :] if found else body


async def _handed_back(relayed: Relayed, api: Api, record: RequestRecord) -> Response:
    headers = kept_headers(relayed.headers)
    if relayed.status >= 400:
        told = await relayed.told()
        record.end("passed", status=relayed.status)
        if "json" in relayed.headers.get("content-type", ""):
            return Response(told, relayed.status, headers)
        # An error that is none that clients of the API can read.
        error = EndpointError("the upstream refused", status=relayed.status, body=told)
        return refused(api, fault_of(failure_of(error)))

    async def close() -> None:
        await relayed.close()
        record.end("passed", status=relayed.status)

    headers |= {name: relayed.headers[name] for name in _BODY_HEADERS if name in relayed.headers}
    return ClosingStream(relayed.pieces(), close, relayed.status, headers)
