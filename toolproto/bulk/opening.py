"""The bytes of a file, unpacked as its name says."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from io import BufferedReader
from typing import Any

from ..protocol.errors import UsageError
from .arrow import arrow
from .inputs import Source

__all__ = ["DAMAGE", "damage", "opened", "too_long"]

#: What reading raises where a packed file is damaged; see :func:`damage`.
DAMAGE = (EOFError, zlib.error, OSError)


def damage(error: Exception, source: Source) -> str:
    """Say what is wrong with *source*; raise *error* where that is the system's fault."""
    # The system's own errors have a number.
    if not source.is_packed or getattr(error, "errno", None) is not None:
        raise error
    return f"the file is damaged from here on: {error}"


def too_long(limit: int) -> str:
    """Say why a row is not read if it has more bytes than *limit*."""
    return f"longer than {limit:,} bytes (--max-row-bytes)"


@contextmanager
def opened(source: Source) -> Iterator[tuple[Any, Any]]:
    """Open *source* until the block ends: a stream with ``read1``, and the file below it.

    Of standard input there is no file below; of a packed file its position is that of packed bytes.
    """
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
