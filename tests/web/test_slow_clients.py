"""The proxy's table of slow clients, before the server of the page."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import httpx
import pytest

from tests import plain
from tests.gateway.proxy.test_hostile import BODIES
from tests.gateway.test_connections import (
    DRIPPING,
    FINE,
    SLOW,
    Hasty,
    drips,
    goes_no_further,
    takes_nothing,
    until_hung_up,
)
from tests.patience import PATIENCE
from tests.web.serving import Client, scripted, served
from toolproto.gateway import http_server
from toolproto.gateway.connections import BoundedProtocol
from toolproto.web.run import WEB_OPTIONS

LONG = "word " * 1_600_000  # more than the buffers of a connection take
CONFIG = scripted([LONG[:4_000_000], LONG[4_000_000:]], connections=50)
Place = tuple[str, int]


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with served(CONFIG, http=Hasty, timeout_keep_alive=1) as url:
        yield "127.0.0.1", int(url.rpartition(":")[2])


@pytest.fixture
def me(place: Place) -> Iterator[Client]:
    with Client(f"http://127.0.0.1:{place[1]}", CONFIG.token) as me:
        yield me


@pytest.mark.parametrize("sent", SLOW.values(), ids=list(SLOW))
def test_a_client_that_does_not_go_on_is_hung_up_on(place: Place, sent: bytes) -> None:
    goes_no_further(place, sent)


@pytest.mark.parametrize("begun", DRIPPING.values(), ids=list(DRIPPING))
def test_a_client_that_drips_is_hung_up_on(place: Place, begun: bytes) -> None:
    drips(place, begun)


def _asking(path: str) -> bytes:
    head = f"GET {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {CONFIG.token}\r\n\r\n"
    return head.encode()


def test_a_viewer_that_takes_nothing_is_hung_up_on_and_the_turn_goes_on(
    place: Place, me: Client
) -> None:
    id = me.new()
    after = me.show(id)["after"]
    me.act(id, "send", text="Tell me all")
    takes_nothing(place, _asking(f"/api/sessions/{id}/events?after={after}"))
    while me.show(id)["running"]:
        pass
    assert me.show(id)["turns"][-1]["status"] == "completed"


def test_a_download_that_nobody_takes_is_ended(place: Place, me: Client) -> None:
    id = me.new()
    path = f"/api/sessions/{id}/file?path=a.bin"
    assert me.http.put(path, content=b"x" * 8_000_000).status_code == 200
    takes_nothing(place, _asking(path))


def test_a_body_that_does_not_come_is_refused(
    place: Place, me: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_server, "BODY_SECONDS", 0.1)
    id = me.new()
    for method, path in (("POST", "/api/sessions"), ("PUT", f"/api/sessions/{id}/file?path=a")):
        with socket.create_connection(place, timeout=PATIENCE) as line:
            head = _asking(path).replace(b"GET", method.encode())[:-2]
            line.sendall(head + b"content-length: 9\r\n\r\n{")
            assert line.recv(200).startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize("case", ["not json", "not an object", "not utf-8", "deep"])
def test_a_body_that_cannot_be_meant_is_refused(me: Client, case: str) -> None:
    headers = {"content-type": "application/json"}
    answer = me.http.post("/api/sessions", content=BODIES[case], headers=headers)
    assert answer.status_code == 400 and answer.json()["error"]


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_that_is_too_long_is_refused(me: Client, chunked: bool) -> None:
    long = b'{"title": "' + b"y" * 17_000_000 + b'"}'
    content = iter([long]) if chunked else long
    headers = {"content-type": "application/json"}
    # Who does not wait for the answer finds the line closed.
    with suppress(httpx.WriteError):
        assert me.http.post("/api/sessions", content=content, headers=headers).status_code == 413


def test_connections_that_ask_for_nothing_make_room() -> None:
    with served(scripted("ok", connections=5)) as url, ExitStack() as stack:
        place = ("127.0.0.1", int(url.rpartition(":")[2]))
        silent = [stack.enter_context(socket.create_connection(place)) for _ in range(5)]
        asked = [plain.get(url + FINE.decode()).status_code for _ in range(3)]
        assert asked == [200] * 3
        silent[0].settimeout(PATIENCE)
        with suppress(ConnectionError):  # the oldest went first
            assert silent[0].recv(1) == b""


def test_when_all_are_watching_the_next_is_told_to_come_later() -> None:
    config = scripted("ok", connections=3)
    with served(config) as url, ExitStack() as stack:
        place = ("127.0.0.1", int(url.rpartition(":")[2]))
        with Client(url, config.token) as me:
            id = me.new()
            after = me.show(id)["after"]
        for _ in range(3):
            viewer = stack.enter_context(socket.create_connection(place, timeout=PATIENCE))
            asked = _asking(f"/api/sessions/{id}/events?after={after}")
            viewer.sendall(asked.replace(CONFIG.token.encode(), config.token.encode()))
            assert viewer.recv(12) == b"HTTP/1.1 200"
        with socket.create_connection(place) as late:
            assert until_hung_up(late).startswith(b"HTTP/1.1 503")


def test_the_page_is_served_with_the_bounds_of_the_proxy() -> None:
    assert WEB_OPTIONS["http"] is BoundedProtocol
