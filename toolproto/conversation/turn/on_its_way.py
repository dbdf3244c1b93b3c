"""A call between the reply that it stands in and its result: where it is, and what is known of it.

Every call of a reply is one :class:`OnItsWay`. Its state changes only along :data:`MOVES`, so that
no call is run twice, asked about after it ran, or left without a result.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from ...protocol.deciding.decisions import Yes
from ...protocol.errors import UsageError
from ...protocol.guard.passages import Found
from ...protocol.messages import ToolCall, ToolResult
from ...protocol.tools.define import Tool
from ..deciding.approvals import ApprovalRequest, Decision
from .commands import Outcome
from .result import CallRecord

__all__ = ["MOVES", "CallState", "OnItsWay"]


class CallState(Enum):
    """Where a call is on its way."""

    PENDING = "pending"  # read, and perhaps checked; nobody is asked about it
    WAITING = "waiting"  # for the answer to its question, or for its result from elsewhere
    RUNNING = "running"
    TO_REVIEW = "to review"  # there is a result, and somebody must see it first
    SETTLED = "settled"  # there is a result for the model


_S = CallState
MOVES: dict[CallState, tuple[CallState, ...]] = {
    # A hook may have a result for a call that never runs, and that may have to be reviewed.
    _S.PENDING: (_S.WAITING, _S.RUNNING, _S.TO_REVIEW, _S.SETTLED),
    # Back to pending with a yes: what is open now is decided anew.
    _S.WAITING: (_S.PENDING, _S.TO_REVIEW, _S.SETTLED),
    _S.RUNNING: (_S.TO_REVIEW, _S.SETTLED),
    _S.TO_REVIEW: (_S.SETTLED,),
    _S.SETTLED: (),
}


@dataclass(slots=True)
class OnItsWay:
    """One call on its way: *written* by the model, *call* as it would run.

    *is_checked*: it is known to be valid, and the hooks have seen it. *tool* is what it may run, as
    it was when that was decided. *question* is what somebody is asked while it waits, *answered*
    what somebody said yes to. *edited* tells the model that a person changed the call; *is_own*:
    that was the answer to the question whether it may run, so nobody is asked about it again.
    *unreviewed* is the result that waits for a review; *record* says what came of the call.
    """

    written: ToolCall
    state: CallState = CallState.PENDING
    call: ToolCall = field(init=False)
    is_checked: bool = False
    echo: Found | None = None
    tool: Tool | None = None
    question: ApprovalRequest | None = None
    answered: Yes | None = None
    decision: Decision | None = None
    edited: str = ""
    is_own: bool = False
    outcome: Outcome | None = None
    unreviewed: ToolResult | None = None
    result: ToolResult | None = None
    record: CallRecord | None = None

    def __post_init__(self) -> None:
        self.call = self.written

    @property
    def id(self) -> str:
        """The id of the call, whatever is changed in it."""
        return self.written.id

    @property
    def waits_for(self) -> str:
        """What it waits for: the kind of its question, or a review; empty if for nothing."""
        return self.question.kind if self.question else ""

    @property
    def is_open(self) -> bool:
        """Whether it could still be run."""
        return self.state in (CallState.PENDING, CallState.WAITING)

    def to(self, state: CallState) -> None:
        """Move on to *state*; UsageError if there is no way there."""
        if state not in MOVES[self.state]:
            raise UsageError(f"a call cannot go from {self.state.value} to {state.value}")
        self.state = state

    def wait(self, question: ApprovalRequest) -> None:
        """Wait for the answer to *question*."""
        self.to(CallState.WAITING)
        self.question = question

    def go_on(self) -> None:
        """Wait no longer; what is open is decided anew."""
        self.to(CallState.PENDING)
        self.question = None

    def review(self, result: ToolResult, question: ApprovalRequest) -> None:
        """Wait until somebody has seen *result*."""
        self.to(CallState.TO_REVIEW)
        self.unreviewed, self.question = result, question

    def settle(self, result: ToolResult, record: CallRecord) -> None:
        """Be over: *result* is what the model is told."""
        self.to(CallState.SETTLED)
        self.question = self.unreviewed = None
        self.result, self.record = result, record
