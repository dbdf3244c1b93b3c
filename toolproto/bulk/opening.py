"""The bytes of a file, unpacked as its name says."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from io import BufferedReader
from typing import IO, Any

from ..errors import UsageError
from .arrow import arrow
from .inputs import Source

__all__ = ["DAMAGE", "damage", "opened", "read_whole", "too_long"]

#: What reading raises where a packed file is damaged; see :func:`damage`.
DAMAGE = (EOFError, zlib.error, OSError)


def damage(error: Exception, source: Source) -> str:
    """What is wrong with *source*; raises *error* where that is the system's fault."""
    # The system's own errors have a number.
    if not source.is_packed or getattr(error, "errno", None) is not None:
        raise error
    return f"the file is damaged from here on: {error}"


def too_long(limit: int) -> str:
    """What is said of a row that is not read for its length."""
    return f"longer than {limit:,} bytes (--max-row-bytes)"


@contextmanager
def opened(source: Source) -> Iterator[tuple[IO[bytes], IO[bytes] | None]]:
    """*source*, to be read until the block ends, and the file as it lies on the disk below it."""
    if source.is_stdin:
        if sys.stdin is None:
            raise UsageError("standard input is closed; name a file")
        yield sys.stdin.buffer, None
        return
    with ExitStack() as stack:
        below = stack.enter_context(open(source.path, "rb"))
        stream: Any = below
        if source.path.lower().endswith(".gz"):
            stream = stack.enter_context(gzip.GzipFile(fileobj=below))
        elif source.path.lower().endswith(".zst"):
            unpacked = arrow("pyarrow", source.path).CompressedInputStream(below, "zstd")
            stream = stack.enter_context(BufferedReader(unpacked))
        yield stream, below


def read_whole(source: Source, limit: int) -> bytes:
    """All of *source*; ValueError if it is damaged, or has more than *limit* bytes."""
    try:
        with opened(source) as (file, _):
            data = file.read(limit + 1)
    except DAMAGE as error:
        raise ValueError(damage(error, source)) from None
    if len(data) > limit:
        raise ValueError(too_long(limit))
    return data
