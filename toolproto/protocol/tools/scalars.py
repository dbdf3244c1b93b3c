"""Single values that a model wrote as another JSON type.

Each reading either gives the one value the text can only mean, or NO_READING. None of them
evaluates anything, and none makes a NaN or an infinity.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any

from ..messages import Grade
from ..schemas.json_types import is_integer

__all__ = ["NO_READING", "READINGS", "strict_json"]

NO_READING: Any = object()

# Canonical spellings only: "+3" may be a code. 30 digits are more than any id has, and
# keep int() away from its quadratic range.
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,29})")
_WHOLE = re.compile(rf"({_INTEGER.pattern})(?:\.0{{1,30}})?")  # an integer, maybe as "100.00"
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,29})(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,4})?")
# "07" for a number is 7, unless it was a code after all.
_PADDED = re.compile(r"(-?)0{1,30}(?=[0-9])")
_EXACT = 2**53  # from here on a float no longer holds every integer
_WORDS = {"true": True, "false": False}
_BITS = {"0": False, "1": True}
_NOTHING = frozenset({"null", "none"})


def strict_json(text: str) -> Any:
    """JSON and nothing else: ``json.loads`` also takes NaN, and reads ``1e999`` as infinity."""
    return json.loads(text, parse_constant=_refuse, parse_float=_finite)


def _refuse(text: str) -> Any:
    raise ValueError(f"{text} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refuse(text)


def _to_null(value: Any) -> Any:
    return None if isinstance(value, str) and value.lower() in _NOTHING else NO_READING


def _to_boolean(value: Any) -> Any:
    return _WORDS.get(value.lower(), NO_READING) if isinstance(value, str) else NO_READING


def _bit(value: Any) -> Any:
    """0 and 1 where a boolean is due, as some models are trained to write them."""
    plain = isinstance(value, str) or is_integer(value)
    return _BITS.get(str(value)[:2], NO_READING) if plain else NO_READING


def _to_integer(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return int(value)
    if isinstance(value, str) and (whole := _WHOLE.fullmatch(value)):
        return int(whole[1])
    return NO_READING


def _to_number(value: Any) -> Any:
    if not isinstance(value, str) or not _NUMBER.fullmatch(value):
        return NO_READING
    if _INTEGER.fullmatch(value):
        return int(value)
    return float(value) if math.isfinite(float(value)) else NO_READING


def _padded(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Reads what *read* would, but for zeros before it."""

    def padded(value: Any) -> Any:
        zeros = _PADDED.match(value) if isinstance(value, str) else None
        return read(zeros[1] + value[zeros.end() :]) if zeros else NO_READING

    return padded


def _to_string(value: Any) -> Any:
    if isinstance(value, bool) or (isinstance(value, float) and math.isfinite(value)):
        return json.dumps(value)
    return str(value) if is_integer(value) and abs(value) < 10**30 else NO_READING


def _string_grade(value: Any) -> Grade:
    # 1.10 arrives as 1.1, and true may have been "True": only whole numbers come back as written.
    return Grade.LOSSLESS if is_integer(value) else Grade.GUESSED


def _sure(value: Any) -> Grade:
    return Grade.LOSSLESS


def _guess(value: Any) -> Grade:
    return Grade.GUESSED


# In the order in which they are tried where a schema allows several types: the type, the reading,
# how sure it is, and the repair that it is.
READINGS: tuple[tuple[str, Callable[[Any], Any], Callable[[Any], Grade], str], ...] = (
    ("null", _to_null, _sure, "coerced_null"),
    ("boolean", _to_boolean, _sure, "coerced_boolean"),
    ("integer", _to_integer, _sure, "coerced_integer"),
    ("number", _to_number, _sure, "coerced_number"),
    ("integer", _padded(_to_integer), _guess, "number_form"),
    ("number", _padded(_to_number), _guess, "number_form"),
    ("boolean", _bit, _guess, "coerced_boolean"),
    ("string", _to_string, _string_grade, "coerced_string"),
)
