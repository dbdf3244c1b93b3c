"""The rules that both HTTP servers, the proxy and the page, have in common.

They answer only to their own host names, limit the size of a body and the time it may take, and
say clearly when their port is taken.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Collection
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import Request

from ..endpoints.apis.asked import BadRequest
from ..protocol.errors import UsageError
from .connections import BoundedProtocol

__all__ = ["SERVER_OPTIONS", "check_port", "foreign", "key_in", "read_body", "served_hosts"]

#: How uvicorn is to serve the application.
SERVER_OPTIONS: dict[str, Any] = {
    # uvicorn's own wait for ever, and the faster httptools has no limit for headers.
    "http": BoundedProtocol,
    # A connection that was upgraded would be out of their reach.
    "ws": "none",
    "h11_max_incomplete_event_size": 32 * 1024,
    # Ours are set up already, in every process.
    "log_config": None,
    "access_log": False,
    "server_header": False,
    "proxy_headers": False,
    # Seconds that open answers get to end after the first signal.
    "timeout_graceful_shutdown": 30,
    # Longer than clients keep an unused connection (httpx: 5 seconds, as uvicorn itself): who
    # hangs up first must be the client, or a request may meet a connection that is just closed.
    "timeout_keep_alive": 75,
}
_LOCAL = ("127.0.0.1", "localhost", "[::1]")
_PORTS = {"http": 80, "https": 443}
#: Headers that a client and a server might read differently; one of each is enough.
_SINGLE = (
    *(b"host", b"content-length", b"transfer-encoding"),
    *(b"authorization", b"x-api-key", b"x-goog-api-key"),
)
#: Seconds that a body may take to arrive.
BODY_SECONDS = 60.0


def served_hosts(*names: str) -> frozenset[str]:
    """Return the ``Host`` headers under which a server at *names* may be addressed."""
    return frozenset(_written(host) for host in (*_LOCAL, *names))


def foreign(headers: Headers, hosts: Collection[str]) -> tuple[int, str] | None:
    """Return status and words if the request is not for a server of these *hosts*, else None."""
    if any(sum(name == each for name, _ in headers.raw) > 1 for each in _SINGLE):
        return 400, "a header was sent twice"
    if "content-length" in headers and "transfer-encoding" in headers:
        return 400, "a request must give one length for its body"
    if _name(headers.get("host", "")) not in hosts:
        return 421, "this server does not answer to that host name; add it with --allow-host"
    origin = headers.get("origin")
    if origin is not None and _place(origin) != _at_port(headers["host"], origin):
        return 403, "web pages of other origins are not served"
    return None


def _name(host: str) -> str:
    """*host* without its port."""
    name, colon, port = host.lower().rpartition(":")
    return name if colon and port.isdigit() else host.lower()


def _written(host: str) -> str:
    """*host* as a ``Host`` header has it: in small letters, IPv6 in brackets."""
    bare = host.lower()
    return f"[{bare}]" if bare.count(":") > 1 and not bare.startswith("[") else _name(bare)


def _place(origin: str) -> str | None:
    """Host and port of *origin*; None if it names none."""
    try:
        place = urlsplit(origin)
    except ValueError:
        return None
    bare = f"{place.scheme}://{place.netloc}"
    if place.scheme not in _PORTS or not place.netloc or bare.lower() != origin.lower():
        return None
    return _at_port(place.netloc, origin)


def _at_port(host: str, origin: str) -> str:
    """*host* with its port, the usual one of *origin*'s scheme if it has none."""
    name = _name(host)
    scheme = origin.partition(":")[0].lower()
    return host.lower() if name != host.lower() else f"{name}:{_PORTS.get(scheme, 0)}"


async def read_body(request: Request, most: int) -> bytes:
    """Return the body of *request*: at most *most* bytes, which must arrive within a minute."""
    try:
        async with asyncio.timeout(BODY_SECONDS):
            return await _read(request, most)
    except TimeoutError:
        raise BadRequest("the body did not arrive in time", None, "timeout", 408) from None


async def _read(request: Request, most: int) -> bytes:
    # It would be taken for anything but what it is. Nobody's SDK packs what it sends here.
    encoding = request.headers.get("content-encoding", "").strip().lower()
    if encoding not in ("", "identity"):
        told = f"the body is packed (content-encoding: {encoding[:40]}); send it as it is"
        raise BadRequest(told, None, "packed_body", 415)
    too_large = BadRequest(f"the body is longer than {most} bytes", None, "too_large", 413)
    announced = request.headers.get("content-length", "")
    # By its digits first: a number of thousands of them is none that Python reads.
    if announced.isdigit() and (len(announced) > 18 or int(announced) > most):
        raise too_large
    pieces, size = [], 0
    async for piece in request.stream():
        size += len(piece)
        if size > most:
            raise too_large
        pieces.append(piece)
    return b"".join(pieces)


def key_in(variable: str) -> str | None:
    """Return the key that a variable of the environment holds; None if it is empty or not set.

    One that was read from a file often ends with a line end, which no header can hold.
    """
    return os.environ.get(variable, "").strip() or None


def check_port(host: str, port: int) -> None:
    """Raise UsageError if nobody can listen at *host* and *port* now."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as attempt:
        attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            attempt.bind((host, port))
        except OSError as error:
            place = f"{host}:{port}"
            raise UsageError(f"cannot listen on {place}: {error.strerror}; try --port") from None
