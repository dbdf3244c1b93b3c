"""What a piece of code left behind: threads and sockets."""

from __future__ import annotations

import gc
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.patience import PATIENCE

FILES = Path("/proc/self/fd")


def sockets() -> set[str]:
    """The sockets this process holds; where the system does not tell, none."""
    found = set()
    for entry in FILES.iterdir() if FILES.exists() else ():
        try:
            name = os.readlink(entry)
        except OSError:  # the directory was itself one of the files
            continue
        if name.startswith("socket:"):
            found.add(name)
    return found


@contextmanager
def nothing_left() -> Iterator[None]:
    """Fails if the block leaves a thread or a socket behind, or drops one for the collector."""
    gc.collect()
    gc.freeze()  # or the collector would look at all that other tests hold again, at the end
    threads, held = set(threading.enumerate()), sockets()
    yield
    # A server of this process hears a moment later that its client has left.
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and (set(threading.enumerate()) - threads or sockets() - held):
        time.sleep(0.01)
    assert set(threading.enumerate()) - threads == set()
    assert sockets() - held == set()
    # A socket that only the collector closes is a ResourceWarning, and so an error.
    gc.collect()
