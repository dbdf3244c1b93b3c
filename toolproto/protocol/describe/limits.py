"""The bounds of a value in a few signs: ``1..50``, ``>=2 items``, ``>0``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .text import one_line

__all__ = ["limits"]

_LONGEST_PATTERN = 80
#: The keywords of a lower and an upper bound, and what they count.
_RANGES = (
    ("minimum", "maximum", ""),
    ("minLength", "maxLength", " characters"),
    ("minItems", "maxItems", " items"),
)
_OTHERS = ("exclusiveMinimum", "exclusiveMaximum", "multipleOf", "pattern")
_KEYWORDS = {*_OTHERS, *(key for low, high, _ in _RANGES for key in (low, high))}


def limits(schema: Mapping[str, Any]) -> Iterator[str]:
    """What *schema* says about a value beyond its type."""
    if _KEYWORDS.isdisjoint(schema):
        return
    for low, high, what in _RANGES:
        yield from _range(_number(schema, low), _number(schema, high), what)
    for key, sign in (("exclusiveMinimum", ">"), ("exclusiveMaximum", "<")):
        if (bound := _number(schema, key)) is not None:
            yield f"{sign}{bound}"
    if (step := _number(schema, "multipleOf")) is not None:
        yield f"multiple of {step}"
    pattern = schema.get("pattern")
    if isinstance(pattern, str) and len(pattern) <= _LONGEST_PATTERN:
        yield f"matching {one_line(pattern)}"


def _range(low: str | None, high: str | None, what: str) -> Iterator[str]:
    if low is not None and high is not None:
        yield f"{low}{what}" if low == high else f"{low}..{high}{what}"
    elif low is not None and (low, what) not in (("0", " characters"), ("0", " items")):
        yield f">={low}{what}"
    elif high is not None:
        yield f"<={high}{what}"


def _number(schema: Mapping[str, Any], key: str) -> str | None:
    value = schema.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float) and not value.is_integer():
        return repr(value)
    # A number of thousands of digits is nobody's bound, and Python refuses to write it.
    return str(int(value)) if abs(value) < 2**63 else None
