"""Sets of characters, as sorted ranges of code points that do not touch."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache

__all__ = ["ALL", "Ranges", "complement", "holds", "intersection", "minus", "of", "one_of", "union"]

Ranges = tuple[tuple[int, int], ...]

_LAST = 0x10FFFF
#: Every character there is.
ALL: Ranges = ((0, _LAST),)


@lru_cache(maxsize=1024)
def of(characters: str) -> Ranges:
    """The set of *characters*."""
    return union((ord(each), ord(each)) for each in characters)


def union(*sets: Iterable[tuple[int, int]]) -> Ranges:
    """What is in any of *sets*."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted(pair for each in sets for pair in each):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((first, last))
    return tuple(merged)


def complement(ranges: Ranges) -> Ranges:
    """What is not in *ranges*."""
    gaps, at = [], 0
    for first, last in ranges:
        if first > at:
            gaps.append((at, first - 1))
        at = last + 1
    if at <= _LAST:
        gaps.append((at, _LAST))
    return tuple(gaps)


def intersection(one: Ranges, other: Ranges) -> Ranges:
    """What is in both."""
    found = (
        (max(first, start), min(last, end))
        for first, last in one
        for start, end in other
        if first <= end and start <= last
    )
    return tuple(sorted(found))


def minus(one: Ranges, other: Ranges) -> Ranges:
    """What is in *one* and not in *other*."""
    return intersection(one, complement(other))


def holds(ranges: Ranges, character: str) -> bool:
    """Whether *character* is in the set."""
    point = ord(character)
    at = bisect_right(ranges, (point, _LAST))
    return at > 0 and ranges[at - 1][1] >= point


@lru_cache(maxsize=64)
def one_of(ranges: Ranges) -> re.Pattern[str]:
    """What finds a character of *ranges* in a text."""
    spans = "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges)
    return re.compile(f"[{spans}]" if spans else "(?!)")
