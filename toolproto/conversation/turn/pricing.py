"""What tokens cost, by model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from math import isfinite
from typing import Any

from ...protocol.errors import UsageError
from ...protocol.messages import Usage

__all__ = ["Expenses", "Price", "cost_of", "price_table"]

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """What a million tokens cost, in whatever money the table is in."""

    input: float
    output: float

    def __post_init__(self) -> None:
        for each in (self.input, self.output):
            if isinstance(each, bool) or not isinstance(each, int | float):
                raise UsageError(f"a price is a number for a million tokens, not {each!r}")
            if not isfinite(each) or each < 0:
                raise UsageError(f"a price is a number, 0 or more, not {each!r}")

    def of(self, usage: Usage) -> float:
        """What *usage* costs."""
        spent = usage.input_tokens * self.input + usage.output_tokens * self.output
        return spent / _MILLION


@dataclass(slots=True)
class Expenses:
    """What requests took together; *cost* is None if that of one is not known."""

    usage: Usage = field(default_factory=Usage)
    cost: float | None = 0.0

    def add(self, usage: Usage, cost: float | None) -> None:
        """Add a request."""
        self.usage += usage
        self.cost = None if self.cost is None or cost is None else self.cost + cost


def price_table(prices: Mapping[str, Any]) -> dict[str, Price]:
    """*prices* by the name of a model, or a pattern (``gpt-4o*``): a Price, or its two numbers."""
    if not isinstance(prices, Mapping):
        raise UsageError("prices are by model, as {'gpt-4o*': (2.5, 10)}")
    return {str(model): _price(model, each) for model, each in prices.items()}


def cost_of(prices: Mapping[str, Price], model: str, usage: Usage | None) -> float | None:
    """What *usage* of *model* costs; None if it or its price is not known.

    The first price that matches wins.
    """
    for pattern, price in prices.items():
        if usage and (model == pattern or fnmatchcase(model, pattern)):
            return price.of(usage)
    return None


def _price(model: object, given: Any) -> Price:
    if isinstance(given, Price):
        return given
    if isinstance(given, Sequence) and not isinstance(given, str) and len(given) == 2:
        return Price(*given)
    raise UsageError(
        f"the price of {model!r} is {given!r:.100}; expected two numbers, for a million tokens "
        "that are read and a million that are written"
    )
