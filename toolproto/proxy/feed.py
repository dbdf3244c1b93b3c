"""Several answers at once, as one stream that never falls silent for long.

Each answer has a task that reads its backend; what they bring waits in one short queue. A client
that reads slowly therefore slows its backends down, and one that leaves cancels them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager

from ..endpoints.base import AsyncEndpoint
from ..errors import EndpointError
from .exchange import Exchange
from .pieces import Failed, Piece

__all__ = ["Batch", "failure_of", "feeding"]

#: The pieces of one answer that came together; no number and no pieces: nothing came for a while.
Batch = tuple[int | None, list[Piece]]
_MOST_WAITING = 64


@asynccontextmanager
async def feeding(
    exchanges: Sequence[Exchange], endpoint: AsyncEndpoint, silence: float
) -> AsyncIterator[AsyncIterator[Batch]]:
    """The batches of all *exchanges*, with an empty one after each *silence* of so many seconds."""
    queue: asyncio.Queue[Batch | None] = asyncio.Queue(_MOST_WAITING)
    async with asyncio.TaskGroup() as tasks:
        running = [
            tasks.create_task(_answer(index, exchange, endpoint, queue))
            for index, exchange in enumerate(exchanges)
        ]
        batches = _batches(queue, len(running), silence)
        try:
            yield batches
        finally:
            await batches.aclose()
            for task in running:
                task.cancel()


async def _answer(
    index: int, exchange: Exchange, endpoint: AsyncEndpoint, queue: asyncio.Queue[Batch | None]
) -> None:
    try:
        while not exchange.done:
            async with endpoint.astream(exchange.request) as chunks:
                async for chunk in chunks:
                    if pieces := exchange.feed(chunk):
                        await queue.put((index, pieces))
                    if exchange.is_enough:
                        break
            if pieces := exchange.finish():
                await queue.put((index, pieces))
    except EndpointError as error:
        await queue.put((index, [failure_of(error)]))
    await queue.put(None)


async def _batches(
    queue: asyncio.Queue[Batch | None], left: int, silence: float
) -> AsyncGenerator[Batch]:
    while left:
        if queue.empty():
            try:
                async with asyncio.timeout(silence):
                    batch = await queue.get()
            except TimeoutError:
                yield None, []
                continue
        else:
            batch = queue.get_nowait()
        if batch is None:
            left -= 1
        else:
            yield batch


def failure_of(error: EndpointError) -> Failed:
    """What a client is told about a backend that failed: its own status and words.

    Where it stands is nobody's business: the message does not say.
    """
    if error.status is None:
        return Failed("the upstream cannot be reached, or broke off", "upstream_unreachable")
    status = error.status if error.status >= 400 else 502
    said = f"the upstream answered {error.status}" + (f": {error.body}" if error.body else "")
    return Failed(said, "upstream_error", status, error.retry_after)
