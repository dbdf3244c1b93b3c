"""The inputs, cut into batches that are read one by one, in any process.

Where a batch ends depends on the inputs and on where it begins, and on nothing else: a run that
goes on at the end of some batch cuts the rest as the run before would have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .batches import Batch, Position, Texts
from .inputs import Kind, Source
from .lines import cut_lines
from .parquet import cut_rows

__all__ = ["cut_into_batches"]

#: How many files with one reply each are read together, and how large they are at most in all.
_FILES = 64
_BYTES = 256 * 1024


def cut_into_batches(
    sources: Sequence[Source], start: Position, columns: Sequence[str], max_row: int
) -> Iterator[Batch]:
    """Everything in *sources* behind *start*.

    *columns* are the fields anybody will look at, and a row of more than *max_row* bytes is not
    taken into memory.
    """
    at, seen = start, sum(source.size for source in sources[: start.source])
    while at.source < len(sources):
        source = sources[at.source]
        if source.kind is Kind.TEXT:
            batch = _texts(sources, at.source, seen)
            yield batch
            at, seen = batch.after, batch.seen
            continue
        if source.kind is Kind.JSONL:
            yield from cut_lines(source, at, seen, max_row)
        else:
            yield from cut_rows(source, at, seen, columns)
        at, seen = Position(at.source + 1), seen + source.size


def _texts(sources: Sequence[Source], first: int, seen: int) -> Texts:
    """Some files from the *first* on: many small ones, or one large one."""
    last, size = first, 0
    while last < len(sources) and sources[last].kind is Kind.TEXT:
        size += sources[last].size
        last += 1
        if last == first + _FILES or size > _BYTES or sources[last - 1].is_packed:
            break
    return Texts(tuple(sources[first:last]), Position(last), seen + size)
