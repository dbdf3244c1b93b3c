"""Batches of rows: replies in, what they call out, a row for every row.

Whatever is in a row, it spoils no other: a row that cannot be read has the outcome ``unreadable``
and a ``reason``.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from ..protocol.errors import UsageError
from .columns import build, carried, clipped, digest, result_of
from .reading import Reading
from .replies import ReadReply, ReplyReader
from .rows import ReplyRow, RowReader
from .schema import result_schema

__all__ = ["BatchReader", "last_made", "read_batch"]


def read_batch(batch: Any, reading: Reading) -> Any:
    """The replies in *batch*, a RecordBatch, read as *reading* says: as many rows, in order.

    The columns are those of ``reading.fields.keep``, then those of ``result_schema``. Paradigms
    and offers are made once for all batches that are read with the same *reading*.
    """
    return last_made(BatchReader, reading)(batch)


class BatchReader:
    """Reads batch after batch as *reading* says."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.replies = ReplyReader(reading)
        self.rows = RowReader(reading)

    def __call__(self, batch: Any) -> Any:
        """Every row of *batch*, read."""
        results = [result_of(self.read(row)) for row in self.rows.rows(batch)]
        return self.written(batch, results)

    def read(self, row: ReplyRow) -> ReadReply:
        """What *row* says; whatever goes wrong is its fault."""
        if row.fault:
            return ReadReply(fault=clipped(row.fault))
        try:
            return self.replies.read(row.text, row.offer, row.paradigm, row.finish_reason)
        except UsageError as error:
            return ReadReply(fault=clipped(str(error)))
        except Exception as error:  # a paradigm's that somebody installed: one row, not the run
            return ReadReply(fault=clipped(f"reading failed: {type(error).__name__}: {error}"))

    def written(self, batch: Any, results: Sequence[Any]) -> Any:
        """The columns that are carried through from *batch*, and *results* beside them."""
        digests = [digest(*each) for each in results]
        columns = [*(zip(*results, strict=True) if results else [()] * 6), digests]
        return build(result_schema(), columns, carried(batch, self.reading.fields.kept))


_KEPT = 8


class _Made(threading.local):
    """Of each thread its own: a reader reads one reply at a time."""

    def __init__(self) -> None:
        self.last: list[tuple[Any, Any]] = []


_made = _Made()


def last_made(make: Callable[[Any], Any], reading: Any) -> Any:
    """What *make* makes of *reading*: the one it made before, if it was among the last few."""
    for known in _made.last:
        if known[0] is reading and type(known[1]) is make:
            return known[1]
    made = make(reading)
    _made.last.insert(0, (reading, made))
    del _made.last[_KEPT:]
    return made
