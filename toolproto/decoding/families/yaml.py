"""Calls in YAML: ``tool: get_weather``, and the arguments indented below ``arguments:``.

Read is the part of YAML that models write in calls: mappings and lists by indentation, JSON in
brackets, quoted and plain scalars, blocks of text, comments, several documents. A reader of our own
does it, for three reasons: it hands arguments out while they come, which no YAML library does;
anchors, aliases and tags are nothing a model should be able to use; and whether ``no`` and ``3.10``
are strings is a question for the tool's schema, not for YAML 1.1's guesses.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from io import StringIO

from ...messages import Repair
from ..calls.pulled import PulledCalls, cut_short
from ..calls.record import CallSetting
from ..calls.sink import ArgumentSink, TextSink
from ..patterns import Pattern
from ..reply.markers import Marker
from ..source import Pull, Source
from ..values.strict import malformed
from .line_values import bracketed, kinds, line_ends, line_over, quoted
from .yaml_lines import LONGEST_INDENT, BlockText, plain_scalar, read_line
from .yaml_tree import YamlTree

__all__ = ["YamlCalls"]

_LINE_BEGINS = Pattern(rf"([ \t]{{0,{LONGEST_INDENT + 1}}})(\r?\n|\r\Z)?")
_BETWEEN_DOCUMENTS = Pattern(r"(?:---|\.\.\.)(?=[ \t\r\n]|\Z)")
_LINE_OVER = Pattern(r"\r?\n|#|\r\Z")
_COMMENT = Pattern(r"[ \t]{1,64}#")
_NEWLINE = re.compile(r"\n")
_NO_SPACE = re.compile(r"[^ \t]")
_NO_SEPARATOR = re.compile(r"[^ \t,;]")


class YamlCalls(PulledCalls):
    """Reads all calls of a fence."""

    def __init__(
        self,
        setting: CallSetting,
        *,
        start: int,
        drift: tuple[Repair, ...] = (),
        ends: Sequence[Marker] = (),
    ) -> None:
        super().__init__(setting, start=start, drift=drift, ends=ends)
        self._tree = YamlTree(setting, drift)
        self._plain: StringIO | None = None  # a scalar that the next line may go on with

    @property
    def _recorded(self) -> ArgumentSink | None:
        return self._tree.draft.call if self._tree.draft is not None else None

    def write(self) -> None:
        """Give the call the text that was read."""
        super().write()
        self.committed = self._tree.committed

    # -- lines ----------------------------------------------------------------------------

    def grammar(self, source: Source) -> Pull[None]:
        """Lines, up to a marker that ends calls."""
        while (yield from self._line(source)):
            pass
        over = not (yield from source.peek()) and self._tree.draft is not None
        self._end_document(*((self.unclosed(),) if over else ()))
        self.committed = self._tree.committed
        self.refused = not self.committed

    def _line(self, source: Source) -> Pull[bool]:
        """Read a line, unless the calls are over."""
        begins = yield from source.match(_LINE_BEGINS)
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
            yield from _pass_line(source)
        elif char in "-." and not indent and (yield from source.match(_BETWEEN_DOCUMENTS)):
            self._end_document()
            yield from _pass_line(source)  # whatever stands behind it
        else:
            yield from self._content(source, indent)
        return True

    def _end_document(self, *repairs: Repair) -> None:
        self.write()
        self._end_plain()
        self._tree.close(*repairs)

    def _content(self, source: Source, indent: int) -> Pull[None]:
        line = yield from read_line(source, indent)
        if self._plain is not None and self._tree.goes_on(line):
            self._plain.write(" ")
            source.at += indent
            yield from self._plain_line(source, self._plain)
            return
        self.write()
        self._end_plain()
        self._tree.place(line, source.offset)
        self.limit()
        source.at += line.length
        yield from self._value(source)

    # -- values ---------------------------------------------------------------------------

    def _value(self, source: Source) -> Pull[None]:
        """What stands behind a key or the mark of an item, if anything does."""
        while (yield from source.peek()) in (" ", "\t"):
            yield from source.before(_NO_SPACE)
        char = yield from source.peek()
        if not char:
            raise cut_short()
        if (yield from source.match(_LINE_OVER)):
            yield from _pass_line(source)
        elif char in "|>" and (block := (yield from BlockText.at(source, self._tree.indent))):
            sink = self._tree.open_text()
            sink.open_text()
            self.hot = lambda: block.streaming(sink)
            yield from block.read(source, sink.text)
            self.hot = None
            self._close_text(sink, sink.close_text())
        elif char == '"':
            sink = self._tree.open_text()
            self._close_text(sink, (yield from quoted(self, sink, _quote_ends, line_ends)))
            yield from _behind_value(source)
        elif char in "{[" and kinds(self._tree.schema) != {"string"}:
            value, repairs = yield from bracketed(source)
            self._tree.put(value, *repairs)
            yield from _behind_value(source)
        else:
            self._plain = StringIO()
            yield from self._plain_line(source, self._plain)

    @staticmethod
    def _plain_line(source: Source, plain: StringIO) -> Pull[None]:
        while piece := (yield from source.before(_NEWLINE)):
            plain.write(piece)
        source.at += len((yield from source.peek()))

    def _end_plain(self) -> None:
        plain, self._plain = self._plain, None
        if plain is not None:
            value, repairs = plain_scalar(plain.getvalue(), kinds(self._tree.schema))
            self._tree.put(value, *repairs)

    def _close_text(self, sink: TextSink, text: str) -> None:
        if not isinstance(sink, ArgumentSink):
            self._tree.put(text)


def _pass_line(source: Source) -> Pull[None]:
    while (yield from source.before(_NEWLINE)):
        pass
    source.at += len((yield from source.peek()))


def _behind_value(source: Source) -> Pull[None]:
    """The rest of a line whose value is over: nothing, or a comment, or the end of the calls."""
    while (yield from source.before(_NO_SEPARATOR)):
        pass
    if (yield from source.match(_LINE_OVER)):
        yield from _pass_line(source)
    elif (yield from source.peek()) and not (yield from source.at_end()):
        raise malformed("something stands behind a value in its line")


def _quote_ends(source: Source) -> Pull[bool]:
    if (yield from source.match(_COMMENT, 1)):
        return True
    return (yield from line_over(source))
