"""A transport for clients on an event loop: ``AsyncClient(transport=AsyncToolTransport(…))``."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Self

from ...endpoints.apis.pieces import Failed, Piece
from ...endpoints.function import as_async_endpoint
from ...protocol.errors import ToolProtoError, ToolsRefused, UsageError
from ..bridge.exchange import Exchange
from .answering import Answering, ReadyResponse
from .base import MOST_LISTED, Transport
from .desk import HandOn, Looking
from .library import library_of, streams_of

__all__ = ["AsyncToolTransport"]

if TYPE_CHECKING:
    from httpx import AsyncBaseTransport as _Base
else:
    # Clients of httpx2 refuse what is a class of httpx, and neither needs it to be one.
    _Base = object


class AsyncToolTransport(Transport, _Base):
    """What :class:`~.sync.ToolTransport` is, on an event loop of asyncio.

    Cancelling a request, or closing its response, hangs up on the backend.
    """

    _wrapped = staticmethod(as_async_endpoint)

    async def handle_async_request(self, request: Any) -> Any:
        """The response to *request*, of the library that it is of."""
        body = await request.aread() if self._reads(request) else b""
        arrived = self._arrived(request, body)
        match plan := self._desk.plan(arrived):
            case HandOn():
                return await self._through(request).handle_async_request(
                    self._handed_on(request, plan, arrived)
                )
            case Looking():
                return _told(request, await self._looked_up(request, arrived, plan))
            case Answering():
                return await self._answered(request, plan)
            case ReadyResponse():
                return _told(request, plan)

    def handle_request(self, *_: object) -> Any:
        """Says which transport a client takes that waits."""
        raise UsageError("this client is not asynchronous: give it a ToolTransport")

    __enter__ = handle_request

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Give back idle connections; a response that is being read goes on to its end."""
        inner, self._inner = self._inner, {}
        for transport in inner.values():
            await transport.aclose()
        for endpoint in self._backend.emptied():
            await endpoint.aclose()

    def _through(self, request: Any) -> Any:
        """The transport by which the client's library reaches the backend itself."""
        library = library_of(request)
        if library not in self._inner:
            self._inner[library] = library.AsyncHTTPTransport(verify=self._verify)
        return self._inner[library]

    async def _looked_up(self, request: Any, arrived: Any, plan: Looking) -> ReadyResponse:
        asking = self._asking(request, arrived, plan)
        response = await self._through(request).handle_async_request(asking)
        try:
            body = bytearray()
            async for piece in response.aiter_bytes():
                body += piece
                if len(body) > MOST_LISTED:
                    break
        finally:
            await response.aclose()
        return self._listed(plan, response.status_code, bytes(body))

    async def _answered(self, request: Any, answering: Answering) -> Any:
        frames = _Frames(self, request, answering)
        try:
            frames.unread = await anext(frames.made, b"")
        except BaseException:
            await frames.aclose()
            raise
        if answering.refusal is not None:
            await frames.aclose()
            return _told(request, answering.refusal)
        _, stream = streams_of(library_of(request))
        return library_of(request).Response(
            200, headers=answering.headers, stream=stream(frames), request=request
        )


class _Frames:
    """The bytes of a response while the model makes them."""

    def __init__(self, transport: AsyncToolTransport, request: Any, answering: Answering) -> None:
        self._transport = transport
        self._request = request
        self._answering = answering
        self.made = self._make()
        #: What was made already.
        self.unread = b""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        if self.unread:
            yield self.unread
        async for frame in self.made:
            yield frame

    async def aclose(self) -> None:
        """Hang up on the backend."""
        await self.made.aclose()

    async def _make(self) -> AsyncGenerator[bytes]:
        answering = self._answering
        for choice, exchange in enumerate(answering.exchanges):
            async with aclosing(self._replies(exchange)) as replies:
                async for pieces in replies:
                    if frame := answering.take(choice, pieces):
                        yield frame
                    if answering.is_over:
                        return
        yield answering.end()

    async def _replies(self, exchange: Exchange) -> AsyncGenerator[list[Piece]]:
        transport, request = self._transport, self._request
        try:
            endpoint = transport._endpoint(self._answering, request)
            while not exchange.done:
                sent = transport._sent(self._answering, exchange.request)
                try:
                    async with endpoint.astream(sent) as chunks:
                        async for chunk in chunks:
                            yield exchange.feed(chunk)
                            if exchange.is_over:
                                break
                except ToolsRefused as error:
                    transport._refused(self._answering, error)
                    if not exchange.refused():
                        raise
                    continue
                yield exchange.finish()
        except ToolProtoError as error:
            failure = transport._failure(request, error)
        else:
            return
        # Raised out here, so that no error of a lower layer hangs on it.
        if isinstance(failure, Failed):
            yield [failure]
        else:
            raise failure


def _told(request: Any, told: ReadyResponse) -> Any:
    return library_of(request).Response(
        told.status, headers=dict(told.headers), content=told.body, request=request
    )
