"""Requests that nobody should get an answer to, and keys that nobody should see."""

from __future__ import annotations

import gzip
import json
import logging
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

from tests import plain
from tests.gateway.proxy.backend import Backend, Refusal, served
from tests.patience import PATIENCE
from toolproto import UsageError
from toolproto.gateway import http_server
from toolproto.gateway.proxy.app import make_app
from toolproto.gateway.proxy.config import ModelTerms, ProxyConfig, ProxyLimits, Upstream

CHAT = "/v1/chat/completions"
TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
BODY = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
CANARY = "sk-canary-0123456789abcdef"


@contextmanager
def proxy(backend: Backend, **options: object) -> Iterator[str]:
    with served(backend.app()) as upstream:
        defaults = {"upstreams": (Upstream(f"{upstream}/v1"),), "default": ModelTerms("xml_tag")}
        with served(make_app(ProxyConfig(**{**defaults, **options}))) as url:  # type: ignore[arg-type]
            yield url


@pytest.fixture(scope="module")
def backend() -> Backend:
    return Backend(lambda messages: "hello")


@pytest.fixture(scope="module")
def url(backend: Backend) -> Iterator[str]:
    with proxy(backend, limits=ProxyLimits(body=50_000, tools=8, choices=2, messages=20)) as url:
        yield url


@pytest.fixture(autouse=True)
def nothing_reached(request: pytest.FixtureRequest, backend: Backend) -> Iterator[None]:
    """Whatever is refused never reaches the backend."""
    before = len(backend.bodies)
    yield
    if "refused" in request.node.name:
        assert len(backend.bodies) == before


HOSTS = ["evil.example", "127.0.0.1.evil.example", "evil.example:80", "localhost.evil.example", ""]


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("path", ["/v1/models", "/healthz", "/metrics"])
def test_a_name_that_was_pointed_here_is_refused(url, host, path):
    assert plain.get(url + path, headers={"host": host}).status_code in (400, 421)


ORIGINS = ["https://evil.example", "null", "http://localhost.evil.example", "file://", "x"]


@pytest.mark.parametrize("origin", ORIGINS)
def test_a_page_of_another_origin_is_refused(url, origin):
    answer = plain.post(url + CHAT, json=BODY, headers={"origin": origin})
    assert answer.status_code == 403
    assert "access-control-allow-origin" not in answer.headers


def test_a_page_of_this_machine_is_refused_unless_it_comes_from_here(url):
    port = url.rpartition(":")[2]
    for origin in (
        "http://127.0.0.1:3000",
        "http://localhost",
        f"http://localhost:{port}",
        "http://127.0.0.1",
    ):
        assert plain.post(url + CHAT, json=BODY, headers={"origin": origin}).status_code == 403


def test_a_page_of_the_proxys_own_origin_is_served(url):
    assert plain.get(f"{url}/healthz", headers={"origin": url}).status_code == 200
    own = {"host": "localhost", "origin": "http://localhost"}
    assert plain.get(f"{url}/healthz", headers=own).status_code == 200
    secure = {"host": "localhost:443", "origin": "https://localhost"}
    assert plain.get(f"{url}/healthz", headers=secure).status_code == 200


def test_a_preflight_of_another_origin_is_refused(url):
    asked = {"origin": "https://evil.example", "access-control-request-method": "POST"}
    assert httpx.options(url + CHAT, headers=asked).status_code == 403


