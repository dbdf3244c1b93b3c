"""Which calls would be read out of a text if each stood in the open?

A decoder does not look everywhere: not into thinking, nor behind the end of a reply, nor for forms
and tools that nobody asked for. So every place where a call may begin is read again, alone, by a
fresh decoder. Why such a call is none is not asked here (`ignored.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, replace
from itertools import takewhile

from ...protocol.decoding.contract import Decoder
from ...protocol.decoding.reply.decoder import ReplyDecoder
from ...protocol.decoding.reply_form import ReplyForm
from ...protocol.errors import ToolProtoError, UsageError
from ...protocol.events import CallCompleted, CallRejected, Event, ReasoningDelta, TextDelta
from ...protocol.messages import Span, ToolCall, counted_ids
from ...protocol.paradigms.base import ToolContextDef
from ...protocol.paradigms.salvage import salvaging
from ...protocol.paradigms.wire import WireParadigm
from ...protocol.tools.spec import ToolOffer, ToolSpec

__all__ = ["Lone", "Search", "paradigms_code"]

#: Fed to a decoder first: most beginnings show at once that they are none.
_PIECE = 16
#: How often all characters of a text may be read, on average, and what a short one may cost at
#: least: a second or two, and some thousand beginnings.
_READINGS = 4
_AT_LEAST = 300_000
#: What it costs to try a beginning, in characters read; where a tool's name may be a tag, other
#: tools mean other markers, which have to be made ready.
_COST, _COST_OF_TAGS = 300, 5_000
_NAME = re.compile(r"[A-Za-z_][\w.-]{0,63}")
#: How much of a call is searched for the name of its tool, and how many names are tried.
_FIRST_WORDS, _NAMES = 64, 4
_FIRST_WORD = re.compile(r"\s{0,8}(\S{1,16})")
_LINE_BEGINS = re.compile(r"(?:^|\n)[ \t]{0,8}\Z")
_QUOTE_LEAD = re.compile(r"^[ \t]{0,8}>(?:[ \t]{0,3}>){0,8}", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Lone:
    """The *calls* that are read when reading begins at *start*.

    *departure* is the reason why they would be none even there: another form, an unknown tool.
    """

    calls: tuple[ToolCall, ...]
    start: int
    departure: str


class Search:
    """Looks for calls in a reply of *characters*, in the form of *paradigm* and in any other.

    What all searches of one reply may cost is bounded: ``exhausted`` says that it was not enough.
    """

    def __init__(self, paradigm: ToolContextDef, offer: ToolOffer, characters: int) -> None:
        self._own = copy(paradigm)
        self._own.ids = counted_ids()
        self._own.reasoning = replace(paradigm.reasoning, starts_inside=False)
        self._offer = offer
        self._starts = _starts(paradigm, offer)
        self._left = _READINGS * characters + _AT_LEAST

    @property
    def exhausted(self) -> bool:
        """Was there more to read than may be?"""
        return self._left <= 0

    def find(self, text: str, base: int, *, any_tool: bool) -> Iterator[Lone]:
        """The calls in *text*, whose first character is *base*; perhaps of tools nobody offered."""
        # The marks of block quotes are no part of what is quoted.
        text = _QUOTE_LEAD.sub(lambda lead: " " * len(lead.group()), text)
        at = 0
        while not self.exhausted and (begins := self._starts.search(text, at)):
            start = at = begins.start()
            for decoder, departure in self._decoders(text, start, any_tool):
                calls = self._read(decoder, text, start)
                # A fence around it is what stands around it: it is read without, from further on.
                if calls and not any(repair.name == "fenced" for repair in calls[0].repairs):
                    at = start + calls[-1].span.end
                    by = base + start
                    spans = (Span(call.span.start + by, call.span.end + by) for call in calls)
                    moved = map(lambda call, span: replace(call, span=span), calls, spans)
                    yield Lone(tuple(moved), by, departure)
                if calls:
                    break
            at = max(at, start + 1)

    # -- who reads ------------------------------------------------------------------------

    def _decoders(self, text: str, at: int, any_tool: bool) -> Iterator[tuple[Decoder, str]]:
        """Who tries what begins at *at*, and why a call that they read would be none."""
        self._left -= _COST
        yield self._own.decoder(self._offer), ""
        yield self._any_form(self._offer), "foreign_form"
        # A word with parentheses behind it may be anything, unless it begins a line.
        begins = any_tool and _LINE_BEGINS.search(text, max(0, at - 9), at)
        if not self._offer.tools or not begins:
            return
        names = _NAME.findall(text, at, at + _FIRST_WORDS)[:_NAMES]
        if unknown := [name for name in dict.fromkeys(names) if name not in self._offer.names]:
            self._left -= _COST_OF_TAGS if self._by_tag else _COST
            more = (ToolSpec(name, "", {"type": "object"}) for name in unknown)
            yield self._any_form(ToolOffer((*self._offer.tools, *more))), "unknown_tool"

    def _any_form(self, offer: ToolOffer) -> Decoder:
        """What reads every form that is known, and first that of the paradigm."""
        own = self._own
        form = own.wire.form if isinstance(own, WireParadigm) else ReplyForm()
        return ReplyDecoder(
            salvaging(form), offer, ids=own.ids, reasoning=own.reasoning, limits=own.limits
        )

    @property
    def _by_tag(self) -> bool:
        return isinstance(self._own, WireParadigm) and self._own.wire.form.tool_tags

    # -- reading --------------------------------------------------------------------------

    def _read(self, decoder: Decoder, text: str, at: int) -> list[ToolCall]:
        """The calls that begin at *at*."""
        calls: list[ToolCall] = []
        for event in self._events(decoder, text, at):
            match event:
                case CallCompleted(call=call):
                    calls.append(call)
                case TextDelta() | ReasoningDelta() | CallRejected():
                    break
        return calls

    def _events(self, decoder: Decoder, text: str, at: int) -> Iterator[Event]:
        size = _PIECE
        while at < len(text) and not self.exhausted:
            piece = text[at : at + size]
            self._left -= len(piece)
            yield from decoder.feed(piece)
            at += size
            size *= 2
        if not self.exhausted:
            yield from decoder.finish()


def _starts(paradigm: ToolContextDef, offer: ToolOffer) -> re.Pattern[str]:
    """Matches where a call may begin: a bracket, a marker's first word, a name of a tool."""
    with paradigms_code("encode_call"):
        written = [paradigm.encode_call(ToolCall(name, {}, "call_1")) for name in ("a", "b")]
    # A fence is the marker of some forms; around any other it is what stands around the call.
    openers = (call.opener for call in salvaging(ReplyForm()).calls)
    known = (opener for opener in openers if not opener.startswith("`"))
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(*written, strict=False))
    firsts = map(_FIRST_WORD.match, ["".join(char for char, _ in alike), *known])
    literal = [re.escape(word) for word in sorted({first.group(1) for first in firsts if first})]
    named = [rf"(?<!\w){re.escape(name)}(?!\w)" for name in sorted(offer.names)]
    # Of a row of brackets only the last can begin anything, unless a marker says otherwise.
    brackets = r"<(?!<)|\{(?!\{)|\[(?!\[)"
    function = rf"(?<![^\n \t]){_NAME.pattern}\("
    return re.compile("|".join([*literal, *named, brackets, function]))


@contextmanager
def paradigms_code(method: str) -> Iterator[None]:
    """Whatever the paradigm's *method* raises in here becomes a UsageError that says so."""
    try:
        yield
    except ToolProtoError:
        raise
    except Exception as error:  # somebody's code
        raise UsageError(
            f"the paradigm breaks the law of totality: its {method} raises {error!r}"
        ) from error
