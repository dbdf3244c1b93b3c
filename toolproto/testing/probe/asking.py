"""Asking an endpoint for whole replies, from several threads, until somebody says stop."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from time import monotonic
from typing import Any

from ...endpoints.base import Abortable, Endpoint
from ...protocol.describe.tokens import estimate_tokens
from ...protocol.errors import EndpointError
from ...protocol.messages import ChatRequest, Chunk, NativePiece, Usage
from .trial import TrialAnswer, sent_texts

__all__ = ["Asker"]

#: Characters of one reply; who writes more was not stopped by any limit of tokens.
_LONGEST = 200_000


class Asker:
    """Asks *endpoint*; tokens are estimated where it does not count them."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._running: set[Any] = set()
        self._lock = Lock()
        self._stopped = False

    def __call__(self, request: ChatRequest) -> TrialAnswer:
        """The reply to *request*; EndpointError once :meth:`stop` was called."""
        began = monotonic()
        heard = _Heard()
        with self._endpoint.stream(request) as chunks, self._watched(chunks):
            for chunk in chunks:
                if heard.is_enough(chunk):
                    break
        return heard.answered(request, monotonic() - began)

    def stop(self) -> None:
        """End the requests that run, and refuse new ones."""
        with self._lock:
            self._stopped = True
            running = list(self._running)
        for stream in running:
            if isinstance(stream, Abortable):
                stream.abort()

    @contextmanager
    def _watched(self, stream: Any) -> Iterator[None]:
        with self._lock:
            if self._stopped:
                raise EndpointError("the probe was stopped")
            self._running.add(stream)
        try:
            yield
        finally:
            with self._lock:
                self._running.discard(stream)


class _Heard:
    """A reply as far as it has come."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._thoughts: list[str] = []
        self._calls: list[NativePiece] = []
        self._length = 0
        self._reason: str | None = None
        self._usage = Usage()

    def is_enough(self, chunk: Chunk) -> bool:
        """Take *chunk* in; whether the reply is longer than anybody reads."""
        self._texts.append(chunk.text)
        self._thoughts.append(chunk.reasoning)
        self._calls += chunk.calls
        self._reason = chunk.finish_reason or self._reason
        self._usage += chunk.usage or Usage()
        self._length += len(chunk.text) + len(chunk.reasoning)
        self._length += sum(len(str(piece.arguments)) for piece in chunk.calls)
        if self._length <= _LONGEST:
            return False
        self._reason = "length"
        return True

    def answered(self, request: ChatRequest, seconds: float) -> TrialAnswer:
        """What was heard, and what it took."""
        text = "".join(self._texts)
        usage, counted = self._usage, self._usage != Usage()
        if not counted:
            sent = sum(map(estimate_tokens, sent_texts(request)))
            called = "".join(f"{piece.name}{piece.arguments}" for piece in self._calls)
            usage = Usage(sent, estimate_tokens(text + called + "".join(self._thoughts)))
        tokens = (usage.input_tokens, usage.output_tokens)
        calls = tuple(self._calls)
        return TrialAnswer(text, self._reason, *tokens, not counted, seconds, calls)
