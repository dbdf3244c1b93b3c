"""Which mapping or list does a line of YAML belong to, and what is that to a call?

The containers that are open, by their indentation. ``tool:`` with the name of an offered tool is a
call; with another name, or with ``name:`` for a key, it is once the arguments follow. Everything
else in a fence of YAML is somebody's configuration. Values that no call takes while they come are
built here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, NamedTuple

from ...messages import Grade, Repair
from ..calls.record import CallRecord, CallSetting, TextSink
from ..calls.shape import ID_KEYS, OTHER_KEYS, as_object
from ..values.strict import DUPLICATE_KEY, Refused, malformed, put_member, too_deep
from .line_values import kinds, member

__all__ = ["Line", "YamlTree"]

_TEXT = {"type": "string"}


_NAME = re.compile(r"[^\s\"'{}\[\],]{1,128}")
_FLATTENED = Repair("flattened_arguments", Grade.GUESSED)


class Line(NamedTuple):
    """The columns of a line's list items, and of its key or value, which begins *length* on."""

    items: tuple[int, ...]
    column: int
    key: str | None
    length: int


class _Role(Enum):
    """What a container is to the calls in it."""

    CALL = auto()
    NESTED = auto()  # inside a call, and holds its name and arguments
    LIST = auto()  # of calls
    ARGUMENTS = auto()
    DATA = auto()  # anything further down, or beside the point


@dataclass(slots=True)
class _Frame:
    """An open container in the column *indent*; *open* while the value of an item or key is due."""

    indent: int
    role: _Role
    value: Any
    schema: Any
    key: str = ""
    open: bool = False

    @property
    def is_list(self) -> bool:
        return isinstance(self.value, list)


