"""Batches of native calls, written as models of some paradigm write them, and read back.

So data with native calls becomes data for any text form. Every row says whether reading its reply
gives the calls it was made of.
"""

from __future__ import annotations

from typing import Any

from ..protocol.errors import ToolProtoError
from ..protocol.messages import Message
from ..protocol.tools.spec import ToolOffer
from .batches import BatchReader, last_made
from .columns import build, carried, clipped
from .native import Native, native_rows
from .reading import ANY, AUTO, Reading
from .rows import MISSING, column
from .schema import encoded_schema

__all__ = ["encode_batch"]

_Told = tuple[str | None, bool | None, str | None]


def encode_batch(batch: Any, reading: Reading) -> Any:
    """The native calls in *batch* as replies in the form of ``reading.paradigm``, or of each row.

    As many rows, in order. ``round_trip`` is whether reading the reply, with the row's tools, gives
    the very calls again and nothing else; ``reason`` says why there is no reply, or what differs.
    The reverse is ``read_batch``.
    """
    return last_made(_Encoder, reading)(batch)


class _Encoder:
    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._reader = BatchReader(reading)

    def __call__(self, batch: Any) -> Any:
        fields = self._reading.fields
        rows = zip(
            native_rows(batch, fields),
            column(batch, fields.tools),
            column(batch, fields.paradigm),
            strict=True,
        )
        told = [self._encoded(*row) for row in rows]
        columns = list(zip(*told, strict=True)) if told else [()] * 3
        return build(encoded_schema(), columns, carried(batch, fields.kept))

    def _encoded(self, native: Native, tools: Any, form: Any) -> _Told:
        if isinstance(native, str):
            return None, None, clipped(native)
        name = self._reading.paradigm if form is None or form is MISSING else str(form)
        try:
            if name in (ANY, AUTO):
                return None, None, f"calls are written in one form; name it instead of {name!r}"
            return self._round(native, self._reader.rows.offer(tools), name)
        except (ToolProtoError, ValueError, RecursionError) as error:
            return None, None, clipped(str(error))
        except Exception as error:  # a paradigm's that somebody installed: one row, not the run
            return None, None, clipped(f"encoding failed: {type(error).__name__}: {error}")

    def _round(self, native: tuple[list[Any], str], offer: ToolOffer, name: str) -> _Told:
        calls, text = native
        paradigm = self._reader.replies.paradigm(name)
        (message,) = paradigm.encode_history([Message("assistant", text, tuple(calls))])
        read = paradigm.parse_response(message.content, offer)
        if read.calls == calls and not read.problems:
            return message.content, True, None
        found = [f"{call.name}({dict(call.arguments)})" for call in read.calls]
        found += [f"a problem: {problem.kind.value}" for problem in read.problems]
        # Some forms do not write whether a value is text: the tool's schema says that.
        hint = "" if offer.tools else "; name its tools: many forms need them to tell types apart"
        told = f"reads back as {'; '.join(found) or 'no call'}"
        return message.content, False, clipped(told[:400] + hint)
