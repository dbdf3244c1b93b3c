"""Several answers at once, as one stream that never falls silent for long.

A task for each answer listens to its backend and does nothing else; what it heard is thought about
when somebody asks for it, all of it at once. A client that reads slowly therefore slows its
backends down, and one that leaves cancels them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from ...endpoints.apis.pieces import Failed, Piece, joined
from ...endpoints.base import AsyncEndpoint
from ...endpoints.http.alarm import AsyncAlarm
from ...endpoints.joining import together
from ...protocol.errors import EndpointError, ToolsRefused
from ...protocol.messages import Chunk
from ..bridge.exchange import Exchange
from ..bridge.failures import failure_of
from .beside import LARGE, Beside
from .log import LOGGER

__all__ = ["Came", "Feed"]

#: What came of each answer, by its number.
Came = dict[int, list[Piece]]
#: Chunks that wait to be thought about.
_MOST_WAITING = 64
_OURS = Failed("an error inside the proxy", "internal", 500)


@dataclass(slots=True)
class _Answer:
    """One answer, and what was heard for it since somebody asked."""

    exchange: Exchange
    heard: list[Chunk] = field(default_factory=list)
    #: Whether the reply was heard to its end, and if not, why.
    is_heard: bool = False
    failure: Failed | None = None
    #: The service's word that it takes no tools; the exchange may have another request then.
    refused: ToolsRefused | None = None
    is_over: bool = False

    @property
    def has_news(self) -> bool:
        """Whether something was heard that was not thought about."""
        return not self.is_over and (self.is_heard or bool(self.heard))

    def take(self) -> list[Chunk]:
        """All that was heard and not thought about."""
        heard, self.heard = self.heard, []
        return heard

    def pieces(self, heard: Sequence[Chunk], is_heard: bool) -> list[Piece]:
        """What goes out of what was *heard*, and of the end of the reply if it *is_heard*."""
        out = [piece for chunk in together(heard) for piece in self.exchange.feed(chunk)]
        if not is_heard:
            return out
        refused, self.refused = self.refused, None
        if refused is not None:
            self.failure = None if self.exchange.refused() else failure_of(refused)
        if self.failure is not None:
            out.append(self.failure)
        elif refused is None:
            out += self.exchange.finish()
        self.is_over = self.exchange.done or self.failure is not None
        return out


class Feed:
    """What comes of all *exchanges*; nothing at all, again and again, while they are silent.

    Begins to listen at once, so it has to be closed; no task group, because the task that closes a
    streamed response is not the one that began it. *silence* is in seconds. What is large is
    thought about *beside* the event loop, and with *always* all is.
    """

    # Thinking about every chunk as it came, with a queue and a timer for each wait, took 4 ms of
    # CPU more for a call of 200 tokens.

    def __init__(
        self,
        exchanges: Sequence[Exchange],
        endpoint: AsyncEndpoint,
        silence: float,
        beside: Beside | None = None,
        always: bool = False,
    ) -> None:
        self._endpoint = endpoint
        self._silence = silence
        self._beside = beside
        self._always = always
        self._alarm = AsyncAlarm()
        self._news = asyncio.Event()
        self._room = asyncio.Event()
        self._answers = [_Answer(exchange) for exchange in exchanges]
        self._tasks = {index: self._listen(answer) for index, answer in enumerate(self._answers)}

    @property
    def is_over(self) -> bool:
        """Whether every answer has ended, and all of it was given out."""
        return all(answer.is_over for answer in self._answers)

    async def next(self) -> Came:
        """What has come since, as soon as there is something; nothing after a silence."""
        until = asyncio.get_running_loop().time() + self._silence
        while True:
            # Before looking: more may be heard while this is thought about in another thread.
            self._news.clear()
            if (came := await self._come()) or self.is_over:
                break
            try:
                await self._alarm.within(until, self._news.wait())
            except TimeoutError:
                break
        return came

    async def close(self) -> None:
        """Leave the backends, whatever they are at."""
        self._alarm.stop()
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _come(self) -> Came:
        came = {}
        for index, answer in enumerate(self._answers):
            if answer.has_news and (pieces := await self._thought(index, answer)):
                came[index] = joined(pieces)
        self._room.set()
        return came

    async def _thought(self, index: int, answer: _Answer) -> list[Piece]:
        heard, is_heard = answer.take(), answer.is_heard
        try:
            if self._beside and (self._always or _is_large(answer.exchange, heard, is_heard)):
                pieces = await self._beside.run(answer.pieces, heard, is_heard)
            else:
                pieces = answer.pieces(heard, is_heard)
            if is_heard and not answer.is_over:
                answer.is_heard = False
                self._tasks[index] = self._listen(answer)  # the exchange asks again
        except Exception:
            LOGGER.exception("a request failed because of an error in toolproto")
            self._tasks[index].cancel()
            answer.is_over = True
            return [_OURS]
        return pieces

    def _listen(self, answer: _Answer) -> asyncio.Task[None]:
        return asyncio.create_task(self._hear(answer))

    async def _hear(self, answer: _Answer) -> None:
        try:
            async with self._endpoint.astream(answer.exchange.request) as chunks:
                async for chunk in chunks:
                    while len(answer.heard) >= _MOST_WAITING:
                        self._room.clear()
                        await self._room.wait()
                    answer.heard.append(chunk)
                    self._news.set()
                    if answer.exchange.is_over:
                        break
        except ToolsRefused as error:
            answer.refused = error
        except EndpointError as error:
            answer.failure = failure_of(error)
        except Exception:
            LOGGER.exception("a request failed because of an error in toolproto")
            answer.failure = _OURS
        answer.is_heard = True
        self._news.set()


def _is_large(exchange: Exchange, heard: Sequence[Chunk], is_heard: bool) -> bool:
    """Whether thinking about what was *heard*, and perhaps about all of the reply, takes long."""
    size = sum(len(chunk.text) for chunk in heard)
    return size > LARGE or (is_heard and exchange.size + size > LARGE)
