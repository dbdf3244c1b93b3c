"""Turning "a text of this form that does not hold that" into states and steps between them.

Few engines can say what a text must not hold, and all can say which character may follow which.
So ``Without`` is made into a table: for each state, the characters that lead on and where to, and
whether the text may end there. Only states remain from which an end can be reached.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from .charset import ALL, Ranges, of, union
from .ir import Chars, Choice, Literal, Node, Repeat, Rule, Sequence, Without

__all__ = ["MOST_STATES", "Table", "TooManyStates", "table"]

#: A grammar of more than this would be slow in every engine.
MOST_STATES = 1500


class TooManyStates(Exception):
    """The text cannot be said in a table of a bearable size. Never leaves ``grammar``."""


@dataclass(frozen=True, slots=True)
class Table:
    """*steps* of each state, by the set of characters that lead there; the first state is 0."""

    steps: tuple[tuple[tuple[Ranges, int], ...], ...]
    ends: frozenset[int]


@dataclass(slots=True)
class _Net:
    """States with steps that take a character (*takes*) or none (*skips*)."""

    takes: list[list[tuple[Ranges, int]]] = field(default_factory=list)
    skips: list[list[int]] = field(default_factory=list)

    def state(self) -> int:
        self.takes.append([])
        self.skips.append([])
        if len(self.takes) > 20 * MOST_STATES:
            raise TooManyStates
        return len(self.takes) - 1

    def add(self, node: Node, start: int) -> int:
        """Let *node* be read from *start*; the state in which it is over."""
        match node:
            case Literal(text):
                for character in text:
                    start = self._take(of(character), start)
                return start
            case Chars(ranges):
                return self._take(ranges, start)
            case Sequence(parts):
                for part in parts:
                    start = self.add(part, start)
                return start
            case Choice(options):
                ends = [self.add(option, start) for option in options]
                return self._meeting(ends)
            case Repeat(part, least, most):
                return self._repeated(part, least, most, start)
            case Rule() | Without():
                raise TooManyStates  # neither stands in what tables are made of
        raise AssertionError(node)

    def _take(self, ranges: Ranges, start: int) -> int:
        end = self.state()
        self.takes[start].append((ranges, end))
        return end

    def _meeting(self, ends: Iterable[int]) -> int:
        meeting = self.state()
        for end in ends:
            self.skips[end].append(meeting)
        return meeting

    def _repeated(self, part: Node, least: int, most: int | None, start: int) -> int:
        for _ in range(least):
            start = self.add(part, start)
        if most is None:
            again = self._meeting([start])
            self.skips[self.add(part, again)].append(again)
            return self._meeting([again])
        ends = [start]
        for _ in range(most - least):
            ends.append(self.add(part, ends[-1]))
        return self._meeting(ends)

    def closed(self, states: Iterable[int]) -> frozenset[int]:
        """*states* and all that can be reached from them without a character."""
        found = set(states)
        pending = list(found)
        while pending:
            for each in self.skips[pending.pop()]:
                if each not in found:
                    found.add(each)
                    pending.append(each)
        return frozenset(found)


@lru_cache(maxsize=512)
def table(node: Without) -> Table:
    """The states and steps of *node*; raises TooManyStates."""
    net = _Net()
    # Several nets in one: what the text is to be, and what is not to be found anywhere in it.
    begins = [net.state()]
    ends = {net.add(node.form, begins[0])}
    if node.too is not None:
        begins.append(net.state())
        ends.add(net.add(node.too, begins[1]))
    anywhere = net.state()
    net.takes[anywhere].append((ALL, anywhere))
    found = net.add(node.forbidden, anywhere)
    if found in net.closed([anywhere]):
        return Table(((),), frozenset())
    return _trimmed(*_determined(net, [*begins, anywhere], ends, found))


def _determined(
    net: _Net, begin: list[int], must_end: set[int], found: int
) -> tuple[list[dict[int, list[tuple[int, int]]]], set[int]]:
    """Every set of states that a text can lead to, and in which of them it may end."""
    start = net.closed(begin)
    numbers = {start: 0}
    pending = [start]
    steps: list[dict[int, list[tuple[int, int]]]] = []
    ends: set[int] = set()
    closures: dict[frozenset[int], frozenset[int]] = {}
    while pending:
        state = pending.pop(0)
        if must_end <= state:
            ends.add(numbers[state])
        outgoing: dict[int, list[tuple[int, int]]] = {}
        for piece, bare in _pieces(net, state):
            target = closures.get(bare)
            if target is None:
                target = closures[bare] = net.closed(bare)
            if found in target:
                continue
            if target not in numbers:
                numbers[target] = len(numbers)
                pending.append(target)
                if len(numbers) > MOST_STATES:
                    raise TooManyStates
            outgoing.setdefault(numbers[target], []).append(piece)
        steps.append(outgoing)
    return steps, ends


def _pieces(net: _Net, state: frozenset[int]) -> Iterable[tuple[tuple[int, int], frozenset[int]]]:
    """The characters in runs that all lead to the same states, and those states."""
    opens: dict[int, list[int]] = {}
    for each in state:
        for ranges, target in net.takes[each]:
            for first, last in ranges:
                opens.setdefault(first, []).append(target)
                opens.setdefault(last + 1, []).append(~target)
    reached: dict[int, int] = {}
    places = sorted(opens)
    for at, place in enumerate(places[:-1]):
        for target in opens[place]:
            state_of, change = (target, 1) if target >= 0 else (~target, -1)
            reached[state_of] = reached.get(state_of, 0) + change
        here = frozenset(target for target, count in reached.items() if count > 0)
        if here:
            yield (place, places[at + 1] - 1), here


def _trimmed(steps: list[dict[int, list[tuple[int, int]]]], ends: set[int]) -> Table:
    """The same without states from which no end is reached, and with like states made one."""
    alive = _alive(steps, ends)
    if 0 not in alive:
        return Table(((),), frozenset())
    kept = [
        {target: union(runs) for target, runs in outgoing.items() if target in alive}
        for outgoing in steps
    ]
    groups = _alike(kept, ends, alive)
    order: dict[int, int] = {}
    for state in sorted(alive):
        order.setdefault(groups[state], len(order))
    table: list[tuple[tuple[Ranges, int], ...]] = [()] * len(order)
    for state in alive:
        merged: dict[int, list[Ranges]] = {}
        for target, ranges in kept[state].items():
            merged.setdefault(order[groups[target]], []).append(ranges)
        table[order[groups[state]]] = tuple(
            (union(*ranges), target) for target, ranges in sorted(merged.items())
        )
    return Table(tuple(table), frozenset(order[groups[end]] for end in ends & alive))


def _alive(steps: list[dict[int, list[tuple[int, int]]]], ends: set[int]) -> set[int]:
    before: dict[int, list[int]] = {}
    for state, outgoing in enumerate(steps):
        for target in outgoing:
            before.setdefault(target, []).append(state)
    alive, pending = set(ends), list(ends)
    while pending:
        for state in before.get(pending.pop(), ()):
            if state not in alive:
                alive.add(state)
                pending.append(state)
    return alive


def _alike(kept: list[dict[int, Ranges]], ends: set[int], alive: set[int]) -> dict[int, int]:
    """The group of each state: those of one group cannot be told apart by what follows."""
    groups = {state: int(state in ends) for state in alive}
    while True:
        seen: dict[object, int] = {}
        refined = {}
        for state in sorted(alive):
            leads: dict[int, list[Ranges]] = {}
            for target, ranges in kept[state].items():
                leads.setdefault(groups[target], []).append(ranges)
            key = (groups[state], frozenset((g, union(*r)) for g, r in leads.items()))
            refined[state] = seen.setdefault(key, len(seen))
        if len(seen) == len(set(groups.values())):
            return refined
        groups = refined