class YamlTree:
    """The containers of one document. Raises :class:`Refused` where there is no reading it."""

    def __init__(self, setting: CallSetting, drift: tuple[Repair, ...]) -> None:
        self._setting = setting
        self._drift = drift
        self._frames: list[_Frame] = []
        self._settled = False  # is it known how far the first line is indented?
        self._has_ended_call = False
        self.draft: _Draft | None = None

    @property
    def committed(self) -> bool:
        """Is it certain that there is a call in it?"""
        return self._has_ended_call or (self.draft is not None and self.draft.announced)

    @property
    def indent(self) -> int:
        """The column of the innermost container."""
        return self._frames[-1].indent if self._frames else -1

    @property
    def schema(self) -> Any:
        """What the tool's schema says of the value that is due."""
        frame, draft = self._frames[-1], self.draft
        if frame.is_list:
            return member(frame.schema, "items")
        if frame.role is _Role.DATA:
            return member(member(frame.schema, "properties"), frame.key)
        if draft is None or (frame.role is not _Role.ARGUMENTS and draft.is_name(frame.key)):
            return _TEXT
        return draft.tool.properties.get(frame.key) if draft.tool is not None else None

    # -- lines ----------------------------------------------------------------------------

    def goes_on(self, line: Line) -> bool:
        """May *line* be more of the plain scalar above it?"""
        return line.key is None and not line.items and line.column > self.indent

    def place(self, line: Line, start: int) -> None:
        """*line*, which begins at *start* in the reply, comes next."""
        began = bool(self._frames)
        self._pop_to(line)
        self._settle(line)
        if began and not self._frames:
            raise malformed(_UNEVEN)
        for column in line.items:
            self._enter(list, column, start)
        if line.key is not None:
            frame = self._enter(dict, line.column, start)
            frame.key = line.key
            if frame.role in (_Role.CALL, _Role.NESTED) and self.draft is not None:
                self.draft.heard(line.key)
        elif not self._frames or not self._frames[-1].open:
            raise malformed("a line in it has no key")

    def _pop_to(self, line: Line) -> None:
        """Close what *line* does not belong to."""
        column = line.items[0] if line.items else line.column
        kept = len(self._frames)
        while kept:
            frame = self._frames[kept - 1]
            beside = frame.is_list and frame.indent == column and not line.items
            if frame.indent <= column and not beside:
                break
            kept -= 1
        if self._settled and kept < len(self._frames):
            # A line that is out of place must not end a call: it may be an argument of it.
            home = self._frames[kept - 1] if kept else None
            if line.key is None and not line.items:
                raise malformed("a line in it has no key")
            if home is None or home.indent != column or home.is_list != bool(line.items):
                raise malformed(_UNEVEN)
        while len(self._frames) > kept:
            self._pop()

    def _settle(self, line: Line) -> None:
        """The second line at the margin tells how far the first one was indented."""
        if self._settled or not self._frames or self._frames[-1].open:
            return
        self._settled = True
        column = line.items[0] if line.items else line.column
        lists = (frame for frame in self._frames if frame.is_list)
        home = next(lists, None) if line.items else self._frames[-1]
        shift = column - home.indent if home is not None else 0
        if shift > 0:
            for frame in self._frames:
                frame.indent += shift
            self._pop_to(line)

    def _enter(self, kind: type[dict[str, Any] | list[Any]], column: int, start: int) -> _Frame:
        """The container in *column* that the next item or member belongs to, new or not."""
        frame = self._frames[-1] if self._frames else None
        if frame is not None and isinstance(frame.value, kind) and frame.indent == column:
            if frame.open:
                self._put_nothing()
        elif frame is None or frame.open:
            frame = self._push(kind(), column, start)
        else:
            raise malformed(_UNEVEN)
        frame.open = True
        return frame

    # -- containers -----------------------------------------------------------------------

    def _push(self, value: dict[str, Any] | list[Any], column: int, start: int) -> _Frame:
        if len(self._frames) >= self._setting.depth:
            raise too_deep(self._setting.depth)
        role = self._role(isinstance(value, list))
        schema = self.schema if role is _Role.DATA else None
        if role is _Role.CALL:
            self.draft = _Draft(self._setting, start, self._drift)
        elif role is _Role.LIST:
            self.draft = None
        elif role is _Role.ARGUMENTS and self.draft is not None:
            self.draft.spoke(self._frames[-1].key)
        self._frames.append(_Frame(column, role, value, schema))
        return self._frames[-1]

    def _role(self, is_list: bool) -> _Role:
        if not self._frames:
            return _Role.LIST if is_list else _Role.CALL
        frame, draft, shape = self._frames[-1], self.draft, self._setting.shape
        if frame.role is _Role.LIST and not is_list:
            return _Role.CALL
        if frame.role not in (_Role.CALL, _Role.NESTED) or draft is None:
            return _Role.DATA
        if is_list:
            listed = frame.key in shape.list_keys and not draft.name
            return _Role.LIST if listed else _Role.DATA
        if draft.holds_arguments(frame.key):
            return _Role.ARGUMENTS
        nests = frame.key in shape.nesting_keys or draft.is_name(frame.key)
        return _Role.NESTED if nests and not draft.name else _Role.DATA

    def _pop(self, *repairs: Repair) -> None:
        if self._frames[-1].open:
            self._put_nothing()
        frame, draft = self._frames.pop(), self.draft
        if frame.role is _Role.CALL:
            if draft is not None:
                draft.end(*repairs)
                self._has_ended_call = True
            self.draft = None
        if frame.role is _Role.NESTED and draft is not None:
            draft.mended(Repair("nested_call"))
        if self._frames:
            self._frames[-1].open = False
            if frame.role is _Role.DATA:
                self.put(frame.value)

    def close(self, *repairs: Repair) -> None:
        """The document is over; the call that is open departs from the asked form in *repairs*."""
        while self._frames:
            self._pop(*repairs)
        self._settled = False

    # -- values ---------------------------------------------------------------------------

    def put(self, value: Any, *repairs: Repair) -> None:
        """The value that is due is *value*."""
        frame, draft = self._frames[-1], self.draft
        frame.open = False
        if draft is not None:
            draft.mended(*repairs)
        if frame.role is _Role.LIST:
            if value is not None:
                raise malformed("the list must hold calls")
        elif frame.is_list:
            frame.value.append(value)
        elif frame.role is _Role.DATA:
            self._keep(frame, value)
        elif draft is not None:
            put = draft.argument if frame.role is _Role.ARGUMENTS else draft.member
            put(frame.key, value)

    def _put_nothing(self) -> None:
        """No value came: that is an empty string only where nothing else is wanted."""
        self.put("" if kinds(self.schema) == {"string"} else None)

    def _keep(self, frame: _Frame, value: Any) -> None:
        if put_member(frame.value, frame.key, value) and self.draft is not None:
            self.draft.mended(DUPLICATE_KEY)

    def open_text(self) -> TextSink:
        """What takes the string that is due: the call, if it may be handed out while it comes."""
        frame, draft = self._frames[-1], self.draft
        in_arguments = frame.role is _Role.ARGUMENTS
        if draft is None or not (in_arguments or frame.role is _Role.CALL):
            return TextSink()
        if not draft.takes_text(frame.key, in_arguments=in_arguments):
            return TextSink()
        frame.open = False
        draft.key(frame.key)
        return draft


