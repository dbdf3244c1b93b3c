"""How much checking one call may cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .choices import EnumChoices
from .patterns import MOST_PATTERNS, Prepared, Unenforced, prepared, size_of

__all__ = ["LEAST_VISITS", "TooMuchWork", "Work", "purse", "takes_long"]

# A visit takes one to three microseconds, so a check ends within seconds whatever the schema.
MAX_VISITS = 1_000_000
# What small arguments may cost, so that a schema alone cannot make checking slow: a twentieth of a
# second. Real ones take some dozens of visits.
LEAST_VISITS = 20_000
_FOR_EACH = 1_000
# Checking large arguments, mending them and checking again takes up to five visits for each value.
_FOR_VALUE = 10
_LETTERS_OF_VALUE = 16  # a text may be JSON that has to be read
_CHOICES_OF_VISIT = 20
# Patterns cost steps of 50 ns, measured with pydantic-core 2.50. Compiling takes up to 10 us for
# each of a pattern's size, searching 10 to 60 ns for each of its size and each character.
_COMPILING, _EACH_COMPILED, _SEARCHING, _EACH_SEARCHED = 5_000, 200, 10, 1


def purse(several: Iterable[Any]) -> int:
    """How many visits checking *several* arguments may take, in proportion to what they hold."""
    visits = LEAST_VISITS
    pending = list(several)
    visits += _FOR_EACH * len(pending)
    while pending and visits < MAX_VISITS:
        value = pending.pop()
        visits += _FOR_VALUE
        if isinstance(value, str):
            visits += _FOR_VALUE * (len(value) // _LETTERS_OF_VALUE)
        elif isinstance(value, Mapping):
            pending.extend(value.values())
        elif isinstance(value, list | tuple):
            pending.extend(value)
    return min(visits, MAX_VISITS)


def takes_long(visits: int) -> bool:
    """Whether so many visits are too many for an event loop."""
    return visits > 3 * LEAST_VISITS


class TooMuchWork(Exception):
    """The schema cannot be held against the value within bounds. Never leaves ``tools``."""


class Work:
    """The steps that may still be taken; everything done for one call draws on one purse."""

    __slots__ = ("_choices", "_patterns", "pattern_steps", "visits")

    def __init__(self, visits: int = MAX_VISITS) -> None:
        self.visits = visits
        # Half as much time again, or less.
        self.pattern_steps = 20.0 * visits
        self._patterns: dict[str, Prepared | None] = {}
        self._choices: dict[int, EnumChoices] = {}

    def spend(self, visits: int = 1) -> None:
        """Pay for *visits*, or raise TooMuchWork."""
        self.visits -= visits
        if self.visits < 0:
            raise TooMuchWork

    def choices(self, listed: Sequence[Any]) -> EnumChoices:
        """The choices that an ``enum`` has *listed*, to look values up in."""
        self.spend()
        known = self._choices.get(id(listed))
        if known is None or known.all is not listed:
            self.spend(len(listed) // _CHOICES_OF_VISIT)
            known = self._choices[id(listed)] = EnumChoices(listed)
        return known

    def search(self, pattern: Any, text: str) -> bool | None:
        """Return whether *pattern* is found in *text*; None where that cannot be afforded."""
        if not isinstance(pattern, str):
            return None
        if pattern not in self._patterns and len(self._patterns) < MOST_PATTERNS:
            # Kept here, since the work of another thread may take it out of the common store.
            self._patterns[pattern] = self._compiled(pattern)
        ready = self._patterns.get(pattern)
        if ready is None or not self._can_pay(_SEARCHING + _EACH_SEARCHED * ready.size * len(text)):
            return None
        return ready.search(text)

    def _compiled(self, pattern: str) -> Prepared | None:
        # Paid for even if it was compiled for an earlier call: what is enforced must not depend on
        # what came before.
        try:
            if self._can_pay(_COMPILING) and self._can_pay(_EACH_COMPILED * size_of(pattern)):
                return prepared(pattern)
        except Unenforced:
            pass
        return None

    def _can_pay(self, steps: float) -> bool:
        if steps > self.pattern_steps:
            return False
        self.pattern_steps -= steps
        return True
