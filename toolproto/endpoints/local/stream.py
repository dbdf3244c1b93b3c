"""Reading the reply of a model in this process: by waiting for it, or from an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from typing import Self

from ...protocol.errors import EndpointError, ToolProtoError
from ...protocol.messages import Chunk
from .job import GenerationJob, Item

__all__ = ["AsyncLocalStream", "LocalStream", "MakeJob"]

#: Sends a job on its way, and makes one that hands its items to a function.
Submit = Callable[[GenerationJob], None]
MakeJob = Callable[[Callable[[Item], None]], GenerationJob]


class LocalStream:
    """The chunks of one reply; what ``LocalEndpoint.stream`` gives.

    :meth:`abort` may be called from any thread, at any moment, and takes effect at once.
    """

    def __init__(self, submit: Submit, make: MakeJob) -> None:
        self._submit: Submit | None = submit
        self._items: SimpleQueue[Item] = SimpleQueue()
        self._job = make(self._items.put)
        self._aborted = False
        self._over = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Chunk]:
        return self

    def __next__(self) -> Chunk:
        item = self._next()
        if self._aborted:
            raise EndpointError("the request was aborted")
        if isinstance(item, Chunk):
            return item
        self._over = True
        raise StopIteration if item is None else item

    def abort(self) -> None:
        """Stop the model: the pending and every later ``next`` raises EndpointError."""
        self._aborted = True
        self.close()

    def close(self) -> None:
        """Stop the model, and wake whoever waits for it."""
        self._job.cancel()
        self._items.put(None)

    def _next(self) -> Item:
        if self._over or self._aborted:
            return None
        if self._submit is not None:
            submit, self._submit = self._submit, None
            submit(self._job)
        return self._items.get()


class AsyncLocalStream:
    """The chunks of one reply, on an event loop; what ``LocalEndpoint.astream`` gives."""

    def __init__(self, submit: Submit, make: MakeJob) -> None:
        self._chunks = _chunks(submit, make)

    async def __aenter__(self) -> AsyncGenerator[Chunk]:
        return self._chunks

    async def __aexit__(self, *_: object) -> None:
        await self._chunks.aclose()


async def _chunks(submit: Submit, make: MakeJob) -> AsyncGenerator[Chunk]:
    items: asyncio.Queue[Item] = asyncio.Queue()
    job = make(partial(_put, asyncio.get_running_loop(), items))
    submit(job)
    try:
        while (item := await items.get()) is not None:
            if isinstance(item, ToolProtoError):
                raise item
            yield item
    finally:
        job.cancel()


def _put(loop: asyncio.AbstractEventLoop, items: asyncio.Queue[Item], item: Item) -> None:
    with suppress(RuntimeError):  # the loop was closed: nobody waits any more
        loop.call_soon_threadsafe(items.put_nowait, item)
