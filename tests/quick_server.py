"""Servers of this process that end when they are told to."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn


class QuickServer(uvicorn.Server):
    """uvicorn, but for its waits: it looks every tenth of a second whether it is to end, then waits
    as long for nothing, and for connections again. A few hundred tests do all of that.
    """

    _told: asyncio.Event | None = None
    _loop: asyncio.AbstractEventLoop

    def end(self) -> None:
        """Have it end; from any thread."""
        self.should_exit = True
        if self._told is not None:
            self._loop.call_soon_threadsafe(self._told.set)

    async def main_loop(self) -> None:
        await self.on_tick(0)
        self._loop = asyncio.get_running_loop()
        self._told = asyncio.Event()
        if not self.should_exit:
            await self._told.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for each in [*self.servers, *(sockets or [])]:
            each.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        try:
            async with asyncio.timeout(self.config.timeout_graceful_shutdown):
                while self.server_state.connections or self.server_state.tasks:
                    await asyncio.sleep(0.005)
        except TimeoutError:
            for task in self.server_state.tasks:
                task.cancel()
        await self.lifespan.shutdown()


@contextmanager
def running(server: QuickServer, listener: socket.socket) -> Iterator[None]:
    """While the block runs, *server* serves those who come to *listener*."""
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield
    finally:
        server.end()
        thread.join()
        listener.close()
