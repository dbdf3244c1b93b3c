"""What a turn tells those who watch it, beside what the decoder saw in the reply."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from ...protocol.events import Event
from ...protocol.messages import Message, ToolCall, ToolResult
from ..deciding.approvals import ApprovalRequest, Decision
from .result import StepRecord, TurnResult
from .states import TurnSnapshot

__all__ = [
    "ApprovalAsked",
    "CompactionFailed",
    "Decided",
    "HistoryCompacted",
    "MessageAppended",
    "ReasoningEnded",
    "ReasoningStarted",
    "ReplyConstrained",
    "SessionEvent",
    "StateChanged",
    "StepEnded",
    "StepStarted",
    "ToolProgressed",
    "ToolStatus",
    "ToolUpdated",
    "TurnEnded",
    "TurnEvent",
]


class ToolStatus(Enum):
    """The progress of a call."""

    PENDING = "pending"  # read, not yet run
    RUNNING = "running"
    COMPLETED = "completed"
    ERROR = "error"  # not run, or it failed


@dataclass(frozen=True, slots=True)
class StateChanged:
    """The turn entered another state."""

    snapshot: TurnSnapshot


@dataclass(frozen=True, slots=True)
class ToolUpdated:
    """The status of a call changed; *result* is set once the call is done."""

    call: ToolCall
    status: ToolStatus
    result: ToolResult | None = None


@dataclass(frozen=True, slots=True)
class ToolProgressed:
    """A call that runs says how far it is: *done* of *total*, where it knows that.

    *message* is the tool's, or a stranger's: of an MCP server. Nothing of it is kept.
    """

    call: ToolCall
    done: float
    total: float | None = None
    message: str = ""


@dataclass(frozen=True, slots=True)
class ApprovalAsked:
    """Somebody is asked about a call."""

    request: ApprovalRequest


@dataclass(frozen=True, slots=True)
class Decided:
    """What was decided about a call that was asked about."""

    request: ApprovalRequest
    decision: Decision


@dataclass(frozen=True, slots=True)
class MessageAppended:
    """A message joined the conversation."""

    message: Message


@dataclass(frozen=True, slots=True)
class StepStarted:
    """The model is asked: the first time in the turn, the second, …"""

    number: int


@dataclass(frozen=True, slots=True)
class StepEnded:
    """The model has answered, and its calls are done: what that took and changed."""

    step: StepRecord


@dataclass(frozen=True, slots=True)
class ReasoningStarted:
    """The model begins to think; what it thinks follows as ReasoningDelta."""


@dataclass(frozen=True, slots=True)
class ReasoningEnded:
    """The model has thought for so many *seconds*; *text* is all of it since ReasoningStarted."""

    text: str = field(repr=False)
    seconds: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class ReplyConstrained:
    """The model is held to a grammar in this reply; *rendering* is what the service was told."""

    rendering: str


@dataclass(frozen=True, slots=True)
class HistoryCompacted:
    """Old messages were shortened or summed up; *before* is the conversation as it was."""

    before: tuple[Message, ...] = field(repr=False)
    after: tuple[Message, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class CompactionFailed:
    """Old turns were to be summed up, and the model gave no summary: they stay as they are."""

    error: Exception


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The last event of every turn."""

    result: TurnResult[Any]


TurnEvent = (
    StateChanged
    | StepStarted
    | StepEnded
    | ReasoningStarted
    | ReasoningEnded
    | ToolUpdated
    | ToolProgressed
    | ApprovalAsked
    | Decided
    | MessageAppended
    | HistoryCompacted
    | CompactionFailed
    | ReplyConstrained
    | TurnEnded
)
#: Everything that ``session.stream`` yields.
SessionEvent = Event | TurnEvent
