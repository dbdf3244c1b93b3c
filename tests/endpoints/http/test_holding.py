"""Holding a model to a grammar: what each service is told, and what becomes of a refusal."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from toolproto.endpoints import HttpEndpoint, Retries
from toolproto.endpoints.http.holding import Holding
from toolproto.endpoints.http.services import SERVICES, service_at
from toolproto.protocol.errors import EndpointError, UsageError
from toolproto.protocol.grammar.constraint import Constraint
from toolproto.protocol.messages import ChatRequest, Message
from toolproto.protocol.paradigms import get_paradigm
from toolproto.testing import STANDARD_OFFER

#: The fields for grammars that each server knows; one that it does not know, it refuses.
KNOWN = {
    "llama.cpp": {"grammar", "grammar_lazy", "grammar_triggers", "json_schema", "response_format"},
    "vllm": {"structured_outputs", "response_format"},
    "sglang": {"ebnf", "regex", "json_schema", "response_format"},
    "openai": {"response_format"},
    "lm_studio": {"response_format"},
}
COMMON = {"model", "messages", "stream", "stream_options", "stop", "temperature"}


class Server:
    """A chat service that takes the fields it *knows*, and keeps what it was sent."""

    def __init__(self, knows: set[str]) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.knows = knows
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                outer.bodies.append(body)
                odd = body.keys() - COMMON - outer.knows
                text = json.dumps({"error": {"message": f"unknown field {sorted(odd)}"}})
                if not odd:
                    frame = {"choices": [{"delta": {"content": "Hi"}, "finish_reason": "stop"}]}
                    text = f"data: {json.dumps(frame)}\n\ndata: [DONE]\n\n"
                self.send_response(400 if odd else 200)
                self.send_header("content-type", "text/event-stream" if not odd else "text/json")
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @contextmanager
    def running(self) -> Iterator[str]:
        thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{self._server.server_port}/v1"
        finally:
            self._server.shutdown()
            self._server.server_close()
            thread.join()


def request(name: str = "json_strict", choice: str = "required", **options: Any) -> ChatRequest:
    offer = replace(STANDARD_OFFER, choice=choice)
    constraint = Constraint(lambda: get_paradigm(name).grammar(offer), **options)
    return ChatRequest((Message("user", "hello"),), constraint=constraint)


def ask(endpoint: HttpEndpoint, asked: ChatRequest) -> str:
    with endpoint.stream(asked) as chunks:
        return "".join(chunk.text for chunk in chunks)


def ask_async(endpoint: HttpEndpoint, asked: ChatRequest) -> str:
    async def run() -> str:
        async with endpoint.astream(asked) as chunks:
            return "".join([chunk.text async for chunk in chunks])

    return asyncio.run(run())


both = pytest.mark.parametrize("ask", [ask, ask_async])


@pytest.mark.parametrize("service", KNOWN)
@pytest.mark.parametrize("choice", ["auto", "required"])
def test_a_service_is_told_in_fields_that_it_knows(service: str, choice: str) -> None:
    server = Server(KNOWN[service])
    with server.running() as url, HttpEndpoint(url, model="m", service=service) as endpoint:
        asked = request(choice=choice)
        assert ask(endpoint, asked) == "Hi"
    assert len(server.bodies) == 1 and not endpoint.holding.refused
    told = set(server.bodies[0]) - COMMON
    # With words before a call, a reply is not one JSON value, nor a short expression.
    assert bool(told) is bool(asked.constraint.rendering)
    assert bool(told) is (choice == "required" or service in ("llama.cpp", "vllm", "sglang"))


@both
def test_a_refusal_is_remembered_and_the_request_sent_without(ask: Callable[..., str]) -> None:
    server = Server(set())
    with server.running() as url, HttpEndpoint(url, model="m", service="vllm") as endpoint:
        for _ in range(2):
            asked = request()
            assert ask(endpoint, asked) == "Hi"
            assert asked.constraint.rendering == ""
    assert ["structured_outputs" in body for body in server.bodies] == [True, False, False]
    assert "structured_outputs" in endpoint.holding.refused


def test_what_a_service_is_told_is_written_once() -> None:
    holding = Holding("vllm")
    grammars = [holding.held(request(), {}).params["structured_outputs"] for _ in range(2)]
    assert grammars[0] is grammars[1]
    other = holding.held(request(), {"max_tokens": 50}).params["structured_outputs"]
    assert other != grammars[0]


@both
def test_a_grammar_that_is_demanded_is_not_done_without(ask: Callable[..., str]) -> None:
    server = Server(set())
    once = Retries(attempts=1)
    with (
        server.running() as url,
        HttpEndpoint(url, model="m", service="vllm", retries=once) as endpoint,
        pytest.raises(EndpointError, match="unknown field"),
    ):
        ask(endpoint, request(demanded=True))


def test_a_service_that_nobody_named_is_told_nothing() -> None:
    server = Server(set())
    with server.running() as url, HttpEndpoint(url, model="m") as endpoint:
        assert ask(endpoint, request()) == "Hi"
        with pytest.raises(UsageError, match="does not say which service it is"):
            ask(endpoint, request(demanded=True))


def test_who_sets_such_a_field_himself_is_left_alone() -> None:
    asked = replace(request(), params={"grammar": "root ::= [a-z]+"})
    assert Holding("llama.cpp").held(asked, {}) is None
    assert Holding("llama.cpp").held(request(), {"json_schema": {}}) is None


def test_a_service_that_does_not_exist_is_a_mistake() -> None:
    with pytest.raises(UsageError, match="no service 'lama'"):
        Holding("lama")


@pytest.mark.parametrize(
    "url, dialect, service",
    [
        ("https://api.openai.com/v1", "openai_chat", "openai"),
        ("http://localhost:1234/v1", "openai_chat", "lm_studio"),
        ("http://localhost:11434", "ollama", "ollama"),
        ("http://localhost:8080/v1", "openai_chat", None),
        ("https://api.anthropic.com/v1", "anthropic", None),
    ],
)
def test_an_address_may_say_which_service_it_is(
    url: str, dialect: str, service: str | None
) -> None:
    assert service_at(url, dialect) == service


def test_ollama_is_told_a_format() -> None:
    held = Holding("ollama").held(request(), {})
    assert held is not None
    assert held.params["format"]["required"] == ["tool_calls"]
    assert Holding("ollama").held(request("hermes"), {}) is None


def test_openai_is_told_a_schema_whose_top_is_an_object() -> None:
    held = Holding("openai").held(request(), {})
    assert held is not None
    told = held.params["response_format"]
    assert told["type"] == "json_schema" and told["json_schema"]["schema"]["type"] == "object"
    assert Holding("openai").held(request("xlam"), {}) is None


@pytest.mark.parametrize("service", SERVICES)
def test_what_is_told_is_json(service: str) -> None:
    held = Holding(service).held(request(), {})
    assert held is not None
    json.dumps(held.params)


def test_a_request_for_few_tokens_bounds_what_has_no_bound() -> None:
    server = Server(KNOWN["llama.cpp"] | {"max_tokens"})
    with server.running() as url, HttpEndpoint(url, model="m", service="llama.cpp") as endpoint:
        ask(endpoint, request("hermes"))
        ask(endpoint, replace(request("hermes"), params={"max_tokens": 64}))
    assert "{0,128}" not in server.bodies[0]["grammar"]
    assert "{0,128}" in server.bodies[1]["grammar"]
