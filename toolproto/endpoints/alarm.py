"""Being woken when a wait has taken too long, although the waiting thread is inside a read."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from threading import TIMEOUT_MAX, Condition, Thread
from time import monotonic

__all__ = ["Alarm"]


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
