"""The rows of a piece, as values: what a worker does first."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..errors import UsageError
from .arrow import arrow
from .inputs import Kind, Source
from .offers import decode_json
from .opening import read_whole, too_long
from .pieces import Piece
from .rows import kind

__all__ = ["Place", "loaded", "whole_text"]

_BOM = b"\xef\xbb\xbf"
#: Rows of a table that are made values together.
_TOGETHER = 1024
#: Where a row stands: the file, if anybody asks, and its number.
Place = dict[str, Any]
#: A row's values by name; the text that a whole file is; or why there is nothing.
Loaded = dict[str, Any] | str | ValueError


def loaded(
    piece: Piece, columns: Sequence[str], max_row: int, *, named: bool
) -> Iterator[tuple[Place, Loaded]]:
    """Each row of *piece*, and where it stands; *named*: in which file, too."""
    source = piece.sources[0]
    place = {"source": source.path} if named else {}
    if source.kind is Kind.TEXT:
        for each in piece.sources:
            yield _file(each), whole_text(each, max_row)
    elif piece.fault:
        yield {**place, "row": piece.first}, ValueError(piece.fault)
    else:
        rows = _lines(piece, max_row) if source.kind is Kind.JSONL else _table(piece, columns)
        for number, row in rows:
            yield {**place, "row": number}, row


def whole_text(source: Source, max_row: int) -> str | ValueError:
    """The text in *source*, or why there is none."""
    try:
        return read_whole(source, max_row).removeprefix(_BOM).decode()
    except UnicodeDecodeError as error:
        return ValueError(_no_text(error))
    except ValueError as error:
        return error
    except OSError as error:
        return ValueError(str(error))


def _file(source: Source) -> Place:
    return {} if source.is_stdin else {"source": source.path}


def _no_text(error: UnicodeDecodeError) -> str:
    return f"not UTF-8: {error.reason} at byte {error.start}"


def _lines(piece: Piece, max_row: int) -> Iterator[tuple[int, Loaded]]:
    data = piece.data
    if data is None:
        with open(piece.sources[0].path, "rb") as file:
            file.seek(piece.start)
            data = file.read(piece.size)
    for number, line in enumerate(data.split(b"\n"), piece.first):
        if line and not line.isspace():
            yield number, _line(line.removeprefix(_BOM) if number == 1 else line, max_row)


def _line(line: bytes, max_row: int) -> Loaded:
    if len(line) > max_row:
        return ValueError(too_long(max_row))
    try:
        row = decode_json(line.decode())
    except UnicodeDecodeError as error:
        return ValueError(_no_text(error))
    except json.JSONDecodeError as error:
        return ValueError(f"not JSON: {error.msg} at character {error.pos}")
    except RecursionError:
        return ValueError("nested too deeply to be read")
    except ValueError as error:
        return error
    if not isinstance(row, dict):
        return ValueError(f"a row must be an object, not {kind(row)}")
    return row


def _table(piece: Piece, columns: Sequence[str]) -> Iterator[tuple[int, Loaded]]:
    source = piece.sources[0]
    pa, parquet = arrow("pyarrow", source.path), arrow("pyarrow.parquet", source.path)
    try:
        with parquet.ParquetFile(source.path) as file:
            names = file.schema_arrow.names
            heads = {each if each in names else each.partition(".")[0] for each in columns}
            asked = [name for name in names if name in heads]
            batches = file.iter_batches(_TOGETHER, row_groups=[piece.group], columns=asked)
            yield from enumerate(_sliced(batches, piece.start, piece.size), piece.first)
    except (pa.ArrowException, OSError) as error:
        if getattr(error, "errno", None) is not None:
            raise
        raise UsageError(f"{source.path!r} cannot be read as Parquet: {error}") from None


def _sliced(batches: Iterable[Any], start: int, size: int) -> Iterator[Loaded]:
    """The rows from *start* on; those before are not made values."""
    at = 0
    for batch in batches:
        first, last = max(start - at, 0), min(start + size - at, batch.num_rows)
        if first < last:
            yield from _within(batch.slice(first, last - first))
        at += batch.num_rows
        if at >= start + size:
            return


def _within(batch: Any) -> Iterator[Loaded]:
    try:
        yield from batch.to_pylist()
        return
    except ValueError:  # text that is no UTF-8, for one; it is not known where
        pass
    for number in range(batch.num_rows):
        try:
            yield from batch.slice(number, 1).to_pylist()
        except ValueError as error:
            yield ValueError(f"cannot be read: {error}")
