"""What one client, one model or one backend does must not harm the others."""

from __future__ import annotations

import json
import logging
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from tests import plain
from tests.gateway.proxy.backend import Backend, Messages, served, whole
from tests.gateway.proxy.wire import CHAT, asked
from tests.patience import PATIENCE
from toolproto import UsageError, get_paradigm
from toolproto.endpoints.apis.asked import Asked
from toolproto.endpoints.apis.pieces import Ended, Failed, Piece
from toolproto.gateway.bridge.exchange import Exchange
from toolproto.gateway.bridge.prompting import first_request
from toolproto.gateway.proxy.app import make_app
from toolproto.gateway.proxy.config import (
    ModelTerms,
    ProxyConfig,
    ProxyLimits,
    Upstream,
    config_from,
)
from toolproto.gateway.proxy.run import banner, check
from toolproto.protocol.messages import Chunk, Message
from toolproto.protocol.tools.spec import ToolOffer, ToolSpec

PLAIN = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
OFFER = ToolOffer((ToolSpec("now", "The time.", {"type": "object", "properties": {}}),))
ASKED = Asked("m", (Message("user", "hi"),), OFFER)


@contextmanager
def proxied(app: Any, path: str = "/v1", **settings: Any) -> Iterator[str]:
    upstream = {key: settings.pop(key) for key in ("native", "api_key_env") if key in settings}
    with served(app) as url:
        config = ProxyConfig((Upstream(url + path, **upstream),), ModelTerms("xml_tag"), **settings)
        with served(make_app(config)) as here:
            yield here


def hello() -> Backend:
    return Backend(lambda messages: "hello")


def answering(answer: Callable[[dict[str, Any]], Response]) -> Starlette:
    async def chat(request: Request) -> Response:
        return answer(await request.json())

    return Starlette(routes=[Route(CHAT, chat, methods=["POST"])])


def open_requests(url: str) -> float:
    lines = plain.get(f"{url}/metrics").text.splitlines()
    return float(
        next(line for line in lines if line.startswith("toolproto_requests_open ")).split()[1]
    )


def no_request_is_left_open(url: str) -> bool:
    """Whether that is so soon: a client has its answer a little before the request is over."""
    end = time.monotonic() + PATIENCE
    while open_requests(url) and time.monotonic() < end:
        time.sleep(0.01)
    return open_requests(url) == 0


# -- other clients ------------------------------------------------------------------------


def test_a_stream_goes_on_while_others_use_many_models():
    def speak(messages: Messages) -> str:
        return "word " * 200 if "slow" in str(messages) else "hi"

    backend = Backend(speak, pause=0.001)
    with proxied(backend.app()) as url:
        body = {**asked("slow", stream=True), "model": "victim"}
        with plain.stream("POST", url + CHAT, json=body, timeout=PATIENCE) as stream:
            lines = stream.iter_lines()
            next(lines)
            for number in range(70):
                other = {**asked("x"), "model": f"m{number}"}
                assert plain.post(url + CHAT, json=other, timeout=PATIENCE).status_code == 200
            assert [line for line in lines if line][-1] == "data: [DONE]"


def test_one_bad_request_does_not_end_the_tools_of_a_backend():
    seen = []

    def answer(body: dict[str, Any]) -> Response:
        seen.append("tools" in body)
        if len(seen) == 1:
            return JSONResponse({"error": {"message": "overloaded"}}, 500)
        if body.get("temperature"):
            return JSONResponse({"error": {"message": "temperature is too high"}}, 400)
        return JSONResponse(whole("hi"))

    with proxied(answering(answer), native="auto") as url:
        first = plain.post(url + CHAT, json=asked("x"))
        hot = plain.post(url + CHAT, json=asked("x", temperature=99))
        last = plain.post(url + CHAT, json=asked("x"))
    assert seen == [True, True, True]
    assert [answer.status_code for answer in (first, hot, last)] == [500, 400, 200]
    assert "temperature" in hot.json()["error"]["message"]


def test_what_nobody_expected_is_an_error_and_no_open_request():
    with proxied(hello().app()) as url:
        key = {"authorization": "Bearer é".encode("latin-1")}
        answers = [plain.post(url + CHAT, json=body, headers=key) for body in (PLAIN, asked("x"))]
        assert no_request_is_left_open(url)
    assert [answer.status_code for answer in answers] == [400, 400]
    assert all("key" in answer.json()["error"]["message"] for answer in answers)


def test_a_request_that_is_passed_on_is_open_until_it_ends():
    with proxied(Backend(lambda messages: "hello " * 20, pause=0.02).app()) as url:
        with plain.stream("POST", url + CHAT, json={**PLAIN, "stream": True}) as stream:
            pieces = stream.iter_bytes()
            next(pieces)
            assert open_requests(url) == 1
            assert b"[DONE]" in b"".join(pieces)
        assert no_request_is_left_open(url)


