"""What happens in a session, numbered, for everybody who watches it.

There is one list of events for all viewers, and each has a place in it: a viewer who is slow, or
was away, reads on from where it was. What a turn says token by token is gathered for a moment, so
that a hundred viewers cost a hundred writes and not a hundred for each token.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Mapping
from time import monotonic
from typing import Any

__all__ = ["EventLog"]

#: Events that say more of the same, which are joined.
_PIECES = frozenset({"text", "reasoning", "arguments"})
#: Bytes of events that are kept for viewers who come late; one turn seldom has more.
_MOST_BYTES = 16 * 1024 * 1024
_BEAT_SECONDS = 15.0
_BEAT = b": \n\n"


class EventLog:
    """The events of one session since *epoch*, which is another after every restart."""

    def __init__(self, pace: float = 0.0) -> None:
        self.epoch = secrets.token_hex(4)
        self._pace = pace
        self._kept: list[bytes] = []
        self._first = 1  # the number of the first that is kept
        self._bytes = 0
        self._piece: dict[str, Any] | None = None
        self._texts: list[str] = []
        self._timer: asyncio.TimerHandle | None = None
        self._flushed = monotonic()
        self._waiting: set[asyncio.Future[None]] = set()
        self.viewers = 0
        self.is_closed = False

    @property
    def last(self) -> int:
        """The number of the last event."""
        return self._first + len(self._kept) - 1

    @property
    def first(self) -> int:
        """The number of the first event that can still be had."""
        return self._first

    def id(self, number: int) -> str:
        """What a viewer knows event *number* by."""
        return f"{self.epoch}-{number}"

    def publish(self, event: Mapping[str, Any]) -> None:
        """Tell *event* to everybody; pieces of text a moment later, with those that follow."""
        if event["event"] not in _PIECES:
            self.flush()
            self._add(event)
            return
        piece = self._piece
        if piece is None or any(piece.get(key) != event.get(key) for key in ("event", "index")):
            self.flush()
            self._piece = dict(event)
        self._texts.append(event["text"])
        # Slow tokens go out as they come; fast ones wait for those that follow.
        if (left := self._flushed + self._pace - monotonic()) <= 0:
            self.flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(left, self.flush)

    def flush(self) -> None:
        """Tell what was gathered."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._piece is not None:
            self._flushed = monotonic()
            piece, self._piece = self._piece, None
            texts, self._texts = self._texts, []
            self._add({**piece, "text": "".join(texts)})

    def forget(self) -> None:
        """Drop all events: a new turn begins, and whoever comes late asks for the session."""
        self.flush()
        self._first, self._bytes = self.last + 1, 0
        self._kept = []

    def close(self) -> None:
        """Let every viewer go."""
        self.flush()
        self.is_closed = True
        self._wake()

    def _add(self, event: Mapping[str, Any]) -> None:
        # Half a surrogate pair cannot be sent; JSON's own escapes can.
        text = json.dumps(event, ensure_ascii=True, separators=(",", ":"), default=str)
        line = f"id: {self.id(self.last + 1)}\ndata: {text}\n\n".encode("ascii")
        self._kept.append(line)
        self._bytes += len(line)
        if self._bytes > _MOST_BYTES and len(self._kept) > 1:
            dropped = len(self._kept) // 2
            self._bytes -= sum(map(len, self._kept[:dropped]))
            del self._kept[:dropped]
            self._first += dropped
        self._wake()

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, set()
        for each in waiting:
            if not each.done():
                each.set_result(None)

    def _place(self, after: str) -> int | None:
        """The number behind which a viewer wants to read on; None if that is gone."""
        epoch, _, number = after.partition("-")
        if epoch != self.epoch or not number.isdecimal() or len(number) > 15:
            return None
        return int(number) if self._first - 1 <= int(number) <= self.last else None

    async def follow(self, after: str) -> AsyncIterator[bytes]:
        """The events behind *after* as they come, as lines of a stream of events.

        What was missed and is no longer there is one event, ``reset``: ask for the session again.
        """
        self.viewers += 1
        try:
            yield b"retry: 1000\n\n"
            place = self._place(after)
            if place is None:
                place = self.last
                yield b'data: {"event":"reset"}\n\n'
            while True:
                if place < self._first - 1:
                    place = self.last
                    yield b'data: {"event":"reset"}\n\n'
                elif place < self.last:
                    lines = self._kept[place - self._first + 1 :]
                    place = self.last
                    yield b"".join(lines)
                elif self.is_closed:
                    return
                elif beat := await self._next():
                    yield beat
        finally:
            self.viewers -= 1

    async def _next(self) -> bytes:
        """Wait for an event; now and then something is sent, to see whether the viewer is there."""
        waiting = asyncio.get_running_loop().create_future()
        self._waiting.add(waiting)
        try:
            async with asyncio.timeout(_BEAT_SECONDS):
                await waiting
        except TimeoutError:
            return _BEAT
        finally:
            self._waiting.discard(waiting)
        return b""
