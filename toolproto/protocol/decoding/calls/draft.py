"""One call while it is being read: what is known of it, and what it turns out to be.

A draft is *marked* when a tag or a wrapper says that it is meant as a call. An unmarked one has to
look like a call to an offered tool before anything is said about it.

The text of its arguments is handed out as soon as no later character can change what it means, for
as long as it is strict JSON. Inside a string that is at once. A closing quote is different: a model
that forgets to escape one has not closed anything, so the quote and what follows wait until the
next string or container has begun. Past the first token that strict JSON would not have, nothing
more is handed out until all of the call was read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import islice
from typing import Any

from ...messages import Grade, ProblemKind, Repair
from ..faults import Refused
from ..hot_string import StreamedString
from ..values.repairs import DUPLICATE_KEY, MISSING_QUOTE
from ..values.strict import write_json
from ..values.string_stops import SPECIAL_IN_STRING, string_stop, structural_tail
from .record import Beginning, CallRecord, CallSetting
from .shape import ID_KEYS, CallFields, fit_to_tool, read_arguments, read_fields

# A tool's own description, repeated by the model, has these where a call has arguments.
_SCHEMA_KEYS = frozenset({"type", "properties", "required", "$schema", "$defs"})
# What is announced as a name before the call is whole: not half of a badly quoted object.
_NAME = re.compile(r"[^\s\"'{}\[\],]{1,128}")
# Why the arguments that were read are not those that were handed out.
_BAD_QUOTE = "a quote in its arguments is missing or not escaped"
#: Why a call with two different objects of arguments is none.
TWO_PLACES = "it gives its arguments in two places; give them in one"


class CallDraft(CallRecord):
    """A JSON object that is, or may be, a call.

    With a head before it, the object is its arguments.
    """

    def __init__(self, begun: Beginning) -> None:
        start = begun.start - len(begun.lead)
        super().__init__(begun.setting, start, repairs=begun.repairs)
        self._raw.write(begun.lead)
        self._marked = begun.marked
        self._head = begun.head
        if begun.head is not None:
            self.name, self._id = begun.head.name, begun.head.id
        self._described = False
        self._echoes: bool | None = None  # are the arguments a schema? None until it shows
        self._args_path: tuple[str, ...] | None = None  # the members that lead to them
        self._known: frozenset[str] | None = None  # the only keys they may have, if told
        # Where in its text: what was handed out, and what is certain, but for an open string.
        self._args_start = self._args_end = self._told = self._certain_to = 0
        # What follows there: reading it back from a StringIO would blow that up fourfold.
        self._untold: list[str] = []
        self._respelled: dict[int, str] = {}  # where something is handed out in another spelling
        self.certain = False  # is what comes now handed out?
        self._in_string = False  # of such arguments: a value, not a key
        self._tail = ""  # of that string: perhaps not part of it, if its closing quote is missing
        self.holds_list = False

    # -- while it is being written --------------------------------------------------------

    @property
    def nameless(self) -> bool:
        """Meant as a call, but with nothing in it so far that says of what."""
        return self._marked and not self.name and not self.holds_list

    @property
    def has_arguments(self) -> bool:
        """Have its arguments begun?"""
        return self._args_path is not None

    def write(self, text: str) -> None:
        super().write(text)
        if self.certain or self._certain_to > self._told:
            self._untold.append(text)

    def unwrite(self, count: int) -> None:
        """The last *count* characters of its text will be read, and written, again."""
        self._raw.seek(self.length - count)
        self._raw.truncate()

    def member(self, key: str, value: str) -> None:
        """A member whose value is a string: the name, an id, or nothing that matters yet."""
        if key in ID_KEYS:
            self._id = self._id or value
        elif key == "description":
            self._described = True
        elif not self.name and is_name(self._setting, self._marked, key, value):
            self.name = value
            self.tell_early()

    def open_arguments(self, path: tuple[str, ...]) -> None:
        """The arguments begin at the end of its text; *path* are the members that lead to them."""
        self._args_start = self._told = self._certain_to = self.length
        self._known = self._setting.offered.keys(self.name)
        self._args_path, self.certain = path, True

    def close_arguments(self, end: int) -> None:
        """The arguments end at *end* in its text."""
        self._certain_to, self._args_end, self.certain = self._certain_end(), end, False
        self._echoes = bool(self._echoes)
        self.tell_early()

    def argument_key(self, key: str) -> None:
        """An argument is named *key*; the first one gives an echoed schema away.

        Behind an odd one nothing is certain: it may be inside a badly quoted string.
        """
        if self._echoes is None:
            self._echoes = self._is_schema({key})
            self.tell_early()
        known = self._known
        # Behind a head, the whole call may follow instead of its arguments.
        whole = self._head is not None and key in self._setting.shape.call_keys
        if whole if known is None else key not in known:
            self.certain = False

    def _is_schema(self, keys: set[str]) -> bool:
        tool = self._setting.offered.get(self.name) if self.name else None
        own = set(tool.properties) if tool is not None else set()
        return bool(keys & _SCHEMA_KEYS - own)

    def tell_early(self) -> None:
        """Say that the call has started, as soon as that is certain."""
        meant = self._marked or (self._echoes is False and not self._described)
        if self.name and not self.announced and meant:
            self.announce(self._id)

    # -- how much of its arguments is certain ---------------------------------------------

    def streaming_value(self, parts: list[str]) -> StreamedString | None:
        """The string value in which reading stands, if it is certain as it comes: for *parts*."""
        if not (self._in_string and self.certain and self.announced) or self._tail:
            return None

        def take(piece: str) -> None:
            if piece:
                self._raw.write(piece)
                self._told += len(piece)
                parts.append(piece)

        return StreamedString(
            string_stop, take, self.room, SPECIAL_IN_STRING, self._index, quoted=True
        )

    def confirm(self, end: int) -> None:
        """A container has begun: all is certain up to *end*."""
        self._certain_to = end

    def begin_string(self) -> None:
        """A string value begins."""
        self._in_string = True

    def more(self, text: str) -> None:
        """More of a string value: certain but for its tail."""
        self._tail = structural_tail(self._tail + text)

    def controls(self, text: str, at: int) -> None:
        """More of a string value, at *at*: characters that JSON would have escaped."""
        self._respelled |= {at + i: json.dumps(char)[1:-1] for i, char in enumerate(text)}

    def end_string(self, at: int) -> None:
        """A string value ends at *at*, perhaps."""
        self._in_string = False
        self._certain_to = at - len(self._tail)
        self._tail = ""

    def fault(self, at: int) -> None:
        """At *at* stands what JSON does not have in a string: behind that nothing is certain."""
        if self._in_string:
            self._certain_to = at - len(self._tail)
        self.certain = False

    def _certain_end(self) -> int:
        """Where certainty ends: always inside a string, or just behind an opened bracket."""
        is_open = self._in_string and self.certain
        return self.length - len(self._tail) if is_open else self._certain_to

    def hand_out(self) -> None:
        """Hand out the arguments that have become certain."""
        # A call that is too long is handed out as far as it is kept.
        start, end = self._told, min(self._certain_end(), self.length)
        if end > start and self.announced:
            text = "".join(self._untold)
            self._untold = [text[end - start :]] if self.certain else []
            self._told, text = end, text[: end - start]
            if self._respelled:
                chars = enumerate(text, start)
                text = "".join([self._respelled.pop(place, char) for place, char in chars])
            self._tell(text)
            self.send()

    # -- when it is over ------------------------------------------------------------------

    def close(
        self, value: Any, repairs: tuple[Repair, ...], fault: Refused | None, *, cut: bool
    ) -> bool:
        """The object is over: was it meant as a call?

        It says *value*, with *repairs*, unless there is a *fault*. *cut* says that the reply was
        ended by a limit, so that nothing missing may be made up.
        """
        if self._fault:
            return self._refuse(self._fault, ProblemKind.TOO_LARGE)
        if fault is not None:
            return self._refuse(fault.message, ProblemKind.TRUNCATED if cut else fault.kind)
        if cut or any(repair.grade is Grade.TRUNCATED for repair in repairs):
            return self._refuse("it is cut short, or lacks a value", ProblemKind.TRUNCATED)
        return self._settle(self._fields(value), repairs)

    def _fields(self, value: Any) -> CallFields | None:
        shape, offered = self._setting.shape, self._setting.offered
        if self._head is None:
            fields = read_fields(value, shape, offered.knows)
        else:
            tool, told = offered.get(self._head.name), self._certain_end() > self._args_start + 1
            fields = read_arguments(value, self._head.name, shape, tool, told=told)
        if fields is None:
            return None
        return fit_to_tool(fields, value, shape, offered.keys(fields.name))

    def refuse_list(self) -> bool:
        """The object lists something else where calls should be; say so."""
        self._marked = True
        return self._refuse(f"the list must hold calls, each {self._setting.shape.wants()}")

    def refuse_others(self) -> None:
        """Another call begins inside the object: if this one was announced, it is refused."""
        if self.announced:
            self._refuse("it has other calls in it; write each call by itself")

    def keys(self) -> frozenset[str]:
        """The keys that may be expected in it."""
        shape, offered = self._setting.shape, self._setting.offered
        return shape.leading_keys | (offered.keys(self.name) or frozenset())

    def _settle(self, fields: CallFields | None, repairs: tuple[Repair, ...]) -> bool:
        if fields is None or fields.arguments is None:
            return self._refuse(f"expected {self._setting.shape.wants()}")
        if not self.announced and not self._marked and not self._looks_meant(fields):
            return False
        if self.announced and fields.name != self.name:
            return self._refuse("it names two tools")
        if unmeant := self._unmeant(fields, repairs):
            return self._refuse(unmeant)
        raw = self.raw
        tail = self._rest_of_arguments(raw, fields, repairs)
        if tail is None:
            return self._refuse(_BAD_QUOTE if fields.path == self._args_path else TWO_PLACES)
        if not self.announced:
            self.name = fields.name
            self.announce(self._id or fields.id)
        self.hand_out()
        self._tell(tail)
        self.mended(*repairs, *fields.repairs)
        self._complete(fields.arguments, raw)
        return True

    def _unmeant(self, fields: CallFields, repairs: tuple[Repair, ...]) -> str:
        """Why this can be no call, however well it is written; empty if it can."""
        arguments = fields.arguments or {}
        if not (fields.spoken or arguments) and MISSING_QUOTE in repairs:
            return "" if self._setting.offered.knows(fields.name) else "its name has no end"
        if {"type", "properties"} <= arguments.keys() and self._is_schema({"properties"}):
            return "that is the description of its arguments; give the arguments themselves"
        return ""

    def _looks_meant(self, fields: CallFields) -> bool:
        """Without a marker: a known tool and its arguments, and not the tool's own description."""
        arguments = fields.arguments or {}
        self.name = fields.name
        if self._described or self._is_schema(set(arguments)):
            return False
        tool = self._setting.offered.get(fields.name)
        if not fields.spoken and not arguments:  # xLAM, asked for a list, leaves out that it is so
            asked = self._setting.shape.listed and not self._repairs
            self.mended(Repair("empty_arguments"))
            return asked and tool is not None and not tool.required
        if not fields.spoken:
            return tool is not None and tool.properties.keys() >= arguments.keys()
        asked = not any(repair.name.endswith("_key") for repair in fields.repairs)
        asked = asked and not self._setting.only_offered
        return self._setting.offered.knows(fields.name) or asked

    def _rest_of_arguments(
        self, raw: str, fields: CallFields, repairs: tuple[Repair, ...]
    ) -> str | None:
        """What is still to be handed out so that the whole is the arguments as JSON."""
        if self._args_path is None:
            return remainder("", fields.arguments or {})
        end = self._certain_end()
        strict = all(repair is DUPLICATE_KEY for repair in repairs)
        if strict and fields.as_written and fields.path == self._args_path and self._args_end:
            return raw[end : self._args_end]
        return remainder(raw[self._args_start : end], fields.arguments or {})

    def _refuse(self, message: str, kind: ProblemKind = ProblemKind.MALFORMED) -> bool:
        """A broken call is a problem, unless nothing says that it was meant as a call."""
        meant = self.announced or self._marked
        if meant:
            self.hand_out()
            self.reject(kind, message)
        return meant


