"""Connections: what httpx does for us. The only module that imports it.

A :class:`Line` is one connection for one request at a time, so that another thread can always
find its socket; an :class:`AsyncLine` is a request on an event loop, ended by cancelling. Both
raise EndpointError and nothing else, and never show httpx's errors, which hold the request and
with it the key.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import suppress
from functools import cache
from http.cookiejar import CookieJar
from threading import Lock
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

import httpx

from ...protocol.errors import EndpointError, EndpointTimeout, UsageError, WireError
from .pacing import AsyncPacedStream, PacedStream

__all__ = [
    "AsyncLine",
    "AsyncLines",
    "HttpClient",
    "Lent",
    "Line",
    "Lines",
    "lent_client",
    "packed",
]

#: What a program may bring: its own transport, proxies, certificates, mocks or instrumentation.
HttpClient = httpx.Client | httpx.AsyncClient

#: Connections kept for the next request; more than this at once are opened and closed.
_MOST_IDLE = 16
#: Shorter than the 5 seconds after which uvicorn (vLLM, SGLang and others stand on it) hangs up: a
#: request must not meet a connection that is just closed.
_IDLE_SECONDS = 3.0
_LIMITS = httpx.Limits(
    max_connections=None,
    max_keepalive_connections=_MOST_IDLE,
    keepalive_expiry=_IDLE_SECONDS,
)


#: What httpx's trace says when a connection is there, and when it has been encrypted.
_MADE = ("connect_tcp.complete", "start_tls.complete")


class _NoCookies(CookieJar):
    """Forgets what a service sets: its connections serve requests of several people."""

    def extract_cookies(self, response: object, request: object) -> None:
        """Take nothing."""


class Line:
    """One connection; :meth:`cut` may be called from any thread, all else from one.

    It is one of *lent*, a program's own client, if there is one. Then a request that goes out on a
    connection of an earlier one cannot be cut until its answer begins: httpx does not say which
    connection it took. *patience* is for how many seconds httpx itself waits for bytes.
    """

    def __init__(
        self,
        verify: ssl.SSLContext | bool,
        pace: float = 0.0,
        lent: httpx.Client | None = None,
        patience: float | None = None,
    ) -> None:
        self._lent = lent
        self._patience = patience
        self._pace = pace
        self._client = lent or httpx.Client(
            verify=_context(verify), limits=_LIMITS, cookies=_NoCookies()
        )
        self._lock = Lock()
        self._socket: socket.socket | None = None
        self._is_cut = False
        self._response: httpx.Response | None = None
        self._pieces: Iterator[bytes] = iter(())
        #: Whether the present request had to make the connection.
        self.fresh = False
        #: Whether the present request is on its way.
        self.sent = False
        #: Whether its reply was read to the end, so that another request may follow.
        self.whole = False

    def send(
        self,
        url: str,
        headers: Mapping[str, str],
        content: bytes,
        connect: float | None,
        method: str = "POST",
    ) -> tuple[int, Mapping[str, str]]:
        """Send a request and wait for its status and headers."""
        self.fresh = self.sent = self.whole = False
        request = _request(self._client, url, headers, content, connect, self._trace, method)
        if self._patience is not None:
            request.extensions["timeout"] |= {"read": self._patience, "write": self._patience}
        try:
            self._response = self._client.send(request, stream=True)
        except Exception as error:
            failure = _translated(error)
        else:
            if self._lent is not None and not self.fresh:
                self._keep(_socket_of(self._response))
            self._pieces = _pieces(self._response)
            return self._response.status_code, self._response.headers
        raise failure

    def read(self) -> bytes:
        """Some bytes of the body, nothing at its end."""
        try:
            piece = next(self._pieces, b"")
            if not piece:
                self._end()
            return piece
        except Exception as error:
            failure = _translated(error)
        raise failure

    def cut(self) -> None:
        """Break the connection, now or as soon as it is there: whoever waits for it is woken."""
        with self._lock:
            self._is_cut = True
            if self._socket is not None:
                with suppress(OSError):
                    self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Let go of the connection."""
        if self._response is not None:
            with suppress(Exception):
                self._response.close()
        if self._lent is None:
            self._client.close()
        self._keep(None)

    def _end(self) -> None:
        assert self._response is not None
        self._response.close()
        self.whole = not self._is_cut

    def _trace(self, event: str, values: Mapping[str, Any]) -> None:
        if event.endswith("connect_tcp.complete"):
            # A duplicate, because a TLS handshake takes the socket itself away, and because a
            # number that httpx closed may be somebody else's socket a moment later.
            self._keep(values["return_value"].get_extra_info("socket").dup())
            self.fresh = True
        if self._pace and event.endswith(_MADE):
            PacedStream(values["return_value"], self._pace)
        elif event.endswith("send_request_headers.started"):
            self.sent = True

    def _keep(self, duplicate: socket.socket | None) -> None:
        with self._lock:
            old, self._socket = self._socket, duplicate
        if old is not None:
            old.close()
        if self._is_cut:
            self.cut()


