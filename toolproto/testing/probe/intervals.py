"""Between what bounds a share or a mean likely lies, given how little was measured.

Shares have Wilson's 95 % interval. With *p* of *n* right and z = 1.96::

    centre = (p + z²/2n) / (1 + z²/n)
    half   = z · √(p(1 - p)/n + z²/4n²) / (1 + z²/n)

Unlike the textbook's p ± z·√(p(1 - p)/n) it stays within 0 and 1, and nothing right out of ten
still leaves room for 28 %.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Mean", "Share", "enough_to_tell", "mean_of", "share_of"]

#: What would need more is not worth being told.
_MOST = 1_000_000
Z = 1.959963984540054  # 95 % of a normal distribution lie within so many deviations


@dataclass(frozen=True, slots=True)
class Share:
    """*right* out of *asked*; where nothing was asked, nothing is known."""

    right: int = 0
    asked: int = 0

    @property
    def value(self) -> float | None:
        """The share itself, None where nothing was asked."""
        return self.right / self.asked if self.asked else None

    @property
    def low(self) -> float:
        """The lower bound of Wilson's interval."""
        # Where nothing was right the bound is 0, which rounding would miss by a hair.
        return self._centre - self._half if self.right else 0.0

    @property
    def high(self) -> float:
        """The upper bound of Wilson's interval."""
        return self._centre + self._half if self.right < self.asked else 1.0

    def is_above(self, other: Share, z: float = Z) -> bool:
        """Whether it is higher than *other* by more than both intervals, *z* deviations wide."""
        (centre, half), (others, beside) = self._interval(z), other._interval(z)
        return centre - half > others + beside

    @property
    def _centre(self) -> float:
        return self._interval(Z)[0]

    @property
    def _half(self) -> float:
        return self._interval(Z)[1]

    def _interval(self, z: float) -> tuple[float, float]:
        """The centre of Wilson's interval, and half of it."""
        if not self.asked:
            return 0.5, 0.5
        n, p = self.asked, self.right / self.asked
        half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        return (p + z * z / (2 * n)) / (1 + z * z / n), half


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean with its 95 % interval, and of how many values."""

    value: float = 0.0
    low: float = 0.0
    high: float = 0.0
    count: int = 0


def share_of(marks: Iterable[bool | None]) -> Share:
    """How many of *marks* are true; None was not asked."""
    asked = [mark for mark in marks if mark is not None]
    return Share(sum(asked), len(asked))


def enough_to_tell(one: Share, other: Share) -> int | None:
    """About how many requests each would have to be asked for intervals that do not touch.

    As if the shares stayed what they are; None if they are alike, or nothing is known of one.
    """
    if one.value is None or other.value is None or one.value == other.value:
        return None
    low, high = sorted((one.value, other.value))

    def apart(asked: int) -> bool:
        return Share(round(high * asked), asked).is_above(Share(round(low * asked), asked))

    asked = 1
    while not apart(asked):
        asked = math.ceil(asked * 1.1)
        if asked > _MOST:
            return None
    return asked


def mean_of(values: Iterable[float]) -> Mean:
    """The mean of *values*, between ± 1.96 standard errors."""
    told = list(values)
    n = len(told)
    if not n:
        return Mean()
    mean = math.fsum(told) / n
    spread = math.sqrt(math.fsum((each - mean) ** 2 for each in told) / (n - 1)) if n > 1 else 0.0
    half = Z * spread / math.sqrt(n)
    return Mean(mean, mean - half, mean + half, n)
