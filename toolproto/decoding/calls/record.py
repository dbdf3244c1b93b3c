"""One call that is told of: its text, its place among the calls of a reply, and how it ends.

What the calls of all families have in common. A call written as JSON (`draft.py`) is read again
when it is over; the arguments of any other are told one by one (`sink.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from io import StringIO
from typing import Any

from ...events import Event, arguments_delta
from ...messages import CallProblem, ProblemKind, Repair, Span, ToolCall
from ..contract import Limits
from ..families.json_tokens import STRING_ENDS, STRING_MARKS, string_stop
from ..reply.events_out import Outbox
from ..reply.hot_string import StreamedString
from .offered import Offered
from .shape import CallShape

__all__ = ["CallRecord", "CallSetting"]


@dataclass(frozen=True, slots=True)
class CallSetting:
    """What reading a call depends on, the same for every call of a reply."""

    shape: CallShape
    offered: Offered
    outbox: Outbox
    limits: Limits
    gated: bool = False  # does a call count only if its tool is on offer?


class CallRecord:
    """A call whose text begins at *start* in the reply.

    *lead* is text of it that was read before.
    """

    def __init__(self, setting: CallSetting, start: int, lead: str = "") -> None:
        self._outbox = setting.outbox
        self._limit = setting.limits.characters
        self._start = start
        self._raw = StringIO()
        self._raw.write(lead)
        self._fault = ""
        self._index = -1
        self._id = ""

    # -- its text -------------------------------------------------------------------------

    def write(self, text: str) -> None:
        """Take in more of its text."""
        if len(text) > self.room:
            self._fault = self._fault or f"longer than {self._limit} characters"
        self._raw.write(text[: self.room])  # as much, however it was cut into chunks

    @property
    def raw(self) -> str:
        """Its text so far."""
        return self._raw.getvalue()

    @property
    def length(self) -> int:
        """How many characters of it have been read."""
        return self._raw.tell()

    @property
    def room(self) -> int:
        """How many more characters are read."""
        return self._limit - self._raw.tell()

    def spoil(self, fault: str) -> None:
        """The call cannot be used; *fault* says why, once all of it has come."""
        self._fault = self._fault or fault

    # -- what is told of it ---------------------------------------------------------------

    @property
    def announced(self) -> bool:
        """Was it told that there is this call?"""
        return self._index >= 0

    def _start_call(self, name: str, id: str) -> None:
        self._id = self._outbox.new_id(id)
        self._index = self._outbox.started(name, self._id)

    def _tell(self, text: str) -> None:
        """More of its arguments, as JSON."""
        self._outbox.arguments(self._index, text)

    def _stream_quoted(self, take: Callable[[str], object], room: int) -> StreamedString:
        """The string being read, for the hot path: what is valid in JSON is handed on as it is."""
        make = partial(arguments_delta, self._index)

        def tell(piece: str) -> Event:
            take(piece)
            return make(piece)

        return StreamedString(
            string_stop, tell, self.length, room, STRING_MARKS, STRING_ENDS, take, make
        )

    def _complete(
        self, name: str, arguments: Mapping[str, Any], raw: str, *repairs: Repair
    ) -> None:
        told = (*self._outbox.repairs, *repairs)
        call = ToolCall(name, arguments, self._id, raw, self._span(raw), told)
        self._outbox.completed(self._index, call)

    def _reject(self, kind: ProblemKind, message: str, raw: str, name: str | None) -> None:
        """The call cannot be used; *message* is for the model."""
        problem = CallProblem(kind, message, raw, self._span(raw), name)
        self._outbox.rejected(self._index if self.announced else None, problem)

    def _span(self, raw: str) -> Span:
        return Span(self._start, self._start + len(raw))
