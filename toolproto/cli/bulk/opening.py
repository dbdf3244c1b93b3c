"""The bytes of a file, unpacked as its name says."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from io import BufferedReader
from typing import Any

from ...errors import UsageError
from ...extras import install_command
from .inputs import Source
from .reading import too_long

__all__ = ["Opened", "arrow", "opened", "read_whole"]


class Opened:
    """A file being read, piece by piece."""

    def __init__(self, stream: Any, below: Any) -> None:
        self._stream, self._below = stream, below
        self.damage = ""  # why nothing more can be unpacked

    def read(self, size: int) -> bytes:
        """The next bytes, *size* at most; none at the end, or where a packed file is damaged.

        One step at a time, so that what came before the damage is not lost with it.
        """
        try:
            piece: bytes = self._stream.read1(size)
            return piece
        except (EOFError, zlib.error, OSError) as error:
            # The system's own errors have a number; they are not the file's fault.
            if self._stream is self._below or getattr(error, "errno", None) is not None:
                raise
            self.damage = f"the file is damaged from here on: {error}"
            return b""

    def skip(self, size: int) -> None:
        """Pass over so many bytes; fewer, if there are no more."""
        if self._stream is self._below:
            self._stream.seek(size)
            return
        while size > 0 and (piece := self.read(min(size, 1 << 20))):
            size -= len(piece)

    @property
    def seen(self) -> int:
        """How far in the file, as it lies on the disk, reading is; 0 for standard input."""
        return 0 if self._below is None else self._below.tell()


@contextmanager
def opened(source: Source) -> Iterator[Opened]:
    """*source*, to be read until the block ends."""
    if source.is_stdin:
        if sys.stdin is None:
            raise UsageError("standard input is closed; name a file")
        yield Opened(sys.stdin.buffer, None)
        return
    with ExitStack() as stack:
        below = stack.enter_context(open(source.path, "rb"))
        stream: Any = below
        if source.path.lower().endswith(".gz"):
            stream = stack.enter_context(gzip.GzipFile(fileobj=below))
        elif source.path.lower().endswith(".zst"):
            unpacked = arrow("pyarrow", source.path).CompressedInputStream(below, "zstd")
            stream = stack.enter_context(BufferedReader(unpacked))
        yield Opened(stream, below)


def read_whole(source: Source, limit: int) -> bytes:
    """All of *source*; ValueError if it is damaged, or has more than *limit* bytes."""
    data = bytearray()
    with opened(source) as file:
        while len(data) <= limit and (piece := file.read(limit + 1 - len(data))):
            data += piece
        if file.damage:
            raise ValueError(file.damage)
    if len(data) > limit:
        raise ValueError(too_long(limit))
    return bytes(data)


def arrow(name: str, what: str) -> Any:
    """A module of pyarrow; where it is not installed, a UsageError that says *what* needs it."""
    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise UsageError(f"{what} needs pyarrow; run: {install_command('parquet')}") from None
