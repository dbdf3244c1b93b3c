"""Clients that are slow on purpose: each is hung up on, and the others are served."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from tests import plain
from tests.patience import PATIENCE
from tests.quick_server import QuickServer, running
from toolproto.gateway.connections import BoundedProtocol
from toolproto.gateway.http_server import SERVER_OPTIONS

#: A path at which both this server and that of the page answer everybody.
FINE = b"/api/health"
HOST = b"GET " + FINE + b" HTTP/1.1\r\nhost: localhost\r\n"


class Hasty(BoundedProtocol):
    head_seconds = 0.2
    stall_seconds = 0.2


async def fine(request: Request) -> Response:
    return PlainTextResponse("fine")


async def endless(request: Request) -> Response:
    async def pieces():
        while True:
            yield b"x" * 65536
            await asyncio.sleep(0)  # so that it can be cancelled

    return StreamingResponse(pieces())


@contextmanager
def served(protocol: type[BoundedProtocol], most: int = 50) -> Iterator[tuple[str, int]]:
    app = Starlette(
        routes=[
            Route(FINE.decode(), fine, methods=["GET", "POST"]),
            Route("/endless", endless),
        ]
    )
    listener = socket.create_server(("127.0.0.1", 0))
    options = {**SERVER_OPTIONS, "http": protocol, "timeout_graceful_shutdown": 1}
    options["timeout_keep_alive"] = 1
    config = uvicorn.Config(app, limit_concurrency=most, **options)
    place = listener.getsockname()
    with running(QuickServer(config), listener):
        yield place


@pytest.fixture(scope="module")
def place() -> Iterator[tuple[str, int]]:
    with served(Hasty) as place:
        yield place


def until_hung_up(client: socket.socket) -> bytes:
    """What still comes, to the end of the connection; a test that waits too long has failed."""
    client.settimeout(PATIENCE)
    came = b""
    while piece := client.recv(65536):
        came += piece
    return came


SLOW = {
    "says nothing": b"",
    "half a line": b"GET " + FINE[:3],
    "half a head": HOST,
    "half a line end": HOST + b"\r",
    "a head behind an answer": HOST + b"\r\n" + HOST,
    "the rest of a body nobody reads": (
        HOST.replace(b"GET", b"POST") + b"content-length: 100000\r\n\r\n{"
    ),
}


@pytest.mark.parametrize("sent", SLOW.values(), ids=list(SLOW))
def test_a_client_that_does_not_go_on_is_hung_up_on(place, sent):
    goes_no_further(place, sent)


def goes_no_further(place: tuple[str, int], sent: bytes) -> None:
    """A client that sends *sent*, and no more, is answered what it asked, and hung up on."""
    with socket.create_connection(place) as client:
        client.sendall(sent)
        came = until_hung_up(client)
    answered = came.count(b"HTTP/1.1 2") + came.count(b"HTTP/1.1 405")  # the page takes no POST
    assert answered == (b"\r\n\r\n" in sent)


DRIPPING = {"a head": HOST, "a body nobody reads": SLOW["the rest of a body nobody reads"]}


@pytest.mark.parametrize("begun", DRIPPING.values(), ids=list(DRIPPING))
def test_a_client_that_drips_is_hung_up_on(place, begun):
    drips(place, begun)


def drips(place: tuple[str, int], begun: bytes) -> None:
    """A client that sends *begun*, and then a little now and then, is hung up on."""
    with socket.create_connection(place) as client, suppress(ConnectionError):
        client.sendall(begun)
        client.settimeout(0.05)
        for _ in range(200):
            client.sendall(b"x: y\r\n")
            with suppress(TimeoutError):
                if not client.recv(4096):
                    return
        pytest.fail("it may drip for ever")


def test_a_client_that_takes_nothing_is_hung_up_on(place):
    takes_nothing(place, HOST.replace(FINE, b"/endless") + b"\r\n")


def takes_nothing(place: tuple[str, int], asked: bytes) -> None:
    """A client that sends *asked* and reads nothing of the long answer is hung up on."""
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(place)
        client.sendall(asked)
        # Nothing is read, so nothing but the server can end this: then writing fails.
        client.settimeout(PATIENCE)
        with pytest.raises(ConnectionError):
            while True:
                client.sendall(b"x" * 1024)
                threading.Event().wait(0.02)


def test_a_client_that_takes_its_time_between_requests_is_served(place):
    with plain.Client() as client:
        url = f"http://127.0.0.1:{place[1]}{FINE.decode()}"
        assert [client.get(url).text for _ in range(5)] == ["fine"] * 5


def test_connections_that_ask_for_nothing_make_room():
    with served(BoundedProtocol, most=5) as place, ExitStack() as stack:
        silent = [stack.enter_context(socket.create_connection(place)) for _ in range(5)]
        url = f"http://127.0.0.1:{place[1]}{FINE.decode()}"
        assert [plain.get(url).text for _ in range(3)] == ["fine"] * 3
        silent[0].settimeout(PATIENCE)
        with suppress(ConnectionError):  # the oldest went first
            assert silent[0].recv(1) == b""


def test_when_all_are_answered_the_next_is_told_to_come_later():
    with served(BoundedProtocol, most=3) as place, ExitStack() as stack:
        for _ in range(3):
            client = stack.enter_context(socket.create_connection(place))
            client.settimeout(PATIENCE)
            client.sendall(HOST.replace(FINE, b"/endless") + b"\r\n")
            assert client.recv(12) == b"HTTP/1.1 200"
        with socket.create_connection(place) as late:
            assert until_hung_up(late).startswith(b"HTTP/1.1 503")


def test_the_proxy_is_served_with_these_bounds():
    assert SERVER_OPTIONS["http"] is BoundedProtocol
    assert (BoundedProtocol.head_seconds, BoundedProtocol.stall_seconds) == (10.0, 60.0)
