"""Calls that stand in a reply and are none, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..events import CallCompleted
from ..messages import ProblemKind, ToolCall
from ..paradigms.base import ToolContextDef
from ..paradigms.parsed import ParsedResponse, Segment, SegmentKind
from ..tools.spec import ToolOffer
from .alone import Attempt, Search, unquoted
from .places import Place, places
from .readers import ANY_FORM, ANY_TOOL, lone_readers
from .values import Finding, Reason, Verdict

__all__ = ["ignored_calls"]

_IN_THE_OPEN = Place()
_UNMARKED = {"missing_marker", "missing_wrapper"}


def ignored_calls(
    parsed: ParsedResponse, paradigm: ToolContextDef, offer: ToolOffer, finish_reason: str | None
) -> tuple[list[Finding], bool]:
    """The calls in *parsed* that were passed over, and whether all of it was searched."""
    looking = _Looking(parsed, paradigm, offer, broken_off=finish_reason is not None)
    return list(looking.findings()), not looking.search.exhausted


class _Looking:
    """The search through one reply."""

    def __init__(
        self, parsed: ParsedResponse, paradigm: ToolContextDef, offer: ToolOffer, broken_off: bool
    ) -> None:
        self._reply = parsed.raw
        self._parsed = parsed
        self._segments = parsed.segments
        self._broken_off = broken_off
        self._readers = lone_readers(paradigm, offer)
        self.search = Search(self._readers, len(parsed.raw))
        self._salvaged: set[int] | None = None

    def findings(self) -> Iterator[Finding]:
        found = [(each, segment) for segment in self._searched() for each in self._in(segment)]
        standing = places(self._reply, self._segments, [attempt for attempt, _ in found])
        for attempt, segment in found:
            place = standing.get(attempt.start, _IN_THE_OPEN)
            reasons = tuple(self._reasons(attempt, segment, place))
            if reasons:
                yield from (self._finding(call, reasons) for call in attempt.calls)

    def _searched(self) -> Iterator[Segment]:
        """What may hold a call that was passed over: all but the calls, problems and markers."""
        made_up = {
            problem.span
            for problem in self._parsed.problems
            if problem.kind is ProblemKind.FABRICATED_RESULT
        }
        last = self._segments[-1] if self._segments else None
        for segment in self._segments:
            said = segment.kind in (SegmentKind.TEXT, SegmentKind.REASONING)
            cut = segment.kind is SegmentKind.MARKUP and segment is last
            if said or cut or segment.span in made_up:
                yield segment

    def _in(self, segment: Segment) -> list[Attempt]:
        return self.search.find(unquoted(segment.text), segment.span.start)

    def _finding(self, call: ToolCall, reasons: tuple[Reason, ...]) -> Finding:
        call = replace(call, raw=self._reply[call.span.start : call.span.end])
        forms = [each.detail for each in call.repairs if each.name == "foreign_format"]
        form = forms[0] if forms else ""
        return Finding(Verdict.IGNORED, call.span, call, reasons=reasons, form=form)

    # -- why ------------------------------------------------------------------------------

    def _reasons(self, attempt: Attempt, segment: Segment, place: Place) -> Iterator[Reason]:
        where = self._where(segment, place)
        if attempt.reader == ANY_TOOL and where is not None:
            return  # any word with parentheses behind it, shown as what it is
        if where is not None:
            yield where
        if attempt.reader == ANY_TOOL:
            yield Reason.UNKNOWN_TOOL
        elif attempt.reader == ANY_FORM:
            yield Reason.FOREIGN_FORM
        if where is None and not self._is_read(attempt):
            unmarked = not place.line_begins and _UNMARKED & {
                r.name for r in attempt.calls[0].repairs
            }
            yield Reason.UNMARKED if unmarked else Reason.NOT_READ

    def _where(self, segment: Segment, place: Place) -> Reason | None:
        """What around the call says that it is none."""
        match segment.kind:
            case SegmentKind.REASONING if segment.span.end == len(self._reply):
                return Reason.OPEN_THINKING
            case SegmentKind.REASONING:
                return Reason.THINKING
            case SegmentKind.TEXT:
                return place.reason(self._reply, broken_off=self._broken_off)
        return Reason.AFTER_END

    def _is_read(self, attempt: Attempt) -> bool:
        """Would the reader that found it alone also find it in the whole reply?"""
        if attempt.reader == ANY_TOOL:
            return True  # it stands in the open, and only its name is in the way
        if attempt.reader == ANY_FORM and self._salvaged is None:
            decoder = self._readers[ANY_FORM].decoder("")
            assert decoder is not None, "it reads anything"
            events = [*decoder.feed(self._reply), *decoder.finish()]
            calls = [event.call for event in events if isinstance(event, CallCompleted)]
            self._salvaged = {call.span.start for call in calls}
        return attempt.calls[0].span.start in (self._salvaged or ())
