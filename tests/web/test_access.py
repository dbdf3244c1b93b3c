"""Who is let in, and what is refused: the proxy's tables, and the page's own."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import httpx
import pytest

from tests import plain
from tests.gateway.proxy.test_hostile import HOSTS, ORIGINS, SMUGGLED
from tests.patience import PATIENCE
from tests.web.serving import Client, scripted, served
from toolproto import UsageError
from toolproto.web import WebConfig
from toolproto.web.page_files import PAGE_POLICY
from toolproto.web.run import address, banner, kept_secret

CONFIG = scripted("ok", "ok", "ok")
PATHS = ["/", "/page/main.js", "/api/about", "/api/sessions", "/api/health", "/page/sandbox.html"]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with served(CONFIG) as url:
        yield url


@pytest.fixture(scope="module")
def http() -> Iterator[httpx.Client]:
    """Somebody without cookies; making one for each request would take longer than the request."""
    with plain.Client() as client:
        yield client


@pytest.mark.parametrize("host", HOSTS)
def test_a_name_that_was_pointed_here_is_refused(http: httpx.Client, url: str, host: str) -> None:
    for path in PATHS:
        assert http.get(url + path, headers={"host": host}).status_code in (400, 421), path


@pytest.mark.parametrize("origin", [*ORIGINS, "http://127.0.0.1:3000", "http://localhost"])
def test_a_page_of_another_origin_is_refused(http: httpx.Client, url: str, origin: str) -> None:
    headers = {"origin": origin, "authorization": f"Bearer {CONFIG.token}"}
    answer = http.post(f"{url}/api/sessions", json={}, headers=headers)
    assert answer.status_code == 403
    assert "access-control-allow-origin" not in answer.headers
    asked = {**headers, "access-control-request-method": "POST"}
    assert http.options(f"{url}/api/sessions", headers=asked).status_code == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site", "nonsense"])
def test_what_another_page_has_the_browser_fetch_is_refused(
    http: httpx.Client, url: str, site: str
) -> None:
    headers = {"sec-fetch-site": site, "authorization": f"Bearer {CONFIG.token}"}
    assert http.get(f"{url}/api/sessions", headers=headers).status_code == 403


@pytest.mark.parametrize("rest", SMUGGLED.values(), ids=SMUGGLED)
def test_headers_that_can_be_read_in_two_ways_are_refused(url: str, rest: bytes) -> None:
    port = int(url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as line:
        line.sendall(b"POST /api/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\n" + rest)
        assert line.recv(200).split(b" ")[1].startswith(b"4")


KEYS: list[dict[str, str]] = [
    {},
    {"authorization": "Bearer wrong"},
    {"authorization": f"Basic {CONFIG.token}"},
    {"authorization": "Bearer"},
    {"authorization": f"Bearer {CONFIG.token[:-1]}"},
    {"cookie": "toolproto_8200=local"},
    {"cookie": "toolproto_8200=local."},
    {"cookie": f"toolproto_8200=local.{'0' * 64}"},
    {"cookie": "=;=;;;\x7f"},
]


def test_every_path_of_the_api_asks_who_is_there(http: httpx.Client, url: str) -> None:
    described = http.get(f"{url}/api/openapi.json").json()["paths"]
    asked = [
        (method, path.replace("{id}", "x").replace("{call}", "y").replace("{number}", "1"))
        for path, methods in described.items()
        for method in methods
        if path != "/api/signin"
    ]
    assert len(asked) > 30
    for method, path in asked:
        assert http.request(method, url + path).status_code == 401, path
    for headers in KEYS:
        raw = {name: value.encode("latin-1") for name, value in headers.items()}
        answer = http.get(f"{url}/api/sessions", headers=raw)
        assert answer.status_code in (400, 401), headers


def test_the_token_of_the_address_becomes_a_cookie(http: httpx.Client, url: str) -> None:
    port = url.rpartition(":")[2]
    with plain.Client(base_url=url) as browser:
        answer = browser.get("/", params={"token": CONFIG.token})
        assert answer.status_code == 303 and answer.headers["location"] == "/"
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie and "SameSite=strict" in cookie
        assert CONFIG.token not in cookie
        assert browser.get("/api/about").json()["person"] == "local"
        assert browser.post("/api/signout").status_code == 204
        assert browser.get("/api/about").status_code == 401
        wrong = browser.get("/", params={"token": "wrong"})
        assert wrong.status_code == 303 and "set-cookie" not in wrong.headers
        forged = {"cookie": f"toolproto_{port}=local.{'0' * 64}"}
        assert http.get(f"{url}/api/about", headers=forged).status_code == 401


def test_a_cookie_outlasts_a_restart_and_not_another_key(
    http: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANN", "annas-long-key")
    secret = b"k" * 32
    config = scripted("ok", key_envs=("ANN",), secret=secret)
    with served(config) as url:
        port = int(url.rpartition(":")[2])
        signed = http.post(f"{url}/api/signin", json={"key": "annas-long-key"})
        name, value = next(iter(signed.cookies.items()))
        cookies = {"cookie": f"{name}={value}"}
        http.cookies.clear()
        assert http.get(f"{url}/api/about", headers=cookies).status_code == 200
    with served(scripted("ok", key_envs=("ANN",), secret=secret, port=port)) as url:
        assert http.get(f"{url}/api/about", headers=cookies).status_code == 200
    monkeypatch.setenv("ANN", "another-long-key")
    with served(scripted("ok", key_envs=("ANN",), secret=secret, port=port)) as url:
        assert http.get(f"{url}/api/about", headers=cookies).status_code == 401


def test_other_machines_need_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="--key-env"):
        WebConfig(host="0.0.0.0")
    with pytest.raises(UsageError, match="is not set"):
        WebConfig(host="0.0.0.0", key_envs=("NOT_SET_ANYWHERE",))
    monkeypatch.setenv("SHORT", "abc")
    with pytest.raises(UsageError, match="short"):
        WebConfig(host="0.0.0.0", key_envs=("SHORT",))
    monkeypatch.setenv("ANN", "annas-long-key")
    config = WebConfig(host="0.0.0.0", key_envs=("ANN",))
    assert "annas-long-key" not in banner(config) + repr(config) + address(config)
    assert config.token not in banner(config)


def test_the_page_runs_its_own_scripts_only(http: httpx.Client, url: str) -> None:
    for path in ("/", "/page/main.js", "/page/style.css"):
        answer = http.get(url + path)
        assert answer.headers["content-security-policy"] == PAGE_POLICY
        assert answer.headers["x-content-type-options"] == "nosniff"
        again = http.get(url + path, headers={"if-none-match": answer.headers["etag"]})
        assert again.status_code == 304 and again.content == b""
    for word in ("unsafe", "http:", "https:", "*"):
        assert word not in PAGE_POLICY
    sandbox = http.get(f"{url}/page/sandbox.html").headers["content-security-policy"]
    assert "sandbox allow-scripts" in sandbox and "default-src 'none'" in sandbox
    assert "same-origin" not in sandbox and "connect-src" not in sandbox
    for path in ("/page/../config.py", "/page/%2e%2e/config.py", "/page/", "/page/nothing.js"):
        assert http.get(url + path).status_code == 404


def test_the_secret_is_made_once_and_for_its_owner_only(tmp_path) -> None:
    path = tmp_path / "state" / "web_secret"
    first = kept_secret(path)
    assert len(first) == 32 and kept_secret(path) == first
    assert path.stat().st_mode & 0o077 == 0


def test_a_body_that_is_too_long_is_refused(url: str) -> None:
    with Client(url, CONFIG.token) as me:
        id = me.new()
        long = b"x" * (9 * 1024 * 1024)
        answer = me.http.put(f"/api/sessions/{id}/file", params={"path": "a"}, content=long)
        assert answer.status_code == 413
