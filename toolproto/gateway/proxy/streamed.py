"""Responses: JSON in ASCII, and streams that give back what they held."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from ...protocol.errors import EndpointError

__all__ = ["AsciiJson", "ClosingStream"]


class AsciiJson(Response):
    """JSON in which no character can be misread, cut in two, or have no bytes at all."""

    media_type = "application/json"

    def __init__(
        self, content: Any, status: int = 200, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(json.dumps(content).encode("ascii"), status, headers)


class ClosingStream(StreamingResponse):
    """Streams *content*, then awaits *close*, whatever happened.

    A client may leave before the first byte: the generator that makes the content is then never
    begun, and no ``finally`` in it would run. Content that ends with an EndpointError is left
    without an end: the server hangs up, and the client sees that something is missing.
    """

    def __init__(
        self,
        content: AsyncIterator[str] | AsyncIterator[bytes],
        close: Callable[[], Awaitable[None]],
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        media_type: str | None = None,
    ) -> None:
        super().__init__(content, status, headers, media_type)
        self._close = close

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send everything, and close."""
        try:
            with suppress(EndpointError):
                await super().__call__(scope, receive, send)
        finally:
            await self._close()
