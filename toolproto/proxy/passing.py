"""Requests that need nothing from us: they go to the backend as they came, and so do the answers.

That is every request without a word about tools whose client and backend speak the same API. With
``native = "auto"`` those with tools go first as they are, too: a backend that refuses them is
remembered, and taught a paradigm from then on.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

from starlette.responses import Response

from ..endpoints.dialects import Dialect, get_dialect
from ..endpoints.http import AsyncLine, AsyncLines
from ..endpoints.redaction import Redactor
from ..errors import EndpointError
from .asked import BadRequest
from .config import Upstream
from .streamed import ClosingStream
from .translate.base import Api
from .upstreams import Backends

__all__ = ["Passing"]

#: What a backend may answer to tools that it does not know.
_REFUSALS = (400, 404, 405, 415, 422, 500, 501)
#: Headers of an answer that its client wants; the others are about our connection.
_KEPT = (
    "content-type",
    "retry-after",
    "retry-after-ms",
    "x-should-retry",
    "x-request-id",
    "request-id",
)
#: Headers of a request that belong to its body.
_SENT_ON = ("anthropic-version", "anthropic-beta")
_CONNECT_SECONDS = 10.0
_MOST_REFUSAL = 64 * 1024


class Passing:
    """Hands requests on, unread."""

    def __init__(self, backends: Backends) -> None:
        self._backends = backends
        self._lines = AsyncLines(True)
        #: Backends and models that refused tools of their own.
        self._refused_tools: set[tuple[Upstream, str]] = set()

    async def close(self) -> None:
        """Close the connections."""
        await self._lines.close()

    async def attempt(
        self,
        api: Api,
        model: str,
        body: bytes,
        values: Mapping[str, Any],
        key: str | None,
        asked: Mapping[str, str],
    ) -> Response | None:
        """The backend's own answer, or None if the request needs a paradigm, or to be translated.

        *values* are what stands in *body*, *asked* are the headers it came with.
        """
        upstream = self._backends.find(model)
        if upstream.dialect != api.dialect:
            return None
        place, with_tools = (upstream, model), api.is_about_tools(values)
        if with_tools and (upstream.native == "never" or place in self._refused_tools):
            return None
        name = upstream.name_of(model)
        content = body if name == model else json.dumps({**values, "model": name}).encode()
        dialect = get_dialect(upstream.dialect)
        sent_on = {name: asked[name] for name in _SENT_ON if name in asked}
        line, status, headers = await self._sent(
            upstream, dialect, dialect.path, key, content, more=sent_on
        )
        if with_tools and status in _REFUSALS:
            self._refused_tools.add(place)
            await line.close()
            return None
        if status < 300:
            return _handed_on(line, status, headers)
        if status < 400:
            await line.close()
            raise EndpointError("the upstream leads elsewhere", status=status)
        # Some services repeat the key that they refuse.
        redact = Redactor(filter(None, [self._backends.key(upstream, key)]))
        told = redact((await _read(line, _MOST_REFUSAL)).decode("utf-8", "replace"))
        return Response(told, status, _kept(headers))

    async def fetched(
        self, upstream: Upstream, path: str, key: str | None, most: int
    ) -> tuple[int, bytes]:
        """Status and body, of *most* bytes at the most, of what *upstream* has at *path*."""
        dialect = get_dialect(upstream.dialect)
        line, status, _ = await self._sent(upstream, dialect, path, key, b"", "GET")
        return status, await _read(line, most)

    async def _sent(
        self,
        upstream: Upstream,
        dialect: Dialect,
        path: str,
        key: str | None,
        content: bytes,
        method: str = "POST",
        more: Mapping[str, str] | None = None,
    ) -> tuple[AsyncLine, int, Mapping[str, str]]:
        secret = self._backends.key(upstream, key)
        if secret is not None and not (secret.isascii() and secret.isprintable()):
            raise BadRequest("the key holds no plain ASCII text", None, "invalid_api_key")
        headers = {"content-type": "application/json", **dialect.headers(secret), **(more or {})}
        line = await self._lines.line()
        url = upstream.url.rstrip("/") + path
        try:
            status, given = await line.send(url, headers, content, _CONNECT_SECONDS, method)
        except BaseException:
            await line.close()
            raise
        return line, status, given


def _handed_on(line: AsyncLine, status: int, headers: Mapping[str, str]) -> Response:
    return ClosingStream(_body(line), line.close, status, _kept(headers))


def _kept(headers: Mapping[str, str]) -> dict[str, str]:
    # What is no ASCII cannot be sent on, and is nothing that a client could use.
    return {name: headers[name] for name in _KEPT if headers.get(name, "é").isascii()}


async def _read(line: AsyncLine, most: int) -> bytes:
    """The body, or its first bytes and some more if it is longer than *most*."""
    pieces = bytearray()
    try:
        while len(pieces) <= most and (piece := await line.read()):
            pieces += piece
    finally:
        await line.close()
    return bytes(pieces)


async def _body(line: AsyncLine) -> AsyncIterator[bytes]:
    while piece := await line.read():
        yield piece