def looks_like_schema(arguments: Mapping[str, Any]) -> bool:
    """May these be the description of a tool's arguments, for all that is in them?"""
    return not _SCHEMA_KEYS.isdisjoint(arguments)


def is_name(setting: CallSetting, marked: bool, key: str, value: str) -> bool:
    """Does the member *key* say that the tool *value* is called?"""
    shape, offered = setting.shape, setting.offered
    if key == shape.name and marked:
        return bool(_NAME.fullmatch(value))
    has_end = value.rstrip(" ")[-1:] not in ",\n"  # or its closing quote was lost
    return key in shape.name_keys and has_end and offered.has(value)


# -- what is missing of arguments whose beginning was handed out -------------------------------

_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*"?|[{}\[\],:]|[^\s"{}\[\],:]++', re.DOTALL)
_loads = json.JSONDecoder(strict=False).decode


def remainder(prefix: str, value: Mapping[str, Any]) -> str | None:
    """What must follow *prefix*, the certain beginning of an object, for the whole to be *value*.

    That is up to inside a string, or just behind an opened bracket. None where *value* does not
    begin that way.
    """
    whole, begun, count = write_json(value), "", 0
    for token in _TOKEN.finditer(prefix):
        begun, count = token.group(), count + 1
    if not count:
        return whole
    # As we write it, it has the same tokens: so many of them are there, the last one in part.
    last = next(islice(_TOKEN.finditer(whole), count - 1, None), None)
    if last is None:
        return None
    rest = whole[last.end() :]
    try:
        if begun[0] == '"':
            rest = _rest_of_string(_loads(f'{begun}"'), _loads(last.group())) + rest
        return rest if _loads(prefix + rest) == value else None
    except (ValueError, TypeError, RecursionError):
        return None


def _rest_of_string(begun: str, whole: Any) -> str:
    """The rest of the string and its closing quote, as JSON."""
    if not isinstance(whole, str):
        raise TypeError("no string")
    if whole.startswith(begun):
        return write_json(whole[len(begun) :])[1:]
    # The prefix may end between the two escapes that make one character.
    halves, all_halves = (text.encode("utf-16-le", "surrogatepass") for text in (begun, whole))
    if not all_halves.startswith(halves):
        raise ValueError("another string")
    return json.dumps(all_halves[len(halves) :].decode("utf-16-le", "surrogatepass"))[1:]
