"""The arguments of one native call: handed on as JSON while they come, and mended.

Services send them as text, and what a model wrote is no better JSON there than elsewhere: the
reader of calls in JSON that are written as text reads them here, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..decoding.calls.draft import TWO_PLACES
from ..decoding.calls.names import Head
from ..decoding.calls.record import Beginning, CallRecord, CallSetting
from ..decoding.calls.shape import as_object
from ..decoding.families.json_calls import JsonCalls
from ..decoding.hot_string import StringFeed, string_feed
from ..decoding.reply.events_out import EventsOut
from ..decoding.values.lenient import read_all, read_json
from ..decoding.values.repairs import STRAY_TEXT
from ..decoding.values.strict import Reading, same_value, write_json
from ..events import ArgumentsDelta, Event
from ..messages import CallProblem, ProblemKind, Repair, ToolCall

__all__ = ["MENDED", "Arguments"]

#: Of a call whose arguments were not JSON as the service should have sent it.
MENDED = Repair("native_arguments_mended")


class Arguments:
    """Reads the arguments of a call, and tells *out* of the call while they come.

    *name* is its tool and *repairs* is what that name needed; *id* is the one it wants. The tool
    may be called without any if *may_be_empty*.
    """

    def __init__(
        self,
        setting: CallSetting,
        out: EventsOut,
        name: str,
        id: str,
        repairs: Sequence[Repair],
        *,
        may_be_empty: bool,
    ) -> None:
        self._told = _Told()
        self._ending = _Ending(out, tuple(repairs), self._told)
        self._setting = setting._replace(out=self._ending)
        self._name, self._id, self._may_be_empty = name, out.new_id(id), may_be_empty
        self._ending.index = out.started(name, self._id)
        self._json: JsonCalls | None = None
        self._rest, self._base = "", 0  # of the text in JSON: what is still to be read, and where
        self._string: StringFeed | None = None  # while a string argument is being read
        self._others: list[str] = []  # text that is no object, or stands behind it
        self._room = setting.limits.characters
        self._values: list[Any] = []

    @property
    def has_begun(self) -> bool:
        """Has any of them come?"""
        return bool(self._json or self._others or self._values)

    @property
    def is_told(self) -> bool:
        """Were they told of, or is it known what is wrong with them?"""
        return self._told.has_begun

    @property
    def is_whole(self) -> bool:
        """Are they complete, whatever may follow?"""
        return bool(self._values) or (self._json is not None and self._json.done)

    @property
    def holding(self) -> bool:
        """Is something of them held back?"""
        return self._told.lags or bool(self._others)

    @property
    def changed(self) -> bool:
        """Was something told otherwise than it came?"""
        return self._told.differs

    def take(self, more: Any) -> None:
        """Read *more*: text, or all of them as a value."""
        if not isinstance(more, str):
            self._take_value(more)
        elif self._json is not None and not self._json.done:
            self._read(more)
        elif self._json is not None or self._others:
            self._keep(more)
        elif text := more.lstrip():
            # LiteLLM and others send "{}" first, and then what the arguments really are.
            is_empty = text.rstrip() == "{}" and not self._may_be_empty
            if text[0] == "{" and not is_empty:
                head = Head(self._name, self._id, 0)
                self._json = JsonCalls(Beginning(self._setting, head=head))
                self._read(text)
            else:
                self._keep(text)

    @property
    def index(self) -> int:
        """The number that the call was told of with."""
        return self._ending.index

    def finish(self) -> ToolCall | CallProblem:
        """Return the call, or what is wrong with it.

        What was left out where the tool needs it, or is no object, was not told of: the check says
        of such a call what is wrong.
        """
        if self._string is not None:
            (self._base, self._rest), self._string = self._string.leave(), None
        if self._json is not None and not self._json.done:
            self._json.feed(self._rest, 0, self._base, final=True)
        elif self._json is None and not self._values:
            self._tell_text("".join(self._others).strip().removeprefix("{}").lstrip())
        if self._ending.problem is not None:
            return self._ending.problem
        assert self._ending.call is not None, "what was read to its end is a call, or a problem"
        return self._settled(self._ending.call)

    def _read(self, text: str) -> None:
        self._told.came(text)
        if self._string is None:
            self._parse(text)
            return
        for event in self._string.feed(text):
            if isinstance(event, ArgumentsDelta):
                self._ending.arguments(event.index, event.text)

    def _parse(self, text: str) -> list[Event]:
        """Read *text*, which does not only go on with a string."""
        assert self._json is not None, "their first bracket was read"
        if self._string is not None:
            (self._base, self._rest), self._string = self._string.leave(), None
        text = self._rest + text
        stop = self._json.feed(text, 0, self._base, final=False)
        self._rest, self._base = text[stop:], self._base + stop
        if self._json.done:
            behind, self._rest = self._json.pushback + self._rest, ""
            self._told.is_over()
            self._keep(behind)
        elif (string := self._json.streaming) is not None:
            self._string = string_feed(string, self._base, self._rest, self._parse)
        return []

    def _keep(self, text: str) -> None:
        if text.strip() and self._room > 0:
            self._others.append(text[: self._room])
            self._room -= len(text)

    def _take_value(self, value: Any) -> None:
        if value is None:
            return
        self._values.append(value)
        if len(self._values) == 1:
            self._told.came(write_json(value))
            self._tell(value, "", [])

    def _tell_text(self, text: str) -> None:
        """All of them are *text*, which begins with no bracket of an object."""
        reading = read_all(text)
        repairs = list(reading.repairs) if reading else []
        self._tell(reading.value if reading else text, text, repairs)

    def _tell(self, value: Any, raw: str, repairs: list[Repair]) -> None:
        """All of them are *value*, in text *raw*, which took *repairs* to read."""
        arguments = as_object(value, repairs)
        if arguments is None:
            self._ending.call = ToolCall(self._name, value, self._id, raw)
            return
        if arguments or self._may_be_empty:
            record = CallRecord(self._setting, 0, self._name, id=self._id)
            record.tell_whole(write_json(arguments), arguments, raw, tuple(repairs))
        else:
            self._ending.call = ToolCall(self._name, arguments, self._id, raw)

    def _settled(self, call: ToolCall) -> ToolCall | CallProblem:
        """*call* with what came behind it."""
        known = call.arguments
        if any(not same_value(value, self._values[0]) for value in self._values[1:]):
            return self._in_two_places(call)
        behind = "".join(self._others).strip() if self._json is not None or self._values else ""
        while behind[:1] == "{" and isinstance(reading := read_json(behind), Reading):
            if not same_value(reading.value, known):
                return self._in_two_places(call)
            behind = behind[reading.end :].strip(" \t\r\n,;")
        stray = (STRAY_TEXT,) if behind else ()
        self._told.differs = self._told.differs or bool(self._others)
        repairs = (*call.repairs[len(self._ending.repairs) :], *stray)
        mended = (MENDED,) if repairs or self._told.differs else ()
        return replace(call, repairs=(*self._ending.repairs, *mended, *repairs))

    def _in_two_places(self, call: ToolCall) -> CallProblem:
        raw = call.raw + "".join(self._others)
        return CallProblem(ProblemKind.MALFORMED, TWO_PLACES, raw, name=call.name)


class _Told:
    """What came of the arguments, beside what was told of them: is it the same?"""

    def __init__(self) -> None:
        self._untold: list[str] = []
        self.has_begun = self.differs = False

    @property
    def lags(self) -> bool:
        """Has something come that was not told yet?"""
        return any(map(str.strip, self._untold))

    def came(self, text: str) -> None:
        """More of them came."""
        self._untold.append(text)

    def tell(self, text: str) -> None:
        """More of them was told."""
        untold = "".join(self._untold)
        self.differs = self.differs or not untold.startswith(text)
        self.has_begun, self._untold = True, [untold[len(text) :]]

    def is_over(self) -> None:
        """What came and was not told is none of them."""
        self._untold = []


class _Ending:
    """Hands on what is told of one call, but for its end: more of it may come."""

    def __init__(self, out: EventsOut, repairs: tuple[Repair, ...], told: _Told) -> None:
        self._out, self._told = out, told
        self.repairs = repairs
        self.call: ToolCall | None = None
        self.problem: CallProblem | None = None
        self.index = -1

    @property
    def cut(self) -> bool:
        """Was the answer ended by a limit?"""
        return self._out.cut

    @property
    def rereads(self) -> int:
        """How many strings were read again to a nearer end."""
        return self._out.rereads

    @rereads.setter
    def rereads(self, rereads: int) -> None:
        self._out.rereads = rereads

    def new_id(self, wanted: str = "") -> str:
        """Return the id that the call has: it was told of when its tool was known."""
        return wanted

    def started(self, name: str, id: str) -> int:
        """Return its number, likewise."""
        return self.index

    def arguments(self, index: int, text: str) -> None:
        """Tell more of its arguments."""
        self._told.tell(text)
        self._out.arguments(index, text)

    def completed(self, index: int, call: ToolCall) -> None:
        """Keep the whole call."""
        self.call = call

    def rejected(self, index: int | None, problem: CallProblem) -> None:
        """Keep why it cannot be used."""
        self.problem = problem

    def rejected_text(self, kind: ProblemKind, message: str, raw: str, start: int) -> None:
        """Keep why *raw* cannot be used."""
        self.problem = CallProblem(kind, message, raw)
