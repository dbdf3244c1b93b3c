"""Where rows go: to standard output, or to a file in which a run can go on later."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack, suppress
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import IO, Protocol, Self

from ...errors import UsageError
from .batches import Position
from .journal import Journal, Progress
from .tally import Tally
from .work import Done

__all__ = ["BEGINNING", "Output", "PlainOutput", "RowFile"]

BEGINNING = Progress(Position(), 0, Tally())
#: Seconds between two entries in a journal: what is done again, at most, after a crash.
_EVERY = 1.0


class Output(Protocol):
    """Takes what came of each batch; *progress* tells of all it has taken."""

    progress: Progress

    def write(self, done: Done, after: Position) -> None:
        """Take *done*, behind which reading stands at *after*."""
        ...


class PlainOutput:
    """Rows for a pipe, a terminal or a device: each batch is passed on at once."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.progress = BEGINNING

    def write(self, done: Done, after: Position) -> None:
        """Pass *done* on."""
        self._stream.write(done.data)
        self._stream.flush()
        self.progress = self.progress.plus(done, after)


class RowFile:
    """Rows in the file *path*, of which *journal* knows; *progress* is where it goes on.

    When the block ends, for whatever reason, the journal tells of every batch that was taken.
    """

    def __init__(self, path: Path, journal: Journal, progress: Progress) -> None:
        self._path, self._journal = path, journal
        self.progress = progress
        self._kept = 0.0

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._file = stack.enter_context(open(self._path, "ab", buffering=0))
            _lock(self._file, self._path)
            _refuse_shorter(self._file, self._path, self.progress.length)
            # The journal first: of a file with something in it, it is always known what that is.
            self._journal.write(self.progress)
            self._file.truncate(self.progress.length)
            self._kept = time.monotonic()
            stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._file, suppress(OSError):  # a full disk, say, which is what brought us here
            if isinstance(error, UsageError) and self.progress.position == Position():
                self._forget()
            else:
                self._keep()

    def write(self, done: Done, after: Position) -> None:
        """Write *done*, and now and then into the journal that it was."""
        rest = memoryview(done.data)
        while rest:
            rest = rest[self._file.write(rest) :]
        self.progress = self.progress.plus(done, after)
        if time.monotonic() >= self._kept + _EVERY:
            self._keep()

    def _forget(self) -> None:
        """Leave nothing behind: a mistake was found before anything was written."""
        self._journal.remove()
        self._path.unlink()

    def _keep(self) -> None:
        """Let the journal tell of what was written, once that is certain to last."""
        os.fsync(self._file.fileno())
        self._journal.write(self.progress)
        self._kept = time.monotonic()


def _lock(file: FileIO, path: Path) -> None:
    """Keep other runs out of *file*; where there are no locks, trust that there are none."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise UsageError(f"another run writes to {str(path)!r}; wait for it, or end it") from None


def _refuse_shorter(file: FileIO, path: Path, length: int) -> None:
    found = os.fstat(file.fileno()).st_size
    if found < length:
        raise UsageError(
            f"{str(path)!r} has {found:,} bytes, {length - found:,} fewer than were written; "
            "begin again with --force"
        )