class Lines:
    """The idle lines of an endpoint."""

    def __init__(
        self,
        verify: ssl.SSLContext | bool,
        pace: float = 0.0,
        lent: httpx.Client | None = None,
        patience: float | None = None,
    ) -> None:
        self._verify = verify
        self._pace = pace
        self._lent = lent
        self._patience = patience
        self._idle: list[Line] = []
        self._closed = False

    def take(self) -> Line:
        """An idle line, or a new one."""
        try:
            return self._idle.pop()
        except IndexError:
            return Line(self._verify, self._pace, self._lent, self._patience)

    def give(self, line: Line) -> None:
        """Keep a line that has read its reply to the end; a client that is lent keeps its own."""
        if self._lent is not None or self._closed or len(self._idle) >= _MOST_IDLE:
            line.close()
        else:
            self._idle.append(line)

    def close(self) -> None:
        """Close the idle lines; those in use are closed when they are given back."""
        self._closed = True
        while self._idle:
            self._idle.pop().close()


class AsyncLine:
    """One request on the connections of an event loop."""

    def __init__(self, client: httpx.AsyncClient, held: _Held | None, pace: float) -> None:
        self._held = held
        self._pace = pace
        self._client = client
        self._response: httpx.Response | None = None
        self._connection: Any = None
        #: Where the body can be read without httpx, which has a part in the rest of it.
        self._beside: AsyncPacedStream | None = None
        if held is not None:
            held.lines.add(self)
        #: Whether the request had to make a connection, and whether it is on its way.
        self.fresh = False
        self.sent = False

    async def send(
        self,
        url: str,
        headers: Mapping[str, str],
        content: bytes,
        connect: float | None,
        method: str = "POST",
    ) -> tuple[int, Mapping[str, str]]:
        """Send a request and wait for its status and headers."""
        request = _request(self._client, url, headers, content, connect, self._trace, method)
        try:
            self._response = await self._client.send(request, stream=True)
        except Exception as error:
            failure = _translated(error)
        else:
            self._pieces = _apieces(self._response)
            self._beside = _beside(self._response)
            return self._response.status_code, self._response.headers
        raise failure

    async def read(self) -> bytes:
        """Some bytes of the body, nothing at its end."""
        try:
            if self._beside is not None:
                if piece := await self._beside.read_body():
                    return piece
                self._beside = None
            return await anext(self._pieces, b"")
        except Exception as error:
            failure = _translated(error)
        raise failure

    async def close(self) -> None:
        """End the request. The connection is kept if the body was read to its end."""
        try:
            with suppress(Exception):
                if self._response is None and self._connection is not None:
                    # httpcore leaves it open when a TLS handshake is cancelled.
                    await self._connection.aclose()
                elif self._response is not None:
                    await self._response.aclose()
                    # httpx's generators hold one another; one that is dropped in the middle is
                    # closed by a task of the loop, later. Reading from a closed connection ends
                    # them all now.
                    while await anext(self._pieces, b""):
                        pass
        finally:
            if self._held is not None:
                await self._held.give(self)

    async def _trace(self, event: str, values: Mapping[str, Any]) -> None:
        if event.endswith("connect_tcp.complete"):
            self._connection = values["return_value"]
            self.fresh = True
        if self._pace and event.endswith(_MADE):
            AsyncPacedStream(values["return_value"], self._pace)
        elif event.endswith("send_request_headers.started"):
            self.sent = True


class _Held:
    """The connections of one event loop, closed when nobody wants or uses them any more."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client = client
        # A loop that shuts down ends its generators first: ``asyncio.run`` leaves no
        # connection open, even if nobody closes the endpoint.
        self.holder = _hold(client)
        self.lines: set[AsyncLine] = set()
        self._closing = False

    async def give(self, line: AsyncLine) -> None:
        """*line* has ended its request."""
        self.lines.discard(line)
        if self._closing and not self.lines:
            await self.holder.aclose()

    async def close(self) -> None:
        """Close the connections; those in use when they are given back."""
        self._closing = True
        if not self.lines:
            await self.holder.aclose()


class AsyncLines:
    """The connections of an endpoint on each event loop it is used from.

    With a *pace*, in seconds, tokens that come faster than that are read together. They are those
    of *lent*, a program's own client, if there is one.
    """

    def __init__(
        self,
        verify: ssl.SSLContext | bool,
        pace: float = 0.0,
        lent: httpx.AsyncClient | None = None,
    ) -> None:
        self._verify = verify
        self._pace = pace
        self._lent = lent
        self._held: WeakKeyDictionary[asyncio.AbstractEventLoop, _Held] = WeakKeyDictionary()

    async def line(self) -> AsyncLine:
        """A line on the running loop."""
        if self._lent is not None:
            return AsyncLine(self._lent, None, self._pace)
        loop = asyncio.get_running_loop()
        held = self._held.get(loop)
        # A loop may go on after its generators were ended: Runner.run_sync of OpenAI's agents
        # ends them with every run.
        if held is None or held.client.is_closed:
            for old in [each for each in self._held if each.is_closed()]:
                del self._held[old]
            client = httpx.AsyncClient(
                verify=_context(self._verify), limits=_LIMITS, cookies=_NoCookies()
            )
            held = self._held[loop] = _Held(client)
            await anext(held.holder)
        return AsyncLine(held.client, held, self._pace)

    async def close(self) -> None:
        """Close the connections of the running loop; a reply being read goes on to its end."""
        held = self._held.pop(asyncio.get_running_loop(), None)
        if held is not None:
            await held.close()


class Lent(NamedTuple):
    """The client that a program lends an endpoint, by how it is asked."""

    plain: httpx.Client | None = None
    awaited: httpx.AsyncClient | None = None


def lent_client(client: object) -> Lent:
    """Return *client* as what it is; UsageError for what is no client of httpx's."""
    match client:
        case None:
            return Lent()
        case httpx.Client():
            return Lent(plain=client)
        case httpx.AsyncClient():
            return Lent(awaited=client)
    told = "an httpx.Client (for stream) or an httpx.AsyncClient (for astream)"
    raise UsageError(f"http_client is a {type(client).__name__}; give {told}")


