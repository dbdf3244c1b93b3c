"""An answer of a backend with tools that speaks its client's API: read, and handed on as it came.

What is wrong with it is mended on the way; if it is of no use, the model is asked again, and its
client gets that answer behind what went out.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from starlette.responses import Response

from ...endpoints.apis.asked import Asked
from ...endpoints.apis.dialect import Dialect, load
from ...endpoints.apis.pieces import Ended, Failed
from ...endpoints.apis.served import BEGUN
from ...endpoints.apis.serving.api import Answer, Api, Stamp, collected
from ...endpoints.base import AsyncEndpoint
from ...endpoints.http.refusals import tools_refused
from ...endpoints.http.reply_reader import reply_in
from ...protocol.errors import EndpointError
from ...protocol.messages import ChatRequest, Chunk
from ..bridge.exchange import Exchange
from ..bridge.failures import failure_of, fault_of
from ..bridge.handing_on import HandingOn, is_same_end
from ..bridge.sameness import Sameness
from .beside import Beside
from .feed import Feed
from .passing import kept_headers
from .record import RequestRecord
from .relay import Relayed
from .responding import Responding, refused, rescued_header
from .streamed import AsciiJson, ClosingStream

__all__ = ["Rescuing"]

#: Bytes of a whole answer.
_MOST = 64 * 1024 * 1024
#: Seconds for what may follow the end of a reply: token counts, as a rule.
_TAIL = 2.0


class _Told:
    """An endpoint whose first reply is there already: its service told it in an error."""

    def __init__(self, endpoint: AsyncEndpoint, reply: Chunk) -> None:
        self._endpoint = endpoint
        self._reply: Chunk | None = reply

    @asynccontextmanager
    async def astream(self, request: ChatRequest, /) -> AsyncIterator[AsyncIterator[Chunk]]:
        """That reply, and from then on those of the endpoint."""
        reply, self._reply = self._reply, None
        if reply is not None:
            yield _one(reply)
            return
        async with self._endpoint.astream(request) as chunks:
            yield chunks


async def _one(chunk: Chunk) -> AsyncIterator[Chunk]:
    yield chunk


class Rescuing:
    """Reads the answer that *passed* brings to what was *asked* in the words of *api*.

    *endpoint* opens the way to the model for the exchange's next request.
    """

    def __init__(
        self,
        api: Api,
        asked: Asked,
        exchange: Exchange,
        dialect: Dialect,
        passed: Relayed,
        record: RequestRecord,
        silence: float,
        beside: Beside,
        endpoint: Callable[[], Awaitable[AsyncEndpoint]],
    ) -> None:
        self._api = api
        self._asked = asked
        self._exchange = exchange
        self._dialect = dialect
        self._passed = passed
        self._record = record
        self._silence = silence
        self._beside = beside
        self._endpoint = endpoint
        self._begun = BEGUN[api.name]()
        self._further: Responding | None = None
        self._outcome = "left"
        self._failed: Failed | None = None

    async def answer(self) -> Response:
        """The response to the client."""
        return await (self._streamed() if self._asked.stream else self._whole())

    async def instead(self, error: EndpointError) -> Response | None:
        """The response to the client where the backend answered with *error*; None for that."""
        if (reply := reply_in(error)) is not None:
            return await self._responded(_Told(await self._endpoint(), reply))
        if tools_refused(error) is not None and self._exchange.refused():
            return await self._responded(await self._endpoint())
        return None

    # -- in one piece -----------------------------------------------------------------------

    async def _whole(self) -> Response:
        try:
            body = await self._passed.read(_MOST)
        except BaseException:
            self._record.end("failed", [self._exchange], fault=self._broken())
            raise
        headers = kept_headers(self._passed.headers)
        as_it_came = Response(body, self._passed.status, headers)
        try:
            values = load(body.decode("utf-8", "replace"))
            read = self._dialect.read_whole(values)
        except EndpointError as error:
            if tools_refused(error) and self._exchange.refused():
                return await self._asked_again()
            self._record.end("passed", [self._exchange], status=self._passed.status)
            return as_it_came
        # The end of the body is an end.
        chunk = replace(read, finish_reason=read.finish_reason or "stop")
        same = Sameness(self._asked, self._begun.numbers_calls, self._begun.text_in_body)
        same.compare(chunk, came := self._exchange.feed(chunk))
        same.compare(Chunk(), ends := self._exchange.finish())
        pieces = [*came, *ends]
        match self._exchange.verdict:
            case Ended() as ended:
                self._record.end("answered", [self._exchange])
                if same.is_kept(ended) and is_same_end(ended, read.finish_reason, self._begun):
                    return as_it_came
                answer = collected(pieces)
                assert isinstance(answer, Answer)
                mended = self._begun.rewritten(values, answer, self._asked)
                told = rescued_header([self._exchange])
                return AsciiJson(mended, self._passed.status, {**headers, **told})
            case Failed() as failed:
                self._record.end("failed", [self._exchange], fault=failed)
                return refused(self._api, fault_of(failed), failed.retry_after)
        return await self._asked_again()

    async def _asked_again(self) -> Response:
        """The response to the exchange's next request, of which nothing went out yet."""
        await self._passed.close()
        return await self._responded(await self._endpoint())

    async def _responded(self, endpoint: AsyncEndpoint) -> Response:
        responding = self._responding(endpoint)
        return await (responding.streamed() if self._asked.stream else responding.whole())

    def _responding(self, endpoint: AsyncEndpoint, **begun: Any) -> Responding:
        exchanges = [self._exchange]
        feed = Feed(exchanges, endpoint, self._silence, self._beside)
        return Responding(
            self._api, self._asked, exchanges, feed, self._record, self._silence, **begun
        )

    def _broken(self) -> Failed | None:
        failure = self._passed.failure
        return None if failure is None else failure_of(failure)

    # -- in a stream ------------------------------------------------------------------------

    async def _streamed(self) -> Response:
        stamp = Stamp(secrets.token_hex(12), int(time.time()))
        handing = HandingOn(
            self._exchange, self._asked, self._dialect, self._begun, stamp, tools_refused
        )
        frames = self._frames(handing)
        try:
            first = await anext(frames, b"")
        except BaseException:
            await self._closed()
            raise
        if not first and handing.asks_again:
            return await self._asked_again()
        if not first and handing.failed is not None:
            self._outcome, self._failed = "failed", handing.failed
            await self._closed()
            return refused(self._api, fault_of(handing.failed), handing.failed.retry_after)
        written = self._written(first, frames, handing)
        headers = kept_headers(self._passed.headers)
        return ClosingStream(written, self._closed, self._passed.status, headers)

    async def _frames(self, handing: HandingOn) -> AsyncIterator[bytes]:
        """What goes out of the backend's stream."""
        written = time.monotonic()
        keep_alive = self._api.keep_alive.encode("ascii")
        async for data in self._passed.pieces(lambda: _TAIL if handing.is_ending else None):
            out = handing.feed(data)
            if not out and handing.has_begun and time.monotonic() - written >= self._silence:
                out = keep_alive
            if out:
                yield out
                written = time.monotonic()
            if handing.is_over:
                break
        if out := handing.finish():
            yield out

    async def _written(
        self, first: bytes, frames: AsyncIterator[bytes], handing: HandingOn
    ) -> AsyncIterator[bytes]:
        yield first
        async for frame in frames:
            yield frame
        self._failed = handing.failed
        self._outcome = "failed" if handing.failed else "answered"
        if not handing.asks_again:
            return
        self._outcome = "left"
        await self._passed.close()
        self._further = self._responding(
            await self._endpoint(), writer=handing.writer, has_begun=handing.has_written
        )
        async for text in self._further.frames():
            yield text.encode("ascii")

    async def _closed(self) -> None:
        await self._passed.close()
        if self._further is not None:
            await self._further.close()
            return
        if self._failed is None and (broken := self._broken()):
            self._outcome, self._failed = "failed", broken
        status = None if self._outcome == "left" else self._passed.status
        self._record.end(self._outcome, [self._exchange], status=status, fault=self._failed)
