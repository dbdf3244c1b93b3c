"""Turning "a text of this form that does not hold that" into states and steps between them.

Few engines can say what a text must not hold, and all can say which character may follow which.
So ``Without`` is made into a table: for each state, the characters that lead on and where to, and
whether the text may end there. Only states remain from which an end can be reached.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from .charset import ALL, Ranges, complement, of, union
from .ir import Chars, Choice, Literal, Node, Repeat, Rule, Sequence, Without

__all__ = ["MOST_STATES", "Table", "TooManyStates", "can_be", "table"]

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

    def add_table(self, made: Table, start: int) -> int:
        """Let the texts of *made* be read from *start*; the state in which they are over."""
        states = [start, *(self.state() for _ in made.steps[1:])]
        for state, steps in zip(states, made.steps, strict=True):
            self.takes[state] += [(ranges, states[to]) for ranges, to in steps]
        return self._meeting(states[each] for each in made.ends)

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

    def before(self, end: int) -> set[int]:
        """The states from which *end* can be reached."""
        back: list[list[int]] = [[] for _ in self.takes]
        for state, taken in enumerate(self.takes):
            for target in (*(to for _, to in taken), *self.skips[state]):
                back[target].append(state)
        found, pending = {end}, [end]
        while pending:
            for each in back[pending.pop()]:
                if each not in found:
                    found.add(each)
                    pending.append(each)
        return found


@lru_cache(maxsize=512)
def table(node: Without) -> Table:
    """The states and steps of *node*; raises TooManyStates."""
    return _smallest(*_walked(node))


@lru_cache(maxsize=512)
def can_be(node: Without) -> bool:
    """Whether there is any text of *node*; raises TooManyStates."""
    return bool(_walked(node)[1])


# A grammar is written soon after it was made, if it is written at all: few are needed again.
@lru_cache(maxsize=8)
def _walked(node: Without) -> tuple[_Steps, set[int], _Kinds]:
    """What a text of *node* leads through, before like states are made one."""
    net = _Net()
    # Several nets in one: what the text is to be, and what is not to be found anywhere in it. The
    # former is made small by itself: behind every state of the latter it would be there again.
    begin = net.state()
    end = net.add_table(_wanted(node.form, node.too), begin)
    return _made(net, [begin], {end}, node.forbidden)


@lru_cache(maxsize=512)
def _wanted(form: Node, too: Node | None) -> Table:
    """The texts of *form*, and of *too*."""
    net = _Net()
    begins = [net.state()]
    ends = {net.add(form, begins[0])}
    if too is not None:
        begins.append(net.state())
        ends.add(net.add(too, begins[1]))
    return _smallest(*_made(net, begins, ends, None))


def _made(
    net: _Net, begins: list[int], ends: set[int], forbidden: Node | None
) -> tuple[_Steps, set[int], _Kinds]:
    anywhere = net.state()
    net.takes[anywhere].append((ALL, anywhere))
    found = net.state() if forbidden is None else net.add(forbidden, anywhere)
    kinds = _Kinds(net)
    if found in net.closed([anywhere]):
        return [], set(), kinds
    return *_determined(net, kinds, [*begins, anywhere], ends, found), kinds


class _Kinds:
    """The characters in as few kinds as the steps of a net can tell apart."""

    def __init__(self, net: _Net) -> None:
        edges = [(state, *edge) for state, taken in enumerate(net.takes) for edge in taken]
        places = sorted({at for _, ranges, _ in edges for a, b in ranges for at in (a, b + 1)})
        index = {place: at for at, place in enumerate(places)}
        led: list[list[int]] = [[] for _ in places]
        for number, (_, ranges, _) in enumerate(edges):
            for first, last in ranges:
                for at in range(index[first], index[last + 1]):
                    led[at].append(number)
        runs: dict[tuple[int, ...], list[tuple[int, int]]] = {}
        for at, numbers in enumerate(led[:-1]):
            if numbers:
                runs.setdefault(tuple(numbers), []).append((places[at], places[at + 1] - 1))
        #: The characters of each kind.
        self.runs = list(runs.values())
        #: For each state, the states that each kind of character leads to.
        self.leads: list[dict[int, list[int]]] = [{} for _ in net.takes]
        for kind, taken in enumerate(runs):
            for number in taken:
                state, _, target = edges[number]
                self.leads[state].setdefault(kind, []).append(target)


# By state: for each kind of character the state it leads to, or -1.
_Steps = list[list[int]]


def _determined(
    net: _Net, kinds: _Kinds, begin: list[int], must_end: set[int], found: int
) -> tuple[_Steps, set[int]]:
    """Every set of states that a text can lead to, and in which of them it may end."""
    moves = _Moves(net, kinds)
    start = moves.closed(begin)
    numbers = {start: 0}
    pending = [start]
    ends: set[int] = set()
    over, bad = _bits(must_end), 1 << found
    hopes = [_bits(net.before(end)) for end in must_end]
    steps: _Steps = []
    for state in pending:  # which grows while it is walked through
        if state & over == over:
            ends.add(numbers[state])
        row = moves.led(state)
        for target in dict.fromkeys(row):
            if target in numbers:
                continue
            if target & bad or not all(target & hope for hope in hopes):
                numbers[target] = -1
                continue
            numbers[target] = len(pending)
            pending.append(target)
            if len(pending) > MOST_STATES:
                raise TooManyStates
        steps.append([numbers[target] for target in row])
    return steps, ends


def _bits(states: Iterable[int]) -> int:
    made = 0
    for each in states:
        made |= 1 << each
    return made


class _Moves:
    """Where characters lead from a set of states: a set is the bits of one number.

    Tables of raw texts have hundreds of such sets and some forty kinds of characters. Most states
    of a set go on with few kinds, so the others are put together once and kept.
    """

    def __init__(self, net: _Net, kinds: _Kinds) -> None:
        self._closures = [_bits(net.closed([state])) for state in range(len(net.takes))]
        self._count = len(kinds.runs)
        self._few: dict[int, list[tuple[int, int]]] = {}
        self._many: dict[int, list[tuple[int, int]]] = {}
        for state, led in enumerate(kinds.leads):
            row = [(kind, self.closed(targets)) for kind, targets in led.items()]
            few = self._few if 4 * len(row) < self._count else self._many
            few[state] = row
        self._wide = _bits(self._many)
        self._kept: dict[int, list[int]] = {}

    def closed(self, states: Iterable[int]) -> int:
        """*states* and all that can be reached from them without a character."""
        made = 0
        for each in states:
            made |= self._closures[each]
        return made

    def led(self, state: int) -> list[int]:
        """Where each kind of character leads from *state*."""
        wide = state & self._wide
        if wide not in self._kept:
            self._kept[wide] = self._row([0] * self._count, wide, self._many)
        return self._row(self._kept[wide].copy(), state ^ wide, self._few)

    @staticmethod
    def _row(row: list[int], state: int, edges: dict[int, list[tuple[int, int]]]) -> list[int]:
        while state:
            lowest = state & -state
            state ^= lowest
            for kind, targets in edges[lowest.bit_length() - 1]:
                row[kind] |= targets
        return row


def _smallest(steps: _Steps, ends: set[int], kinds: _Kinds) -> Table:
    """The same without states from which no end is reached, and with like states made one."""
    alive = _alive(steps, ends)
    if 0 not in alive:
        return Table(((),), frozenset())
    groups = _alike(steps, ends, alive)
    order: dict[int, int] = {}
    places = [-1] * len(groups)
    for state in sorted(alive):
        places[state] = order.setdefault(groups[state], len(order))
    unions: dict[tuple[int, ...], Ranges] = {}
    made: dict[int, tuple[tuple[Ranges, int], ...]] = {}
    for state in alive:
        if places[state] not in made:
            led: dict[int, list[int]] = {}
            for kind, to in enumerate(map(places.__getitem__, steps[state])):
                if to in led:
                    led[to].append(kind)
                else:
                    led[to] = [kind]
            led.pop(-1, None)
            made[places[state]] = tuple(
                (_united(tuple(taken), kinds, unions), to) for to, taken in sorted(led.items())
            )
    ordered = tuple(made[place] for place in range(len(made)))
    return Table(ordered, frozenset(places[end] for end in ends & alive))


def _united(taken: tuple[int, ...], kinds: _Kinds, known: dict[tuple[int, ...], Ranges]) -> Ranges:
    """All characters of the kinds *taken*; most states have one of few such sets."""
    if taken not in known:
        own = set(taken)
        # Every character is of some kind: of many kinds, it is quicker to say which it is not.
        few = [kind for kind in range(len(kinds.runs)) if (kind in own) is not (len(own) > 8)]
        found = union(*(kinds.runs[kind] for kind in few))
        known[taken] = complement(found) if len(own) > 8 else found
    return known[taken]


def _before(steps: _Steps, states: Iterable[int]) -> dict[int, list[int]]:
    """For each state those of *states* that lead to it."""
    before: dict[int, list[int]] = {}
    for state in states:
        for target in set(steps[state]):
            before.setdefault(target, []).append(state)
    return before


def _alive(steps: _Steps, ends: set[int]) -> set[int]:
    before = _before(steps, range(len(steps)))
    alive, pending = set(ends), list(ends)
    while pending:
        for state in before.get(pending.pop(), ()):
            if state not in alive:
                alive.add(state)
                pending.append(state)
    return alive


def _alike(steps: _Steps, ends: set[int], alive: set[int]) -> list[int]:
    """The group of each state: those of one group cannot be told apart by what follows."""
    # The last place, -1, is for states that are not alive.
    groups = [int(at in ends) if at in alive else -1 for at in range(len(steps))] + [-1]
    members: dict[int, list[int]] = {}
    for state in alive:
        members.setdefault(groups[state], []).append(state)
    before = _before(steps, alive)
    count, torn = 2, [group for group in members if len(members[group]) > 1]
    while torn:
        parts: list[list[int]] = []
        for group in torn:
            led: dict[tuple[int, ...], list[int]] = {}
            for state in members[group]:
                led.setdefault(tuple(map(groups.__getitem__, steps[state])), []).append(state)
            # The largest part keeps its number, so that few states have to be looked at again.
            kept, *others = sorted(led.values(), key=len, reverse=True)
            members[group] = kept
            parts += others
        for part in parts:
            members[count] = part
            for state in part:
                groups[state] = count
            count += 1
        near = {groups[at] for part in parts for state in part for at in before.get(state, ())}
        torn = [group for group in near if len(members[group]) > 1]
    return groups
