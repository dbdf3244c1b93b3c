"""A call with a line for each argument, and a block without any escapes for a long text.

::

    <<call write_file
    path = "notes.txt"
    content <<END
    any text, as it is
    END
    call>>

Behind ``=`` stands JSON, behind ``<<`` the word that will stand, alone in a line, below the text.
The text begins behind the line break above it and ends before the one below: a text that ends in
a line break is followed by an empty line. Inside it nothing but that word means anything.
"""

from __future__ import annotations

import re
from io import StringIO

from ..messages import ProblemKind, Repair
from .lenient import read_json
from .lenient import repairs as mend
from .own_calls import OwnCalls, ends_name
from .plain_values import FlowText, bare_value, kinds_of
from .quoted_text import QuotedText, QuotingCall
from .raw_block import RawBlock
from .scanner import MORE, NO
from .strict import Reading, Refusal
from .string_feed import StreamedString

__all__ = ["RawCalls"]

_NAME = re.compile(r"([A-Za-z_](?:[\w.:/-]|\\_){0,127})(?:\(\))?")
_KEY = r"([^\W\d][\w.-]{0,200}|\"(?:[^\"\\\n]|\\.){0,200}\")[ \t]{0,8}"
_VALUE = re.compile(rf"{_KEY}([=:])[ \t]{{0,80}}(?=[^ \t])")
_BLOCK = re.compile(rf"{_KEY}[=:]?[ \t]{{0,8}}<<-?([\"']?)(\w{{1,64}})\2[ \t]{{0,8}}(\r?\n)")
# More than the longest head of an argument.
_LONGEST_HEAD = 512
_SPACE = re.compile(r"[\s,;]+")
_WANTED = 'write each argument as a line: key = "value", or key <<END, its text, and END'


