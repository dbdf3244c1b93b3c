"""The inputs, cut into pieces that are read one by one, in any process or on any machine.

Where a piece begins and ends depends on the inputs and on nothing else: a run that goes on later,
or on another engine, has the same pieces, and of each the same bytes come.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import IO

from ..errors import UsageError
from .arrow import arrow
from .inputs import Kind, Source
from .opening import DAMAGE, damage, opened, too_long

__all__ = ["Piece", "cut"]

#: Bytes of JSONL read together, some seconds' work; of a pipe, to which somebody listens, fewer.
BLOCK = 1024 * 1024
PIPED = 64 * 1024
#: Rows of Parquet read together. To read the last of a row group all of it is unpacked, so no more
#: than so many pieces are made of one.
ROWS = 4096
SLICES = 32
#: How many files with one reply each are read together, and how large they are at most in all.
FILES = 256
FILES_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Piece:
    """Some rows of the inputs: piece *number*, of which the first row is row *first* of its file.

    *start* and *size* are bytes of a file of lines, or rows of the row group *group* of a table.
    *data* is what stands there, where nobody else could read it: in a pipe, or packed. With a
    *fault* it is one row that cannot be read. *share* is how many bytes of the inputs it is,
    as they lie there, packed or not.
    """

    number: int
    sources: tuple[Source, ...]
    first: int = 1
    start: int = 0
    size: int = 0
    group: int = 0
    data: bytes | None = None
    fault: str = ""
    share: int = 0

    @property
    def place(self) -> str:
        """Where it stands, for a sentence."""
        return f"{self.sources[0].path!r} from row {self.first} on"


def cut(sources: Sequence[Source], columns: Sequence[str], max_row: int) -> Iterator[Piece]:
    """Everything in *sources*, piece by piece.

    *columns* are the fields anybody will look at, and a row of more than *max_row* bytes is not
    taken into memory.
    """
    at = 0
    numbers = count()
    while at < len(sources):
        source = sources[at]
        if source.kind is Kind.TEXT:
            texts = _texts(sources, at)
            found: Iterable[Piece] = [texts]
            at += len(texts.sources)
        else:
            found = _lines(source, max_row) if source.kind is Kind.JSONL else _rows(source, columns)
            at += 1
        for piece in found:
            yield replace(piece, number=next(numbers))


def _texts(sources: Sequence[Source], first: int) -> Piece:
    """Some files from the *first* on: many small ones, or one large one."""
    last, size = first, 0
    while last < len(sources) and sources[last].kind is Kind.TEXT:
        size += sources[last].size
        last += 1
        if last == first + FILES or size > FILES_BYTES or sources[last - 1].is_packed:
            break
    return Piece(0, tuple(sources[first:last]), share=size)


# -- lines ------------------------------------------------------------------------------------


def _lines(source: Source, max_row: int) -> Iterator[Piece]:
    """Whole lines, which end with a line feed and with nothing else: U+2028 is text."""
    kept = source.is_stdin or source.is_packed
    start, first, seen = 0, 1, 0
    with opened(source) as (file, below):
        for lines, size, fault in _blocks(file, source, max_row):
            before, seen = seen, below.tell() if below else 0
            data = b"".join(lines) if kept and not fault else None
            share = seen - before
            yield Piece(0, (source,), first, start, size, data=data, fault=fault, share=share)
            start, first = start + size, first + (1 if fault else len(lines))


def _blocks(
    file: IO[bytes], source: Source, max_row: int
) -> Iterator[tuple[list[bytes], int, str]]:
    """Lines that are read together, their bytes, and what is wrong with one that stands alone."""
    room = PIPED if source.is_stdin else BLOCK
    held: list[bytes] = []
    size, fault = 0, ""
    try:
        while line := file.readline(max_row + 1):
            long = len(line) > max_row and not line.endswith(b"\n")
            if long and held:
                yield held, size, ""
                held, size = [], 0
            if long:
                yield [], len(line) + _rest_of_line(file, line), too_long(max_row)
                continue
            held.append(line)
            size += len(line)
            if size >= room:
                yield held, size, ""
                held, size = [], 0
    except DAMAGE as error:
        fault = damage(error, source)
    if held:
        yield held, size, ""
    if fault:
        yield [], 0, fault


def _rest_of_line(file: IO[bytes], line: bytes) -> int:
    """How many bytes there are up to the next line end; none of them is kept."""
    size = 0
    while line and not line.endswith(b"\n"):
        line = file.readline(BLOCK)
        size += len(line)
    return size


# -- tables -----------------------------------------------------------------------------------


def _rows(source: Source, columns: Sequence[str]) -> Iterator[Piece]:
    pa, parquet = arrow("pyarrow", source.path), arrow("pyarrow.parquet", source.path)
    try:
        with parquet.ParquetFile(source.path) as file:
            _refuse_without(source.path, columns[0], file.schema_arrow.names)
            about = file.metadata
            groups = [about.row_group(each).num_rows for each in range(about.num_row_groups)]
    except (pa.ArrowException, OSError) as error:
        if getattr(error, "errno", None) is not None:
            raise  # the system's, not the file's
        raise UsageError(f"{source.path!r} cannot be read as Parquet: {error}") from None
    row, total = 0, max(sum(groups), 1)
    for group, rows in enumerate(groups):
        step = max(ROWS, -(-rows // SLICES))
        for start in range(0, rows, step):
            size = min(step, rows - start)
            share = source.size * (row + size) // total - source.size * row // total
            yield Piece(0, (source,), row + 1, start, size, group, share=share)
            row += size


def _refuse_without(path: str, asked: str, names: Sequence[str]) -> None:
    if asked not in names and asked.partition(".")[0] not in names:
        raise UsageError(
            f"{path!r} has no column {asked!r}; give --field with one of: {', '.join(names)}"
        )
