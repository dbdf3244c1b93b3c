"""A call whose arguments are not JSON, told as JSON while it is being read.

The reader of such a call says one argument after the other, a string piece by piece; what goes
out are the same events as for a call in JSON.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from typing import Any

from ..events import Event, arguments_delta
from ..messages import CallProblem, ProblemKind, Repair, Span, ToolCall
from ..tools.spec import ToolSpec
from .call_draft import CallSetting
from .strict import DUPLICATE_KEY, same_value
from .string_feed import StreamedString

__all__ = ["SpokenCall"]


class SpokenCall:
    """One call of *name*, whose text begins at *start* in the reply.

    *drift* is how it departs from the asked form. ``write`` takes the text it is read from.
    """

    def __init__(
        self,
        setting: CallSetting,
        start: int,
        name: str,
        *,
        id: str = "",
        drift: tuple[Repair, ...] = (),
    ) -> None:
        self._outbox = setting.outbox
        self._limit = setting.limits.characters
        self._start = start
        self._raw = StringIO()
        self._repairs = list(drift)
        self._key = ""
        self._parts: list[str] = []
        self._separator = "{"
        self._fault = ""
        self.name = name
        self.tool: ToolSpec | None = setting.offered.get(name)
        self.arguments: dict[str, Any] = {}
        self._id = self._outbox.new_id(id)
        self.index = self._outbox.started(name, self._id)

    # -- while it is being read -----------------------------------------------------------

    def write(self, text: str) -> None:
        """Take in more of its text."""
        if len(text) > self.room:
            self._fault = f"longer than {self._limit} characters"
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

    def mended(self, repair: Repair) -> None:
        """The call departs from the asked form in this."""
        if repair not in self._repairs:
            self._repairs.append(repair)

    def spoil(self, fault: str) -> None:
        """The call cannot be used; *fault* says why, once all of it has come."""
        self._fault = self._fault or fault

    def key(self, key: str) -> None:
        """An argument begins."""
        self._key = key
        self._tell(f"{self._separator}{_json(key)}: ")
        self._separator = ", "

    def value(self, value: Any) -> None:
        """The argument is *value*."""
        self._tell(_json(value))
        self._keep(value)

    def open_text(self) -> None:
        """The argument is a string, of which the pieces come."""
        self._tell('"')

    def text(self, piece: str) -> None:
        """More of the string."""
        self._parts.append(piece)
        self._tell(_json(piece)[1:-1])

    def close_text(self) -> None:
        """The string is over."""
        self._tell('"')
        self._keep("".join(self._parts))
        self._parts = []

    def streaming(
        self, stop: Callable[[str], int], decode: Callable[[str], str] | None = None
    ) -> StreamedString:
        """The string being read, for the hot path.

        *stop* says how much of a text certainly goes on with it, or -1 if it has to be read;
        *decode* gives what that text stands for, if it does not stand there as it is.
        """
        write, keep, index = self._raw.write, self._parts.append, self.index

        def take(piece: str) -> None:
            write(piece)
            keep(piece)

        def tell(piece: str) -> Event:
            write(piece)
            text = piece if decode is None else decode(piece)
            keep(text)
            return arguments_delta(index, _json(text)[1:-1])

        def make(piece: str) -> Event:
            return arguments_delta(index, _json(piece)[1:-1])

        string = StreamedString(stop, tell, self._raw.tell(), self.room)
        return string if decode else replace(string, take=take, make=make)

    def _tell(self, text: str) -> None:
        self._outbox.arguments(self.index, text)

    def _keep(self, value: Any) -> None:
        if self._key in self.arguments:
            if not same_value(self.arguments[self._key], value):
                self._fault = self._fault or f"the argument {self._key[:80]!r} is given twice"
            self.mended(DUPLICATE_KEY)
        self.arguments[self._key] = value

    # -- when it is over ------------------------------------------------------------------

    def complete(self, *repairs: Repair) -> None:
        """The call is whole, unless it turned out to be too much."""
        if self._fault:
            large = self._fault.startswith("longer")
            self.reject(ProblemKind.TOO_LARGE if large else ProblemKind.MALFORMED, self._fault)
            return
        for repair in repairs:
            self.mended(repair)
        self._tell("{}" if self._separator == "{" else "}")
        raw = self._raw.getvalue()
        span = Span(self._start, self._start + len(raw))
        told = (*self._outbox.repairs, *self._repairs)
        call = ToolCall(self.name, self.arguments, self._id, raw, span, told)
        self._outbox.completed(self.index, call)

    def reject(self, kind: ProblemKind, message: str) -> None:
        """The call cannot be used; *message* is for the model."""
        raw = self._raw.getvalue()
        span = Span(self._start, self._start + len(raw))
        self._outbox.rejected(self.index, CallProblem(kind, message, raw, span, self.name))


_json = json.JSONEncoder(ensure_ascii=False).encode
