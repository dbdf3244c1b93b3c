"""Doing something not too often, and yet never leaving the last of it undone."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

__all__ = ["Pace"]

#: Seconds between two pictures. Faster is not seen, and drawing costs time.
_PAUSE = 0.08


class Pace:
    """Calls *act* when it is asked to: at once, or when the pause since the last time is over.

    That may be in a thread of its own; *lock* is held whenever *act* is called.
    """

    def __init__(
        self,
        act: Callable[[], None],
        lock: threading.RLock,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._act = act
        self._lock = lock
        self._clock = clock
        self._last = -_PAUSE
        self._timer: threading.Timer | None = None

    def soon(self) -> None:
        """Act now, or in a moment."""
        with self._lock:
            wait = self._last + _PAUSE - self._clock()
            if wait <= 0:
                self.now()
            elif self._timer is None:
                self._timer = threading.Timer(wait, self._late)
                self._timer.daemon = True
                self._timer.start()

    def now(self) -> None:
        """Act, and not again for what was asked before."""
        with self._lock:
            self.stop()
            self._act()
            self._last = self._clock()

    def stop(self) -> None:
        """Do not act for what was asked before."""
        with self._lock:
            timer, self._timer = self._timer, None
            if timer:
                timer.cancel()

    def _late(self) -> None:
        with self._lock:
            if self._timer is threading.current_thread():  # not one that was stopped meanwhile
                self.now()
