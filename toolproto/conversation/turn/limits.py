"""How far one turn may go."""

from __future__ import annotations

from dataclasses import dataclass

from ...protocol.errors import UsageError
from ...protocol.judge import REASKS

__all__ = ["TurnLimits"]


@dataclass(frozen=True, slots=True)
class TurnLimits:
    """Limits for a turn that would not end by itself.

    *requests* is how many requests a turn may take: by default ten round trips of calls and
    results, and one more for the answer. *seconds* is how long it may take. *reasks* is how many
    requests in a row may be useless before the turn gives up. *result_characters* is how much of
    one result the model is shown, *argument_characters* how long the arguments of one call may be.
    *tool_seconds* is for tools without a timeout of their own. *repeats* is how often the same
    calls may be made in a turn before somebody is asked; None means without a limit. *calls* is how
    many calls of one reply may run; further calls are answered without running. *continuations* is
    how often a reply that was cut for its length is continued and joined.
    """

    requests: int = 11
    seconds: float | None = None
    reasks: int = REASKS
    tool_seconds: float | None = 120.0
    result_characters: int = 50_000
    argument_characters: int = 2_000_000
    repeats: int | None = 3
    continuations: int = 0
    calls: int = 128

    def __post_init__(self) -> None:
        for name, least in _LEAST.items():
            value = getattr(self, name)
            if value is None and name == "repeats":
                continue
            if not isinstance(value, int) or isinstance(value, bool) or value < least:
                or_none = ", or None" if name == "repeats" else ""
                raise UsageError(f"{name} is {value!r}; use {least} or more{or_none}")
        for name in ("seconds", "tool_seconds"):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, int | float) and value > 0):
                raise UsageError(f"{name} is {value!r}; use seconds above 0, or None")


_LEAST = {
    "requests": 1,
    "reasks": 0,
    "result_characters": 100,
    "argument_characters": 1,
    "repeats": 2,
    "continuations": 0,
    "calls": 1,
}