BODIES = {
    "not json": b"{",
    "not an object": b"[]",
    "not utf-8": b'{"model": "\xff"}',
    "deep": b'{"messages": ' + b"[" * 20_000 + b"]" * 20_000 + b"}",
    "no model": json.dumps({"messages": BODY["messages"]}).encode(),
    "no messages": b'{"model": "m", "tools": []}',
    "unknown role": json.dumps(
        {**BODY, "tools": [TOOL], "messages": [{"role": "root", "content": ""}]}
    ).encode(),
    "no name": json.dumps(
        {**BODY, "tools": [{"type": "function", "function": {"parameters": {}}}]}
    ).encode(),
    "unknown choice": json.dumps(
        {**BODY, "tools": [TOOL], "tool_choice": {"type": "function", "function": {"name": "g"}}}
    ).encode(),
    "too many choices": json.dumps({**BODY, "n": 3}).encode(),
    "no choices": json.dumps({**BODY, "tools": [TOOL], "n": 0}).encode(),
    "too many tools": json.dumps(
        {**BODY, "tools": [{"type": "function", "function": {"name": f"f{n}"}} for n in range(9)]}
    ).encode(),
    "too many messages": json.dumps({**BODY, "messages": BODY["messages"] * 21}).encode(),
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_body_that_cannot_be_meant_is_refused(url, body):
    answer = plain.post(url + CHAT, content=body)
    assert answer.status_code == 400
    assert answer.json()["error"]["message"]


@pytest.mark.parametrize("path", [CHAT, "/v1/embeddings", "/v1/messages/count_tokens"])
def test_a_packed_body_is_refused_by_what_it_is(url, path):
    packed = gzip.compress(json.dumps(BODY).encode())
    answer = plain.post(url + path, content=packed, headers={"content-encoding": "gzip"})
    assert answer.status_code == 415
    assert "content-encoding: gzip" in answer.json()["error"]["message"]


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_that_is_too_long_is_refused(url, chunked):
    long = json.dumps({**BODY, "x": "y" * 60_000}).encode()
    content = iter([long]) if chunked else long
    assert plain.post(url + CHAT, content=content).status_code == 413


def test_a_body_that_does_not_come_is_refused(url, monkeypatch):
    monkeypatch.setattr(http_server, "BODY_SECONDS", 0.1)
    port = int(url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as line:
        head = f"POST {CHAT} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n"
        line.sendall(head.encode() + b"{")
        assert line.recv(200).startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize("length", [99_999_999_999, 10**30])
def test_a_body_that_is_announced_too_long_is_not_waited_for(url, length):
    port = int(url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as line:
        head = f"POST {CHAT} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {length}\r\n\r\n"
        line.sendall(head.encode() + b"{")
        assert line.recv(200).startswith(b"HTTP/1.1 4")


SMUGGLED = {
    "two lengths": b"Content-Length: 2\r\nContent-Length: 30\r\n\r\n{}",
    "length and chunks": b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "two hosts": b"Host: evil.example\r\nContent-Length: 2\r\n\r\n{}",
    "two keys": b"X-Api-Key: a\r\nX-Api-Key: b\r\nContent-Length: 2\r\n\r\n{}",
    "a bare line end": b"X: y\nContent-Length: 2\r\n\r\n{}\r\n",
    "huge header": b"X: " + b"y" * 200_000 + b"\r\n\r\n",
}


@pytest.mark.parametrize("rest", SMUGGLED.values(), ids=SMUGGLED)
def test_headers_that_can_be_read_in_two_ways_are_refused(url, rest):
    port = int(url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as line:
        line.sendall(f"POST {CHAT} HTTP/1.1\r\nHost: 127.0.0.1\r\n".encode() + rest)
        answer = line.recv(200)
    assert answer.split(b" ")[1].startswith(b"4")


ELSEWHERE = ["api_base", "base_url", "api_key", "custom_llm_provider", "extra_headers", "fallbacks"]


@pytest.mark.parametrize("field", ELSEWHERE)
def test_a_client_cannot_choose_the_backend(url, backend, field):
    told = {**BODY, "tools": [TOOL], field: "http://evil.example/v1"}
    assert plain.post(url + CHAT, json=told).status_code == 200
    assert field not in backend.bodies[-1]


@pytest.fixture
def locked(monkeypatch, backend) -> Iterator[str]:
    monkeypatch.setenv("PROXY_KEY", CANARY)
    with proxy(backend, key_env="PROXY_KEY") as url:
        yield url


PATHS = [CHAT, "/v1/models", "/metrics", "/api/tags", "/nowhere"]
KEYS = [
    {},
    {"authorization": "Bearer wrong"},
    {"authorization": f"Basic {CANARY}"},
    {"authorization": "Bearer"},
    {"x-api-key": "é".encode("latin-1").decode("latin-1")},
    {"authorization": f"Bearer {CANARY[:-1]}"},
]


@pytest.mark.parametrize("path", PATHS)
def test_every_path_asks_for_the_key_or_is_refused(locked, path, caplog):
    caplog.set_level(logging.INFO, "toolproto.proxy")
    for headers in KEYS:
        raw = {name: value.encode("latin-1") for name, value in headers.items()}
        assert plain.get(locked + path, headers=raw).status_code == 401
    lines = [json.loads(each.msg) for each in caplog.records if each.name == "toolproto.proxy"]
    assert {(line["status"], line["reason"]) for line in lines} == {(401, "invalid_api_key")}
    assert (len(lines), {line["path"] for line in lines}) == (len(KEYS), {path})
    assert CANARY[:-1] not in caplog.text


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_whether_it_is_well_is_told_to_everybody(locked, path):
    answer = plain.get(locked + path)
    assert (answer.status_code, answer.json().keys()) == (200, {"status"})


def test_the_key_opens(locked):
    for headers in ({"authorization": f"Bearer {CANARY}"}, {"x-api-key": CANARY}):
        assert plain.get(f"{locked}/metrics", headers=headers).status_code == 200


def test_the_proxys_own_key_is_not_passed_on(locked, backend):
    headers = {"authorization": f"Bearer {CANARY}"}
    for body in (BODY, {**BODY, "tools": [TOOL]}):
        assert plain.post(locked + CHAT, json=body, headers=headers).status_code == 200
        assert CANARY not in str(backend.headers[-1])


def test_other_interfaces_need_a_key():
    with pytest.raises(UsageError, match="--key-env"):
        ProxyConfig((Upstream("http://localhost/v1"),), host="0.0.0.0")


def test_a_clients_key_is_listed_to_nobody_it_may_not_be_for(monkeypatch):
    monkeypatch.setenv("OWN_KEY", "sk-own-0123456789")
    one, two, own = (Backend(lambda messages: "hello") for _ in range(3))
    with served(one.app()) as first, served(two.app()) as second, served(own.app()) as third:
        places = (
            Upstream(f"{first}/v1", prefix="a/"),
            Upstream(f"{second}/v1", prefix="b/"),
            Upstream(f"{third}/v1", prefix="c/", api_key_env="OWN_KEY"),
        )
        sent = {"authorization": f"Bearer {CANARY}"}
        for upstreams in (places, places[1:]):
            with served(make_app(ProxyConfig(upstreams))) as url:
                assert plain.get(f"{url}/v1/models", headers=sent).status_code == 200
    assert [each.get("authorization") for each in one.headers] == [None]
    # The only one that has no key of its own can be meant.
    assert [each.get("authorization") for each in two.headers] == [None, f"Bearer {CANARY}"]
    assert {each.get("authorization") for each in own.headers} == {"Bearer sk-own-0123456789"}


def test_a_cookie_for_one_client_is_not_sent_with_anothers_request():
    cookie = {"set-cookie": "session=ada; Path=/"}
    backend = Backend(lambda messages: Refusal(400, "no", cookie))
    with proxy(backend) as url:
        for client in ("one", "two", "three"):
            for tools in ({}, {"tools": [TOOL]}):  # handed on, and answered by a paradigm
                sent = {"authorization": f"Bearer {client}-key", "cookie": f"mine={client}"}
                answer = plain.post(url + CHAT, json={**BODY, **tools}, headers=sent)
                assert "set-cookie" not in answer.headers
    assert len(backend.headers) == 6
    assert [each for each in backend.headers if "cookie" in each] == []


def test_no_key_is_logged_or_told(caplog, monkeypatch, capfd):
    """Even at DEBUG, and although the backend repeats it in its error."""
    monkeypatch.setenv("UP_KEY", CANARY)
    caplog.set_level(logging.DEBUG)
    echoing = Backend(lambda messages: Refusal(401, f"bad key {CANARY}"))
    with served(echoing.app()) as upstream:
        held = Upstream(f"{upstream}/v1", api_key_env="UP_KEY")
        config = ProxyConfig((held,), ModelTerms("xml_tag"), log_content=True)
        with served(make_app(config)) as url:
            asking = {**BODY, "tools": [TOOL]}
            for body in (BODY, asking, {**asking, "stream": True}):
                answer = plain.post(url + CHAT, json=body)
                assert answer.status_code == 401
                assert CANARY not in answer.text
            assert CANARY not in plain.get(f"{url}/metrics").text
    assert CANARY in str(echoing.headers)
    assert CANARY not in caplog.text + "".join(capfd.readouterr())


def test_a_redirect_is_not_followed(url):
    moved = Backend(lambda messages: Refusal(307, "", {"location": "http://evil.example/v1"}))
    with proxy(moved) as elsewhere:
        answer = plain.post(elsewhere + CHAT, json={**BODY, "tools": [TOOL]})
    assert answer.status_code == 502
    assert len(moved.bodies) == 1


def test_a_backends_address_is_not_told():
    config = ProxyConfig((Upstream("http://127.0.0.1:9/v1"),), ModelTerms("xml_tag"))
    with served(make_app(config)) as url:
        for body in (BODY, {**BODY, "tools": [TOOL]}):
            answer = plain.post(url + CHAT, json=body)
            assert answer.status_code == 502
            assert ":9" not in answer.text
