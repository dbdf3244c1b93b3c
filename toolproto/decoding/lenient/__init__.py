"""Reading JSON as models really write it, every departure labelled.

Strict reading comes first. The lenient reader then prefers fidelity: what cannot be read is
left out or kept as text, under a *guessed* or *truncated* label, and never made up; every
repair it knows is listed in :mod:`.repairs`. It stands on :mod:`.structure`.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ..strict import Reading, Refusal, Refused, read_strict
from . import repairs as mend
from .state import MISSING, State
from .structure import member_follows, read_value

__all__ = ["read_json", "read_lenient"]

_colon = re.compile(r"\s*+:").match
_glued = re.compile(r"""[\w"\\]""").match


def read_json(text: str, at: int = 0, keys: frozenset[str] | None = None) -> Reading | Refusal:
    """Read the value at *at*: strictly, and where that fails leniently.

    A final refusal (one key with two values, ``NaN``, too deep, too many digits) is not
    tried again. *keys* are keys that may be expected; they help to tell where a badly
    quoted string ends. What follows the value is not read. Never raises.
    """
    strict = read_strict(text, at)
    if isinstance(strict, Refusal):
        return strict if strict.final else read_lenient(text, at, keys) or strict
    if _is_a_part(text, strict, keys):
        return read_lenient(text, at, keys) or strict
    return _doubted(text, strict)


def read_lenient(
    text: str, at: int = 0, keys: frozenset[str] | None = None
) -> Reading | Refusal | None:
    """Read the first value at *at*, white space and comments skipped; None if there is none.

    What nobody can read (one key with two values, ``NaN``, too deep, too many digits or
    mistakes) is a refusal. Linear in the length of the text; never raises.
    """
    state = State(text, at, keys)
    try:
        value = read_value(state)
    except Refused as refused:
        return refused.at(at)
    if value is MISSING:
        return None
    return _doubted(text, Reading(value, state.at, state.repairs))


def _is_a_part(text: str, reading: Reading, keys: frozenset[str] | None) -> bool:
    """Whether what follows shows that the value should have been part of a larger one."""
    if isinstance(reading.value, str):
        return _colon(text, reading.end) is not None
    return isinstance(reading.value, dict) and member_follows(text, reading.end, keys)


def _doubted(text: str, reading: Reading) -> Reading:
    """Doubt a value that a word or a quote touches: it may be the rest of a string."""
    if not _glued(text, reading.end):
        return reading
    return replace(reading, repairs=(*reading.repairs, mend.GLUED_TEXT))
