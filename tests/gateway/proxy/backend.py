"""A backend that completes text and nothing else: any word about tools is a 400.

It stands in for a model that follows its paradigm to the letter. What it says is up to *speak*, a
function of the messages it was sent; the tests keep it real by serving it over HTTP.
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from tests.gateway.proxy.sayings import Cut, Messages, Refusal
from tests.quick_server import QuickServer, running
from toolproto.gateway.http_server import SERVER_OPTIONS

FORBIDDEN = ("tools", "tool_choice", "parallel_tool_calls", "functions", "function_call")


@dataclass
class Backend:
    """*speak* gives the reply to messages; *size* is how many characters go out at once."""

    speak: Callable[[Messages], str | Cut | Refusal]
    size: int = 4
    pause: float = 0.0
    breaks_after: int | None = None
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    sent: int = 0
    left: int = 0

    def app(self) -> Starlette:
        routes = [
            Route("/v1/chat/completions", self.chat, methods=["POST"]),
            Route("/v1/models", self._models),
        ]
        return Starlette(routes=routes)

    async def _models(self, request: Request) -> Response:
        self.headers.append(dict(request.headers))
        return JSONResponse({"object": "list", "data": [{"id": "m", "object": "model"}]})

    async def chat(self, request: Request) -> Response:
        """A chat completion."""
        body = await request.json()
        self.bodies.append(body)
        self.headers.append(dict(request.headers))
        if fault := fault_of(body):
            return JSONResponse({"error": {"message": fault}}, 400)
        said = self.speak(body["messages"])
        if isinstance(said, Refusal):
            error = {"error": {"message": said.message, "type": "x", "code": None}}
            return JSONResponse(error, said.status, said.headers)
        text, reason = (said.text, said.reason) if isinstance(said, Cut) else (said, "stop")
        if not body.get("stream"):
            return JSONResponse(whole(text))
        return StreamingResponse(self._chunks(text, reason), media_type="text/event-stream")

    async def _chunks(self, said: str, reason: str | None) -> AsyncIterator[str]:
        try:
            for at in range(0, len(said), self.size):
                if self.breaks_after is not None and at >= self.breaks_after:
                    return
                delta = {"content": said[at : at + self.size]}
                yield event({"delta": delta, "finish_reason": None})
                self.sent = at + self.size
                await asyncio.sleep(self.pause)
            if reason is None:
                return
            yield event({"delta": {}, "finish_reason": reason})
            usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
            yield f"data: {json.dumps({'choices': [], 'usage': usage})}\n\n"
            yield "data: [DONE]\n\n"
        except BaseException:
            self.left += 1
            raise


def fault_of(body: dict[str, Any]) -> str | None:
    """What a text-only backend finds wrong with a request."""
    if found := [key for key in FORBIDDEN if key in body]:
        return f"unknown field {found[0]}"
    roles = [message["role"] for message in body["messages"]]
    if "system" in roles[1:]:
        return "a system message must lead"
    spoken = [role for role in roles if role != "system"]
    if any(role not in ("user", "assistant") for role in spoken):
        return f"unknown role in {spoken}"
    if any(one == two for one, two in pairwise(spoken)):
        return f"roles must take turns: {spoken}"
    return None


def event(choice: dict[str, Any]) -> str:
    return f"data: {json.dumps({'choices': [{'index': 0, **choice}]}, ensure_ascii=False)}\n\n"


def whole(said: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": said}
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {"id": "x", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [choice], "usage": usage}  # fmt: skip


@contextmanager
def served(app: ASGIApp) -> Iterator[str]:
    """*app* on a port of this machine; its address."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, **{**SERVER_OPTIONS, "timeout_graceful_shutdown": 2})
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    with running(QuickServer(config), listener):
        yield url
