"""A worker process, as the process that started it watches over it."""

from __future__ import annotations

import os
import signal
from multiprocessing import parent_process
from multiprocessing.connection import wait
from socket import socket
from threading import Thread

from uvicorn.supervisors.multiprocess import Process

__all__ = ["Watched"]


class Watched(Process):
    """A worker whose death is noticed even while it is asked whether it is well.

    uvicorn's own waits for the answer of one that was killed meanwhile, for as long as a slow one
    may take; and nobody takes the dead one's place until then. Nor does its own end when whoever
    watches over it is killed: it would keep the port, and answer beside those started anew.
    """

    def is_alive(self, timeout: float = 5) -> bool:
        """Whether it answers within *timeout* seconds."""
        if not self.process.is_alive():
            return False
        try:
            self.parent_conn.send(b"ping")
            answered = self.parent_conn in wait([self.parent_conn, self.process.sentinel], timeout)
            if answered:
                self.parent_conn.recv()
        except (OSError, EOFError):
            return False
        return answered

    def target(self, sockets: list[socket] | None = None) -> None:
        """What the worker does: serve, until it is told to end or nobody is left to tell it."""
        Thread(target=_end_when_alone, daemon=True).start()
        super().target(sockets)


def _end_when_alone() -> None:
    if parent := parent_process():
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
