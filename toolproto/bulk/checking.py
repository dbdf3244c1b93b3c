"""Batches of native calls, held against the tools that were offered."""

from __future__ import annotations

from typing import Any

from ..protocol.errors import UsageError
from ..protocol.messages import ToolCall
from .batches import BatchReader, last_made
from .columns import Result, build, carried, digest, failed, result_of
from .native import Native, native_rows
from .reading import Reading
from .replies import ReadReply
from .rows import column
from .schema import checked_schema

__all__ = ["check_batch"]


def check_batch(batch: Any, reading: Reading) -> Any:
    """The native calls in *batch*, checked as *reading* says: as many rows, in order.

    A call that fits its tool stays as it is, one that can be mended without a doubt is, with a
    repair, and any other is a problem. The columns are those of ``checked_schema``.
    """
    return last_made(_Checker, reading)(batch)


class _Checker:
    def __init__(self, reading: Reading) -> None:
        self._fields = reading.fields
        self._reader = BatchReader(reading)

    def __call__(self, batch: Any) -> Any:
        rows = zip(native_rows(batch, self._fields), column(batch, self._fields.tools), strict=True)
        results = [self._checked(native, tools) for native, tools in rows]
        told = [(outcome, calls, problems, why) for outcome, calls, problems, _, _, why in results]
        columns = [*(zip(*told, strict=True) if told else [()] * 4), [digest(*t) for t in told]]
        return build(checked_schema(), columns, carried(batch, self._fields.kept))

    def _checked(self, native: Native, tools: Any) -> Result:
        if isinstance(native, str):
            return failed(native)
        reply = ReadReply()
        try:
            offer = self._reader.rows.offer(tools)
            for call in native[0]:
                checked = self._reader.replies.checked(call, offer)
                if isinstance(checked, ToolCall):
                    reply.calls.append(checked)
                else:
                    reply.problems.append(checked)
        except (UsageError, ValueError, RecursionError) as error:
            return failed(str(error))
        return result_of(reply)
