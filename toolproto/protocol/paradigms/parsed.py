"""A whole reply, read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from ..errors import CallError
from ..events import CallCompleted, CallRejected, Event, ReasoningDelta, TextDelta, calls_of
from ..messages import CallProblem, Span, ToolCall

__all__ = ["ParsedResponse", "Segment", "SegmentKind"]


class SegmentKind(Enum):
    """What a stretch of a reply is."""

    TEXT = "text"
    REASONING = "reasoning"
    CALL = "call"
    PROBLEM = "problem"
    MARKUP = "markup"  # markers, fences around calls, leaked tokens, what was cut off


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a reply. The segments of a reply follow each other and leave nothing out."""

    kind: SegmentKind
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class ParsedResponse:
    """The content of a reply: the decoder's *events*, with neighbouring deltas joined."""

    raw: str
    events: tuple[Event, ...]

    @property
    def text(self) -> str:
        """What a person should read."""
        return "".join(event.text for event in self.events if isinstance(event, TextDelta))

    @property
    def reasoning(self) -> str:
        """What the model thought before it answered."""
        return "".join(event.text for event in self.events if isinstance(event, ReasoningDelta))

    @property
    def calls(self) -> list[ToolCall]:
        """The calls, in the order they were written."""
        return calls_of(self.events)

    @property
    def problems(self) -> list[CallProblem]:
        """What looked like a call, but cannot be used."""
        return [event.problem for event in self.events if isinstance(event, CallRejected)]

    @property
    def segments(self) -> list[Segment]:
        """The reply cut into stretches that cover it exactly."""
        segments: list[Segment] = []
        at = 0
        for kind, span in self._spans():
            if span.start > at:
                segments.append(self._segment(SegmentKind.MARKUP, Span(at, span.start)))
            if span.end > span.start:
                segments.append(self._segment(kind, span))
            at = max(at, span.end)
        if at < len(self.raw):
            segments.append(self._segment(SegmentKind.MARKUP, Span(at, len(self.raw))))
        return segments

    def raise_for_problems(self) -> None:
        """Raise :class:`CallError` for the first problem, if there is one."""
        for problem in self.problems:
            raise CallError(problem)

    def _segment(self, kind: SegmentKind, span: Span) -> Segment:
        return Segment(kind, self.raw[span.start : span.end], span)

    def _spans(self) -> Iterator[tuple[SegmentKind, Span]]:
        for event in self.events:
            match event:
                case TextDelta(span=Span() as span):
                    yield SegmentKind.TEXT, span
                case ReasoningDelta(span=Span() as span):
                    yield SegmentKind.REASONING, span
                case CallCompleted(call=call):
                    yield SegmentKind.CALL, call.span
                case CallRejected(problem=problem):
                    yield SegmentKind.PROBLEM, problem.span
