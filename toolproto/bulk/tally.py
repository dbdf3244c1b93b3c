"""How many replies came to what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .columns import Result
from .replies import ReplyOutcome

__all__ = ["Tally"]


@dataclass(slots=True)
class Tally:
    """Counts over many replies; *first_fault* is about the first row that had none."""

    replies: int = 0
    calls: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    problems: Counter[str] = field(default_factory=Counter)
    repairs: Counter[str] = field(default_factory=Counter)
    first_fault: str = ""

    def count(self, place: Mapping[str, Any], result: Result) -> None:
        """One more row of output, which stands at *place*."""
        outcome, calls, problems, _, _, reason = result
        self.replies += 1
        self.calls += len(calls)
        self.outcomes[outcome] += 1
        for problem in problems:
            self.problems[problem["kind"]] += 1
        for call in calls:
            for repair in call["repairs"]:
                self.repairs[repair["name"]] += 1
        if reason and not self.first_fault:
            self.first_fault = f"{_place(place)}{reason}"

    def __add__(self, other: Tally) -> Tally:
        """What was counted here, and then there."""
        return Tally(
            self.replies + other.replies,
            self.calls + other.calls,
            self.outcomes + other.outcomes,
            self.problems + other.problems,
            self.repairs + other.repairs,
            self.first_fault or other.first_fault,
        )

    @property
    def is_clean(self) -> bool:
        """Whether nothing was wrong with any call or row."""
        return not self.problems and not self.outcomes[ReplyOutcome.UNREADABLE.value]

    @property
    def is_hopeless(self) -> bool:
        """Whether there were rows, and a reply in none of them."""
        return 0 < self.replies == self.outcomes[ReplyOutcome.UNREADABLE.value]

    def told(self) -> dict[str, Any]:
        """The counts as JSON, every outcome among them."""
        return {
            "replies": self.replies,
            "calls": self.calls,
            "outcomes": {each.value: self.outcomes[each.value] for each in ReplyOutcome},
            "problems": dict(sorted(self.problems.items())),
            "repairs": dict(sorted(self.repairs.items())),
            "first_fault": self.first_fault,
        }

    @classmethod
    def from_told(cls, told: dict[str, Any]) -> Tally:
        """The tally that :meth:`told` wrote."""
        return cls(
            told["replies"],
            told["calls"],
            Counter(told["outcomes"]),
            Counter(told["problems"]),
            Counter(told["repairs"]),
            told["first_fault"],
        )


def _place(row: Mapping[str, Any]) -> str:
    """Where a row stands in the inputs, for the beginning of a sentence."""
    number = f"row {row['row']}" if "row" in row else None
    where = ", ".join(filter(None, (row.get("source"), number)))
    return f"{where}: " if where else ""
