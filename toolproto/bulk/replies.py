"""One reply, read and checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from itertools import count
from typing import Any

from ..protocol.decoding.reply.thinking_tokens import Reasoning
from ..protocol.errors import UsageError
from ..protocol.events import (
    CallCompleted,
    CallRejected,
    Event,
    ReasoningDelta,
    TextDelta,
    settled,
)
from ..protocol.finish_reasons import cut_reason
from ..protocol.messages import CallProblem, Grade, ProblemKind, ToolCall
from ..protocol.paradigms import ToolContextDef, get_paradigm
from ..protocol.paradigms.salvage import any_decoder
from ..protocol.tools.check import check_call
from ..protocol.tools.spec import ToolOffer
from .reading import ANY, AUTO, Reading

__all__ = ["ReadReply", "ReplyOutcome", "ReplyReader"]

_LONGEST_NAME = 64


class ReplyOutcome(Enum):
    """What came of a reply; of several that hold, the last in this order."""

    NO_CALL = "no_call"
    CALLS = "calls"  # all written as asked
    REPAIRED = "repaired"  # some in another spelling
    GUESSED = "guessed"  # some in the likeliest of several readings
    TRUNCATED = "truncated"  # the reply ended inside a call
    PROBLEM = "problem"  # something looked like a call and cannot be used
    UNREADABLE = "unreadable"  # there is no reply in the row


_BY_GRADE = {
    None: ReplyOutcome.CALLS,
    Grade.LOSSLESS: ReplyOutcome.REPAIRED,
    Grade.GUESSED: ReplyOutcome.GUESSED,
    Grade.TRUNCATED: ReplyOutcome.TRUNCATED,
}
_ORDER = list(ReplyOutcome)


@dataclass(slots=True)
class ReadReply:
    """What a reply says, or in *fault* why it cannot be said."""

    calls: list[ToolCall] = field(default_factory=list)
    problems: list[CallProblem] = field(default_factory=list)
    text: str = ""
    reasoning: str = ""
    fault: str = ""

    @property
    def outcome(self) -> ReplyOutcome:
        """What came of it."""
        if self.fault:
            return ReplyOutcome.UNREADABLE
        if not self.calls and not self.problems:
            return ReplyOutcome.NO_CALL
        found = [_BY_GRADE[call.grade] for call in self.calls]
        found += [
            ReplyOutcome.TRUNCATED
            if problem.kind is ProblemKind.TRUNCATED
            else ReplyOutcome.PROBLEM
            for problem in self.problems
        ]
        return found[0] if len(found) == 1 else max(found, key=_ORDER.index)

    def told(self) -> dict[str, Any]:
        """All of it, as JSON holds it."""
        told: dict[str, Any] = {
            "outcome": self.outcome.value,
            "calls": [_call(call) for call in self.calls],
            "problems": [_problem(problem) for problem in self.problems],
            "text": self.text,
            "reasoning": self.reasoning,
        }
        return {**told, "reason": self.fault} if self.fault else told


class ReplyReader:
    """Reads replies as *reading* says; the same reply always comes out the same, ids included."""

    def __init__(self, reading: Reading) -> None:
        self._check = reading.check
        self._ids = _CountedIds()
        self._reasoning = Reasoning(starts_inside=reading.starts_in_thinking)
        self._options: dict[str, Any] = {
            "ids": self._ids,
            "reasoning": self._reasoning,
            "salvage": reading.salvage,
        }
        self._asked = reading.paradigm
        if self._asked not in (ANY, AUTO):
            self._own = reading.load(self._asked, **self._options)
        self._named = lru_cache(maxsize=256)(self._load)

    def read(
        self, text: str, offer: ToolOffer, paradigm: str, finish_reason: str | None = None
    ) -> ReadReply:
        """What *text* says. Raises UsageError where *paradigm* or *offer* cannot be used."""
        self._ids.restart()
        cut = cut_reason(finish_reason)
        reply = ReadReply()
        texts: list[str] = []
        thoughts: list[str] = []
        for event in settled(self._events(text, offer, paradigm, cut)):
            match event:
                case TextDelta(piece):
                    texts.append(piece)
                case ReasoningDelta(piece):
                    thoughts.append(piece)
                case CallCompleted(_, call):
                    self._settle(call, offer, reply)
                case CallRejected(_, problem):
                    reply.problems.append(problem)
        reply.text, reply.reasoning = "".join(texts), "".join(thoughts)
        return reply

    def _events(self, text: str, offer: ToolOffer, paradigm: str, cut: str | None) -> list[Event]:
        if paradigm != ANY:
            decoder = self.paradigm(paradigm).decoder(offer)
        elif cut or not offer.tools:
            why = "was cut, and {!r} cannot read it" if cut else "has no tools, which {!r} needs"
            raise UsageError(f"the reply {why.format(ANY)}; name a paradigm for such rows")
        else:
            decoder = any_decoder(offer, ids=self._ids, reasoning=self._reasoning)
        return [*decoder.feed(text), *decoder.finish(cut)]

    def paradigm(self, name: str) -> ToolContextDef:
        """The paradigm of that *name*, made once."""
        # A row may name what is installed; only who made the reading names files to load.
        return self._own if name == self._asked else self._named(name)

    def checked(self, call: ToolCall, offer: ToolOffer) -> ToolCall | CallProblem:
        """*call* as it may run under *offer*, or what is wrong with it; unchecked if so asked."""
        return check_call(call, offer) if self._check and offer.tools else call

    def _load(self, name: str) -> ToolContextDef:
        if len(name) > _LONGEST_NAME:  # it is remembered, and a row may say anything
            raise UsageError(f"no paradigm named {name[:_LONGEST_NAME]!r}…")
        return get_paradigm(name, **self._options)

    def _settle(self, call: ToolCall, offer: ToolOffer, reply: ReadReply) -> None:
        checked = self.checked(call, offer)
        if isinstance(checked, ToolCall):
            reply.calls.append(checked)
        else:
            reply.problems.append(checked)


class _CountedIds:
    """``call_1``, ``call_2``, … of one reply, then again of the next."""

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        self._numbers = count(1)

    def __call__(self) -> str:
        return f"call_{next(self._numbers)}"


def _call(call: ToolCall) -> dict[str, Any]:
    return {
        "id": call.id,
        "name": call.name,
        "arguments": call.arguments,
        "repairs": [
            {"name": repair.name, "grade": repair.grade.value, "detail": repair.detail}
            for repair in call.repairs
        ],
        "place": call.place,
    }


def _problem(problem: CallProblem) -> dict[str, Any]:
    return {
        "kind": problem.kind.value,
        "name": problem.name,
        "message": problem.message,
        "raw": problem.raw,
    }
