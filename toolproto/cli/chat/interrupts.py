"""What Ctrl-C means at the moment: cancel the turn, give up the line, or nothing."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["Interrupts"]

_PRESS = bytes([signal.SIGINT])


class Interrupts:
    """Takes SIGINT over while it is :meth:`installed`, in the main thread.

    At first it is raised as KeyboardInterrupt, as ever. While a turn runs (:meth:`cancelling`) it
    cancels the turn, which then ends in its own order; if that takes too long for somebody, the
    second one is raised. While the person is asked something it is raised again
    (:meth:`raising`), and an editor has it for itself (:meth:`ignored`).
    """

    def __init__(self) -> None:
        #: Set once the running turn has been cancelled.
        self.cancelled = threading.Event()
        self._meanings: list[Callable[[], None]] = [_raise]
        self._presses = 0

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Until the block is left, SIGINT comes here."""
        before = signal.signal(signal.SIGINT, self._handle)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    @contextmanager
    def cancelling(self, cancel: Callable[[], None]) -> Iterator[None]:
        """During the block, Ctrl-C calls *cancel* in another thread; a second one is raised.

        A handler would not do. It runs in the main thread, which may hold any lock, or wait for
        something without noticing that a signal came. What is written to a wake-up descriptor
        is noticed at once.
        """
        self.cancelled.clear()
        self._presses = 0
        heard, told = socket.socketpair()
        told.setblocking(False)
        thread = threading.Thread(target=self._listen, args=(cancel, heard), daemon=True)
        with heard:
            thread.start()
            try:
                with told, self._meaning(self._count, told.fileno()):
                    yield
            finally:
                thread.join()

    @contextmanager
    def raising(self) -> Iterator[None]:
        """During the block, Ctrl-C is KeyboardInterrupt again.

        What reads a line may take SIGINT over; it is taken back afterwards.
        """
        with self._meaning(_raise):
            yield

    @contextmanager
    def ignored(self) -> Iterator[None]:
        """During the block, Ctrl-C is somebody else's."""
        with self._meaning(lambda: None):
            yield

    def _handle(self, signal: int, frame: FrameType | None) -> None:
        self._meanings[-1]()

    def _count(self) -> None:
        self._presses += 1
        if self._presses > 1:
            raise KeyboardInterrupt

    def _listen(self, cancel: Callable[[], None], heard: socket.socket) -> None:
        while told := heard.recv(1):
            if told == _PRESS and self._meanings[-1] == self._count:
                self.cancelled.set()
                cancel()

    @contextmanager
    def _meaning(self, meaning: Callable[[], None], wake: int = -1) -> Iterator[None]:
        """During the block, Ctrl-C calls *meaning* here, and is written to *wake*.

        In the thread of a tool that asks, it goes on being written to where it was.
        """
        is_main = threading.current_thread() is threading.main_thread()
        before = signal.set_wakeup_fd(wake, warn_on_full_buffer=False) if is_main else -1
        self._meanings.append(meaning)
        try:
            yield
        finally:
            self._meanings.pop()
            if is_main:
                signal.set_wakeup_fd(before)


def _raise() -> None:
    raise KeyboardInterrupt
