"""One answer of a service that has tools: its text, its thoughts and its calls, as events.

The events are those of every reader of replies, so that whatever comes behind it (the check, the
judge, the guard, whoever decides) treats a native call as it treats one that was written as text.
So it treats a call that the service lost, too: one that came as text, or as the end of a thought.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..decoding.contract import Limits
from ..decoding.reply.thinking_tokens import Reasoning
from ..events import (
    ArgumentsDelta,
    CallCompleted,
    CallRejected,
    CallStarted,
    Event,
    ReasoningDelta,
    TextDelta,
)
from ..messages import CallProblem, Grade, IdFactory, NativePiece, Repair, random_id
from ..tools.spec import ToolOffer
from .calls import NativeCalls
from .leaks import Leak, Leaks

__all__ = ["NativeReader"]

_AS_TEXT = Repair("leaked_as_text")
# Whoever thinks aloud of a call may not make it.
_IN_REASONING = Repair("leaked_in_reasoning", Grade.GUESSED)


class NativeReader:
    """Reads one answer to a request with *offer*.

    Text and thoughts are passed on event by event as they came, or held back until it is known
    whether a call was lost in them. Such calls come at the end of the answer, behind everything
    else, and only where the service sends no calls of its own, and the offer allows calls. Whoever
    passes on what the service sent, as it sent it, does so while nothing is :attr:`holding` and
    nothing :attr:`changed`.
    """

    def __init__(
        self,
        offer: ToolOffer,
        *,
        ids: IdFactory = random_id,
        reasoning: Reasoning | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._offer = offer
        limits, reasoning = limits or Limits(), reasoning or Reasoning()
        self._calls = NativeCalls(offer, ids=ids, limits=limits)
        self._has_text = self._has_calls = False
        watched = bool(offer.tools) and offer.choice != "none"
        self._text, self._thought = (
            Leaks(offer, ids=ids, reasoning=reasoning, limits=limits) for _ in range(2)
        )
        if not watched:
            self._text.release()
            self._thought.release()

    @property
    def holding(self) -> bool:
        """Is something held back of what came?"""
        return self._calls.holding or self._text.holding or self._thought.holding

    @property
    def changed(self) -> bool:
        """Did something go out otherwise than it came, or was it taken out?

        At the end a call that was lost as text is such a change as well.
        """
        return self._calls.changed or self._text.changed or self._thought.changed

    @property
    def loose(self) -> bool:
        """Do the pieces of calls lack what clients of some wires need?

        That is a number and an id of its own for each call, and a name only once; or arguments came
        as a value. On wires that are so by design (Ollama's, Google's) it means nothing; on others
        the pieces as they came would break clients.
        """
        return self._calls.loose

    def feed(self, chunk: str) -> list[Event]:
        """Read more of its text."""
        if not chunk:
            return []
        event = TextDelta(chunk)
        if self._has_text:
            return self._text.feed(event)
        if chunk.isspace():
            return self._thought.behind(event) if self._thought.holding else self._text.feed(event)
        self._has_text = True
        return [*self._thought.release(), *self._text.feed(event)]

    def think(self, chunk: str) -> list[Event]:
        """Read more of its thinking."""
        event = ReasoningDelta(chunk)
        if not chunk:
            return []
        return self._text.behind(event) if self._text.holding else self._thought.feed(event)

    def take(self, pieces: Sequence[NativePiece]) -> list[Event]:
        """Read *pieces* of its calls."""
        if not self._has_calls:
            self._has_calls = any(piece.name or piece.arguments for piece in pieces)
            before = self._thought.release() if self._has_calls else []
        else:
            before = []
        if self._has_calls:
            before += self._text.beside_calls()
        events = self._calls.take(pieces)
        return [*before, *events] if before else events

    def finish(self, reason: str | None = None) -> list[Event]:
        """Say that the answer is over."""
        if self._has_calls:
            return [*self._text.beside_calls(), *self._calls.finish(reason)]
        events = [*self._thought.finish(reason, at_end=True), *self._text.finish(reason)]
        leaks = [(leak, _IN_REASONING) for leak in self._thought.leaks]
        leaks += [(leak, _AS_TEXT) for leak in self._text.leaks]
        for index, (leak, repair) in enumerate(leaks if self._offer.parallel else leaks[:1]):
            events += _told(index, leak, repair)
        return events


def _told(index: int, leak: Leak, repair: Repair) -> list[Event]:
    """The events of *leak*, as number *index*."""
    ending = leak.ending
    if isinstance(ending, CallProblem):
        return [CallRejected(index, replace(ending, repairs=(repair, *ending.repairs)))]
    call = replace(ending, repairs=(repair, *ending.repairs))
    written = [ArgumentsDelta(index, leak.arguments)] if leak.arguments else []
    return [CallStarted(index, call.name, call.id), *written, CallCompleted(index, call)]
