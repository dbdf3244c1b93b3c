"""What is wrong with a value, as the keywords of a schema report it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from .json_types import is_array, is_object
from .schema import Schema
from .work import Work

__all__ = [
    "ENOUGH",
    "Keyword",
    "SchemaFault",
    "SchemaWalk",
    "as_array",
    "as_object",
    "first",
    "nearest",
]

# Faults kept per array or object: the model is told three.
ENOUGH = 4
_MAX_WANTED = 16


@dataclass(frozen=True, slots=True)
class SchemaFault:
    """One way in which a value does not fit: the keyword that says so, what it asks, what came."""

    keyword: str
    expected: Any
    got: Any
    path: tuple[str | int, ...] = ()


class SchemaWalk(Protocol):
    """The walk down a value and its schema, as a keyword sees it."""

    root: Schema
    work: Work

    def faults(self, value: Any, schema: Any) -> list[SchemaFault]: ...
    def referred(self, value: Any, schema: Any) -> list[SchemaFault]: ...
    def inside(self, key: str | int, value: Any, schema: Any) -> list[SchemaFault]: ...


Keyword = Callable[[SchemaWalk, Any, Any, Mapping[str, Any]], list[SchemaFault]]


def as_array(value: Any) -> Sequence[Any]:
    return value if is_array(value) else ()


def as_object(value: Any) -> Mapping[str, Any]:
    return value if is_object(value) else {}


def nearest(value: Any, causes: Sequence[SchemaFault]) -> SchemaFault:
    """What to tell of alternatives that all fail: their sum if that is simple, else one of them.

    Told at once, because a tree of alternatives within alternatives grows without bound.
    """
    kinds = {cause.keyword for cause in causes}
    if len(kinds) == 1 and kinds <= {"type", "enum"} and not any(cause.path for cause in causes):
        wanted: list[Any] = []
        for each in (each for cause in causes for each in cause.expected):
            if each not in wanted:
                wanted.append(each)
            if len(wanted) == _MAX_WANTED:
                break
        return SchemaFault(kinds.pop(), wanted, value)
    # An alternative of the right type, wrong further in, is likelier the one that was meant.
    return max(causes, key=lambda cause: (cause.keyword != "type", len(cause.path)))


def first(groups: Iterator[list[SchemaFault]]) -> list[SchemaFault]:
    """The faults of *groups*, stopping once there are enough to tell."""
    found: list[SchemaFault] = []
    for group in groups:
        found += group
        if len(found) >= ENOUGH:
            break
    return found
