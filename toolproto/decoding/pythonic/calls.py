"""Python calls, in a list or one after the other, told of while they are being written.

A call is announced when its name and parenthesis have been read, and its arguments are handed out
as they become certain. Between calls whatever models put there is passed over: quotes around a
call, braces, commas, comments, a bracket too many.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ...messages import CallProblem, ProblemKind, Repair, Span
from ..call_draft import CallSetting
from ..lenient import repairs as mend
from ..scanner import MORE, NO, Marker
from ..string_feed import StreamedString
from .elements import ESCAPED_NAME
from .names import OPENING_QUOTES, CallLead, call_lead
from .one_call import OneCall
from .quotes import Around
from .skipping import Skipper
from .spoken import PythonCall
from .words import marker_at

__all__ = ["PythonCalls"]

QUOTED_CALL = Repair("quoted_call")
MISSING_COMMA = Repair("missing_comma")
_BETWEEN = re.compile(r"[\s,;]+")
_LINE = re.compile(r"[^\r\n]*")
_SEPARATOR = re.compile(r"[ \t]{0,8}[,;\r\n][\s,;]{0,80}")
_SEPARATOR_BEGUN = re.compile(r"[ \t]{0,8}\Z")
_LIST_AGAIN = re.compile(r"[\s,;]{0,80}\[\s{0,80}")
_LIST_AGAIN_BEGUN = re.compile(r"[\s,;]{0,80}\Z")
_SEMICOLON = re.compile(r"[ \t]{0,8};")
_QUOTES = frozenset("\"'`“‘”’")
_OPERATORS = frozenset("+-*/%")
_DEEPEST_LIST = 3
_LONGEST_SEEN = 4096


class PythonCalls:
    """Reads the calls of one list, or those that follow each other without one.

    *marked* says that a marker stands before them, so that they are meant as calls whatever their
    names; *drift* is how each departs from the asked form; *ends* are markers that no call goes
    on behind. Unmarked, there has to be a whole call of an offered tool, and ``refused`` tells
    when there was none; until it is ``committed`` what was told may be taken back.
    """

    def __init__(
        self,
        setting: CallSetting,
        *,
        marked: bool,
        drift: tuple[Repair, ...] = (),
        ends: Sequence[Marker] = (),
    ) -> None:
        self._setting = setting
        self._outbox = setting.outbox
        self._marked = marked
        self._drift = drift
        self._ends = ends
        self._step: Callable[[str, int, bool], int] = self._start
        self._call: OneCall | None = None
        self._stray: Skipper | None = None
        self._brackets = 0  # of lists around the calls
        self._in_list = False
        self._quote = ""  # around the call that is being read, or was
        self._strays = False  # does anything stand in the list that is no call?
        self._odd: tuple[Repair, ...] = ()  # seen between calls, for the next one
        self._behind = False  # did a call just end?
        self._separated = False  # did a comma come since?
        self._seen = ""  # the text before the first call
        self._begin = -1
        self._base = self._mark = 0
        self._lingered = self._outbox.linger
        self.done = False
        self.committed = False
        self.interrupted = False

    @property
    def refused(self) -> bool:
        """Is it over without anything in it being a call?"""
        return self.done and not self.committed

    @property
    def streaming(self) -> StreamedString | None:
        """The string argument in which reading stands, if that is so."""
        return self._call.streaming if self._call is not None else None

    def take_pushback(self) -> str:
        """Nothing is read that would have to be read again."""
        return ""

    def feed(self, text: str, at: int, base: int, final: bool) -> int:
        """Read on from *at* in *text*, whose first character is *base* in the reply."""
        self._base, self._mark = base, at
        if self._begin < 0:
            self._begin = base + at
        stop = self._read(text, at, final)
        if not self.committed:
            self._seen = (self._seen + text[at:stop])[:_LONGEST_SEEN]
        self._answer_nothing()
        return stop

    def _read(self, text: str, at: int, final: bool) -> int:
        while at < len(text) and not self.done:
            step = self._step
            stop = step(text, at, final)
            if stop == at and self._step == step:
                break
            at = stop
        return at

    def finish(self, reason: str | None) -> None:
        """The reply is over: a call that only lacks its parenthesis is mended."""
        if self.done:
            return
        if self._call is not None:
            self._call.finish(cut=reason == "length")
            self._settle(self._call)
        self._end()
        self._answer_nothing()

    # -- calls ----------------------------------------------------------------------------

    def _open(self, lead: CallLead, text: str) -> int:
        repairs = [*self._drift, *self._odd]
        if self._behind and self._in_list and not self._separated:
            repairs.append(MISSING_COMMA)
        if lead.odd or self._quote:
            repairs.append(QUOTED_CALL)
        if lead.escaped:
            repairs.append(ESCAPED_NAME)
        self._quote = lead.quote or self._quote
        self._odd, self._behind, self._separated = (), False, False
        start = self._base + lead.start
        call = PythonCall(self._setting, start, lead.name, drift=tuple(repairs))
        self.committed = self.committed or self._marked
        around = Around(self._quote, self._in_list, self._ends)
        self._call = OneCall(self._setting, call, around, is_sure=self.committed)
        call.write(text[lead.start : lead.end][: call.room])
        self._mark = lead.end
        self._step = self._in_call
        return lead.end

    def _in_call(self, text: str, at: int, final: bool) -> int:
        call = self._call
        assert call is not None, "opened before"
        stop = call.feed(text, at, self._mark, final)
        self._mark = stop
        if call.ended:
            self._settle(call)
            if call.interrupted:
                self._interrupt()
        return stop

    def _settle(self, call: OneCall) -> None:
        """The call is over."""
        call.settle()
        meant = call.is_meant or (call.fault is None and call.counts)
        if meant and call.fault is not None:
            call.call.reject(call.fault.kind, call.fault.message)
        elif meant or (call.fault is None and self._in_list and call.call.tool is None):
            call.call.complete()
        else:
            self._end()
        self.committed = self.committed or meant
        self._call = None
        self._behind = True
        self._step = self._item if self._in_list else self._between

    # -- around them ----------------------------------------------------------------------

    def _start(self, text: str, at: int, final: bool) -> int:
        if text[at].isspace():
            return at + 1
        self._in_list = text[at] == "["
        self._outbox.linger = self._in_list or self._marked  # until it shows what is behind
        if not self._in_list:
            self._step = self._first
            return at
        self._brackets = 1
        self._step = self._item
        return at + 1

    def _first(self, text: str, at: int, final: bool) -> int:
        """The first call of a run."""
        lead = call_lead(text, at, final)
        if isinstance(lead, str):
            return at
        if lead is not None and (self._marked or self._is_offered(lead.name)):
            return self._open(lead, text)
        self._end()
        return at

    def _between(self, text: str, at: int, final: bool) -> int:
        """Behind a call of a run: another one, or the end."""
        unquoted = self._unquote(text, at, final)
        if unquoted is not None:
            return unquoted
        if self._marked and self._extra(text[at]):
            return at + 1
        separator = _SEPARATOR.match(text, at)
        if separator is None:
            if final or not _SEPARATOR_BEGUN.match(text, at):
                self._end()
            return at
        lead = call_lead(text, separator.end(), final)
        if isinstance(lead, str):
            return at
        if lead is not None and (self._is_offered(lead.name) or self._takes_any):
            return self._open(lead, text)
        self._end()
        semicolon = _SEMICOLON.match(text, at)
        return semicolon.end() if semicolon else at

    def _item(self, text: str, at: int, final: bool) -> int:
        """Between the calls of a list."""
        marker = marker_at(self._ends, text, at, final)
        if marker not in (NO, MORE):
            self._interrupt()
        if marker != NO:
            return at
        between = _BETWEEN.match(text, at)
        if between:
            self._separated = self._separated or not between[0].isspace()
            return between.end()
        if text[at] == "]":
            self._brackets -= 1
            self._step = self._item if self._brackets else self._behind_list
            return at + 1
        if text[at] == "#":
            self._step = self._comment
            return at
        unquoted = self._unquote(text, at, final)
        if unquoted is not None:
            return unquoted
        lead = call_lead(text, at, final)
        if isinstance(lead, str):
            return at
        return self._open(lead, text) if lead is not None else self._no_call(text[at], at)

    def _comment(self, text: str, at: int, final: bool) -> int:
        line = _LINE.match(text, at)
        assert line is not None, "matches the empty string"
        if line.end() < len(text):
            self._step = self._item
        return line.end()

    def _unquote(self, text: str, at: int, final: bool) -> int | None:
        """Pass over the quote that ends a quoted call."""
        if not self._quote or not self._behind:
            return None
        stop = at + len(self._quote)
        if stop > len(text) and not final and self._quote.startswith(text[at:]):
            return at
        before, closers = self._quote[:-1], OPENING_QUOTES[self._quote[-1]]
        if text[at : stop - 1] != before or text[stop - 1 : stop] not in closers:
            return None
        self._quote = ""
        return stop

    def _no_call(self, char: str, at: int) -> int:
        """In a list, something that is no call."""
        apart = self._separated or not self._behind
        if char == "[" and apart and self._brackets < _DEEPEST_LIST:
            self._brackets += 1
            return at + 1
        if self._behind and (char == "}" or char in _OPERATORS or char in _QUOTES):
            return at + 1
        if self._extra(char):
            return at + 1
        if not self._marked and not self.committed:
            self._end()
            return at
        self._outbox.amend(mend.STRAY_TEXT)
        self._odd = (mend.STRAY_TEXT,)
        self._strays = True
        self._stray = Skipper(0, "", self._ends, stops=",]")
        self._step = self._in_stray
        return at

    def _in_stray(self, text: str, at: int, final: bool) -> int:
        assert self._stray is not None, "made before"
        stop = self._stray.feed(text, at, final)
        if self._stray.done or self._stray.interrupted:
            self._step = self._item
        return stop

    def _behind_list(self, text: str, at: int, final: bool) -> int:
        """Behind a list: a bracket too many, another list, or the end."""
        if self._extra(text[at]):
            return at + 1
        again = _LIST_AGAIN.match(text, at)
        lead = call_lead(text, again.end(), final) if again else None
        if not final and (isinstance(lead, str) or _LIST_AGAIN_BEGUN.match(text, at)):
            return at
        if isinstance(lead, CallLead) and self._is_offered(lead.name):
            self._brackets, self._behind = 1, False
            return self._open(lead, text)
        self._end()
        return at

    def _extra(self, char: str) -> bool:
        """Is this one bracket too many? The call before lingers, and is told to have it."""
        if not self._behind or char not in ")]}":
            return False
        self._behind = False
        self._outbox.amend(mend.EXTRA_CLOSE)
        return True

    @property
    def _takes_any(self) -> bool:
        return self._marked and not self._setting.offered.any

    def _is_offered(self, name: str) -> bool:
        return self._setting.offered.any and self._setting.offered.knows(name)

    # -- the end --------------------------------------------------------------------------

    def _interrupt(self) -> None:
        """A marker that ends calls stands here."""
        self.interrupted = True
        self._end()

    def _end(self) -> None:
        """Nothing more is read."""
        self.done = True
        if self._brackets:
            self._outbox.amend(mend.MISSING_CLOSE)
        self._outbox.linger = self._lingered
        if not self._lingered:
            self._outbox.settle()

    def _answer_nothing(self) -> None:
        """Where calls were meant and none came, say so; an empty list is left to the caller."""
        empty = self._in_list and not self._strays
        if not self.done or not self._marked or self.committed or empty:
            return
        self.committed = True
        span = Span(self._begin, self._begin + len(self._seen))
        message = "there is no call in it; expected name(argument=value)"
        problem = CallProblem(ProblemKind.MALFORMED, message, self._seen, span)
        self._outbox.rejected(None, problem)
