"""How much checking one call may cost."""

from __future__ import annotations

from typing import Any

from .patterns import MAX_STEPS, search, worst_steps

__all__ = ["TooMuchWork", "Work"]

# A visit takes one to three microseconds, so a check ends within seconds whatever the schema.
MAX_VISITS = 1_000_000


class TooMuchWork(Exception):
    """The schema cannot be held against the value within bounds. Never leaves ``tools``."""


class Work:
    """The steps that may still be taken; everything done for one call draws on one purse."""

    __slots__ = ("pattern_steps", "visits")

    def __init__(self, visits: int = MAX_VISITS) -> None:
        self.visits = visits
        self.pattern_steps = 20.0 * MAX_STEPS

    def spend(self, visits: int = 1) -> None:
        """Pay for *visits*, or raise TooMuchWork."""
        self.visits -= visits
        if self.visits < 0:
            raise TooMuchWork

    def search(self, pattern: Any, text: str) -> bool | None:
        """Whether *pattern* is found in *text*; None where that cannot be afforded."""
        if not isinstance(pattern, str):
            return None
        steps = worst_steps(pattern, len(text))
        if steps > min(MAX_STEPS, self.pattern_steps):
            return None
        self.pattern_steps -= steps
        return search(pattern, text)
