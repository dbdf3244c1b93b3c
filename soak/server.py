"""A PostgreSQL server that is killed, as machines are: in the middle of everything."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from signal import SIGKILL, SIGSTOP

from tests.conversation.stores.postgres_server import PostgresServer

__all__ = ["PostgresServer", "closing_server", "kill"]


@contextmanager
def closing_server(server: PostgresServer) -> Iterator[str]:
    """Where *server* is; in the end it is removed."""
    try:
        yield server.url()
    finally:
        server.remove()


def kill(server: PostgresServer) -> None:
    """Kill the server and every process of it, none of which can put anything in order."""
    first = int((server._folder / "data/postmaster.pid").read_text().split()[0])
    os.kill(first, SIGSTOP)  # no more children, until all are counted
    all = [first, *_children(first)]
    for pid in all:
        with suppress(ProcessLookupError):
            os.kill(pid, SIGKILL)
    while any(Path(f"/proc/{pid}").exists() for pid in all):
        time.sleep(0.005)  # they are not our children, so nobody tells us


def _children(parent: int) -> Iterator[int]:
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            # Behind the name, which is in brackets: the state, then the parent.
            if int(status.read_text().rpartition(")")[2].split()[1]) == parent:
                yield int(status.parent.name)
