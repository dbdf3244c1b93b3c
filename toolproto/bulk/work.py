"""One batch, read: what a worker does, in whatever process or on whatever machine.

Each row becomes a row, whatever is in it: what cannot be read is a row that says so.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from .arrow import arrow
from .batches import BatchReader
from .columns import failed, result_of
from .counts import ReplyCounts
from .files import InputKind, InputRows
from .offers import decode_json
from .outputs import Place, RowFormat, encoded, row_of
from .reading import Reading
from .replies import ReadReply
from .rows import MISSING, ReplyRow, kind, value_at, values
from .schema import RESULTS

__all__ = ["BatchParser", "ParseJob", "ParsedRows"]

_BOM = b"\xef\xbb\xbf"

#: A row's values by name; the text that a whole file is; or why there is nothing.
Loaded = dict[str, Any] | str | ValueError


@dataclass(frozen=True, slots=True)
class ParseJob:
    """What is done with every batch: read it as *reading* says, and write it as *format*.

    With *named* each row says in which file it stands.
    """

    reading: Reading
    format: RowFormat = RowFormat.JSONL
    named: bool = False


class ParsedRows(NamedTuple):
    """What came of a batch: its rows as a file holds them, if it was read now, and their counts."""

    data: bytes | None
    counts: ReplyCounts


class BatchParser:
    """Reads batch after batch, as *job* says."""

    def __init__(self, job: ParseJob) -> None:
        self._job = job
        self._fields = job.reading.fields
        self._reader = BatchReader(job.reading)
        self._kept = [name for name, _ in self._fields.keep]

    def __call__(self, batch: Iterable[InputRows]) -> ParsedRows:
        """Read every row of *batch*."""
        counts, rows = ReplyCounts(), []
        for place, reply in self.replies(batch):
            result = result_of(reply)
            try:
                rows.append(row_of(self._job.format, place, result, self._kept))
            except (RecursionError, TypeError, ValueError) as error:
                result = failed(f"cannot be written as JSON: {error}")
                place = {name: place[name] for name in ("source", "row") if name in place}
                rows.append(row_of(self._job.format, place, result, self._kept))
            counts.count(place | dict(zip(RESULTS, result, strict=False)))
        return ParsedRows(encoded(self._job.format, rows, self._kept), counts)

    def replies(self, batch: Iterable[InputRows]) -> Iterator[tuple[Place, ReadReply]]:
        """Yield what each row of *batch* says, and where it stands."""
        for some in batch:
            is_text, path = some.file.kind is InputKind.TEXT, some.file.path
            named = not some.file.is_stdin if is_text else self._job.named
            for number, row in _rows(some):
                place: Place = {"source": path} if named else {}
                place |= {} if is_text else {"row": number}
                if isinstance(row, dict):
                    kept = self._fields.kept
                    place |= {name: value_at(row, path, None) for name, path in kept}
                yield place, self._reader.read(self._row(row))

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


def _rows(some: InputRows) -> Iterator[tuple[int, Loaded]]:
    for number, data in enumerate(some.data, some.first):
        if isinstance(data, str):
            yield number, ValueError(data)
        elif some.file.kind is InputKind.PARQUET:
            yield from enumerate(_table(data), some.first)
        elif some.file.kind is InputKind.TEXT:
            yield number, _text(data.removeprefix(_BOM))
        elif not data.isspace():
            line = data.removesuffix(b"\n")
            yield number, _object(line.removeprefix(_BOM) if number == 1 else line)


def _table(data: bytes) -> Iterator[dict[str, Any]]:
    table = arrow("pyarrow.ipc").open_stream(data).read_all()
    for row in zip(*map(values, table.columns), strict=True):
        yield dict(zip(table.column_names, row, strict=True))


def _text(data: bytes) -> str | ValueError:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        return ValueError(f"not UTF-8: {error.reason} at byte {error.start}")


def _object(line: bytes) -> Loaded:
    text = _text(line)
    if isinstance(text, ValueError):
        return text
    try:
        row = decode_json(text)
    except json.JSONDecodeError as error:
        return ValueError(f"not JSON: {error.msg} at character {error.pos}")
    except RecursionError:
        return ValueError("nested too deeply to be read")
    except ValueError as error:
        return error
    return row if isinstance(row, dict) else ValueError(f"a row must be an object, not {kind(row)}")
