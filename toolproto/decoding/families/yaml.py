"""Calls in YAML: ``tool: get_weather``, and the arguments indented below ``arguments:``.

Read is the part of YAML that models write in calls: mappings and lists by indentation, JSON in
brackets, quoted and plain scalars, blocks of text, comments, several documents. A reader of our own
does it, for three reasons: it hands arguments out while they come, which no YAML library does;
anchors, aliases and tags are nothing a model should be able to use; and whether ``no`` and ``3.10``
are strings is a question for the tool's schema, not for YAML 1.1's guesses.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from io import StringIO
from typing import Any

from ...messages import Repair
from ..calls.pulled import PulledCalls, cut_short
from ..calls.record import Beginning, CallRecord, TextSink
from ..patterns import Pattern
from ..reply.hot_string import StreamedString
from ..source import Pull, Source
from ..values.strict import Reading, malformed, read_strict
from .line_values import (
    LINE_BREAK,
    ZERO_PADDED,
    bracketed,
    fits,
    kinds,
    line_ends,
    line_over,
    quoted,
    unquoted,
    zero_padded,
)
from .yaml_tree import Line, YamlTree

__all__ = ["LONGEST_INDENT", "BlockText", "YamlCalls", "plain_scalar", "read_line"]

LONGEST_INDENT = 1024
# No line is looked at further than this for list items.
_LONGEST_HEAD = 1024
_ITEM = Pattern(r"-(?:[ \t]{1,80}|(?=\r?\n))")
_KEY_ENDS = r"[ \t]{0,8}:(?=[ \t]|\r?\n|\Z)"
_BARE_KEY = Pattern(rf"([^\W\d][\w.$/-]{{0,127}}(?: [\w.$/-]{{1,127}}){{0,3}}){_KEY_ENDS}")
_QUOTED_KEY = Pattern(rf"(\"(?:[^\"\\\n]|\\.){{0,500}}\"|'[^'\n]{{0,500}}'){_KEY_ENDS}")
_COMMENT = re.compile(r"(?:^|\s)#(?=\s|\Z)")
_WORDS: dict[str, Any] = {"~": None, "": None, "null": None, "none": None}
_WORDS |= {"true": True, "false": False}
_SAID = {"yes": True, "on": True, "no": False, "off": False}


def read_line(source: Source, indent: int) -> Pull[Line]:
    """What the line that begins here begins with, behind *indent* characters of space."""
    items: list[int] = []
    column = indent
    while column < _LONGEST_HEAD and (yield from source.stands("-", column)):
        item = yield from source.match(_ITEM, column)
        if item is None:
            break
        items.append(column)
        column += len(item.group())
    in_quotes = (yield from source.peek(column + 1))[column:] in ('"', "'")
    key = yield from source.match(_QUOTED_KEY if in_quotes else _BARE_KEY, column)
    if key is None:
        return Line(tuple(items), column, None, column)
    return Line(tuple(items), column, unquoted(key.group(1)), column + len(key.group()))


def plain_scalar(text: str, wanted: frozenset[str]) -> tuple[Any, tuple[Repair, ...]]:
    """The value of a scalar without double quotes, where one of the types *wanted* may stand."""
    comment = _COMMENT.search(text) if text[:1] != "'" else None
    text = text[: comment.start()].strip() if comment else text.strip()
    repairs = (Repair("comment"),) if comment else ()
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'"), repairs
    if wanted == {"string"}:
        return text, repairs
    if "boolean" in wanted and "string" not in wanted and text.lower() in _SAID:
        return _SAID[text.lower()], (*repairs, Repair("literal"))
    number = zero_padded(text, wanted)
    if number is not None:
        return number, (*repairs, ZERO_PADDED)
    value = _typed(text)
    return (text if "string" in wanted and not fits(value, wanted) else value), repairs


def _typed(text: str) -> Any:
    """The JSON that *text* is, in the spellings of YAML; or else the text itself."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    reading = read_strict(text)
    return reading.value if isinstance(reading, Reading) and reading.is_all_of(text) else text


# -- blocks of text ---------------------------------------------------------------------------

# Blank lines are kept unread by the hot path for no longer than this.
_LONGEST_GAP = 256
_HEADER = Pattern(r"([|>])([+-]?)([1-9]?)([+-]?)[ \t]{0,64}(?:#[^\n]{0,200})?(\r?\n)")


