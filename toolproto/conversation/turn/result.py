"""What came of a turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, Self

from ...protocol.errors import UsageError
from ...protocol.messages import CallProblem, Message, ToolCall, ToolResult, Usage
from ..deciding.approvals import ApprovalRequest, Decision
from .not_run import NotRun, not_run
from .result_card import as_card, in_a_line

__all__ = ["CallRecord", "StepRecord", "TurnResult", "TurnStats", "TurnStatus", "answer_in"]

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    #: ``TurnResult`` alone is that of a turn without ``output=``; a type checker has to know that.
    T_co = TypeVar("T_co", covariant=True, default=None)
else:
    from typing import TypeVar

    T_co = TypeVar("T_co", covariant=True)

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
class StepRecord:
    """One request of the turn and the calls it led to.

    A summary of earlier turns that it needed is counted in. *cost* is None where no price is known
    for the *model* that was asked, or the service did not say how many tokens it took. *diff* is
    what its calls changed in files, as a unified diff. *native*: the tools went to the service in
    its own way, not in a paradigm.
    """

    number: int
    usage: Usage = field(default_factory=Usage)
    finish_reason: str | None = None
    cost: float | None = None
    diff: str = field(default="", repr=False)
    model: str = ""
    native: bool = False


@dataclass(frozen=True, slots=True)
class TurnStats:
    """What a turn took."""

    requests: int = 0
    calls: int = 0
    failed_calls: int = 0
    reasks: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, repr=False)
class TurnResult(Generic[T_co]):
    """How a turn ended, and everything that was said in it.

    :attr:`text` is the answer; *partial_text* is the part of it that exists, however the turn
    ended. *transcript* holds every message of the turn; the first is the user's, unless the turn
    *resumed* a pending one. ``transcript[answer]`` is the answer alone; the messages before it are
    the talk with tools. *problems* are calls that could not even be read. With the status
    ``"pending"``, *pending* says which calls wait; with ``"aborted"``, ``"error"`` and
    ``"timeout"``, *error* says why. *steps* are the requests, with what each of them cost.
    *partial_output* is the structured answer, if there is one; :attr:`output` is the same for a
    turn that has ended well.
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
    steps: tuple[StepRecord, ...] = ()
    partial_output: Any = None

    def __repr__(self) -> str:
        return f"<TurnResult {in_a_line(self)}>"

    def _repr_html_(self) -> str:
        """A small card, for notebooks."""
        return as_card(self)

    @property
    def text(self) -> str:
        """The answer; if the turn has no answer, its error is raised."""
        if self.pending and self.error is None:
            waiting = ", ".join(request.call.id for request in self.pending)
            raise UsageError(
                f"the turn has no answer yet: calls wait for a decision ({waiting}); resume() it, "
                "or read partial_text"
            )
        return self.raise_for_status().partial_text

    @property
    def output(self) -> T_co:
        """The answer in the form of ``output=``; None if no form was asked for.

        If the turn has no answer, its error is raised.
        """
        self.text  # noqa: B018 (raises what went wrong)
        found: T_co = self.partial_output
        return found

    @property
    def not_run(self) -> tuple[NotRun, ...]:
        """The calls of the turn that did not run, and why, whatever the model says of them.

        Left out are those that ran when the model wrote them again, and those that wait.
        """
        return tuple(not_run([record.result for record in self.calls]))

    @property
    def ok(self) -> bool:
        """Whether the turn came to an answer, and all that was called ran."""
        return self.status == "completed" and not self.not_run

    @property
    def cost(self) -> float | None:
        """The cost of all requests together; None if that of one is not known."""
        costs = [step.cost for step in self.steps if step.cost is not None]
        return sum(costs) if costs and len(costs) == len(self.steps) else None

    @property
    def chatter(self) -> tuple[Message, ...]:
        """The talk with tools between the user's message and the answer."""
        return self.transcript[0 if self.resumed else 1 : self.answer.start]

    def raise_for_status(self) -> Self:
        """Raise *error* if there is one; otherwise return the result."""
        if self.error is not None:
            raise self.error
        return self


def answer_in(transcript: Sequence[Message]) -> slice:
    """Where the answer stands: the last thing the model said without calling anything."""
    for at in range(len(transcript) - 1, -1, -1):
        if transcript[at].role == "assistant":
            return slice(at, at + 1) if not transcript[at].calls else slice(at + 1, at + 1)
    return slice(len(transcript), len(transcript))
