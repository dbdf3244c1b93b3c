"""Python calls, in a list or one after the other, told of while they are being written.

``[get_weather(city="Paris", days=3), get_time(tz="UTC")]``: nothing is evaluated, nothing recurses,
and every departure from plain Python literals is labelled. Between calls whatever models put there
is passed over: quotes around a call, braces, commas, comments, a bracket too many. Names come as
models write them: dotted, with underscores escaped for Markdown, between quotes, or with the quote
that opens the whole call before them. How far is looked is bounded everywhere.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ...messages import Grade, Repair
from ..calls.completion import UntilClosed
from ..calls.names import Offered
from ..calls.pulled import PulledCalls
from ..calls.record import Beginning, CallRecord
from ..faults import Refused, cut_short, malformed
from ..hot_string import StreamedString
from ..markers import MORE
from ..patterns import Pattern
from ..source import Pull, Source
from ..values import repairs as mend
from ..values.brackets import Brackets
from ..values.quotes import KEYWORD
from ..values.state import QUOTES
from .python_arguments import ESCAPED_NAME, Arguments
from .python_strings import unescaped

_QUOTED_CALL = Repair("quoted_call")
_IN_EXPRESSION = Repair("in_expression", Grade.GUESSED)

# -- how a call begins ------------------------------------------------------------------------

_NAME = r"(?:[^\W\d]|\\{1,2}_)(?:[\w.:/-]|\\{1,2}_){0,127}+"
_LEAD = (
    rf"""(?:\{{\s{{0,80}}+|print\(\s{{0,8}}+)?(\\?["'`“‘])?({_NAME})(\\?["'`”’])?[ \t]{{0,3}}\("""
)
#: What a call begins with: the quote before its name, the name, the quote behind it.
LEAD = Pattern(_LEAD)
#: What follows the bracket of a list of calls; the groups are those of :data:`LEAD`.
LISTED = rf"\s{{0,80}}+(?:\[\s{{0,80}}+)?+{_LEAD}"
_LIST_LEAD = Pattern(rf"\[{LISTED}")
_FIRST_ARGUMENT = Pattern(rf"\s{{0,80}}+(?:{KEYWORD}\s{{0,8}}=(?!=)|(\)\s{{0,8}}[],]))")


class CallLead(NamedTuple):
    """The beginning of a call: its name, where that begins, and what is behind its parenthesis.

    *quote* is what quotes the whole call, and *odd* what is odd about it.
    """

    name: str
    start: int
    end: int
    quote: str
    odd: list[Repair]


def lead_of(found: re.Match[str] | None) -> CallLead | None:
    """The call that begins with what :data:`LEAD` matched."""
    if found is None or (found[3] and not found[1]):
        return None
    quote, name, unquote = found.groups()
    before = found.string[found.start() : found.start(2)]
    if quote and "print(" in before:
        return None  # a text is printed
    # Gemini and Gemma print what a call returns.
    odd = [_IN_EXPRESSION if "print(" in before else _QUOTED_CALL] if before else []
    odd += [ESCAPED_NAME] if "\\" in name else []
    whole = quote if quote and not unquote else ""
    return CallLead(unescaped(name), found.start(2), found.end(), whole, odd)


def leading_call(
    text: str, at: int, final: bool, offered: Offered, *, asked: bool = False
) -> str | int:
    """The name of the call of an offered tool that begins at *at*, perhaps first in a list.

    Empty where there is none; MORE where more text has to come first. Where nothing is
    offered, or such calls were *asked* for, a list whose first call has a keyword argument is told
    from other text as well; and where they were, so is any name that its parenthesis touches, and
    where nothing is offered besides, one whose first call has no argument.
    """
    in_list = text.startswith("[", at)
    pattern = _LIST_LEAD if in_list else LEAD
    if not final and pattern.may_change(text, at):
        return MORE
    lead = lead_of(pattern.match(text, at))
    if lead is None or offered.has(lead.name):
        return lead.name if lead else ""
    if not in_list or (offered.any and not asked):
        return lead.name if asked and text[lead.end - 2] != " " else ""
    if not final and _FIRST_ARGUMENT.may_change(text, lead.end):
        return MORE
    first = _FIRST_ARGUMENT.match(text, lead.end)
    return lead.name if first and (not first[1] or (asked and not offered.any)) else ""


# -- calls ------------------------------------------------------------------------------------

_MISSING_COMMA = Repair("missing_comma")
_NOT_BETWEEN = re.compile(r"[^\s,;]")
_SEPARATOR = Pattern(r"(?=[ \t]{0,8}[,;\r\n])([ \t]{0,8};)?[\s,;]{0,80}")
_LIST_AGAIN = Pattern(r"[\s,;]{0,80}\[\s{0,80}")
# Behind a call these make it part of an expression: it is called, but not only that.
_GOES_ON_GLUED = Pattern(r"(?:\[|\.[^\W\d])()")
_GOES_ON_IN_LIST = Pattern(r"\[|\.[^\W\d]|\s{0,80}(?:[-+/%]|\*(?!\*)|(for|if|in|and|or|is|else)\b)")
_BEHIND_CALL = frozenset("}+-*/%\"'`“‘”’")  # what may touch a call in a list, and be no call
_DEEPEST_LIST = 3


class PythonCalls(PulledCalls):
    """Reads the calls of one list, or those that follow each other without one.

    Unmarked, there has to be a whole call of an offered tool, and ``refused`` tells when there was
    none; until it is ``committed`` what was told may be taken back.
    """

    def __init__(self, begun: Beginning) -> None:
        # In a list the last call waits for the bracket that closes it.
        self._last = UntilClosed(begun.setting.out)
        super().__init__(begun)
        self._arguments: Arguments | None = None  # while they are read
        self._in_list, self._brackets = False, 0  # of lists around the calls
        self._quote = ""  # around the call that is being read, or was
        self._odd: tuple[Repair, ...] = ()  # seen between calls, for the next one
        self._behind = self._separated = False  # did a call just end, and a comma come since?
        self._calls_left = begun.setting.limits.calls

    @property
    def meant(self) -> bool:
        """Where it was cut, its arguments say so themselves."""
        return False

    @property
    def streaming(self) -> StreamedString | None:
        """The string argument in which reading stands, if that is so."""
        return self._arguments.streaming if self._arguments is not None else None

    @property
    def _bounded(self) -> CallRecord | None:
        return self._call if self._arguments is not None else None

    def grammar(self, source: Source) -> Pull[None]:
        """A list of calls, or one call and those that follow it."""
        self._in_list = (yield from source.peek()) == "["
        if self._in_list:
            self._setting = self._setting._replace(out=self._last)
        yield from (self._read_list() if self._in_list else self._read_run())
        is_open = self._brackets > 0 and self._calls_left > 0
        self._last.close(*((mend.MISSING_CLOSE,) if is_open else ()))
        self.refused = not self.committed

    # -- one call -----------------------------------------------------------------------------

    def _next_lead(self, ahead: int = 0) -> Pull[CallLead | None]:
        return lead_of((yield from self.source.match(LEAD, ahead)))

    def _read_call(self, lead: CallLead) -> Pull[bool]:
        """Read the call that begins so; False if nothing more is to be read behind it."""
        self._calls_left -= 1
        call, arguments = self._open(lead)
        closed, fault = True, None
        self.limit()
        try:
            closed = yield from arguments.run()
        except Refused as refused:
            fault = refused
        self._arguments, self._behind = None, True
        self.limit()
        if fault is None and closed:
            fault = yield from self._goes_on(call)
        known = call.tool is not None and not arguments.doubtful
        # Is it a problem if it cannot be used, and not just text?
        meant = self.committed or (known and (self._in_list or arguments.by_keyword))
        depth, quote = arguments.left_open
        if fault is not None and meant and depth:  # so that the calls behind it are found
            closed = yield from self._skip(depth, quote)
            if not closed and self._setting.out.cut and self.source.at >= len(self.source.text):
                fault = cut_short()
        self.write()
        self._call, self.committed = None, meant
        goes_on = closed and self._calls_left > 0
        if fault is None:
            return self._complete(call, arguments, known) and goes_on
        if meant:
            call.reject(fault.kind, fault.message)
        return meant and goes_on

    def _open(self, lead: CallLead) -> tuple[CallRecord, Arguments]:
        repairs = [*self._begun.repairs, *self._odd]
        if self._behind and self._in_list and not self._separated:
            repairs.append(_MISSING_COMMA)
        repairs += [_QUOTED_CALL, *lead.odd] if self._quote else lead.odd
        self._quote = lead.quote or self._quote
        self._odd, self._behind, self._separated = (), False, False
        setting, source = self._setting, self.source
        call = CallRecord(
            setting, source.base + lead.start, lead.name, repairs=tuple(dict.fromkeys(repairs))
        )
        self.committed = self.committed or self._begun.marked
        self._call, self._written, source.at = call, lead.start, lead.end
        self._arguments = Arguments(
            self._begun, call, source, self.write, self._quote, self._in_list
        )
        return call, self._arguments

    def _goes_on(self, call: CallRecord) -> Pull[Refused | None]:
        """The call is closed; is it a call, or the beginning of an expression?"""
        found = yield from self.source.match(_GOES_ON_IN_LIST if self._in_list else _GOES_ON_GLUED)
        if found and found[1]:
            return malformed(f"{found[1]!r} stands behind it")
        if found:
            call.mended(_IN_EXPRESSION)
        return None

    def _complete(self, call: CallRecord, arguments: Arguments, known: bool) -> bool:
        """The call is whole; False if it is none, but text that shows how one is written."""
        in_list, tool = self._in_list, call.tool
        if not self._setting.offered.any:
            known = in_list and arguments.by_keyword
        elif tool is not None:
            known = known and (in_list or bool(call.arguments) or not tool.required)
        self.committed = self.committed or known
        is_call = self.committed or (in_list and tool is None)
        if is_call:
            call.complete()
        return is_call

    def _skip(self, depth: int, quote: str, stops: str = "") -> Pull[bool]:
        """Pass over what cannot be read, to the bracket that closes *depth* open ones.

        *quote* is that of an open string. Instead of a bracket, one of *stops* may end it, and is
        not passed over then. False if neither comes: a marker ends it anywhere, since where quotes
        are wrong, what looks like a string may be none.
        """
        source, passing, firsts = self.source, False, self.source.firsts
        brackets = Brackets(
            "()[]{}", "\"'", stops=stops + firsts, breaks=firsts, depth=depth, quote=quote
        )
        while char := (yield from source.peek()):
            if char in firsts and (yield from source.at_end()):
                return False
            if char in stops and brackets.closed:
                return True
            source.at = brackets.run(source.text, source.at, passing=passing or char in firsts)
            if brackets.closed and not stops:
                return True
            passing = source.at < len(source.text)
        return False

    # -- around them --------------------------------------------------------------------------

    def _read_run(self) -> Pull[None]:
        """Calls that follow each other."""
        source, marked, offered = self.source, self._begun.marked, self._setting.offered
        lead = yield from self._next_lead()
        while lead is not None and (yield from self._read_call(lead)):
            yield from self._unquote()
            if (yield from source.at_end()):
                return
            if _IN_EXPRESSION in lead.odd:
                self._take_extra((yield from source.peek()))
            separator = yield from source.match(_SEPARATOR)
            lead = (yield from self._next_lead(len(separator[0]))) if separator else None
            if lead is None or not (offered.has(lead.name) or (marked and not offered.any)):
                source.at += len((separator and separator[1]) or "")
                return

    def _read_list(self) -> Pull[None]:
        """The calls of a list, and what stands between them."""
        source, goes_on = self.source, True
        source.at += 1
        self._brackets = 1
        while goes_on:
            char = yield from source.peek()
            if not char or (source.firsts and (yield from source.at_end())):
                return
            if char.isspace() or char in ",;":
                between = yield from source.before(_NOT_BETWEEN)
                self._separated = self._separated or not between.isspace()
            elif char == "#":
                yield from source.word(source.line_or_mark)
            elif char == "]":
                self._brackets -= 1
                source.at += 1
                if not self._brackets:
                    self._last.close()
                goes_on = self._brackets > 0 or (yield from self._behind_list())
            elif not (yield from self._unquote()):
                lead = yield from self._next_lead()
                goes_on = yield from self._read_call(lead) if lead else self._no_call(char)

    def _behind_list(self) -> Pull[bool]:
        """Behind a list: a bracket too many, another list, or the end."""
        source = self.source
        if (yield from source.at_end()):
            return False
        if not self._begun.has_closer:  # else who reads that passes it
            self._take_extra((yield from source.peek()))
        again = yield from source.match(_LIST_AGAIN)
        lead = (yield from self._next_lead(len(again[0]))) if again else None
        if lead is None or not self._setting.offered.has(lead.name):
            return False
        self._brackets, self._behind = 1, False
        return (yield from self._read_call(lead))

    def _no_call(self, char: str) -> Pull[bool]:
        """In a list, something that is no call; False if it is the end of everything."""
        apart = self._separated or not self._behind
        if char == "[" and apart and self._brackets < _DEEPEST_LIST:
            self._brackets += 1
            self.source.at += 1
        elif self._behind and char in _BEHIND_CALL:
            self.source.at += 1
        elif not self._take_extra(char):
            if not self._begun.marked and not self.committed:
                return False
            self._last.amend(mend.STRAY_TEXT)
            self._odd = (mend.STRAY_TEXT,)
            yield from self._skip(0, "", stops=",]")
        return True

    def _unquote(self) -> Pull[bool]:
        """Pass over the quote that ends a quoted call."""
        quote = self._quote if self._behind else ""
        for closer in QUOTES.get(quote[-1:], ""):
            if (yield from self.source.stands(quote[:-1] + closer)):
                self.source.at += len(quote)
                self._quote = ""
                return True
        return False

    def _take_extra(self, char: str) -> bool:
        """Pass over one bracket too many; in a list the call before it has it."""
        if not self._behind or char not in (")", "]", "}"):
            return False
        self._behind = False
        self._last.amend(mend.EXTRA_CLOSE)
        self.source.at += 1
        return True
