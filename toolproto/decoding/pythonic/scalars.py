"""What stands for itself without quotes: numbers, literals, and words that should have had some.

Nothing is computed: ``3.5 / 100`` comes back as the text it is, for a schema to make sense of or
to refuse, as everywhere (see `lenient/scalars.py`).
"""

from __future__ import annotations

import re
from typing import Any

from ...messages import ProblemKind, Repair
from ..lenient import repairs as mend
from ..strict import MAX_DIGITS, Refused, finite_float, refuse_constant, sized_int, too_long

__all__ = ["LONGEST_WORD", "is_computed", "read_word"]

LONGEST_WORD = MAX_DIGITS + 100

_DIGITS = r"[0-9]+(?:_[0-9]+)*"
_INT = re.compile(r"[-+]?\s{0,8}(?:0+(?:_0+)*|[1-9][0-9]*(?:_[0-9]+)*)")
_BASED = re.compile(
    r"""([-+]?)\s{0,8}(0[xX]_?[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*|0[oO]_?[0-7]+(?:_[0-7]+)*
    |0[bB]_?[01]+(?:_[01]+)*)""",
    re.VERBOSE,
)
_FLOAT = re.compile(
    rf"[-+]?\s{{0,8}}(?:{_DIGITS}\.(?:{_DIGITS})?|\.{_DIGITS}|{_DIGITS}(?=[eE]))"
    rf"(?:[eE][-+]?{_DIGITS})?"
)
_COMPLEX = re.compile(r"[-+\s]*[0-9][0-9_.eE]*[jJ]")
_NOT_FINITE = re.compile(r"[-+]?(?:NaN|nan|Infinity|inf)")
_COMPUTED = re.compile(r"[-+.]?[\d(].*[-+*/%^]", re.DOTALL)
_SUBSCRIPT_OR_CALL = re.compile(r"[\w)\]]\s?[(\[]")
_LITERALS: dict[str, tuple[Any, Repair | None]] = {
    "True": (True, None),
    "False": (False, None),
    "None": (None, None),
    "true": (True, mend.LITERAL),
    "false": (False, mend.LITERAL),
    "null": (None, mend.LITERAL),
    "TRUE": (True, mend.LITERAL),
    "FALSE": (False, mend.LITERAL),
    "NULL": (None, mend.LITERAL),
    "nil": (None, mend.LITERAL),
}
_CODE = re.compile(r"(?:lambda|await|yield|not|[\w.]+ (?:if|for|in|is|and|or))\b")


def read_word(word: str) -> tuple[Any, Repair | None]:
    """The value of unquoted text, and what had to be mended; raises Refused if there is none."""
    if word in _LITERALS:
        return _LITERALS[word]
    number = _number(word)
    if number is not None:
        return number, None
    _refuse(word)
    if is_computed(word):
        return word, mend.expression(word)
    return word, mend.BARE_STRING


def is_computed(word: str) -> bool:
    """Would this have to be computed?"""
    return _COMPUTED.match(word) is not None


def _number(word: str) -> int | float | None:
    if _INT.fullmatch(word):
        return sized_int(_bare(word))
    if _FLOAT.fullmatch(word):
        return finite_float(_bare(word))
    based = _BASED.fullmatch(word)
    if based is None:
        return None
    if len(based[2]) > MAX_DIGITS // 2:  # a hexadecimal digit is 1.2 decimal ones
        raise too_long()
    return int(based[1] + based[2], 0)


def _bare(literal: str) -> str:
    return "".join(literal.split()).replace("_", "")


def _refuse(word: str) -> None:
    if len(word) > LONGEST_WORD:
        raise too_long() if word[:1].isdigit() else _malformed("a value without quotes is too long")
    if _NOT_FINITE.fullmatch(word):
        refuse_constant(word)
    if word.startswith(("...", "…")):
        raise _malformed("an ellipsis stands where a value should be")
    if word.startswith("<"):
        raise _malformed(f"{word[:80]!r} stands for a value; write the value itself")
    if _COMPLEX.fullmatch(word):
        raise _malformed(f"{word[:80]!r} is no number that JSON has")
    if _CODE.match(word) or _SUBSCRIPT_OR_CALL.search(word):
        raise _malformed(f"{word[:80]!r} is code; write the value it stands for")


def _malformed(message: str) -> Refused:
    return Refused(ProblemKind.MALFORMED, message)
