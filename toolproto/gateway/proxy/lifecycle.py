"""What a process that serves tells of itself: that it serves, drains and stops."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import Any

from .log import log_line

__all__ = ["telling"]

_SIGNALS = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def telling(open_requests: Callable[[], int]) -> Iterator[None]:
    """Log when serving begins, when a signal asks for its end, and when all answers have ended."""
    pid = os.getpid()
    with _at_signal(lambda: log_line(event="draining", pid=pid, open=open_requests())):
        log_line(event="serving", pid=pid)
        yield
    log_line(event="stopped", pid=pid, open=open_requests())


@contextmanager
def _at_signal(tell: Callable[[], None]) -> Iterator[None]:
    """Call *tell* with the first signal, beside whatever the server does then."""
    # Others may serve the application in a thread, where no signal is heard.
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop, told = asyncio.get_running_loop(), threading.Event()

    def heard(then: Any, number: int, frame: FrameType | None) -> None:
        if not told.is_set():
            told.set()
            # Not from here: the signal may have come in the middle of writing another line.
            loop.call_soon_threadsafe(tell)
        then(number, frame)

    before = {number: signal.getsignal(number) for number in _SIGNALS}
    for number, then in before.items():
        if callable(then):
            signal.signal(number, partial(heard, then))
    try:
        yield
    finally:
        for number, then in before.items():
            signal.signal(number, then)
