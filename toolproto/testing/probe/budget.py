"""How much a probe may take before it stops by itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...protocol.errors import UsageError
from .trial import TrialOutcome

__all__ = ["Budget", "Spending"]


@dataclass(frozen=True, slots=True)
class Budget:
    """The most *requests*, *seconds* and *tokens* of one run; None is no limit.

    Tokens are those of prompts and replies together. What runs when a limit is reached is
    finished.
    """

    requests: int | None = None
    seconds: float | None = None
    tokens: int | None = None

    def __post_init__(self) -> None:
        for name in ("requests", "seconds", "tokens"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise UsageError(
                    f"a budget of {value!r} {name} is too small to ask anything; give more, or None"
                )


class Spending:
    """What was taken of *budget* so far."""

    def __init__(self, budget: Budget, clock: Callable[[], float]) -> None:
        self._budget = budget
        self._clock = clock
        self._began = clock()
        self._requests = 0
        self._tokens = 0

    def begin(self, requests: int) -> None:
        """So many requests are about to be made."""
        self._requests += requests

    def add(self, outcome: TrialOutcome) -> None:
        """They were answered."""
        self._tokens += sum(reply.input_tokens + reply.output_tokens for reply in outcome.replies)

    def exceeded(self, requests: int) -> str | None:
        """Which limit forbids *requests* more, or None."""
        limits = self._budget
        if limits.requests is not None and self._requests + requests > limits.requests:
            return f"{limits.requests} requests"
        if limits.seconds is not None and self._clock() - self._began >= limits.seconds:
            return f"{limits.seconds:g} seconds"
        if limits.tokens is not None and self._tokens >= limits.tokens:
            return f"{limits.tokens} tokens"
        return None
