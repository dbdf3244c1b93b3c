"""Where the arguments of a call go that are not written as JSON: told as JSON while they come.

The reader of such a call says one argument after the other, a string piece by piece; what goes out
are the same events as for a call in JSON.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ...events import Event, arguments_delta
from ...messages import ProblemKind, Repair
from ...tools.spec import ToolSpec
from ..reply.hot_string import StreamedString
from ..values.strict import DUPLICATE_KEY, same_value
from .record import CallRecord, CallSetting

__all__ = ["ArgumentSink", "TextSink"]

# The hot path looks ahead no further than this; what is nearer to the limit is read without it,
# because a call ends there however the text was cut into chunks.
_AHEAD = 512


class TextSink:
    """Takes a string piece by piece: as it is, or all as it stands between the quotes of JSON."""

    def __init__(self) -> None:
        self._parts: list[str] = []

    def open_text(self) -> None:
        """A string begins."""
        self._parts = []
        self._tell('"')

    def text(self, piece: str) -> None:
        """More of it, as it is."""
        self._parts.append(piece)
        self._tell(_json(piece)[1:-1])

    def quoted(self, piece: str) -> None:
        """More of it, as it stands between the quotes of JSON."""
        self._parts.append(piece)
        self._tell(piece)

    def close_text(self) -> str:
        """It is over, and this is all of it."""
        text, self._parts = "".join(self._parts), []
        self._tell('"')
        self._keep(text)
        return text

    def close_quoted(self) -> str:
        """The same, if its pieces came as in JSON."""
        # Unescaped as a whole: the halves of a surrogate pair may have come apart.
        self._parts = [json.loads(f'"{"".join(self._parts)}"')]
        return self.close_text()

    def streaming(
        self, stop: Callable[[str], int], decode: Callable[[str], str] | None = None
    ) -> StreamedString | None:
        """The string for the hot path, if it goes out while it comes."""
        return None

    def streaming_quoted(self) -> StreamedString | None:
        """The same, if its pieces come as in JSON."""
        return None

    def _tell(self, text: str) -> None:
        """Where the string goes to a call, more JSON of it."""

    def _keep(self, value: Any) -> None:
        """Where the string goes to a call, the argument."""


class ArgumentSink(CallRecord, TextSink):
    """One call of *name*, whose text begins at *start* in the reply.

    *drift* is how it departs from the asked form. Without a name it is still to be announced, and
    nothing is told of it before.
    """

    def __init__(
        self,
        setting: CallSetting,
        start: int,
        name: str = "",
        *,
        id: str = "",
        drift: tuple[Repair, ...] = (),
    ) -> None:
        CallRecord.__init__(self, setting, start)
        TextSink.__init__(self)
        self._offered = setting.offered
        self._repairs = list(drift)
        self._key = ""
        self._separator = "{"
        self.tool: ToolSpec | None = None
        self.arguments: dict[str, Any] = {}
        self.name = name
        if name:
            self.announce(id)

    def announce(self, id: str = "") -> None:
        """It is certain that this is a call of ``name``."""
        self.tool = self._offered.get(self.name)
        self._start_call(self.name, id)

    def mended(self, *repairs: Repair) -> None:
        """The call departs from the asked form in this."""
        self._repairs += [repair for repair in repairs if repair not in self._repairs]

    # -- its arguments --------------------------------------------------------------------

    def key(self, key: str) -> None:
        """An argument begins."""
        self._key = key
        self._tell(f"{self._separator}{_json(key)}: ")
        self._separator = ", "

    def argument(self, key: str, value: Any) -> None:
        """All of an argument at once."""
        self._key = key
        number = type(value) in (int, float)  # written so by JSON, too, but four times as fast
        written = repr(value) if number else _json(value)
        self._tell(f"{self._separator}{_json(key)}: {written}")
        self._separator = ", "
        self._keep(value)

    def value(self, value: Any) -> None:
        """The argument is *value*."""
        self._tell(_json(value))
        self._keep(value)

    def streaming(
        self, stop: Callable[[str], int], decode: Callable[[str], str] | None = None
    ) -> StreamedString:
        """The string being read, for the hot path.

        *stop* says how much of a text certainly goes on with it, or -1 if it has to be read;
        *decode* gives what that text stands for, if it does not stand there as it is.
        """

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

        write, keep, index = self._raw.write, self._parts.append, self._index
        string = StreamedString(stop, tell, self.length, self.room - _AHEAD)
        return string if decode else replace(string, take=take, make=make)

    def streaming_quoted(self) -> StreamedString:
        """The same, if its pieces come as in JSON."""
        write, keep = self._raw.write, self._parts.append

        def take(piece: str) -> None:
            write(piece)
            keep(piece)

        return self._stream_quoted(take, self.room - _AHEAD)

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
        self.mended(*repairs)
        self._tell("{}" if self._separator == "{" else "}")
        self._complete(self.name, self.arguments, self.raw, *self._repairs)

    def reject(self, kind: ProblemKind, message: str) -> None:
        """The call cannot be used; *message* is for the model."""
        self._reject(kind, message, self.raw, self.name or None)


_json = json.JSONEncoder(ensure_ascii=False).encode
