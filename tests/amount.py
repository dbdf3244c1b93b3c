"""How much of a sweep a run tries.

``make test`` tries a few of the cases that differ in little, ``make soak`` (``TOOLPROTO_WHOLE=1``)
all of them. What a few may stand for is said where they are taken.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, TypeVar
from zlib import crc32

from toolproto.protocol.paradigms import list_paradigms
from toolproto.testing.fixtures import Fixture, load_fixtures

from .merged import one_by_one

T = TypeVar("T")

#: One paradigm for each way of writing a payload, and so for each engine that reads one.
EACH_PAYLOAD = (
    *("json_strict", "xml_tag", "hermes", "qwen3_coder", "pythonic"),
    *("deepseek_v3", "gemma4", "raw_block", "xml_strict", "yaml_block"),
)
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


def some_paradigms(first: int = 0) -> list[str]:
    """The names of one paradigm for each payload, and of an eighth of the others.

    For what does not depend on how calls are written, or only as far as their engine does.
    """
    others = [name for name in list_paradigms() if name not in EACH_PAYLOAD]
    return sorted([*EACH_PAYLOAD, *some(others, 8, first)])


@cache
def recorded() -> tuple[Fixture, ...]:
    """Every reply in ``fixtures/``, read once for all who ask."""
    return tuple(load_fixtures(Path(__file__).parent.parent / "fixtures"))


def some_fixtures(fixtures: Sequence[Fixture], one_in: int) -> list[Fixture]:
    """About one of *one_in* of *fixtures*, chosen by their names: a new one moves no other."""
    if WHOLE:
        return list(fixtures)
    return [each for each in fixtures if crc32(_name(each)) % one_in == 0]


def _name(fixture: Fixture) -> bytes:
    return f"{fixture.paradigm}/{fixture.case}".encode()


def together(**cases: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """As ``parametrize`` with each of *cases*, but one test, which says for which of them it fails.

    For what takes a moment and changes nothing: a test of its own costs three milliseconds, and as
    much again to be found by each process.
    """

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        rows = [dict(zip(cases, row, strict=True)) for row in product(*map(list, cases.values()))]
        return one_by_one(test, rows)

    return decorate
