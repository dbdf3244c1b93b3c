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
from functools import partial
from re import _compiler, _parser  # type: ignore[attr-defined]
from re import _constants as op  # type: ignore[attr-defined]
from typing import Any, NamedTuple

_REPEATS = frozenset({op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT})
_REFERENCES = frozenset({op.GROUPREF, op.GROUPREF_EXISTS})
_NEVER, _END = (op.FAILURE, ()), (op.AT, op.AT_END_STRING)
_Asked = Callable[..., re.Match[str] | None]
#: A part of a pattern's tree: what it is, and what it is made of.
_Item = tuple[Any, Any]


class _Derived(NamedTuple):
    """What follows from a pattern: its tree, all beginnings of it, and its width."""

    whole: list[_Item]
    beginnings: list[_Item]
    longest: int


class LazyPattern:
    """A pattern that is compiled when it is first asked for.

    A program reads a few of the forms, and compiling all patterns took a third of the time in which
    the package is imported. There is nothing between a reader and its pattern afterwards.
    """

    __slots__ = ("_compiled", "match", "search")
    match: _Asked
    search: _Asked

    def __init__(self, compiled: Callable[[], re.Pattern[str]]) -> None:
        self._compiled = compiled

    def __getattr__(self, name: str) -> Any:
        if name not in ("match", "search"):
            raise AttributeError(name)
        compiled = self._compiled()
        self.match, self.search = compiled.match, compiled.search
        return getattr(self, name)


def lazy(source: str) -> LazyPattern:
    """The pattern of *source*, compiled when it is first asked for."""
    return LazyPattern(partial(re.compile, source))


class Pattern(LazyPattern):
    """A pattern, and whether a text that ends here may only be its beginning.

    Groups keep their numbers. Back-references and conditionals are not supported, and nothing may
    look back beyond where the match begins: that text may be gone when more comes.
    """

    __slots__ = ("_begun", "_flags", "_longest", "source")

    def __init__(self, source: str, flags: int = 0) -> None:
        super().__init__(partial(re.compile, source, flags))
        self.source = source
        self._flags = flags
        self._longest = sys.maxsize
        self._begun: _Asked = self._first_begun

    def _first_begun(self, text: str, at: int) -> re.Match[str] | None:
        self.derived()
        return self._begun(text, at) if len(text) - at <= self._longest else None

    def derived(self) -> _Derived:
        """What follows from the source; a ValueError if that is more than can be derived from."""
        tree = _parser.parse(self.source, self._flags)
        items = list(tree)
        found = _Derived(items, [*_begun(items), _END], _width(items))
        # Looking at each character once rules nearly every text out that is no beginning.
        letters = _letters(items)
        possible = _tree([_all([(op.IN, letters)]), _END] if letters else [])
        first = (op.ASSERT, (1, _tree([(op.SUBPATTERN, (None, re.IGNORECASE, 0, possible))])))
        self._begun = _compiler.compile(_tree([first, *found.beginnings], tree.state)).match
        self._longest = found.longest
        return found

    def may_change(self, text: str, at: int) -> bool:
        """Could more text behind *text* give another match at *at*?

        If not, no longer text does; if so, there need not be one that does.
        """
        return len(text) - at <= self._longest and self._begun(text, at) is not None


def text_before(firsts: str, *patterns: Pattern) -> LazyPattern:
    """What certainly stands before *patterns*, whatever comes: it matches that, perhaps nothing.

    Each of them has no groups and begins with one of the characters in the class *firsts*.
    """
    return LazyPattern(partial(_before, firsts, patterns))


def _before(firsts: str, patterns: tuple[Pattern, ...]) -> re.Pattern[str]:
    ends = list[list[_Item]]()
    for each in (pattern.derived() for pattern in patterns):
        # A beginning reaches to the end of the text, so it is only looked for near that.
        near = _parser.parse(rf"(?=(?s:.{{0,{each.longest}}}+)\Z)")
        ends += [each.whole, [*near, *each.beginnings]]
    first, others = _parser.parse(f"[{firsts}]"), _parser.parse(f"[^{firsts}]*+")
    no_end = (op.ASSERT_NOT, (1, _tree([_either(*ends)])))
    whole = [*others, _all([no_end, *first, *others])]
    return _compiler.compile(_tree(whole, first.state))  # type: ignore[no-any-return]


