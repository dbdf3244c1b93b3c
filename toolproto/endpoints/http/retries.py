"""Whether a failed attempt is made again, and after how long."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from random import Random

from ...protocol.errors import (
    EndpointError,
    EndpointTimeout,
    ToolsRefused,
    UsageError,
    WireError,
)

__all__ = ["Phase", "Retries", "retryable"]

#: Refusals that may pass: a timeout on the server's side, a conflict, too many requests.
_PASSING = {408, 409, 429}


class Phase(IntEnum):
    """How far an attempt has come."""

    CONNECTING = 0
    WAITING = 1  # connected; the request is on its way, or answered by nothing yet
    ANSWERED = 2  # a status came
    OUTPUT = 3  # a piece of the reply was handed on


@dataclass(frozen=True, slots=True)
class Retries:
    """How often a request is sent, and the waits between.

    *attempts* counts the first one: 1 never retries. The wait before attempt *n* is drawn evenly
    from the upper half of ``base * 2**(n-2)`` seconds, at most *cap*: clients that failed together
    do not come back together. A service's own ``Retry-After`` is kept where it is longer, up to
    *retry_after_cap*: no service decides how long a program stands still.
    """

    attempts: int = 3
    base: float = 0.5
    cap: float = 8.0
    retry_after_cap: float = 30.0

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise UsageError(f"attempts is {self.attempts!r}; 1 sends a request once, 2 retries it")
        if min(self.base, self.cap, self.retry_after_cap) < 0:
            raise UsageError("the waits between attempts are seconds, zero or more")

    def delay(
        self, error: EndpointError, phase: Phase, made: int, left: float, random: Random
    ) -> float | None:
        """Seconds to wait after *made* attempts, or None when *error* is final.

        *left* is what remains of the total: a wait that does not fit into it is not begun.
        """
        if made >= self.attempts or not retryable(error, phase):
            return None
        # The exponent is bounded before it is raised: 2**10000 seconds is no float.
        backoff = min(self.cap, self.base * 2.0 ** min(made - 1, 60)) * random.uniform(0.5, 1.0)
        seconds = max(backoff, min(error.retry_after or 0.0, self.retry_after_cap))
        return seconds if seconds < left else None


def retryable(error: EndpointError, phase: Phase) -> bool:
    """Whether trying again may help and can repeat nothing the caller has seen."""
    if phase is Phase.OUTPUT or isinstance(error, WireError | ToolsRefused):
        return False
    if error.status is not None:
        return error.status in _PASSING or error.status >= 500
    if isinstance(error, EndpointTimeout):
        # Whoever thought for minutes before the first token would do so again.
        return phase is Phase.CONNECTING
    return phase < Phase.ANSWERED
