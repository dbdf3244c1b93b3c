"""One process at a time: a lock that the system lets go of when its holder dies."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

__all__ = ["alone"]

_POLL = 0.2


@contextmanager
def alone(lock: Path, waiting: Callable[[], None]) -> Iterator[None]:
    """Hold the file *lock*; *waiting* is called now and then while another process has it."""
    with lock.open("ab") as held:
        while not _taken(held):
            waiting()
            time.sleep(_POLL)
        yield


if sys.platform == "win32":
    import msvcrt

    def _taken(file: IO[bytes]) -> bool:
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _taken(file: IO[bytes]) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            # Some network folders know no locks. Two at once may then spoil each other's
            # download, and its checksum tells.
            return True
        return True
