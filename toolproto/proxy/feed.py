"""Several answers at once, as one stream that never falls silent for long.

Each answer has a task that reads its backend; what they bring waits in one short store, joined. A
client that reads slowly therefore slows its backends down, and one that leaves cancels them.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Sequence

from ..endpoints.alarm import AsyncAlarm
from ..endpoints.base import AsyncEndpoint
from ..errors import EndpointError, EndpointTimeout, WireError
from .exchange import Exchange
from .pieces import Failed, Piece, joined

__all__ = ["Came", "Feed", "failure_of"]

#: What came of each answer, by its number.
Came = dict[int, list[Piece]]
_MOST_WAITING = 64
_LOGGER = logging.getLogger("toolproto.proxy")


class Feed:
    """What comes of all *exchanges*; nothing at all, again and again, while they are silent.

    Begins to read at once, so it has to be closed; no task group, because the task that closes a
    streamed response is not the one that began it. *silence* is in seconds.
    """

    # An asyncio.Queue did this before, with asyncio.timeout around each wait: for a call of 200
    # tokens that alone took 2 ms of CPU.

    def __init__(
        self, exchanges: Sequence[Exchange], endpoint: AsyncEndpoint, silence: float
    ) -> None:
        self._silence = silence
        self._alarm = AsyncAlarm()
        self._came: Came = {}
        self._waiting = 0
        self._news = asyncio.Event()
        self._room = asyncio.Event()
        self._left = len(exchanges)
        self._tasks = [
            asyncio.create_task(self._answer(index, exchange, endpoint))
            for index, exchange in enumerate(exchanges)
        ]

    @property
    def is_over(self) -> bool:
        """Whether every answer has ended, and all of it was given out."""
        return not (self._left or self._came)

    async def next(self) -> Came:
        """What has come since, as soon as there is something; nothing after a silence."""
        until = asyncio.get_running_loop().time() + self._silence
        while self._left and not self._came:
            self._news.clear()
            try:
                await self._alarm.within(until, self._news.wait())
            except TimeoutError:
                break
        came, self._came, self._waiting = self._came, {}, 0
        self._room.set()
        return {index: joined(pieces) for index, pieces in came.items()}

    async def close(self) -> None:
        """Leave the backends, whatever they are at."""
        self._alarm.stop()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _bring(self, index: int, pieces: list[Piece]) -> None:
        while self._waiting >= _MOST_WAITING:
            self._room.clear()
            await self._room.wait()
        self._came.setdefault(index, []).extend(pieces)
        self._waiting += len(pieces)
        self._news.set()

    async def _answer(self, index: int, exchange: Exchange, endpoint: AsyncEndpoint) -> None:
        try:
            await self._read(index, exchange, endpoint)
        except EndpointError as error:
            await self._bring(index, [failure_of(error)])
        except Exception:
            _LOGGER.exception("a request failed for a reason of ours")
            await self._bring(index, [Failed("an error inside the proxy", "internal", 500)])
        self._left -= 1
        self._news.set()

    async def _read(self, index: int, exchange: Exchange, endpoint: AsyncEndpoint) -> None:
        while not exchange.done:
            async with endpoint.astream(exchange.request) as chunks:
                async for chunk in chunks:
                    if pieces := exchange.feed(chunk):
                        await self._bring(index, pieces)
                    if exchange.is_over:
                        break
            if pieces := exchange.finish():
                await self._bring(index, pieces)


def _told(body: str) -> tuple[str, str]:
    """The message in the body of an error, and what it calls itself for programs to go by."""
    code = "upstream_error"
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        return body, code
    match told:
        case {"error": {"code": str(given)}} if given:
            code = given
    match told:
        case {"error": {"message": str(message)}} | {"error": str(message)}:
            return message, code
        case {"message": str(message)} | {"detail": str(message)}:
            return message, code
    return body, code


def failure_of(error: EndpointError) -> Failed:
    """What a client is told about a backend that failed: its own status and words.

    Where it stands is nobody's business: the message does not say.
    """
    message, code = _told(error.body)
    words = f": {message}" if message else ""
    if error.status is not None:
        status = error.status if error.status >= 400 else 502
        said = f"the upstream answered {error.status}{words}"
        return Failed(said, code, status, error.retry_after)
    if isinstance(error, EndpointTimeout):
        return Failed("the upstream took too long", "upstream_timeout", 504)
    if isinstance(error, WireError):
        return Failed("what the upstream sent is no whole reply", "upstream_broken_off")
    if words:
        return Failed(f"the upstream failed{words}", code)
    return Failed("the upstream cannot be reached", "upstream_unreachable")
