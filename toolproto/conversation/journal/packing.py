"""Several records in one: those that waited for it are in a list, as short as can be.

A long session has tens of thousands of them, and nearly all are only ever read to be passed over.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..stores.base import Record

__all__ = ["in_pairs", "packed", "unpacked", "with_before"]

#: Kinds that say one thing only, and what that is called.
_ONLY = {"clock": "at", "today": "date", "ids": "ids", "native": "native"}


def with_before(record: Record, before: Iterable[Record]) -> Record:
    """*record* with those that waited for it in it."""
    return Record(record.kind, {**record.data, "before": packed(before)})


def packed(records: Iterable[Record]) -> list[Any]:
    """The kinds of *records* and what they say, in turn."""
    parts: list[Any] = []
    for kind, data in records:
        parts += (kind, data[_ONLY[kind]] if kind in _ONLY else data)
    return parts


def unpacked(record: Record) -> Iterator[Record]:
    """What is in *record*: those that waited for it, then itself."""
    if "before" not in record.data:
        yield record
        return
    for kind, said in in_pairs(record.data["before"]):
        yield Record(kind, {_ONLY[kind]: said} if kind in _ONLY else said)
    data = {name: value for name, value in record.data.items() if name != "before"}
    yield Record(record.kind, data)


def in_pairs(parts: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """Kinds and what is said, of a list that has them in turn."""
    each = iter(parts)
    return zip(each, each, strict=True)
