"""Which mapping or list does a line of YAML belong to?

The containers that are open, by their indentation, and what each is to a call. Values that no call
takes while they come are built here.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from typing import Any

from ...messages import ProblemKind, Repair
from ..call_draft import CallSetting
from ..calls.pulled import malformed
from ..calls.sink import ArgumentSink
from ..strict import DUPLICATE_KEY, MAX_DEPTH, Refused, same_value
from .values import kinds
from .yaml_draft import YamlDraft
from .yaml_lines import Line

__all__ = ["YamlTree"]

_TEXT = {"type": "string"}


class _Role(Enum):
    """What a container is to the calls in it."""

    CALL = auto()
    NESTED = auto()  # inside a call, and holds its name and arguments
    LIST = auto()  # of calls
    ARGUMENTS = auto()
    DATA = auto()  # anything further down, or beside the point


class _Frame:
    """An open container in the column *indent*; *open* while the value of an item or key is due."""

    __slots__ = ("indent", "key", "open", "role", "schema", "value")

    def __init__(self, indent: int, role: _Role, value: Any, schema: Any) -> None:
        self.indent = indent
        self.role = role
        self.value = value
        self.schema = schema
        self.key = ""
        self.open = False

    @property
    def is_list(self) -> bool:
        return isinstance(self.value, list)


class YamlTree:
    """The containers of one document. Raises :class:`Refused` where there is no reading it."""

    def __init__(self, setting: CallSetting, drift: tuple[Repair, ...]) -> None:
        self._setting = setting
        self._drift = drift
        self._frames: list[_Frame] = []
        self._settled = False  # how far is the first line indented? Nobody told us
        self._has_ended_call = False
        self.draft: YamlDraft | None = None

    @property
    def committed(self) -> bool:
        """Is it certain that there is a call in it?"""
        return self._has_ended_call or (self.draft is not None and self.draft.call is not None)

    @property
    def indent(self) -> int:
        """The column of the innermost container."""
        return self._frames[-1].indent if self._frames else -1

    @property
    def key(self) -> str:
        """The key whose value is due."""
        return self._frames[-1].key

    @property
    def schema(self) -> Any:
        """What the tool's schema says of the value that is due."""
        frame = self._frames[-1]
        if frame.is_list:
            return _member(frame.schema, "items")
        if frame.role is _Role.DATA:
            return _member(_member(frame.schema, "properties"), frame.key)
        draft = self.draft
        if draft is None or (frame.role is not _Role.ARGUMENTS and draft.is_name(frame.key)):
            return _TEXT
        return draft.tool.properties.get(frame.key) if draft.tool is not None else None

    # -- lines ----------------------------------------------------------------------------

    def mended(self, *repairs: Repair) -> None:
        """The call that is open, if one is, departs from the asked form in this."""
        if self.draft is not None:
            self.draft.mended(*repairs)

    def goes_on(self, line: Line) -> bool:
        """May *line* be more of the plain scalar above it?"""
        return line.key is None and not line.items and line.column > self.indent

    def place(self, line: Line, start: int) -> None:
        """*line*, which begins at *start* in the reply, comes next."""
        began = bool(self._frames)
        self._pop_to(line)
        self._settle(line)
        if began and not self._frames:
            raise _uneven()
        for column in line.items:
            self._item(column, start)
        if line.key is not None:
            self._member(line.column, line.key, start)
        elif not self._frames or not self._frames[-1].open:
            raise malformed("a line in it has no key")

    def _pop_to(self, line: Line) -> None:
        column = line.items[0] if line.items else line.column
        while self._frames:
            frame = self._frames[-1]
            beside = frame.is_list and frame.indent == column and not line.items
            if frame.indent <= column and not beside:
                return
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

    def _item(self, column: int, start: int) -> None:
        frame = self._frames[-1] if self._frames else None
        if frame is not None and frame.is_list and frame.indent == column:
            if frame.open:
                self._put_nothing()
        elif frame is None or frame.open:
            frame = self._push([], column, start)
        else:
            raise _uneven()
        frame.open = True

    def _member(self, column: int, key: str, start: int) -> None:
        frame = self._frames[-1] if self._frames else None
        if frame is not None and not frame.is_list and frame.indent == column:
            if frame.open:
                self._put_nothing()
        elif frame is None or frame.open:
            frame = self._push({}, column, start)
        else:
            raise _uneven()
        frame.key, frame.open = key, True
        if frame.role in (_Role.CALL, _Role.NESTED) and self.draft is not None:
            self.draft.heard(key)

    # -- containers -----------------------------------------------------------------------

    def _push(self, value: dict[str, Any] | list[Any], column: int, start: int) -> _Frame:
        depth = min(self._setting.limits.depth, MAX_DEPTH)
        if len(self._frames) >= depth:
            raise Refused(ProblemKind.TOO_LARGE, f"nested deeper than {depth} levels")
        role = self._role(isinstance(value, list))
        schema = self.schema if role is _Role.DATA else None
        if role is _Role.CALL:
            self.draft = YamlDraft(self._setting, start, self._drift)
        elif role is _Role.LIST:
            self.draft = None
        elif role is _Role.ARGUMENTS and self.draft is not None:
            self.draft.spoke(self.key)
        frame = _Frame(column, role, value, schema)
        self._frames.append(frame)
        return frame

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
        frame = self._frames.pop()
        if frame.role is _Role.CALL:
            self._end_call(*repairs)
        if frame.role is _Role.NESTED:
            self.mended(Repair("nested_call"))
        if not self._frames:
            return
        self._frames[-1].open = False
        if frame.role is _Role.DATA:
            self.put(frame.value)

    def _end_call(self, *repairs: Repair) -> None:
        draft = self.draft
        if draft is not None:
            draft.end(*repairs)
            self._has_ended_call = True
        self.draft = None

    def close(self, *repairs: Repair) -> None:
        """The document is over; the call that is open departs from the asked form in *repairs*."""
        while self._frames:
            self._pop(*repairs)
        self._settled = False

    # -- values ---------------------------------------------------------------------------

    def put(self, value: Any) -> None:
        """The value that is due is *value*."""
        frame = self._frames[-1]
        frame.open = False
        if frame.role is _Role.LIST:
            if value is not None:
                raise malformed("the list must hold calls")
        elif isinstance(frame.value, list):
            frame.value.append(value)
        elif frame.role is _Role.DATA:
            self._keep(frame, value)
        elif self.draft is not None:
            put = self.draft.argument if frame.role is _Role.ARGUMENTS else self.draft.member
            put(frame.key, value)

    def _put_nothing(self) -> None:
        """No value came: that is an empty string only where nothing else is wanted."""
        self.put("" if kinds(self.schema) == {"string"} else None)

    def _keep(self, frame: _Frame, value: Any) -> None:
        if frame.key not in frame.value:
            frame.value[frame.key] = value
        elif not same_value(frame.value[frame.key], value):
            raise malformed(f"the key {frame.key[:80]!r} is given twice")
        else:
            self.mended(DUPLICATE_KEY)

    def open_text(self) -> ArgumentSink | None:
        """The call, told of its argument, if that is due and may be handed out while it comes."""
        frame = self._frames[-1]
        if frame.role not in (_Role.CALL, _Role.ARGUMENTS) or self.draft is None:
            return None
        in_arguments = frame.role is _Role.ARGUMENTS
        call = self.draft.takes_text(frame.key, in_arguments=in_arguments)
        if call is not None:
            call.key(frame.key)
        return call

    def close_text(self) -> None:
        """The text that a call took is over."""
        self._frames[-1].open = False


def _member(schema: Any, key: str) -> Any:
    return schema.get(key) if isinstance(schema, Mapping) else None


def _uneven() -> Refused:
    return malformed("its lines are not evenly indented")
