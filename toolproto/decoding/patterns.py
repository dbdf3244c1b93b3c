"""Patterns for text of which more may come: does this match, and could more text change that?

The second question is answered by a pattern for every *beginning* of a match. It is derived from
the first one's syntax tree, so it is not written by hand and cannot fall behind.

The package ``regex`` has partial matching, which answers another question: behind ``get`` it gives
a whole match and does not say that ``get\\_x`` may come (41 of 33,872 beginnings of a call's head
wrong, none here). On thirteen patterns of calls it took 2.2 to 6.9 µs a question, and ``re.match``
with ``may_change`` 0.8 to 4.5 µs, but for three long ones (9 to 18 µs near the end of a text).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

__all__ = ["Pattern", "text_before"]

_REPEATS = {op.MAX_REPEAT: "", op.MIN_REPEAT: "?", op.POSSESSIVE_REPEAT: "+"}
_CATEGORIES = {
    op.CATEGORY_DIGIT: r"\d",
    op.CATEGORY_NOT_DIGIT: r"\D",
    op.CATEGORY_SPACE: r"\s",
    op.CATEGORY_NOT_SPACE: r"\S",
    op.CATEGORY_WORD: r"\w",
    op.CATEGORY_NOT_WORD: r"\W",
}
_PLACES = {
    op.AT_BEGINNING: "^",
    op.AT_BEGINNING_STRING: r"\A",
    op.AT_BOUNDARY: r"\b",
    op.AT_NON_BOUNDARY: r"\B",
    op.AT_END: "$",
    op.AT_END_STRING: r"\Z",
}
_FLAGS = re.IGNORECASE | re.DOTALL | re.MULTILINE | re.ASCII
_NOTHING = "(?!)"
_Asked = Callable[..., re.Match[str] | None]


class Derived(NamedTuple):
    """What follows from a pattern: it without groups, all beginnings of it, and its width."""

    plain: str
    beginnings: str
    longest: int


class Pattern:
    """A pattern, and whether a text that ends here may only be its beginning.

    Groups keep their numbers. Back-references and conditionals are not supported, and nothing may
    look back beyond where the match begins: that text may be gone when more comes.
    """

    __slots__ = ("_begun", "_flags", "_longest", "_possible", "match", "search", "source")

    def __init__(self, source: str, flags: int = 0) -> None:
        self.source = source
        self._flags = flags
        # Compiled when they are first asked for: a program reads a few of the forms, and compiling
        # all of them took a third of the time in which the package is imported. Each of these puts
        # the real one in its place, so that there is nothing between a reader and its pattern.
        self.match: _Asked = self._first_match
        self.search: _Asked = self._first_search
        self._longest = sys.maxsize
        self._possible: _Asked = self._first_possible
        self._begun: _Asked = self._first_possible

    def _first_match(self, *given: Any) -> re.Match[str] | None:
        self._compile()
        return self.match(*given)

    def _first_search(self, *given: Any) -> re.Match[str] | None:
        self._compile()
        return self.search(*given)

    def _first_possible(self, text: str, at: int) -> re.Match[str] | None:
        self.derived()
        return self._possible(text, at) if len(text) - at <= self._longest else None

    def _compile(self) -> None:
        compiled = re.compile(self.source, self._flags)
        self.match, self.search = compiled.match, compiled.search

    def derived(self) -> Derived:
        """What follows from the source; a ValueError if that is more than can be derived from."""
        tree = _parser.parse(self.source, self._flags)
        items = list(tree)
        kept = tree.state.flags & _FLAGS  # with those that are written inside the pattern
        found = Derived(_written(items), f"(?:{_begun(items)})\\Z", _width(items))
        # Looking at each character once rules nearly every text out that is no beginning.
        letters = _letters(items)
        possible = f"[{letters}]*+\\Z" if letters else ""
        self._begun = re.compile(found.beginnings, kept).match
        self._possible = re.compile(possible, kept | re.IGNORECASE).match
        self._longest = found.longest
        return found

    def may_change(self, text: str, at: int) -> bool:
        """Could more text behind *text* give another match at *at*?

        If not, no longer text does; if so, there need not be one that does.
        """
        return (
            len(text) - at <= self._longest
            and self._possible(text, at) is not None
            and self._begun(text, at) is not None
        )


def text_before(firsts: str, *patterns: Pattern) -> re.Pattern[str]:
    """What certainly stands before *patterns*, whatever comes: it matches that, perhaps nothing.

    Each of them begins with one of the characters in the class *firsts*.
    """
    # A beginning reaches to the end of the text, so it is only looked for near that.
    ends = "|".join(
        f"{each.plain}|(?=(?s:.{{0,{each.longest}}}+)\\Z){each.beginnings}"
        for each in (pattern.derived() for pattern in patterns)
    )
    return re.compile(f"[^{firsts}]*+(?:(?!{ends})[{firsts}][^{firsts}]*+)*+")


# -- beginnings -------------------------------------------------------------------------------


def _begun(items: list[Any]) -> str:
    """All beginnings, the empty one included, that are not yet all of what *items* match.

    Where reading comes to the end of the text on its way through the pattern, more text counts;
    so each of these has to match up to the end.
    """
    if not items:
        return _NOTHING
    (kind, value), rest = items[0], items[1:]
    if kind in _REPEATS:
        return _begun_repeat(kind, value, rest)
    return f"(?:{_written([items[0]])}(?:{_begun(rest)})\\Z|{_begun_one(kind, value)})"


def _begun_one(kind: Any, value: Any) -> str:
    match kind:
        case op.BRANCH:
            return "|".join(_begun(list(branch)) for branch in value[1])
        case op.SUBPATTERN:
            return f"(?{_flags(value)}:{_begun(list(value[3]))})"
        case op.ATOMIC_GROUP:
            return _begun(list(value))
        case op.ASSERT | op.ASSERT_NOT:
            # What is looked back at is there already; what is looked ahead at may have begun.
            return _begun(list(value[1])) if value[0] > 0 else _NOTHING
        case op.AT if value in (op.AT_BEGINNING, op.AT_BEGINNING_STRING):
            return _NOTHING
        case op.AT if value is op.AT_END:
            return r"\n?"  # it also matches before a line break that is the last character
    return ""


def _begun_repeat(kind: Any, value: Any, rest: list[Any]) -> str:
    low, high, inner = value[0], value[1], list(value[2])
    again, once = _begun(inner), _written(inner)
    if high == 0:
        return _begun(rest)
    if low == 1 and high > 1:  # the first one, and those that may follow
        return _begun([*inner, (kind, (0, _fewer(high), inner)), *rest])
    if low or high == 1 or kind is op.POSSESSIVE_REPEAT:
        more = f"(?:{once}){{0,{_count(_fewer(high))}}}(?:{again})" if high > 1 else again
        return f"(?:{_one(kind, value)}(?:{_begun(rest)})\\Z|{more})"
    return f"(?:{once}){{0,{_count(high)}}}(?:{_begun(rest)}|{again})\\Z"


# -- what a beginning may consist of ----------------------------------------------------------


def _width(items: list[Any]) -> int:
    """How many characters a match may depend on: what is looked ahead at counts, too."""
    total = 0
    for kind, value in items:
        if kind in _REPEATS:
            total += value[1] * _width(list(value[2]))
        elif kind in (op.ASSERT, op.ASSERT_NOT) and value[0] < 0:
            pass
        elif kind is op.AT:
            total += 1
        else:
            total += max((_width(part) for part in _parts(kind, value)), default=1)
    return total


def _letters(items: list[Any]) -> str | None:
    """The members of a class of all characters in *items*; None if that is not worth a class."""
    letters = ""
    for kind, value in items:
        if kind in (op.LITERAL, op.IN):
            members = [(kind, value)] if kind is op.LITERAL else value
            if members[0][0] is not op.NEGATE:
                letters += "".join(map(_member, members))
            elif (op.CATEGORY, op.CATEGORY_NOT_WORD) in members:
                letters += r"\w"  # [^\W\d] and the like
            else:
                return None
        elif kind in (op.ANY, op.NOT_LITERAL):
            return None
        elif kind is op.AT:
            letters += r"\n"
        for part in _parts(kind, value):
            inside = _letters(part)
            if inside is None:
                return None
            letters += inside
    return letters


def _parts(kind: Any, value: Any) -> list[list[Any]]:
    """The patterns that one item is made of, if it is no single character."""
    match kind:
        case op.BRANCH:
            return [list(branch) for branch in value[1]]
        case op.SUBPATTERN:
            return [list(value[3])]
        case op.ATOMIC_GROUP:
            return [list(value)]
        case op.ASSERT | op.ASSERT_NOT:
            return [list(value[1])]
    return [list(value[2])] if kind in _REPEATS else []


# -- a pattern's tree, written as a pattern again ---------------------------------------------


def _written(items: list[Any]) -> str:
    return "".join(_one(kind, value) for kind, value in items)


def _one(kind: Any, value: Any) -> str:
    if kind in _REPEATS:
        low, high, inner = value
        return f"(?:{_written(list(inner))}){{{low},{_count(high)}}}{_REPEATS[kind]}"
    match kind:
        case op.LITERAL:
            return _character(value)
        case op.NOT_LITERAL:
            return f"[^{_character(value)}]"
        case op.ANY:
            return "."
        case op.IN:
            return f"[{''.join(map(_member, value))}]"
        case op.BRANCH:
            return f"(?:{'|'.join(_written(list(branch)) for branch in value[1])})"
        case op.SUBPATTERN:
            return f"(?{_flags(value)}:{_written(list(value[3]))})"
        case op.ATOMIC_GROUP:
            return f"(?>{_written(list(value))})"
        case op.ASSERT | op.ASSERT_NOT:
            sign = "=" if kind is op.ASSERT else "!"
            return f"(?{'' if value[0] > 0 else '<'}{sign}{_written(list(value[1]))})"
        case op.AT:
            return _PLACES[value]
    raise ValueError(f"a pattern for streamed text cannot have {kind}")


def _flags(group: Any) -> str:
    """The flags that a group switches on for itself, as letters."""
    _, add, remove, _ = group
    if remove:
        raise ValueError("a pattern for streamed text cannot switch a flag off")
    letters = (("i", re.IGNORECASE), ("s", re.DOTALL), ("m", re.MULTILINE), ("a", re.ASCII))
    return "".join(letter for letter, flag in letters if add & flag)


def _member(member: tuple[Any, Any]) -> str:
    kind, value = member
    match kind:
        case op.NEGATE:
            return "^"
        case op.RANGE:
            return f"{_character(value[0])}-{_character(value[1])}"
        case op.CATEGORY:
            return _CATEGORIES[value]
    return _character(value)


def _character(code: int) -> str:
    char = chr(code)
    return f"\\{char}" if char in r"\^$.|?*+()[]{}-&~#" else re.escape(char)


def _fewer(number: int) -> int:
    return number if number >= op.MAXREPEAT else number - 1


def _count(number: int) -> str:
    return "" if number >= op.MAXREPEAT else str(number)
