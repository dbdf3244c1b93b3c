"""Requests that need nothing from us: they go to the backend as they came, and so do the answers.

That is every request without a word about tools whose client and backend speak the same API. With
``native = "auto"`` those with tools go first as they are, too: a backend that refuses them is
remembered, and taught a paradigm from then on.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

from starlette.responses import Response, StreamingResponse

from ..endpoints.dialects import Dialect, get_dialect
from ..endpoints.http import AsyncLine, AsyncLines
from .asked import Asked
from .config import Upstream
from .translate.base import Api
from .upstreams import Backends

__all__ = ["Passing"]

#: What a backend may answer to tools that it does not know.
_REFUSALS = (400, 404, 405, 415, 422, 500, 501)
#: Headers of an answer that its client wants; the others are about our connection.
_KEPT = ("content-type", "retry-after", "x-request-id")
_CONNECT_SECONDS = 10.0


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
        self, api: Api, asked: Asked, body: bytes, values: Mapping[str, Any], key: str | None
    ) -> Response | None:
        """The backend's own answer, or None if *asked* needs a paradigm."""
        upstream = self._backends.find(asked.model)
        if upstream.dialect != api.dialect:
            return None
        place = (upstream, asked.model)
        if asked.needs_tools and (upstream.native == "never" or place in self._refused_tools):
            return None
        name = upstream.name_of(asked.model)
        content = body if name == asked.model else json.dumps({**values, "model": name}).encode()
        dialect = get_dialect(upstream.dialect)
        line, status, headers = await self._sent(upstream, dialect, dialect.path, key, content)
        if asked.needs_tools and status in _REFUSALS:
            self._refused_tools.add(place)
            await line.close()
            return None
        return _handed_on(line, status, headers)

    async def fetched(
        self, upstream: Upstream, path: str, key: str | None, most: int
    ) -> tuple[int, bytes]:
        """Status and body, of *most* bytes at the most, of what *upstream* has at *path*."""
        dialect = get_dialect(upstream.dialect)
        line, status, _ = await self._sent(upstream, dialect, path, key, b"", "GET")
        pieces = bytearray()
        try:
            while len(pieces) <= most and (piece := await line.read()):
                pieces += piece
        finally:
            await line.close()
        return status, bytes(pieces)

    async def _sent(
        self,
        upstream: Upstream,
        dialect: Dialect,
        path: str,
        key: str | None,
        content: bytes,
        method: str = "POST",
    ) -> tuple[AsyncLine, int, Mapping[str, str]]:
        secret = self._backends.key(upstream, key)
        headers = {"content-type": "application/json", **dialect.headers(secret)}
        line = await self._lines.line()
        url = upstream.url.rstrip("/") + path
        try:
            status, given = await line.send(url, headers, content, _CONNECT_SECONDS, method)
        except BaseException:
            await line.close()
            raise
        return line, status, given


def _handed_on(line: AsyncLine, status: int, headers: Mapping[str, str]) -> Response:
    kept = {name: headers[name] for name in _KEPT if name in headers}
    return StreamingResponse(_body(line), status, kept)


async def _body(line: AsyncLine) -> AsyncIterator[bytes]:
    try:
        while piece := await line.read():
            yield piece
    finally:
        await line.close()
