"""The words of a Python call: its name, and what stands without quotes in it.

Names come as models write them: dotted, with underscores escaped for Markdown, between quotes, or
with the quote that opens the whole call before them. How far is looked is bounded everywhere.
Nothing is computed: ``3.5 / 100`` comes back as the text it is, for a schema to make sense of or
to refuse, as everywhere (see `values/spellings.py`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

from ...messages import Repair
from ..calls.names import Offered
from ..patterns import Pattern
from ..reply.markers import MORE
from ..values import repairs as mend
from ..values.spellings import literals, number_value
from ..values.strict import (
    DUPLICATE_KEY,
    MAX_DIGITS,
    malformed,
    put_member,
    refuse_constant,
    too_long,
)
from .line_values import ZERO_PADDED, kinds, zero_padded

__all__ = [
    "KEYWORD",
    "LEAD",
    "LISTED",
    "LONGEST_WORD",
    "OPENING_QUOTES",
    "Bracket",
    "CallLead",
    "Kind",
    "call_lead",
    "key_text",
    "lead_of",
    "leading_call",
    "read_word",
    "unescaped",
]

#: Quotes that open a string or a quoted call, and what may close it.
OPENING_QUOTES = {'"': '"', "'": "'", "“": '”“"', "‘": "’‘'", "`": "`"}

#: An argument's name: an identifier, or nearly one.
KEYWORD = r"(?:[^\W\d]|\\{1,2}_)(?:[\w-]|\\{1,2}_){0,127}"
_NAME = r"(?:[^\W\d]|\\{1,2}_)(?:[\w.:/-]|\\{1,2}_){0,127}+"
_LEAD = rf"""(?:\{{\s{{0,80}}+)?(\\?["'`“‘])?({_NAME})(\\?["'`”’])?[ \t]{{0,3}}\("""
#: What a call begins with: the quote before its name, the name, the quote behind it.
LEAD = Pattern(_LEAD)
#: What follows the bracket of a list of calls; the groups are those of :data:`LEAD`.
LISTED = rf"\s{{0,80}}+(?:\[\s{{0,80}}+)?+{_LEAD}"
_LIST_LEAD = Pattern(rf"\[{LISTED}")
_FIRST_KEYWORD = Pattern(rf"\s{{0,80}}+{KEYWORD}\s{{0,8}}=(?!=)")


class CallLead(NamedTuple):
    """The beginning of a call: its name, where that begins, and what is behind its parenthesis.

    *quote* is what quotes the whole call; *odd* says that quotes or a brace are around anything.
    """

    name: str
    start: int
    end: int
    quote: str
    odd: bool
    escaped: bool


def call_lead(text: str, at: int, final: bool) -> CallLead | int | None:
    """The call that begins at *at*; None if none does, MORE if more text has to come."""
    if not final and LEAD.may_change(text, at):
        return MORE
    return lead_of(LEAD.match(text, at))


def lead_of(found: re.Match[str] | None) -> CallLead | None:
    """The call that begins with what :data:`LEAD` matched."""
    if found is None:
        return None
    quote, name, unquote = found.groups()
    if unquote and not quote:
        return None
    start = found.start(2)
    whole = quote if quote and not unquote else ""
    return CallLead(unescaped(name), start, found.end(), whole, start > found.start(), "\\" in name)


def leading_call(text: str, at: int, final: bool, offered: Offered) -> str | int:
    """The name of the call of an offered tool that begins at *at*, perhaps first in a list.

    Empty where there is none; MORE where more text has to come first. Where nothing is
    offered, only a list whose first call has a keyword argument is told from other text.
    """
    in_list = text.startswith("[", at)
    pattern = _LIST_LEAD if in_list else LEAD
    if not final and pattern.may_change(text, at):
        return MORE
    lead = lead_of(pattern.match(text, at))
    if lead is None or (offered.any and not offered.knows(lead.name)):
        return ""
    if offered.any:
        return lead.name
    if not in_list:
        return ""
    if not final and _FIRST_KEYWORD.may_change(text, lead.end):
        return MORE
    return lead.name if _FIRST_KEYWORD.match(text, lead.end) else ""


def unescaped(name: str) -> str:
    r"""*name* without the backslashes of Markdown: ``get\_time``."""
    return name.replace("\\", "")


LONGEST_WORD = MAX_DIGITS + 100
_SET = Repair("set")
_CONSTRUCTOR = Repair("constructor")  # dict(a=1), list([1])

_DIGITS = r"[0-9]+(?:_[0-9]+)*"
_NUMBER = re.compile(
    rf"""[-+]?\s{{0,8}}(?:0+(?:_0+)*|[1-9][0-9]*(?:_[0-9]+)*
    |(?:{_DIGITS}\.(?:{_DIGITS})?|\.{_DIGITS}|{_DIGITS}(?=[eE]))(?:[eE][-+]?{_DIGITS})?
    |0[xX]_?[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*|0[oO]_?[0-7]+(?:_[0-7]+)*|0[bB]_?[01]+(?:_[01]+)*)""",
    re.VERBOSE,
)
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
    if (number := zero_padded(word, kinds(schema))) is not None:
        return number, ZERO_PADDED
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


@dataclass(slots=True)
class Bracket:
    """An open bracket. *constructor* is the word before it, as in ``list(``."""

    kind: Kind
    constructor: str = ""
    items: list[Any] = field(default_factory=list)
    members: dict[str, Any] = field(default_factory=dict)
    key: str = ""
    keyed: bool = False  # a key came, its value comes
    spread: bool = False  # two asterisks came, a dict comes
    comma: bool = False

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
        return DUPLICATE_KEY if put_member(self.members, key, value) else None

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
