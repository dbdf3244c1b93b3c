"""Sending a request to a backend as it is, and handing back what comes, unread."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field

from ...endpoints.apis.asked import BadRequest
from ...endpoints.apis.dialects import get_dialect
from ...endpoints.http.address import Address
from ...endpoints.http.alarm import AsyncAlarm
from ...endpoints.http.http import AsyncLine, AsyncLines, packed
from ...endpoints.http.http_endpoint import secrets_of, sent_headers
from ...protocol.errors import EndpointError, EndpointTimeout, UsageError, WireError
from ...protocol.secrets import Redactor
from .config import Upstream

__all__ = ["Relay", "Relayed"]

_CONNECT_SECONDS = 10.0
#: For a reply that is not streamed, the answer begins when the model is done.
_ANSWER_SECONDS = 1800.0
_PAUSE_SECONDS = 300.0
_MOST_TOLD = 64 * 1024


@dataclass(slots=True)
class Relayed:
    """What a backend answers. Whoever has it must close it."""

    status: int
    headers: Mapping[str, str]
    #: Takes the keys that were sent out of a text.
    redact: Redactor
    _line: AsyncLine
    _alarm: AsyncAlarm = field(default_factory=AsyncAlarm)
    #: Why the body ended before its end.
    failure: EndpointError | None = None

    async def pieces(self, tail: Callable[[], float | None] = lambda: None) -> AsyncIterator[bytes]:
        """The body, as it comes; *tail* says for how many seconds more is of interest, if not
        for long."""
        now = asyncio.get_running_loop().time
        try:
            while True:
                pause = tail()
                until = now() + (_PAUSE_SECONDS if pause is None else pause)
                piece = await self._alarm.within(until, self._line.read())
                if not piece:
                    return
                yield piece
        except TimeoutError:
            if pause is not None:
                return
            self.failure = EndpointTimeout("the upstream stopped answering")
            raise self.failure from None
        except EndpointError as error:
            self.failure = error
            raise

    async def told(self) -> str:
        """The body of an answer that is an error, or its beginning, without the keys; closes it.

        Some services repeat the key that they refuse. What cannot be read is left out: the status
        says enough.
        """
        try:
            body = await self.read(_MOST_TOLD)
        except WireError:
            body = b""
        return self.redact(body.decode("utf-8", "replace"))

    async def read(self, most: int) -> bytes:
        """The body, or its first bytes and some more if it is longer than *most*; closes it."""
        body = bytearray()
        try:
            async for piece in self.pieces():
                body += piece
                if len(body) > most:
                    break
        finally:
            await self.close()
        return bytes(body)

    async def close(self) -> None:
        """Give back the connection."""
        self._alarm.stop()
        await self._line.close()


class Relay:
    """The connections by which requests are handed on."""

    def __init__(self, pace: float = 0.0) -> None:
        self._lines = AsyncLines(True, pace)

    async def close(self) -> None:
        """Close the connections."""
        await self._lines.close()

    async def send(
        self,
        upstream: Upstream,
        path: str,
        key: str | None,
        content: bytes = b"",
        method: str = "POST",
        headers: Mapping[str, str] | None = None,
    ) -> Relayed:
        """What *upstream* answers at *path* to *content*; *headers* go with our own."""
        dialect = get_dialect(upstream.dialect)
        address = Address(upstream.url, dialect.path)
        try:
            sent = sent_headers(dialect, address, key, headers or {})
        except UsageError:
            told = "the key, or a header, is not plain ASCII text"
            raise BadRequest(told, None, "invalid_api_key") from None
        line = await self._lines.line()
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                status, given = await line.send(
                    address.target(path), sent, content, _CONNECT_SECONDS, method
                )
        except TimeoutError:
            await line.close()
            raise EndpointTimeout("the upstream did not answer") from None
        except BaseException:
            await line.close()
            raise
        reason = packed(given) if status < 300 else None
        if reason is not None:
            await line.close()
            raise reason
        if 300 <= status < 400:
            await line.close()
            raise EndpointError("the upstream answered with a redirect", status=status)
        return Relayed(status, given, Redactor(secrets_of(address, sent, key)), line)
