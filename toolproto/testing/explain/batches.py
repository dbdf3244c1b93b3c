"""Batches of replies, explained: why each was read as it was."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from ...bulk.arrow import arrow
from ...bulk.batches import BatchReader, last_made
from ...bulk.columns import build, carried, clipped
from ...bulk.reading import ANY, Reading
from ...bulk.rows import ReplyRow
from ...protocol.errors import ToolProtoError
from .as_json import as_json
from .reading import explain_reply

__all__ = ["explain_batch", "explained_schema"]


@cache
def explained_schema() -> Any:
    """Return the columns that ``explain_batch`` gives for each reply."""
    pa = arrow()
    text = pa.string()
    return pa.schema([("verdicts", pa.list_(text)), ("explanation", text), ("reason", text)])


def explain_batch(batch: Any, reading: Reading) -> Any:
    """What stands where in each reply of *batch*, and why: as many rows, in order.

    ``verdicts`` has a word for each thing that looks like a call, and ``explanation`` is what
    ``toolproto explain --json`` writes. It takes some ten times as long as reading does.
    """
    return last_made(_Explainer, reading)(batch)


class _Explainer:
    def __init__(self, reading: Reading) -> None:
        self._fields = reading.fields
        self._reader = BatchReader(reading)

    def __call__(self, batch: Any) -> Any:
        told = [self._told(row) for row in self._reader.rows.rows(batch)]
        columns = list(zip(*told, strict=True)) if told else [()] * 3
        return build(explained_schema(), columns, carried(batch, self._fields.kept))

    def _told(self, row: ReplyRow) -> tuple[list[str], str | None, str | None]:
        if row.fault:
            return [], None, clipped(row.fault)
        if row.paradigm == ANY:
            return [], None, "a reply is explained by the rules of one paradigm; name it"
        try:
            paradigm = self._reader.replies.paradigm(row.paradigm)
            told = explain_reply(row.text, paradigm, row.offer, finish_reason=row.finish_reason)
            text = json.dumps(as_json(told))
        except (ToolProtoError, RecursionError, TypeError, ValueError) as error:
            return [], None, clipped(str(error))
        return [each.verdict.value for each in told.findings], text, None
