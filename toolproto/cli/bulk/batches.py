"""Rows that are read together, and where in the inputs they stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from .inputs import Source

__all__ = ["Batch", "Lines", "Position", "Texts"]


class Position(NamedTuple):
    """Where in the inputs reading stands.

    *source* is the number of a file, *at* how many bytes of it (unpacked), or rows where it has
    rows, lie behind, and *row* how many rows do.
    """

    source: int = 0
    at: int = 0
    row: int = 0


@dataclass(frozen=True, slots=True)
class Lines:
    """Rows of JSON, one on each line of *data*; the first has the number *first*.

    *faults* says of some of them, by number, why they cannot be read. *after* is where the next
    batch begins, and *seen* how many bytes on the disk that is.
    """

    source: str
    first: int
    data: bytes
    after: Position
    seen: int = 0
    faults: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Texts:
    """Files that are one reply each."""

    sources: tuple[Source, ...]
    after: Position
    seen: int = 0


Batch = Lines | Texts
