"""Rows as files hold them: lines of JSON, packed or not, and Parquet."""

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

__all__ = ["Format", "Place", "as_json", "encoded", "format_of", "joined", "row_of", "written"]

#: Where a row stands: the file, if anybody asks, its number, and what is carried through with it.
Place = dict[str, Any]

#: A row by the names of its columns.
Columns = dict[str, Any]


def _told(value: Any) -> Any:
    """A value of a table that JSON does not know: a time, a decimal, bytes that are text."""
    if isinstance(value, bytes):
        return value.decode(errors="backslashreplace")
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


_encode = json.JSONEncoder(check_circular=False, allow_nan=False, default=_told).encode


class Format(Enum):
    """What a file of rows is, by the end of its name."""

    JSONL = ".jsonl"
    PACKED = ".jsonl.gz"
    PARQUET = ".parquet"


_NAMES = {
    ".jsonl": Format.JSONL,
    ".ndjson": Format.JSONL,
    ".jsonl.gz": Format.PACKED,
    ".ndjson.gz": Format.PACKED,
    ".parquet": Format.PARQUET,
}


def format_of(path: Path) -> Format:
    """The format that *path* is called after; UsageError if it is called after none."""
    for end, kind in _NAMES.items():
        if path.name.lower().endswith(end):
            return kind
    raise UsageError(
        f"the name {str(path)!r} does not show its format; "
        "use one that ends in .jsonl, .jsonl.gz or .parquet"
    )


def row_of(kind: Format, place: Place, result: Result, kept: Sequence[str]) -> str | Columns:
    """A row as *kind* has it: a line, or its columns. Raises for what JSON cannot hold."""
    return _columns(place, result, kept) if kind is Format.PARQUET else _line(place, result)


def _line(place: Place, result: Result) -> str:
    outcome, calls, problems, text, reasoning, reason = result
    told: dict[str, Any] = {"outcome": outcome, "calls": 0, "problems": problems, "text": text}
    told |= {"reasoning": reasoning, **({"reason": reason} if reason else {})}
    told["digest"] = digest(*result)
    # The arguments are JSON already.
    written = [_call(call) for call in calls]
    head, _, tail = _encode(told).partition('"calls": 0')
    before = f"{as_json(place)[1:-1]}, " if place else ""
    return f'{{{before}{head[1:]}"calls": [{", ".join(written)}]{tail}'


def _call(call: dict[str, Any]) -> str:
    told = _encode({"id": call["id"], "name": call["name"]})[:-1]
    return f'{told}, "arguments": {call["arguments"]}, "repairs": {_encode(call["repairs"])}}}'


def as_json(place: Place) -> str:
    """Where a row stands, and what is carried through with it, as JSON."""
    try:
        return _encode(place)
    except ValueError:  # 1e999 in a column to be kept: JSON has no such number
        return _encode(_finite(place))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_finite(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def encoded(kind: Format, rows: Sequence[Any], kept: Sequence[str] = ()) -> bytes:
    """The bytes of a file with these *rows*, each as :func:`row_of` made it."""
    if kind is Format.PARQUET:
        return _parquet(rows, kept)
    data = "".join(f"{line}\n" for line in rows).encode()
    return gzip.compress(data, 6, mtime=0) if data and kind is Format.PACKED else data


@contextmanager
def written(path: Path) -> Iterator[BinaryIO]:
    """Write *path* in the block: at any moment it is as it was, or all of it is there."""
    new = path.with_name(f".{path.name}.new")
    with open(new, "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, path)


def joined(kind: Format, parts: Iterable[Path], path: Path, kept: Sequence[str]) -> None:
    """Make *path* of the rows of all *parts*; it appears when it is whole."""
    with written(path) as file:
        if kind is Format.PARQUET:
            _join_tables(parts, file, kept)
            return
        for part in parts:
            with open(part, "rb") as rows:
                shutil.copyfileobj(rows, file)
        if kind is Format.PACKED and not file.tell():
            file.write(gzip.compress(b"", mtime=0))


# -- tables -----------------------------------------------------------------------------------


def _schema(kept: Sequence[str]) -> Any:
    pa = arrow()
    text = [(name, pa.string()) for name in ("id", *kept)]
    return pa.schema([("source", pa.string()), ("row", pa.int64()), *text, *result_schema()])


def _columns(place: Place, result: Result, kept: Sequence[str]) -> Columns:
    """A value of which the type differs from row to row is text: as it is, otherwise as JSON."""
    columns: Columns = {name: _text(place.get(name)) for name in ("id", *kept)}
    columns |= {"source": place.get("source"), "row": place.get("row")}
    return columns | dict(zip(RESULTS, (*result, digest(*result)), strict=True))


def _parquet(rows: Sequence[Columns], kept: Sequence[str]) -> bytes:
    pa, parquet = arrow(), arrow("pyarrow.parquet")
    try:
        table = pa.Table.from_pylist(rows, _schema(kept))
    except (UnicodeEncodeError, pa.ArrowInvalid):
        table = pa.Table.from_pylist(valid(list(rows)), _schema(kept))
    sink = pa.BufferOutputStream()
    parquet.write_table(table, sink, compression="zstd")
    return bytes(sink.getvalue())


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else as_json(value)


def _join_tables(parts: Iterable[Path], file: BinaryIO, kept: Sequence[str]) -> None:
    parquet = arrow("pyarrow.parquet")
    with parquet.ParquetWriter(file, _schema(kept), compression="zstd") as writer:
        for part in parts:
            with parquet.ParquetFile(part) as rows:
                for group in range(rows.metadata.num_row_groups):
                    writer.write_table(rows.read_row_group(group))
