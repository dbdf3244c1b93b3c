"""Whether a text is a reply of a grammar, and where it departs.

:class:`GrammarWalk` reads a text character by character and keeps every way in which it may go on,
each a stack of what is still to come. Equal ways are one, and what a way leads to is remembered, so
a long text costs little more than a short one for each character.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from .automaton import Table, table
from .charset import Ranges, holds
from .ir import Chars, Choice, Grammar, Literal, Node, Repeat, Rule, Sequence, Without

__all__ = ["Departure", "GrammarWalk", "departure"]


class Departure(NamedTuple):
    """Where a text leaves a grammar, and the beginnings of what might have stood there.

    *at* is the length of the text if it is only not complete.
    """

    at: int
    expected: tuple[str, ...]


class _Way:
    """What is still to come: *node*, entered *at* some place or count, and then *rest*."""

    __slots__ = ("at", "node", "number", "rest")

    def __init__(self, node: Node, at: int, rest: _Way | None, number: int) -> None:
        self.node, self.at, self.rest = node, at, rest
        self.number = number  # in the order in which they were come upon


_Ways = tuple[_Way, ...]


class _Machine:
    """The ways of one grammar, each of which exists once."""

    def __init__(self, grammar: Grammar) -> None:
        self._rules = grammar.rules
        self._ways: dict[tuple[int, int, int], _Way] = {}
        self._steps: dict[tuple[_Ways, str], tuple[_Ways, bool]] = {}
        self._shortest: dict[Node, str | None] = {}
        self.start = self._expanded([self._way(grammar.root, 0, None)])

    def step(self, ways: _Ways, character: str) -> tuple[_Ways, bool]:
        """The ways behind *character*, and whether the text may end there."""
        known = self._steps.get((ways, character))
        if known is None:
            if len(self._steps) > 200_000:
                self._steps.clear()
            following = [after for way in ways for after in self._after(way, character)]
            known = self._steps[ways, character] = self._expanded(following)
        return known

    def _way(self, node: Node, at: int, rest: _Way | None) -> _Way:
        key = (id(node), at, id(rest))
        way = self._ways.get(key)
        if way is None:
            way = self._ways[key] = _Way(node, at, rest, len(self._ways))
        return way

    def _after(self, way: _Way, character: str) -> Iterator[_Way | None]:
        match way.node:
            case Literal(text):
                if text[way.at] == character:
                    done = way.at + 1 == len(text)
                    yield way.rest if done else self._way(way.node, way.at + 1, way.rest)
            case Chars(ranges):
                if holds(ranges, character):
                    yield way.rest
            case Without():
                for ranges, target in _states(way.node).steps[way.at]:
                    if holds(ranges, character):
                        yield self._way(way.node, target, way.rest)

    def _expanded(self, ways: list[_Way] | list[_Way | None]) -> tuple[_Ways, bool]:
        """The ways that take a character next, out of *ways*; and whether one of them is over."""
        leaves: dict[_Way, None] = {}
        over = False
        seen: set[_Way | None] = set()
        pending: list[_Way | None] = list(ways)
        while pending:
            way = pending.pop()
            if way in seen:
                continue
            seen.add(way)
            if way is None:
                over = True
            elif isinstance(way.node, Literal | Chars):
                leaves[way] = None
            else:
                pending.extend(self._unfolded(way, leaves))
        return tuple(sorted(leaves, key=lambda way: way.number)), over

    def _unfolded(self, way: _Way, leaves: dict[_Way, None]) -> Iterator[_Way | None]:
        """What *way* comes to without a character."""
        rest = way.rest
        match way.node:
            case Rule(name):
                yield self._way(self._rules[name], 0, rest)
            case Choice(options):
                yield from (self._way(option, 0, rest) for option in options)
            case Sequence(parts):
                if not parts:
                    yield rest
                    return
                behind = rest if way.at + 1 == len(parts) else self._way(way.node, way.at + 1, rest)
                yield self._way(parts[way.at], 0, behind)
            case Repeat(part, least, most):
                if way.at >= least:
                    yield rest
                if most is None or way.at < most:
                    count = way.at + 1 if most is not None else min(way.at + 1, least)
                    yield self._way(part, 0, self._way(way.node, count, rest))
            case Without():
                states = _states(way.node)
                if way.at in states.ends:
                    yield rest
                if states.steps[way.at]:
                    leaves[way] = None

    # -- the shortest way to an end -------------------------------------------------------

    def ending(self, ways: _Ways) -> str | None:
        """The shortest text that completes one of *ways*; None if there is none."""
        texts = [text for way in ways if (text := self._completed(way)) is not None]
        return min(texts, key=len, default=None)

    def _completed(self, way: _Way | None) -> str | None:
        pieces: list[str] = []
        while way is not None:
            more = self._remaining(way.node, way.at)
            if more is None:
                return None
            pieces.append(more)
            way = way.rest
        return "".join(pieces)

    def _remaining(self, node: Node, at: int) -> str | None:
        match node:
            case Literal(text):
                return text[at:]
            case Sequence(parts):
                pieces = [self.shortest(part) for part in parts[at:]]
                known = [piece for piece in pieces if piece is not None]
                return "".join(known) if len(known) == len(pieces) else None
            case Repeat(part, least):
                once = self.shortest(part) if at < least else ""
                return None if once is None else once * max(least - at, 0)
            case Without():
                return _to_end(node)[at]
        return self.shortest(node)

    def shortest(self, node: Node) -> str | None:
        """The shortest text of *node*."""
        match node:
            case Literal(text):
                return text
            case Chars(ranges):
                return _plainest(ranges)
            case Rule(name):
                if node not in self._shortest:
                    self._shortest[node] = self.shortest(self._rules[name])
                return self._shortest[node]
            case Choice(options):
                found = [self.shortest(each) for each in options]
                return min((each for each in found if each is not None), key=len, default=None)
        return self._remaining(node, 0)


@lru_cache(maxsize=256)
def _states(node: Without) -> Table:
    return table(node)


@lru_cache(maxsize=256)
def _to_end(node: Without) -> tuple[str | None, ...]:
    """For each state, the shortest text that leads to an end."""
    states = _states(node)
    texts: list[str | None] = [None] * len(states.steps)
    for end in states.ends:
        texts[end] = ""
    changed = True
    while changed:
        changed = False
        for state, steps in enumerate(states.steps):
            for ranges, target in steps:
                behind = texts[target]
                here = texts[state]
                if behind is not None and (here is None or len(behind) + 1 < len(here)):
                    texts[state] = _plainest(ranges) + behind
                    changed = True
    return tuple(texts)


def _plainest(ranges: Ranges) -> str:
    """A character of *ranges*: a letter or a digit, if there is one."""
    for each in "a0A ":
        if holds(ranges, each):
            return each
    return chr(ranges[0][0])


class GrammarWalk:
    """A text on its way through *grammar*."""

    def __init__(self, grammar: Grammar) -> None:
        self._machine = _Machine(grammar)
        self._ways, self.may_end = self._machine.start

    @property
    def is_alive(self) -> bool:
        """Whether the text so far is the beginning of a reply."""
        return bool(self._ways) or self.may_end

    def take(self, text: str) -> int:
        """Read on; how many characters of *text* were taken before it departed."""
        ways, may_end = self._ways, self.may_end
        for at, character in enumerate(text):
            ways, may_end = self._machine.step(ways, character)
            if not ways and not may_end:
                return at
            self._ways, self.may_end = ways, may_end
        return len(text)

    def fork(self) -> GrammarWalk:
        """The same walk, to be gone on otherwise."""
        other = object.__new__(GrammarWalk)
        other._machine, other._ways, other.may_end = self._machine, self._ways, self.may_end
        return other

    def again(self) -> GrammarWalk:
        """A walk from the beginning. It knows what this one found out, so it is quicker."""
        other = self.fork()
        other._ways, other.may_end = self._machine.start
        return other

    def departure(self, text: str) -> Departure | None:
        """Where *text* departs, from the beginning on; None if it is a whole reply."""
        walk = self.again()
        taken = walk.take(text)
        if taken == len(text) and walk.may_end:
            return None
        return Departure(taken, walk.expected())

    def ending(self) -> str | None:
        """A short text that completes the reply; None if there is none."""
        return "" if self.may_end else self._machine.ending(self._ways)

    def next_sets(self) -> list[Ranges]:
        """The sets of characters that may come next, one for each way."""
        found: list[Ranges] = []
        for way in self._ways:
            match way.node:
                case Literal(text):
                    point = ord(text[way.at])
                    found.append(((point, point),))
                case Chars(ranges):
                    found.append(ranges)
                case Without():
                    found += [ranges for ranges, _ in _states(way.node).steps[way.at]]
        return found

    def expected(self) -> tuple[str, ...]:
        """What may come next, as far as it can be shown: texts, or ``[…]`` for many characters."""
        shown: dict[str, None] = {}
        for way in self._ways:
            if isinstance(way.node, Literal):
                shown[way.node.text[way.at :]] = None
            else:
                shown["[…]"] = None
        if self.may_end:
            shown["the end"] = None
        return tuple(shown)


def departure(grammar: Grammar, text: str) -> Departure | None:
    """Where *text* departs from *grammar*; None if it is a whole reply of it."""
    return GrammarWalk(grammar).departure(text)
