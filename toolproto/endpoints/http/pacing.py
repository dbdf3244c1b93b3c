"""Reading tokens together that come faster than anybody could see.

A live model sends a token every few milliseconds, each in a packet of its own, and waking a process
for it costs several times what is done with it then. So a connection that brings small pieces, and
lets wait for them, is looked at with every tick of a clock that all connections of a loop share:
what came since is read at once, and the streams of many people in one go. The first token does not
wait, nor does an answer that is there already or comes in large pieces. Where there are many
connections, they are looked at in groups, one after the other: read in one go, the first of two
hundred would wait until the last is read and thought about.

Measured with calls of 200 tokens at 5 ms a token, on two cores that others used as well, in ms of
CPU a token: 0.61 for one stream and 0.35 for each of four without, 0.26 with a tick of 25 ms, 0.16
with 40, and 0.14 and 0.09 with 50. Chunks that came together are joined (``chunk_joining.py``): a
call that comes as fast as it can costs 9 ms instead of 14. Where a body is chunked, it is read
beside httpx, httpcore and h11, which then have its end to read: 0.113 instead of 0.128, both in one
run, of which half is httpcore's deadline for each reading. Losers: no tick in the first 50 ms of an
answer, which was a tenth of the cost; the garbage collector held off or its heap frozen, which
changed nothing for one stream (0.161 and 0.154 beside 0.152; ``proxy/process.py`` says what it does
for many); reading the socket itself at the tick (``os.read``), which took 0.112 and needs to know
how anyio keeps what it has read. Connections are taken over as httpx tells of them, which costs
what reaching into its pool did: 0.129 and 0.133 ms a token through the proxy, 0.088 and 0.094
through a transport, side by side.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from itertools import count
from random import random
from time import monotonic, sleep
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from anyio import EndOfStream
from anyio.abc import ByteReceiveStream

from .chunk_joining import ChunkJoiner, Joined

__all__ = ["AsyncPacedStream", "PacedStream"]

#: A piece of so many bytes is no token: whoever sends it has more.
_LARGE = 4096
#: Seconds for which a piece of an answer that is all there already is not waited for.
_WAIT = 0.002
#: Bytes that are read at once, as httpcore does.
_MOST_READ = 64 * 1024
#: So many connections are worth a group of their own, up to so many groups.
_GROUP, _MOST_GROUPS = 16, 8
#: The part of a tick by which a timer may go off early, or a look be late, and still have been it.
_EARLY = 0.1
_Read = Callable[[int, float | None], Awaitable[bytes]]


class _Clock:
    """Ticks for the connections of one event loop, or of all threads."""

    # Workers of one machine must not all wake at once.
    _shift = random()

    def __init__(self) -> None:
        self._numbers = count()
        self._open: WeakSet[_Pace] = WeakSet()

    def join(self, pace: _Pace) -> int:
        """The number of *pace*, which is looked at by this clock as long as it is there."""
        self._open.add(pace)
        return next(self._numbers)

    def left(self, seconds: float, number: int, now: float) -> float:
        """Seconds until connection *number* is looked at next, every so many *seconds*."""
        groups = min(1 + len(self._open) // _GROUP, _MOST_GROUPS)
        shift = self._shift + number % groups / groups
        left = seconds - (now - shift * seconds) % seconds
        return left if left > seconds * _EARLY else left + seconds


_clocks: WeakKeyDictionary[asyncio.AbstractEventLoop, _Clock] = WeakKeyDictionary()
_threads = _Clock()


class _Pace:
    """When one connection is looked at, and what of its answer has come."""

    def __init__(self, seconds: float, clock: _Clock) -> None:
        self._seconds = seconds
        self._clock = clock
        self._number = clock.join(self)
        self._joiner = ChunkJoiner()
        self.begin()

    def begin(self) -> None:
        """A request goes out; what is answered to it comes at once."""
        self._has_begun = False  # whether some of the answer has come
        self._is_slow = False  # whether the last piece looked like a token, and was waited for
        self._is_over = False
        self._here = Joined()
        self._joiner.begin()

    def delay(self, now: float) -> float:
        """Seconds to let pass before the next look."""
        return self._clock.left(self._seconds, self._number, now) if self._is_slow else 0.0

    def came(self, data: bytes, after: float) -> None:
        """*data* came, *after* so many seconds."""
        # The first piece is the head of the answer. Behind a tick, all that came is there.
        waited = self._is_slow or after > _WAIT
        self._is_slow = self._has_begun and waited and len(data) < _LARGE
        self._has_begun = True
        self._is_over = not data
        self._here = self._joiner.feed(data)

    def taken(self) -> bytes | None:
        """What is here, as the service sent it, b"" for the end; None if nothing is.

        A head goes first and alone, so that what follows can be taken as a body.
        """
        head, body, rest = here = self._here
        self._here = Joined(b"", body, rest) if head else Joined()
        if framed := head or here.framed():
            return framed
        return b"" if self._is_over else None

    def body(self) -> bytes | None:
        """The bodies of chunks that are here, b"" if what comes next is no such; else None."""
        body, rest = self._here.body, self._here.rest
        if body:
            self._here = Joined(rest=rest)
            return body
        return b"" if rest or self._is_over or self._joiner.is_through else None


class AsyncPacedStream:
    """A connection of httpcore's that has been made on an event loop, read every so many seconds.

    httpx hands each connection over as it is made (its ``trace``), but has no parameter for what
    is to read it. So this one takes the place of the connection's own methods, until it is closed.
    """

    def __init__(self, stream: Any, pace: float) -> None:
        self._read, self._write, self._aclose = stream.read, stream.write, stream.aclose
        self._stream = stream
        # What httpcore has no name for: the stream of anyio's that it reads.
        self._socket: Any = getattr(stream, "_stream", None)
        self._loop = asyncio.get_running_loop()
        self._pace = _Pace(pace, _clocks.setdefault(self._loop, _Clock()))
        stream.read, stream.write, stream.aclose = self.read, self.write, self.aclose

    @staticmethod
    def of(stream: Any) -> AsyncPacedStream | None:
        """Return what reads *stream*, if it is read at a pace and bodies can be read there."""
        paced = getattr(getattr(stream, "read", None), "__self__", None)
        if not isinstance(paced, AsyncPacedStream):
            return None
        return paced if isinstance(paced._socket, ByteReceiveStream) else None

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """What has come, some of it perhaps a tick ago."""
        while (here := self._pace.taken()) is None:
            await self._look(max_bytes, timeout, self._read)
        return here

    async def read_body(self) -> bytes:
        """The same without httpx: bodies of chunks, until what comes next is for it to read."""
        while (here := self._pace.body()) is None:
            await self._look(_MOST_READ, None, self._receive)
        return here

    async def _look(self, max_bytes: int, timeout: float | None, read: _Read) -> None:
        clock, asked = self._loop.time, self._loop.time()
        if delay := self._pace.delay(asked):
            await asyncio.sleep(delay)
        data = await read(max_bytes, timeout)
        self._pace.came(data, clock() - asked)

    async def _receive(self, max_bytes: int, timeout: float | None) -> bytes:
        """What httpcore's stream would read, without the deadline that it makes for each time."""
        try:
            data: bytes = await self._socket.receive(max_bytes)
            return data
        except EndOfStream:
            return b""

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send *buffer*."""
        self._pace.begin()
        await self._write(buffer, timeout)

    async def aclose(self) -> None:
        """Let go of the connection, which has its own methods again."""
        _give_back(self._stream)
        await self._aclose()


class PacedStream:
    """The same, for a connection that is waited for."""

    def __init__(self, stream: Any, pace: float) -> None:
        self._read, self._write, self._close = stream.read, stream.write, stream.close
        self._stream = stream
        self._pace = _Pace(pace, _threads)
        stream.read, stream.write, stream.close = self.read, self.write, self.close

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """What has come, some of it perhaps a tick ago."""
        while (here := self._pace.taken()) is None:
            asked = monotonic()
            if delay := self._pace.delay(asked):
                sleep(delay)
            data: bytes = self._read(max_bytes, timeout)
            self._pace.came(data, monotonic() - asked)
        return here

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send *buffer*."""
        self._pace.begin()
        self._write(buffer, timeout)

    def close(self) -> None:
        """Let go of the connection, which has its own methods again."""
        _give_back(self._stream)
        self._close()


def _give_back(stream: Any) -> None:
    """Undo what is set on *stream*: the two would keep each other alive."""
    for name in ("read", "write", "close", "aclose"):
        vars(stream).pop(name, None)
