"""Calls in YAML: ``tool: get_weather``, and the arguments indented below ``arguments:``.

Read is the part of YAML that models write in calls: mappings and lists by indentation, JSON in
brackets, quoted and plain scalars, blocks of text, comments, several documents. A reader of our own
does it, for three reasons: it hands arguments out while they come, which no YAML library does;
anchors, aliases and tags are nothing a model should be able to use; and whether ``no`` and ``3.10``
are strings is a question for the tool's schema, not for YAML 1.1's guesses.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from io import StringIO
from typing import Any

from ..messages import CallProblem, ProblemKind, Repair
from .call_draft import CallSetting
from .own_calls import OwnCalls
from .plain_values import FlowText, kinds
from .quoted_text import QuotedText
from .scanner import MORE, NO, Marker
from .strict import Refusal, Refused
from .string_feed import StreamedString
from .yaml_lines import BlockHeader, Line, block_header, plain_scalar, read_line
from .yaml_text import BlockText
from .yaml_tree import YamlTree

__all__ = ["YamlCalls"]

_INDENT = re.compile(r"[ \t]*")
_LONGEST_INDENT = 1024
_NEWLINE = re.compile(r"\r?\n")
_BETWEEN = re.compile(r"(?:---|\.\.\.)(?=[ \t\r\n])")
_BETWEEN_BEGUN = re.compile(r"(?:-{1,3}|\.{1,3})\Z")
_BEHIND_VALUE = re.compile(r"[ \t,;]+")
_COMMENT = re.compile(r"[ \t]{1,64}#")
_LINE = re.compile(r"[^\n]+")
_LINE_OVER = re.compile(r"\r?\n|#|\r\Z")


class YamlCalls(OwnCalls):
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
        self._quoted: QuotedText | None = None
        self._flow: FlowText | None = None
        self._block: BlockText | None = None
        self._parts: list[str] = []  # of a text that is not handed out

    @property
    def streaming(self) -> StreamedString | None:
        """The string argument in which reading stands, if that is so."""
        if self._call is None:
            return None
        if self._step == self._in_block and self._block is not None:
            return self._block.streaming(self._call)
        return self._call.streaming_quoted() if self._step == self._in_quoted else None

    def finish(self, reason: str | None) -> None:
        """The reply is over inside a call."""
        between = self._step in (
            self._at_line,
            self._in_plain,
            self._behind_value,
            self._in_comment,
        )
        if self._fault is None and between and reason != "length":
            self._close()
            return
        self._fault = self._fault or (ProblemKind.TRUNCATED, "it is cut short")
        self._complete()

    def _close(self) -> None:
        """No more lines come."""
        try:
            self._end_plain()
            self._tree.close()
        except Refused as refused:
            self._fault = (refused.kind, refused.message)
        self._complete()

    @property
    def _is_open(self) -> bool:
        return self._tree.draft is not None

    @property
    def _room(self) -> int:
        draft = self._tree.draft
        return sys.maxsize if draft is None or self._fault is not None else draft.room

    def _write(self, piece: str) -> None:
        self.committed = self.committed or self._tree.committed
        if self._tree.draft is not None and not self.done:
            self._tree.draft.write(piece)

    def _fail(self, kind: ProblemKind, message: str) -> None:
        if not self.committed and not self._tree.committed:
            self._refuse(0)
        else:
            super()._fail(kind, message)

    def _complete(self, *repairs: Repair) -> None:
        self.done = True
        self.committed = self.committed or self._tree.committed
        self.refused = not self.committed
        if self._fault is None or not self.committed:
            return
        if self._tree.draft is not None:
            self._tree.draft.reject(*self._fault)
        else:
            self._setting.outbox.rejected(None, CallProblem(*self._fault))

    # -- lines ----------------------------------------------------------------------------

    def _begin(self, text: str, at: int, base: int, final: bool) -> int:
        self._step = self._at_line
        return at

    def _at_line(self, text: str, at: int, base: int, final: bool) -> int:
        space = _INDENT.match(text, at)
        assert space is not None, "matches the empty string"
        first = space.end()
        if first - at > _LONGEST_INDENT:
            raise Refused(ProblemKind.MALFORMED, "a line in it is indented too far")
        if first == len(text) or text[first : first + 2] == "\r":
            return len(text) if final else at
        newline = _NEWLINE.match(text, first)
        if newline:
            return newline.end()
        end = self._end_at(text, first, final)
        if end >= 0:
            self._close()
        if end != NO:
            return at
        if text[first] == "#":
            self._step = self._in_comment
            return first
        if first == at and text[at] in "-.":
            between = _BETWEEN.match(text, at)
            if between:
                return self._between_documents(between.end())
            if not final and _BETWEEN_BEGUN.match(text, at):
                return at
        line = read_line(text, first, first - at, final)
        return self._place(line, first, base + at) if isinstance(line, Line) else at

    def _between_documents(self, end: int) -> int:
        self._end_plain()
        self._tree.close()
        self._step = self._in_comment  # whatever stands behind it
        return end

    def _place(self, line: Line, first: int, start: int) -> int:
        if self._plain is not None and self._tree.goes_on(line):
            self._plain.write(" ")
            self._step = self._in_plain
            return first
        self._end_plain()
        self._tree.place(line, start)
        self._step = self._at_value
        return line.end

    def _in_comment(self, text: str, at: int, base: int, final: bool) -> int:
        newline = text.find("\n", at)
        if newline >= 0:
            self._step = self._at_line
        return newline + 1 if newline >= 0 else len(text)

    # -- values ---------------------------------------------------------------------------

    def _at_value(self, text: str, at: int, base: int, final: bool) -> int:
        char = text[at]
        if char in " \t":
            return at + 1
        if text[at : at + 2] == "\r" and not final:
            return at
        if _LINE_OVER.match(text, at):
            self._step = self._in_comment
            return at
        header = block_header(text, at, final) if char in "|>" else None
        if header == MORE:
            return at
        if isinstance(header, BlockHeader):
            return self._open_block(header)
        if char == '"':
            return self._open_quoted(at + 1)
        if char in "{[" and kinds(self._tree.schema) != {"string"}:
            self._flow = FlowText(self._end_at)
            self._step = self._in_flow
            return at
        self._plain = StringIO()
        self._step = self._in_plain
        return at

    def _in_plain(self, text: str, at: int, base: int, final: bool) -> int:
        assert self._plain is not None, "opened before"
        line = _LINE.match(text, at)
        if line:
            self._plain.write(line.group())
            return line.end()
        self._step = self._at_line
        return at + 1

    def _end_plain(self) -> None:
        plain, self._plain = self._plain, None
        if plain is None:
            return
        value, repairs = plain_scalar(plain.getvalue(), kinds(self._tree.schema))
        if self._tree.draft is not None:
            self._tree.draft.mended(*repairs)
        self._tree.put(value)

    def _open_quoted(self, end: int) -> int:
        self._call, self._parts = self._tree.open_text(), []
        say = self._parts.append
        if self._call is not None:
            self._call.open_quoted()
            say = self._call.quoted
        self._quoted = QuotedText(say, self._quote_ends, self._line_cut)
        self._step = self._in_quoted
        return end

    def _quote_ends(self, text: str, at: int, final: bool) -> int:
        return 0 if _COMMENT.match(text, at) else self._line_over(text, at, final)

    def _in_quoted(self, text: str, at: int, base: int, final: bool) -> int:
        assert self._quoted is not None, "opened before"
        stop = self._quoted.feed(text, at, final)
        if not self._quoted.done:
            return stop
        self._step = self._behind_value
        if self._call is not None:
            self._call.close_quoted()
        text = "" if self._call else json.loads(f'"{"".join(self._parts)}"')
        self._close_text(text, *self._quoted.repairs)
        return stop

    def _close_text(self, text: str, *repairs: Repair) -> None:
        call, self._call = self._call, None
        if call is None:
            self._put(text, *repairs)
            return
        self._tree.close_text()
        for repair in repairs:
            call.mended(repair)

    def _put(self, value: Any, *repairs: Repair) -> None:
        """The value that was just read is *value*; it may show that there is no call."""
        if self._tree.draft is not None:
            self._tree.draft.mended(*repairs)
        try:
            self._tree.put(value)
        except Refused as refused:
            self._fail(refused.kind, refused.message)

    def _in_flow(self, text: str, at: int, base: int, final: bool) -> int:
        assert self._flow is not None, "opened before"
        stop = self._flow.feed(text, at, final)
        if self._flow.done:
            self._step = self._behind_value
            reading = self._flow.value()
            if isinstance(reading, Refusal):
                self._fail(reading.kind, reading.message)
            else:
                self._put(reading.value, *reading.repairs)
        return stop

    def _behind_value(self, text: str, at: int, base: int, final: bool) -> int:
        space = _BEHIND_VALUE.match(text, at)
        if space:
            return space.end()
        if text[at : at + 2] == "\r" and not final:
            return at
        if _LINE_OVER.match(text, at):
            self._step = self._in_comment
            return at
        end = self._end_at(text, at, final)
        if end == NO:
            raise Refused(ProblemKind.MALFORMED, "something stands behind a value in its line")
        if end != MORE:
            self._close()
        return at

    def _open_block(self, header: BlockHeader) -> int:
        self._call, self._parts = self._tree.open_text(), []
        say = self._parts.append
        if self._call is not None:
            self._call.open_text()
            say = self._call.text
        self._block = BlockText(header, self._tree.indent, say)
        self._step = self._in_block
        return header.end

    def _in_block(self, text: str, at: int, base: int, final: bool) -> int:
        assert self._block is not None, "opened before"
        stop = self._block.feed(text, at, final)
        if self._block.done:
            self._block.end()
            self._step = self._at_line
            if self._call is not None:
                self._call.close_text()
            self._close_text("".join(self._parts))
        return stop
