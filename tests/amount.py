"""How much of a sweep a run tries.

``make test`` tries a few of the cases that differ in little, ``make soak`` (``TOOLPROTO_WHOLE=1``)
all of them. What a few may stand for is said where they are taken.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, TypeVar

import pytest

from toolproto.paradigms import paradigms
from toolproto.testing.fixtures import Fixture, load_fixtures

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
    others = [name for name in paradigms() if name not in EACH_PAYLOAD]
    return sorted([*EACH_PAYLOAD, *some(others, 8, first)])


@cache
def recorded() -> tuple[Fixture, ...]:
    """Every reply in ``fixtures/``, read once for all who ask."""
    return tuple(load_fixtures(Path(__file__).parent.parent / "fixtures"))


def together(**cases: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """As ``parametrize`` with each of *cases*, but one test, which says for which of them it fails.

    For what takes a moment and changes nothing: a test of its own costs three milliseconds, and as
    much again to be found by each process.
    """

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        rows = [dict(zip(cases, row, strict=True)) for row in product(*map(list, cases.values()))]

        def whole(**fixtures: Any) -> None:
            failed = [(row, error) for row in rows if (error := _failure(test, fixtures | row))]
            if failed:
                told = (f"{_named(row)}: {error}" for row, error in failed[:20])
                raise AssertionError(
                    f"{len(failed)} of {len(rows)} cases fail\n" + "\n".join(told)
                ) from failed[0][1]

        signature = inspect.signature(test)
        left = [each for name, each in signature.parameters.items() if name not in cases]
        whole.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        whole.__name__, whole.__doc__, whole.__module__ = (
            test.__name__, test.__doc__, test.__module__
        )  # fmt: skip
        whole.pytestmark = list(getattr(test, "pytestmark", []))  # type: ignore[attr-defined]
        return whole

    return decorate


def _failure(test: Callable[..., None], given: dict[str, Any]) -> BaseException | None:
    try:
        test(**given)
    except (Exception, pytest.fail.Exception) as error:
        return error
    return None


def _named(row: dict[str, Any]) -> str:
    return ", ".join(f"{name}={str(value)[:60]!r}" for name, value in row.items())
