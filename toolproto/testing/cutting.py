"""Ways to cut a text into the pieces in which it might arrive."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

__all__ = ["chunkings"]

_SIZES = (1, 2, 3, 7)
_RANDOM_WAYS = 8
# Cutting at one place each, a long text would have as many ways as it has markers.
_MOST_EDGES = 64
_EDGE = re.compile(r"(?<=\w)(?=\W)|(?<=\W)(?=\w)")


def chunkings(text: str, marks: Iterable[str] = (), *, seed: int = 0) -> list[list[str]]:
    """*text* in one piece, character by character, in even pieces, at random, and at its edges.

    Every edge between a word and what is none is cut at once; each of *marks* that stands in
    *text* is also cut before, inside and behind, one place at a time. The same arguments give
    the same list, in which no way stands twice.
    """
    ways = (
        [],
        *(list(range(size, len(text), size)) for size in _SIZES),
        [match.start() for match in _EDGE.finditer(text)],
        *([place] for place in islice(_around_marks(text, marks), _MOST_EDGES)),
        *_at_random(len(text), random.Random(seed)),
    )
    return [_cut(text, places) for places in dict.fromkeys(map(tuple, ways))]


def _around_marks(text: str, marks: Iterable[str]) -> Iterator[int]:
    for mark in marks:
        at = text.find(mark) if mark else -1
        if at >= 0:
            end = at + len(mark)
            yield from (p for p in (at, at + 1, end - 1, end) if 0 < p < len(text))


def _at_random(length: int, rng: random.Random) -> Iterator[list[int]]:
    for _ in range(_RANDOM_WAYS if length > 1 else 0):
        count = rng.randint(1, min(length - 1, 12))
        yield sorted(rng.sample(range(1, length), count))


def _cut(text: str, places: Sequence[int]) -> list[str]:
    return [text[a:b] for a, b in zip((0, *places), (*places, len(text)), strict=True)]
