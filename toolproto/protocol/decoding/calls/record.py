"""One call that is told of: its text, its arguments as they come, and how it ends.

What the calls of all families have in common. The reader of a call says one argument after the
other, a string piece by piece, and what goes out is JSON. A call that is itself written as JSON
(`draft.py`) hands its own text on and is read as a whole when it is over.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from io import StringIO
from json.encoder import encode_basestring
from typing import Any, NamedTuple

from ...messages import CallProblem, ProblemKind, Repair, Span, ToolCall
from ...tools.spec import ToolSpec
from ..contract import Limits
from ..faults import MAX_DEPTH
from ..hot_string import StreamedString
from ..markers import Marker
from ..values.repairs import DUPLICATE_KEY
from ..values.strict import same_value, write_json
from ..values.string_stops import SPECIAL_IN_PIECE, quoted_stop
from .names import Head, Offered
from .shape import CallShape
from .sink import CallSink

_NAMED_TWICE = Repair("named_twice")


class CallSetting(NamedTuple):
    """What reading a call depends on, the same for every call of a reply."""

    shape: CallShape
    offered: Offered
    out: CallSink
    limits: Limits
    only_offered: bool = False  # does a call count only if its tool is on offer?

    @property
    def depth(self) -> int:
        """How deep the brackets of a call may nest."""
        return min(self.limits.depth, MAX_DEPTH)


class Beginning(NamedTuple):
    """What is known of calls where they begin, at *start* in the reply.

    *marked* says that a marker stands before them, so that they are meant as calls whatever they
    hold; *repairs* is how they depart from the asked form, and *ends* are markers that no call
    goes on behind. *head* is the name of the tool if that was read before, and *lead* the text of
    it. *indent* is how far the line is indented that they begin in.
    """

    setting: CallSetting
    start: int = 0
    marked: bool = True
    repairs: tuple[Repair, ...] = ()
    ends: tuple[Marker, ...] = ()
    head: Head | None = None
    lead: str = ""
    indent: int = 0

    @property
    def has_closer(self) -> bool:
        """Do they have a marker of their own to end with, beside the one that begins another?"""
        return len(self.ends) > 1


class TextSink:
    """Takes a string piece by piece: as it is, or all as it stands between the quotes of JSON.

    It may stand in the text of the call *around* it, which does not tell of it while it comes.
    """

    _index: int | None = None  # of the call that does

    def __init__(self, around: CallRecord | None = None) -> None:
        self._parts = StringIO()
        self._around = around

    def open_text(self) -> None:
        """A string begins."""
        self._parts = StringIO()
        self._tell('"')

    def text(self, piece: str) -> None:
        """More of it, as it is."""
        self._parts.write(piece)
        self._tell(encode_basestring(piece)[1:-1])

    def quoted(self, piece: str) -> None:
        """More of it, as it stands between the quotes of JSON."""
        self._parts.write(piece)
        self._tell(piece)

    def close_text(self) -> str:
        """It is over, and this is all of it."""
        text, self._parts = self._parts.getvalue(), StringIO()
        self._tell('"')
        self._keep(text)
        return text

    def close_quoted(self) -> str:
        """The same, if its pieces came as in JSON."""
        # Unescaped as a whole: the halves of a surrogate pair may have come apart.
        text = json.loads(f'"{self._parts.getvalue()}"')
        self._parts = StringIO()
        self._parts.write(text)
        return self.close_text()

    def streaming(
        self,
        stop: Callable[[str], int],
        special: re.Pattern[str],
        decode: Callable[[str], str] | None = None,
        *,
        quoted: bool = False,
    ) -> StreamedString | None:
        """The string for the hot path, if a call takes its text: see there for the others."""
        call, keep = self._record, self._parts.write
        if call is None:
            return None
        write = call._raw.write

        def take(piece: str) -> None:
            write(piece)
            keep(piece if decode is None else decode(piece))

        return StreamedString(stop, take, call.room, special, self._index, decode, quoted)

    def streaming_quoted(self) -> StreamedString | None:
        """The same, if its pieces come as in JSON: what is valid there is handed on as it is."""
        return self.streaming(quoted_stop, SPECIAL_IN_PIECE, quoted=True)

    @property
    def _record(self) -> CallRecord | None:
        """The call in whose text it stands."""
        return self._around

    def _tell(self, text: str) -> None:
        """Where the string goes to a call, more JSON of it."""

    def _keep(self, value: Any) -> None:
        """Where the string goes to a call, the argument."""


class CallRecord(TextSink):
    """One call of *name*, whose text begins at *start* in the reply.

    *repairs* is how it departs from the asked form. Without a name it is still to be announced,
    and nothing is told of it before.
    """

    _fault = ""
    _index: int = -1
    _key, _separator = "", "{"
    tool: ToolSpec | None = None

    def __init__(
        self,
        setting: CallSetting,
        start: int,
        name: str = "",
        *,
        id: str = "",
        repairs: tuple[Repair, ...] = (),
    ) -> None:
        super().__init__()
        self._setting, self._out = setting, setting.out
        self._limit = setting.limits.characters
        self._start = start
        self._raw, self._unsent = StringIO(), StringIO()
        self._id = id
        self._repairs = list(repairs)
        self.arguments: dict[str, Any] = {}
        self.name = name
        if name:
            self.announce(id)

    # -- its text -------------------------------------------------------------------------

    def write(self, text: str) -> None:
        """Take in more of its text."""
        if len(text) > self.room:
            self.spoil(f"longer than {self._limit} characters")
        self._raw.write(text[: self.room])  # as much, however it was cut into chunks

    @property
    def raw(self) -> str:
        """Its text so far."""
        return self._raw.getvalue()

    def tail(self, count: int) -> str:
        """The last *count* characters of its text so far."""
        self._raw.seek(max(0, self._raw.tell() - count))
        return self._raw.read()

    @property
    def length(self) -> int:
        """How long its text is so far."""
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

    def announce(self, id: str = "") -> None:
        """It is certain that this is a call of ``name``, which may have given itself an *id*."""
        name = self._own_name
        if self.name == name * 2:
            self.mended(_NAMED_TWICE)
        self.tool = self._setting.offered.get(name)
        self._id = self._out.new_id(id)
        self._index = self._out.started(name, self._id)

    @property
    def _own_name(self) -> str:
        return self._setting.offered.own(self.name)

    def mended(self, *repairs: Repair) -> None:
        """The call departs from the asked form in this."""
        self._repairs += [repair for repair in repairs if repair not in self._repairs]

    @property
    def _record(self) -> CallRecord:
        return self

    def _tell(self, text: str) -> None:
        """More of its arguments, as JSON."""
        self._unsent.write(text)

    def send(self) -> None:
        """Hand out what was told of its arguments, in one piece: it may be thousands."""
        if text := self._unsent.getvalue():
            self._unsent = StringIO()
            self._out.arguments(self._index, text)

    # -- its arguments --------------------------------------------------------------------

    def key(self, key: str) -> None:
        """An argument begins."""
        self._key = key
        self._tell(f"{self._separator}{write_json(key)}: ")
        self._separator = ", "

    def argument(self, key: str, value: Any) -> None:
        """All of an argument at once."""
        self._key = key
        number = type(value) in (int, float)  # written so by JSON, too, but four times as fast
        written = repr(value) if number else write_json(value)
        self._tell(f"{self._separator}{write_json(key)}: {written}")
        self._separator = ", "
        self._keep(value)

    def value(self, value: Any) -> None:
        """The argument is *value*."""
        self._tell(write_json(value))
        self._keep(value)

    def _keep(self, value: Any) -> None:
        if self._key in self.arguments:
            if not same_value(self.arguments[self._key], value):
                self.spoil(f"the argument {self._key[:80]!r} is given twice")
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
        self._complete(self.arguments, self.raw)

    def tell_whole(
        self, written: str, arguments: dict[str, Any], raw: str, repairs: tuple[Repair, ...]
    ) -> None:
        """All of it is there: its *arguments*, as they are *written* in JSON, and its text."""
        self._tell(written)
        self.mended(*repairs)
        self._complete(arguments, raw)

    def reject(self, kind: ProblemKind, message: str) -> None:
        """The call cannot be used; *message* is for the model."""
        self.send()
        raw = self.raw
        problem = CallProblem(kind, message, raw, self._span(raw), self.name or None)
        self._out.rejected(self._index if self.announced else None, problem)

    def _complete(self, arguments: Mapping[str, Any], raw: str) -> None:
        self.send()
        told = (*self._out.repairs, *self._repairs)
        call = ToolCall(self._own_name, arguments, self._id, raw, self._span(raw), told)
        self._out.completed(self._index, call)

    def _span(self, raw: str) -> Span:
        return Span(self._start, self._start + len(raw))
