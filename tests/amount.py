"""How much of a sweep a run tries.

``make test`` tries a few of the cases that differ in little, ``make soak`` (``TOOLPROTO_WHOLE=1``)
all of them. What a few may stand for is said where they are taken.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TypeVar

from toolproto.testing.fixtures import Fixture, load_fixtures

T = TypeVar("T")

#: Whether this run tries every case of every sweep.
WHOLE = bool(os.environ.get("TOOLPROTO_WHOLE"))


def some(cases: Sequence[T], one_in: int, first: int = 0) -> list[T]:
    """One of *one_in* of *cases*, from the *first* on: the same ones in each run.

    Sweeps over the same cases take turns if each has another *first*.
    """
    return list(cases) if WHOLE else list(cases[first % one_in :: one_in])


def amount(usual: int, whole: int) -> int:
    """How many, in a usual run and in one that tries everything."""
    return whole if WHOLE else usual


@cache
def recorded() -> tuple[Fixture, ...]:
    """Every reply in ``fixtures/``, read once for all who ask."""
    return tuple(load_fixtures(Path(__file__).parent.parent / "fixtures"))
