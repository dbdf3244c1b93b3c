"""One batch, read: what a worker does.

Each row of the batch becomes one line of JSON, whatever is in it: what cannot be read is a line
that says so.
"""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from ...errors import UsageError
from .batches import Batch, Texts
from .inputs import Source
from .opening import read_whole
from .reading import Reading, too_long
from .replies import ReadReply, ReplyReader
from .rows import Row, read_row
from .tally import Tally

__all__ = ["Done", "Work"]

_BOM = b"\xef\xbb\xbf"
#: Characters of a reason: an error may quote all that it was about.
_LONGEST = 500
_encode = json.JSONEncoder(check_circular=False, allow_nan=False).encode


class Done(NamedTuple):
    """What came of a batch: its lines of output, and what there was in them."""

    data: bytes
    tally: Tally


class Work:
    """Reads batch after batch, as *reading* says; with *several* inputs each row says which."""

    def __init__(self, reading: Reading, several: bool = False) -> None:
        self._reading = reading
        self._several = several
        self._reader = ReplyReader(reading)

    def __call__(self, batch: Batch) -> Done:
        """Every row of *batch*, read."""
        tally = Tally()
        lines: list[str] = []
        for place, row in self._rows(batch):
            told = {**place, **row.told, **self._read(row).told()}
            try:
                line = _encoded(told)
            except (RecursionError, TypeError, ValueError) as error:
                fault = ReadReply(fault=f"cannot be written as JSON: {error}"[:_LONGEST])
                told = {**place, **fault.told()}
                line = _encode(told)
            tally.count(told)
            lines.append(line)
        return Done(self._packed(lines), tally)

    def read_file(self, source: Source) -> tuple[dict[str, Any], ReadReply]:
        """The one reply in *source*, and where it stands."""
        return _place(source), self._read(self._text(source))

    def _rows(self, batch: Batch) -> Iterator[tuple[dict[str, Any], Row]]:
        """Each row, and where it stands."""
        if isinstance(batch, Texts):
            for source in batch.sources:
                yield _place(source), self._text(source)
            return
        place = {"source": batch.source} if self._several else {}
        for number, line in enumerate(batch.data.split(b"\n"), batch.first):
            if number in batch.faults:
                yield {**place, "row": number}, self._fault(batch.faults[number])
            elif line and not line.isspace():
                yield {**place, "row": number}, self._line(line, number)

    def _line(self, line: bytes, number: int) -> Row:
        if len(line) > self._reading.max_row:
            return self._fault(too_long(self._reading.max_row))
        return read_row(line.removeprefix(_BOM) if number == 1 else line, self._reading)

    def _text(self, source: Source) -> Row:
        """The row that a whole file is."""
        try:
            data = read_whole(source, self._reading.max_row)
            return self._row(data.removeprefix(_BOM).decode())
        except UnicodeDecodeError as error:
            return self._fault(f"not UTF-8: {error.reason} at byte {error.start}")
        except (OSError, ValueError) as error:
            return self._fault(str(error))

    def _row(self, text: str, fault: str = "") -> Row:
        asked = self._reading
        return Row(text, asked.offer, asked.paradigm, asked.finish_reason, {}, fault)

    def _fault(self, reason: str) -> Row:
        return self._row("", reason)

    def _read(self, row: Row) -> ReadReply:
        if row.fault:
            return ReadReply(fault=row.fault)
        try:
            return self._reader.read(row.text, row.offer, row.paradigm, row.finish_reason)
        except UsageError as error:
            return ReadReply(fault=str(error)[:_LONGEST])
        except Exception as error:  # a paradigm's that somebody installed: one row, not the run
            return ReadReply(fault=f"reading failed: {type(error).__name__}: {error}"[:_LONGEST])

    def _packed(self, lines: list[str]) -> bytes:
        data = "".join(f"{line}\n" for line in lines).encode()
        return gzip.compress(data, 6, mtime=0) if data and self._reading.packed else data


def _place(source: Source) -> dict[str, Any]:
    return {} if source.is_stdin else {"source": source.path}


def _encoded(told: dict[str, Any]) -> str:
    try:
        return _encode(told)
    except ValueError:  # 1e999 in a column to be kept: JSON has no such number
        return _encode(_finite(told))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
