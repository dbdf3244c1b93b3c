"""What came of a turn."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ..approvals import ApprovalRequest, Decision
from ..errors import UsageError
from ..messages import CallProblem, Message, ToolCall, ToolResult, Usage

__all__ = ["CallRecord", "TurnResult", "TurnStats", "TurnStatus"]

TurnStatus = Literal["completed", "aborted", "error", "timeout", "pending"]


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One call of the turn: what was decided about it, what came of it, how long it took.

    *decision* is None if nobody was asked. *started* is when it began to run, in seconds since
    1970, and *seconds* how long the tool itself took; both are None if it did not run.
    """

    call: ToolCall
    result: ToolResult
    decision: Decision | None = None
    seconds: float | None = None
    started: float | None = None

    @property
    def ended(self) -> float | None:
        """When the tool was done, in seconds since 1970; None if it did not run."""
        if self.started is None or self.seconds is None:
            return None
        return self.started + self.seconds


@dataclass(frozen=True, slots=True)
class TurnStats:
    """What a turn took."""

    rounds: int = 0
    calls: int = 0
    failed_calls: int = 0
    reasks: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class TurnResult:
    """How a turn ended, and all that was said in it.

    :attr:`text` is the answer; *partial_text* is what there is of one, however the turn ended.
    *transcript* holds every message of the turn, the user's first unless the turn *resumed* a
    pending one; ``transcript[answer]`` is the answer alone, what stands before it is talk with
    tools. *problems* are calls that could not even be read. With status ``"pending"``, *pending*
    says which calls wait; with ``"aborted"``, ``"error"`` and ``"timeout"``, *error* says why.
    """

    status: TurnStatus
    partial_text: str
    transcript: tuple[Message, ...] = ()
    answer: slice = field(default_factory=lambda: slice(0, 0))
    calls: tuple[CallRecord, ...] = ()
    problems: tuple[CallProblem, ...] = ()
    pending: tuple[ApprovalRequest, ...] = ()
    usage: Usage = field(default_factory=Usage)
    stats: TurnStats = field(default_factory=TurnStats)
    finish_reason: str | None = None
    error: BaseException | None = None
    resumed: bool = False

    @property
    def text(self) -> str:
        """The answer; of a turn that has none, what went wrong is raised."""
        if self.pending and self.error is None:
            waiting = ", ".join(request.call.id for request in self.pending)
            raise UsageError(
                f"the turn has no answer yet: calls wait for a decision ({waiting}); resume() it, "
                "or read partial_text"
            )
        return self.raise_for_status().partial_text

    @property
    def chatter(self) -> tuple[Message, ...]:
        """The talk with tools between the user's message and the answer."""
        return self.transcript[0 if self.resumed else 1 : self.answer.start]

    def raise_for_status(self) -> TurnResult:
        """Raise *error* if there is one; the result itself otherwise."""
        if self.error is not None:
            raise self.error
        return self
