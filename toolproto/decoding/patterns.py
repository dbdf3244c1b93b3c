"""Patterns for text of which more may come: does this match, and could more text change that?

The second question is answered by a pattern for every *beginning* of a match. It is derived from
the first one's syntax tree, so nobody writes it by hand and it cannot fall behind.
"""

from __future__ import annotations

import re
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

__all__ = ["Pattern"]

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
    op.AT_BOUNDARY: r"\b",
    op.AT_NON_BOUNDARY: r"\B",
    op.AT_END: r"\Z",
    op.AT_END_STRING: r"\Z",
}


class Pattern:
    """A pattern, and whether a text that ends here may only be its beginning.

    Groups keep their numbers; back-references and conditionals are not supported.
    """

    __slots__ = ("_begun", "_longest", "_possible", "match", "search", "source")

    def __init__(self, source: str, flags: int = 0) -> None:
        tree = _parser.parse(source, flags)
        compiled = re.compile(source, flags)
        self.source = source
        self.match = compiled.match
        self.search = compiled.search
        begun = _begun(list(tree))
        # Flags written inside the pattern are global to it and count for both.
        inline = tree.state.flags & (re.IGNORECASE | re.DOTALL | re.MULTILINE | re.VERBOSE)
        both = (flags | inline) & ~re.VERBOSE
        self._begun = re.compile(f"(?:{begun})\\Z", both).match
        self._longest = _width(list(tree))
        # A look at the characters alone rules most texts out, at a tenth of the price.
        members = _alphabet(_without_last(list(tree)))
        if members is None:
            members = {r"\s\S"}
        only = f"[{''.join(sorted(members))}]*+" if members else ""
        self._possible = re.compile(f"{only}\\Z", both).match

    def may_change(self, text: str, at: int) -> bool:
        """Could more text behind *text* give another match at *at*?"""
        if len(text) - at > self._longest or not self._possible(text, at):
            return False
        return self._begun(text, at) is not None


def _begun(items: list[Any]) -> str:
    """All beginnings, the empty one included, that are not yet all of what *items* match."""
    if not items:
        return "(?!)"
    (kind, value), rest = items[0], items[1:]
    whole, parts = _written([items[0]]), [""]
    if kind in _REPEATS:
        _, high, inner = value
        again = _begun(list(inner))
        parts = [again]
        if high > 1:
            parts = [f"(?:{_written(list(inner))}){{0,{_count(high - 1)}}}{again}"]
    elif kind is op.BRANCH:
        parts = [_begun(list(branch)) for branch in value[1]]
    elif kind is op.SUBPATTERN:
        parts = [f"(?{_flags(value)}:{_begun(list(value[3]))})"]
    elif kind is op.ATOMIC_GROUP:
        parts = [_begun(list(value))]
    elif kind in (op.ASSERT, op.ASSERT_NOT):
        # What is looked back at is there already; what is looked ahead at may only have begun.
        parts = [_begun(list(value[1]))] if value[0] > 0 else ["(?!)"]
    return f"(?:{whole}(?:{_begun(rest)})\\Z|{'|'.join(f'(?:{part})' for part in parts)})"


def _without_last(items: list[Any]) -> list[Any]:
    """*items* less the character they end with, if they do: a beginning cannot hold it."""
    return items[:-1] if items and items[-1][0] in (op.LITERAL, op.IN) else items


def _alphabet(items: list[Any]) -> set[str] | None:
    """All characters that *items* match, as members of a class; None if that cannot be said."""
    members: set[str] = set()
    for kind, value in items:
        found: set[str] | None = None
        if kind in _REPEATS:
            found = _alphabet(list(value[2]))
        elif kind is op.BRANCH:
            branches = [_alphabet(list(branch)) for branch in value[1]]
            known = [branch for branch in branches if branch is not None]
            found = set().union(*known) if len(known) == len(branches) else None
        elif kind is op.SUBPATTERN and not value[1]:  # a flag of its own may add other cases
            found = _alphabet(list(value[3]))
        elif kind is op.ATOMIC_GROUP:
            found = _alphabet(list(value))
        elif kind in (op.ASSERT, op.ASSERT_NOT):
            found = _alphabet(list(value[1])) if value[0] > 0 else set()
        elif kind is op.LITERAL:
            found = {_character(value)}
        elif kind is op.IN:
            found = _class_members(value)
        elif kind is op.AT:
            found = set()
        if found is None:
            return None
        members |= found
    return members


def _class_members(value: list[Any]) -> set[str] | None:
    if value[0][0] is not op.NEGATE:
        return {_member(member) for member in value}
    # [^\W\d] is some of \w; of other negations nothing is known.
    return {r"\w"} if (op.CATEGORY, op.CATEGORY_NOT_WORD) in value else None


def _width(items: list[Any]) -> int:
    """How many characters a match may depend on: what is looked ahead at counts, too."""
    total = 0
    for kind, value in items:
        if kind in _REPEATS:
            total += value[1] * _width(list(value[2]))
        elif kind is op.BRANCH:
            total += max(_width(list(branch)) for branch in value[1])
        elif kind is op.SUBPATTERN:
            total += _width(list(value[3]))
        elif kind is op.ATOMIC_GROUP:
            total += _width(list(value))
        elif kind in (op.ASSERT, op.ASSERT_NOT):
            total += _width(list(value[1])) if value[0] > 0 else 0
        elif kind is not op.AT:
            total += 1
    return total


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
            return _grouped(value)
        case op.ATOMIC_GROUP:
            return f"(?>{_written(list(value))})"
        case op.ASSERT | op.ASSERT_NOT:
            sign = "=" if kind is op.ASSERT else "!"
            return f"(?{'' if value[0] > 0 else '<'}{sign}{_written(list(value[1]))})"
        case op.AT:
            return _PLACES[value]
    raise ValueError(f"a pattern for streamed text cannot have {kind}")


def _grouped(value: Any) -> str:
    return f"(?{_flags(value)}:{_written(list(value[3]))})"


def _flags(group: Any) -> str:
    """The flags that a group switches on for itself, as letters."""
    _, add, remove, _ = group
    if remove:
        raise ValueError("a pattern for streamed text cannot switch a flag off")
    letters = (("i", re.IGNORECASE), ("s", re.DOTALL), ("m", re.MULTILINE))
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


def _count(number: int) -> str:
    return "" if number >= op.MAXREPEAT else str(number)
