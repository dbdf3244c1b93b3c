"""Reading a reply over HTTP from an event loop; cancelling the task ends the request."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Mapping
from contextlib import aclosing, suppress
from typing import Self, TypeVar

from ..errors import EndpointError
from ..messages import Chunk
from .exchange import Exchange, Service
from .http import AsyncLine, AsyncLines
from .http_stream import DRAIN

__all__ = ["AsyncHttpStream"]

T = TypeVar("T")


class AsyncHttpStream:
    """The chunks of one reply; what ``HttpEndpoint.astream`` gives."""

    def __init__(self, service: Service, lines: AsyncLines, content: bytes) -> None:
        self._service = service
        self._lines = lines
        self._content = content
        self._chunks = self._run()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def __aiter__(self) -> AsyncIterator[Chunk]:
        return self

    async def __anext__(self) -> Chunk:
        return await anext(self._chunks)

    async def aclose(self) -> None:
        """End the request and give back all it held."""
        await self._chunks.aclose()

    async def _run(self) -> AsyncGenerator[Chunk]:
        now = asyncio.get_running_loop().time
        exchange = Exchange(self._service, now())
        while True:
            line = await self._lines.line()
            try:
                async with aclosing(self._reply(line, exchange)) as chunks:
                    async for chunk in chunks:
                        yield chunk
                return
            except EndpointError as error:
                failure = error
                delay = exchange.retry_in(failure, line, now())
            except TimeoutError:
                failure, delay = exchange.overdue(), None
            finally:
                await self._end(line, exchange)
            # Raised out here, so that no error of a lower layer hangs on it.
            if delay is None:
                raise exchange.worded(failure)
            await asyncio.sleep(delay)

    async def _reply(self, line: AsyncLine, exchange: Exchange) -> AsyncGenerator[Chunk]:
        connect = exchange.begin(asyncio.get_running_loop().time())
        sending = line.send(self._service.url, self._service.headers, self._content, connect)
        status, headers = await _in_time(exchange, sending)
        if not exchange.answered(status, asyncio.get_running_loop().time()):
            raise await self._refusal(line, exchange, status, headers)
        try:
            while not exchange.ended and (data := await _in_time(exchange, line.read())):
                for chunk in exchange.take(data):
                    yield chunk
        except (EndpointError, TimeoutError):
            if not exchange.known:
                raise
        for chunk in exchange.finish():
            yield chunk

    async def _refusal(
        self, line: AsyncLine, exchange: Exchange, status: int, headers: Mapping[str, str]
    ) -> EndpointError:
        # A refusal is one, however much of its text came.
        with suppress(EndpointError, TimeoutError):
            while exchange.refused(await _in_time(exchange, line.read())):
                pass
        return exchange.refusal(status, headers, time.time())

    async def _end(self, line: AsyncLine, exchange: Exchange) -> None:
        try:
            if exchange.known:
                with suppress(EndpointError, TimeoutError):
                    async with asyncio.timeout(DRAIN):
                        await line.read()
        finally:
            await line.close()


async def _in_time(exchange: Exchange, waiting: Awaitable[T]) -> T:
    deadline = exchange.wait(asyncio.get_running_loop().time())
    async with asyncio.timeout_at(None if deadline == math.inf else deadline):
        return await waiting
