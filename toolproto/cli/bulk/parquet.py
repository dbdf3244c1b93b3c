"""Rows of a Parquet file, as lines of JSON.

Only the columns somebody asked for are read, one row group after the other.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...errors import UsageError
from .batches import Lines, Position
from .inputs import Source
from .opening import arrow

__all__ = ["cut_rows"]

#: Rows read together; a worker takes about a tenth of a second for them.
_ROWS = 256


def cut_rows(source: Source, start: Position, seen: int, columns: Sequence[str]) -> Iterator[Lines]:
    """The rows of *source* from *start* on; *seen* are the bytes on the disk before it."""
    parquet = arrow("pyarrow.parquet", source.path)
    try:
        with parquet.ParquetFile(source.path) as file:
            known = _known(source.path, columns, file.schema_arrow.names)
            total = max(file.metadata.num_rows, 1)
            for row, batch in _record_batches(file, known, start.row):
                data, faults = _as_lines(batch, row + 1)
                end = row + batch.num_rows
                after = Position(start.source, end, end)
                done = seen + source.size * end // total
                yield Lines(source.path, row + 1, data, after, done, faults)
    except (arrow("pyarrow", source.path).ArrowException, OSError) as error:
        if getattr(error, "errno", None) is not None:
            raise  # the system's, not the file's
        raise UsageError(f"{source.path!r} cannot be read as Parquet: {error}") from None


def _known(path: str, asked: Sequence[str], names: Sequence[str]) -> list[str]:
    """The columns that hold what was *asked*, the first of which cannot be done without."""
    found = {each: each if each in names else each.partition(".")[0] for each in asked}
    if found[asked[0]] not in names:
        raise UsageError(
            f"{path!r} has no column {asked[0]!r}; say --field with one of: {', '.join(names)}"
        )
    return [name for name in names if name in found.values()]


def _record_batches(file: Any, columns: list[str], start: int) -> Iterator[tuple[int, Any]]:
    """Each batch from row *start* on, and the number of rows before it.

    A row group at a time, so that batches never depend on where reading began.
    """
    row = 0
    for group in range(file.metadata.num_row_groups):
        rows = file.metadata.row_group(group).num_rows
        if row + rows <= start:
            row += rows
            continue
        for batch in file.iter_batches(_ROWS, row_groups=[group], columns=columns):
            if row >= start:
                yield row, batch
            row += batch.num_rows


def _as_lines(batch: Any, first: int) -> tuple[bytes, dict[int, str]]:
    """The rows as lines, and what is wrong with those that cannot be any."""
    faults: dict[int, str] = {}
    try:
        lines = [_line(row) for row in batch.to_pylist()]
    except (ValueError, TypeError):  # text that is no UTF-8, for one; it is not known where
        lines, faults = _line_by_line(batch, first)
    return "".join(f"{line}\n" for line in lines).encode(), faults


def _line_by_line(batch: Any, first: int) -> tuple[list[str], dict[int, str]]:
    lines: list[str] = []
    faults: dict[int, str] = {}
    for number in range(batch.num_rows):
        try:
            lines += [_line(row) for row in batch.slice(number, 1).to_pylist()]
        except (ValueError, TypeError) as error:
            lines.append("")
            faults[first + number] = f"cannot be read: {error}"
    return lines, faults


def _line(row: Mapping[str, Any]) -> str:
    return json.dumps(row, default=_plain, ensure_ascii=False)


def _plain(value: Any) -> Any:
    """A value that JSON does not know: a time, a decimal, bytes that are text."""
    if isinstance(value, bytes):
        return value.decode()
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