def _socket_of(response: httpx.Response) -> socket.socket | None:
    """Return a duplicate of the socket that *response* comes from, if it comes from one."""
    stream = response.extensions.get("network_stream")
    found = None if stream is None else stream.get_extra_info("socket")
    if not isinstance(found, socket.socket):
        return None
    return socket.fromfd(found.fileno(), found.family, found.type)


async def _hold(client: httpx.AsyncClient) -> AsyncGenerator[None]:
    try:
        yield
    finally:
        await client.aclose()


def _context(verify: ssl.SSLContext | bool) -> ssl.SSLContext | bool:
    if verify is not True:
        return verify
    # Reading the system's certificates takes tens of milliseconds: once is enough, also when a
    # hundred threads begin together.
    with _context_lock:
        return _default_context()


_context_lock = Lock()
_default_context = cache(httpx.create_ssl_context)


def _request(
    client: httpx.Client | httpx.AsyncClient,
    url: str,
    headers: Mapping[str, str],
    content: bytes,
    connect: float | None,
    trace: Any,
    method: str = "POST",
) -> httpx.Request:
    extensions: dict[str, Any] = {"trace": trace}
    parts = urlsplit(url)
    if parts.query:
        # httpx logs the URL of each request, and a query may hold a key: it goes past the log.
        extensions["target"] = f"{parts.path}?{parts.query}".encode("ascii")
        url = url.partition("?")[0]
    # Only connecting is left to httpx: its other timeouts begin anew with every byte.
    timeout = httpx.Timeout(None, connect=connect)
    return client.build_request(
        method, url, headers=headers, content=content, timeout=timeout, extensions=extensions
    )


def _pieces(response: httpx.Response) -> Iterator[bytes]:
    """The body in the pieces it comes in; one that is packed cannot be read."""
    if reason := packed(response.headers):
        return _Unread(reason)
    assert isinstance(response.stream, httpx.SyncByteStream)
    return iter(response.stream)  # without the layers that count, regroup and unpack


def _apieces(response: httpx.Response) -> AsyncIterator[bytes]:
    if reason := packed(response.headers):
        return _Unread(reason)
    assert isinstance(response.stream, httpx.AsyncByteStream)
    return aiter(response.stream)


def _beside(response: httpx.Response) -> AsyncPacedStream | None:
    """The connection of *response*, if its body can be read there."""
    # Other answers may be without a body, whatever their heads say.
    is_plain = response.status_code == 200 and response.request.method != "HEAD"
    stream = response.extensions.get("network_stream")
    return AsyncPacedStream.of(stream) if is_plain and not packed(response.headers) else None


def packed(headers: Mapping[str, str]) -> WireError | None:
    """Why the body behind *headers* is not read: a few hundred bytes may unpack to megabytes."""
    encoding = headers.get("content-encoding", "").strip().lower()
    if encoding in ("", "identity"):
        return None
    return WireError(
        f"the answer is packed ({encoding[:40]!r}), although an unpacked answer was asked for"
    )


class _Unread:
    """A body that is not read, for that reason."""

    def __init__(self, reason: WireError) -> None:
        self._reason = reason

    def __iter__(self) -> _Unread:
        return self

    def __next__(self) -> bytes:
        raise self._reason

    def __aiter__(self) -> _Unread:
        return self

    async def __anext__(self) -> bytes:
        raise self._reason


def _translated(error: Exception) -> EndpointError:
    """httpx's error in our terms."""
    words = " ".join(str(error).split()) or type(error).__name__
    match error:
        case EndpointError():
            return error
        case httpx.ConnectTimeout():
            return EndpointTimeout("no connection could be made in time (timeout 'connect')")
        case httpx.TimeoutException():
            return EndpointTimeout("nothing came in time")
        case httpx.ConnectError():
            return EndpointError(
                f"could not connect: {words}; is it running, and is the address right?"
            )
        case httpx.RemoteProtocolError() if "without sending a response" in words:
            return EndpointError("the service closed the connection without an answer")
        case httpx.RemoteProtocolError() | httpx.DecodingError():
            return WireError(f"the answer is not HTTP, or was cut off: {words}")
        case _:
            return EndpointError(f"the connection broke: {words}")
