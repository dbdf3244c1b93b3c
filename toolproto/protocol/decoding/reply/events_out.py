"""What a decoder has to say, and what it keeps to itself until it knows more.

Text that may turn out to be a call, or a call that may turn out to be merely shown, is *withheld*:
its events and its raw text wait side by side, and one of the two goes out in the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from io import StringIO
from typing import Any

from ...events import (
    CallCompleted,
    CallDoubted,
    CallRejected,
    CallStarted,
    Event,
    arguments_delta,
    text_delta,
)
from ...messages import CallProblem, IdFactory, ProblemKind, Repair, Span, ToolCall
from ..hot_string import StreamedString
from ..pieces import MOST_PIECES, join_pieces
from ..source import Source
from ..values.repairs import BARE_STRING, STRAY_TEXT

_MENDED = 0.25  # of a mistake: mending takes as long as finding out that it cannot be done
_TRIES = 1000  # at an id that the model has not taken; a factory that repeats itself is not ours


class EventsOut:
    """Events in the order they happened; numbers calls and gives them ids."""

    _next_index = 0
    _withheld: _Withheld | None = None
    repairs: tuple[Repair, ...] = ()  # what every call from here on departs in
    rereads = 0  # strings that were read again to a nearer end
    mistakes = 0.0  # calls that were rejected, and a part of those that were mended
    cut = False  # was the reply ended by a limit? What waits for more text lacks it then

    def __init__(self, ids: IdFactory) -> None:
        self._ids = ids
        self._used_ids: set[str] = set()
        self._events: list[Event] = []
        self._calls: list[ToolCall | None] = []  # that were completed; None for what was rejected
        self._plain: set[int] = set()  # the calls that are not doubted
        self._said: list[str] = []  # text behind them, of which one event is made
        self._joined = 0  # so many pieces of that were joined from others
        self._said_from = self._said_to = 0  # where that stands
        self._thinks = False  # is it thought?
        #: May what stands behind the calls that begin show that they are only shown?
        self.unsettled: Callable[[], bool] = bool

    @property
    def calls_begun(self) -> int:
        """How many calls were begun: the index of the next one."""
        return self._next_index

    def take(self) -> list[Event]:
        """The events that may go out."""
        if self._said:
            self._tell()
        events, self._events = self._events, []
        withheld = self._withheld
        if withheld is not None:
            if not withheld.events:  # nor is anything done with what is kept, which may be much
                self._events = events
                return []
            self._events = events[withheld.events :]
            del events[withheld.events :]
            withheld.events = 0
        return events

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
        kept = self._events[self._withheld.events :] if self._withheld else []
        return any(isinstance(event, CallCompleted) for event in kept)

    def withhold(self, source: Source) -> None:
        """Keep events, and the text read of *source*, until one of the two may go out."""
        assert self._withheld is None, "one thing is undecided at a time"
        self._tell()
        self._withheld = _Withheld(
            source,
            source.offset,
            len(self._events),
            len(self._calls),
            self._next_index,
            self.mistakes,
        )

    def keep(self) -> bool:
        """Remember the text that was read while withholding, before its source forgets it.

        Is anything kept back?
        """
        if self._withheld is None:
            return False
        self._withheld.keep()
        return True

    def withheld_string(self, string: StreamedString) -> StreamedString:
        """The same *string* if nothing of it goes out, but is kept with what is withheld."""
        withheld = self._withheld
        if withheld is None:
            return string

        def take(piece: str) -> None:
            string.take(piece)
            withheld.raw.write(piece)
            if string.index is not None and piece:
                self.arguments(string.index, string.as_json(piece))

        return replace(string, take=take, index=None)

    def certain(self) -> None:
        """Let what is withheld go out: it is a call. What `decide` was given may forbid it."""
        if self._withheld is not None and self._withheld.may_go():
            self._withheld = None

    @property
    def call_count(self) -> int:
        """How many calls were completed or rejected."""
        return len(self._calls)

    def decide(self, may_go: Callable[[], bool]) -> None:
        """Let a call that is withheld go out as soon as it is certain, if it *may_go* then."""
        if self._withheld is not None:
            self._withheld.may_go = may_go

    def let_go(self, place: str, *repairs: Repair) -> None:
        """What was withheld happened, in that *place* and with these *repairs*: events go out."""
        withheld, self._withheld = self._withheld, None
        if withheld is None or not (place or repairs):
            return
        for at in range(withheld.events, len(self._events)):
            event = self._events[at]
            if isinstance(event, CallCompleted):
                self.mistakes += 0 if event.call.repairs else _MENDED
                told = (*repairs, *event.call.repairs)
                call = replace(event.call, place=place, repairs=told)
                self._events[at] = CallCompleted(event.index, call)
                if place:
                    self._plain.discard(event.index)
            elif isinstance(event, CallStarted) and repairs:
                self._events[at] = replace(event, unsettled=True)

    def let_go_as_text(self, *, thinks: bool = False) -> str:
        """What was withheld was only shown, or thought: its text goes out, and no event of it."""
        raw, start = self.drop_withheld()
        self.text(raw, start, thinks=thinks)
        return raw

    def drop_withheld(self) -> tuple[str, int]:
        """The text that was withheld, and where it begins, with no event of it left."""
        withheld = self._withheld
        assert withheld is not None, "nothing is withheld"
        self.mistakes = withheld.mistakes
        del self._events[withheld.events :], self._calls[withheld.calls :]
        self._said.clear()
        self._joined = 0
        self._next_index = withheld.index
        self._plain = {index for index in self._plain if index < withheld.index}
        self._withheld = None
        withheld.keep()
        return withheld.raw.getvalue(), withheld.start

    @property
    def withholds_bare_words(self) -> bool:
        """Are there words without quotes in a call that is kept back?"""
        start = self._withheld.calls if self._withheld else len(self._calls)
        return any(
            call and (BARE_STRING in call.repairs or STRAY_TEXT in call.repairs)
            for call in self._calls[start:]
        )

    @property
    def withheld_text(self) -> str:
        """The text that is kept back."""
        assert self._withheld is not None, "nothing is withheld"
        self._withheld.keep()
        return self._withheld.raw.getvalue()

    @property
    def withheld_span(self) -> Span:
        """Where the text stands that is kept back."""
        assert self._withheld is not None, "nothing is withheld"
        return Span(self._withheld.start, self._withheld.source.offset)

    @property
    def is_unclosed(self) -> bool:
        """Did the last call lack what closes it?"""
        last = self._calls[-1] if self._calls else None
        return last is not None and any(each.name == "missing_closer" for each in last.repairs)

    @property
    def withholds_echo(self) -> bool:
        """Do the calls that are kept back say what as many before them said?"""
        start = self._withheld.calls if self._withheld else len(self._calls)
        kept = self._calls[start:]
        before = self._calls[max(start - len(kept), 0) : start]
        return bool(kept) and [*map(_said, kept)] == [*map(_said, before)] and None not in kept

    def text(self, text: str, start: int, *, thinks: bool = False) -> None:
        if self._said_to != start or self._thinks is not thinks:
            self._tell()
            self._thinks = thinks
        if text:
            self._said_from = self._said_from if self._said else start
            self._said.append(text)
            self._said_to = start + len(text)
            if len(self._said) - self._joined > MOST_PIECES:
                self._joined = join_pieces(self._said, self._joined)

    def _tell(self) -> None:
        """What was said in pieces goes out in one: there may be thousands in a chunk."""
        if self._said:
            text = "".join(self._said)
            self._events.append(text_delta(text, self._said_from, thinks=self._thinks))
            self._said.clear()
            self._joined = 0

    def reasoning(self, text: str, start: int) -> None:
        self.text(text, start, thinks=True)

    def doubt(self, indexes: Iterable[int], place: str) -> None:
        """What came behind those calls shows that their *place* is doubtful."""
        for index in sorted(self._plain.intersection(indexes)):
            self._plain.discard(index)
            self._tell()
            self._events.append(CallDoubted(index, place))

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
        self._tell()
        self._events.append(CallStarted(index, name, id, self.unsettled()))
        return index

    def arguments(self, index: int, text: str) -> None:
        if text:
            self._tell()
            self._events.append(arguments_delta(index, text))

    def completed(self, index: int, call: ToolCall) -> None:
        self.mistakes += _MENDED if call.repairs else 0
        self._tell()
        self._events.append(CallCompleted(index, call))
        self._calls.append(call)
        self._plain.add(index)

    def rejected_text(self, kind: ProblemKind, message: str, raw: str, start: int) -> None:
        """What begins at *start* in the reply was to be a call of which no more is known."""
        self.rejected(None, CallProblem(kind, message, raw, Span(start, start + len(raw))))

    def rejected(self, index: int | None, problem: CallProblem) -> None:
        if index is None:
            index = self._next_index
            self._next_index += 1
        self.mistakes += 1
        self._calls.append(None)
        self._tell()
        self._events.append(CallRejected(index, problem))


def _said(call: ToolCall | None) -> tuple[str, Mapping[str, Any]] | None:
    return None if call is None else (call.name, call.arguments)


@dataclass(slots=True)
class _Withheld:
    """Where withholding began: in the reply, among the events, the calls, the mistakes.

    *calls* are those that were over, and *index* is the number of the next one. ``raw`` is all
    text of *source* from there on, as far as it was kept.
    """

    source: Source
    start: int
    events: int
    calls: int
    index: int
    mistakes: float
    raw: StringIO = field(default_factory=StringIO)
    may_go: Callable[[], bool] = lambda: False

    def keep(self) -> None:
        """Take in what was read since; what is read again was not."""
        source, raw = self.source, self.raw
        known = self.start + raw.tell() - source.base  # in its text
        if known > source.at:
            raw.seek(raw.tell() + source.at - known)
            raw.truncate()
        else:
            raw.write(source.text[max(known, 0) : source.at])
