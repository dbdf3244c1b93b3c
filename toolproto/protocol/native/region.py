"""What the reader of replies says of text that is held back: which of it is a leaked call.

A region is cut by offsets in the whole text. What the reader does not say as text, it read as part
of a call, as a marker around one, or as the tag of a thought.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ..decoding.faults import Refused
from ..decoding.reply.attempts import FENCED, PassedOver
from ..decoding.reply.landmarks import Found
from ..decoding.reply.thinking_tokens import THINKING_TAGS
from ..events import (
    ArgumentsDelta,
    CallCompleted,
    CallDoubted,
    CallRejected,
    CallStarted,
    Event,
    ReasoningDelta,
    TextDelta,
)
from ..messages import CallProblem, ProblemKind, Span, ToolCall
from ..tools.spec import ToolOffer
from .openers import CLOSING, Marks

__all__ = ["LostCall", "Region", "TextRun"]

# So servers show thoughts in a text; whatever else is no text there was to be read by nobody.
_SHOWN_TAGS = frozenset(tag for tags in THINKING_TAGS for tag in tags if "|" not in tag)
# What is wrong with a call that was meant, and cannot be read.
_BROKEN = (ProblemKind.MALFORMED, ProblemKind.TRUNCATED, ProblemKind.TOO_LARGE)


@dataclass(slots=True)
class LostCall:
    """A call that was read: its arguments as JSON, and the call or what is wrong with it."""

    written: list[str] = field(default_factory=list)
    ending: ToolCall | CallProblem | None = None
    is_doubted: bool = False

    @property
    def span(self) -> Span:
        """Where it stands."""
        return self.ending.span if self.ending is not None else Span(0, 0)


@dataclass(slots=True)
class TextRun:
    """Characters ``[start, end)`` are text, or thought."""

    start: int
    end: int
    thinks: bool


class Region:
    """What was read since openers were seen where calls of *offer* may begin.

    *marks* finds the markers of all forms.
    """

    def __init__(self, offer: ToolOffer, marks: Marks) -> None:
        self._offer, self._marks = offer, marks
        self._said: list[TextRun] = []
        self._reads: dict[int, LostCall] = {}
        self.openers: list[int] = []
        #: Those of them that stand where calls are meant.
        self.plain: set[int] = set()
        #: Where text ends that a person reads, blanks not counted.
        self.spoken_to = 0

    def note(self, events: Iterable[Event]) -> None:
        """Take in what the reader says."""
        for event in events:
            match event:
                case TextDelta(text, span) | ReasoningDelta(text, span) if span is not None:
                    self._say(text, span, isinstance(event, ReasoningDelta))
                case ArgumentsDelta(index, text):
                    self._reads[index].written.append(text)
                case CallCompleted(index, ending) | CallRejected(index, ending):
                    self._reads.setdefault(index, LostCall()).ending = ending
                case CallDoubted(index) if index in self._reads:
                    self._reads[index].is_doubted = True
                case CallStarted(index):
                    self._reads[index] = LostCall()

    def _say(self, text: str, span: Span, thinks: bool) -> None:
        last = self._said[-1] if self._said else None
        if last is not None and (last.end, last.thinks) == (span.start, thinks):
            last.end = span.end
        else:
            self._said.append(TextRun(span.start, span.end, thinks))
        if not thinks and (solid := text.rstrip()):
            self.spoken_to = span.start + len(solid)

    @property
    def has_said(self) -> bool:
        """Was there anything but calls, markers and blanks?"""
        return bool(self.spoken_to) or any(said.thinks for said in self._said)

    def undecided(self) -> Iterator[int]:
        """The openers of which it is not known yet what stands there."""
        ended = max((read.span.end for read in self._reads.values()), default=0)
        known = max(self.spoken_to, ended)
        for opener in self.openers:
            thought = any(s.start <= opener < s.end for s in self._said if s.thinks)
            if opener >= known and not thought:
                yield opener

    def leaks(self) -> list[LostCall]:
        """The calls that were lost here, broken ones included."""
        return [read for read in self._reads.values() if self._is_leak(read)]

    def bare(self) -> list[LostCall]:
        """All calls, if they are all that was said, without any marker; else none.

        What nothing else marks as a call has to have the very name of a tool.
        """
        reads = list(self._reads.values())
        calls = [read for read in reads if _is_plain(read) and self._names_tool(read)]
        return [] if self.has_said or len(calls) < len(reads) else calls

    def unread(self, shown: Sequence[PassedOver]) -> list[int]:
        """The openers that stand where calls are meant, and behind which no call was read.

        *shown* are those that were read, and are none because of where they stand.
        """
        reads = (read for read in self._reads.values() if isinstance(read.ending, ToolCall))
        spans = [*(read.span for read in reads), *(each.span for each in shown)]
        last = max((span.start for span in spans), default=-1)
        return [opener for opener in self.openers if opener in self.plain and opener > last]

    def broken(self, name: str, raw: str, start: int, fault: Refused) -> LostCall:
        """Take *raw*, which begins at *start* and ends the answer, for a call of *name*."""
        span = Span(start, start + len(raw))
        problem = CallProblem(fault.kind, fault.message, raw, span, name)
        read = self._reads[-1] = LostCall(ending=problem)
        self._said = [said for said in self._said if said.end <= start]
        return read

    def _is_leak(self, read: LostCall) -> bool:
        start = read.span.start
        mine = [opener for opener in self.openers if self._last_said(start) <= opener <= start]
        if not mine:
            return False
        if isinstance(read.ending, CallProblem):
            is_broken = read.ending.kind in _BROKEN
            return is_broken and not self.plain.isdisjoint(mine) and self._names_tool(read)
        return read.ending is not None and _is_plain(read) and not read.ending.is_unmarked

    def _names_tool(self, read: LostCall) -> bool:
        name = read.ending.name if read.ending is not None else None
        return name is not None and self._offer.get(name) is not None

    def _last_said(self, before: int) -> int:
        return max((said.end for said in self._said if said.end <= before), default=0)

    # -- what is left of the text ---------------------------------------------------------

    def without(self, leaks: Sequence[LostCall], text: str, start: int) -> list[TextRun]:
        """What is left of *text*, which begins at *start*, once *leaks* are taken out."""
        first, end = self.openers[0] if self.openers else start, start + len(text)
        kept = [TextRun(start, first, thinks=False)]  # what stands before it went out, or may
        at, was_cut = first, False
        for said in sorted(self._said, key=lambda said: said.start):
            if said.end <= at:
                continue
            if said.start > at:
                gap = self._kept_of(TextRun(at, said.start, thinks=False), leaks, text, start)
                was_cut, kept = not gap, kept + gap
            kept.append(TextRun(max(at, said.start), said.end, said.thinks and was_cut))
            at = said.end
        return kept + self._kept_of(TextRun(at, end, thinks=False), leaks, text, start)

    def _kept_of(
        self, gap: TextRun, leaks: Sequence[LostCall], text: str, start: int
    ) -> list[TextRun]:
        """What stays of characters that are neither text nor thought."""
        inside = (each for each in self._reads.values() if gap.start <= each.span.start < gap.end)
        reads = sorted(inside, key=lambda read: read.span.start)
        lost = [read for read in reads if read in leaks]
        if not lost:
            is_tag = text[gap.start - start : gap.end - start].strip() in _SHOWN_TAGS
            return [gap] if reads or is_tag else []
        kept, at, ended = list[TextRun](), gap.start, gap.start
        for read in reads:
            if read in lost:
                begins = (opener for opener in self.openers if ended <= opener <= read.span.start)
                # Between two calls of which neither is shown stands nothing but their markers.
                if ended == gap.start or len(lost) < len(reads):
                    kept.append(TextRun(at, next(begins, at), thinks=False))
                at = self._behind_marks(text, read.span.end - start) + start
            ended = read.span.end
        if len(lost) < len(reads):
            kept.append(TextRun(at, gap.end, thinks=False))
        return [each for each in kept if each.start < each.end]

    def _behind_marks(self, text: str, at: int) -> int:
        """Where the markers end that close a call which ends at *at* in *text*."""
        while True:
            blanks = len(text) - at - len(text[at:].lstrip())
            found = self._marks(text, at + blanks, True)
            if not isinstance(found, Found) or found.kind not in CLOSING:
                return at
            at = found.end


def _is_plain(read: LostCall) -> bool:
    call = read.ending
    is_call = isinstance(call, ToolCall) and not call.place and FENCED not in call.repairs
    return is_call and not read.is_doubted
