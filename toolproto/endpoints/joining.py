"""Chunks of a reply that were heard together, as few as say the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..protocol.errors import EndpointError
from ..protocol.messages import Chunk, NativePiece

__all__ = ["together"]


def together(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """Give *chunks* with neighbouring texts as one, and with pieces of one call's arguments as one.

    What comes before an error is not lost.
    """
    run: list[Chunk] = []
    try:
        for chunk in chunks:
            if run and not _goes_on(run[-1], chunk):
                yield _one(run)
                run = []
            run.append(chunk)
    except EndpointError:
        if run:
            yield _one(run)
        raise
    if run:
        yield _one(run)


def _goes_on(one: Chunk, two: Chunk) -> bool:
    """Whether *two* goes on with the text of *one*, or with the arguments of its call."""
    if one.reasoning or one.usage or one.finish_reason:
        return False
    if two.reasoning or two.usage or two.finish_reason:
        return False
    if not (one.calls or two.calls):
        return True
    match one.calls, two.calls:
        case (NativePiece(begun, _, _, str()),), (NativePiece(slot, "", "", str()),):
            return slot is not None and slot == begun and not (one.text or two.text)
    return False


def _one(run: list[Chunk]) -> Chunk:
    if len(run) == 1:
        return run[0]
    if not run[0].calls:
        return Chunk("".join([chunk.text for chunk in run]))
    first = run[0].calls[0]
    written = "".join([chunk.calls[0].arguments for chunk in run])
    return Chunk(calls=(NativePiece(first.slot, first.id, first.name, written),))