class BlockText:
    """A text in lines of its own below a key in the column *parent*, without any escapes.

    Its lines are indented as its first one is, and that is not part of it. In a literal text
    (``|``) line breaks are line breaks, in a folded one (``>``) a single one is a space. The last
    ones wait for the end: the header says what becomes of them.
    """

    def __init__(self, header: re.Match[str], parent: int) -> None:
        style, before, indent, behind, self._newline = header.groups()
        self._folded = style == ">"
        self._chomping = before or behind
        self._parent = parent
        self._indent = parent + int(indent) if indent else 0  # 0 until the first line says it
        self._in_line = False

    @classmethod
    def at(cls, source: Source, parent: int) -> Pull[BlockText | None]:
        """The block whose header begins here, if there is one."""
        header = yield from source.take(_HEADER)
        return cls(header, parent) if header else None

    def read(self, source: Source, say: Callable[[str], None]) -> Pull[None]:
        """Read all lines that belong to it; *say* takes the text."""
        breaks, begun, stood_out = 0, False, False
        while True:
            column = yield from source.spaces(self._indent or LONGEST_INDENT + 1)
            if (yield from source.stands(self._newline, column)):
                source.at += column + len(self._newline)
                breaks += 1
                continue
            first = (yield from source.peek(column + 1))[column:]
            if not first or (
                first == "\r" and (yield from source.peek(column + 2))[column:] == "\r"
            ):
                raise cut_short()  # its next line may have been to come
            if column <= self._parent or column < self._indent or column > LONGEST_INDENT:
                break
            self._indent = self._indent or column
            source.at += column
            stands_out = first in " \t"  # a line that is indented further is not folded
            folds = self._folded and begun and not stood_out and not stands_out
            if breaks:
                say("\n" * (breaks - 1) or " " if folds else "\n" * breaks)
            yield from self._line(source, say)
            breaks, begun, stood_out = 1, True, stands_out
        kept = {"": min(breaks, int(begun)), "+": breaks, "-": 0}[self._chomping]
        if kept:
            say("\n" * kept)

    def _line(self, source: Source, say: Callable[[str], None]) -> Pull[None]:
        self._in_line = True
        while piece := (yield from source.up_to(self._newline)):
            say(piece)
        self._in_line = False
        if not (yield from source.peek()):
            raise cut_short()
        source.at += len(self._newline)

    def streaming(self, sink: TextSink) -> StreamedString | None:
        """The text for the hot path, where *sink* takes it."""
        if not self._in_line or self._folded or self._newline != "\n":
            return None
        stop, decode = _literal(self._indent)
        return sink.streaming(stop, LINE_BREAK, decode)


@lru_cache(maxsize=64)
def _literal(indent: int) -> tuple[Callable[[str], int], Callable[[str], str]]:
    """How much of a text certainly goes on with a literal block, and what it stands for."""
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

    def shown(piece: str) -> str:
        return margin.sub("\n", piece)

    return stop, shown


_LINE_BEGINS = Pattern(rf"([ \t]{{0,{LONGEST_INDENT + 1}}})(\r?\n|\r\Z)?")
_BETWEEN_DOCUMENTS = Pattern(r"(?:---|\.\.\.)(?=[ \t\r\n]|\Z)")
_LINE_OVER = Pattern(r"\r?\n|#|\r\Z")
_COMMENT_BEHIND = Pattern(r"[ \t]{1,64}#")
_NEWLINE = re.compile(r"\n")
_NO_SPACE = re.compile(r"[^ \t]")
_NO_SEPARATOR = re.compile(r"[^ \t,;]")


class YamlCalls(PulledCalls):
    """Reads all calls of a fence."""

    def __init__(self, begun: Beginning) -> None:
        super().__init__(begun)
        self._tree = YamlTree(begun.setting, begun.drift)
        self._plain: StringIO | None = None  # a scalar that the next line may go on with

    @property
    def _recorded(self) -> CallRecord | None:
        return self._tree.draft

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
            yield from _pass_line(source, self._plain)
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
            yield from _pass_line(source, self._plain)

    def _end_plain(self) -> None:
        plain, self._plain = self._plain, None
        if plain is not None:
            value, repairs = plain_scalar(plain.getvalue(), kinds(self._tree.schema))
            self._tree.put(value, *repairs)

    def _close_text(self, sink: TextSink, text: str) -> None:
        if not isinstance(sink, CallRecord):
            self._tree.put(text)


def _pass_line(source: Source, kept: StringIO | None = None) -> Pull[None]:
    """Read the rest of the line, which *kept* takes."""
    while piece := (yield from source.before(_NEWLINE)):
        if kept is not None:
            kept.write(piece)
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
    if (yield from source.match(_COMMENT_BEHIND, 1)):
        return True
    return (yield from line_over(source))
