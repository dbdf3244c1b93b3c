"""Recording what an endpoint said, and saying it again: for tests without a network.

A cassette is a file of JSON lines, one exchange each, with secrets removed::

    {"request": {"messages": […], "stop": […], "params": {…}}, "chunks": [{"text": "…"}, …]}

An exchange that failed has ``"error"``; one that was left before its end has neither that nor a
finish reason.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator, Sequence
from contextlib import aclosing, asynccontextmanager, contextmanager
from os import PathLike
from pathlib import Path
from threading import Lock
from typing import Any

from ...protocol.errors import EndpointError, ToolsRefused
from ...protocol.messages import ChatRequest, Chunk
from ...protocol.secrets import Redactor
from ..function import as_async_endpoint, as_endpoint
from .exchange_file import (
    cleaned,
    key_of,
    load_cassette,
    read_chunk,
    read_error,
    write_chunk,
    write_error,
    write_request,
)

__all__ = ["RecordingEndpoint", "ReplayEndpoint"]


class RecordingEndpoint:
    """Passes on what *endpoint* says, and adds each exchange to the cassette at *path*.

    Whatever else the endpoint has (``model``, ``sees``, ``close``), this has, too.

    Removed are the endpoint's own keys, *secrets*, what *patterns* (regular expressions) match,
    fields named like a secret, and what looks like a key of the well-known services.
    """

    def __init__(
        self,
        endpoint: Any,
        path: str | PathLike[str],
        *,
        secrets: Iterable[str] = (),
        patterns: Sequence[str] = (),
    ) -> None:
        self._endpoint = endpoint
        self._path = Path(path)
        own = getattr(endpoint, "redactor", None)
        #: Takes the keys of the endpoint out of a text; None if it has none.
        self.redactor = own if isinstance(own, Redactor) else None
        self._redactors = [Redactor(secrets, patterns)]
        if self.redactor is not None:
            self._redactors.append(self.redactor)
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"RecordingEndpoint({self._endpoint!r}, {self._path.name!r})"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # a copy in the making has no endpoint yet
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self._endpoint, name)

    @contextmanager
    def stream(self, request: ChatRequest, /) -> Iterator[Iterator[Chunk]]:
        """The reply to *request*, recorded when it is left."""
        tape = _Tape()
        try:
            with as_endpoint(self._endpoint).stream(request) as chunks:
                yield tape.over(chunks)
        finally:
            self._keep(request, tape)

    @asynccontextmanager
    async def astream(self, request: ChatRequest, /) -> AsyncIterator[AsyncIterator[Chunk]]:
        """The reply to *request*, recorded when it is left."""
        tape = _Tape()
        try:
            async with (
                as_async_endpoint(self._endpoint).astream(request) as chunks,
                aclosing(tape.aover(chunks)) as recorded,
            ):
                yield recorded
        finally:
            self._keep(request, tape)

    def _keep(self, request: ChatRequest, tape: _Tape) -> None:
        if not tape.started:
            return
        exchange: dict[str, Any] = {"request": write_request(request), "chunks": tape.chunks}
        if tape.error is not None:
            exchange["error"] = tape.error
        for redactor in self._redactors:
            exchange = cleaned(exchange, redactor)
        line = json.dumps(exchange, ensure_ascii=False, default=str) + "\n"
        with self._lock, self._path.open("a", encoding="utf-8", errors="replace") as file:
            file.write(line)


class ReplayEndpoint:
    """Answers each request as the cassette at *path* does.

    A request is found by its messages, stop sequences and parameters; the day in the system prompt
    and the ids that a session draws for its calls make no difference. One that was recorded several
    times is answered in the recorded order, the last answer again and again. Give the *secrets* and
    *patterns* that were given to the recording, if any.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        secrets: Iterable[str] = (),
        patterns: Sequence[str] = (),
    ) -> None:
        self._path = Path(path)
        self._redactor = Redactor(secrets, patterns)
        self._exchanges: dict[str, list[dict[str, Any]]] = {}
        for exchange in load_cassette(self._path):
            self._exchanges.setdefault(key_of(exchange["request"]), []).append(exchange)
        #: Whether it recorded a service with tools of its own.
        self.offers_tools = any(
            "offer" in each["request"] for same in self._exchanges.values() for each in same
        )
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"ReplayEndpoint({self._path.name!r})"

    @contextmanager
    def stream(self, request: ChatRequest, /) -> Iterator[Iterator[Chunk]]:
        """The recorded reply to *request*."""
        yield self._chunks(request)

    @asynccontextmanager
    async def astream(self, request: ChatRequest, /) -> AsyncIterator[AsyncIterator[Chunk]]:
        """The recorded reply to *request*."""
        async with aclosing(_each(self._chunks(request))) as chunks:
            yield chunks

    def _chunks(self, request: ChatRequest) -> Iterator[Chunk]:
        exchange = self._next(request)
        chunks = [read_chunk(each) for each in exchange["chunks"]]
        yield from chunks
        if "error" in exchange:
            raise read_error(exchange["error"])
        if not chunks or chunks[-1].finish_reason is None:
            raise EndpointError(
                f"the recording in {self._path.name!r} ends in the middle of a reply"
            )

    def _next(self, request: ChatRequest) -> dict[str, Any]:
        key = key_of(self._redactor.value(write_request(request)))
        with self._lock:
            found = self._exchanges.get(key)
            if not found:
                told = f"the cassette {self._path.name!r} has no reply to this; record it again"
                # The service refused tools at that time, and was sent them as text.
                raise EndpointError(told) if request.offer is None else ToolsRefused(told)
            return found.pop(0) if len(found) > 1 else found[0]


class _Tape:
    """What passed through a stream."""

    def __init__(self) -> None:
        self.started = False
        self.chunks: list[dict[str, Any]] = []
        self.error: dict[str, Any] | None = None

    def over(self, chunks: Iterator[Chunk]) -> _Recorded:
        return _Recorded(self, chunks)

    async def aover(self, chunks: AsyncIterator[Chunk]) -> AsyncGenerator[Chunk]:
        self.started = True
        try:
            async for chunk in chunks:
                self.chunks.append(write_chunk(chunk))
                yield chunk
        except EndpointError as error:
            self.error = write_error(error)
            raise

    def take(self, chunks: Iterator[Chunk]) -> Chunk:
        self.started = True
        try:
            chunk = next(chunks)
        except EndpointError as error:
            self.error = write_error(error)
            raise
        self.chunks.append(write_chunk(chunk))
        return chunk


class _Recorded:
    """The chunks of a stream, taken down; can be aborted if the stream can."""

    def __init__(self, tape: _Tape, chunks: Iterator[Chunk]) -> None:
        self._tape = tape
        self._chunks = chunks

    def __iter__(self) -> Iterator[Chunk]:
        return self

    def __next__(self) -> Chunk:
        return self._tape.take(self._chunks)

    def abort(self) -> None:
        """Abort the stream that is recorded."""
        abort = getattr(self._chunks, "abort", None)
        if abort is not None:
            abort()


async def _each(chunks: Iterator[Chunk]) -> AsyncGenerator[Chunk]:
    for chunk in chunks:
        yield chunk
