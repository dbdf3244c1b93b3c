"""The one thread on which every MCP server is waited for.

A program's own threads and event loops come and go with its sessions; a server stays. So its
connection lives on an event loop of ours, in a thread that does not keep the process alive, and
whoever calls a tool hands the call over. Before the interpreter ends, every server is closed.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar

__all__ = ["Background", "background"]

T = TypeVar("T")

#: Seconds that all servers together get to end before the interpreter does.
_LAST_SECONDS = 10.0


class Background:
    """An event loop in a thread of its own, and what is to be closed before it ends."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()
        self._closers: dict[object, Callable[[], Coroutine[Any, Any, None]]] = {}

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Run *work* on the loop; cancelling the future cancels it."""
        return asyncio.run_coroutine_threadsafe(work, self._running())

    def close_at_exit(self, owner: object, close: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Await *close* before the interpreter ends, unless :meth:`forget` comes first."""
        self._closers[owner] = close

    def forget(self, owner: object) -> None:
        """*owner* is closed."""
        self._closers.pop(owner, None)

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                thread = threading.Thread(
                    target=self._loop.run_forever, name="toolproto-mcp", daemon=True
                )
                thread.start()
                atexit.register(self._end, self._loop, thread)
            return self._loop

    def _end(self, loop: asyncio.AbstractEventLoop, thread: threading.Thread) -> None:
        """Close what is open, then the loop. Runs while daemon threads still do."""
        with suppress(Exception):
            self.submit(self._close_all()).result(_LAST_SECONDS)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(1)
        if not thread.is_alive():
            loop.close()

    async def _close_all(self) -> None:
        closers = list(self._closers.values())
        await asyncio.gather(*(close() for close in closers), return_exceptions=True)


#: The one of this process.
background = Background()


def _in_child() -> None:
    """A forked child has no thread of ours, and the servers belong to its parent."""
    global background
    background.__init__()  # type: ignore[misc]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
