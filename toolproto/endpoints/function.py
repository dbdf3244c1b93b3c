"""Any callable as an endpoint, and telling endpoints from other things."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Generator, Iterable, Iterator
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any, Self

from ..protocol.errors import EndpointError, ToolProtoError, UsageError
from ..protocol.messages import ChatRequest, Chunk
from .base import AsyncEndpoint, Endpoint

__all__ = ["FunctionEndpoint", "as_async_endpoint", "as_endpoint", "is_async"]

_WANTED = (
    "an object with stream() or astream() (for a service: HttpEndpoint(url, model=…)), or a "
    "function from a ChatRequest to text"
)


def as_endpoint(thing: Any) -> Endpoint:
    """*thing* as ChatSession needs it: an endpoint is its own, a function is wrapped."""
    if isinstance(thing, type):
        raise UsageError(f"{thing.__name__} is a class; pass an instance of it")
    if isinstance(thing, Endpoint):
        return thing
    if isinstance(thing, AsyncEndpoint):
        raise UsageError(f"{thing!r} has only astream(); use AsyncChatSession, or give it stream()")
    if not callable(thing):
        raise UsageError(f"{thing!r} is not an endpoint; expected {_WANTED}")
    if is_async(thing):
        raise UsageError(f"{thing!r} is async; use AsyncChatSession, or pass a plain function")
    return FunctionEndpoint(thing)


def as_async_endpoint(thing: Any) -> AsyncEndpoint:
    """*thing* as AsyncChatSession needs it: an endpoint is its own, a function is wrapped."""
    if isinstance(thing, type):
        raise UsageError(f"{thing.__name__} is a class; pass an instance of it")
    if isinstance(thing, AsyncEndpoint):
        return thing
    if isinstance(thing, Endpoint):
        raise UsageError(f"{thing!r} has only stream(); use ChatSession, or give it astream()")
    if not callable(thing):
        raise UsageError(f"{thing!r} is not an endpoint; expected {_WANTED}")
    return FunctionEndpoint(thing)


class FunctionEndpoint:
    """An endpoint whose replies *function* makes.

    It gets the ChatRequest and gives a str, a Chunk, or an iterable of them; for ``astream`` it may
    be async, or an async generator. A reply that gives no finish reason counts as stopped. What it
    raises becomes an EndpointError. A plain function is not interrupted: aborting takes effect at
    its next piece, and for ``astream`` it runs in a thread of its own.
    """

    def __init__(self, function: Callable[[ChatRequest], Any]) -> None:
        self._function = function

    def __repr__(self) -> str:
        return f"FunctionEndpoint({_name(self._function)})"

    def stream(self, request: ChatRequest, /) -> FunctionStream:
        """The reply to *request*, in the calling thread."""
        return FunctionStream(_chunks(self._function, request))

    def astream(self, request: ChatRequest, /) -> AsyncFunctionStream:
        """The reply to *request*, from an event loop."""
        return AsyncFunctionStream(_achunks(self._function, request))


class FunctionStream:
    """The chunks of one reply."""

    def __init__(self, chunks: Generator[Chunk]) -> None:
        self._chunks = chunks
        self._aborted = Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._chunks.close()

    def __iter__(self) -> Iterator[Chunk]:
        return self

    def __next__(self) -> Chunk:
        chunk = None if self._aborted.is_set() else next(self._chunks)
        if chunk is None or self._aborted.is_set():
            raise EndpointError("the request was aborted")
        return chunk

    def abort(self) -> None:
        """Make the next piece the last: what the function is doing cannot be interrupted."""
        self._aborted.set()


class AsyncFunctionStream:
    """The chunks of one reply, on an event loop."""

    def __init__(self, chunks: AsyncGenerator[Chunk]) -> None:
        self._chunks = chunks

    async def __aenter__(self) -> AsyncGenerator[Chunk]:
        return self._chunks

    async def __aexit__(self, *_: object) -> None:
        await self._chunks.aclose()


def _chunks(function: Callable[[ChatRequest], Any], request: ChatRequest) -> Generator[Chunk]:
    finished = False
    try:
        for chunk in _pieces(function(request), function):
            finished = finished or chunk.finish_reason is not None
            yield chunk
    except ToolProtoError:
        raise
    except Exception as error:
        raise _failure(function, error) from error
    if not finished:
        yield Chunk(finish_reason="stop")


def _pieces(reply: Any, function: Callable[..., Any]) -> Iterator[Chunk]:
    if isinstance(reply, str | Chunk):
        reply = [reply]
    if not isinstance(reply, Iterable) or isinstance(reply, bytes | dict):
        raise _misfit(reply, function)
    for piece in reply:
        yield _chunk(piece, function)


def _chunk(piece: Any, function: Callable[..., Any]) -> Chunk:
    if isinstance(piece, str):
        return Chunk(piece)
    if not isinstance(piece, Chunk):
        raise _misfit(piece, function)
    return piece


async def _achunks(
    function: Callable[[ChatRequest], Any], request: ChatRequest
) -> AsyncGenerator[Chunk]:
    if not is_async(function):
        steps = _in_thread(_chunks(function, request))
    else:
        steps = _async_chunks(function, request)
    try:
        async for chunk in steps:
            yield chunk
    finally:
        await steps.aclose()


async def _async_chunks(
    function: Callable[[ChatRequest], Any], request: ChatRequest
) -> AsyncGenerator[Chunk]:
    finished = False
    try:
        async for chunk in _apieces(function(request), function):
            finished = finished or chunk.finish_reason is not None
            yield chunk
    except ToolProtoError:
        raise
    except Exception as error:
        raise _failure(function, error) from error
    if not finished:
        yield Chunk(finish_reason="stop")


async def _apieces(reply: Any, function: Callable[..., Any]) -> AsyncGenerator[Chunk]:
    if inspect.isawaitable(reply):
        reply = await reply
    if not isinstance(reply, AsyncIterable):
        for chunk in _pieces(reply, function):
            yield chunk
        return
    try:
        async for piece in reply:
            yield _chunk(piece, function)
    finally:
        if isinstance(reply, AsyncGenerator):
            await reply.aclose()


async def _in_thread(chunks: Generator[Chunk]) -> AsyncGenerator[Chunk]:
    """*chunks*, made one at a time in a thread, so that the loop goes on meanwhile."""
    loop = asyncio.get_running_loop()
    asked: SimpleQueue[asyncio.Future[Chunk | None] | None] = SimpleQueue()
    work = partial(copy_context().run, _serve, chunks, asked, loop)
    # A daemon: a function that never returns must not keep the program from ending.
    Thread(target=work, name="toolproto-function", daemon=True).start()
    try:
        while True:
            answer: asyncio.Future[Chunk | None] = loop.create_future()
            asked.put(answer)
            chunk = await answer
            if chunk is None:
                return
            yield chunk
    finally:
        asked.put(None)


def _serve(
    chunks: Generator[Chunk],
    asked: SimpleQueue[asyncio.Future[Chunk | None] | None],
    loop: asyncio.AbstractEventLoop,
) -> None:
    while (answer := asked.get()) is not None:
        try:
            settle = partial(_settle, answer, next(chunks, None))
        except Exception as error:
            settle = partial(_settle, answer, None, error)
        with suppress(RuntimeError):  # the loop was closed: nobody waits any more
            loop.call_soon_threadsafe(settle)
    chunks.close()


def _settle(
    answer: asyncio.Future[Chunk | None], chunk: Chunk | None, error: Exception | None = None
) -> None:
    if answer.done():
        return
    if error is None:
        answer.set_result(chunk)
    else:
        answer.set_exception(error)


def is_async(function: Any) -> bool:
    """Whether calling *function* gives something to await, or to iterate in an event loop."""
    while isinstance(function, partial):
        function = function.func
    called = getattr(function, "__call__", None)  # noqa: B004
    return any(
        inspect.iscoroutinefunction(each) or inspect.isasyncgenfunction(each)
        for each in (function, called)
    )


def _name(function: Any) -> str:
    return getattr(function, "__qualname__", None) or type(function).__name__


def _failure(function: Any, error: Exception) -> EndpointError:
    return EndpointError(f"the endpoint function {_name(function)} raised {error!r}")


def _misfit(value: Any, function: Any) -> UsageError:
    return UsageError(
        f"the endpoint function {_name(function)} gave {value!r}; "
        "expected text, a Chunk, or an iterable of them"
    )
