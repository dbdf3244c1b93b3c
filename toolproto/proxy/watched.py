"""A worker process, as the process that started it watches over it."""

from __future__ import annotations

from multiprocessing.connection import wait

from uvicorn.supervisors.multiprocess import Process

__all__ = ["Watched"]


class Watched(Process):
    """A worker whose death is noticed even while it is asked whether it is well.

    uvicorn's own waits for the answer of one that was killed meanwhile, for as long as a slow one
    may take; and nobody takes the dead one's place until then.
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
