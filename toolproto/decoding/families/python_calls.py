"""Python calls, in a list or one after the other, told of while they are being written.

``[get_weather(city="Paris", days=3), get_time(tz="UTC")]``: nothing is evaluated, nothing recurses,
and every departure from plain Python literals is labelled. Between calls whatever models put there
is passed over: quotes around a call, braces, commas, comments, a bracket too many.
"""

from __future__ import annotations

import re
from functools import cache

from ...messages import Grade, ProblemKind, Repair
from ..calls.pulled import Driven, cut_short
from ..calls.record import Beginning
from ..patterns import Pattern
from ..reply.hot_string import StreamedString
from ..source import Pull
from ..values import repairs as mend
from ..values.strict import Refused, malformed
from .python_arguments import (
    ESCAPED_NAME,
    MISSING_PAREN,
    Arguments,
    End,
    PythonCallSink,
    pass_comment,
)
from .python_words import LEAD, OPENING_QUOTES, CallLead, lead_of

__all__ = ["PythonCalls"]

_QUOTED_CALL = Repair("quoted_call")
_MISSING_COMMA = Repair("missing_comma")
_IN_EXPRESSION = Repair("in_expression", Grade.GUESSED)
_NOT_BETWEEN = re.compile(r"[^\s,;]")
_SEPARATOR = Pattern(r"[ \t]{0,8}[,;\r\n][\s,;]{0,80}")
_SEMICOLON = re.compile(r"[ \t]{0,8};")
_LIST_AGAIN = Pattern(r"[\s,;]{0,80}\[\s{0,80}")
# Behind a call these make it part of an expression: it is called, but not only that.
_GOES_ON_GLUED = Pattern(r"(?:\[|\.[^\W\d])()")
_GOES_ON_IN_LIST = Pattern(r"\[|\.[^\W\d]|\s{0,80}(?:[-+/%]|\*(?!\*)|(for|if|in|and|or|is|else)\b)")
_CLOSERS = frozenset(")]}")
_BEHIND_CALL = frozenset("}+-*/%\"'`“‘”’")  # what may touch a call in a list, and be no call
_DEEPEST_LIST = 3
_LONGEST_SEEN = 4096


@cache
def _unquote(quote: str) -> Pattern:
    """What closes *quote* around a call."""
    closers = re.escape(OPENING_QUOTES[quote[-1]])
    return Pattern(f"{re.escape(quote[:-1])}[{closers}]")


@cache
def _skip_stop(stops: str) -> re.Pattern[str]:
    return re.compile(rf"""[()\[\]{{}}"'\\{re.escape(stops)}]""")