def test_a_client_that_leaves_before_it_has_said_all_leaves_no_trace(capfd):
    with proxied(hello().app()) as url:
        port = int(url.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as line:
            head = f"POST {CHAT} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n"
            line.sendall(head.encode() + b"{")
        assert plain.post(url + CHAT, json=PLAIN).status_code == 200
        assert no_request_is_left_open(url)
    assert "Traceback" not in capfd.readouterr().err


# -- odd backends -------------------------------------------------------------------------


def test_a_backend_that_leads_elsewhere_is_not_followed_nor_handed_on():
    def moved(body: dict[str, Any]) -> Response:
        return Response("moved", 307, {"location": "http://evil.example/"})

    with proxied(answering(moved)) as url:
        answers = [plain.post(url + CHAT, json=body) for body in (PLAIN, asked("x"))]
    assert [answer.status_code for answer in answers] == [502, 502]
    assert not any("location" in answer.headers for answer in answers)


def test_a_reply_that_breaks_off_on_its_way_through_is_seen_to_be_broken(capfd):
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            headers = [(b"content-type", b"text/event-stream"), (b"content-length", b"99")]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": b"data: x\n\n", "more_body": True})

    with proxied(app) as url:
        with pytest.raises(httpx.RemoteProtocolError):
            plain.post(url + CHAT, json={**PLAIN, "stream": True})
        assert no_request_is_left_open(url)
    assert "Traceback" not in capfd.readouterr().err


def test_a_header_that_cannot_be_sent_on_is_left_out():
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            odd = [(b"content-type", b"application/json"), (b"x-request-id", "漢".encode())]
            await send({"type": "http.response.start", "status": 200, "headers": odd})
            await send({"type": "http.response.body", "body": b"{}"})

    with proxied(app) as url:
        answer = plain.post(url + CHAT, json=PLAIN)
        assert no_request_is_left_open(url)
    assert (answer.status_code, answer.json()) == (200, {})
    assert answer.headers["x-request-id"].isascii()


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1?api-version=1", "/v1/"])
def test_an_address_is_the_same_with_tools_and_without(path):
    with proxied(hello().app(), path) as url:
        answers = [plain.post(url + CHAT, json=body) for body in (PLAIN, asked("x"))]
        names = plain.get(f"{url}/v1/models")
    assert [answer.status_code for answer in (*answers, names)] == [200, 200, 200]


def test_fields_about_tools_that_say_nothing_stay_here():
    backend = hello()
    with proxied(backend.app()) as url:
        answer = plain.post(url + CHAT, json={**PLAIN, "tools": None, "tool_choice": None})
    assert answer.status_code == 200
    assert backend.bodies == [PLAIN]


# -- models that do not stop --------------------------------------------------------------


def said(exchange: Exchange, reply: str) -> list[Piece]:
    pieces = exchange.feed(Chunk(reply))
    return [*pieces, *exchange.feed(Chunk(finish_reason="stop")), *exchange.finish()]


@pytest.mark.parametrize("chunk", [Chunk("word " * 100), Chunk(reasoning="word " * 100)])
def test_a_reply_without_an_end_is_given_up(chunk):
    exchange = Exchange(ASKED, get_paradigm("xml_tag"), most=10_000)
    fed = 0
    while not exchange.is_over:
        exchange.feed(chunk)
        fed += 1
    assert fed == 21
    (failed,) = exchange.finish()
    assert isinstance(failed, Failed)
    assert failed.code == "reply_too_long"


def test_of_calls_without_an_end_the_first_ones_count():
    call = '<tool_code>{"name": "now", "arguments": {}}</tool_code>\n'
    exchange = Exchange(ASKED, get_paradigm("xml_tag"))
    assert isinstance(said(exchange, call * 1000)[-1], Ended)
    assert len(exchange.called) == 128


def test_what_is_put_to_a_model_again_has_a_limit():
    wrong = '<tool_code>{"name": "fly", "arguments": {}}</tool_code>\n'
    exchange = Exchange(ASKED, get_paradigm("xml_tag"))
    assert not said(exchange, wrong * 3000)
    assert exchange.reasked == 1
    assert sum(len(message.content) for message in exchange.request.messages) < 20_000


# -- texts --------------------------------------------------------------------------------


def test_marks_of_a_block_in_a_prompt_are_text():
    """The splice replaces the block of an earlier request, and none of ours ever came here."""
    system = "<!-- tools -->\nRULE: ask first.\n<!-- /tools --> Be kind."
    asked_so = Asked("m", (Message("system", system), Message("user", "hi")), OFFER)
    told = first_request(asked_so, get_paradigm("xml_tag")).messages[0].content
    assert "RULE: ask first." in told
    assert "Be kind." in told
    assert '"name": "now"' in told


@pytest.mark.parametrize("body", [PLAIN, asked("x")], ids=["plain", "tools"])
@pytest.mark.parametrize(
    "field", ['"temperature": 1e999', f'"model": "{"m" * 600}"'], ids=["number", "name"]
)
def test_what_would_be_too_large_is_refused(body, field):
    backend = hello()
    with proxied(backend.app()) as url:
        answer = plain.post(url + CHAT, content=json.dumps(body)[:-1] + f", {field}}}")
    assert answer.status_code == 400
    assert not backend.bodies


@pytest.mark.parametrize("origin", ["http://[evil", "http://[::1", "//"])
def test_an_origin_that_is_none_is_refused(origin):
    with proxied(hello().app()) as url:
        assert plain.get(f"{url}/healthz", headers={"origin": origin}).status_code == 403


def test_an_address_of_six_parts_may_be_addressed(monkeypatch):
    monkeypatch.setenv("PROXY_KEY", "k")
    with proxied(hello().app(), host="fd00::5", key_env="PROXY_KEY", hosts=("gpu:8100",)) as url:
        for host in ("[fd00::5]:8100", "[FD00::5]", "gpu:8100", "gpu"):
            headers = {"host": host, "authorization": "Bearer k"}
            assert plain.get(f"{url}/healthz", headers=headers).status_code == 200


# -- keys and settings --------------------------------------------------------------------


def test_a_line_end_behind_a_key_is_not_part_of_it(monkeypatch, caplog):
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("BACKEND_KEY", "sk-canary-0123456789\n")
    monkeypatch.setenv("PROXY_KEY", "secret\n")
    backend = hello()
    with proxied(backend.app(), api_key_env="BACKEND_KEY", key_env="PROXY_KEY") as url:
        for body in (PLAIN, asked("x")):
            sent = {"authorization": "Bearer secret"}
            assert plain.post(url + CHAT, json=body, headers=sent).status_code == 200
    assert {headers["authorization"] for headers in backend.headers} == {
        "Bearer sk-canary-0123456789"
    }
    assert "canary" not in caplog.text


def test_a_key_that_no_header_can_hold_is_refused_at_the_start(monkeypatch):
    monkeypatch.setenv("BACKEND_KEY", "clé")
    with pytest.raises(UsageError, match="BACKEND_KEY is not plain ASCII") as refused:
        check(ProxyConfig((Upstream("http://a/v1", api_key_env="BACKEND_KEY"),)))
    assert "clé" not in str(refused.value)


def test_what_is_secret_in_an_address_is_not_shown():
    shown = banner(ProxyConfig((Upstream("http://user:canary@a/v1?key=canary"),)))
    assert "http://a/v1" in shown
    assert "canary" not in shown


GOOD = {"url": "http://a/v1"}
WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "prefix": ({"upstreams": [{**GOOD, "prefix": 3}]}, "upstreams.0.prefix"),
    "table": ({"upstreams": ["http://a/v1"]}, "upstreams.0"),
    "url": ({"upstreams": [{"url": 3}]}, "upstreams.0.url"),
    "no url": ({"upstreams": [{"prefix": "x/"}]}, "upstreams.0.url"),
    "bad url": ({"upstreams": [{"url": "localhost:8080"}]}, "must be like"),
    "key": ({"upstreams": [{**GOOD, "api_key_env": 3}]}, "api_key_env"),
    "paradigm": ({"upstreams": [GOOD], "models": {"m": {"paradigm": ["x"]}}}, "models.m.paradigm"),
    "reasks": ({"upstreams": [GOOD], "models": {"m": {"reasks": "x"}}}, "models.m.reasks"),
    "endless": ({"upstreams": [GOOD], "models": {"m": {"reasks": -1}}}, "reasks is -1"),
    "limit": ({"upstreams": [GOOD], "limits": {"bodies": 3}}, "limits.bodies"),
    "twice": ({"upstreams": [GOOD, {"url": "http://b/v1"}]}, "2 upstreams"),
}


@pytest.mark.parametrize(("values", "told"), WRONG.values(), ids=WRONG)
def test_a_setting_of_the_wrong_kind_is_named(values, told):
    with pytest.raises(UsageError, match=told):
        config_from(values)


def test_limits_can_be_set():
    assert config_from({"upstreams": [GOOD], "limits": {"reply": 5}}).limits == ProxyLimits(reply=5)
