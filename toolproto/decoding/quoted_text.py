"""A string in JSON's quotes, handed out while it comes.

A quote inside it that was not escaped is told from the last one by what stands behind it, and an
escape that nobody defines is code whose backslash was not doubled.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from ..events import Event, arguments_delta
from ..messages import Repair
from .json_end import STRING_ENDS, STRING_MARKS, string_stop
from .lenient import repairs as mend
from .scanner import MORE, NO
from .spoken_call import SpokenCall
from .string_feed import StreamedString

__all__ = ["QuotedText", "QuotingCall"]

_RUN = re.compile(r'[^"\\\x00-\x1f]+')
_ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})')
# The hot path looks ahead no further than this; what is nearer to the limit is read without it,
# because a call ends there however the text was cut into chunks.
_AHEAD = 512
_ESCAPE_BEGUN = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")


class QuotingCall(SpokenCall):
    """A call whose strings may also come with JSON's escapes in them."""

    _escaped: list[str] | None = None

    def open_quoted(self) -> None:
        """The argument is a string, of which the pieces come escaped."""
        self._escaped = []
        self._tell('"')

    def quoted(self, piece: str) -> None:
        """More of the string, as it stands between the quotes of JSON."""
        assert self._escaped is not None, "opened before"
        self._escaped.append(piece)
        self._tell(piece)

    def close_quoted(self) -> None:
        """The string is over."""
        body, self._escaped = "".join(self._escaped or ()), None
        self._tell('"')
        # Unescaped as a whole: the halves of a surrogate pair may have come apart.
        self._keep(json.loads(f'"{body}"'))

    def streaming(
        self, stop: Callable[[str], int], decode: Callable[[str], str] | None = None
    ) -> StreamedString:
        """The string being read, for the hot path; its end is looked for before the limit."""
        string = super().streaming(stop, decode)
        return replace(string, room=self.room - _AHEAD)

    def streaming_quoted(self) -> StreamedString:
        """The string being read, for the hot path: what is valid in JSON is handed on as it is."""
        assert self._escaped is not None, "opened before"
        write, keep = self._raw.write, self._escaped.append
        make = partial(arguments_delta, self.index)

        def take(piece: str) -> None:
            write(piece)
            keep(piece)

        def tell(piece: str) -> Event:
            take(piece)
            return make(piece)

        length, room = self._raw.tell(), self.room - _AHEAD
        return StreamedString(
            string_stop, tell, length, room, STRING_MARKS, STRING_ENDS, take, make
        )


class QuotedText:
    """Reads a string between double quotes from behind the first one; *say* takes it escaped.

    *ends* tells if a quote at some place is the last one (NO, MORE, or 0), and *cut* if a line
    break at some place is where a string without one ends. ``done`` behind the last quote.
    """

    def __init__(
        self,
        say: Callable[[str], None],
        ends: Callable[[str, int, bool], int],
        cut: Callable[[str, int, bool], int],
    ) -> None:
        self._say = say
        self._ends = ends
        self._cut = cut
        self.repairs: dict[Repair, None] = {}
        self.done = False

    def feed(self, text: str, at: int, final: bool) -> int:
        """Read on from *at*, as far as is certain."""
        while at < len(text) and not self.done:
            run = _RUN.match(text, at)
            stop = run.end() if run else self._at_mark(text, at, final)
            if stop == at:
                break
            if run:
                self._say(run.group())
            at = stop
        return at

    def _at_mark(self, text: str, at: int, final: bool) -> int:
        if text[at] == '"':
            return self._at_quote(text, at, final)
        if text[at] == "\\":
            return self._at_escape(text, at, final)
        return self._at_control(text, at, final)

    def _at_quote(self, text: str, at: int, final: bool) -> int:
        end = self._ends(text, at + 1, final)
        if end == MORE:
            return at
        if end == NO:
            self._mend('\\"', mend.UNESCAPED_QUOTE)
        else:
            self.done = True
        return at + 1

    def _at_escape(self, text: str, at: int, final: bool) -> int:
        escape = _ESCAPE.match(text, at)
        if escape:
            self._say(escape.group())
            return escape.end()
        if not final and _ESCAPE_BEGUN.match(text, at):
            return at
        # Nobody defines this one: it is code whose backslash was not doubled.
        self._mend("\\\\", mend.INVALID_ESCAPE)
        return at + 1

    def _at_control(self, text: str, at: int, final: bool) -> int:
        cut = self._cut(text, at, final) if text[at] in "\r\n" else NO
        if cut == MORE:
            return at
        if cut != NO:
            self.repairs[mend.MISSING_QUOTE] = None
            self.done = True
            return cut
        self._mend(json.dumps(text[at])[1:-1], mend.CONTROL_CHARACTER)
        return at + 1

    def _mend(self, piece: str, repair: Repair) -> None:
        self.repairs[repair] = None
        self._say(piece)
