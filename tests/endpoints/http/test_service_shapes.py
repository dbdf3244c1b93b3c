"""What services are told fits the requests that they publish; a server that checks refuses others.

The shapes are those of vLLM's ``ChatCompletionRequest`` (``structured_outputs`` takes exactly one
constraint, ``response_format`` one of its types, and the two exclude each other), of SGLang's, of
Ollama's ``ChatRequest`` and of OpenAI's ``response_format``.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from toolproto.endpoints import HttpEndpoint
from toolproto.endpoints.http.services import SERVICES
from toolproto.protocol.errors import EndpointError
from toolproto.protocol.grammar.constraint import Constraint
from toolproto.protocol.messages import ChatRequest, Message
from toolproto.protocol.paradigms import get_paradigm, list_paradigms
from toolproto.testing import STANDARD_OFFER

TEXT = {"type": "string", "minLength": 1}
SCHEMA = {
    "type": "object",
    "required": ["name", "schema"],
    "properties": {
        "name": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"},
        "schema": {"type": "object"},
        "strict": {"type": "boolean"},
        "description": {"type": "string"},
    },
    "additionalProperties": False,
}
JSON_SCHEMA = {
    "type": "object",
    "required": ["type", "json_schema"],
    "properties": {"type": {"const": "json_schema"}, "json_schema": SCHEMA},
    "additionalProperties": False,
}
TAG = {
    "type": "object",
    "required": ["type", "format"],
    "properties": {
        "type": {"const": "structural_tag"},
        "format": {"type": "object", "required": ["type"]},
    },
    "additionalProperties": False,
}
CONSTRAINTS = {
    "type": "object",
    "properties": {"json": {}, "regex": TEXT, "choice": {"type": "array"}, "grammar": TEXT,
                   "json_object": {"type": "boolean"}, "structural_tag": TEXT},
    "additionalProperties": False,
    "minProperties": 1,
    "maxProperties": 1,
}  # fmt: skip
CHAT = {"model": TEXT, "messages": {"type": "array", "minItems": 1}, "stream": {"const": True}}
OPENAI = {**CHAT, "stream_options": {"type": "object"}, "max_tokens": {"type": "integer"}}


def taking(fields: dict[str, Any], *, apart: tuple[str, ...] = ()) -> dict[str, Any]:
    """Requests with *fields* and no others; no two of those that are *apart*."""
    required = ["model", "messages"]
    shape = {"type": "object", "required": required, "properties": fields}
    return {**shape, "additionalProperties": False, "not": {"required": list(apart or ("-",))}}


FORMATS = {"anyOf": [TAG, JSON_SCHEMA]}
SHAPES = {
    "vllm": taking(
        {**OPENAI, "structured_outputs": CONSTRAINTS, "response_format": FORMATS},
        apart=("structured_outputs", "response_format"),
    ),
    "sglang": taking(
        {**OPENAI, "ebnf": TEXT, "regex": TEXT, "response_format": FORMATS},
        apart=("ebnf", "response_format"),
    ),
    "openai": taking({**OPENAI, "response_format": JSON_SCHEMA}),
    "lm_studio": taking({**OPENAI, "response_format": JSON_SCHEMA}),
    "ollama": taking(
        {**CHAT, "options": {"type": "object"}, "keep_alive": {}, "think": {},
         "format": {"anyOf": [{"enum": ["", "json"]}, {"type": "object"}]}}
    ),
}  # fmt: skip


@contextmanager
def serving(shape: dict[str, Any]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A service that refuses what is not of *shape*, and keeps what it took."""
    taken: list[dict[str, Any]] = []
    check = Draft202012Validator(shape)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            faults = [error.message[:200] for error in check.iter_errors(body)]
            if faults:
                text, kind = json.dumps({"error": {"message": f"format: {faults}"}}), "text/json"
            elif self.path.endswith("/api/chat"):
                frame = {"message": {"content": "Hi"}, "done": True}
                text, kind = json.dumps(frame) + "\n", "application/x-ndjson"
            else:
                frame = {"choices": [{"delta": {"content": "Hi"}, "finish_reason": "stop"}]}
                text = f"data: {json.dumps(frame)}\n\ndata: [DONE]\n\n"
                kind = "text/event-stream"
            taken.extend([] if faults else [body])
            self.send_response(400 if faults else 200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", taken
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def asked(url: str, service: str, request: ChatRequest) -> str:
    dialect = "ollama" if service == "ollama" else "openai_chat"
    place = url if service == "ollama" else f"{url}/v1"
    with HttpEndpoint(place, model="m", dialect=dialect, service=service, retries=0) as endpoint:
        with endpoint.stream(request) as chunks:
            text = "".join(chunk.text for chunk in chunks)
        assert not endpoint.holding.refused
    return text


@pytest.mark.parametrize("choice", ["auto", "required", "now", "none"])
@pytest.mark.parametrize("service", SHAPES)
def test_a_service_that_checks_its_requests_takes_ours(service: str, choice: str) -> None:
    offer = replace(STANDARD_OFFER, choice=choice)
    with serving(SHAPES[service]) as (url, taken):
        for name in ("json_strict", "hermes", "pythonic", "qwen3_coder"):
            paradigm = get_paradigm(name)
            constraint = Constraint(lambda made=paradigm: made.grammar(offer))
            request = ChatRequest((Message("user", "hi"),), constraint=constraint)
            assert asked(url, service, request) == "Hi"
        held = [body for body in taken if {*body} - {*OPENAI}]
    assert len(taken) == 4
    assert bool(held) is (choice in ("required", "now") or service in ("vllm", "sglang"))


@pytest.mark.parametrize("service", ["vllm", "ollama"])
def test_it_refuses_what_it_does_not_know(service: str) -> None:
    wrong = {
        "vllm": {"structured_outputs": {"grammar": "x", "regex": "y"}},
        "ollama": {"format": 7},
    }
    with serving(SHAPES[service]) as (url, taken), pytest.raises(EndpointError, match="format"):
        asked(url, service, ChatRequest((Message("user", "hi"),), params=wrong[service]))
    assert not taken


@pytest.mark.parametrize("choice", ["auto", "required", "now", "none"])
def test_vllm_itself_takes_our_requests_where_it_is_installed(choice: str) -> None:
    protocol = pytest.importorskip("vllm.entrypoints.openai.chat_completion.protocol")
    backend = pytest.importorskip("vllm.v1.structured_output.backend_xgrammar")
    from vllm.sampling_params import SamplingParams

    offer = replace(STANDARD_OFFER, choice=choice)
    for name in list_paradigms():
        _, told = SERVICES["vllm"](get_paradigm(name).grammar(offer))
        body = {"model": "m", "messages": [{"role": "user", "content": "hi"}], **told}
        held = protocol.ChatCompletionRequest(**body).extract_structured_outputs()
        backend.validate_xgrammar_grammar(SamplingParams(structured_outputs=held))
