"""What stands without quotes in a Python call, and what an open bracket becomes when it closes.

Nothing is computed: ``3.5 / 100`` comes back as the text it is, for a schema to make sense of or
to refuse, as everywhere (see `lenient/scalars.py`).
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Any

from ...messages import Grade, Repair
from ..values import repairs as mend
from ..values.scalars import literals, number_value
from ..values.strict import (
    DUPLICATE_KEY,
    MAX_DIGITS,
    malformed,
    refuse_conflict,
    refuse_constant,
    same_value,
    too_long,
)
from .line_values import kinds

__all__ = ["LONGEST_WORD", "Bracket", "Kind", "key_text", "read_word"]

LONGEST_WORD = MAX_DIGITS + 100
_PADDED = Repair("number_form", Grade.GUESSED)  # 07: a code, or the number where one is due
_SET = Repair("set")
_CONSTRUCTOR = Repair("constructor")  # dict(a=1), list([1])

_DIGITS = r"[0-9]+(?:_[0-9]+)*"
_NUMBER = re.compile(
    rf"""[-+]?\s{{0,8}}(?:0+(?:_0+)*|[1-9][0-9]*(?:_[0-9]+)*
    |(?:{_DIGITS}\.(?:{_DIGITS})?|\.{_DIGITS}|{_DIGITS}(?=[eE]))(?:[eE][-+]?{_DIGITS})?
    |0[xX]_?[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*|0[oO]_?[0-7]+(?:_[0-7]+)*|0[bB]_?[01]+(?:_[01]+)*)""",
    re.VERBOSE,
)
_PADDED_INT = re.compile(r"[-+]?0[0-9]{1,40}")
_COMPLEX = re.compile(r"[-+\s]*[0-9][0-9_.eE]*[jJ]")
_NOT_FINITE = re.compile(r"[-+]?(?:NaN|nan|Infinity|inf)")
_COMPUTED = re.compile(r"[-+.]?[\d(].*[-+*/%^]", re.DOTALL)
_SUBSCRIPT_OR_CALL = re.compile(r"[\w)\]]\s?[(\[]")
_CODE = re.compile(r"(?:lambda|await|yield|not|[\w.]+ (?:if|for|in|is|and|or))\b")
_LITERALS = literals("True", "False", "None")


# -- words ----------------------------------------------------------------------------------


def read_word(word: str, schema: Any = None) -> tuple[Any, Repair | None]:
    """The value of unquoted text, and what had to be mended; raises Refused if there is none.

    *schema* is what is wanted. ``07`` is a number where one is; elsewhere it may be a code.
    """
    if word in _LITERALS:
        return _LITERALS[word]
    if _NUMBER.fullmatch(word):
        return number_value(word), None
    if _PADDED_INT.fullmatch(word):
        wanted = kinds(schema)
        if "string" not in wanted and wanted & {"integer", "number"}:
            return int(word), _PADDED
    _refuse(word)
    if _COMPUTED.match(word):
        return word, mend.expression(word)
    return word, mend.BARE_STRING


def _refuse(word: str) -> None:
    if len(word) > LONGEST_WORD:
        raise too_long() if word[:1].isdigit() else malformed("a value without quotes is too long")
    if _NOT_FINITE.fullmatch(word):
        refuse_constant(word)
    if word.startswith(("...", "…")):
        raise malformed("an ellipsis stands where a value should be")
    if word.startswith("<"):
        raise malformed(f"{word[:80]!r} stands for a value; write the value itself")
    if _COMPLEX.fullmatch(word):
        raise malformed(f"{word[:80]!r} is no number that JSON has")
    if _CODE.match(word) or _SUBSCRIPT_OR_CALL.search(word):
        raise malformed(f"{word[:80]!r} is code; write the value it stands for")


# -- brackets -------------------------------------------------------------------------------


class Kind(Enum):
    """What a bracket opened: what closes it, and what its elements may have before them."""

    CALL = (1, ")", "name")  # the arguments of the call itself
    KEYWORDS = (2, ")", "name")  # those of dict(
    PAREN = (3, ")", "")  # a tuple, or one value in parentheses
    LIST = (4, "]", "")
    BRACE = (5, "}", "key")  # a dict or a set: the first element tells
    DICT = (6, "}", "key")
    SET = (7, "}", "")

    def __init__(self, number: int, closer: str, before: str) -> None:
        self.closer = closer
        self.named, self.keys = before == "name", before == "key"


class Bracket:
    """An open bracket. *constructor* is the word before it, as in ``list(``."""

    __slots__ = ("comma", "constructor", "items", "key", "keyed", "kind", "members", "spread")

    def __init__(self, kind: Kind, constructor: str = "") -> None:
        self.kind = kind
        self.constructor = constructor
        self.items: list[Any] = []
        self.members: dict[str, Any] = {}
        self.key = ""
        self.keyed = False  # a key came, its value comes
        self.spread = False  # two asterisks came, a dict comes
        self.comma = False

    @property
    def takes_key(self) -> bool:
        """May the element that begins be a key, or have one before it?"""
        return not self.keyed and not self.spread and (self.kind.named or self.kind.keys)

    def name(self, key: str) -> None:
        """The element's key is *key*."""
        if self.kind is Kind.BRACE:
            self.kind = Kind.DICT
        self.key, self.keyed = key, True

    def add(self, value: Any) -> Repair | None:
        """The element is *value*; what of it JSON would not have."""
        if self.spread:
            return self._merge(value)
        if self.keyed:
            self.keyed = False
            return self._set(self.key, value)
        if self.kind is Kind.DICT:
            raise malformed("a value in a dict has no key")
        if self.kind is Kind.BRACE:
            self.kind = Kind.SET
        self.items.append(value)
        return None

    def _merge(self, value: Any) -> Repair | None:
        self.spread = False
        if not isinstance(value, dict):
            raise malformed("only a dict can stand behind **")
        repairs = [self._set(key, each) for key, each in value.items()]
        return next((repair for repair in repairs if repair), None)

    def _set(self, key: str, value: Any) -> Repair | None:
        if key not in self.members:
            self.members[key] = value
            return None
        if not same_value(self.members[key], value):
            refuse_conflict(key)
        return DUPLICATE_KEY

    def value(self) -> tuple[Any, Repair | None]:
        """What the closed bracket stands for, and what of it JSON would not have."""
        if self.constructor:
            return self._constructed(), _CONSTRUCTOR
        if self.kind is Kind.PAREN:
            single = len(self.items) == 1 and not self.comma
            return (self.items[0], None) if single else (self.items, mend.TUPLE)
        if self.kind is Kind.SET:
            return self.items, _SET
        return (self.items, None) if self.kind is Kind.LIST else (self.members, None)

    def _constructed(self) -> Any:
        wanted = dict if self.constructor == "dict" else list
        if not self.items:
            return self.members if wanted is dict else []
        if len(self.items) > 1 or self.members or not isinstance(self.items[0], wanted):
            raise malformed(f"{self.constructor}(...) has to be written as a literal")
        return self.items[0]


def key_text(value: Any) -> str:
    """A dict's key as JSON has it."""
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, bool):
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, int | float):
        return str(value)
    raise malformed("the key of a dict must be a string")
