"""The law of time: the work grows as the text does."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from ...protocol.paradigms.base import ToolContextDef
from ...protocol.tools.spec import ToolOffer
from .broken import LawBroken, shown

__all__ = ["linearity"]

__tracebackhide__ = True  # a reader wants to see the test, not how the law looks at it

#: Twice the text may take this many times as long: twice, and a clock's noise.
_LARGEST_RATIO = 2.3


def linearity(
    paradigm: ToolContextDef,
    grow: Callable[[int], str],
    offer: ToolOffer,
    *,
    clock: Callable[[], float],
    size: int = 50_000,
    attempts: int = 8,
) -> None:
    """Law 7: the work for 2n characters is at most 2.3 times that for n.

    *grow* makes a reply of about the given size. Clocks are noisy, so the law is broken only if
    it is in every attempt, and between the quickest readings of all attempts.
    """
    pieces, twice = (_pieces(grow(n)) for n in (size, 2 * size))
    small = large = inf
    for _ in range(attempts):
        # The smaller text before and after: one slow reading of it would excuse anything.
        before, two, after = (
            _cost(paradigm, text, offer, clock) for text in (pieces, twice, pieces)
        )
        one = min(before, after)
        small, large = min(small, one), min(large, two)
        if two <= _LARGEST_RATIO * one or large <= _LARGEST_RATIO * small:
            return
    ratio = large / max(small, 1e-9)
    raise LawBroken(
        "linearity",
        f"twice as much text took {ratio:.1f} times as long, at {size} characters of"
        f" {shown(grow(80))} …",
        "never read the same text again; continue the search where you stopped",
    )


def _pieces(reply: str) -> list[str]:
    return [reply[at : at + 4] for at in range(0, len(reply), 4)]


def _cost(
    paradigm: ToolContextDef, pieces: list[str], offer: ToolOffer, clock: Callable[[], float]
) -> float:
    decoder = paradigm.decoder(offer)
    start = clock()
    for piece in pieces:
        decoder.feed(piece)
    decoder.finish()
    return clock() - start
