"""One piece, read: what a worker does, in whatever process or on whatever machine.

Each row of the piece becomes a row, whatever is in it: what cannot be read is a row that says so.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..protocol.errors import UsageError
from .arrow import arrow
from .batches import BatchReader
from .columns import Result, failed, result_of
from .formats import Format, Place, as_json, encoded, row_of
from .inputs import Kind
from .offers import decode_json
from .opening import too_long
from .pieces import Piece
from .reading import Reading
from .replies import ReadReply
from .rows import MISSING, ReplyRow, kind, value_at
from .tally import Tally

__all__ = ["MAX_ROW", "BulkWork", "Done", "Task"]

#: A longer row is reported and passed over. No reply comes near; a worker needs some ten times it.
MAX_ROW = 16 * 1024 * 1024
#: Rows between two looks for what is no longer used.
_BETWEEN = 512
#: Rows of a table that are made values together.
_TOGETHER = 1024
_BOM = b"\xef\xbb\xbf"

#: A row's values by name; the text that a whole file is; or why there is nothing.
Loaded = dict[str, Any] | str | ValueError


@dataclass(frozen=True, slots=True)
class Task:
    """What is done with every piece: read it as *reading* says, and write it as *format*.

    With *named* each row says in which file it stands, with *bad* those that cannot be read are
    told of apart. A row of more than *max_row* bytes is reported and not read.
    """

    reading: Reading
    format: Format = Format.JSONL
    named: bool = False
    bad: bool = False
    max_row: int = MAX_ROW

    def __post_init__(self) -> None:
        if self.max_row < 1:
            raise UsageError(f"max_row is {self.max_row}; give 1 or more")


class Done(NamedTuple):
    """What came of a piece: its rows as a file holds them, their counts, and the *bad* ones."""

    data: bytes
    tally: Tally
    bad: str


class BulkWork:
    """Reads piece after piece, as *task* says."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._fields = task.reading.fields
        self._reader = BatchReader(task.reading)
        self._kept = [name for name, _ in self._fields.keep]

    def __call__(self, piece: Piece) -> Done:
        """Read every row of *piece*."""
        tally, rows, bad = Tally(), [], []
        for place, reply in self.replies(piece):
            row, result = self._written(place, result_of(reply))
            tally.count(place, result)
            rows.append(row)
            if self._task.bad and result[-1]:
                bad.append(f"{as_json({**place, 'reason': result[-1]})}\n")
            if not len(rows) % _BETWEEN and not gc.isenabled():
                gc.collect(1)
        return Done(encoded(self._task.format, rows, self._kept), tally, "".join(bad))

    def replies(self, piece: Piece) -> Iterator[tuple[Place, ReadReply]]:
        """Yield what each row of *piece* says, and where it stands."""
        for place, row in self._loaded(piece):
            if isinstance(row, dict):
                place |= {name: value_at(row, path, None) for name, path in self._fields.kept}
            yield place, self._reader.read(self._row(row))

    def _loaded(self, piece: Piece) -> Iterator[tuple[Place, Loaded]]:
        for source, text in piece.texts:
            yield {} if source.is_stdin else {"source": source.path}, _text(text)
        if piece.texts:
            return
        place = {"source": piece.source.path} if self._task.named else {}
        for number, row in _rows(piece, self._task.max_row):
            yield {**place, "row": number}, row

    def _row(self, row: Loaded) -> ReplyRow:
        rows, fields = self._reader.rows, self._fields
        if isinstance(row, ValueError):
            return rows.failed(str(row))
        if isinstance(row, str):
            return rows.whole(row)
        said = value_at(row, fields.said)
        if said is MISSING:
            names = ", ".join(list(row)[:20])
            return rows.failed(f"no field {fields.said!r} (--field); there are: {names:.200}")
        others = (fields.tools, fields.paradigm, fields.model, fields.finish_reason)
        return rows.row(said, *(value_at(row, path, None) if path else None for path in others))

    def _written(self, place: Place, result: Result) -> tuple[Any, Result]:
        kind = self._task.format
        try:
            return row_of(kind, place, result, self._kept), result
        except (RecursionError, TypeError, ValueError) as error:
            result = failed(f"cannot be written as JSON: {error}")
            for name in place.keys() - {"source", "row"}:
                del place[name]
            return row_of(kind, place, result, self._kept), result


# -- rows of a piece, as values ---------------------------------------------------------------


def _text(data: bytes | str) -> str | ValueError:
    if isinstance(data, str):
        return ValueError(data)
    try:
        return data.removeprefix(_BOM).decode()
    except UnicodeDecodeError as error:
        return ValueError(_no_text(error))


def _no_text(error: UnicodeDecodeError) -> str:
    return f"not UTF-8: {error.reason} at byte {error.start}"


def _rows(piece: Piece, max_row: int) -> Iterator[tuple[int, Loaded]]:
    if piece.fault:
        yield piece.first, ValueError(piece.fault)
    elif piece.source.kind is Kind.PARQUET:
        yield from enumerate(_table(piece.data, max_row), piece.first)
    else:
        for number, line in enumerate(piece.data.split(b"\n"), piece.first):
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


def _table(data: bytes, max_row: int) -> Iterator[Loaded]:
    for batch in arrow("pyarrow.ipc").open_stream(data):
        for start in range(0, batch.num_rows, _TOGETHER):
            some = batch.slice(start, _TOGETHER)
            try:
                if some.nbytes <= max_row:
                    yield from some.to_pylist()
                    continue
            except ValueError:  # text that is no UTF-8, for one; it is not known where
                pass
            yield from (_one(some.slice(number, 1), max_row) for number in range(some.num_rows))


def _one(row: Any, max_row: int) -> Loaded:
    if row.nbytes > max_row:
        return ValueError(too_long(max_row))
    try:
        values: dict[str, Any] = row.to_pylist()[0]
        return values
    except ValueError as error:
        return ValueError(f"cannot be read: {error}")
