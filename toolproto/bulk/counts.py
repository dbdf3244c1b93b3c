"""How many replies came to what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .replies import ReplyOutcome

__all__ = ["ReplyCounts"]


@dataclass(slots=True)
class ReplyCounts:
    """Counts over many replies; *first_fault* is about the first row that had none."""

    replies: int = 0
    calls: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    problems: Counter[str] = field(default_factory=Counter)
    repairs: Counter[str] = field(default_factory=Counter)
    first_fault: str = ""

    def count(self, row: Mapping[str, Any]) -> None:
        """Count one more row of output."""
        self.replies += 1
        self.calls += len(row["calls"])
        self.outcomes[row["outcome"]] += 1
        self.problems.update(problem["kind"] for problem in row["problems"])
        for call in row["calls"]:
            self.repairs.update(repair["name"] for repair in call["repairs"])
        if row.get("reason") and not self.first_fault:
            number = row.get("row") and f"row {row['row']}"
            place = ", ".join(filter(None, (row.get("source"), number)))
            self.first_fault = f"{place}: {row['reason']}" if place else row["reason"]

    def add(self, later: ReplyCounts) -> None:
        """Count what *later* rows were counted as."""
        self.replies += later.replies
        self.calls += later.calls
        self.outcomes += later.outcomes
        self.problems += later.problems
        self.repairs += later.repairs
        self.first_fault = self.first_fault or later.first_fault

    @property
    def is_clean(self) -> bool:
        """Whether nothing was wrong with any call or row."""
        return not self.problems and not self.outcomes[ReplyOutcome.UNREADABLE.value]

    @property
    def is_hopeless(self) -> bool:
        """Whether there were rows, and a reply in none of them."""
        return 0 < self.replies == self.outcomes[ReplyOutcome.UNREADABLE.value]

    def told(self) -> dict[str, Any]:
        """Return the counts as JSON, every outcome among them."""
        return {
            "replies": self.replies,
            "calls": self.calls,
            "outcomes": {each.value: self.outcomes[each.value] for each in ReplyOutcome},
            "problems": dict(sorted(self.problems.items())),
            "repairs": dict(sorted(self.repairs.items())),
            "first_fault": self.first_fault,
        }
