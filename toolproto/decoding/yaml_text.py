"""A text in lines of its own below a key of YAML, without any escapes.

Its lines are indented as its first one is, and that is not part of it. In a literal text (``|``)
line breaks are line breaks, in a folded one (``>``) a single one is a space. The last ones wait for
the end: the header says what becomes of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from .quoted_text import QuotingCall
from .string_feed import StreamedString
from .yaml_lines import BlockHeader

__all__ = ["BlockText"]

_LONGEST_INDENT = 1024
# Blank lines are kept unread by the hot path for no longer than this.
_LONGEST_GAP = 256
_SPACES = re.compile(r" *")


class BlockText:
    """Reads a block whose key stands in the column *parent*; *say* takes the text.

    ``done`` once a line came that does not belong to it; that line is not read.
    """

    def __init__(self, header: BlockHeader, parent: int, say: Callable[[str], None]) -> None:
        self._header = header
        self._parent = parent
        self._say = say
        self._newline = header.newline
        self._breaks = 0  # since the last line of the text, or since the header
        self._in_line = False
        self._begun = False
        self._stands_out = False  # a line that is indented further is not folded
        self.done = False
        self._indent = 0
        if header.indent:
            self._indented(parent + header.indent)

    def feed(self, text: str, at: int, final: bool) -> int:
        """Read on from *at*, as far as is certain."""
        while at < len(text) and not self.done:
            step = self._line if self._in_line else self._line_begins
            stop = step(text, at, final)
            if stop == at:
                break
            at = stop
        return at

    def end(self) -> None:
        """The text is over; its last line breaks are what the header says."""
        breaks = 1 if self._begun and self._breaks else 0
        if self._header.chomping:
            breaks = self._breaks if self._header.chomping == "+" else 0
        if breaks:
            self._say("\n" * breaks)

    def streaming(self, call: QuotingCall) -> StreamedString | None:
        """The text for the hot path, where it goes to *call*."""
        if not self._in_line or self._header.folded or self._newline != "\n":
            return None
        return call.streaming(self._stop, self._shown)

    def _line_begins(self, text: str, at: int, final: bool) -> int:
        spaces = _SPACES.match(text, at)
        assert spaces is not None, "matches the empty string"
        first, column = spaces.end(), spaces.end() - at
        if self._indent and column > self._indent:
            first, column = at + self._indent, self._indent
        if column > _LONGEST_INDENT:
            self.done = True
            return at
        if first == len(text) or (self._newline == "\r\n" and text[first : first + 2] == "\r"):
            return len(text) if final else at
        if text.startswith(self._newline, first):
            self._breaks += 1
            return first + len(self._newline)
        if column <= self._parent or (self._indent and column < self._indent):
            self.done = True
            return at
        if not self._indent:
            self._indented(column)
        self._open_line(text[first])
        return first

    def _indented(self, indent: int) -> None:
        self._indent = indent
        width = f" {{0,{indent}}}"
        self._certain = re.compile(rf"[^\n]*(?:\n(?:{width}\n)* {{{indent}}}[^\n]+)*")
        self._gap = re.compile(rf"\n(?:{width}\n)*{width}\Z")
        self._margin = re.compile(rf"\n{width}")

    def _open_line(self, first: str) -> None:
        """A line that begins with *first*: now it is known what the breaks before it are."""
        breaks, self._breaks = self._breaks, 0
        stands_out, self._stands_out = self._stands_out, first in " \t"
        between = "\n" * breaks
        if self._header.folded and self._begun and not stands_out and not self._stands_out:
            between = between[1:] or " "
        self._in_line = self._begun = True
        if between:
            self._say(between)

    def _line(self, text: str, at: int, final: bool) -> int:
        newline = text.find(self._newline, at)
        stop = newline if newline >= 0 else len(text)
        if newline < 0 and not final and self._newline == "\r\n" and text[-1] == "\r":
            stop -= 1
        if stop > at:
            self._say(text[at:stop])
            return stop
        if newline != at:
            return at
        self._in_line = False
        self._breaks = 1
        return at + len(self._newline)

    def _stop(self, text: str) -> int:
        found = self._certain.match(text)
        assert found is not None, "matches the empty string"
        stop = found.end()
        if stop == len(text):
            return stop
        return stop if len(text) - stop <= _LONGEST_GAP and self._gap.match(text, stop) else -1

    def _shown(self, piece: str) -> str:
        return self._margin.sub("\n", piece)
