"""Backends of every make: what they are told, and how their words come back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tests import plain
from tests.gateway.proxy.backend import served
from toolproto.gateway.proxy.app import make_app
from toolproto.gateway.proxy.config import ModelTerms, ProxyConfig, Upstream

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER = {"name": "get_weather", "description": "Weather.", "parameters": CITY}
TOOLS = [{"type": "function", "function": WEATHER}]
HI = [{"role": "user", "content": "hi"}]
CHAT = {"model": "m", "tools": TOOLS, "messages": HI}
MESSAGES = {
    "model": "m",
    "max_tokens": 9,
    "tools": [{"name": "get_weather", "input_schema": CITY}],
    "messages": HI,
}


@dataclass
class AnyBackend:
    """Speaks every dialect, says "ok", and keeps what it was sent."""

    stop_reason: str = "end_turn"
    error: dict[str, Any] | None = None
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    def app(self) -> Starlette:
        paths = ("/v1/chat/completions", "/v1/completions", "/v1/messages", "/api/chat")
        return Starlette(routes=[Route(path, self._answer, methods=["POST"]) for path in paths])

    async def _answer(self, request: Request) -> Response:
        self.bodies.append(await request.json())
        self.headers.append(dict(request.headers))
        if self.error is not None:
            return JSONResponse(self.error, 400)
        frames = self._frames(request.url.path)
        return StreamingResponse(iter(frames), headers={"request-id": "req_1"})

    def _frames(self, path: str) -> list[str]:
        if path == "/api/chat":
            said = {"message": {"content": "ok"}, "done": True, "done_reason": "stop"}
            return [json.dumps(said) + "\n"]
        if path == "/v1/messages":
            delta = {"type": "text_delta", "text": "ok"}
            events: list[dict[str, Any]] = [
                {"type": "content_block_delta", "delta": delta},
                {"type": "message_delta", "delta": {"stop_reason": self.stop_reason}},
                {"type": "message_stop"},
            ]
        else:
            piece = {"delta": {"content": "ok"}} if "chat" in path else {"text": "ok"}
            events = [{"choices": [{"index": 0, **piece, "finish_reason": "stop"}]}]
        return [f"data: {json.dumps(event)}\n\n" for event in events]


@contextmanager
def proxied(
    backend: AnyBackend, dialect: str = "openai_chat", **settings: Any
) -> Iterator[httpx.Client]:
    with served(backend.app()) as url:
        at = url if dialect == "ollama" else f"{url}/v1"
        config = ProxyConfig((Upstream(at, dialect),), ModelTerms("xml_tag"), **settings)
        with served(make_app(config)) as here, plain.Client(base_url=here) as client:
            yield client


def test_text_completions_are_told_how_long_a_reply_may_be():
    """They stop after 16 tokens otherwise, and do not know the newer name."""
    backend = AnyBackend()
    with proxied(backend, "openai_completions") as client:
        for more in ({}, {"max_completion_tokens": 900}):
            client.post("/v1/chat/completions", json={**CHAT, **more})
    assert [body["max_tokens"] for body in backend.bodies] == [2048, 900]
    assert "max_completion_tokens" not in backend.bodies[1]


IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}
LOOK = [{"role": "user", "content": [{"type": "text", "text": "Look."}, IMAGE]}]
SHOWN: dict[str, Any] = {
    "openai_chat": {"content": [{"type": "text", "text": "Look."}, IMAGE]},
    "anthropic": {
        "content": [
            {
                "type": "image",
                "source": {"type": "base64", "media_type": "image/png", "data": "aGk="},
            },
            {"type": "text", "text": "Look."},
        ]
    },
    "ollama": {"content": "Look.", "images": ["aGk="]},
}


@pytest.mark.parametrize("dialect", SHOWN)
def test_images_go_to_models_that_see_and_to_no_others(dialect):
    backend = AnyBackend()
    with proxied(backend, dialect, models={"seeing*": ModelTerms(vision=True)}) as client:
        for model in ("seeing-1", "m"):
            body = {**CHAT, "model": model, "messages": LOOK}
            assert client.post("/v1/chat/completions", json=body).status_code == 200
    seen, told = (body["messages"][-1] for body in backend.bodies)
    assert seen == {"role": "user", **SHOWN[dialect]}
    assert told["content"] == "Look.\n[image: image/png, 1 KB, not shown to this model]"


def test_no_field_of_a_client_replaces_the_prompt():
    backend = AnyBackend()
    with proxied(backend, "openai_completions") as client:
        client.post("/v1/chat/completions", json={**CHAT, "prompt": "OTHER", "echo": True})
    assert "get_weather" in backend.bodies[0]["prompt"]
    assert "echo" not in backend.bodies[0]


def test_a_backend_of_the_clients_make_is_told_what_only_it_knows():
    backend = AnyBackend()
    own = {"think": False, "keep_alive": "30m", "options": {"num_gpu": 0, "seed": 1}}
    with proxied(backend, "ollama") as client:
        client.post("/api/chat", json={**CHAT, "stream": False, **own})
        client.post("/v1/chat/completions", json={**CHAT, "reasoning_effort": "low"})
    first, second = backend.bodies
    assert (first["think"], first["keep_alive"]) == (False, "30m")
    assert first["options"]["num_gpu"] == 0
    assert second["think"] == "low"
    assert "reasoning_effort" not in second.get("options", {})


def test_a_refusal_is_no_usual_end():
    with proxied(AnyBackend("refusal"), "anthropic") as client:
        message = client.post("/v1/messages", json=MESSAGES).json()
        completion = client.post("/v1/chat/completions", json=CHAT).json()
    assert message["stop_reason"] == "refusal"
    assert completion["choices"][0]["finish_reason"] == "content_filter"


def test_what_passes_untouched_keeps_the_headers_that_belong_to_it():
    backend = AnyBackend()
    body = {key: value for key, value in MESSAGES.items() if key != "tools"}
    sent = {"anthropic-beta": "context-management-2025-06-27", "anthropic-version": "2023-01-01"}
    with proxied(backend, "anthropic") as client:
        answer = client.post("/v1/messages", json=body, headers={**sent, "x-other": "no"})
    assert sent.items() <= backend.headers[0].items()
    assert "x-other" not in backend.headers[0]
    assert answer.headers["request-id"] == "req_1"


def test_an_error_keeps_the_code_that_programs_go_by():
    error = {"message": "too long", "type": "x", "param": None, "code": "context_length_exceeded"}
    with proxied(AnyBackend(error={"error": error})) as client:
        told = client.post("/v1/chat/completions", json=CHAT).json()["error"]
    assert told["code"] == "context_length_exceeded"
    assert "too long" in told["message"]


def test_nothing_stops_an_answer_that_has_nothing_to_do_with_tools():
    backend = AnyBackend()
    with proxied(backend) as client:
        client.post("/v1/responses", json={"model": "m", "input": "hi"})
    assert "stop" not in backend.bodies[0]


@pytest.mark.parametrize(("dialect", "most"), [("openai_chat", 4), ("openai_completions", 3)])
def test_no_stop_sequence_is_lost_in_silence(dialect, most):
    backend, stops = AnyBackend(), list("ABCDE")
    with proxied(backend, dialect) as client:
        taken, refused = (
            client.post("/v1/chat/completions", json={**CHAT, "stop": stops[:count]})
            for count in (most, most + 1)
        )
    assert taken.status_code == 200
    assert set(stops[:most]) <= set(backend.bodies[0]["stop"])
    assert refused.status_code == 400
    assert refused.json()["error"]["param"] == "stop"


def test_items_that_are_not_understood_are_not_lost_in_silence():
    item = {"type": "novelty", "role": "developer"}
    with proxied(AnyBackend()) as client:
        answer = client.post("/v1/responses", json={"model": "m", "input": [item, *HI]})
    assert answer.status_code == 400
    assert "novelty" in answer.json()["error"]["message"]


UNSERVED = ["/v1/messages/batches", "/nowhere", "/api/pull", "/v1beta/files"]


@pytest.mark.parametrize("path", UNSERVED)
def test_paths_that_are_not_served_are_told_in_the_clients_own_form(path):
    with proxied(AnyBackend()) as client:
        answer = client.post(path, json={"model": "m"})
    assert answer.status_code == 404
    told = answer.json()
    if path.startswith("/api/"):
        assert path in told["error"]
    else:
        assert path in told["error"]["message"]
    assert told.get("type") == ("error" if "messages" in path else None)
    assert ("status" in told["error"]) == ("v1beta" in path)


def test_a_wrong_key_is_told_in_the_clients_own_form(monkeypatch):
    monkeypatch.setenv("PROXY_KEY", "secret")
    with proxied(AnyBackend(), key_env="PROXY_KEY") as client:
        answers = [client.post(path, json={}) for path in ("/v1/messages", "/api/chat")]
    assert [answer.status_code for answer in answers] == [401, 401]
    assert answers[0].json()["error"]["type"] == "authentication_error"
    assert isinstance(answers[1].json()["error"], str)
