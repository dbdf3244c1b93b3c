"""What the model saw and what it wrote, request by request, as long as the server runs."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from ..endpoints.base import AsyncEndpoint
from ..protocol.messages import ChatRequest, Chunk, NativePiece, Usage

__all__ = ["Seen", "SeenEndpoint", "SeenExchange"]

#: Requests that are remembered for each session, and characters of all of them.
_MOST = 40
_MOST_CHARACTERS = 4_000_000


@dataclass(slots=True)
class SeenExchange:
    """One request, and what came back."""

    number: int
    request: ChatRequest
    pieces: list[str] = field(default_factory=list)
    calls: list[NativePiece] = field(default_factory=list)
    finish_reason: str | None = None
    usage: Usage = field(default_factory=Usage)
    is_over: bool = False

    @property
    def reply(self) -> str:
        """The reply as the model wrote it, so far."""
        if len(self.pieces) > 1:
            self.pieces = ["".join(self.pieces)]
        return self.pieces[0] if self.pieces else ""

    @property
    def size(self) -> int:
        """Characters of both."""
        return len(self.reply) + sum(len(each.content) for each in self.request.messages)

    def take(self, chunk: Chunk) -> None:
        """Hear *chunk*."""
        if chunk.text:
            self.pieces.append(chunk.text)
        self.calls += chunk.calls
        if chunk.usage:
            self.usage = self.usage + chunk.usage
        self.finish_reason = chunk.finish_reason or self.finish_reason


class Seen:
    """The last exchanges of a session."""

    def __init__(self) -> None:
        self.exchanges: deque[SeenExchange] = deque(maxlen=_MOST)
        self._count = 0

    def begin(self, request: ChatRequest) -> SeenExchange:
        """Take note of *request*."""
        self._count += 1
        exchange = SeenExchange(self._count, request)
        self.exchanges.append(exchange)
        while len(self.exchanges) > 1 and self._size() > _MOST_CHARACTERS:
            self.exchanges.popleft()
        return exchange

    def _size(self) -> int:
        return sum(exchange.size for exchange in self.exchanges)

    def find(self, number: int) -> SeenExchange | None:
        """The exchange of that number, if it is still remembered."""
        return next((each for each in self.exchanges if each.number == number), None)


class SeenEndpoint:
    """*endpoint*, with what goes through it noted in *seen*."""

    def __init__(self, endpoint: AsyncEndpoint, seen: Seen) -> None:
        self._endpoint = endpoint
        self._seen = seen

    def __getattr__(self, name: str) -> Any:
        # A session looks for the endpoint's model and for what it redacts.
        return getattr(self._endpoint, name)

    @asynccontextmanager
    async def astream(self, request: ChatRequest, /) -> AsyncIterator[AsyncIterator[Chunk]]:
        """The reply to *request*, in pieces."""
        exchange = self._seen.begin(request)
        try:
            async with self._endpoint.astream(request) as chunks:
                yield _noted(chunks, exchange)
        finally:
            exchange.is_over = True


async def _noted(chunks: AsyncIterator[Chunk], exchange: SeenExchange) -> AsyncIterator[Chunk]:
    async for chunk in chunks:
        exchange.take(chunk)
        yield chunk
