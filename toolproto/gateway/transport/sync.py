"""A transport for clients that wait: ``httpx.Client(transport=ToolTransport(…))``."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any, Self

from ...endpoints.apis.pieces import Failed, Piece
from ...endpoints.base import Abortable
from ...endpoints.function import as_endpoint
from ...protocol.errors import ToolProtoError, ToolsRefused, UsageError
from ...protocol.messages import ChatRequest
from ..bridge.exchange import Exchange
from .answering import Answering, ReadyResponse
from .base import MOST_LISTED, Transport
from .desk import HandOn, Looking
from .library import library_of, streams_of

__all__ = ["ToolTransport"]

if TYPE_CHECKING:
    from httpx import BaseTransport as _Base
else:
    # Clients of httpx2 refuse what is a class of httpx, and neither needs it to be one.
    _Base = object


class ToolTransport(Transport, _Base):
    """Answers a client's requests with a model that can only read and write text.

    Works in clients of httpx and of httpx2, and may be shared by threads. Closing a response
    hangs up on the backend. Nothing runs between requests; :meth:`close`, which the client calls
    when it is closed, gives back idle connections.
    """

    _wrapped = staticmethod(as_endpoint)

    def handle_request(self, request: Any) -> Any:
        """The response to *request*, of the library that it is of."""
        body = request.read() if self._reads(request) else b""
        arrived = self._arrived(request, body)
        match plan := self._desk.plan(arrived):
            case HandOn():
                return self._through(request).handle_request(
                    self._handed_on(request, plan, arrived)
                )
            case Looking():
                return _told(request, self._looked_up(request, arrived, plan))
            case Answering():
                return self._answered(request, plan)
            case ReadyResponse():
                return _told(request, plan)

    async def handle_async_request(self, *_: object) -> Any:
        """Says which transport an asynchronous client takes."""
        raise UsageError("this client is asynchronous: give it an AsyncToolTransport")

    __aenter__ = handle_async_request

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give back idle connections; a response that is being read goes on to its end."""
        with self._lock:
            inner, self._inner = self._inner, {}
        for transport in inner.values():
            transport.close()
        for endpoint in self._backend.emptied():
            endpoint.close()

    def _through(self, request: Any) -> Any:
        """The transport by which the client's library reaches the backend itself."""
        library = library_of(request)
        with self._lock:
            if library not in self._inner:
                self._inner[library] = library.HTTPTransport(verify=self._verify)
            return self._inner[library]

    def _looked_up(self, request: Any, arrived: Any, plan: Looking) -> ReadyResponse:
        asking = self._asking(request, arrived, plan)
        response = self._through(request).handle_request(asking)
        try:
            body = bytearray()
            for piece in response.iter_bytes():
                body += piece
                if len(body) > MOST_LISTED:
                    break
        finally:
            response.close()
        return self._listed(plan, response.status_code, bytes(body))

    def _answered(self, request: Any, answering: Answering) -> Any:
        frames = _Frames(self, request, answering)
        try:
            first = next(frames, b"")  # a failure before it has a status of its own
        except BaseException:
            frames.close()
            raise
        if answering.refusal is not None:
            frames.close()
            return _told(request, answering.refusal)
        frames.unread = first
        stream, _ = streams_of(library_of(request))
        return library_of(request).Response(
            200, headers=answering.headers, stream=stream(frames), request=request
        )


class _Frames:
    """The bytes of a response while the model makes them; may be closed by any thread."""

    def __init__(self, transport: ToolTransport, request: Any, answering: Answering) -> None:
        self._transport = transport
        self._request = request
        self._answering = answering
        self._stream: Any = None
        self._made = self._make()
        #: What was made already.
        self.unread = b""

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        if self.unread:
            first, self.unread = self.unread, b""
            return first
        return next(self._made)

    def close(self) -> None:
        """Hang up on the backend."""
        try:
            self._made.close()
        except ValueError:
            # Another thread waits in it for the next token, which is never to come.
            if isinstance(self._stream, Abortable):
                self._stream.abort()

    def _make(self) -> Generator[bytes]:
        answering = self._answering
        for choice, exchange in enumerate(answering.exchanges):
            for pieces in self._replies(exchange):
                if frame := answering.take(choice, pieces):
                    yield frame
                if answering.is_over:
                    return
        yield answering.end()

    def _replies(self, exchange: Exchange) -> Iterator[list[Piece]]:
        transport, request = self._transport, self._request
        try:
            endpoint = transport._endpoint(self._answering, request)
            while not exchange.done:
                yield from self._reply(exchange, endpoint)
        except ToolProtoError as error:
            failure = transport._failure(request, error)
        else:
            return
        # Raised out here, so that no error of a lower layer hangs on it.
        if isinstance(failure, Failed):
            yield [failure]
        else:
            raise failure

    def _reply(self, exchange: Exchange, endpoint: Any) -> Iterator[list[Piece]]:
        transport = self._transport
        request: ChatRequest = transport._sent(self._answering, exchange.request)
        self._stream = endpoint.stream(request)
        try:
            with self._stream as chunks:
                for chunk in chunks:
                    yield exchange.feed(chunk)
                    if exchange.is_over:
                        break
        except ToolsRefused as error:
            transport._refused(self._answering, error)
            if not exchange.refused():
                raise
            return
        yield exchange.finish()


def _told(request: Any, told: ReadyResponse) -> Any:
    return library_of(request).Response(
        told.status, headers=dict(told.headers), content=told.body, request=request
    )
