"""Parquet, read in small batches, each counted as it is unpacked before it is written out.

A dictionary of Parquet lets a file of some kilobytes stand for gigabytes: one long value, and many
rows that point to it. So text is read as a dictionary, and what its rows come to is counted before
they are made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from ..protocol.errors import UsageError
from .arrow import arrow
from .opening import too_long

__all__ = ["Rows", "read_table"]

#: Rows that are read together, and the bytes that they may come to; further rows come apart.
ROWS = 4096
ROOM = 4 * 1024 * 1024
#: What a batch may come to where that is not known before it is read.
MOST = 1024 * 1024 * 1024


class Rows(NamedTuple):
    """Some rows from row *first* on, as a stream of Arrow; with a *fault*, one that has no values.

    *part* is how much of the file they are, from 0 to 1.
    """

    first: int
    data: bytes
    fault: str
    part: float


def read_table(path: str, columns: Sequence[str], max_row: int) -> Iterator[Rows]:
    """Read *columns* of the file at *path*, the first of which must be there.

    Raises UsageError for what is no Parquet, and where that column is missing.
    """
    pa, parquet = arrow("pyarrow", path), arrow("pyarrow.parquet", path)
    try:
        with parquet.ParquetFile(path) as file:
            plain, about = file.schema_arrow, file.metadata
        asked = _asked(path, columns, plain.names)
        first, total = 1, max(about.num_rows, 1)
        for number in range(about.num_row_groups):
            group = _Group(about.row_group(number), asked)
            if group.unpacked > max(max_row * group.rows, 16 * ROOM):
                yield Rows(first, b"", group.fault(first, max_row), group.rows / total)
                first += group.rows
                continue
            options = {"metadata": about, "read_dictionary": group.dictionaries}
            with parquet.ParquetFile(path, **options) as file:
                batches = file.iter_batches(group.together, row_groups=[number], columns=asked)
                for batch in _joined(batches, plain, max(ROOM, max_row)):
                    yield _written(batch, first, batch.num_rows / total, max_row)
                    first += batch.num_rows
    except (pa.ArrowException, OSError) as error:
        if getattr(error, "errno", None) is not None:
            raise  # the system's, not the file's
        raise UsageError(f"{path!r} cannot be read as Parquet: {error}") from None


def _asked(path: str, columns: Sequence[str], names: Sequence[str]) -> list[str]:
    """The columns of the file that hold *columns*, which may be paths into them."""
    heads = {each if each in names else each.partition(".")[0] for each in columns}
    if columns[0] not in names and columns[0].partition(".")[0] not in names:
        raise UsageError(
            f"{path!r} has no column {columns[0]!r}; give --field with one of: {', '.join(names)}"
        )
    return [name for name in names if name in heads]


class _Group:
    """What a row group says of those columns of it that are *asked* for."""

    def __init__(self, group: Any, asked: Sequence[str]) -> None:
        heads = tuple(f"{name}." for name in asked)
        columns = map(group.column, range(group.num_columns))
        chunks = [each for each in columns if f"{each.path_in_schema}.".startswith(heads)]
        self.rows: int = group.num_rows
        self.unpacked = sum(each.total_uncompressed_size for each in chunks)
        # Arrow gives no dictionary of what is written as differences from the value before.
        plain = [each for each in chunks if any("DELTA" in name for name in each.encodings)]
        self.dictionaries = [each.path_in_schema for each in chunks if each not in plain]
        # There a value may be as long as all of its column.
        self.together = max(1, min(ROWS, MOST // max(self.unpacked, 1))) if plain else ROWS

    def fault(self, first: int, max_row: int) -> str:
        """Say that the rows, of which the first is row *first*, are too long on the average."""
        rows = f"rows {first} to {first + self.rows - 1}"
        return f"{rows} are {self.unpacked:,} bytes, {too_long(max_row)} each"


def _joined(batches: Iterable[Any], plain: Any, longest: int) -> Iterator[Any]:
    """Batches of some megabytes each, or one row, with the types that *plain* says."""
    held: list[Any] = []
    rows = size = 0
    for batch in batches:
        for some in _small(batch):
            more = _size(some)
            if held and (rows + some.num_rows > ROWS or size + more > ROOM):
                yield _one(held)
                held, rows, size = [], 0, 0
            # A row that is too long is not written out: nobody reads it.
            held.append(_plain(some, plain) if more <= longest else some)
            rows, size = rows + some.num_rows, size + more
    if held:
        yield _one(held)


def _one(batches: Sequence[Any]) -> Any:
    if len(batches) == 1:
        return batches[0]
    return arrow().Table.from_batches(batches).combine_chunks().to_batches()[0]


def _plain(batch: Any, schema: Any) -> Any:
    """*batch* with every value written out."""
    names, types = batch.schema.names, arrow().types
    columns = [
        array.dictionary_decode()
        if types.is_dictionary(array.type)
        else array.cast(schema.field(name).type)
        for name, array in zip(names, batch.columns, strict=True)
    ]
    return arrow().RecordBatch.from_arrays(columns, names)


def _small(batch: Any) -> Iterator[Any]:
    """*batch* in parts, each of some megabytes when it is written out, or one row."""
    if batch.num_rows <= 1 or _size(batch) <= ROOM:
        yield batch
        return
    half = batch.num_rows // 2
    yield from _small(batch.slice(0, half))
    yield from _small(batch.slice(half))


def _size(batch: Any) -> int:
    return sum(map(_bytes, batch.columns))


def _bytes(array: Any) -> int:
    """Return how many bytes *array* has with every value of its dictionaries written out."""
    pa = arrow()
    types, compute = pa.types, arrow("pyarrow.compute")
    kind = array.type
    if types.is_dictionary(kind):
        if not (types.is_string(kind.value_type) or types.is_binary(kind.value_type)):
            return int(array.nbytes)
        lengths = compute.binary_length(array.dictionary)
        return int(array.indices.nbytes) + (compute.sum(lengths.take(array.indices)).as_py() or 0)
    if types.is_struct(kind):
        return sum(map(_bytes, array.flatten()))
    if types.is_list(kind) or types.is_large_list(kind) or types.is_map(kind):
        return 4 * len(array) + _bytes(array.flatten())
    return int(array.nbytes)


def _written(batch: Any, first: int, part: float, max_row: int) -> Rows:
    if batch.num_rows == 1 and _size(batch) > max_row:
        return Rows(first, b"", too_long(max_row), part)
    sink = arrow().BufferOutputStream()
    with arrow("pyarrow.ipc").new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    return Rows(first, sink.getvalue().to_pybytes(), "", part)