_UNEVEN = "its lines are not evenly indented"


class _Draft(CallRecord):
    """A mapping that may be a call.

    Raises :class:`Refused` where it turns out to be none, or none that can be used.
    """

    def __init__(self, setting: CallSetting, start: int, drift: tuple[Repair, ...]) -> None:
        super().__init__(setting, start, drift=drift)
        self._spoken = False  # is there a member for the arguments?
        self._early: list[tuple[str, Any]] = []  # arguments that came before the name
        self._beside: dict[str, Any] = {}  # members that may turn out to be arguments

    # -- members --------------------------------------------------------------------------

    def heard(self, key: str) -> None:
        """A member is called *key*; its value comes."""
        shape = self._setting.shape
        if self.announced:
            return
        if self.name and (self.holds_arguments(key) or self._is_own(key)):
            self.announce(self._id)
            return
        leads = key in shape.name_keys or key in shape.list_keys or key in shape.nesting_keys
        if key not in OTHER_KEYS and (self.name or not (leads or key in shape.argument_keys)):
            raise _no_call()

    def is_name(self, key: str) -> bool:
        """Would a string called *key* be the tool's name?"""
        return not self.name and key in self._setting.shape.name_keys

    def holds_arguments(self, key: str) -> bool:
        """Does a member called *key* hold the arguments?"""
        shape = self._setting.shape
        return key == shape.arguments or (key in shape.argument_keys and not self._is_own(key))

    def _is_own(self, key: str) -> bool:
        return self.tool is not None and key in self.tool.properties

    def member(self, key: str, value: Any) -> None:
        """The member *key* of the call is *value*."""
        if self.is_name(key) and isinstance(value, str):
            self._named(key, value)
        elif self.holds_arguments(key):
            self.spoke(key)
            repairs: list[Repair] = []
            arguments = as_object(value, repairs)
            if arguments is None:
                raise malformed("its arguments must be a mapping of keys")
            self.mended(*repairs)
            for name, each in arguments.items():
                self.argument(name, each)
        elif self._is_own(key):
            self.mended(_FLATTENED)
            self.argument(key, value)
        elif key in ID_KEYS and isinstance(value, str):
            self._id = self._id if self.announced else value
        elif key not in OTHER_KEYS:
            self._beside[key] = value

    def spoke(self, key: str) -> None:
        """The member *key* holds the arguments."""
        self._spoken = True
        if key != self._setting.shape.arguments:
            self.mended(Repair("arguments_key", detail=key))

    def argument(self, key: str, value: Any) -> None:
        """The argument *key* is *value*."""
        if self.announced:
            super().argument(key, value)
        else:
            self._early.append((key, value))

    def takes_text(self, key: str, *, in_arguments: bool) -> bool:
        """Can the call take the text of *key* while it comes?"""
        if not self.announced or in_arguments:
            return self.announced
        flat = self._is_own(key) and not self.holds_arguments(key)
        self.mended(*((_FLATTENED,) if flat else ()))
        return flat

    # -- the call -------------------------------------------------------------------------

    def _named(self, key: str, name: str) -> None:
        if not _NAME.fullmatch(name):
            raise _no_call()
        self.name = name.replace("\\_", "_")
        self.tool = self._setting.offered.get(self.name)
        asked = key == self._setting.shape.name
        if not asked:
            self.mended(Repair("name_key", detail=key))
        if self._spoken or (asked and self._setting.offered.knows(self.name)):
            self.announce(self._id)

    def announce(self, id: str = "") -> None:
        """It is certain that this is a call of ``name``."""
        if self._setting.gated and not self._setting.offered.knows(self.name):
            raise _no_call()
        super().announce(id)
        for key, value in self._early:
            self.argument(key, value)

    def end(self, *repairs: Repair) -> None:
        """Nothing more belongs to it."""
        if not self.announced:
            if not self.name or self.tool is None or self.tool.required:
                raise _no_call()
            self.announce(self._id)
        if self._beside and not self._spoken:
            self.mended(_FLATTENED)
            for key, value in self._beside.items():
                self.argument(key, value)
        self.complete(*repairs)


def _no_call() -> Refused:
    return malformed("it does not say which tool")
