"""Calls in YAML: ``tool: get_weather``, and the arguments indented below ``arguments:``.

Read is the part of YAML that models write in calls: mappings and lists by indentation, JSON in
brackets, quoted and plain scalars, blocks of text, comments, several documents. A reader of our own
does it, for three reasons: it hands arguments out while they come, which no YAML library does;
anchors, aliases and tags are nothing a model should be able to use; and whether ``no`` and ``3.10``
are strings is a question for the tool's schema, not for YAML 1.1's guesses.

``tool:`` with the name of an offered tool is a call; with another name, or with ``name:`` for a
key, it is once the arguments follow. Everything else in a fence of YAML is somebody's
configuration.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from io import StringIO
from typing import Any

from ...messages import Repair
from ...tools.kinds import kinds, member
from ..calls.pulled import PulledCalls
from ..calls.record import Beginning, CallRecord, TextSink
from ..calls.shape import ID_KEYS, OTHER_KEYS, read_fields
from ..faults import Refused, cut_short, malformed, too_deep
from ..patterns import Pattern
from ..source import Pull, Source
from ..values.repairs import DUPLICATE_KEY
from ..values.strict import put_member
from .line_values import (
    LINE_BREAK,
    bracketed,
    line_ends,
    quoted,
)
from .yaml_lines import (
    BETWEEN_DOCUMENTS,
    LINE_BEGINS,
    LINE_OVER,
    LONGEST_INDENT,
    NO_SPACE,
    YamlLine,
    behind_value,
    pass_line,
    plain_scalar,
    quote_ends,
    read_line,
)

# -- blocks of text ---------------------------------------------------------------------------

# Blank lines are kept unread by the hot path for no longer than this.
_LONGEST_GAP = 256
_HEADER = Pattern(r"([|>])([+-]?)([1-9]?)([+-]?)[ \t]{0,64}(?:#[^\n]{0,200})?(\r?\n)")
_TEXT_OVER = Pattern(r"\r?\Z")


def _block(calls: YamlCalls, sink: TextSink, header: re.Match[str], parent: int) -> Pull[str]:
    """The text below *header* and a key in the column *parent*, which *sink* takes.

    Its lines are indented as its first one is, and that is not part of it. In a literal text
    (``|``) line breaks are line breaks, in a folded one (``>``) a single one is a space. The last
    ones wait for the end: the header says what becomes of them.
    """
    source = calls.source
    style, before, told, behind, newline = header.groups()
    indent = parent + int(told) if told else 0  # 0 until the first line says it
    breaks, begun, stood_out = 0, False, False
    sink.open_text()
    while True:
        column = yield from source.spaces(indent or LONGEST_INDENT + 1)
        if (yield from source.stands(newline, column)):
            source.at += column + len(newline)
            breaks += 1
            continue
        if (yield from source.match(_TEXT_OVER, column)):
            raise cut_short()  # its next line may have been to come
        if not parent < column <= LONGEST_INDENT or column < indent:
            break
        indent = indent or column
        source.at += column
        stands_out = (yield from source.peek()) in " \t"  # further indented: it is not folded
        folds = style == ">" and begun and not stood_out and not stands_out
        if breaks:
            sink.text("\n" * (breaks - 1) or " " if folds else "\n" * breaks)
        if style == "|" and newline == "\n":
            calls.hot = partial(sink.streaming, *_literal(indent))
        while piece := (yield from source.up_to(newline)):
            sink.text(piece)
        calls.hot = None
        yield from source.due()
        source.at += len(newline)
        breaks, begun, stood_out = 1, True, stands_out
    kept = {"": min(breaks, int(begun)), "+": breaks, "-": 0}[before or behind]
    if kept:
        sink.text("\n" * kept)
    return sink.close_text()


@lru_cache(maxsize=64)
def _literal(
    indent: int,
) -> tuple[Callable[[str], int], re.Pattern[str], Callable[[str], str]]:
    """For the hot path: what of a text certainly goes on with a literal block, and says what."""
    width = f" {{0,{indent}}}"
    certain = re.compile(rf"[^\n]*(?:\n(?:{width}\n)* {{{indent}}}[^\n]+)*")
    gap = re.compile(rf"\n(?:{width}\n)*{width}\Z")
    margin = re.compile(rf"\n{width}")

    def stop(text: str) -> int:
        found = certain.match(text)
        assert found is not None, "matches the empty string"
        end = found.end()
        waits = len(text) - end <= _LONGEST_GAP and gap.match(text, end)
        return end if end == len(text) or waits else -1

    return stop, LINE_BREAK, lambda piece: margin.sub("\n", piece)


# -- calls ------------------------------------------------------------------------------------

_TEXT = {"type": "string"}
_NAME = re.compile(r"[^\s\"'{}\[\],]{1,128}")
_UNEVEN = "its lines are not evenly indented"
_NO_KEY = "a line in it has no key"

_Members = dict[str, Any]
_Kind = type[dict[str, Any] | list[Any]]


@dataclass(slots=True)
class _Container:
    """A mapping or list that is open in *column*; *due* while the value of an item or *key* is.

    *of_call* says that its members are those of a call, or its items calls.
    """

    column: int
    value: Any
    schema: Any
    of_call: bool
    key: str = ""
    due: bool = False

    @property
    def is_list(self) -> bool:
        return isinstance(self.value, list)


class YamlCalls(PulledCalls):
    """Reads all calls of a fence."""

    def __init__(self, begun: Beginning) -> None:
        super().__init__(begun)
        self._open: list[_Container] = []
        self._before = begun.indent  # of the first line, which was read
        self._plain: StringIO | None = None  # a scalar that the next line may go on with

    def grammar(self, source: Source) -> Pull[None]:
        """Lines, up to a marker that ends calls."""
        while (yield from self._line(source)):
            self._before = 0
        over = not (yield from source.peek()) and self._call is not None
        self._end_document(*((self.unclosed(),) if over else ()))
        self.refused = not self.committed

    def _line(self, source: Source) -> Pull[bool]:
        """Read a line, unless the calls are over."""
        begins = yield from source.match(LINE_BEGINS)
        assert begins is not None, "matches the empty string"
        if begins.group(2):
            source.at += len(begins.group())
            return True
        indent = len(begins.group(1))
        if indent > LONGEST_INDENT:
            raise malformed("a line in it is indented too far")
        char = (yield from source.peek(indent + 1))[indent:]
        if not char or (yield from source.at_end(indent)):
            source.at += 0 if char else indent
            return False
        if char == "#":
            yield from pass_line(source)
        elif char in "-." and not indent and (yield from source.match(BETWEEN_DOCUMENTS)):
            self._end_document()
            yield from pass_line(source)  # whatever stands behind it
        else:
            yield from self._content(source, indent)
        return True

    def _end_document(self, *repairs: Repair) -> None:
        self.write()
        self._end_plain()
        self.mended(*repairs)
        while self._open:
            self._pop()

    def _content(self, source: Source, indent: int) -> Pull[None]:
        line = yield from read_line(source, indent)
        if self._plain is not None and line.is_value and line.column > self._open[-1].column:
            self._plain.write(" ")
            source.at += indent
            yield from pass_line(source, self._plain)
            return
        self.write()
        self._end_plain()
        self._place(line, source.offset)
        self.limit()
        source.at += line.length
        yield from self._value(source)

    # -- where a line belongs -------------------------------------------------------------

    def _place(self, line: YamlLine, start: int) -> None:
        """*line*, which begins at *start* in the reply, comes next."""
        items, column = [each + self._before for each in line.items], line.column + self._before
        self._pop_to([*items, column][0], is_item=bool(items), is_value=line.is_value)
        for each in items:
            self._enter(list, each, start)
        if line.key is not None:
            here = self._enter(dict, column, start)
            here.key = line.key
            if here.of_call and self._call is not None:
                self._heard(self._call, here.value, line.key)
        elif not self._open or not self._open[-1].due:
            raise malformed(_NO_KEY)

    def _pop_to(self, column: int, *, is_item: bool, is_value: bool) -> None:
        """Close what a line does not belong to that begins in *column*."""
        kept = len(self._open)
        while kept:
            here = self._open[kept - 1]
            if here.column < column or (here.column == column and here.is_list <= is_item):
                break
            kept -= 1
        if kept == len(self._open):
            return
        # A line that is out of place must not end a call: it may be an argument of it.
        if not kept or here.column != column or here.is_list != is_item or is_value:
            raise malformed(_NO_KEY if is_value else _UNEVEN)
        while len(self._open) > kept:
            self._pop()

    def _enter(self, kind: _Kind, column: int, start: int) -> _Container:
        """The container in *column* that the next item or member belongs to, new or not."""
        here = self._open[-1] if self._open else None
        if here is not None and isinstance(here.value, kind) and here.column == column:
            if here.due:
                self._put_nothing()
        elif here is None or here.due:
            here = self._push(kind, column, start)
        else:
            raise malformed(_UNEVEN)
        here.due = True
        return here

    def _push(self, kind: _Kind, column: int, start: int) -> _Container:
        if len(self._open) >= self._setting.depth:
            raise too_deep(self._setting.depth)
        parent, call = self._open[-1] if self._open else None, self._call
        of_call = parent is None or (parent.of_call and self._is_of_call(parent, kind))
        here = _Container(column, kind(), self._schema if parent else None, of_call)
        if of_call and kind is list:
            self._call = None
        elif of_call and (parent is None or parent.is_list):
            self._call = CallRecord(self._setting, start, repairs=self._begun.repairs)
        elif of_call and parent is not None:  # it holds the whole call: the members are the same
            here.value = parent.value
        elif kind is dict and call is not None and self._is_arguments(parent):
            here.schema = call.tool.parameters if call.tool is not None else None
            here.value = call.arguments if call.announced else {}
        self._open.append(here)
        return here

    def _is_of_call(self, parent: _Container, kind: _Kind) -> bool:
        """Is what opens in *parent*, which is of calls, of one as well?"""
        call, shape = self._call, self._setting.shape
        if parent.is_list:
            return kind is dict
        if call is None or call.name or self._is_arguments(parent):
            return False
        nests = parent.key in shape.nesting_keys or parent.key in shape.name_keys
        return parent.key in shape.list_keys if kind is list else nests

    def _is_arguments(self, parent: _Container | None) -> bool:
        """Are the arguments of a call due in *parent*?"""
        return bool(parent and parent.of_call and parent.key in self._setting.shape.argument_keys)

    def _pop(self) -> None:
        if self._open[-1].due:
            self._put_nothing()
        here = self._open.pop()
        parent = self._open[-1] if self._open else None
        if parent is not None:
            parent.due = False
        if not here.of_call:
            self._put(here.value)
        elif parent is not None and parent.value is here.value:
            self.mended(Repair("nested_call"))
        elif self._call is not None and not here.is_list:
            self._end_call(self._call, here.value)

    # -- values ---------------------------------------------------------------------------

    @property
    def _schema(self) -> Any:
        """What the tool's schema says of the value that is due."""
        here, call, schema = self._open[-1], self._call, self._open[-1].schema
        if here.is_list:
            return member(schema, "items")
        if here.of_call:
            if call is None or (not call.name and here.key in self._setting.shape.name_keys):
                return _TEXT
            schema = call.tool.parameters if call.tool is not None else None
        return member(member(schema, "properties"), here.key)

    def _value(self, source: Source) -> Pull[None]:
        """What stands behind a key or the mark of an item, if anything does."""
        yield from source.skip_to(NO_SPACE)
        char = yield from source.due()
        if (yield from source.match(LINE_OVER)):
            yield from pass_line(source)
        elif char in "|>" and (header := (yield from source.take(_HEADER))):
            sink = self._sink()
            self._put_text(sink, (yield from _block(self, sink, header, self._open[-1].column)))
        elif char == '"':
            sink = self._sink()
            self._put_text(sink, (yield from quoted(self, sink, quote_ends, line_ends)))
            yield from behind_value(source)
        elif char in "{[" and kinds(self._schema) != {"string"}:
            value, repairs = yield from bracketed(self)
            self._put(value, *repairs)
            yield from behind_value(source)
        else:
            self._plain = StringIO()
            yield from pass_line(source, self._plain)

    def _end_plain(self) -> None:
        plain, self._plain = self._plain, None
        if plain is not None:
            value, repairs = plain_scalar(plain.getvalue(), kinds(self._schema))
            self._put(value, *repairs)

    def _sink(self) -> TextSink:
        """What takes the string that is due: the call, if it may be handed out while it comes."""
        here, call = self._open[-1], self._call
        if call is None or here.value is not call.arguments:
            return TextSink()
        call.key(here.key)
        return call

    def _put_text(self, sink: TextSink, text: str) -> None:
        if sink is self._call:
            self._open[-1].due = False
        else:
            self._put(text)

    def _put(self, value: Any, *repairs: Repair) -> None:
        """The value that is due is *value*."""
        here, call = self._open[-1], self._call
        here.due = False
        self.mended(*repairs)
        if here.is_list:
            if here.of_call and value is not None:
                raise malformed("the list must hold calls")
            here.value.append(value)
        elif call is not None and here.value is call.arguments:
            call.argument(here.key, value)
        else:
            if put_member(here.value, here.key, value):
                self.mended(DUPLICATE_KEY)
            if here.of_call and call is not None and not call.name:
                self._said(call, here.value, here.key)

    def _put_nothing(self) -> None:
        """No value came: that is an empty string only where nothing else is wanted."""
        empty = kinds(self._schema) == {"string"} or self._is_arguments(self._open[-1])
        self._put("" if empty else None)

    # -- the call, by its members ---------------------------------------------------------

    def _heard(self, call: CallRecord, members: _Members, key: str) -> None:
        """A member is called *key*; its value comes."""
        shape = self._setting.shape
        if call.announced or key in OTHER_KEYS:
            return
        if call.name and (key in shape.argument_keys or _is_own(call, key)):
            self._announce(call, members)
        elif call.name or key not in shape.leading_keys:
            raise _no_call()

    def _said(self, call: CallRecord, members: _Members, key: str) -> None:
        """The member *key* of a call that has no name yet has come; it may be the name."""
        shape, offered, said = self._setting.shape, self._setting.offered, members[key]
        if key not in shape.name_keys or not isinstance(said, str):
            return
        if not _NAME.fullmatch(said):
            raise _no_call()
        members[key] = call.name = said.replace("\\_", "_")
        call.tool = offered.get(call.name)
        known = key == shape.name and offered.knows(call.name)
        if known or not members.keys().isdisjoint(shape.argument_keys):
            self._announce(call, members)

    def _announce(self, call: CallRecord, members: _Members) -> None:
        """It is certain that this is a call."""
        if self._setting.only_offered and not self._setting.offered.knows(call.name):
            raise _no_call()
        ids = (members.get(key) for key in ID_KEYS)
        call.announce(next((id for id in ids if isinstance(id, str)), ""))
        self.committed = True

    def _end_call(self, call: CallRecord, members: _Members) -> None:
        """All members have come: what they say is read as it is in JSON."""
        fields = read_fields(members, self._setting.shape, lambda name: name == call.name)
        if fields is None or not (call.announced or (call.tool and not call.tool.required)):
            raise _no_call()
        if not call.announced:
            self._announce(call, members)
        if fields.arguments is None:
            raise malformed("its arguments must be a mapping of keys")
        used = fields.path or members
        others = [key for key in members if key not in used and members[key] != call.name]
        if any(key in self._setting.shape.argument_keys or _is_own(call, key) for key in others):
            raise malformed("it gives its arguments in two places; give them in one")
        call.mended(*fields.repairs)
        if fields.arguments is not call.arguments:
            for key, value in fields.arguments.items():
                call.argument(key, value)
        self.complete()
        self._call = None


def _is_own(call: CallRecord, key: str) -> bool:
    return call.tool is not None and key in call.tool.properties


def _no_call() -> Refused:
    return malformed("it does not say which tool")
