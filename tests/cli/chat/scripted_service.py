"""A chat service on this machine that says what it was told to say.

::

    with ScriptedService("Hello.", ["This is ", HOLD]) as service:
        …  # service.url; service.requests has what was asked

Each request is answered by the next reply, in the form that OpenAI's services stream. A reply is
text, or pieces of it; at :data:`HOLD` it waits until the other side hangs up, and at an Event until
that is set. A piece that is a dict is a ``delta`` as it is, a reply that is a :class:`Refusal` an
error. *models* are what the service lists, and *key* is what it wants to be sent.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

from tests.patience import PATIENCE

HOLD = object()


class Thought(str):
    """A piece of thinking."""


class Refusal(str):
    """An answer of status 400, and what it says."""


def native_call(id: str, name: str, index: int = 0, **arguments: Any) -> list[Any]:
    """A call as a service with tools of its own streams it."""
    written = json.dumps(arguments)
    function = [{"name": name, "arguments": ""}, *({"arguments": each} for each in words(written))]
    told = [{"index": index, "function": each} for each in function]
    told[0] |= {"id": id, "type": "function"}
    return [{"tool_calls": [each]} for each in told]


class ScriptedService:
    """The service; runs in threads of its own between ``__enter__`` and ``__exit__``."""

    def __init__(self, *replies: Any, models: Sequence[str] = (), key: str = "") -> None:
        self.requests: list[Any] = []
        self.models = models
        self.key = key
        self._replies = list(replies)

    def __enter__(self) -> ScriptedService:
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if service.refuses(self):
                    return
                if not service.models:
                    self.send_error(404)
                    return
                body = json.dumps({"data": [{"id": name} for name in service.models]}).encode()
                self.send_response(200)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self) -> None:
                length = int(self.headers["content-length"])
                service.requests.append(json.loads(self.rfile.read(length)))
                if not service.refuses(self):
                    service.answer(self)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def replies(self, *more: Any) -> None:
        """Say *more* behind all others."""
        self._replies += more

    def refuses(self, handler: BaseHTTPRequestHandler) -> bool:
        """Answer with 401 if a key is wanted and another one came, or none."""
        wrong = bool(self.key) and handler.headers.get("authorization") != f"Bearer {self.key}"
        if wrong:
            handler.send_error(401)
        return wrong

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        """Say the next reply."""
        if not self._replies:
            handler.send_error(418, "the script is over")
            return
        reply = self._replies.pop(0)
        if isinstance(reply, Refusal):
            body = json.dumps({"error": {"message": reply}}).encode()
            handler.send_response(400)
            handler.send_header("content-length", str(len(body)))
            handler.end_headers()
            handler.wfile.write(body)
            return
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream")
        handler.end_headers()
        with suppress(OSError):  # the other side may hang up whenever it likes
            for piece in [reply] if isinstance(reply, str) else reply:
                if piece is HOLD:
                    handler.connection.recv(1)
                    return
                if isinstance(piece, Event):
                    piece.wait(PATIENCE)
                else:
                    handler.wfile.write(frame(piece))
            handler.wfile.write(END)


def frame(piece: str | dict[str, Any]) -> bytes:
    if isinstance(piece, dict):
        return _event({"choices": [{"index": 0, "delta": piece}]})
    key = "reasoning_content" if isinstance(piece, Thought) else "content"
    return _event({"choices": [{"index": 0, "delta": {key: piece}}]})


def _event(value: Any) -> bytes:
    return f"data: {json.dumps(value)}\n\n".encode()


END = (
    _event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    + _event({"choices": [], "usage": {"prompt_tokens": 90, "completion_tokens": 12}})
    + b"data: [DONE]\n\n"
)


def call(name: str, **arguments: Any) -> str:
    """A call as ``xml_tag`` wants it written."""
    written = json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)
    return f"<tool_code>{written}</tool_code>"


def words(text: str, size: int = 4) -> Sequence[str]:
    """*text* in small pieces."""
    return [text[at : at + size] for at in range(0, len(text), size)]
