"""A chat service on this machine that says what it was told to say.

::

    with ScriptedService("Hello.", ["This is ", HOLD]) as service:
        …  # service.url; service.requests has what was asked

Each request is answered by the next reply, in the form that OpenAI's services stream. A reply is
text, or pieces of it; at :data:`HOLD` it waits until the other side hangs up.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

HOLD = object()


class Thought(str):
    """A piece of thinking."""


class ScriptedService:
    """The service; runs in threads of its own between ``__enter__`` and ``__exit__``."""

    def __init__(self, *replies: Any) -> None:
        self.requests: list[Any] = []
        self._replies = list(replies)

    def __enter__(self) -> ScriptedService:
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers["content-length"])
                service.requests.append(json.loads(self.rfile.read(length)))
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

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        """Say the next reply."""
        if not self._replies:
            handler.send_error(418, "the script is over")
            return
        reply = self._replies.pop(0)
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream")
        handler.end_headers()
        with suppress(OSError):  # the other side may hang up whenever it likes
            for piece in [reply] if isinstance(reply, str) else reply:
                if piece is HOLD:
                    handler.connection.recv(1)
                    return
                handler.wfile.write(frame(piece))
            handler.wfile.write(END)


def frame(piece: str) -> bytes:
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
