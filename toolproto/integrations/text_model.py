"""A text model of any origin, asked through the bridge: what all integrations stand on."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager
from typing import Any

from ..bridge.driving import apieces_of, pieces_of
from ..bridge.entry import Bridge
from ..bridge.exchange import Exchange
from ..bridge.pieces import Ended, Piece
from ..bridge.terms import ModelTerms
from ..bridge.translate.base import Answer, collected
from ..bridge.translate.content import Sees, blind
from ..endpoints.dialects import OpenAIChat
from ..endpoints.function import as_async_endpoint, as_endpoint
from ..errors import EndpointError, UsageError
from ..events import CallCompleted, TextDelta
from ..messages import ChatRequest, Chunk
from ..paradigms import ToolContextDef
from ..taught import taught

__all__ = ["FrameworkModel", "TextModel", "written"]

Reply = Callable[[ChatRequest], Iterator[Chunk]]
AsyncReply = Callable[[ChatRequest], AsyncIterator[Chunk]]


class FrameworkModel:
    """A framework's own text model as an endpoint; what it raises passes as it is.

    *reply* and *areply* give the chunks of a reply; either may be None where the framework has no
    such way. A reply that gives no finish reason counts as stopped. *shows* is whether they show
    the model pictures; otherwise those are refused.
    """

    def __init__(
        self, reply: Reply | None, areply: AsyncReply | None = None, *, shows: bool = False
    ) -> None:
        self._reply = reply
        self._areply = areply
        self._shows = shows

    @contextmanager
    def stream(self, request: ChatRequest, /) -> Iterator[Iterator[Chunk]]:
        """The reply to *request*."""
        if self._reply is None:
            raise UsageError("this model can only be asked from an event loop")
        self._check(request)
        chunks = self._reply(request)
        try:
            yield _ended(chunks)
        finally:
            close = getattr(chunks, "close", None)
            if close is not None:
                close()

    @asynccontextmanager
    async def astream(self, request: ChatRequest, /) -> AsyncIterator[AsyncIterator[Chunk]]:
        """The reply to *request*, on an event loop."""
        if self._areply is None:
            raise UsageError("this model cannot be asked from an event loop")
        self._check(request)
        chunks = self._areply(request)
        try:
            yield _aended(chunks)
        finally:
            close = getattr(chunks, "aclose", None)
            if close is not None:
                await close()

    def _check(self, request: ChatRequest) -> None:
        if not self._shows and any(each.attachments for each in request.messages):
            raise UsageError(
                "pictures do not reach a model of this framework from here: give an endpoint of "
                "toolproto's, or leave out vision=True"
            )


class TextModel:
    """*model*, asked in *paradigm*, on *terms*.

    *model* is an endpoint, or a function from a ChatRequest to text. *paradigm* is one, or the
    name of one; ``auto`` is what suits a model called *name*.
    """

    def __init__(
        self,
        model: Any,
        paradigm: str | ToolContextDef = "auto",
        terms: ModelTerms | None = None,
        name: str = "",
    ) -> None:
        self._model = model
        terms = terms or ModelTerms()
        if paradigm == "auto":
            paradigm = taught(name, terms)
        self.bridge = Bridge(paradigm, terms)
        #: What the model can be shown beside text: all or nothing.
        self.sees: Sees = (lambda attachment: True) if terms.vision else blind

    def pieces(self, exchange: Exchange) -> Iterator[Piece]:
        """The pieces of the answer, as they come."""
        hears = _Hears()
        for piece in pieces_of(exchange, as_endpoint(self._model).stream):
            hears(piece)
            yield piece

    async def apieces(self, exchange: Exchange) -> AsyncGenerator[Piece]:
        """The same, on an event loop."""
        hears = _Hears()
        async with aclosing(apieces_of(exchange, as_async_endpoint(self._model).astream)) as pieces:
            async for piece in pieces:
                hears(piece)
                yield piece

    def answer(self, exchange: Exchange) -> Answer:
        """The whole answer."""
        return _whole(list(self.pieces(exchange)))

    async def aanswer(self, exchange: Exchange) -> Answer:
        """The same, on an event loop."""
        return _whole([piece async for piece in self.apieces(exchange)])


class _Hears:
    """Raises an EndpointError for an answer that was cut off before it said anything.

    Agents of frameworks take one without a word and without a call for the end of their work.
    """

    def __init__(self) -> None:
        self._said = False

    def __call__(self, piece: Piece) -> None:
        match piece:
            case TextDelta(text):
                self._said = self._said or bool(text.strip())
            case CallCompleted():
                self._said = True
            case Ended(reason="length" | "content_filter" as reason) if not self._said:
                raise EndpointError(_UNSAID[reason])


_UNSAID = {
    "length": "the reply was cut off at its length before its first useful word; allow more tokens",
    "content_filter": "the service held the reply back (content_filter)",
}


def written(request: ChatRequest) -> list[dict[str, Any]]:
    """The messages of *request* as OpenAI writes them, which most frameworks read."""
    messages: list[dict[str, Any]] = OpenAIChat().body(request, "")["messages"]
    return messages


def _whole(pieces: list[Piece]) -> Answer:
    answer = collected(pieces)
    assert isinstance(answer, Answer)  # a failure was raised
    return answer


def _ended(chunks: Iterator[Chunk]) -> Iterator[Chunk]:
    ended = False
    for chunk in chunks:
        ended = ended or chunk.finish_reason is not None
        yield chunk
    if not ended:
        yield Chunk(finish_reason="stop")


async def _aended(chunks: AsyncIterator[Chunk]) -> AsyncIterator[Chunk]:
    ended = False
    async for chunk in chunks:
        ended = ended or chunk.finish_reason is not None
        yield chunk
    if not ended:
        yield Chunk(finish_reason="stop")
