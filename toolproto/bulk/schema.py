"""The columns that come out, by name and type: what may be relied on from release to release.

A column is never renamed, never changes its type and never moves before another; new ones are added
behind. ``arguments`` are JSON text, since every tool has others.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from .arrow import arrow

__all__ = [
    "CHECKED",
    "ENCODED",
    "RESULTS",
    "call_type",
    "checked_schema",
    "encoded_schema",
    "result_schema",
]

#: The names of the columns of ``read_batch``, ``check_batch``, ``encode_batch``.
RESULTS = ("outcome", "calls", "problems", "text", "reasoning", "reason", "digest")
CHECKED = ("outcome", "calls", "problems", "reason", "digest")
ENCODED = ("reply", "round_trip", "reason")


@cache
def call_type() -> Any:
    """A call: ``id``, ``name``, ``arguments`` as JSON, what had to be mended in it, its place."""
    pa = arrow()
    text = pa.string()
    repair = pa.struct([("name", text), ("grade", text), ("detail", text)])
    return pa.struct(
        [
            ("id", text),
            ("name", text),
            ("arguments", text),
            ("repairs", pa.list_(repair)),
            ("place", text),
        ]
    )


@cache
def _problem_type() -> Any:
    text = arrow().string()
    fields = [(name, text) for name in ("kind", "name", "message", "raw")]
    return arrow().struct(fields)


@cache
def _types() -> dict[str, Any]:
    pa = arrow()
    return {
        "calls": pa.list_(call_type()),
        "problems": pa.list_(_problem_type()),
        "round_trip": pa.bool_(),
    }


def _schema(names: tuple[str, ...]) -> Any:
    pa = arrow()
    return pa.schema([(name, _types().get(name, pa.string())) for name in names])


@cache
def result_schema() -> Any:
    """What ``read_batch`` gives for each reply."""
    return _schema(RESULTS)


@cache
def checked_schema() -> Any:
    """What ``check_batch`` gives for each row of calls."""
    return _schema(CHECKED)


@cache
def encoded_schema() -> Any:
    """What ``encode_batch`` gives for each row of calls."""
    return _schema(ENCODED)
