"""How long a reply may take, and which of its waits has taken too long."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import inf

from ...protocol.errors import EndpointTimeout, UsageError

__all__ = ["Deadlines", "Timeouts"]


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds for each wait; None waits for ever.

    *first_token* runs from the start of an attempt to the first text or reasoning, *between_tokens*
    from one piece of it to the next: keep-alive comments and other empty frames do not count.
    *total* covers everything, retries and the waits between them included. The defaults leave room
    for a large model on a small machine.
    """

    connect: float | None = 10.0
    first_token: float | None = 300.0
    between_tokens: float | None = 60.0
    total: float | None = 1800.0

    @property
    def patience(self) -> float | None:
        """The longest wait for a piece of a reply; None for ever."""
        waits = (self.first_token, self.between_tokens, self.total)
        first, between, total = map(_seconds, waits)
        longest = min(max(first, between), total)
        return None if longest == inf else longest

    def __post_init__(self) -> None:
        for field in fields(self):
            seconds = getattr(self, field.name)
            if seconds is not None and not seconds > 0:
                raise UsageError(
                    f"the timeout {field.name} is {seconds!r}; give seconds above zero, or None"
                )


class Deadlines:
    """When the present wait must be over, for one reply. All times are readings of one clock."""

    def __init__(self, timeouts: Timeouts, now: float) -> None:
        self._timeouts = timeouts
        self._end = now + _seconds(timeouts.total)
        self._wait = "total"
        self.at = self._end

    def start(self, now: float) -> None:
        """An attempt begins: its first token is awaited."""
        self._expect("first_token", now + _seconds(self._timeouts.first_token))

    def token(self, now: float) -> None:
        """A token came: the next one is awaited."""
        self._expect("between_tokens", now + _seconds(self._timeouts.between_tokens))

    def tail(self, now: float, seconds: float) -> None:
        """The reply is complete: what still follows it gets a moment."""
        self.at = min(self.at, now + seconds)

    def left(self, now: float) -> float:
        """Seconds of the total."""
        return self._end - now

    def connect(self, now: float) -> float | None:
        """Seconds a connection may take to come about."""
        seconds = max(0.001, min(_seconds(self._timeouts.connect), self.at - now))
        return None if seconds == inf else seconds

    def error(self) -> EndpointTimeout:
        """The present wait, as an error."""
        seconds = getattr(self._timeouts, self._wait)
        what = {
            "first_token": "no text came within",
            "between_tokens": "the reply paused for more than",
            "total": "the reply was not complete within",
        }[self._wait]
        return EndpointTimeout(f"{what} {seconds:g} s (timeout {self._wait!r})")

    def _expect(self, wait: str, deadline: float) -> None:
        self._wait = wait if deadline <= self._end else "total"
        self.at = deadline if deadline <= self._end else self._end


def _seconds(timeout: float | None) -> float:
    return inf if timeout is None else timeout
