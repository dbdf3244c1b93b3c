"""Asking a function of ``llm``'s: what goes out, what is an error, and that it is closed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing

import pytest

from toolproto.endpoints.apis.pieces import Ended, Piece
from toolproto.gateway.bridge.entry import Bridge
from toolproto.gateway.bridge.exchange import Exchange
from toolproto.gateway.text_model import answer, async_answer
from toolproto.protocol.errors import EndpointError
from toolproto.protocol.events import CallCompleted, TextDelta
from toolproto.protocol.messages import ChatRequest, Chunk

NOW = {"type": "function", "function": {"name": "now", "parameters": {"type": "object"}}}
CALL = '<tool_code>{"name": "now", "arguments": {}}</tool_code>'


def asked() -> Exchange:
    return Bridge("xml_tag").ask([{"role": "user", "content": "What time is it?"}], [NOW])


class Model:
    """Gives *chunks*, whoever asks; *closed* counts the replies that were closed."""

    def __init__(self, *chunks: Chunk | Exception) -> None:
        self._chunks = chunks
        self.closed = 0

    def reply(self, request: ChatRequest) -> Generator[Chunk]:
        try:
            for chunk in self._chunks:
                if isinstance(chunk, Exception):
                    raise chunk
                yield chunk
        finally:
            self.closed += 1

    async def async_reply(self, request: ChatRequest) -> AsyncGenerator[Chunk]:
        chunks = self.reply(request)
        try:
            for chunk in chunks:
                yield chunk
        finally:
            chunks.close()


@pytest.fixture(params=["waiting", "on a loop"])
def pieces(request: pytest.FixtureRequest):
    """The first pieces of an answer of a model."""

    async def on_a_loop(model: Model, most: int) -> list[Piece]:
        said: list[Piece] = []
        async with aclosing(async_answer(asked(), model.async_reply)) as answered:
            async for piece in answered:
                said.append(piece)
                if len(said) == most:
                    break
        return said

    def waiting(model: Model, most: int) -> list[Piece]:
        answered = answer(asked(), model.reply)
        said = [piece for piece, _ in zip(answered, range(most), strict=False)]
        answered.close()
        return said

    def some(model: Model, most: int = 99) -> list[Piece]:
        if request.param == "waiting":
            return waiting(model, most)
        return asyncio.run(on_a_loop(model, most))

    return some


def test_a_call_is_read_out_of_the_words(pieces):
    said = pieces(Model(Chunk("Let me see. "), Chunk(CALL), Chunk(finish_reason="stop")))
    assert isinstance(said[0], TextDelta)
    assert [each.call.name for each in said if isinstance(each, CallCompleted)] == ["now"]
    assert isinstance(said[-1], Ended) and said[-1].reason == "tool_calls"


@pytest.mark.parametrize("reason, why", [("length", "allow more"), ("content_filter", "held")])
def test_an_answer_cut_off_before_its_first_word_is_an_error(pieces, reason, why):
    with pytest.raises(EndpointError, match=why):
        pieces(Model(Chunk(" \n"), Chunk(finish_reason=reason)))


def test_an_answer_cut_off_behind_a_word_is_an_answer(pieces):
    said = pieces(Model(Chunk("It is"), Chunk(finish_reason="length")))
    assert isinstance(said[-1], Ended) and said[-1].reason == "length"


def test_what_the_model_raises_passes_as_it_is(pieces):
    model = Model(Chunk("It is"), KeyError("no key"))
    with pytest.raises(KeyError, match="no key"):
        pieces(model)
    assert model.closed == 1


def test_a_reply_that_is_left_early_is_closed(pieces):
    model = Model(Chunk("It is "), Chunk("noon "), Chunk("now."), Chunk(finish_reason="stop"))
    assert len(pieces(model, 1)) == 1
    assert model.closed == 1
