"""Reading a reply over HTTP from an event loop; cancelling the task ends the request."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import aclosing, suppress
from typing import Self

from ...protocol.errors import EndpointError
from ...protocol.messages import Chunk
from .alarm import AsyncAlarm
from .exchange import HttpExchange, Service
from .http import AsyncLine, AsyncLines
from .http_stream import DRAIN

__all__ = ["AsyncHttpStream"]


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
        return self._chunks

    async def __anext__(self) -> Chunk:
        return await anext(self._chunks)

    async def aclose(self) -> None:
        """End the request and give back all it held."""
        await self._chunks.aclose()

    async def _run(self) -> AsyncGenerator[Chunk]:
        now, alarm = asyncio.get_running_loop().time, AsyncAlarm()
        exchange = HttpExchange(self._service, self._content, now())
        while True:
            line = await self._lines.line()
            try:
                async with aclosing(self._reply(line, exchange, alarm)) as chunks:
                    async for chunk in chunks:
                        yield chunk
                return
            except EndpointError as error:
                failure = exchange.understood(error)
                delay = exchange.retry_in(failure, line, now())
            except TimeoutError:
                failure, delay = exchange.overdue(), None
            finally:
                alarm.stop()
                await self._end(line, exchange)
            # Raised out here, so that no error of a lower layer hangs on it.
            if delay is None:
                raise exchange.worded(failure)
            await asyncio.sleep(delay)

    async def _reply(
        self, line: AsyncLine, exchange: HttpExchange, alarm: AsyncAlarm
    ) -> AsyncGenerator[Chunk]:
        now = asyncio.get_running_loop().time
        connect = exchange.begin(now())
        service = self._service
        sending = line.send(service.url, service.headers, exchange.content, connect)
        status, headers = await alarm.within(exchange.wait(now()), sending)
        if not exchange.answered(status, now()):
            for chunk in await self._refusal(line, exchange, alarm, status, headers):
                yield chunk
            return
        try:
            while not exchange.ended:
                data = await alarm.within(exchange.wait(now()), line.read())
                if not data:
                    break
                for chunk in exchange.take(data):
                    yield chunk
        except (EndpointError, TimeoutError):
            if not exchange.known:
                raise
        for chunk in exchange.finish():
            yield chunk

    async def _refusal(
        self,
        line: AsyncLine,
        exchange: HttpExchange,
        alarm: AsyncAlarm,
        status: int,
        headers: Mapping[str, str],
    ) -> Iterator[Chunk]:
        now = asyncio.get_running_loop().time
        # A refusal is one, however much of its text came.
        with suppress(EndpointError, TimeoutError):
            while exchange.refused(await alarm.within(exchange.wait(now()), line.read())):
                pass
        return exchange.refuse(status, headers, time.time())

    async def _end(self, line: AsyncLine, exchange: HttpExchange) -> None:
        try:
            if exchange.known:
                with suppress(EndpointError, TimeoutError):
                    async with asyncio.timeout(DRAIN):
                        await line.read()
        finally:
            await line.close()
