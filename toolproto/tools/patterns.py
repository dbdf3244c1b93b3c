"""Whether a regular expression may be run on a text.

A pattern in a tool's schema is a stranger's program, and Python's ``re`` backtracks without a
time limit: ``(a+)+$`` needs hours for fifty letters, ``((){60000}){60000}`` for none at all. So
before it runs, two things are counted from the inside out: the ways in which each part may match
from one place, and the steps that trying all of them takes. What follows a part is tried once
for each of its ways. A pattern that might need more than ``MAX_STEPS`` on this very text is not
run; the caller is told so, and lets the value pass.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

__all__ = [
    "MAX_STEPS",
    "Prepared",
    "prepared",
    "reading_steps",
    "rounded",
    "worst_steps",
]

# About a twentieth of a second of backtracking.
MAX_STEPS = 1_000_000
# Longer patterns exist, but none that a model could be told to follow.
MAX_PATTERN = 1_000
_NEVER = math.inf
_SET_OPERATORS = frozenset({"--", "&&", "~~", "||"})
# A range that ends beyond Latin-1: to compile it, Python writes out a table of its characters.
_WIDE_RANGE = re.compile(r"-(?:[^\x00-\xff]|\\[uU])")
# What may follow a backslash, read whole: a digit of "\\x41" is no character of its own.
_ESCAPE = re.compile(
    r"0[0-7]{0,2}|x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[^1-9xuU]", re.DOTALL
)


class Prepared(NamedTuple):
    """A pattern for texts up to some length: what it may cost, and None if that is too much."""

    steps: float
    compiled: re.Pattern[str] | None


def prepared(pattern: str, length: int) -> Prepared:
    """*pattern*, ready to be run on texts of up to *length* characters."""
    if reading_steps(pattern) > MAX_STEPS:
        return Prepared(_NEVER, None)
    steps = worst_steps(pattern, length)
    return Prepared(steps, _compiled(pattern) if steps <= MAX_STEPS else None)


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str] | None:
    try:
        return re.compile(pattern)
    except (re.error, OverflowError, RecursionError):  # JavaScript's syntax, or absurd counts
        return None


def reading_steps(pattern: str) -> float:
    """What it takes to count the steps of *pattern* and to compile it, as steps of running it."""
    if len(pattern) > MAX_PATTERN:
        return _NEVER
    return 80 * len(pattern) + 100_000 * len(_WIDE_RANGE.findall(pattern))


def rounded(length: int) -> int:
    """*length*, or a little more: a pattern is looked at for a few lengths, not for each."""
    spare = max(length.bit_length() - 4, 0)
    return -(-length >> spare) << spare


def worst_steps(pattern: str, length: int) -> float:
    """An upper bound on the steps *pattern* needs on *length* characters; may be infinite."""
    return _NEVER if len(pattern) > MAX_PATTERN else _counted(pattern, length)


@lru_cache(maxsize=1024)
def _counted(pattern: str, length: int) -> float:
    try:
        steps, alternatives = _Reader(pattern, length).read()
    except _Unreadable:
        return _NEVER
    # An anchored pattern fails at once but at one place, any other is tried at every character.
    if pattern.startswith("^") and not alternatives:
        return steps + length // 8
    return steps * (length + 1)


class _Unreadable(Exception):
    """Syntax whose cost is not worth knowing: back references, conditions, set operations."""


class _Part(NamedTuple):
    """Something in a pattern, tried at one place of the text."""

    ways: float = 1  # in which it may match there
    steps: float = 1  # that trying all of them takes
    width: float = 0  # the characters it takes at the least


_EMPTY = _Part()
_CHARACTER = _Part(width=1)


@dataclass
class _Group:
    """What has been read of a group: whole branches, and the one being read."""

    is_look: bool = False  # ahead or behind
    branches: list[_Part] = field(default_factory=list)
    sequence: _Part = _EMPTY
    last: _Part = _EMPTY  # the latest item, which a quantifier may still repeat

    def add(self, part: _Part) -> None:
        self.sequence, self.last = _joined(self.sequence, self.last), part

    def branch(self) -> None:
        self.branches.append(_joined(self.sequence, self.last))
        self.sequence = self.last = _EMPTY

    def whole(self) -> _Part:
        branches = [*self.branches, _joined(self.sequence, self.last)]
        steps = sum(each.steps for each in branches)
        # Looking around takes no character, and one way of it is enough.
        if self.is_look:
            return _Part(steps=steps)
        return _Part(
            sum(each.ways for each in branches), steps, min(each.width for each in branches)
        )


def _joined(one: _Part, two: _Part) -> _Part:
    """*one*, and *two* behind each way of it."""
    return _Part(one.ways * two.ways, one.steps + one.ways * two.steps, one.width + two.width)


class _Reader:
    """Reads a pattern once, left to right, with a stack instead of recursion."""

    def __init__(self, pattern: str, length: int) -> None:
        self._pattern, self._length = pattern, length
        self._at = 0
        self._groups = [_Group()]
        # Entering a group saves what all groups have matched so far.
        self._entry = 1 + pattern.count("(") // 4

    def read(self) -> tuple[float, bool]:
        while self._at < len(self._pattern):
            self._item(self._take())
        if len(self._groups) != 1:
            raise _Unreadable
        whole = self._groups[0]
        return whole.whole().steps, bool(whole.branches)

    def _take(self) -> str:
        if self._at >= len(self._pattern):
            raise _Unreadable
        self._at += 1
        return self._pattern[self._at - 1]

    def _item(self, char: str) -> None:
        group = self._groups[-1]
        match char:
            case "(":
                self._open()
            case ")":
                self._close()
            case "|":
                group.branch()
            case "*" | "+" | "?" | "{":
                group.last = self._repeated(group.last, *self._bounds(char))
            case "[":
                group.add(self._set())
            case "\\":
                group.add(self._escape())
            case "^" | "$":
                group.add(_EMPTY)
            case _:
                group.add(_CHARACTER)

    def _open(self) -> None:
        if self._pattern.startswith("?", self._at):
            opener = re.compile(r"\?(?:[:=!]|<[=!]|P?<\w{1,64}>)").match(self._pattern, self._at)
            if not opener:
                raise _Unreadable
            self._at = opener.end()
            self._groups.append(_Group(is_look=opener[0][-1] in "=!"))
        else:
            self._groups.append(_Group())

    def _close(self) -> None:
        if len(self._groups) == 1:
            raise _Unreadable
        part = self._groups.pop().whole()
        self._groups[-1].add(part._replace(steps=part.steps + self._entry))

    def _escape(self) -> _Part:
        escape = _ESCAPE.match(self._pattern, self._at)
        if not escape:
            raise _Unreadable
        self._at = escape.end()
        return _EMPTY if escape[0] in "AbBZz" else _CHARACTER

    def _set(self) -> _Part:
        if self._pattern.startswith("^", self._at):
            self._at += 1
        first = self._at
        while (char := self._take()) != "]" or self._at - 1 == first:
            # An open bracket or a doubled operator may mean a set operation one day; Python warns.
            operator = self._pattern[self._at - 1 : self._at + 1]
            if char == "[" or operator in _SET_OPERATORS:
                raise _Unreadable
            if char == "\\":
                self._take()
        # Ranges of rare characters are tried one after the other.
        return _Part(steps=1 + (self._at - first) // 16, width=1)

    def _bounds(self, char: str) -> tuple[float, float]:
        """The least and most repeats, with the reader moved past a lazy mark."""
        if char == "{":
            least, most = self._braces()
        else:
            least, most = {"*": (0, _NEVER), "+": (1, _NEVER), "?": (0, 1)}[char]
        if self._pattern.startswith("?", self._at):
            self._at += 1
        if self._pattern[self._at : self._at + 1] in ("*", "+", "?", "{"):
            raise _Unreadable
        return least, most

    def _braces(self) -> tuple[float, float]:
        counts = re.compile(r"(\d{1,6})(,(\d{0,6}))?\}").match(self._pattern, self._at)
        if not counts:
            raise _Unreadable
        self._at = counts.end()
        least = float(counts[1])
        if counts[2] is None:
            return least, least
        return least, float(counts[3]) if counts[3] else _NEVER

    def _repeated(self, part: _Part, least: float, most: float) -> _Part:
        """*part*, *least* to *most* times."""
        if part.width:
            most = min(most, self._length // part.width)
        else:
            # Of the turns beyond those asked for, only the last may take no character.
            most = min(most, least + self._length + 1)
        turns, ways = _turns(part.ways, least, most)
        return _Part(ways, turns * (part.steps + self._entry), least * part.width)


def _turns(ways: float, least: float, most: float) -> tuple[float, float]:
    """How often something of so many *ways* is tried at most, and the ways of all its turns."""
    if ways == 1 or most == 0:
        return most + 1, max(most - least, 0) + 1
    if most * math.log(ways) > 100:
        return _NEVER, _NEVER
    tried = (ways ** (most + 1) - 1) / (ways - 1)
    return tried, tried - (ways**least - 1) / (ways - 1) if least <= most else 1
