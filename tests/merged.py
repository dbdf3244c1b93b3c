"""Many cases of a test, tried as one.

A case costs four milliseconds beside what it tries: it is found by each process, set up, reported.
``make test`` and ``make check`` (``TOOLPROTO_MERGED=1``) therefore try the cases of a test that
needs no fixtures one after the other, :data:`AT_ONCE` of them in one test, which says for which of
them it fails. Everywhere else, as in ``pytest FILE``, each case is a test. A fixture that is
:func:`made_for_each` case may be needed.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from itertools import product
from types import FunctionType
from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet

#: Whether this run does so.
MERGED = bool(os.environ.get("TOOLPROTO_MERGED"))
#: As few that the processes can still share the work evenly.
AT_ONCE = 40
#: Fewer are not worth it.
_ENOUGH = 4
#: What each test has, and what may serve many cases.
_SHARED = {
    *("_own_state", "_log_handlers_end_with_their_test", "_syrupy_apply_ide_patches"),
    *("_no_proxy", "_no_worker_of_ours", "monkeypatch", "request", "tmp_path_factory"),
}
_SHOWN = 20

Row = Mapping[str, Any]


@dataclass(frozen=True)
class _Made:
    """A value of a row that is made for its case, and is over with it."""

    kind: str
    make: Callable[[str], AbstractContextManager[Any]]

    def __str__(self) -> str:
        return self.kind


_MADE: dict[str, list[_Made]] = {}


def made_for_each(
    fixture: str, make: Callable[[str], AbstractContextManager[Any]], kinds: Sequence[str]
) -> None:
    """Let *make* give each case what the *fixture* of that name would, of each of *kinds*."""
    _MADE[fixture] = [_Made(kind, make) for kind in kinds]


class TookTooLong(pytest.fail.Exception):
    """The time of a test is over, and so it is for the cases that are left."""


def merged(collector: pytest.Module, name: str, test: object) -> list[pytest.Function] | None:
    """A few tests for all cases of *test*; None if each needs one of its own."""
    rows = _rows(collector, test)
    if rows is None or len(rows) < _ENOUGH:
        return None
    assert isinstance(test, FunctionType)
    parts = [rows[at : at + AT_ONCE] for at in range(0, len(rows), AT_ONCE)]
    items = []
    for number, part in enumerate(parts):
        called = f"{name}[part {number + 1}]" if len(parts) > 1 else name
        item: pytest.Function = pytest.Function.from_parent(
            collector, name=called, originalname=name, callobj=one_by_one(test, part)
        )
        if set(item.fixturenames) - _SHARED:
            return None
        items.append(item)
    return items


def one_by_one(test: Callable[..., object], rows: Sequence[Row]) -> Callable[..., None]:
    """A test that calls *test* with each of *rows*, and with the fixtures that no row names."""

    def whole(**fixtures: Any) -> None:
        failed, skipped = [], []
        for row in rows:
            try:
                with ExitStack() as stack:
                    test(**fixtures, **{name: _given(each, stack) for name, each in row.items()})
            except TookTooLong:
                raise
            except pytest.skip.Exception as skip:
                skipped.append(skip)
            except (Exception, pytest.fail.Exception) as error:
                failed.append((row, error))
        if failed:
            told = [f"{_named(row)}: {error}" for row, error in failed[:_SHOWN]]
            raise AssertionError(
                "\n".join([f"{len(failed)} of {len(rows)} cases fail", *told])
            ) from failed[0][1]
        if skipped:
            pytest.skip(f"{len(skipped)} of {len(rows)} cases: {skipped[0].msg}")

    signature = inspect.signature(test)
    left = [each for name, each in signature.parameters.items() if name not in rows[0]]
    whole.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
    for copied in ("__name__", "__doc__", "__module__"):
        setattr(whole, copied, getattr(test, copied))
    marks = [mark for mark in getattr(test, "pytestmark", []) if mark.name != "parametrize"]
    whole.pytestmark = marks  # type: ignore[attr-defined]
    return whole


def _given(value: Any, stack: ExitStack) -> Any:
    return stack.enter_context(value.make(value.kind)) if isinstance(value, _Made) else value


def _named(row: Row) -> str:
    return ", ".join(f"{name}={str(value)[:60]!r}" for name, value in row.items())


def _rows(collector: pytest.Module, test: object) -> list[Row] | None:
    """The cases of *test*, if they are all it needs."""
    if not isinstance(test, FunctionType) or hasattr(collector.obj, "pytest_generate_tests"):
        return None
    if collector.get_closest_marker("parametrize"):
        return None
    marks = [mark for mark in getattr(test, "pytestmark", []) if mark.name == "parametrize"]
    tables = [_table(*mark.args, **mark.kwargs) for mark in reversed(marks)]
    known = [table for table in tables if table is not None]
    if not known or len(known) < len(tables):
        return None
    wanted = inspect.signature(test).parameters
    known += [[[(name, each)] for each in _MADE[name]] for name in wanted if name in _MADE]
    rows = [{name: value for row in each for name, value in row} for each in product(*known)]
    return rows if rows and set(wanted) == set(rows[0]) else None


def _table(
    names: str | Sequence[str], values: Any, ids: object = None, **others: object
) -> list[list[tuple[str, Any]]] | None:
    """What one mark gives to its names, case by case; None if a case is more than values."""
    if others or isinstance(values, Iterator):
        return None
    split = [each.strip() for each in names.split(",")] if isinstance(names, str) else list(names)
    table = []
    for value in values:
        if isinstance(value, ParameterSet):
            if value.marks:
                return None
            row = value.values
        else:
            row = (value,) if len(split) == 1 else tuple(value)
        if len(row) != len(split):
            return None
        table.append(list(zip(split, row, strict=True)))
    return table
