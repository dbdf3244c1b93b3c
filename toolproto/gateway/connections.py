"""How long a client may keep a connection without using it, and how many there may be.

uvicorn waits for ever for the head of a request that has begun, for the first byte of a connection,
for the rest of a body that nobody reads any more, and for a client to take what it was sent. A few
hundred clients that do so would keep everybody else out.
"""

from __future__ import annotations

import asyncio
from itertools import count
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

__all__ = ["BoundedProtocol"]

_NUMBERS = count()
_BUSY = b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
_LATE = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class BoundedProtocol(H11Protocol):
    """One connection of a client, with deadlines.

    uvicorn's ``limit_concurrency`` is how many connections there may be. When there are more, one
    that asks for nothing makes room; if all are being answered, the new one is told to come later.
    """

    #: Seconds for the head of a request, from the connection's beginning or from its first byte.
    head_seconds = 10.0
    #: Seconds in which a client takes nothing of what it is sent.
    stall_seconds = 60.0

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._most = self.limit_concurrency
        self.limit_concurrency = None  # uvicorn would count those, too, that ask for nothing
        self._head: asyncio.TimerHandle | None = None
        self._stall: asyncio.TimerHandle | None = None
        self._number = next(_NUMBERS)

    @property
    def asks_nothing(self) -> bool:
        """Whether no request waits for its answer."""
        last = self._last_request()
        return last is None or last.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request, if there is room for one."""
        super().connection_made(transport)
        if self._most is not None and len(self.connections) > self._most and not self._has_room():
            self._leave(_BUSY)
            return
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        """Take *data*; what is not the head of a request by now has a deadline."""
        super().data_received(data)
        if not self.asks_nothing:
            self._stop_waiting()
        elif not self.transport.is_closing():
            self._wait_for_head()

    def on_response_complete(self) -> None:
        """Wait for the next request; one that has come already is under way."""
        super().on_response_complete()
        if not self.asks_nothing:
            self._stop_waiting()

    def pause_writing(self) -> None:
        """The client is behind with reading."""
        super().pause_writing()
        self._stop_stall()
        self._stall = self.loop.call_later(self.stall_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """The client has caught up."""
        super().resume_writing()
        self._stop_stall()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self._stop_waiting()
        self._stop_stall()
        super().connection_lost(exc)

    def _last_request(self) -> RequestResponseCycle | None:
        return self.cycle  # None at first, whatever its annotation says

    def _wait_for_head(self) -> None:
        # Not anew with every byte: a header that drips in is as bad as one that does not come.
        if self._head is None:
            self._head = self.loop.call_later(self.head_seconds, self._leave, _LATE)

    def _stop_waiting(self) -> None:
        if self._head is not None:
            self._head.cancel()
        self._head = None

    def _stop_stall(self) -> None:
        if self._stall is not None:
            self._stall.cancel()
        self._stall = None

    def _leave(self, told: bytes) -> None:
        """Tell the client why, if it listens, and hang up."""
        self._stop_waiting()
        if self._last_request() is None and not self.transport.is_closing():
            self.transport.write(told)
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            self.transport.close()

    def _has_room(self) -> bool:
        """Whether room could be made: the oldest connection that asks for nothing goes."""
        others = (each for each in self.connections if each is not self)
        idle = [each for each in others if isinstance(each, BoundedProtocol) and each.asks_nothing]
        oldest = min(idle, key=BoundedProtocol.deadline, default=None)
        if oldest is not None:
            oldest.transport.abort()
        return oldest is not None

    def deadline(self) -> tuple[float, int]:
        """When this connection is ended unless it asks for something; then the older one first.

        The clock of an event loop may tell milliseconds only, in which many connections come.
        """
        return (self._head.when() if self._head is not None else 0.0, self._number)
