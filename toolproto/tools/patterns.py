"""Whether a regular expression may be run on a text, and what it says.

A pattern in a tool's schema is a stranger's program, and Python's ``re`` backtracks without a
time limit: ``(a+)+$`` needs hours for fifty letters. So the choices a pattern leaves open are
counted before it runs: choices in sequence multiply, alternatives add, and a repeated group
that itself has a choice is taken to be endless. A pattern that might need more than
``MAX_STEPS`` on this very text is not run; the caller is told so, and lets the value pass.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from functools import lru_cache

__all__ = ["MAX_STEPS", "search", "worst_steps"]

# About a twentieth of a second of backtracking.
MAX_STEPS = 1_000_000
# Longer patterns exist, but none that a model could be told to follow.
MAX_PATTERN = 1_000
_NEVER = math.inf
_SET_OPERATORS = frozenset({"--", "&&", "~~", "||"})


def search(pattern: str, text: str) -> bool | None:
    """Whether *pattern* is found in *text*; None where finding out could take too long."""
    if worst_steps(pattern, len(text)) > MAX_STEPS:
        return None
    compiled = _compiled(pattern)
    return None if compiled is None else compiled.search(text) is not None


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str] | None:
    try:
        return re.compile(pattern)
    except (re.error, OverflowError, RecursionError):  # JavaScript's syntax, or absurd counts
        return None


@lru_cache(maxsize=1024)
def worst_steps(pattern: str, length: int) -> float:
    """An upper bound on the steps *pattern* needs on *length* characters; may be infinite."""
    if len(pattern) > MAX_PATTERN:
        return _NEVER
    try:
        paths, turns, alternatives = _Reader(pattern, length).read()
    except _Unreadable:
        return _NEVER
    # An anchored pattern is tried at one place, any other at every character.
    starts = 1 if pattern.startswith("^") and not alternatives else length + 1
    return starts * paths * turns * (len(pattern) + 1)


class _Unreadable(Exception):
    """Syntax whose cost is not worth knowing: back references, conditions, set operations."""


@dataclass
class _Group:
    """The ways to match what has been read of a group: whole branches, and the one being read."""

    branches: list[float] = field(default_factory=list)
    sequence: float = 1
    last: float = 1  # the ways of the latest item, which a quantifier may still repeat
    # How often its groups are entered at the least: one that takes no character, as in
    # ``((){60000}){60000}``, has one way to match, and is entered as often as it says.
    turns: float = 1
    last_turns: float = 0

    def add(self, ways: float, turns: float = 0) -> None:
        self.sequence *= self.last
        self.last = ways
        self.turns += self.last_turns
        self.last_turns = turns

    def branch(self) -> None:
        self.branches.append(self.sequence * self.last)
        self.sequence = self.last = 1

    def ways(self) -> float:
        return sum(self.branches) + self.sequence * self.last

    def all_turns(self) -> float:
        return self.turns + self.last_turns


class _Reader:
    """Reads a pattern once, left to right, with a stack instead of recursion."""

    def __init__(self, pattern: str, length: int) -> None:
        self._pattern, self._length = pattern, length
        self._at = 0
        self._groups = [_Group()]

    def read(self) -> tuple[float, float, bool]:
        while self._at < len(self._pattern):
            self._item(self._take())
        if len(self._groups) != 1:
            raise _Unreadable
        whole = self._groups[0]
        return whole.ways(), whole.all_turns(), bool(whole.branches)

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
                least, most = self._bounds(char)
                group.last = self._repeated(group.last, least, most)
                group.last_turns *= max(least, 1)
            case "[":
                self._skip_set()
                group.add(1)
            case "\\":
                self._escape()
                group.add(1)
            case _:
                group.add(1)

    def _open(self) -> None:
        if self._pattern.startswith("?", self._at):
            opener = re.compile(r"\?(?:[:=!]|<[=!]|P?<\w{1,64}>)").match(self._pattern, self._at)
            if not opener:
                raise _Unreadable
            self._at = opener.end()
        self._groups.append(_Group())

    def _close(self) -> None:
        if len(self._groups) == 1:
            raise _Unreadable
        group = self._groups.pop()
        self._groups[-1].add(group.ways(), group.all_turns())

    def _escape(self) -> None:
        if self._take() in "123456789":
            raise _Unreadable

    def _skip_set(self) -> None:
        if self._pattern.startswith("^", self._at):
            self._at += 1
        first = self._at
        while (char := self._take()) != "]" or self._at - 1 == first:
            # An open bracket or a doubled operator may mean a set operation one day; Python warns.
            if char == "[" or self._pattern[self._at - 1 : self._at + 1] in (
                "--",
                "&&",
                "~~",
                "||",
            ):
                raise _Unreadable
            if char == "\\":
                self._take()

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

    def _repeated(self, ways: float, least: float, most: float) -> float:
        """The ways to match something of so many *ways*, *least* to *most* times."""
        stops = min(most, self._length) - min(least, self._length) + 1
        if ways == 1 or most == 0:
            return stops
        return _NEVER if most * math.log(ways) > 100 else stops * ways**most
