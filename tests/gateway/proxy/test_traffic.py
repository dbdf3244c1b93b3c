"""How requests travel: where to, with whose key, how soon; and what happens when clients leave."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests import plain
from tests.gateway.proxy.backend import Backend, served
from tests.gateway.proxy.clients.model import model_of
from tests.gateway.proxy.wire import CHAT, OSLO, PARADIGMS, asked
from tests.patience import PATIENCE
from toolproto.gateway.proxy.app import make_app
from toolproto.gateway.proxy.config import ModelTerms, ProxyConfig, Upstream


@dataclass
class HoldingBackend(Backend):
    """Stops after *holds_at* characters, until it is told to go on."""

    holds_at: int = 0
    go_on: threading.Event = field(default_factory=threading.Event)

    async def _chunks(self, said: str, reason: str | None) -> AsyncIterator[str]:
        async for chunk in super()._chunks(said, reason):
            while self.sent >= self.holds_at and not self.go_on.is_set():
                await asyncio.sleep(0.005)
            yield chunk


@contextmanager
def routed(*apps: Starlette, upstream: Sequence[dict[str, Any]] = (), **more: Any) -> Iterator[str]:
    """A proxy before *apps*, each with the settings of an upstream; its address."""
    with ExitStack() as stack:
        urls = [stack.enter_context(served(app)) for app in apps]
        settings = upstream or [{}] * len(urls)
        upstreams = [Upstream(f"{u}/v1", **s) for u, s in zip(urls, settings, strict=True)]
        config = {"upstreams": tuple(upstreams), "default": ModelTerms("xml_tag"), **more}
        yield stack.enter_context(served(make_app(ProxyConfig(**config))))


def eventually(happens: Callable[[], object]) -> bool:
    """Whether it happens before a machine that is busy would have done it."""
    until = time.monotonic() + PATIENCE
    while not happens() and time.monotonic() < until:
        time.sleep(0.01)
    return bool(happens())


# -- how soon -----------------------------------------------------------------------------


@pytest.mark.parametrize("paradigm", PARADIGMS)
def test_an_argument_begins_to_come_before_a_tenth_of_it_was_sent(paradigm):
    size = 20_000
    question = f"Call get_weather with {json.dumps({'city': 'x' * size})}"
    backend = HoldingBackend(model_of(paradigm), size=100, holds_at=size // 10)
    with (
        routed(backend.app(), default=ModelTerms(paradigm)) as url,
        plain.stream("POST", url + CHAT, json=asked(question, stream=True)) as response,
    ):
        pieces = response.iter_text()
        came = ""
        while "xxx" not in came:
            came += next(pieces)
        assert backend.sent <= size // 10
        backend.go_on.set()
        came += "".join(pieces)
    assert came.count("x") >= size
    assert came.endswith("data: [DONE]\n\n")


def test_a_stream_that_is_held_back_is_kept_alive():
    backend = HoldingBackend(model_of("xml_tag"), holds_at=8)
    with (
        routed(backend.app(), keep_alive=0.05) as url,
        plain.stream(
            "POST", url + CHAT, json=asked(OSLO, tool_choice="required", stream=True)
        ) as r,
    ):
        pieces = r.iter_text()
        came = next(pieces)
        while came.count(": keep-alive\n\n") < 3:
            came += next(pieces)
        # The words before a call that is demanded may have to be taken back.
        assert "Let me" not in came
        backend.go_on.set()
        came += "".join(pieces)
    assert "Let" in came and '"finish_reason":"tool_calls"' in came
    assert came.endswith("data: [DONE]\n\n")


def test_anthropics_clients_are_kept_waiting_with_pings():
    backend = HoldingBackend(model_of("xml_tag"))
    body = {"model": "m", "max_tokens": 9, "stream": True,
            "messages": [{"role": "user", "content": "Hello"}]}  # fmt: skip
    with (
        routed(backend.app(), keep_alive=0.05) as url,
        plain.stream("POST", f"{url}/v1/messages", json=body) as response,
    ):
        pieces = response.iter_text()
        came = ""
        while came.count("event: ping") < 2:
            came += next(pieces)
        backend.go_on.set()
        came += "".join(pieces)
    assert "event: message_stop" in came


# -- clients that leave, and slow ones ----------------------------------------------------


def test_a_client_that_leaves_its_stream_cancels_the_upstream():
    backend = Backend(lambda _: "word " * 100_000, pause=0.01)
    with routed(backend.app()) as url:
        with plain.stream("POST", url + CHAT, json=asked("Hello", stream=True)) as response:
            next(response.iter_bytes())
        assert eventually(lambda: backend.left)


def test_a_client_that_leaves_before_its_answer_cancels_the_upstream():
    backend = Backend(lambda _: "word " * 100_000, pause=0.01)
    with routed(backend.app()) as url:
        leave(url, asked("Hello"), lambda: backend.sent)
        assert eventually(lambda: backend.left)


def test_a_client_that_leaves_cancels_a_stream_that_is_only_passed_on():
    backend = Backend(lambda _: "word " * 100_000, pause=0.01)
    with routed(backend.app()) as url:
        body = asked("Hello", stream=True, tools=[])
        with plain.stream("POST", url + CHAT, json=body) as response:
            next(response.iter_bytes())
        assert eventually(lambda: backend.left)


def test_a_client_that_leaves_cancels_an_answer_that_is_only_passed_on():
    came, left = threading.Event(), threading.Event()

    async def think(request: Request) -> Response:
        await request.body()
        came.set()
        while not await request.is_disconnected():
            await asyncio.sleep(0.01)
        left.set()
        return Response()

    with routed(Starlette(routes=[Route(CHAT, think, methods=["POST"])])) as url:
        leave(url, asked("Hello", tools=[]), came.is_set)
        assert left.wait(PATIENCE)


def test_a_slow_client_slows_the_upstream_down():
    backend = Backend(lambda _: "word " * 30_000_000, size=16 * 1024)
    with routed(backend.app()) as url, sent(url, asked("Hello", stream=True)):
        assert eventually(lambda: backend.sent)
        assert eventually(lambda: is_still(lambda: backend.sent))
        # What is on its way: a short queue, and the buffers of two connections, which the system
        # may make as large as 38 million bytes each. Nobody has hung up.
        assert backend.sent < 100_000_000
        assert not backend.left


def leave(url: str, body: dict[str, Any], when: Callable[[], object]) -> None:
    """Send a request, and hang up *when* the backend has begun."""
    with sent(url, body):
        assert eventually(when)


@contextmanager
def sent(url: str, body: dict[str, Any]) -> Iterator[None]:
    """A request whose answer nobody reads."""
    written = json.dumps(body).encode()
    host = urlsplit(url).netloc
    head = f"POST {CHAT} HTTP/1.1\r\nhost: {host}\r\ncontent-length: {len(written)}\r\n\r\n"
    name, _, port = host.partition(":")
    with socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 * 1024)
        line.connect((name, int(port)))
        line.sendall(head.encode() + written)
        yield


def is_still(count: Callable[[], int]) -> bool:
    """Whether *count* does not move for a while."""
    before = count()
    time.sleep(0.3)
    return count() == before


# -- which backend, and with whose key ----------------------------------------------------


def test_models_go_to_the_upstream_whose_prefix_they_have():
    near, far, rest = (Backend(lambda _, name=name: name) for name in ("near", "far", "rest"))
    settings = [{"prefix": "near/"}, {"prefix": "far-"}, {}]
    with routed(near.app(), far.app(), rest.app(), upstream=settings) as url:
        said = [
            plain.post(url + CHAT, json=asked("x", model=model)).json()["choices"][0]["message"]
            for model in ("near/one", "far-two", "three")
        ]
        listed = plain.get(f"{url}/v1/models").json()
    assert [message["content"] for message in said] == ["near", "far", "rest"]
    # A prefix that ends with a slash is ours; any other is a part of the name.
    models = [backend.bodies[-1]["model"] for backend in (near, far, rest)]
    assert models == ["one", "far-two", "three"]
    assert [model["id"] for model in listed["data"]] == ["near/m", "m", "m"]


def test_a_model_of_no_upstream_is_refused():
    with routed(Backend(lambda _: "x").app(), upstream=[{"prefix": "near/"}]) as url:
        refused = plain.post(url + CHAT, json=asked("x"))
    assert (refused.status_code, refused.json()["error"]["code"]) == (404, "model_not_found")


BODIES = {"with tools": asked("Hello"), "passed on": {**asked("Hello"), "tools": []}}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_the_clients_key_is_passed_on(body):
    backend = Backend(model_of("xml_tag"))
    with routed(backend.app()) as url:
        plain.post(url + CHAT, json=body, headers={"authorization": "Bearer theirs"})
        plain.post(url + CHAT, json=body)
    first, second = backend.headers
    assert first["authorization"] == "Bearer theirs"
    assert "authorization" not in second


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_key_that_the_proxy_holds_takes_the_place_of_the_clients(body, monkeypatch):
    monkeypatch.setenv("HELD", "ours")
    backend = Backend(model_of("xml_tag"))
    with routed(backend.app(), upstream=[{"api_key_env": "HELD"}]) as url:
        plain.post(url + CHAT, json=body, headers={"authorization": "Bearer theirs"})
    assert backend.headers[-1]["authorization"] == "Bearer ours"


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_the_key_of_the_proxy_itself_goes_no_further(body, monkeypatch):
    monkeypatch.setenv("DOOR", "for the proxy")
    backend = Backend(model_of("xml_tag"))
    with routed(backend.app(), key_env="DOOR") as url:
        answer = plain.post(
            url + CHAT, json=body, headers={"authorization": "Bearer for the proxy"}
        )
        assert plain.post(url + CHAT, json=body).status_code == 401
    assert answer.status_code == 200
    assert "authorization" not in backend.headers[-1]


# -- what needs nothing from us -----------------------------------------------------------


@dataclass
class Recording:
    """A backend that answers with *answer*, and keeps what it was sent, to the byte."""

    answer: bytes
    media_type: str = "application/json"
    status: int = 200
    bodies: list[bytes] = field(default_factory=list)

    def app(self) -> Starlette:
        return Starlette(routes=[Route(CHAT, self._chat, methods=["POST"])])

    async def _chat(self, request: Request) -> Response:
        self.bodies.append(await request.body())
        return Response(self.answer, self.status, {"x-request-id": "r1"}, self.media_type)


PLAIN = '{ "model":"m","messages" : [{"role":"user","content":"a\u2028 🙂"}],\n"new_field": 1e2}'
STREAM = 'data: {"choices":[],"x":"\u2028 🙂"}\r\n\r\n: comment\n\ndata: [DONE]\n\n'
ANSWERS = {
    "whole": Recording(b'{"odd" :  [1.0, "\xc3\xa9"]}'),
    "streamed": Recording(STREAM.encode(), "text/event-stream; charset=utf-8"),
    "refused": Recording(b'{"error": "teapot"}', status=418),
}


@pytest.mark.parametrize("backend", ANSWERS.values(), ids=ANSWERS)
def test_a_request_without_tools_and_its_answer_pass_byte_for_byte(backend):
    with routed(backend.app()) as url:
        answer = plain.post(
            url + CHAT, content=PLAIN.encode(), headers={"content-type": "application/json"}
        )
    assert backend.bodies[-1] == PLAIN.encode()
    assert (answer.status_code, answer.content) == (backend.status, backend.answer)
    assert answer.headers["content-type"] == backend.media_type
    assert answer.headers["x-request-id"] == "r1"


def test_only_the_prefix_of_the_model_changes_in_what_is_passed_on():
    backend = Recording(b"{}")
    body = {"model": "near/one", "messages": [{"role": "user", "content": "é"}], "seed": 3}
    with routed(backend.app(), upstream=[{"prefix": "near/"}]) as url:
        plain.post(url + CHAT, json=body)
    assert json.loads(backend.bodies[-1]) == {**body, "model": "one"}


# -- backends with tools of their own -----------------------------------------------------


def test_a_backend_that_has_tools_gets_them_as_they_came():
    native = Recording(b'{"choices": [{"message": {"content": "Rain.", "tool_calls": []}}]}')
    written = json.dumps(asked(OSLO))
    with routed(native.app(), upstream=[{"native": "auto"}]) as url:
        answer = plain.post(url + CHAT, content=written)
    assert (native.bodies, answer.content) == ([written.encode()], native.answer)


def test_a_backend_without_tools_is_tried_once_and_taught_a_paradigm():
    backend = Backend(model_of("xml_tag"))
    with routed(backend.app(), upstream=[{"native": "auto"}]) as url:
        answers = [plain.post(url + CHAT, json=asked(OSLO)).json() for _ in range(2)]
    assert ["tools" in body for body in backend.bodies] == [True, False, False]
    for answer in answers:
        (call,) = answer["choices"][0]["message"]["tool_calls"]
        assert json.loads(call["function"]["arguments"]) == {"city": "Oslo"}


def test_a_backend_that_is_busy_is_not_taken_for_one_without_tools():
    async def busy(request: Request) -> Response:
        return JSONResponse({"error": {"message": "later"}}, 429, {"retry-after": "3"})

    app = Starlette(routes=[Route(CHAT, busy, methods=["POST"])])
    with routed(app, upstream=[{"native": "auto"}]) as url:
        refused = plain.post(url + CHAT, json=asked(OSLO))
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "3")


def test_a_backend_that_has_tools_is_never_shown_them_unless_asked():
    backend = Backend(model_of("xml_tag"))
    with routed(backend.app()) as url:
        plain.post(url + CHAT, json=asked(OSLO))
    assert ["tools" in body for body in backend.bodies] == [False]
