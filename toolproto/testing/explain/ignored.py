"""Calls that stand in a reply and are none, each with the decoder's own reason."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...protocol.decoding.contract import Decoder
from ...protocol.decoding.reply.attempts import PassedOver
from ...protocol.decoding.reply.decoder import ReplyDecoder
from ...protocol.messages import ProblemKind, ToolCall
from ...protocol.paradigms.base import ToolContextDef
from ...protocol.paradigms.parsed import ParsedResponse, Segment, SegmentKind
from ...protocol.tools.spec import ToolOffer
from .alone import Lone, Search
from .values import Finding, Verdict

__all__ = ["ignored_calls"]


def ignored_calls(
    parsed: ParsedResponse,
    paradigm: ToolContextDef,
    offer: ToolOffer,
    passed_over: Sequence[PassedOver],
) -> tuple[list[Finding], bool]:
    """The calls in *parsed* that are none, and whether all of it was searched."""
    search = Search(paradigm, offer, len(parsed.raw))
    places = _Places(parsed.raw, paradigm.decoder(offer), passed_over)
    findings: list[Finding] = []
    for segment in _searched(parsed):
        text = segment.kind is SegmentKind.TEXT
        for lone in search.find(segment.text, segment.span.start, any_tool=text):
            reasons = tuple(_reasons(lone, _where(lone, segment, parsed, places)))
            findings += (_finding(parsed.raw, call, reasons) for call in lone.calls if reasons)
    return findings, not search.exhausted


def _searched(parsed: ParsedResponse) -> Iterator[Segment]:
    """What may hold a call that is none: all but the calls, problems and markers."""
    made_up = {p.span for p in parsed.problems if p.kind is ProblemKind.FABRICATED_RESULT}
    segments = parsed.segments
    for segment in segments:
        said = segment.kind in (SegmentKind.TEXT, SegmentKind.REASONING)
        cut = segment.kind is SegmentKind.MARKUP and segment is segments[-1]
        if said or cut or segment.span in made_up:
            yield segment


def _finding(reply: str, call: ToolCall, reasons: tuple[str, ...]) -> Finding:
    form = next((each.detail for each in call.repairs if each.name == "foreign_format"), "")
    call = replace(call, raw=reply[call.span.start : call.span.end], place="")
    return Finding(Verdict.IGNORED, call.span, call, reasons=reasons, form=form)


def _reasons(lone: Lone, where: str) -> Iterator[str]:
    # Where something else is in the way, that is any word with parentheses behind it.
    if lone.departure == "unknown_tool" and where:
        return
    if where:
        yield where
    if lone.departure:
        yield lone.departure
    elif not where:
        yield "not_read"


def _where(lone: Lone, segment: Segment, parsed: ParsedResponse, places: _Places) -> str:
    """What the decoder says about where the call stands; empty in the open."""
    if segment.kind is SegmentKind.TEXT:
        return places.reason_at(lone.start)
    if segment.kind is SegmentKind.REASONING:
        return "open_thinking" if segment.span.end == len(parsed.raw) else "thinking"
    return "after_end"


class _Places:
    """Asks a decoder why a call in text is none: what it passed over, or where it stood there."""

    def __init__(self, reply: str, decoder: Decoder, passed_over: Sequence[PassedOver]) -> None:
        self._reply = reply
        self._decoder = decoder
        self._read = 0
        self._passed_over = sorted(passed_over)

    def reason_at(self, start: int) -> str:
        """The reason at *start*; asked from left to right, so that all is read once."""
        number = bisect_right(self._passed_over, start, key=lambda each: each.span.start) - 1
        if number >= 0 and start < self._passed_over[number].span.end:
            return self._passed_over[number].reason
        self._decoder.feed(self._reply[self._read : start])
        self._read = start
        if not isinstance(self._decoder, ReplyDecoder):
            return ""  # somebody else's decoder does not say
        return self._decoder.standing.name
