"""One reply as it is read: what it says so far, and how it ended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

from ...protocol.decoding.contract import AnswerDecoder, Decoder, heard, is_over
from ...protocol.errors import WireError
from ...protocol.events import (
    CallCompleted,
    CallDoubted,
    CallRejected,
    CallStarted,
    Event,
    ReasoningDelta,
    TextDelta,
)
from ...protocol.finish_reasons import FinishKind, cut_reason, ending_of
from ...protocol.guard.neutralise import BREAK
from ...protocol.guard.restoring import Restoring
from ...protocol.messages import (
    CallProblem,
    Chunk,
    Grade,
    IdFactory,
    Message,
    MessageSegment,
    ProblemKind,
    Repair,
    ToolCall,
    Usage,
)
from ..masking import Unmasker

__all__ = ["Reply"]

#: How much of a call that could not be read stays in the conversation.
_KEPT_RAW = 4_000
_Kind = Literal["text", "reasoning", "call"]
_USUAL_ORDER: list[_Kind] = ["reasoning", "text", "call"]


@dataclass(slots=True)
class Reply:
    """What was heard of a reply. Feed it chunks, then :meth:`end` it."""

    decoder: Decoder
    unmasker: Unmasker | None = None
    #: Whether a call outside the reply has an id.
    is_taken: Callable[[str], bool] = bool
    model: str = ""
    #: How long the model thought, None if it did not.
    thought_seconds: float | None = None
    heard: list[str] = field(default_factory=list)
    #: Whether anything of it came.
    has_begun: bool = False
    calls: list[ToolCall] = field(default_factory=list)
    problems: list[CallProblem] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    #: How often a service told what a request took, and whether it did so for each.
    reports: int = 0
    is_counted: bool = True
    finish_reason: str | None = None
    continued: bool = False
    _last: Chunk | None = None
    _text: list[str] = field(default_factory=list)
    _reasoning: list[str] = field(default_factory=list)
    _indexes: list[int] = field(default_factory=list)  # of the calls, among all that were told
    _ids: dict[int, str] = field(default_factory=dict)  # of the calls that were told, by index
    _claimed: set[str] = field(default_factory=set)
    #: Which kind of thing came when: the kind, and how many pieces of it there were before.
    _runs: list[tuple[_Kind, int]] = field(default_factory=list)
    _restoring: Restoring = field(default_factory=Restoring)
    #: Whether the model wrote any of the guard's breaks.
    _broken: bool = False
    _has_native_calls: bool = False

    def hear(self, chunk: Chunk) -> list[Event]:
        """Take in *chunk*; what it brought."""
        self.has_begun = True
        if text := chunk.text:
            self.heard.append(text)
            if BREAK in text:
                self._broken = True
        if chunk.calls:
            self._has_native_calls = True
        events = heard(self.decoder, chunk)
        if chunk.usage:
            self.usage += chunk.usage
            self.reports += 1
        if chunk.finish_reason:
            self.finish_reason, self._last = chunk.finish_reason, chunk
        return self._seen(events)

    @property
    def is_over(self) -> bool:
        """Whether the rest of it is not the model's to say, and need not be waited for."""
        return is_over(self.decoder)

    def end(self) -> list[Event]:
        """The reply is over; WireError if it was broken off."""
        if self.finish_reason is None and not self.is_over:
            raise WireError("the reply ended without a finish reason; it was broken off")
        events = self._seen(self.decoder.finish(cut_reason(self.finish_reason)))
        if self.unmasker:
            events += self._noted(self.unmasker.finish())
        return events

    @property
    def is_too_long(self) -> bool:
        """Whether the service stopped because the reply grew too long, so that it may go on.

        No service goes on with a call that it has read itself.
        """
        is_cut = ending_of(self.finish_reason or "stop") is FinishKind.TOO_LONG
        return is_cut and not self._has_native_calls

    @property
    def last_chunk(self) -> Chunk | None:
        """The chunk that said why the reply ended, with the usage of the whole reply."""
        usage = None if self.usage == Usage() else self.usage
        return self._last and replace(self._last, usage=usage)

    @property
    def text(self) -> str:
        """What a person should read."""
        return "".join(self._text)

    def partial(self) -> Message | None:
        """What was said and thought of a reply that broke off, None if nothing."""
        said, thought = self.text.strip(), "".join(self._reasoning).rstrip()
        if not said and not thought:
            return None
        return Message(
            "assistant",
            said,
            reasoning=thought,
            model=self.model,
            thought_seconds=self.thought_seconds,
        )

    def message(self) -> Message:
        """The reply as it joins the conversation.

        A call that could not be read stays as it was written, for the model to see its mistake; a
        result the model made up does not. Nor does what a service with tools of its own sent as a
        call, or lost: as text of the model's it would be what the next answer is modelled on.
        """
        refused = [
            problem.raw[:_KEPT_RAW]
            for problem in self.problems
            if problem.kind is not ProblemKind.FABRICATED_RESULT
            and not isinstance(self.decoder, AnswerDecoder)
        ]
        content = "\n".join(filter(None, [self.text.strip(), *refused]))
        return Message(
            "assistant",
            content,
            tuple(self.calls),
            reasoning="".join(self._reasoning).rstrip(),
            segments=self._segments(),
            model=self.model,
            thought_seconds=self.thought_seconds,
        )

    def _segments(self) -> tuple[MessageSegment, ...]:
        """Text, thinking and calls in their order, where that is not the usual one."""
        kinds = [kind for kind, _ in self._runs if kind != "text" or self.text.strip()]
        if kinds == sorted(kinds, key=_USUAL_ORDER.index) and len(set(kinds)) == len(kinds):
            return ()
        pieces: dict[str, list[str]] = {
            "text": self._text,
            "reasoning": self._reasoning,
            "call": [call.id for call in self.calls],
        }
        ends = {kind: len(each) for kind, each in pieces.items()}
        segments: list[MessageSegment] = []
        for kind, start in reversed(self._runs):
            run, ends[kind] = pieces[kind][start : ends[kind]], start
            whole = "".join(run)
            told = [whole.rstrip() if kind == "reasoning" else whole]
            said = reversed(run) if kind == "call" else told
            segments += (MessageSegment(kind, text) for text in said if text)
        return tuple(reversed(segments))

    def _goes_to(self, kind: _Kind, count: int) -> None:
        """Take note that the model goes on with *kind*, of which *count* pieces were heard."""
        if not self._runs or self._runs[-1][0] != kind:
            self._runs.append((kind, count))

    def _seen(self, events: list[Event]) -> list[Event]:
        # Nearly all events are words, which without a break need no restoring.
        if not self._broken and len(events) == 1 and type(events[0]) is TextDelta:
            if self.unmasker is None:
                self._goes_to("text", len(self._text))
                self._text.append(events[0].text)
                return events
        else:
            events = self._restoring.feed(events)
        return self._noted(self.unmasker.feed(events) if self.unmasker else events)

    def _noted(self, events: list[Event]) -> list[Event]:
        for at, event in enumerate(events):
            match event:
                case TextDelta(text):
                    self._goes_to("text", len(self._text))
                    self._text.append(text)
                case ReasoningDelta(text):
                    self._goes_to("reasoning", len(self._reasoning))
                    self._reasoning.append(text)
                case CallStarted(index, id=id) if id:
                    events[at] = replace(event, id=self._id_of(index, id))
                case CallCompleted(index, call):
                    self._goes_to("call", len(self.calls))
                    call = replace(call, id=self._id_of(index, call.id)) if call.id else call
                    events[at] = CallCompleted(index, self._joined(call))
                    self.calls.append(self._joined(call))
                    self._indexes.append(index)
                case CallDoubted(index, place):
                    at = self._indexes.index(index)
                    self.calls[at] = replace(self.calls[at], place=place)
                case CallRejected(_, problem):
                    self.problems.append(problem)
        return events

    def identify(self, ids: IdFactory) -> None:
        """Give an id to each call that has none from its decoder."""
        self.calls = [
            each if each.id else replace(each, id=self._claim(ids())) for each in self.calls
        ]

    def _id_of(self, index: int, wanted: str) -> str:
        """Return the id of the call *index*, to which the model, or its decoder, gave *wanted*."""
        if index not in self._ids:
            self._ids[index] = self._claim(wanted)
        return self._ids[index]

    def _claim(self, wanted: str) -> str:
        """Return *wanted*, with a number behind it if another call has that id.

        A model often begins with "call_1" in every reply.
        """
        id, number = wanted, 1
        while id in self._claimed or self.is_taken(id):
            number += 1
            id = f"{wanted}_{number}"
        self._claimed.add(id)
        return id

    def _joined(self, call: ToolCall) -> ToolCall:
        """*call*, with a label if it may stand in two replies that were put together."""
        if not self.continued:
            return call
        joined = Repair("continued", Grade.GUESSED, "the reply was cut and continued")
        return replace(call, repairs=(*call.repairs, joined))
