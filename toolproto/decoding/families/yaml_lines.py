"""The lines of YAML: what each begins with, scalars without double quotes, and blocks of text."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from ...messages import Repair
from ..calls.pulled import cut_short
from ..calls.sink import TextSink
from ..patterns import Pattern
from ..reply.hot_string import StreamedString
from ..source import Pull, Source
from ..values.strict import Reading, read_strict
from .line_values import ZERO_PADDED, fits, unquoted, zero_padded

__all__ = ["LONGEST_INDENT", "BlockText", "Line", "plain_scalar", "read_line"]

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


class Line(NamedTuple):
    """The columns of a line's list items, and of its key or value, which begins *length* on."""

    items: tuple[int, ...]
    column: int
    key: str | None
    length: int


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
    whole = isinstance(reading, Reading) and reading.end == len(text)
    return reading.value if isinstance(reading, Reading) and whole else text


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
        return sink.streaming(*_literal(self._indent))


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
