"""Rows of results as files hold them: lines of JSON, packed or not, and Parquet."""

from __future__ import annotations

import gzip
import json
import math
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Any, BinaryIO

from ..protocol.errors import UsageError
from .arrow import arrow
from .columns import Result, digest, valid
from .schema import RESULTS, result_schema

__all__ = ["Place", "RowFormat", "encoded", "format_of", "joined", "row_of", "rows_in", "written"]

#: Where a row stands (``source``, ``row``), and what is carried through with it.
Place = dict[str, Any]


def _told(value: Any) -> Any:
    """Return a value of a table that JSON does not know as text: a time, a decimal, bytes."""
    if isinstance(value, bytes):
        return value.decode(errors="backslashreplace")
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


_encode = json.JSONEncoder(check_circular=False, allow_nan=False, default=_told).encode


class RowFormat(Enum):
    """What a file of rows is, by the end of its name."""

    JSONL = ".jsonl"
    PACKED = ".jsonl.gz"
    PARQUET = ".parquet"


def format_of(path: Path) -> RowFormat:
    """Return the format that *path* is called after; UsageError if it is called after none."""
    name = path.name.lower().replace(".ndjson", ".jsonl")
    for kind in RowFormat:
        if name.endswith(kind.value):
            return kind
    raise UsageError(
        f"the name {str(path)!r} does not show its format; "
        "use one that ends in .jsonl, .jsonl.gz or .parquet"
    )


def row_of(kind: RowFormat, place: Place, result: Result, kept: Sequence[str]) -> Any:
    """Return a row as *kind* has it, a line or columns. Raises for what JSON cannot hold."""
    row: dict[str, Any] = dict(zip(RESULTS, (*result, digest(*result)), strict=True))
    if kind is RowFormat.PARQUET:
        # A value of which the type differs from row to row is text: as it is, otherwise as JSON.
        others = {name: _text(place.get(name)) for name in ("id", *kept)}
        return {"source": place.get("source"), "row": place.get("row"), **others, **row}
    row["calls"] = [{**each, "arguments": json.loads(each["arguments"])} for each in row["calls"]]
    if row["reason"] is None:
        del row["reason"]
    return _json({**place, **row})


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else _json(value)


def _json(value: Any) -> str:
    try:
        return _encode(value)
    except ValueError:  # 1e999 in a column to be kept: JSON has no such number
        return _encode(_finite(value))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def encoded(kind: RowFormat, rows: Sequence[Any], kept: Sequence[str] = ()) -> bytes:
    """Return the bytes of a file with these *rows*, each as :func:`row_of` made it."""
    if kind is RowFormat.PARQUET:
        return _parquet(rows, kept)
    data = "".join(f"{line}\n" for line in rows).encode()
    return gzip.compress(data, 6, mtime=0) if data and kind is RowFormat.PACKED else data


def _parquet(rows: Sequence[Any], kept: Sequence[str]) -> bytes:
    pa, parquet = arrow(), arrow("pyarrow.parquet")
    try:
        table = pa.Table.from_pylist(rows, _schema(kept))
    except (UnicodeEncodeError, pa.ArrowInvalid):
        table = pa.Table.from_pylist(valid(list(rows)), _schema(kept))
    sink = pa.BufferOutputStream()
    parquet.write_table(table, sink, compression="zstd")
    return bytes(sink.getvalue())


def _schema(kept: Sequence[str]) -> Any:
    pa = arrow()
    text = [(name, pa.string()) for name in ("id", *kept)]
    return pa.schema([("source", pa.string()), ("row", pa.int64()), *text, *result_schema()])


def rows_in(kind: RowFormat, path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file that was written here."""
    if kind is RowFormat.PARQUET:
        with arrow("pyarrow.parquet").ParquetFile(path) as table:
            for batch in table.iter_batches():
                yield from batch.to_pylist()
        return
    with gzip.open(path) if kind is RowFormat.PACKED else open(path, "rb") as lines:
        yield from map(json.loads, lines)


@contextmanager
def written(path: Path) -> Iterator[BinaryIO]:
    """Write *path* in the block: at any moment it is as it was, or all of it is there."""
    new = path.with_name(f".{path.name}.new")
    with open(new, "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, path)


def joined(kind: RowFormat, parts: Iterable[Path], path: Path, kept: Sequence[str]) -> None:
    """Make *path* of the rows of all *parts*; it appears when it is whole."""
    with written(path) as file:
        if kind is RowFormat.PARQUET:
            parquet = arrow("pyarrow.parquet")
            with parquet.ParquetWriter(file, _schema(kept), compression="zstd") as writer:
                for part in parts:
                    with parquet.ParquetFile(part) as rows:
                        writer.write_table(rows.read())
            return
        for part in parts:
            with open(part, "rb") as lines:
                shutil.copyfileobj(lines, file)
        if kind is RowFormat.PACKED and not file.tell():
            file.write(gzip.compress(b"", mtime=0))
