"""Every path that clients ask for: answered here, or handed to a backend of the same API."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from tests import plain
from toolproto.gateway.bridge.paths import usual
from toolproto.gateway.proxy.app import make_app
from toolproto.gateway.proxy.config import ModelTerms, ProxyConfig, Upstream

from .backend import Backend, served
from .clients.model import model_of
from .wire import OSLO, WEATHER, proxy

SPELLINGS = {
    "/v1/chat/completions": "/v1/chat/completions",
    "/v1/chat/completions/": "/v1/chat/completions",
    "//v1//chat/completions": "/v1/chat/completions",
    "/chat/completions": "/v1/chat/completions",
    "/v1/v1/chat/completions": "/v1/chat/completions",
    "/api/v1/chat/completions": "/v1/chat/completions",
    "/api/v0/chat/completions": "/v1/chat/completions",
    "/v1beta/openai/chat/completions": "/v1/chat/completions",
    "/messages": "/v1/messages",
    "/responses/": "/v1/responses",
    "/models": "/v1/models",
    "/v1/api/chat": "/api/chat",
    "/api/chat/": "/api/chat",
    "/api/v0/models": "/api/v0/models",
    "/api/v1/models": "/api/v1/models",
    "/v1alpha/models/m:generateContent": "/v1beta/models/m:generateContent",
    "/": "/",
    "": "/",
    "/healthz": "/healthz",
    "/etc/passwd": "/etc/passwd",
}


@pytest.mark.parametrize(("path", "meant"), SPELLINGS.items())
def test_every_spelling_of_a_path_leads_to_the_usual_one(path: str, meant: str):
    assert usual(path) == meant
    assert usual(meant) == meant


def test_a_path_of_nothing_but_prefixes_comes_to_an_end():
    assert usual("/v1" * 10_000 + "/models").endswith("/v1/models")


# -- a backend that has everything --------------------------------------------------------


@dataclass
class Everything:
    """Answers every path with what it was sent."""

    models: Any = field(default_factory=lambda: {"data": [{"id": "m", "max_model_len": 4096}]})
    asked: list[tuple[str, str, str]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    def app(self) -> Starlette:
        methods = ["GET", "POST", "PUT", "DELETE"]
        return Starlette(routes=[Route("/{path:path}", self._answer, methods=methods)])

    async def _answer(self, request: Request) -> Response:
        path = request.url.path
        if path in ("/v1/models", "/api/tags"):
            return JSONResponse(self.models, 200 if self.models else 404)
        self.asked.append((request.method, path, request.url.query))
        self.bodies.append(await request.body())
        self.headers.append(dict(request.headers))
        if path.endswith("/speech"):
            return Response(b"\0\1\2", media_type="audio/mpeg")
        if path.endswith("/count_tokens"):
            return JSONResponse({"input_tokens": 42})
        if path.endswith("/show"):
            return JSONResponse({"capabilities": ["completion"], "template": "x"})
        if path.endswith("/broken"):
            return PlainTextResponse("no such thing", 418)
        return JSONResponse({"path": path})


@contextmanager
def before(
    backend: Everything, dialect: str = "openai_chat", **settings: Any
) -> Iterator[httpx.Client]:
    with served(backend.app()) as upstream:
        url = upstream if dialect == "ollama" else f"{upstream}/v1"
        given = {name: settings.pop(name) for name in ("prefix", "normalize") if name in settings}
        given["dialect"] = dialect
        config = ProxyConfig((Upstream(url, **given),), ModelTerms("xml_tag"), **settings)
        with served(make_app(config)) as address, plain.Client(base_url=address) as client:
            yield client


Front = Callable[[str], tuple[Everything, httpx.Client]]


@pytest.fixture(scope="module")
def fronts() -> Iterator[Front]:
    """A proxy before a backend of each dialect, made once."""
    made: dict[str, tuple[Everything, httpx.Client]] = {}
    with ExitStack() as open_ones:

        def front(dialect: str = "openai_chat") -> tuple[Everything, httpx.Client]:
            if dialect not in made:
                backend = Everything()
                made[dialect] = backend, open_ones.enter_context(before(backend, dialect))
            backend, client = made[dialect]
            for kept in (backend.asked, backend.bodies, backend.headers):
                kept.clear()
            return backend, client

        yield front


PASSED = [
    ("POST", "/v1/completions", "openai_chat", "/v1/completions"),
    ("POST", "/v1/completions", "openai_completions", "/v1/completions"),
    ("POST", "/v1/embeddings", "openai_chat", "/v1/embeddings"),
    ("POST", "/v1/embeddings", "ollama", "/v1/embeddings"),
    ("POST", "/v1/moderations", "openai_chat", "/v1/moderations"),
    ("GET", "/v1/files/file-1/content", "openai_chat", "/v1/files/file-1/content"),
    ("DELETE", "/v1/files/file-1", "openai_chat", "/v1/files/file-1"),
    ("POST", "/v1/rerank", "openai_chat", "/v1/rerank"),
    ("POST", "/v1/messages/batches", "anthropic", "/v1/messages/batches"),
    ("POST", "/api/pull", "ollama", "/api/pull"),
    ("POST", "/api/embed", "ollama", "/api/embed"),
    ("GET", "/api/version", "ollama", "/api/version"),
    ("GET", "/api/ps", "ollama", "/api/ps"),
]


@pytest.mark.parametrize(("method", "path", "dialect", "arrives"), PASSED)
def test_what_has_nothing_to_do_with_tools_is_handed_on(
    method: str, path: str, dialect: str, arrives: str, fronts: Front
):
    backend, client = fronts(dialect)
    body = {"model": "m", "input": "é"} if method == "POST" else None
    answer = client.request(method, f"{path}?limit=2&x=%2F", json=body)
    assert answer.status_code == 200
    assert backend.asked == [(method, arrives, "limit=2&x=%2F")]
    assert backend.bodies == [json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()
                              if body else b""]  # fmt: skip


def test_what_is_no_json_is_handed_on_in_both_directions():
    backend = Everything()
    with before(backend, prefix="far/") as client:
        spoken = client.post("/v1/audio/speech", json={"model": "far/m", "input": "Hi"})
        files = {"file": ("a.wav", b"\0\xff--", "audio/wav")}
        client.post("/v1/audio/transcriptions", data={"model": "far/m"}, files=files)
    assert (spoken.content, spoken.headers["content-type"]) == (b"\0\1\2", "audio/mpeg")
    assert json.loads(backend.bodies[0])["model"] == "m"
    assert b"\0\xff--" in backend.bodies[1] and b"\r\n\r\nm\r\n" in backend.bodies[1]
    assert backend.headers[1]["content-type"].startswith("multipart/form-data; boundary=")


def test_an_error_that_clients_cannot_read_is_told_in_their_words(fronts: Front):
    answer = fronts("openai_chat")[1].get("/v1/broken")
    assert answer.status_code == 418
    assert "no such thing" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("path", "dialect"),
    [
        ("/v1/embeddings", "anthropic"),
        ("/api/pull", "openai_chat"),
        ("/api/embed", "openai_chat"),
        ("/v1/messages/batches", "openai_chat"),
        ("/props", "openai_chat"),
        ("/v1/../admin", "openai_chat"),
        ("/v1/%2e%2e/admin", "openai_chat"),
        ("/v1beta/files", "openai_chat"),
        ("/v1beta/models/m:embedContent", "openai_chat"),
    ],
)
def test_what_no_backend_speaks_is_not_found(path: str, dialect: str, fronts: Front):
    backend, client = fronts(dialect)
    request = client.build_request("POST", path, json={"model": "m"})
    # httpx would tidy it.
    request.url = request.url.copy_with(raw_path=path.encode())
    answer = client.send(request)
    assert answer.status_code == 404 and backend.asked == []
    assert "not served here" in answer.text


def test_others_can_be_refused():
    backend = Everything()
    with before(backend, pass_others=False) as client:
        assert client.post("/v1/embeddings", json={"model": "m"}).status_code == 404
    assert backend.asked == []


def test_a_key_of_the_client_goes_to_no_backend_that_it_may_not_be_for():
    one, two = Everything(), Everything()
    with served(one.app()) as first, served(two.app()) as second:
        upstreams = (Upstream(f"{first}/v1"), Upstream(f"{second}/v1", prefix="b/"))
        with served(make_app(ProxyConfig(upstreams))) as url:
            headers = {"authorization": "Bearer mine"}
            plain.get(f"{url}/v1/files", headers=headers)
            plain.post(f"{url}/v1/moderations", json={"model": "b/m"}, headers=headers)
    assert "authorization" not in one.headers[0]
    assert two.headers[0]["authorization"] == "Bearer mine"


# -- what is looked up --------------------------------------------------------------------

MODELS = [
    ("/v1/models", {}, "data", "id"),
    ("/v1/models", {"anthropic-version": "2023-06-01"}, "data", "id"),
    ("/api/tags", {}, "models", "model"),
    ("/api/ps", {}, "models", "model"),
    ("/api/v0/models", {}, "data", "id"),
    ("/api/v1/models", {}, "data", "id"),
    ("/api/v1/models", {}, "models", "key"),
    ("/v1beta/models", {}, "models", "baseModelId"),
    ("/v1/models", {"x-goog-api-key": "x"}, "models", "baseModelId"),
]


@pytest.mark.parametrize(("path", "headers", "rows", "name"), MODELS)
def test_every_list_of_models_names_them(
    path: str, headers: Any, rows: str, name: str, fronts: Front
):
    told = fronts("openai_chat")[1].get(path, headers=headers).json()
    assert [row[name] for row in told[rows]] == ["m"]


def test_a_model_is_told_of_in_the_clients_own_form():
    anthropic = {"anthropic-version": "2023-06-01"}
    with before(Everything(), models={"m": ModelTerms(vision=True)}) as client:
        openai = client.get("/v1/models/m").json()
        claude = client.get("/v1/models/m", headers=anthropic).json()
        studio = client.get("/api/v0/models/m").json()
        gemini = client.get("/v1beta/models/m").json()
        shown = client.post("/api/show", json={"model": "m:latest"}).json()
        unknown = [
            client.get("/v1/models/x"),
            client.get("/v1/models/x", headers=anthropic),
            client.post("/api/show", json={"model": "x"}),
            client.get("/v1beta/models/x"),
        ]
    assert "tools" in openai["supported_parameters"] and openai["context_length"] == 4096
    assert openai["architecture"]["input_modalities"] == ["text", "image"]
    assert (claude["type"], claude["display_name"], claude["lifecycle"]) == ("model", "m", "active")
    assert (studio["type"], studio["capabilities"]) == ("vlm", ["tool_use"])
    assert gemini["name"] == "models/m"
    assert shown["capabilities"] == ["completion", "tools", "vision"]
    family = shown["model_info"]["general.architecture"]
    assert shown["model_info"][f"{family}.context_length"] == 4096
    assert [each.status_code for each in unknown] == [404] * 4
    assert unknown[0].json()["error"]["code"] == "model_not_found"


def test_anthropics_list_has_pages():
    backend = Everything({"data": [{"id": name} for name in "abcde"]})
    headers = {"anthropic-version": "2023-06-01"}
    with before(backend) as client:
        first = client.get("/v1/models?limit=2", headers=headers).json()
        rest = client.get("/v1/models?after_id=b&limit=9", headers=headers).json()
    assert (first["first_id"], first["last_id"], first["has_more"]) == ("a", "b", True)
    assert [row["id"] for row in rest["data"]] == ["c", "d", "e"] and not rest["has_more"]


def test_a_backend_without_a_list_may_have_any_model():
    with before(Everything(models=None)) as client:
        assert client.get("/v1/models").status_code == 502
        assert client.get("/v1/models/x").json()["id"] == "x"
        assert "tools" in client.post("/api/show", json={"model": "x"}).json()["capabilities"]


def test_what_ollama_knows_of_a_model_gets_tools_added():
    backend = Everything({"models": [{"name": "m"}]})
    with before(backend, "ollama", prefix="far/") as client:
        shown = client.post("/api/show", json={"model": "far/m"}).json()
    assert shown == {"capabilities": ["completion", "tools"], "template": "x"}
    assert json.loads(backend.bodies[0])["model"] == "m"


def test_somebody_is_at_home(fronts: Front):
    _, client = fronts("openai_chat")
    assert client.head("/").status_code == 200
    assert client.get("/").text == "Ollama is running"
    assert client.get("/api/version").json()["version"]


@pytest.mark.parametrize("stream", [False, True])
def test_a_prompt_of_ollamas_is_completed(stream: bool):
    body = {"model": "m", "prompt": "Hello", "system": "Be brief.", "stream": stream}
    with proxy(Backend(model_of("xml_tag"))) as url:
        answer = plain.post(f"{url}/api/generate", json=body)
    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert "".join(line["response"] for line in lines) == "Hello to you."
    assert lines[-1]["done"] is True and lines[-1]["done_reason"] == "stop"
    assert [line["done"] for line in lines[:-1]] == [False] * (len(lines) - 1)


def test_what_has_no_messages_has_none_to_put_into_order():
    backend = Everything()
    with before(backend, "ollama", normalize=True) as client:
        for path, body in (("generate", {"prompt": "Hi"}), ("chat", {"messages": []})):
            answer = client.post(f"/api/{path}", json={"model": "m", **body})
            assert answer.json() == {"path": f"/api/{path}"}


def test_a_prompt_that_is_empty_asks_only_whether_the_model_is_there(fronts: Front):
    backend, client = fronts("openai_chat")
    told = client.post("/api/generate", json={"model": "m"}).json()
    assert (told["response"], told["done"], told["done_reason"]) == ("", True, "load")
    assert backend.asked == []


@pytest.mark.parametrize("more", [{}, {"messages": []}, {"messages": [], "keep_alive": 0}])
def test_a_chat_without_messages_asks_only_whether_the_model_is_there(fronts: Front, more):
    backend, client = fronts("openai_chat")
    told = client.post("/api/chat", json={"model": "m", **more}).json()
    assert (told["message"]["content"], told["done_reason"]) == ("", "load")
    assert backend.asked == []


# -- counting -----------------------------------------------------------------------------

COUNTED = {
    "/v1/messages/count_tokens": (
        {"messages": [{"role": "user", "content": "word " * 400}]},
        "input_tokens",
    ),
    "/v1/responses/input_tokens": ({"input": "word " * 400}, "input_tokens"),
    "/v1beta/models/m:countTokens": (
        {"contents": [{"parts": [{"text": "word " * 400}]}]},
        "totalTokens",
    ),
}


@pytest.mark.parametrize("path", COUNTED)
def test_tokens_are_guessed_where_no_backend_counts(path: str, fronts: Front):
    body, name = COUNTED[path]
    _, client = fronts("openai_chat")
    count = client.post(path, json={"model": "m", **body}).json()[name]
    wrong = client.post(path, json={"model": "m"})
    assert 350 <= count <= 600
    assert wrong.status_code == 400 and wrong.json()["error"]["message"]


def test_tools_count_as_what_the_model_is_told_of_them(fronts: Front):
    body = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
    tools = [{"name": "now", "description": "word " * 100, "input_schema": {"type": "object"}}]
    _, client = fronts("openai_chat")
    path = "/v1/messages/count_tokens"
    without = client.post(path, json=body).json()["input_tokens"]
    with_tools = client.post(path, json={**body, "tools": tools}).json()["input_tokens"]
    assert with_tools > without + 100


def test_anthropic_counts_what_it_would_be_sent(fronts: Front):
    backend, client = fronts("anthropic")
    tools = [{"name": "now", "input_schema": {"type": "object"}}]
    body = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "tools": tools}
    count = client.post("/v1/messages/count_tokens", json=body).json()
    assert count == {"input_tokens": 42}
    sent = json.loads(backend.bodies[0])
    assert sent.keys() == {"model", "system", "messages"} and "now" in sent["system"]


# -- Google's paths -----------------------------------------------------------------------

ASKED = {
    "contents": [{"role": "user", "parts": [{"text": OSLO}]}],
    "tools": [{"functionDeclarations": [WEATHER]}],
}


@pytest.mark.parametrize("version", ["v1beta", "v1"])
def test_google_streams_events_or_a_list(version: str):
    with proxy(Backend(model_of("xml_tag"))) as url:
        path = f"{url}/{version}/models/m"
        whole = plain.post(f"{path}:generateContent", json=ASKED)
        events = plain.post(f"{path}:streamGenerateContent?alt=sse", json=ASKED)
        listed = plain.post(f"{path}:streamGenerateContent", json=ASKED)
    (call,) = [p for p in whole.json()["candidates"][0]["content"]["parts"] if "functionCall" in p]
    assert call["functionCall"]["args"] == {"city": "Oslo"}
    assert events.headers["content-type"].startswith("text/event-stream")
    assert listed.headers["content-type"] == "application/json"
    chunks = [json.loads(each.removeprefix("data: ")) for each in events.text.split("\n\n")[:-1]]
    for stream in (chunks, listed.json()):
        parts = [p for each in stream for p in each["candidates"][0]["content"]["parts"]]
        assert [p["functionCall"]["name"] for p in parts if "functionCall" in p] == ["get_weather"]
        assert stream[-1]["candidates"][0]["finishReason"] == "STOP"


def test_google_is_told_what_is_wrong_in_its_words(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PROXY_KEY", "secret")
    with proxy(Backend(model_of("xml_tag")), key_env="PROXY_KEY") as url:
        path = f"{url}/v1beta/models/m:generateContent"
        keyless = plain.post(path, json=ASKED)
        by_header = plain.post(path, json={}, headers={"x-goog-api-key": "secret"})
        by_url = plain.post(f"{path}?key=secret", json=ASKED)
        elsewhere = plain.get(f"{url}/v1/models?key=secret")
    assert keyless.json()["error"]["status"] == "UNAUTHENTICATED"
    assert by_header.json()["error"]["status"] == "INVALID_ARGUMENT"
    assert by_url.status_code == 200
    assert elsewhere.status_code == 401
