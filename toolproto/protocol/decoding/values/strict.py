"""Reading one JSON value exactly as the standard says, at C speed.

What JSON cannot mean (``NaN``, a number beyond any float) is refused *finally*: a more lenient
reader has no better answer. The lenient reader (`values/lenient.py`) stands on these rules.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from math import isinf
from typing import Any, NoReturn

from ...messages import Grade, ProblemKind, Repair
from ..faults import MAX_DEPTH, Refused, malformed, too_deep

# int() is quadratic in the digits; this is CPython's own default limit, held even where a
# program has lifted it.
MAX_DIGITS = 4300

_skip_space = re.compile(r"[ \t\r\n]*+").match


@dataclass(frozen=True, slots=True)
class Reading:
    """A value, the offset just after it, and what had to be mended to read it."""

    value: Any
    end: int
    repairs: tuple[Repair, ...] = ()

    def is_all_of(self, text: str) -> bool:
        """Is nothing missing in it, and is it all that *text* says?"""
        whole = all(repair.grade is not Grade.TRUNCATED for repair in self.repairs)
        return whole and not text[self.end :].strip()


def read_strict(text: str, at: int = 0) -> Reading | Refused:
    """Read the JSON value that starts at *at*, leading white space skipped.

    What follows the value is not looked at. Never raises, whatever the text.
    """
    start = _skip_space(text, at).end()  # type: ignore[union-attr]  # matches anywhere
    try:
        value, end = read_plain(text, start)
        check_depth(value, text, start, end)
    except Refused as refused:
        return refused.with_traceback(None)  # which holds the text
    except RecursionError:
        return too_deep()
    except json.JSONDecodeError as error:
        message = f"not valid JSON: {error.msg} at character {error.pos - start + 1}"
        return Refused(ProblemKind.MALFORMED, message, final=False)
    return Reading(value, end)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):  # which is all right if both values are the same
        raise Refused(ProblemKind.MALFORMED, "a key is given twice", final=False)
    return value


def sized_int(digits: str) -> int:
    """The whole number, or a refusal of one too long to be converted in linear time."""
    if len(digits) > MAX_DIGITS:
        raise too_long()
    return int(digits)


def finite_float(literal: str) -> float:
    """The number, or a refusal of one that no float can hold."""
    if len(literal) > MAX_DIGITS:
        raise too_long()
    value = float(literal)
    if isinf(value):
        raise malformed(f"the number {literal[:40]} is too large")
    return value


def refuse_constant(word: str) -> NoReturn:
    """JSON has no ``NaN`` and no ``Infinity``, and nothing they could stand for."""
    raise malformed(f"{word} is not a JSON value; use a number or null")


def put_member(members: dict[str, Any], key: str, value: Any) -> bool:
    """Set a member; was it there before, with the same value?

    One key with two values is refused: choosing either would be inventing.
    """
    known = key in members
    if known and not same_value(members[key], value):
        raise malformed(f"the key {key[:80]!r} is given twice with different values")
    members[key] = value
    return known


def too_long() -> Refused:
    """The refusal of a number with more digits than are read."""
    return Refused(ProblemKind.TOO_LARGE, f"a number has more than {MAX_DIGITS} digits")


def same_value(one: Any, other: Any) -> bool:
    """Whether both are the same JSON value; unlike ``==``, 1, 1.0 and true differ."""
    if not isinstance(one, (dict, list)):
        return type(one) is type(other) and bool(one == other)
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def check_depth(value: Any, text: str, start: int, end: int, depth: int = MAX_DEPTH) -> None:
    """Refuse a *value* nested deeper than *depth*, read from *start* to *end* of *text*."""
    # The brackets in the text, few in most, spare the walk.
    if text.count("{", start, end) + text.count("[", start, end) <= depth:
        return
    level = [value]
    for _ in range(depth):
        inside = (each.values() if isinstance(each, dict) else each for each in level)
        level = [child for held in inside for child in held if isinstance(child, (dict, list))]
        if not level:
            return
    raise too_deep(depth)


#: JSON as we write it.
write_json = json.JSONEncoder(ensure_ascii=False).encode
#: A value, and where it ends; raises what :func:`read_strict` takes care of.
# Made once: making a decoder takes as long as reading a short call.
read_plain = json.JSONDecoder(
    object_pairs_hook=_members,
    parse_int=sized_int,
    parse_float=finite_float,
    parse_constant=refuse_constant,
).raw_decode
