"""A framework's own text model as an endpoint: what it is shown, and what it is not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from toolproto import Attachment, ChatRequest, Chunk, Message, UsageError
from toolproto.integrations.text_model import FrameworkModel, written

PICTURE = Message("user", "What is it?", attachments=(Attachment("image/png", data="aGk="),))


def reply(request: ChatRequest) -> Iterator[Chunk]:
    yield Chunk(str(written(request)[0]["content"]))


async def areply(request: ChatRequest) -> AsyncIterator[Chunk]:
    yield Chunk(str(written(request)[0]["content"]))


def asked(model: FrameworkModel, request: ChatRequest) -> list[str]:
    with model.stream(request) as chunks:
        said = [chunk.text for chunk in chunks]

    async def ask() -> list[str]:
        async with model.astream(request) as chunks:
            return [chunk.text async for chunk in chunks]

    assert asyncio.run(ask()) == said
    return said


def test_words_are_written_as_words():
    assert asked(FrameworkModel(reply, areply), ChatRequest((Message("user", "hi"),))) == ["hi", ""]


def test_a_picture_is_a_part_where_the_framework_shows_it():
    model = FrameworkModel(reply, areply, shows=True)
    assert "data:image/png;base64,aGk=" in asked(model, ChatRequest((PICTURE,)))[0]


def test_a_picture_that_would_get_lost_is_refused():
    model = FrameworkModel(reply, areply)
    with pytest.raises(UsageError, match="give an endpoint"):
        model.stream(ChatRequest((PICTURE,))).__enter__()
    with pytest.raises(UsageError, match="give an endpoint"):
        asyncio.run(model.astream(ChatRequest((PICTURE,))).__aenter__())