class PythonCalls(Driven):
    """Reads the calls of one list, or those that follow each other without one.

    Unmarked, there has to be a whole call of an offered tool, and ``refused`` tells when there was
    none; until it is ``committed`` what was told may be taken back.
    """

    def __init__(self, begun: Beginning) -> None:
        super().__init__(begun)
        self._marked = begun.marked
        self._outbox = begun.setting.outbox
        self._call: PythonCallSink | None = None
        self._arguments: Arguments | None = None  # while they are read
        self._in_list, self._brackets = False, 0  # of lists around the calls
        self._quote = ""  # around the call that is being read, or was
        self._strays = False  # does anything stand in the list that is no call?
        self._odd: tuple[Repair, ...] = ()  # seen between calls, for the next one
        self._behind = self._separated = False  # did a call just end, and a comma come since?
        self._seen = ""  # the text before the first call
        self._lingered = self._outbox.linger
        self.interrupted = False

    @property
    def refused(self) -> bool:
        """Is it over without anything in it being a call?"""
        return self.done and not self.committed

    @property
    def streaming(self) -> StreamedString | None:
        """The string argument in which reading stands, if that is so."""
        return self._arguments.streaming if self._arguments is not None else None

    # -- driving ----------------------------------------------------------------------------

    def finish(self, reason: str | None) -> None:
        """The reply is over: a call that only lacks its parenthesis is mended."""
        self._give("", 0, self.source.base, True)  # all was read

    @property
    def _bounded(self) -> PythonCallSink | None:
        return self._call if self._arguments is not None else None

    def write(self) -> None:
        """Give the text read so far to the call, or keep it while there is none."""
        call, at = self._call, self.source.at
        text, self._written = self._all[self._written : at], at
        if call is not None:
            call.write(text[: call.room])
        elif not self.committed:
            self._seen = (self._seen + text)[:_LONGEST_SEEN]

    # -- calls ------------------------------------------------------------------------------

    def _lead(self, ahead: int = 0) -> Pull[CallLead | None]:
        return lead_of((yield from self.source.match(LEAD, ahead)))

    def _read_call(self, lead: CallLead) -> Pull[bool]:
        """Read the call that begins so; False if nothing more is to be read behind it."""
        call = self._open(lead)
        arguments = self._arguments
        assert arguments is not None, "opened"
        fault, how = yield from self._inside(call, arguments)
        if how is End.OVER and self._outbox.cut:
            fault = cut_short()
        elif fault is None and how is not End.CLOSED:
            fault = self._unclosed(call, arguments, how)
        elif fault is None:
            fault = yield from self._goes_on(call)
        self.write()
        self._call = None
        self.interrupted = how is End.MARKER
        return self._settle(call, arguments, fault) and not self.interrupted

    def _open(self, lead: CallLead) -> PythonCallSink:
        repairs = [*self._begun.drift, *self._odd]
        if self._behind and self._in_list and not self._separated:
            repairs.append(_MISSING_COMMA)
        if lead.odd or self._quote:
            repairs.append(_QUOTED_CALL)
        if lead.escaped:
            repairs.append(ESCAPED_NAME)
        self._quote = lead.quote or self._quote
        self._odd, self._behind, self._separated = (), False, False
        setting, source = self._setting, self.source
        start = source.base + lead.start
        call = PythonCallSink(setting, start, lead.name, drift=tuple(repairs))
        self.committed = self.committed or self._marked
        self._call, self._written, source.at = call, lead.start, lead.end
        self._arguments = Arguments(
            call, source, self.write, setting.depth, around=self._quote, in_list=self._in_list
        )
        return call

    def _inside(
        self, call: PythonCallSink, arguments: Arguments
    ) -> Pull[tuple[Refused | None, End]]:
        """Read the arguments: how they end, and why they cannot be used, if so."""
        self.limit()
        fault, how = None, End.CLOSED
        try:
            how = yield from arguments.read()
        except Refused as refused:
            fault = refused
        self._arguments = None
        self.limit()
        if fault is not None and self._is_meant(call, arguments):
            # So that the calls behind it are found.
            how = yield from self._skip(*arguments.open)
        return fault, how

    def _is_meant(self, call: PythonCallSink, arguments: Arguments) -> bool:
        """Is it a problem if it cannot be used, and not just text?"""
        known = call.tool is not None and not arguments.doubtful
        return self.committed or (known and (self._in_list or call.by_keyword))

    def _counts(self, call: PythonCallSink, arguments: Arguments) -> bool:
        """Is it a call without being sure to be one, now that it is whole?"""
        if not self._setting.offered.any:
            return self._in_list and call.by_keyword
        if call.tool is None or arguments.doubtful:
            return False
        return self._in_list or bool(call.arguments) or not call.tool.required

    def _unclosed(self, call: PythonCallSink, arguments: Arguments, how: End) -> Refused | None:
        """No parenthesis came: what is wrong with that, if anything."""
        if arguments.is_whole:
            call.mended(MISSING_PAREN)
            return None
        if how is End.MARKER:
            return malformed("its closing parenthesis is missing")
        return Refused(ProblemKind.TRUNCATED, "it is cut short, or lacks a value")

    def _goes_on(self, call: PythonCallSink) -> Pull[Refused | None]:
        """The call is closed; is it a call, or the beginning of an expression?"""
        pattern = _GOES_ON_IN_LIST if self._in_list else _GOES_ON_GLUED
        found = yield from self.source.match(pattern)
        if found and found[1]:
            return malformed(f"{found[1]!r} stands behind it")
        if found:
            call.mended(_IN_EXPRESSION)
        return None

    def _settle(self, call: PythonCallSink, arguments: Arguments, fault: Refused | None) -> bool:
        """The call is over; False if it was none."""
        if fault is None:
            try:
                arguments.finish()
                call.settle()
            except Refused as refused:
                fault = refused
        self._behind = True
        meant = self._is_meant(call, arguments)
        if fault is None and (
            meant or self._counts(call, arguments) or (self._in_list and call.tool is None)
        ):
            call.complete()
        elif fault is not None and meant:
            call.reject(fault.kind, fault.message)
        else:
            return False
        self.committed = self.committed or meant or self._counts(call, arguments)
        return True

    def _skip(self, depth: int, quote: str, stops: str = "") -> Pull[End]:
        """Pass over what cannot be read, to the bracket that closes *depth* open ones.

        *quote* is that of an open string. Instead of a bracket, one of *stops* may end it, and is
        not passed over then. A marker ends it anywhere: where quotes are wrong, what looks like a
        string may be none.
        """
        source, last, stop = self.source, "", _skip_stop(stops + self.source.firsts)
        while not (yield from source.at_end()):
            passed = yield from source.before(stop)
            if passed:
                last = passed[-1]
                continue
            passed = char = yield from source.peek()
            if not char:
                return End.OVER
            if char in stops and depth <= 0 and not quote:
                return End.CLOSED
            if char == "\\":
                passed = yield from source.peek(2)
            elif quote and (yield from source.peek(len(quote))) == quote:
                passed, quote = quote, ""
            elif not quote:
                depth += (char in "([{") - (char in ")]}")
                if char in "\"'" and not last.isalnum():  # else it is an apostrophe
                    quote = char
            source.at += len(passed)
            last = passed[-1]
            if depth == 0 and not stops:
                return End.CLOSED
        return End.MARKER

    # -- around them ------------------------------------------------------------------------

    def _read(self) -> Pull[None]:
        start = self.source.offset
        yield from self._read_calls()
        if self._brackets:
            self._outbox.amend(mend.MISSING_CLOSE)
        self._outbox.linger = self._lingered
        if not self._lingered:
            self._outbox.settle()
        empty = self._in_list and not self._strays  # which is left to the caller
        if self._marked and not self.committed and not empty:
            self.write()
            self.committed = True
            message = "there is no call in it; expected name(argument=value)"
            self._outbox.rejected_text(ProblemKind.MALFORMED, message, self._seen, start)

    def _read_calls(self) -> Pull[None]:
        source = self.source
        char = yield from source.skip_space()
        if not char:
            return
        self._in_list = char == "["
        self._outbox.linger = self._in_list or self._marked  # until it shows what is behind
        yield from (self._read_list() if self._in_list else self._read_run())

    def _read_run(self) -> Pull[None]:
        """Calls that follow each other."""
        lead = yield from self._lead()
        if lead is None or not (self._marked or self._is_offered(lead.name)):
            return
        while lead is not None and (yield from self._read_call(lead)):
            lead = yield from self._next_lead()

    def _next_lead(self) -> Pull[CallLead | None]:
        """The next call of a run."""
        source = self.source
        yield from self._unquote()
        if (yield from source.at_end()):
            return None
        if self._marked and self._is_extra((yield from source.peek())):
            source.at += 1
        separator = yield from source.match(_SEPARATOR)
        if separator is None:
            return None
        lead = yield from self._lead(len(separator[0]))
        takes_any = self._marked and not self._setting.offered.any
        if lead is not None and (takes_any or self._is_offered(lead.name)):
            return lead
        semicolon = _SEMICOLON.match(source.text, source.at)
        source.at = semicolon.end() if semicolon else source.at
        return None

    def _read_list(self) -> Pull[None]:
        """The calls of a list, and what stands between them."""
        source, goes_on = self.source, True
        source.at += 1
        self._brackets = 1
        while goes_on:
            if source.firsts and (yield from source.at_end()):
                self.interrupted = True
                return
            char = yield from source.peek()
            if not char:
                return
            if char.isspace() or char in ",;":
                between = yield from source.before(_NOT_BETWEEN)
                self._separated = self._separated or not between.isspace()
            elif char == "#":
                yield from pass_comment(source)
            elif char == "]":
                self._brackets -= 1
                source.at += 1
                goes_on = self._brackets > 0 or (yield from self._behind_list())
            elif not (yield from self._unquote()):
                lead = yield from self._lead()
                goes_on = yield from self._read_call(lead) if lead else self._no_call(char)

    def _behind_list(self) -> Pull[bool]:
        """Behind a list: a bracket too many, another list, or the end."""
        source = self.source
        if (yield from source.at_end()):
            return False
        if self._is_extra((yield from source.peek())):
            source.at += 1
        again = yield from source.match(_LIST_AGAIN)
        lead = (yield from self._lead(len(again[0]))) if again else None
        if lead is None or not self._is_offered(lead.name):
            return False
        self._brackets, self._behind = 1, False
        return (yield from self._read_call(lead))

    def _no_call(self, char: str) -> Pull[bool]:
        """In a list, something that is no call; False if it is the end of everything."""
        source = self.source
        apart = self._separated or not self._behind
        if char == "[" and apart and self._brackets < _DEEPEST_LIST:
            self._brackets += 1
            source.at += 1
            return True
        if (self._behind and char in _BEHIND_CALL) or self._is_extra(char):
            source.at += 1
            return True
        if not self._marked and not self.committed:
            return False
        self._outbox.amend(mend.STRAY_TEXT)
        self._odd, self._strays = (mend.STRAY_TEXT,), True
        yield from self._skip(0, "", stops=",]")
        return True

    def _unquote(self) -> Pull[bool]:
        """Pass over the quote that ends a quoted call."""
        if not self._quote or not self._behind:
            return False
        if not (yield from self.source.take(_unquote(self._quote))):
            return False
        self._quote = ""
        return True

    def _is_extra(self, char: str) -> bool:
        """Is this one bracket too many? The call before lingers, and is told to have it."""
        if not self._behind or char not in _CLOSERS:
            return False
        self._behind = False
        self._outbox.amend(mend.EXTRA_CLOSE)
        return True

    def _is_offered(self, name: str) -> bool:
        return self._setting.offered.any and self._setting.offered.knows(name)
