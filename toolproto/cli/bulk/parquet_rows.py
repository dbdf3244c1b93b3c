"""Rows that were written as lines of JSON, as a Parquet file.

A Parquet file is whole only when it is finished, so no run could go on with half of one: rows are
gathered as lines, and become Parquet at the end. A value of which the type differs from row to row
(a call's arguments, a kept column) is text there: as it is if it was text, otherwise as JSON.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from .opening import arrow

__all__ = ["write_parquet"]

#: How much becomes one row group: whichever is reached first.
_ROWS = 10_000
_BYTES = 32 * 1024 * 1024


def write_parquet(lines: Path, path: Path, kept: Sequence[str]) -> None:
    """The rows in *lines* as the Parquet file *path*, which appears when it is whole."""
    pa, parquet = arrow("pyarrow", str(path)), arrow("pyarrow.parquet", str(path))
    schema = _schema(pa, kept)
    new = path.with_name(f"{path.name}.new")
    with parquet.ParquetWriter(new, schema, compression="zstd") as writer:
        for group in _groups(lines):
            columns = [_flat(json.loads(line), kept) for line in group]
            writer.write_batch(pa.RecordBatch.from_pylist(columns, schema))
    os.replace(new, path)


def _groups(lines: Path) -> Iterator[list[bytes]]:
    group: list[bytes] = []
    size = 0
    with open(lines, "rb") as file:
        for line in file:
            group.append(line)
            size += len(line)
            if len(group) == _ROWS or size >= _BYTES:
                yield group
                group, size = [], 0
    if group:
        yield group


def _schema(pa: Any, kept: Sequence[str]) -> Any:
    text = pa.string()
    repair = pa.struct([("name", text), ("grade", text), ("detail", text)])
    call = [("id", text), ("name", text), ("arguments", text), ("repairs", pa.list_(repair))]
    problem = [("kind", text), ("name", text), ("message", text), ("raw", text)]
    return pa.schema(
        [
            ("source", text),
            ("row", pa.int64()),
            ("id", text),
            *((name, text) for name in kept),
            ("outcome", text),
            ("calls", pa.list_(pa.struct(call))),
            ("problems", pa.list_(pa.struct(problem))),
            ("text", text),
            ("reasoning", text),
            ("reason", text),
        ]
    )


def _flat(row: dict[str, Any], kept: Sequence[str]) -> dict[str, Any]:
    """*row* as its columns hold it."""
    for name in ("id", *kept):
        row[name] = _as_text(row.get(name))
    for call in row["calls"]:
        call["arguments"] = json.dumps(call["arguments"])
    return {name: _valid(value) for name, value in row.items()}


def _as_text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value)


def _valid(value: Any) -> Any:
    """*value* with half characters, which UTF-8 cannot hold, written out as in ``\\\\ud83d``."""
    match value:
        case str():
            return value.encode("utf-8", "backslashreplace").decode()
        case dict():
            return {key: _valid(each) for key, each in value.items()}
        case list():
            return [_valid(each) for each in value]
    return value
