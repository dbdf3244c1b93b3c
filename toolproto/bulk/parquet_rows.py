"""The rows of a Parquet file, a few at a time, counted before they are written out.

A dictionary of Parquet lets a file of some kilobytes stand for gigabytes: one long value, and many
rows that point to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from mmap import ACCESS_READ, mmap
from typing import Any

from ..protocol.errors import UsageError
from .arrow import arrow
from .parquet_pages import pages_of

__all__ = ["ROOM", "ROWS", "read_table", "too_long"]

#: Bytes and rows that are read together, about a second's work for a worker.
ROOM = 1024 * 1024
ROWS = 4096
#: What rows that are unpacked together may come to at the worst, where each of them may be as long
#: as all that its row group holds.
WORST = 256 * 1024 * 1024


def too_long(limit: int) -> str:
    """Say why a row is not read if it has more bytes than *limit*."""
    return f"longer than {limit:,} bytes (--max-row-bytes)"


def read_table(
    path: str, columns: Sequence[str], max_row: int
) -> Iterator[tuple[bytes | str, int, float]]:
    """Yield the rows at *path* as streams of Arrow, with their number and their part of all rows.

    Rows that are too long are replaced by a word about them. Only *columns* are read, of which the
    first must be there. Raises UsageError if it is not, and for what is no Parquet.
    """
    pa, parquet = arrow("pyarrow", path), arrow("pyarrow.parquet", path)
    try:
        with parquet.ParquetFile(path) as table:
            about, asked = table.metadata, _asked(path, columns, table.schema_arrow.names)
        with open(path, "rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
            # One page that stands for many columns would be unpacked again for each.
            if sum(each.total_compressed_size for each in _chunks(about)) > len(content):
                raise ValueError("its columns overlap")
            for group in range(about.num_row_groups):
                for data, rows in _group(path, content, about, group, asked, max_row):
                    yield data, rows, rows / max(about.num_rows, 1)
    except (pa.ArrowException, ValueError, OSError) as error:
        if getattr(error, "errno", None) is not None:
            raise  # the system's, not the file's
        raise UsageError(f"{path!r} cannot be read as Parquet: {error}") from None


def _chunks(about: Any) -> Iterator[Any]:
    """Yield the columns of all row groups."""
    for number in range(about.num_row_groups):
        group = about.row_group(number)
        yield from (group.column(each) for each in range(group.num_columns))


def _asked(path: str, columns: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the columns of the file that hold *columns*, which may be paths into them."""
    heads = {each if each in names else each.partition(".")[0] for each in columns}
    if columns[0] not in names and columns[0].partition(".")[0] not in names:
        raise UsageError(
            f"{path!r} has no column {columns[0]!r}; give --field with one of: {', '.join(names)}"
        )
    return [name for name in names if name in heads]


def _group(
    path: str, content: mmap, about: Any, number: int, asked: Sequence[str], max_row: int
) -> Iterator[tuple[bytes | str, int]]:
    """Yield the rows of a row group a few at a time, as streams of Arrow, and their number.

    A group whose pages say that its rows are too long on the average is not unpacked.
    """
    group, heads = about.row_group(number), tuple(f"{name}." for name in asked)
    chunks = [group.column(each) for each in range(group.num_columns)]
    mine = {c.path_in_schema: c for c in chunks if f"{c.path_in_schema}.".startswith(heads)}
    pages = {name: pages_of(content, chunk) for name, chunk in mine.items()}
    sizes = {name: max(each.size, 8 * each.values) for name, each in pages.items()}
    unpacked = sum(sizes.values())
    if unpacked > max(max_row * group.num_rows, 64 * ROOM):
        told = f"its row group of {group.num_rows:,} rows has {unpacked:,} bytes"
        yield f"{told}, {too_long(max_row)} each", group.num_rows
        return
    texts = [n for n in mine if n in asked and "BYTE_ARRAY" in mine[n].physical_type]
    # Read as a dictionary, text stays as short as in the file until its rows are counted. Arrow
    # gives none of what is written as differences from the value before.
    short = [
        n
        for n in texts
        if mine[n].physical_type == "BYTE_ARRAY" and "DELTA" not in " ".join(mine[n].encodings)
    ]
    rest = sum(sizes[n] for n in mine if n not in short and (n in texts or n not in asked))
    together = max(1, min(ROWS, WORST // max(rest, 1)))
    parquet = arrow("pyarrow.parquet")
    with parquet.ParquetFile(path, metadata=about, read_dictionary=short) as table:
        for batch in table.iter_batches(together, row_groups=[number], columns=asked):
            for some in _small(batch, min(ROOM, max_row)):
                is_long = len(some) == 1 and _size(some) > max_row
                yield too_long(max_row) if is_long else _stream(some), len(some)


def _small(batch: Any, room: int) -> Iterator[Any]:
    """Yield *batch* in parts of at most *room* bytes, or of one row."""
    if len(batch) <= 1 or _size(batch) <= room:
        yield batch
        return
    half = len(batch) // 2
    yield from _small(batch.slice(0, half), room)
    yield from _small(batch.slice(half), room)


def _size(batch: Any) -> int:
    """Return how many bytes *batch* has when every value is written out."""
    is_short, compute, size = arrow().types.is_dictionary, arrow("pyarrow.compute"), 0
    for column in batch.columns:
        if is_short(column.type) and _is_text(column.type.value_type):
            lengths = compute.binary_length(column.dictionary).take(column.indices)
            size += compute.sum(lengths).as_py() or 0
        else:
            size += column.nbytes
    return size


def _is_text(kind: Any) -> bool:
    types = arrow().types
    tests = (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary)
    return any(test(kind) for test in tests)


def _stream(batch: Any) -> bytes:
    # Pickled, a slice would take all of the table that it is cut from.
    is_short = arrow().types.is_dictionary
    columns = [c.dictionary_decode() if is_short(c.type) else c for c in batch.columns]
    plain = arrow().RecordBatch.from_arrays(columns, batch.schema.names)
    sink = arrow().BufferOutputStream()
    with arrow("pyarrow.ipc").new_stream(sink, plain.schema) as stream:
        stream.write_batch(plain)
    data: bytes = sink.getvalue().to_pybytes()
    return data
