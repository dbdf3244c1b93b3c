"""Asking a text model until its answer is one: over an endpoint, waiting for it or not.

Give an exchange, and ``endpoint.stream`` or ``endpoint.astream``. What comes out are the pieces of
the answer as soon as they are certain; the last is an :class:`~.pieces.Ended`. A model that does
not mend its mistakes is a LimitReached, a reply that is broken off a WireError, and what the
endpoint raises passes through. Leaving off early hangs up.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import replace

from ...endpoints.apis.pieces import Failed, Piece
from ...protocol.errors import LimitReached, ToolProtoError, ToolsRefused, WireError
from ...protocol.events import CallCompleted, CallStarted
from ...protocol.messages import ChatRequest, Chunk
from .exchange import Exchange
from .verdict import MISTAKE

__all__ = ["AsyncStream", "Stream", "apieces_of", "pieces_of"]

Stream = Callable[[ChatRequest], AbstractContextManager[Iterator[Chunk]]]
AsyncStream = Callable[[ChatRequest], AbstractAsyncContextManager[AsyncIterator[Chunk]]]


def pieces_of(exchange: Exchange, stream: Stream) -> Generator[Piece]:
    """The pieces of the answer, read by waiting for them."""
    while not exchange.done:
        try:
            with stream(exchange.request) as chunks:
                for chunk in chunks:
                    yield from _given(exchange, exchange.feed(chunk))
                    if exchange.is_over:
                        break
        except ToolsRefused:
            if not exchange.refused():
                raise
            continue
        yield from _given(exchange, exchange.finish())


async def apieces_of(exchange: Exchange, astream: AsyncStream) -> AsyncGenerator[Piece]:
    """The pieces of the answer, read from an event loop."""
    while not exchange.done:
        try:
            async with astream(exchange.request) as chunks:
                async for chunk in chunks:
                    for piece in _given(exchange, exchange.feed(chunk)):
                        yield piece
                    if exchange.is_over:
                        break
        except ToolsRefused:
            if not exchange.refused():
                raise
            continue
        for piece in _given(exchange, exchange.finish()):
            yield piece


def _given(exchange: Exchange, pieces: Sequence[Piece]) -> Iterator[Piece]:
    """*pieces* with tools named as the program knows them; a failure is raised."""
    for piece in pieces:
        match piece:
            case Failed():
                raise _raised(piece)
            case CallStarted(index, name, id):
                yield CallStarted(index, exchange.asked.tool(name).name, id)
            case CallCompleted(index, call):
                known = exchange.asked.tool(call.name).name
                yield (
                    piece if known == call.name else CallCompleted(index, replace(call, name=known))
                )
            case _:
                yield piece


def _raised(failed: Failed) -> ToolProtoError:
    if failed.status == MISTAKE:
        return LimitReached(failed.message, "reasks")
    return WireError(failed.message, status=failed.status)
