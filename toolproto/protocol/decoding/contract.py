"""What a reader of replies promises, and how much it will read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol, TypeGuard, runtime_checkable

from ..events import Event, ReasoningDelta
from ..messages import Chunk, NativePiece


class Decoder(Protocol):
    """Turns one reply, in chunks of any size, into events.

    The same reply in other chunks gives the same events after
    :func:`~toolproto.protocol.events.merge`. The model's mistakes come back as ``CallRejected``;
    the only exception raised is ``UsageError``, for feeding after ``finish``.
    """

    def feed(self, chunk: str) -> list[Event]:
        """Read on."""
        ...

    def finish(self, reason: str | None = None) -> list[Event]:
        """Say that the reply is over; ``"length"`` marks an open call as truncated."""
        ...


@runtime_checkable
class AnswerDecoder(Decoder, Protocol):
    """Reads the answer of a service with tools of its own: its calls and thoughts beside its text.

    A thought that comes apart from the text may hold a call that was lost there.
    """

    def think(self, chunk: str) -> list[Event]:
        """Read more of what the service says is thinking."""
        ...

    def take(self, pieces: Sequence[NativePiece]) -> list[Event]:
        """Read *pieces* of the calls that the service sends as such."""
        ...


def heard(decoder: Decoder, chunk: Chunk) -> list[Event]:
    """Return what *chunk* adds to the reply that *decoder* reads."""
    thought, text = chunk.reasoning, chunk.text
    if _reads_answers(decoder):
        events = decoder.think(thought) if thought else []
        events += decoder.feed(text) if text else []
        return events + (decoder.take(chunk.calls) if chunk.calls else [])
    if not thought:
        return decoder.feed(text) if text else []
    return [ReasoningDelta(thought), *(decoder.feed(text) if text else ())]


def _reads_answers(decoder: Decoder) -> TypeGuard[AnswerDecoder]:
    return _is_answer_decoder(type(decoder))


@lru_cache(maxsize=64)
def _is_answer_decoder(kind: type[Any]) -> bool:
    # To ask a protocol takes 20 µs, and this is asked for each token.
    return issubclass(kind, AnswerDecoder)


def is_over(decoder: Decoder) -> bool:
    """Whether *decoder* wants no more of its reply, so that its service may be left.

    The rest is a result that the model makes up, or somebody else's turn. A decoder need not know.
    """
    return bool(getattr(decoder, "is_over", False))


@dataclass(frozen=True, slots=True)
class Limits:
    """What one call may cost to read; beyond it the call is rejected as too large.

    *depth* bounds nesting, so that code that walks the arguments later does not reach Python's
    recursion limit; *characters* bounds what is buffered for one call; *recoveries* bounds how
    often one reply is read again from the place where a broken call turned out to end, or a string
    that has no sure end; after so many *mistakes* the reply is not read any further. A call that
    cannot be used counts as one mistake, and one that was mended, or stands in a doubtful place, as
    a quarter. After this many *markers* that begin no call the rest of the reply is text; real
    replies have had at most three. A code fence (at most nine), a tool's name that begins no call,
    a shown call, and the end of a thought that was not begun count as well; an object or list that
    begins like a call and is none counts as a sixteenth, since data may have thousands of those.
    Behind so many *calls* the rest is not read: a program runs 128 of a reply at most, and each
    takes a kilobyte.
    """

    depth: int = 64
    characters: int = 8_000_000
    recoveries: int = 8
    mistakes: int = 64
    markers: int = 256
    calls: int = 4096
