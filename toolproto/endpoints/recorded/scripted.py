"""An endpoint that says what it was told to say: for the tests of programs."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from threading import Event, Lock
from typing import Any, Self

from ...protocol.errors import EndpointError, UsageError
from ...protocol.messages import ChatRequest, Chunk, Usage

__all__ = ["Hold", "ScriptedEndpoint", "ScriptedReply"]


class Hold:
    """A place in a scripted reply where the stream waits until :meth:`release`.

    *reached* is set when a stream gets there. Aborting the stream, or cancelling its task, ends
    the wait.
    """

    def __init__(self) -> None:
        self.reached = Event()
        self._released = False
        self._waiting: list[Callable[[], object]] = []
        self._lock = Lock()

    def release(self) -> None:
        """Let every stream pass, now and later."""
        with self._lock:
            self._released = True
            waiting, self._waiting = self._waiting, []
        for go_on in waiting:
            with suppress(RuntimeError):  # the loop it waited on is closed
                go_on()

    def arrive(self, go_on: Callable[[], object]) -> None:
        """Call *go_on* when released."""
        with self._lock:
            released = self._released
            if not released:
                self._waiting.append(go_on)
        if released:
            go_on()
        self.reached.set()


@dataclass(frozen=True, slots=True)
class ScriptedReply:
    """A reply with an end of your choice: *finish_reason* None breaks it off.

    *content* is text, or a sequence of str, Chunk, :class:`Hold`, an exception to raise at that
    place, or a function of no arguments to call there (awaited, if it gives something to await
    and the stream is async).
    """

    content: Any
    finish_reason: str | None = "stop"
    usage: Usage | None = None


class ScriptedEndpoint:
    """Answers the first request with the first reply, the next one with the next.

    A reply is text, a sequence as in :class:`ScriptedReply`, a ScriptedReply, an exception to
    raise, or a function from the ChatRequest to one of these. Text is given in pieces of
    *chunk_size* characters, whole by default. *requests* keeps what was asked, *open* counts the
    streams that were entered and not yet left. With *native* it is a service with tools of its own,
    whose calls are pieces in a Chunk; what *offers_tools* says a test may change.
    """

    def __init__(self, *replies: Any, chunk_size: int | None = None, native: str = "never") -> None:
        if chunk_size is not None and chunk_size < 1:
            raise UsageError(
                f"chunk_size is {chunk_size!r}; give 1 or more, or None for no cutting"
            )
        self.requests: list[ChatRequest] = []
        self.native = native
        self.offers_tools = native != "never"
        self.open = 0
        self._replies = replies
        self._chunk_size = chunk_size
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"ScriptedEndpoint({len(self._replies)} replies, {len(self.requests)} requests)"

    def stream(self, request: ChatRequest, /) -> ScriptedStream:
        """The next reply."""
        return ScriptedStream(self, self._steps(request))

    def astream(self, request: ChatRequest, /) -> AsyncScriptedStream:
        """The next reply, on an event loop."""
        return AsyncScriptedStream(self, self._steps(request))

    def count(self, change: int) -> None:
        """A stream was entered or left."""
        with self._lock:
            self.open += change

    def _steps(self, request: ChatRequest) -> Generator[Chunk | Hold | Callable[[], Any]]:
        reply = self._take(request)
        while callable(reply):
            reply = reply(request)
        if not isinstance(reply, ScriptedReply):
            reply = ScriptedReply(reply)
        finished = False
        for item in _items(reply.content):
            for step in self._cut(item):
                finished = finished or (isinstance(step, Chunk) and step.finish_reason is not None)
                yield step
        if reply.finish_reason is not None and not finished:
            yield Chunk(finish_reason=reply.finish_reason, usage=reply.usage)

    def _take(self, request: ChatRequest) -> Any:
        with self._lock:
            self.requests.append(request)
            number = len(self.requests)
        if number > len(self._replies):
            raise EndpointError(
                f"the script has no reply to request {number}: it holds {len(self._replies)}"
            )
        return self._replies[number - 1]

    def _cut(self, item: Any) -> Iterator[Chunk | Hold | Callable[[], Any]]:
        if isinstance(item, BaseException):
            raise item
        if isinstance(item, str):
            size = self._chunk_size or max(1, len(item))
            yield from (Chunk(item[at : at + size]) for at in range(0, len(item), size))
        elif isinstance(item, Chunk | Hold) or callable(item):
            yield item
        else:
            raise UsageError(f"{item!r} cannot be part of a scripted reply")


class ScriptedStream:
    """The chunks of one scripted reply."""

    def __init__(self, endpoint: ScriptedEndpoint, steps: Generator[Any]) -> None:
        self._endpoint = endpoint
        self._steps = steps
        self._aborted = False
        self._wake = Event()

    def __enter__(self) -> Self:
        self._endpoint.count(+1)
        return self

    def __exit__(self, *_: object) -> None:
        self._steps.close()
        self._endpoint.count(-1)

    def __iter__(self) -> Iterator[Chunk]:
        return self

    def __next__(self) -> Chunk:
        while True:
            self._check()
            step = next(self._steps)
            self._check()
            if isinstance(step, Chunk):
                return step
            self._pause(step)

    def abort(self) -> None:
        """Make the pending and every later ``next`` raise EndpointError."""
        self._aborted = True
        self._wake.set()

    def _check(self) -> None:
        if self._aborted:
            raise EndpointError("the request was aborted")

    def _pause(self, step: Hold | Callable[[], Any]) -> None:
        if not isinstance(step, Hold):
            step()
            return
        step.arrive(self._wake.set)
        self._wake.wait()
        # Two holds in one reply share the event; an abort in between is seen by the flag.
        self._wake.clear()


class AsyncScriptedStream:
    """The chunks of one scripted reply, on an event loop."""

    def __init__(self, endpoint: ScriptedEndpoint, steps: Generator[Any]) -> None:
        self._endpoint = endpoint
        self._chunks = _achunks(steps)

    async def __aenter__(self) -> AsyncGenerator[Chunk]:
        self._endpoint.count(+1)
        return self._chunks

    async def __aexit__(self, *_: object) -> None:
        await self._chunks.aclose()
        self._endpoint.count(-1)


async def _achunks(steps: Generator[Any]) -> AsyncGenerator[Chunk]:
    for step in steps:
        if isinstance(step, Chunk):
            yield step
        elif isinstance(step, Hold):
            await _release_of(step)
        elif inspect.isawaitable(waiting := step()):
            await waiting


async def _release_of(hold: Hold) -> None:
    loop = asyncio.get_running_loop()
    released = asyncio.Event()
    hold.arrive(lambda: loop.call_soon_threadsafe(released.set))
    await released.wait()


def _items(content: Any) -> Iterable[Any]:
    if isinstance(content, str | Chunk | BaseException | Hold):
        return [content]
    if not isinstance(content, Iterable) or isinstance(content, bytes | dict):
        raise UsageError(f"{content!r} is not a scripted reply; give text or a sequence of it")
    return content
