"""The counts and bounds in a schema, whatever a stranger wrote there."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from ..schemas.json_types import is_number
from .numbers import Bounds

__all__ = ["bounds_of", "count_of"]


def count_of(value: Any, otherwise: int | None) -> int | None:
    """A count of things, as a schema gives it."""
    if not is_number(value):
        return otherwise
    return max(int(min(value, 10**9)), 0)


_BOUNDS = frozenset(["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"])
_OPEN = Bounds()


def bounds_of(schema: Mapping[str, Any]) -> Bounds:
    """The bounds that *schema* sets to numbers."""
    if _BOUNDS.isdisjoint(schema):
        return _OPEN
    least, above = _tightest(schema, "minimum", "exclusiveMinimum", max)
    most, below = _tightest(schema, "maximum", "exclusiveMaximum", min)
    return Bounds(least, most, above, below)


def _tightest(
    schema: Mapping[str, Any], keyword: str, exclusive: str, tighter: Any
) -> tuple[Decimal | None, bool]:
    inside, outside = _decimal(schema.get(keyword)), _decimal(schema.get(exclusive))
    if outside is None:
        return inside, False
    if inside is None or tighter(inside, outside) == outside:
        return outside, True
    return inside, False


def _decimal(value: Any) -> Decimal | None:
    """A bound; one with more digits than any number of ours is none."""
    if not is_number(value) or not -(10**30) < value < 10**30:
        return None
    return Decimal(repr(value))
