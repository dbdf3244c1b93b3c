"""Asking a function of ``llm``'s for an answer with calls: what the plugin stands on."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import aclosing, closing

from ..endpoints.apis.pieces import Ended, Piece
from ..protocol.errors import EndpointError
from ..protocol.events import CallCompleted, TextDelta
from ..protocol.messages import ChatRequest, Chunk
from .bridge.driving import apieces_of, pieces_of
from .bridge.exchange import Exchange

__all__ = ["AsyncReply", "Reply", "answer", "async_answer"]

#: The chunks of the reply to a request; what they raise passes as it is.
Reply = Callable[[ChatRequest], Generator[Chunk]]
AsyncReply = Callable[[ChatRequest], AsyncGenerator[Chunk]]


def answer(exchange: Exchange, reply: Reply) -> Generator[Piece]:
    """Yield the pieces of the answer as they come.

    Raise EndpointError for an answer that is cut off before it says anything: who runs the tools
    would take it for the end of the work.
    """
    silence = _Silence()
    for piece in pieces_of(exchange, lambda request: closing(reply(request))):
        silence.check(piece)
        yield piece


async def async_answer(exchange: Exchange, reply: AsyncReply) -> AsyncGenerator[Piece]:
    """Yield what :func:`answer` does, on an event loop."""
    silence = _Silence()
    pieces = apieces_of(exchange, lambda request: aclosing(reply(request)))
    async with aclosing(pieces):
        async for piece in pieces:
            silence.check(piece)
            yield piece


class _Silence:
    """Whether an answer has said nothing so far."""

    def __init__(self) -> None:
        self._silent = True

    def check(self, piece: Piece) -> None:
        """Take in *piece*; raise EndpointError if it cuts off an answer that said nothing."""
        match piece:
            case TextDelta(text) if text.strip():
                self._silent = False
            case CallCompleted():
                self._silent = False
            case Ended(reason="length" | "content_filter" as reason) if self._silent:
                raise EndpointError(_UNSAID[reason])


_UNSAID = {
    "length": "the reply was cut off at its length before its first useful word; allow more tokens",
    "content_filter": "the service held the reply back (content_filter)",
}
