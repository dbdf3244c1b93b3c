"""A service on the loopback address that has tools of its own, and loses calls in a chosen way.

A request with tools is answered in the way of the server. One without tools is answered by a model
that keeps to the paradigm it is taught. Once a result is there, both say what it was.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.gateway.proxy.backend import served
from toolproto import ToolCall, get_paradigm

from .answers import PARIS, Answer, Refused, Said, Way
from .wires import WIRES, error_body

__all__ = ["BASES", "DONE", "TAUGHT", "NativeServer", "serving"]

#: The paradigm that the model follows where it gets no tools, and how results begin there.
TAUGHT = get_paradigm("json_strict")
_RESULT = '{"tool_call_result"'

#: What the model says to a result.
DONE = "It is 21 degrees."
#: Behind the server's address: the URL that clients of each API are given.
BASES = {"openai_chat": "/v1", "anthropic": "/v1", "google": "/v1beta", "ollama": ""}


@dataclass
class NativeServer:
    """Answers in *way*, in pieces of *size* characters.

    *bodies* are the requests that came, with the API of each. One that *minds_tools* answers in
    its way only where a request brings tools.
    """

    way: Way
    size: int | None = None
    minds_tools: bool = True
    bodies: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def app(self) -> Starlette:
        """The application that serves it."""
        posts = {
            "/v1/chat/completions": self._answering("openai_chat"),
            "/v1/messages": self._answering("anthropic"),
            "/v1beta/models/{call:path}": self._answering("google"),
            "/api/chat": self._answering("ollama"),
        }
        routes = [Route(path, each, methods=["POST"]) for path, each in posts.items()]
        return Starlette(routes=[*routes, Route("/v1/models", _models)])

    def said(self, body: Mapping[str, Any]) -> Answer:
        """Return the answer to a request."""
        if _has_result(body):
            return Answer((Said(DONE),))
        if body.get("tools") or not self.minds_tools:
            return self.way.answer
        if not (self.way.calls or self.way.answer.refused):
            return Answer((Said(DONE),))
        name, arguments = (self.way.calls or (("get_weather", PARIS),))[0]
        return Answer((Said(TAUGHT.encode_call(ToolCall(name, arguments))),))

    def _answering(self, api: str) -> Callable[[Request], Any]:
        async def answer(request: Request) -> Response:
            body = await request.json()
            self.bodies.append((api, body))
            said = self.said(body)
            streams = body.get("stream", api == "ollama")
            if api == "google":
                streams = ":streamGenerateContent" in request.url.path
            if said.refused:
                return _refusal(said.refused, streams)
            wire = WIRES[api]
            if not streams:
                return JSONResponse(wire.whole(said))
            return StreamingResponse(_sent(wire.stream(said, self.size)),
                                     media_type=wire.media_type)  # fmt: skip

        return answer


async def _models(request: Request) -> Response:
    return JSONResponse({"object": "list", "data": [{"id": "m", "object": "model"}]})


async def _sent(blocks: Iterator[str]) -> AsyncIterator[str]:
    for block in blocks:
        yield block


def _refusal(refused: Refused, streams: bool) -> Response:
    body = error_body(refused)
    if not (refused.streamed and streams):
        return JSONResponse(body, refused.status)
    return Response(f"data: {JSONResponse(body).body.decode()}\n\n",
                    media_type="text/event-stream")  # fmt: skip


def _has_result(body: Mapping[str, Any]) -> bool:
    """Return True if the last message of *body* brings a result, natively or in the paradigm."""
    *_, last = body.get("messages") or body["contents"]
    if last.get("role") == "tool":
        return True
    parts = last.get("content") or last.get("parts") or ""
    if isinstance(parts, str):
        return _RESULT in parts
    return any(
        part.get("type") == "tool_result"
        or "functionResponse" in part
        or _RESULT in (part.get("text") or "")
        for part in parts
    )


@contextmanager
def serving(server: NativeServer) -> Iterator[str]:
    """Serve *server* while the block runs, and give its address."""
    with served(server.app()) as address:
        yield address
