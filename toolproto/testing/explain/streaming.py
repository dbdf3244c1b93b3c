"""What comes out of a decoder at which chunk, and how much it keeps to itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...protocol.errors import UsageError
from ...protocol.events import (
    CallCompleted,
    CallRejected,
    CallStarted,
    Event,
    ReasoningDelta,
    TextDelta,
)
from ...protocol.paradigms.base import ToolContextDef
from ...protocol.tools.spec import ToolOffer
from .values import ExplainedStep

__all__ = ["in_chunks", "steps_of"]


def in_chunks(reply: str, size: int) -> list[str]:
    """*reply* in chunks of *size* characters; the last may be shorter."""
    if size < 1:
        raise UsageError(f"a chunk has at least one character, not {size}")
    return [reply[at : at + size] for at in range(0, len(reply), size)]


def steps_of(
    reply: str,
    paradigm: ToolContextDef,
    offer: ToolOffer,
    chunks: Sequence[str],
    finish_reason: str | None,
) -> Iterator[ExplainedStep]:
    """One step for each of *chunks*, and one for the end; none if there are no chunks."""
    if not chunks:
        return
    if "".join(chunks) != reply:
        raise UsageError(
            "the chunks do not join to the reply; give only the chunks, or only the reply"
        )
    decoder, told = paradigm.decoder(offer), _Told()
    read = 0
    for number, chunk in enumerate(chunks, 1):
        read += len(chunk)
        events = decoder.feed(chunk)
        yield ExplainedStep(number, chunk, tuple(events), read, told.held(events, read))
    yield ExplainedStep(len(chunks) + 1, "", tuple(decoder.finish(finish_reason)), read, 0)


class _Told:
    """How far the events have come."""

    def __init__(self) -> None:
        self._end = 0  # of what was told of, in the reply
        self._open: set[int] = set()

    def held(self, events: Sequence[Event], read: int) -> int:
        """The characters of *read* of which neither *events* nor any before them told."""
        for event in events:
            match event:
                case TextDelta(span=span) | ReasoningDelta(span=span) if span is not None:
                    self._end = span.end
                case CallStarted(index=index):
                    self._open.add(index)
                case CallCompleted(call=ended) | CallRejected(problem=ended):
                    self._open.discard(event.index)
                    self._end = ended.span.end
        if self._open and events:
            self._end = read
        return max(0, read - self._end)
