"""One call while it is being read: what is known of it, and what it turns out to be.

A draft is *marked* when a tag or a wrapper says that it is meant as a call. An unmarked one has to
look like a call to an offered tool before anything is said about it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from io import StringIO
from typing import Any

from ...events import Event, arguments_delta
from ...messages import CallProblem, Grade, ProblemKind, Repair, Span, ToolCall
from ..contract import Limits
from ..families.json_arguments import ArgumentsText, remainder
from ..families.json_tokens import STRING_ENDS, STRING_MARKS, string_stop
from ..reply.events_out import Outbox
from ..reply.hot_string import StreamedString
from ..reply.markers import Marker
from ..values.lenient import read_json
from ..values.strict import Reading, Refusal
from .names import Head
from .offered import Offered
from .shape import CallFields, CallShape, read_arguments, read_fields

__all__ = ["CallDraft", "CallSetting", "Outcome"]

# A tool's own description, repeated by the model, has these where a call has arguments.
_SCHEMA_KEYS = frozenset({"type", "properties", "required", "$schema", "$defs"})
# What is announced as a name before the call is whole: not half of a badly quoted object.
_NAME = re.compile(r"[^\s\"'{}\[\],]{1,128}")
_BRACKETS_AROUND = 3
_ID_KEYS = frozenset({"id", "tool_call_id", "call_id"})


@dataclass(frozen=True, slots=True)
class CallSetting:
    """What reading a call depends on, the same for every call of a reply."""

    shape: CallShape
    offered: Offered
    outbox: Outbox
    limits: Limits
    gated: bool = False  # does a call count only if its tool is on offer?


class Outcome(Enum):
    """What became of a draft."""

    CALL = auto()
    PROBLEM = auto()
    NO_CALL = auto()


class CallDraft:
    """A JSON object that is, or may be, a call.

    With a *head*, which stood in the text *lead* before it, the object is its arguments.
    """

    def __init__(
        self,
        setting: CallSetting,
        start: int,
        marked: bool,
        drift: tuple[Repair, ...] = (),
        *,
        head: Head | None = None,
        lead: str = "",
    ) -> None:
        self._setting = setting
        self._drift = drift
        self._outbox = setting.outbox
        self._start = start - len(lead)
        self._marked = marked
        self._raw = StringIO()
        self._raw.write(lead)
        self._lead = len(lead)
        self._head = head
        self._name: str | None = head.name if head else None
        self._id = head.id if head else ""
        self._described = False
        self._echoes: bool | None = None  # are the arguments a schema? None until it shows
        self._fault = ""
        self._args_start = self._args_end = 0
        self._args_path: tuple[str, ...] = ()  # the members that lead to them
        self._args: ArgumentsText | None = None
        self.index: int | None = None  # once announced
        self.holds_list = False
        self.holds_objects = False  # whose text is not in its own

    # -- while it is being written --------------------------------------------------------

    def write(self, text: str) -> None:
        """Take in more of the object's text."""
        if len(text) > self.room:
            self.spoil(f"longer than {self._setting.limits.characters} characters")
        self._raw.write(text[: self.room])  # as much, however it was cut into chunks

    @property
    def nameless(self) -> bool:
        """Meant as a call, but with nothing in it so far that says of what."""
        return self._marked and self.unnamed and not self.holds_list

    @property
    def unnamed(self) -> bool:
        """Is it still to be said which tool is called?"""
        return self._name is None

    @property
    def room(self) -> int:
        """How many more characters are read."""
        return self._setting.limits.characters - self._raw.tell()

    @property
    def streaming(self) -> StreamedString | None:
        """The string argument that is being read, once the call was announced."""
        if self.index is None:
            return None
        write, make = self._raw.write, partial(arguments_delta, self.index)

        def tell(piece: str) -> Event:
            write(piece)
            return make(piece)

        length, room = self._raw.tell(), self.room
        return StreamedString(
            string_stop, tell, length, room, STRING_MARKS, STRING_ENDS, write, make
        )

    def spoil(self, fault: str) -> None:
        """The call is larger than is read; *fault* says how."""
        self._fault = self._fault or fault

    def member(self, key: str, value: str) -> None:
        """A member whose value is a string: the name, an id, or nothing that matters yet."""
        if key in _ID_KEYS:
            self._id = self._id or value
        elif key == "description":
            self._described = True
        elif self._name is None and self._is_name(key, value):
            self._name = value
            self.announce()

    def _is_name(self, key: str, value: str) -> bool:
        shape, offered = self._setting.shape, self._setting.offered
        if key == shape.name and self._marked:
            return bool(_NAME.fullmatch(value))
        return key in shape.name_keys and offered.any and offered.knows(value)

    def open_arguments(self, at: int, path: tuple[str, ...]) -> ArgumentsText | None:
        """The arguments begin at *at* in the reply; None if they did so before.

        *path* are the members of the object that lead to them.
        """
        if self._args is not None:
            return None
        self._args_start, self._args_path = at, path
        # Behind a head, the whole call may follow instead of its arguments.
        doubtful = self._setting.shape.call_keys if self._head else frozenset()
        self._args = ArgumentsText(at, self._setting.offered.keys(self._name), doubtful)
        return self._args

    def close_arguments(self, end: int) -> None:
        """The arguments end at *end* in the reply."""
        self._args_end = end
        self._echoes = bool(self._echoes)
        self.announce()

    def argument_key(self, key: str) -> None:
        """An argument is named *key*; the first one gives an echoed schema away."""
        if self._echoes is None:
            self._echoes = self._is_schema({key})
            self.announce()

    def _is_schema(self, keys: set[str]) -> bool:
        tool = self._setting.offered.get(self._name) if self._name else None
        own = set(tool.properties) if tool is not None else set()
        return bool(keys & _SCHEMA_KEYS - own)

    def announce(self) -> None:
        """Say that the call has started, as soon as that is certain."""
        if self.index is not None or self._name is None:
            return
        shown = self._echoes is False and not self._described
        if self._marked or shown:
            self._start_call(self._name)

    def _start_call(self, name: str) -> None:
        self._name = name
        self._id = self._outbox.new_id(self._id)
        self.index = self._outbox.started(name, self._id)

    def hand_out(self) -> None:
        """Hand out the arguments that have become certain."""
        if self._args is not None and self.index is not None:
            self._outbox.arguments(self.index, self._args.take())

    # -- when it is over ------------------------------------------------------------------

    def close(self, *, cut: bool = False, ends: Sequence[Marker] = ()) -> tuple[Outcome, str]:
        """The object is over: what it was, and text of it that lies behind its end.

        *cut* says that the reply was ended by a limit, so that nothing missing may be made up.
        A badly quoted object may have run on over one of the markers *ends*.
        """
        raw = self._raw.getvalue()
        if self._fault:
            return self._reject(ProblemKind.TOO_LARGE, self._fault, raw), ""
        reading = self._read(raw, ends)
        if isinstance(reading, Refusal):
            kind = ProblemKind.TRUNCATED if cut else reading.kind
            return self._reject(kind, reading.message, raw), ""
        if cut or not _is_whole(reading):
            return self._reject(ProblemKind.TRUNCATED, "it is cut short, or lacks a value", raw), ""
        fields = self._fields(reading.value)
        outcome = self._settle(fields, raw, reading)
        return outcome, raw[reading.end :]

    def _fields(self, value: Any) -> CallFields | None:
        shape, offered = self._setting.shape, self._setting.offered
        if self._head is None:
            return read_fields(value, shape, offered.knows)
        told = self._args is not None and self._args.told
        tool = offered.get(self._head.name)
        return read_arguments(value, self._head.name, shape, tool, told=told)

    def _read(self, raw: str, ends: Sequence[Marker]) -> Reading | Refusal:
        keys = self._keys()
        reading = read_json(raw, self._lead, keys)
        if _is_whole(reading):
            return reading
        shorter = (read_json(raw[:end], self._lead, keys) for end in _other_ends(raw, ends))
        return next((one for one in shorter if _is_whole(one)), reading)

    def refuse_list(self) -> bool:
        """The object lists something else where calls should be; say so."""
        self._marked = True
        message = f"the list must hold calls, each {self._setting.shape.wants()}"
        return self._reject(ProblemKind.MALFORMED, message, self._raw.getvalue()) is Outcome.PROBLEM

    def _keys(self) -> frozenset[str]:
        shape, offered = self._setting.shape, self._setting.offered
        return shape.leading_keys | (offered.keys(self._name) or frozenset())

    def _settle(self, fields: CallFields | None, text: str, reading: Reading) -> Outcome:
        raw = text[: reading.end]
        if fields is None or fields.arguments is None:
            wants = self._setting.shape.wants()
            return self._reject(ProblemKind.MALFORMED, f"expected {wants}", raw)
        if self.index is None and not self._marked and not self._looks_meant(fields):
            return Outcome.NO_CALL
        if self.index is not None and fields.name != self._name:
            return self._reject(ProblemKind.MALFORMED, "it names two tools", raw)
        unmeant = self._unmeant(fields)
        if unmeant:
            return self._reject(ProblemKind.MALFORMED, unmeant, raw)
        tail = self._rest_of_arguments(text, fields, reading.repairs)
        if tail is None:
            return self._reject(ProblemKind.MALFORMED, self._mismatch(fields), raw)
        if self.index is None:
            self._id = self._id or fields.id
            self._start_call(fields.name)
        assert self.index is not None, "just started"
        self.hand_out()
        self._outbox.arguments(self.index, tail)
        self._outbox.completed(
            self.index,
            ToolCall(
                fields.name,
                fields.arguments,
                self._id,
                raw,
                Span(self._start, self._start + len(raw)),
                (*self._outbox.repairs, *self._drift, *reading.repairs, *fields.repairs),
            ),
        )
        return Outcome.CALL

    def _unmeant(self, fields: CallFields) -> str:
        """Why these can be no arguments, however well they are written; empty if they can."""
        arguments = fields.arguments or {}
        if {"type", "properties"} <= arguments.keys() and self._is_schema({"properties"}):
            return "that is the description of its arguments; give the arguments themselves"
        return ""

    def _looks_meant(self, fields: CallFields) -> bool:
        """Without a marker: a known tool and its arguments, and not the tool's own description."""
        arguments = fields.arguments or {}
        self._name = fields.name
        if self._described or self._is_schema(set(arguments)):
            return False
        if not fields.spoken:
            own = self._setting.offered.keys(fields.name)
            return bool(arguments) and own is not None and own >= arguments.keys()
        asked = not any(repair.name.endswith("_key") for repair in fields.repairs)
        asked = asked and not self._setting.gated
        return self._setting.offered.knows(fields.name) or asked

    def _rest_of_arguments(
        self, raw: str, fields: CallFields, repairs: tuple[Repair, ...]
    ) -> str | None:
        """What is still to be handed out so that the whole is the arguments as JSON."""
        if self._args is None:
            return remainder("", fields.arguments or {})
        sure = self._args.sure(self._start + len(raw)) - self._start
        if not repairs and fields.path == self._args_path and self._args_end:
            return raw[sure : self._args_end - self._start]
        return remainder(raw[self._args_start - self._start : sure], fields.arguments or {})

    def _mismatch(self, fields: CallFields) -> str:
        """Why the arguments that were read are not those that were handed out."""
        if fields.path != self._args_path:
            return "it gives its arguments in two places; give them in one"
        return "a quote in its arguments is missing or not escaped"

    def _reject(self, kind: ProblemKind, message: str, raw: str) -> Outcome:
        """A broken call is a problem, unless nothing says that it was meant as a call."""
        if self.index is None and not self._marked:
            return Outcome.NO_CALL
        self.hand_out()
        span = Span(self._start, self._start + len(raw))
        problem = CallProblem(kind, message, raw, span, self._name)
        self._outbox.rejected(self.index, problem)
        return Outcome.PROBLEM


def _is_whole(reading: Reading | Refusal) -> bool:
    if isinstance(reading, Refusal):
        return False
    return all(repair.grade is not Grade.TRUNCATED for repair in reading.repairs)


def _other_ends(raw: str, ends: Sequence[Marker]) -> Iterator[int]:
    """Where a badly quoted object may have ended instead of running on.

    Before a marker that ends calls, or before the last brackets, if they belong to what is
    around it.
    """
    places = [place for place in (end.find(raw) for end in ends) if place >= 0]
    yield from sorted(places)[:1]
    text = raw.rstrip()
    for _ in range(_BRACKETS_AROUND):
        if not text.endswith(("]", "}")):
            return
        text = text[:-1].rstrip()
        yield len(text)
