"""A server that is reached over HTTP: the streamable kind, or the older one with SSE."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

import httpx2
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

from .config import LONGEST_MESSAGE, McpConfig

__all__ = ["http_streams"]

#: Seconds to connect and to write; an answer may take as long as its call may.
_CONNECT, _READ = 30.0, 3600.0


@asynccontextmanager
async def http_streams(config: McpConfig) -> AsyncIterator[tuple[Any, Any]]:
    """What can be read from and written to the server at the address of *config*."""
    assert config.url is not None
    if config.type == "sse":
        async with sse_client(
            config.url, dict(config.headers), _CONNECT, _READ, _client
        ) as streams:
            yield streams
        return
    async with (
        _client(dict(config.headers), httpx2.Timeout(_CONNECT, read=_READ)) as client,
        streamable_http_client(
            config.url, http_client=client, max_sse_event_size=LONGEST_MESSAGE
        ) as streams,
    ):
        yield streams


def _client(
    headers: dict[str, str] | None = None,
    timeout: httpx2.Timeout | None = None,
    auth: httpx2.Auth | None = None,
) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(
        verify=_certificates(),
        headers={**(headers or {}), "accept-encoding": "identity"},
        timeout=timeout,
        auth=auth,
        event_hooks={"response": [_bound]},
    )


@cache
def _certificates() -> ssl.SSLContext:
    # Reading them takes tens of milliseconds: once is enough.
    return httpx2.create_ssl_context()


async def _bound(response: httpx2.Response) -> None:
    """Have *response* end in an error where it goes on for too long, or would if unpacked.

    Streams of events are bounded event by event, by whoever reads them.
    """
    packing = response.headers.get("content-encoding", "").strip().lower()
    if packing not in ("", "identity"):
        await response.aclose()
        raise httpx2.DecodingError(
            f"the answer is packed ({packing[:40]!r}), which nobody asked for"
        )
    kind = response.headers.get("content-type", "").lower()
    if not kind.startswith("text/event-stream"):
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _Bounded(response.stream)


class _Bounded(httpx2.AsyncByteStream):
    """A body that may have so many bytes and no more."""

    def __init__(self, body: httpx2.AsyncByteStream) -> None:
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        length = 0
        async for piece in self._body:
            length += len(piece)
            if length > LONGEST_MESSAGE:
                raise httpx2.StreamError(f"an answer of more than {LONGEST_MESSAGE:,} bytes")
            yield piece

    async def aclose(self) -> None:
        await self._body.aclose()