# -- beginnings -------------------------------------------------------------------------------


def _begun(items: list[_Item]) -> list[_Item]:
    """All beginnings, the empty one included, that are not yet all of what *items* match.

    Where reading comes to the end of the text on its way through the pattern, more text counts;
    so each of these has to match up to the end.
    """
    if not items:
        return [_NEVER]
    (kind, value), rest = items[0], items[1:]
    if kind in _REPEATS:
        return _begun_repeat(kind, value, rest)
    return [_either([items[0], *_begun(rest), _END], _begun_one(kind, value))]


def _begun_one(kind: Any, value: Any) -> list[_Item]:
    match kind:
        case op.BRANCH:
            return [_either(*(_begun(list(branch)) for branch in value[1]))]
        case op.SUBPATTERN:
            return [(kind, (None, *value[1:3], _tree(_begun(list(value[3])))))]
        case op.ATOMIC_GROUP:
            return _begun(list(value))
        case op.ASSERT | op.ASSERT_NOT:
            # What is looked back at is there already; what is looked ahead at may have begun.
            return _begun(list(value[1])) if value[0] > 0 else [_NEVER]
        case op.AT if value in (op.AT_BEGINNING, op.AT_BEGINNING_STRING):
            return [_NEVER]
        case op.AT if value is op.AT_END:
            return list(_parser.parse(r"\n?"))  # also before a line break that is the last one
    if kind in _REFERENCES:
        raise ValueError(f"a pattern for streamed text cannot have {kind}")
    return []


def _begun_repeat(kind: Any, value: Any, rest: list[_Item]) -> list[_Item]:
    low, high, inner = value[0], value[1], list(value[2])
    again, fewer = _begun(inner), high if high >= op.MAXREPEAT else high - 1
    if high == 0:
        return _begun(rest)
    if low == 1 and high > 1:  # the first one, and those that may follow
        return _begun([*inner, (kind, (0, fewer, _tree(inner))), *rest])
    if low or high == 1 or kind is op.POSSESSIVE_REPEAT:
        repeat = (kind, (low, high, _tree(inner)))
        return [_either([repeat, *_begun(rest), _END], [_some(inner, fewer), *again])]
    return [_some(inner, high), _either(_begun(rest), again), _END]


# -- trees ------------------------------------------------------------------------------------


def _tree(items: list[_Item], state: Any = None) -> Any:
    return _parser.SubPattern(state, items)


def _either(*ways: list[_Item]) -> _Item:
    return op.BRANCH, (None, [_tree(way) for way in ways])


def _some(items: list[_Item], most: int) -> _Item:
    return op.MAX_REPEAT, (0, most, _tree(items))


def _all(items: list[_Item]) -> _Item:
    """As many of *items* as there are, never given back."""
    return op.POSSESSIVE_REPEAT, (0, op.MAXREPEAT, _tree(items))


# -- what a beginning may consist of ----------------------------------------------------------


def _width(items: list[_Item]) -> int:
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


def _letters(items: list[_Item]) -> list[_Item] | None:
    """The members of a class of all characters in *items*; None if that is not worth a class."""
    letters = list[_Item]()
    for kind, value in items:
        if kind in (op.LITERAL, op.IN):
            members = [(kind, value)] if kind is op.LITERAL else value
            if members[0][0] is not op.NEGATE:
                letters += members
            elif (op.CATEGORY, op.CATEGORY_NOT_WORD) in members:
                letters.append((op.CATEGORY, op.CATEGORY_WORD))  # [^\W\d] and the like
            else:
                return None
        elif kind in (op.ANY, op.NOT_LITERAL):
            return None
        elif kind is op.AT:
            letters.append((op.LITERAL, ord("\n")))
        for part in _parts(kind, value):
            inside = _letters(part)
            if inside is None:
                return None
            letters += inside
    return letters


def _parts(kind: Any, value: Any) -> list[list[_Item]]:
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
