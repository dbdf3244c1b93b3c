"""What the reader of replies says of text that is held back: which of it is a leaked call.

Asked after every piece, so all of it is known as it comes: nothing here walks what was read before.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..decoding.faults import Refused
from ..decoding.reply.attempts import FENCED, PassedOver
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

__all__ = ["LostCall", "Region", "TextRun"]

# What is wrong with a call that was meant, and cannot be read.
_BROKEN = (ProblemKind.MALFORMED, ProblemKind.TRUNCATED, ProblemKind.TOO_LARGE)


@dataclass(slots=True)
class TextRun:
    """Characters ``[start, end)`` are text, or thought."""

    start: int
    end: int
    thinks: bool = False


@dataclass(slots=True)
class LostCall:
    """A call that was read: its arguments as JSON, and the call or what is wrong with it."""

    written: list[str] = field(default_factory=list)
    ending: ToolCall | CallProblem | None = None
    is_lost: bool = False  # by the service: it was meant, and came as text
    is_doubted: bool = False

    @property
    def span(self) -> Span:
        """Where it stands."""
        return self.ending.span if self.ending is not None else Span(0, 0)


class Region:
    """What was read since openers were seen where calls of *offer* may begin."""

    def __init__(self, offer: ToolOffer) -> None:
        self._offer = offer
        #: What is text or thought, in order; what is neither is a call, or a marker.
        self.said: list[TextRun] = []
        self._thoughts: list[TextRun] = []
        self._thought_starts: list[int] = []
        self._reads: dict[int, LostCall] = {}
        #: Where openers stand, in order; and those of them that stand where calls are meant.
        self.openers: list[int] = []
        self.plain: set[int] = set()
        self._decided = 0  # so many of them, from the first on
        #: Where text ends that a person reads, blanks not counted.
        self.spoken_to = 0
        self._ended = 0  # where the last call ends
        self._last_call = -1  # where the last one begins that can be used
        self._lost = 0

    def note(self, events: Iterable[Event]) -> None:
        """Take in what the reader says."""
        for event in events:
            match event:
                case TextDelta(text, span) | ReasoningDelta(text, span) if span is not None:
                    self._say(text, span, isinstance(event, ReasoningDelta))
                case CallStarted(index):
                    self._reads[index] = LostCall()
                case ArgumentsDelta(index, text):
                    self._reads.setdefault(index, LostCall()).written.append(text)
                case CallCompleted(index, ending) | CallRejected(index, ending):
                    self._end(self._reads.setdefault(index, LostCall()), ending)
                case CallDoubted(index) if index in self._reads:
                    self._doubt(self._reads[index])

    def _say(self, text: str, span: Span, thinks: bool) -> None:
        last = self.said[-1] if self.said else None
        if last is not None and (last.end, last.thinks) == (span.start, thinks):
            last.end = span.end
        else:
            self.said.append(TextRun(span.start, span.end, thinks))
            if thinks:
                self._thoughts.append(self.said[-1])
                self._thought_starts.append(span.start)
        if not thinks and (solid := text.rstrip()):
            self.spoken_to = span.start + len(solid)

    def _end(self, read: LostCall, ending: ToolCall | CallProblem) -> None:
        read.ending = ending
        self._ended = max(self._ended, ending.span.end)
        if isinstance(ending, ToolCall):
            self._last_call = max(self._last_call, ending.span.start)
        read.is_lost = self._is_lost(read)
        self._lost += read.is_lost

    def _doubt(self, read: LostCall) -> None:
        self._lost -= read.is_lost
        read.is_doubted, read.is_lost = True, False

    def _is_lost(self, read: LostCall) -> bool:
        """Is it behind an opener, with nothing said since, and meant?"""
        start, since = read.span.start, self.said[-1].end if self.said else 0
        first, end = bisect_left(self.openers, since), bisect_right(self.openers, start)
        if first >= end:
            return False
        if isinstance(read.ending, CallProblem):
            is_plain = any(opener in self.plain for opener in self.openers[first:end])
            return is_plain and read.ending.kind in _BROKEN and self._names_tool(read)
        return _is_plain(read) and read.ending is not None and not read.ending.is_unmarked

    def _names_tool(self, read: LostCall) -> bool:
        name = read.ending.name if read.ending is not None else None
        return name is not None and self._offer.get(name) is not None

    # -- what is known --------------------------------------------------------------------

    @property
    def has_said(self) -> bool:
        """Was there anything but calls, markers and blanks?"""
        return bool(self.spoken_to or self._thoughts)

    @property
    def has_lost(self) -> bool:
        """Is there a call that was lost?"""
        return self._lost > 0

    @property
    def undecided(self) -> int | None:
        """The first opener of which it is not known yet what stands there."""
        known = max(self.spoken_to, self._ended)
        while self._decided < len(self.openers):
            opener = self.openers[self._decided]
            if opener >= known and not self._is_thought(opener):
                return opener
            self._decided += 1
        return None

    def _is_thought(self, place: int) -> bool:
        last = bisect_right(self._thought_starts, place) - 1
        return last >= 0 and self._thoughts[last].end > place

    @property
    def reads(self) -> list[LostCall]:
        """All that was read as calls, in order; a result that the model made up is none."""
        ended = (read for read in self._reads.values() if not _is_no_call(read.ending))
        return sorted(ended, key=lambda read: read.span.start)

    def lost(self) -> list[LostCall]:
        """The calls that were lost, broken ones included."""
        return [read for read in self.reads if read.is_lost]

    def bare(self) -> list[LostCall]:
        """All calls, if they are all that was said, without any marker; else none.

        What nothing else marks as a call has to have the very name of a tool.
        """
        reads = self.reads
        is_all = all(_is_plain(read) and self._names_tool(read) for read in reads)
        return reads if is_all and not self.has_said else []

    def unread(self, shown: Sequence[PassedOver]) -> list[int]:
        """The openers that stand where calls are meant, and behind which no call was read.

        *shown* are those that were read, and are none because of where they stand.
        """
        last = max((each.span.start for each in shown), default=-1)
        behind = bisect_right(self.openers, max(last, self._last_call))
        return [opener for opener in self.openers[behind:] if opener in self.plain]

    def broken(self, name: str, raw: str, start: int, fault: Refused) -> LostCall:
        """Take *raw*, which begins at *start* and ends the answer, for a call of *name*."""
        span = Span(start, start + len(raw))
        problem = CallProblem(fault.kind, fault.message, raw, span, name)
        read = self._reads[-1] = LostCall(ending=problem, is_lost=True)
        self.said = [said for said in self.said if said.end <= start]
        return read


def _is_no_call(ending: ToolCall | CallProblem | None) -> bool:
    made_up = ProblemKind.FABRICATED_RESULT
    return ending is None or (isinstance(ending, CallProblem) and ending.kind is made_up)


def _is_plain(read: LostCall) -> bool:
    call = read.ending
    is_call = isinstance(call, ToolCall) and not call.place and FENCED not in call.repairs
    return is_call and not read.is_doubted
