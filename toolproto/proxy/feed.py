"""Several answers at once, as one stream that never falls silent for long.

Each answer has a task that reads its backend; what they bring waits in one short queue. A client
that reads slowly therefore slows its backends down, and one that leaves cancels them.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Sequence

from ..endpoints.base import AsyncEndpoint
from ..errors import EndpointError, EndpointTimeout, WireError
from .exchange import Exchange
from .pieces import Failed, Piece

__all__ = ["Batch", "Feed", "failure_of"]

#: The pieces of one answer that came together; no number and no pieces: nothing came for a while.
Batch = tuple[int | None, list[Piece]]
_MOST_WAITING = 64
_LOGGER = logging.getLogger("toolproto.proxy")


class Feed:
    """What comes of all *exchanges*, with an empty batch after each *silence* of so many seconds.

    Begins to read at once, so it has to be closed; no task group, because the task that closes a
    streamed response is not the one that began it.
    """

    def __init__(
        self, exchanges: Sequence[Exchange], endpoint: AsyncEndpoint, silence: float
    ) -> None:
        self._silence = silence
        self._queue: asyncio.Queue[Batch | None] = asyncio.Queue(_MOST_WAITING)
        self._left = len(exchanges)
        self._tasks = [
            asyncio.create_task(self._answer(index, exchange, endpoint))
            for index, exchange in enumerate(exchanges)
        ]

    async def next(self) -> list[Batch]:
        """All batches that have come since; none when every answer has ended."""
        while self._left:
            try:
                came = [await self._waited()]
            except TimeoutError:
                return [(None, [])]
            while not self._queue.empty():
                came.append(self._queue.get_nowait())
            self._left -= came.count(None)
            if batches := [batch for batch in came if batch is not None]:
                return batches
        return []

    async def close(self) -> None:
        """Leave the backends, whatever they are at."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _waited(self) -> Batch | None:
        if not self._queue.empty():
            return self._queue.get_nowait()
        async with asyncio.timeout(self._silence):
            return await self._queue.get()

    async def _answer(self, index: int, exchange: Exchange, endpoint: AsyncEndpoint) -> None:
        try:
            await self._read(index, exchange, endpoint)
        except EndpointError as error:
            await self._queue.put((index, [failure_of(error)]))
        except Exception:
            _LOGGER.exception("a request failed for a reason of ours")
            await self._queue.put((index, [Failed("an error inside the proxy", "internal", 500)]))
        await self._queue.put(None)

    async def _read(self, index: int, exchange: Exchange, endpoint: AsyncEndpoint) -> None:
        while not exchange.done:
            async with endpoint.astream(exchange.request) as chunks:
                async for chunk in chunks:
                    if pieces := exchange.feed(chunk):
                        await self._queue.put((index, pieces))
                    if exchange.is_over:
                        break
            if pieces := exchange.finish():
                await self._queue.put((index, pieces))


def _words(body: str) -> str:
    """What the body of an error says: its message, where it is JSON with one."""
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        return body
    match told:
        case {"error": {"message": str(message)}} | {"error": str(message)}:
            return message
        case {"message": str(message)} | {"detail": str(message)}:
            return message
    return body


def failure_of(error: EndpointError) -> Failed:
    """What a client is told about a backend that failed: its own status and words.

    Where it stands is nobody's business: the message does not say.
    """
    words = f": {told}" if (told := _words(error.body)) else ""
    if error.status is not None:
        status = error.status if error.status >= 400 else 502
        said = f"the upstream answered {error.status}{words}"
        return Failed(said, "upstream_error", status, error.retry_after)
    if isinstance(error, EndpointTimeout):
        return Failed("the upstream took too long", "upstream_timeout", 504)
    if isinstance(error, WireError):
        return Failed("what the upstream sent is no whole reply", "upstream_broken_off")
    if words:
        return Failed(f"the upstream failed{words}", "upstream_error")
    return Failed("the upstream cannot be reached", "upstream_unreachable")
