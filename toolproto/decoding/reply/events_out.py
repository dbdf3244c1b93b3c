"""What a decoder has to say, and what it keeps to itself until it knows more.

Text that may turn out to be a call, or a call that may turn out to be merely shown, is *withheld*:
its events and its raw text wait side by side, and one of the two goes out in the end. An
:class:`Attempt` is something that may be a call while that is undecided.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum, auto
from io import SEEK_END, StringIO
from typing import Protocol

from ...events import (
    CallCompleted,
    CallRejected,
    CallStarted,
    Event,
    ReasoningDelta,
    arguments_delta,
    text_delta,
)
from ...messages import CallProblem, Grade, IdFactory, ProblemKind, Repair, Span, ToolCall
from .hot_string import StreamedString
from .place import PLAIN, Standing, Verdict

__all__ = ["Attempt", "Body", "Course", "Outbox"]

_MENDED = 0.25  # of a mistake: mending takes as long as finding out that it cannot be done
_TRIES = 1000  # at an id that the model has not taken; a factory that repeats itself is not ours


class Outbox:
    """Events in the order they happened; numbers calls and gives them ids."""

    _next_index = 0
    _withheld: _Withheld | None = None
    _lingering: CallCompleted | None = None
    linger = False  # keep the next completed call until it is settled how it ends
    patient = False  # keep the last call until it is known what stands behind it
    repairs: tuple[Repair, ...] = ()  # what every call from here on departs in
    mistakes = 0.0  # calls that were rejected, and a part of those that were mended
    cut = False  # was the reply ended by a limit? What waits for more text lacks it then

    def __init__(self, ids: IdFactory) -> None:
        self._ids = ids
        self._used_ids: set[str] = set()
        self._events: list[Event] = []

    def take(self) -> list[Event]:
        """The events that may go out."""
        if self._withheld is not None:
            ready = self._events[: self._withheld.events]
            del self._events[: self._withheld.events]
            self._withheld.events = 0
            return ready
        events, self._events = self._events, []
        return events

    @property
    def keeps_something(self) -> bool:
        """Is anything kept back, or lingering?"""
        return self._withheld is not None or self._lingering is not None

    @property
    def withholding(self) -> bool:
        """Is anything kept back?"""
        return self._withheld is not None

    @property
    def withholds_call(self) -> bool:
        """Is a call among what is kept back?"""
        return self._withheld is not None and self._next_index > self._withheld.index

    @property
    def withholds_whole_call(self) -> bool:
        """Is a call that came to its end among what is kept back?"""
        lingers = self._withheld is not None and self._lingering is not None
        return lingers or any(isinstance(event, CallCompleted) for event in self._kept_back)

    def withhold(self, start: int) -> None:
        """From here on keep events, and the text from offset *start*, until told which."""
        assert self._withheld is None, "one thing is undecided at a time"
        self._withheld = _Withheld(start, len(self._events), self._next_index, self.mistakes)

    def keep(self, raw: str) -> None:
        """Remember text that was read while withholding."""
        if self._withheld is not None and raw:
            self._withheld.raw.write(raw)

    def let_go(self) -> None:
        """What was withheld happened: its events go out."""
        self._withheld = None

    def unkeep(self, count: int) -> None:
        """The last *count* characters kept will be read, and kept, again."""
        if self._withheld is not None:
            raw = self._withheld.raw
            raw.truncate(raw.tell() - count)
            raw.seek(0, SEEK_END)

    def let_go_as_text(self) -> str:
        """What was withheld was only shown: its text goes out, and no event of it."""
        raw, start = self._taken_back()
        self.text(raw, start)
        return raw

    def let_go_as_reasoning(self) -> Span:
        """What was withheld was only thought: where that stands."""
        raw, start = self._taken_back()
        self.reasoning(raw, start)
        return Span(start, start + len(raw))

    def _taken_back(self) -> tuple[str, int]:
        """The text that was withheld, and where it begins, with no event of it left."""
        withheld = self._withheld
        assert withheld is not None, "nothing is withheld"
        self.release()
        self.mistakes = withheld.mistakes
        del self._events[withheld.events :]
        self._next_index = withheld.index
        self._withheld = None
        return withheld.raw.getvalue(), withheld.start

    @property
    def withheld_span(self) -> Span:
        """Where the text stands that is kept back."""
        assert self._withheld is not None, "nothing is withheld"
        start = self._withheld.start
        return Span(start, start + self._withheld.raw.tell())

    @property
    def withholds_guess(self) -> bool:
        """Is the form of a call guessed among what is kept back? A fence around it is no form."""
        self.release()
        return any(
            repair.grade is Grade.GUESSED and not repair.is_of_place and repair.name != "fenced"
            for event in self._kept_back
            if isinstance(event, CallCompleted)
            for repair in event.call.repairs
        )

    def doubt_withheld(self, doubt: Repair) -> None:
        """The calls that are kept back stand in a doubtful place; that says more than a fence."""
        assert self._withheld is not None, "nothing is withheld"
        self.release()
        for at in range(self._withheld.events, len(self._events)):
            event = self._events[at]
            if isinstance(event, CallCompleted):
                told = [r for r in event.call.repairs if r.name != "fenced"]
                call = replace(event.call, repairs=(doubt, *told))
                self._events[at] = CallCompleted(event.index, call)

    @property
    def _kept_back(self) -> list[Event]:
        return self._events[self._withheld.events :] if self._withheld else []

    def text(self, text: str, start: int) -> None:
        if text:
            self._say(text_delta(text, start))

    def reasoning(self, text: str, start: int) -> None:
        if text:
            self._say(ReasoningDelta(text, Span(start, start + len(text))))

    def _say(self, event: Event) -> None:
        self.release()
        self._events.append(event)

    def amend(self, repair: Repair) -> None:
        """The call that lingers departs from the form in this, too, unless it says so itself."""
        last = self._lingering
        if last is not None and all(known.name != repair.name for known in last.call.repairs):
            self.mistakes += 0 if last.call.repairs else _MENDED
            call = replace(last.call, repairs=(*last.call.repairs, repair))
            self._lingering = CallCompleted(last.index, call)

    def settle(self, *repairs: Repair) -> None:
        """The call that lingers, if any, is over; it goes out unless its place is undecided."""
        for repair in repairs:
            self.amend(repair)
        if not self.patient:
            self.release()

    def release(self) -> None:
        """Nothing more is to be said about the call that lingers, if any."""
        if self._lingering is not None:
            self._events.append(self._lingering)
        self._lingering = None

    def new_id(self, wanted: str = "") -> str:
        """The id the model gave, unless it gave it before; else a fresh one."""
        if not wanted or len(wanted) > 128 or wanted in self._used_ids:
            wanted = self._ids()
            for _ in range(_TRIES):
                if wanted not in self._used_ids:
                    break
                wanted = self._ids()
        self._used_ids.add(wanted)
        return wanted

    def started(self, name: str, id: str) -> int:
        """Tell of a call; its index is what the other events about it carry."""
        index = self._next_index
        self._next_index += 1
        self._say(CallStarted(index, name, id))
        return index

    def arguments(self, index: int, text: str) -> None:
        if text:
            self._say(arguments_delta(index, text))

    def completed(self, index: int, call: ToolCall) -> None:
        self.mistakes += _MENDED if call.repairs else 0
        if self.linger or self.patient:
            self.release()
            self._lingering = CallCompleted(index, call)
        else:
            self._say(CallCompleted(index, call))

    def rejected_text(self, kind: ProblemKind, message: str, raw: str, start: int) -> None:
        """What begins at *start* in the reply was to be a call of which no more is known."""
        self.rejected(None, CallProblem(kind, message, raw, Span(start, start + len(raw))))

    def rejected(self, index: int | None, problem: CallProblem) -> None:
        if index is None:
            index = self._next_index
            self._next_index += 1
        self.mistakes += 1
        self._say(CallRejected(index, problem))


@dataclass(slots=True)
class _Withheld:
    """Where withholding began: in the reply, among the events, the calls, the mistakes."""

    start: int
    events: int
    index: int
    mistakes: float
    raw: StringIO = field(default_factory=StringIO)


class Body(Protocol):
    """Reads what may be a call."""

    done: bool
    committed: bool

    @property
    def refused(self) -> bool: ...
    @property
    def streaming(self) -> StreamedString | None: ...
    def feed(self, text: str, at: int, base: int, final: bool) -> int: ...
    def finish(self, reason: str | None) -> None: ...
    def take_pushback(self) -> str: ...


class Course(Enum):
    """What is done with an attempt that turns out to be a call."""

    RUN = auto()
    SHOW = auto()  # it goes out as text, whatever it is
    DOUBT = auto()  # it is a call that carries its doubt, or text if its form is doubtful too
    ASK_FENCE = auto()  # the end of the fence, and of the reply, decides
    ASK_BEHIND = auto()  # it was its own fence: what is behind that decides
    ASK_THOUGHT = auto()  # the end of the thought decides

    @classmethod
    def of(cls, standing: Standing) -> Course:
        """The course for a call that stands like this, outside any fence."""
        if standing.verdict is Verdict.PLAIN:
            return cls.RUN
        return cls.SHOW if standing.verdict is Verdict.SHOWN else cls.DOUBT


@dataclass(slots=True)
class Attempt:
    """A body reader at work. What it reads is withheld until it is decided."""

    body: Body
    course: Course
    standing: Standing = PLAIN
