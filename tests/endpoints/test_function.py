"""Functions as endpoints."""

from __future__ import annotations

import asyncio
import threading
from functools import partial

import pytest

from tests.patience import PATIENCE
from toolproto.endpoints import (
    FunctionEndpoint,
    HttpEndpoint,
    ScriptedEndpoint,
    as_async_endpoint,
    as_endpoint,
)
from toolproto.protocol.errors import EndpointError, EndpointTimeout, UsageError
from toolproto.protocol.messages import ChatRequest, Chunk, Message, NativePiece

REQUEST = ChatRequest((Message("user", "hello"),))
STOP = Chunk(finish_reason="stop")
CALL = NativePiece(0, "c", "f", "{}")


def ask(thing):
    with as_endpoint(thing).stream(REQUEST) as chunks:
        return list(chunks)


def ask_async(thing):
    async def run():
        async with as_async_endpoint(thing).astream(REQUEST) as chunks:
            return [chunk async for chunk in chunks]

    return asyncio.run(run())


def echo(request):
    return request.messages[-1].content


def letters(request):
    yield from request.messages[-1].content[:2]


async def async_echo(request):
    await asyncio.sleep(0)
    return request.messages[-1].content


async def async_letters(request):
    for letter in request.messages[-1].content[:2]:
        await asyncio.sleep(0)
        yield letter


class Echo:
    def __call__(self, request):
        return [Chunk(echo(request), finish_reason="length")]


class AsyncEcho:
    async def __call__(self, request):
        return echo(request)


SYNC = [
    (echo, [Chunk("hello"), STOP]),
    (letters, [Chunk("h"), Chunk("e"), STOP]),
    (lambda request: Chunk("x", finish_reason="length"), [Chunk("x", finish_reason="length")]),
    (lambda request: [], [STOP]),
    (Echo(), [Chunk("hello", finish_reason="length")]),
    (partial(lambda a, request: a, "a"), [Chunk("a"), STOP]),
    (lambda request: [Chunk(calls=(CALL,))], [Chunk(calls=(CALL,)), STOP]),
]
ASYNC = [
    (async_echo, [Chunk("hello"), STOP]),
    (async_letters, [Chunk("h"), Chunk("e"), STOP]),
    (AsyncEcho(), [Chunk("hello"), STOP]),
    (partial(async_echo), [Chunk("hello"), STOP]),
]


@pytest.mark.parametrize("function, chunks", SYNC)
def test_a_function_is_an_endpoint(function, chunks):
    assert ask(function) == chunks


@pytest.mark.parametrize("function, chunks", SYNC + ASYNC)
def test_a_function_is_an_endpoint_on_a_loop(function, chunks):
    assert ask_async(function) == chunks


@pytest.mark.parametrize("wrap", [as_endpoint, as_async_endpoint])
def test_an_endpoint_is_its_own(wrap):
    for endpoint in (ScriptedEndpoint(), HttpEndpoint("http://h", model="m")):
        assert wrap(endpoint) is endpoint


class OnlyStream:
    def stream(self, request, /): ...


class OnlyAstream:
    def astream(self, request, /): ...


@pytest.mark.parametrize(
    "wrap, thing, remedy",
    [
        (as_endpoint, OnlyAstream(), "AsyncChatSession"),
        (as_async_endpoint, OnlyStream(), "use ChatSession"),
        (as_endpoint, async_echo, "AsyncChatSession"),
        (as_endpoint, async_letters, "AsyncChatSession"),
        (as_endpoint, "http://localhost", "ChatRequest"),
        (as_async_endpoint, None, "ChatRequest"),
        (as_endpoint, ScriptedEndpoint, "instance"),
        (as_async_endpoint, ScriptedEndpoint, "instance"),
    ],
)
def test_anything_else_is_refused_with_the_remedy(wrap, thing, remedy):
    with pytest.raises(UsageError, match=remedy):
        wrap(thing)


def broken(request):
    raise ValueError("odd")


def broken_later(request):
    yield "a"
    raise ValueError("odd")


async def broken_async(request):
    raise ValueError("odd")


@pytest.mark.parametrize(
    "ask, function",
    [
        (ask, broken),
        (ask, broken_later),
        (ask_async, broken),
        (ask_async, broken_later),
        (ask_async, broken_async),
    ],
)
def test_what_a_function_raises_is_an_endpoint_error(ask, function):
    with pytest.raises(
        EndpointError, match=rf"{function.__name__} raised ValueError\('odd'\)"
    ) as c:
        ask(function)
    assert isinstance(c.value.__cause__, ValueError)


@pytest.mark.parametrize("ask", [ask, ask_async])
def test_an_error_of_ours_passes(ask):
    def late(request):
        raise EndpointTimeout("late")

    with pytest.raises(EndpointTimeout, match=r"^late$"):
        ask(late)


@pytest.mark.parametrize("ask", [ask, ask_async])
@pytest.mark.parametrize("reply", [5, None, b"x", [5], {"a": 1}])
def test_a_function_that_gives_no_text_is_a_mistake(ask, reply):
    with pytest.raises(UsageError, match="expected text"):
        ask(lambda request: reply)


def test_aborting_takes_effect_at_the_next_piece():
    with FunctionEndpoint(letters).stream(REQUEST) as chunks:
        next(chunks)
        chunks.abort()
        with pytest.raises(EndpointError, match="aborted"):
            next(chunks)


def test_a_function_that_blocks_does_not_block_the_loop():
    go_on, ended = threading.Event(), threading.Event()

    def slow(request):
        try:
            yield "a"
            go_on.wait(PATIENCE)
            yield "b"
        finally:
            ended.set()

    async def run():
        async with as_async_endpoint(slow).astream(REQUEST) as chunks:
            assert await anext(chunks) == Chunk("a")
            waiting = asyncio.ensure_future(anext(chunks))
            await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
        go_on.set()
        assert await asyncio.to_thread(ended.wait, 10)

    asyncio.run(run())
