"""One piece, read: what a worker does, in whatever process or on whatever machine.

Each row of the piece becomes a row, whatever is in it: what cannot be read is a row that says so.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..errors import UsageError
from .batches import BatchReader
from .columns import Result, failed, result_of
from .formats import Format, as_json, encoded, row_of
from .inputs import Source
from .loading import Loaded, Place, loaded, whole_text
from .parts import Parts
from .pieces import Piece
from .reading import Reading
from .replies import ReadReply
from .rows import MISSING, Row, value_at
from .tally import Tally

__all__ = ["MAX_ROW", "Done", "Task", "Work"]

#: A longer row is reported and passed over. No reply comes near; a worker needs some ten times it.
MAX_ROW = 16 * 1024 * 1024
#: Rows between two looks for what is no longer used.
_BETWEEN = 512


@dataclass(frozen=True, slots=True)
class Task:
    """What is done with every piece: read it as *reading* says, and write it to *parts*.

    Without *parts* the rows come back as lines. With *named* each row says in which file it stands,
    with *bad* those that cannot be read are told of apart. A row of more than *max_row* bytes is
    reported and not read.
    """

    reading: Reading
    parts: Parts | None = None
    named: bool = False
    bad: bool = False
    max_row: int = MAX_ROW

    def __post_init__(self) -> None:
        if self.max_row < 1:
            raise UsageError(f"max_row is {self.max_row}; give 1 or more")


class Done(NamedTuple):
    """What came of piece *number*: the rows in it, and their lines if nobody has written them."""

    number: int
    tally: Tally
    data: bytes = b""


class Work:
    """Reads piece after piece, as *task* says."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._fields = task.reading.fields
        self._reader = BatchReader(task.reading)
        self._kind = task.parts.kind if task.parts else Format.JSONL
        self._kept = [name for name, _ in self._fields.keep]

    def __call__(self, piece: Piece) -> Done:
        """Every row of *piece*, read and written."""
        tally, parts = Tally(), self._task.parts
        rows: list[Any] = []
        bad: list[dict[str, Any]] = []
        for place, result in self._results(piece):
            row, result = self._written(place, result)
            tally.count(place, result)
            rows.append(row)
            if self._task.bad and result[-1]:
                bad.append({**place, "reason": result[-1]})
            if not len(rows) % _BETWEEN and not gc.isenabled():
                gc.collect(1)
        data = encoded(self._kind, rows, self._kept)
        if parts is None:
            return Done(piece.number, tally, data)
        told = "".join(f"{as_json(each)}\n" for each in bad)
        parts.write(piece.number, data, told.encode(), tally)
        return Done(piece.number, tally)

    def read_file(self, source: Source) -> tuple[Place, ReadReply]:
        """The one reply in *source*, and where it stands."""
        place = {} if source.is_stdin else {"source": source.path}
        return place, self._reader.read(self._row(whole_text(source, self._task.max_row)))

    def _results(self, piece: Piece) -> Iterator[tuple[Place, Result]]:
        """What came of each row, and where it stands."""
        task = self._task
        for place, row in loaded(piece, self._fields.paths, task.max_row, named=task.named):
            if isinstance(row, dict):
                place |= {name: value_at(row, path, None) for name, path in self._fields.kept}
            yield place, result_of(self._reader.read(self._row(row)))

    def _row(self, row: Loaded) -> Row:
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
        try:
            return row_of(self._kind, place, result, self._kept), result
        except (RecursionError, TypeError, ValueError) as error:
            result = failed(f"cannot be written as JSON: {error}")
            for name in place.keys() - {"source", "row"}:
                del place[name]
            return row_of(self._kind, place, result, self._kept), result