class RawCalls(OwnCalls):
    """Reads one call."""

    _block: RawBlock | None = None
    _quoted: QuotedText | None = None
    _flow: FlowText | None = None
    _key: str | None = None  # of the argument being read
    _bare: StringIO | None = None

    @property
    def streaming(self) -> StreamedString | None:
        """The string argument in which reading stands, if that is so."""
        if self._step == self._in_block and self._block is not None:
            return self._block.streaming
        if self._step == self._in_quoted and self._call is not None:
            return self._call.streaming_quoted()
        return None

    def finish(self, reason: str | None) -> None:
        """The reply is over inside the call."""
        if self._call is None:
            self._refuse(0)
        elif self._step == self._in_bare and reason != "length":
            self._end_bare()
            self._complete()
        elif self._step == self._at_line and reason != "length":
            self._complete()
        else:
            self._cut_short()

    # -- lines ----------------------------------------------------------------------------

    def _begin(self, text: str, at: int, base: int, final: bool) -> int:
        named = _NAME.match(text, at)
        if named is None:
            return self._refuse(at)
        if ends_name(text, named.end()) and not final:
            return at
        name, over = named.group(1).replace("\\_", "_"), self._line_over(text, named.end(), final)
        if over == MORE:
            return at
        known = self._setting.offered.any and self._setting.offered.knows(name)
        if not known and (over == NO or self._setting.gated):
            return self._refuse(at)
        if over == NO:
            self._drift = (*self._drift, Repair("missing_line_break"))
        self._open_call(name)
        self._step = self._at_line
        return named.end()

    def _at_line(self, text: str, at: int, base: int, final: bool) -> int:
        space = _SPACE.match(text, at)
        if space:
            return space.end()
        end = self._end_at(text, at, final)
        if end >= 0:
            self._complete()
        if end != NO:
            return at
        if text[at] == "{":
            return self._open_flow(at)
        return self._at_argument(text, at, final)

    def _at_argument(self, text: str, at: int, final: bool) -> int:
        assert self._call is not None, "opened with the name"
        last = at + _LONGEST_HEAD
        block = _BLOCK.match(text, at, last)
        if block:
            self._call.key(_plain(block.group(1)))
            self._block = RawBlock(self._call, block.group(3), block.group(4))
            self._step = self._in_block
            return block.end()
        if (
            not final
            and len(text) < last
            and "\n" not in text[at:]
            and not self._is_value(text, at)
        ):
            return at
        value = _VALUE.match(text, at, last)
        if value is None:
            self._fail(ProblemKind.MALFORMED, f"a line in it is no argument; {_WANTED}")
            return at
        if value.group(2) == ":":
            self._call.mended(mend.ODD_SEPARATOR)
        self._key = _plain(value.group(1))
        self._call.key(self._key)
        return self._open_value(text, value.end())

    def _is_value(self, text: str, at: int) -> bool:
        """Is it certain, before the line is over, that no block begins in it?"""
        value = _VALUE.match(text, at)
        return value is not None and text[value.end()] != "<"

    # -- values ---------------------------------------------------------------------------

    def _open_value(self, text: str, at: int) -> int:
        assert self._call is not None, "opened with the name"
        if text[at] == '"':
            self._call.open_quoted()
            self._quoted = QuotedText(self._call.quoted, self._line_over, self._line_cut)
            self._step = self._in_quoted
            return at + 1
        if text[at] in "{[" and kinds_of(self._call.tool, self._key or "") != {"string"}:
            return self._open_flow(at)
        self._bare = StringIO()
        self._step = self._in_bare
        return at

    def _in_block(self, text: str, at: int, base: int, final: bool) -> int:
        assert self._block is not None, "opened before"
        stop = self._block.feed(text, at, final)
        if self._block.done:
            self._step = self._at_line
        return stop

    def _in_quoted(self, text: str, at: int, base: int, final: bool) -> int:
        assert self._quoted is not None and self._call is not None, "opened before"
        stop = self._quoted.feed(text, at, final)
        if self._quoted.done:
            self._call.close_quoted()
            self._mended(*self._quoted.repairs)
            self._step = self._at_line
        return stop

    def _open_flow(self, at: int) -> int:
        self._flow = FlowText(self._end_at)
        self._step = self._in_flow
        return at

    def _in_flow(self, text: str, at: int, base: int, final: bool) -> int:
        assert self._flow is not None and self._call is not None, "opened before"
        stop = self._flow.feed(text, at, final)
        if self._flow.done:
            self._step = self._at_line
            self._tell(self._call, self._flow.value())
        return stop

    def _tell(self, call: QuotingCall, reading: Reading | Refusal) -> None:
        """The value in brackets is that of an argument, or all arguments if it has no key."""
        key, self._key = self._key, None
        if isinstance(reading, Refusal):
            self._fail(reading.kind, reading.message)
            return
        self._mended(*reading.repairs)
        if key is not None:
            call.value(reading.value)
            return
        if not isinstance(reading.value, dict):
            self._fail(ProblemKind.MALFORMED, f"a line in it is no argument; {_WANTED}")
            return
        for name, value in reading.value.items():
            call.key(name)
            call.value(value)

    def _in_bare(self, text: str, at: int, base: int, final: bool) -> int:
        assert self._bare is not None, "opened before"
        end = NO if text[at] != "\n" else 0
        if self._marks.match(text, at):
            end = self._end_at(text, at, final)
        if end == NO:
            stop = self._bare_stop.search(text, at + 1)
            self._bare.write(text[at : stop.start() if stop else len(text)])
            return stop.start() if stop else len(text)
        if end != MORE:
            self._end_bare()
        return at

    def _end_bare(self) -> None:
        assert self._call is not None and self._bare is not None, "opened before"
        wanted = kinds_of(self._call.tool, self._key or "")
        value, repairs = bare_value(self._bare.getvalue().rstrip(), wanted)
        self._call.value(value)
        self._mended(*repairs)
        self._key = None
        self._step = self._at_line

    def _mended(self, *repairs: Repair) -> None:
        assert self._call is not None, "opened with the name"
        for repair in repairs:
            self._call.mended(repair)


def _plain(key: str) -> str:
    """*key* without its quotes."""
    reading = read_json(key) if key[0] == '"' else None
    return str(reading.value) if isinstance(reading, Reading) else key.strip('"')
