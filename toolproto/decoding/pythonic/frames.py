"""What is open inside a call, and what it becomes when it is closed."""

from __future__ import annotations

from enum import Enum, auto
from typing import Any

from ...messages import ProblemKind, Repair
from ..lenient import repairs as mend
from ..strict import DUPLICATE_KEY, Refused, refuse_conflict, same_value

__all__ = ["BRACES", "KEY_FORM", "NAMED", "Frame", "Kind", "key_text"]

SET = Repair("set")
CONSTRUCTOR = Repair("constructor")  # dict(a=1), list([1])
KEY_FORM = Repair("key_form")  # {1: "a"}, where JSON has only strings


class Kind(Enum):
    """What a bracket opened."""

    CALL = auto()  # the arguments of the call itself
    KEYWORDS = auto()  # those of dict(
    PAREN = auto()  # a tuple, or one value in parentheses
    LIST = auto()
    BRACE = auto()  # a dict or a set: the first element tells
    DICT = auto()
    SET = auto()

    @property
    def closer(self) -> str:
        """The bracket that closes it."""
        return _CLOSERS.get(self, ")")


_CLOSERS = {Kind.LIST: "]", Kind.BRACE: "}", Kind.DICT: "}", Kind.SET: "}"}
NAMED = frozenset({Kind.CALL, Kind.KEYWORDS})
BRACES = frozenset({Kind.BRACE, Kind.DICT, Kind.SET})


class Frame:
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
        return not self.keyed and not self.spread and self.kind in _KEYED

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
        if self.kind in (Kind.DICT, Kind.KEYWORDS) and not self.constructor:
            raise Refused(ProblemKind.MALFORMED, "a value in a dict has no key")
        if self.kind is Kind.BRACE:
            self.kind = Kind.SET
        self.items.append(value)
        return None

    def _merge(self, value: Any) -> Repair | None:
        self.spread = False
        if not isinstance(value, dict):
            raise Refused(ProblemKind.MALFORMED, "only a dict can stand behind **")
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
            return self._constructed(), CONSTRUCTOR
        if self.kind is Kind.PAREN:
            single = len(self.items) == 1 and not self.comma
            return (self.items[0], None) if single else (self.items, mend.TUPLE)
        if self.kind is Kind.SET:
            return self.items, SET
        return (self.items, None) if self.kind is Kind.LIST else (self.members, None)

    def _constructed(self) -> Any:
        wanted = dict if self.constructor == "dict" else list
        if not self.items:
            return self.members if wanted is dict else []
        if len(self.items) > 1 or self.members or not isinstance(self.items[0], wanted):
            message = f"{self.constructor}(...) has to be written as a literal"
            raise Refused(ProblemKind.MALFORMED, message)
        return self.items[0]


_KEYED = NAMED | {Kind.BRACE, Kind.DICT}


def key_text(value: Any) -> str:
    """A dict's key as JSON has it."""
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, bool):
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, int | float):
        return str(value)
    raise Refused(ProblemKind.MALFORMED, "the key of a dict must be a string")
