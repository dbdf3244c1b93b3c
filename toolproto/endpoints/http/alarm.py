"""Being woken when a wait has taken too long, although whoever waits is inside a read.

A reply has hundreds of waits, nearly all of them short. Both alarms keep one timer for all of them,
which finds out when it goes off whether the time has moved; ``asyncio.timeout`` makes one for each
wait, and took 5 ms of CPU over 200 tokens.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from math import inf
from threading import TIMEOUT_MAX, Condition, Thread
from time import monotonic
from typing import TypeVar

__all__ = ["Alarm", "AsyncAlarm"]

T = TypeVar("T")

#: Seconds after which an alarm that is due looks again whether anybody waits.
_LOOK_AGAIN = 0.2


class Alarm:
    """Calls *ring* from a thread of its own, once, when a wait goes on past its time.

    The thread begins with the first finite time and is over when :meth:`stop` returns. Moving the
    time forward, as every token does, costs an assignment: the thread finds out when it wakes.
    """

    def __init__(self, ring: Callable[[], None]) -> None:
        self._ring = ring
        self._at = inf
        self._waiting = False
        self._changed = Condition()
        self._thread: Thread | None = None
        self._stopped = False

    def set(self, at: float) -> None:
        """A wait begins; ring if it still goes on at *at*, a reading of the monotonic clock."""
        self._waiting = True
        if at >= self._at:
            self._at = at
            return
        with self._changed:
            self._at = at
            self._changed.notify()
        if self._thread is None:
            self._thread = Thread(target=self._watch, name="toolproto-alarm", daemon=True)
            self._thread.start()

    def rest(self) -> None:
        """The wait is over; do not ring until the next one begins."""
        self._waiting = False

    def stop(self) -> None:
        """Never ring again; the thread is over."""
        with self._changed:
            self._stopped = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()

    def _watch(self) -> None:
        with self._changed:
            while not self._stopped:
                left = self._at - monotonic()
                if left <= 0 and self._waiting:
                    break
                self._changed.wait(min(left, TIMEOUT_MAX) if left > 0 else _LOOK_AGAIN)
            else:
                return
        self._ring()


class AsyncAlarm:
    """Ends a wait on the running event loop with TimeoutError when it goes on past its time."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._at = inf
        self._waiting: asyncio.Task[object] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._rang = False

    async def within(self, at: float, waiting: Awaitable[T]) -> T:
        """What *waiting* comes to, unless that takes until *at*, a reading of the loop's clock."""
        self._set(at)
        self._waiting = task = asyncio.current_task()
        cancelled = task.cancelling() if task else 0
        try:
            return await waiting
        except asyncio.CancelledError:
            if self._rang and task and task.uncancel() <= cancelled:
                raise TimeoutError from None
            raise
        finally:
            self._waiting = None
            self._rang = False

    def stop(self) -> None:
        """Never ring again."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None

    def _set(self, at: float) -> None:
        due_sooner = at < self._at
        self._at = at
        if at != inf and (due_sooner or self._timer is None):
            self.stop()
            self._timer = self._loop.call_at(at, self._look)

    def _look(self) -> None:
        """The timer went off: ring, or wait for as long as the time has moved."""
        self._timer = None
        if self._at > self._loop.time():
            self._timer = self._loop.call_at(self._at, self._look)
        elif self._waiting is not None:
            self._rang = True
            self._waiting.cancel()
        else:
            self._at = inf  # nobody waits; the next wait sets a timer of its own
