"""How a call of a reply ends: its result, past hooks and reviewer, for the model and for people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...protocol.errors import TurnCancelled, UsageError
from ...protocol.guard.taint import marked
from ...protocol.messages import CallProblem, ProblemKind, ToolCall, ToolResult
from ...protocol.paradigms.corrections import corrected
from ...protocol.paradigms.retelling import unusable
from ...protocol.tools.define import Tool
from ...protocol.tools.outcome import bounded, result_of
from ..deciding.answers import Verdict
from ..deciding.approvals import (
    Defer,
    Deny,
    approval_request,
)
from ..hooks import overriding
from .checking import Checks
from .commands import Emit, Flow, Hook, Review, perform
from .events import Decided, ToolStatus, ToolUpdated
from .not_run import saying_why, why_not
from .on_its_way import CallState, OnItsWay
from .patches import CHANGE
from .result import CallRecord
from .setup import Conversation, TurnSetup

__all__ = ["UNKNOWN_OUTCOME", "CallResults", "after_review"]

UNKNOWN_OUTCOME = (
    "outcome unknown: this call was started, and the program ended before it was done. It may or "
    "may not have taken effect, and was not run again; find out before you repeat it"
)
_TO_REVIEW = "it ran, and its result waits for a review"
_NOTHING: Mapping[str, Any] = {}


@dataclass(slots=True)
class CallResults:
    """Settles the calls of one reply, which are on their *ways* by id.

    *tools* are as they were when they were last looked at: a hook or an approver may take some
    away. *useless* counts the calls that could not be used.
    """

    setup: TurnSetup
    conversation: Conversation
    ways: Mapping[str, OnItsWay]
    tools: dict[str, Tool]
    checks: Checks
    useless: int = 0

    @property
    def all(self) -> list[OnItsWay]:
        """The calls, in their order."""
        return list(self.ways.values())

    def give_up(
        self, why: str, metadata: Mapping[str, Any] = _NOTHING, reason: str | None = None
    ) -> Flow[None]:
        """Answer whatever has no result yet with an error: the turn cannot go on.

        *reason* is what a person is told, *why* if it is None, nothing if the person knows.
        """
        for way in self.all:
            if way.state is CallState.SETTLED:
                continue
            said, told_people = f"not run: {why}", why if reason is None else reason
            # Whoever reviews results has not seen this one.
            if way.outcome is not None or way.unreviewed is not None:
                said, told_people = f"it ran to its end, but its result is not shown: {why}", ""
            elif way.id in self.conversation.started | self.conversation.begun:
                said = f"stopped before it was done: {why}; it may have taken effect"
                told_people = ""
            told = ToolResult(way.call, said, is_error=True, metadata=metadata, trusted=True)
            yield from self.settled(way, saying_why(told, told_people))

    def finished(self, way: OnItsWay, result: ToolResult) -> Flow[None]:
        """Take *result* on its way to the model, through the hooks and the reviewer."""
        for hook in overriding(self.setup.hooks, "after_tool"):
            answer = yield from perform(Hook(hook, (result,)))
            if answer is not None and not isinstance(answer, ToolResult):
                raise UsageError(f"after_tool answered {answer!r}; expected a ToolResult or None")
            result = result if answer is None else result_of(result.call, answer)
        limit = self.setup.limits.result_characters
        result = bounded(result, limit)
        review = (yield from perform(Review(result))) if self.setup.reviewed else None
        if isinstance(review, Defer):
            way.review(result, approval_request(result.call, self.tool(result.call), _TO_REVIEW))
            return
        yield from self.settled(way, bounded(after_review(result, review), limit))
        if isinstance(review, Deny):
            self.stop_if(review.stop, result.call, review.reason)

    def reviewed(self, way: OnItsWay, verdict: Verdict) -> Flow[None]:
        """Settle the result that waited for a review, as *verdict* will have it."""
        request, result = way.question, way.unreviewed
        assert request is not None and result is not None
        if isinstance(verdict, str | ToolResult):
            result = bounded(result_of(result.call, verdict), self.setup.limits.result_characters)
        else:
            yield Emit(Decided(request, verdict))
            result = after_review(result, verdict if isinstance(verdict, Deny) else None)
        yield from self.settled(way, result)
        if isinstance(verdict, Deny):
            self.stop_if(verdict.stop, request.call, verdict.reason)

    def stop_if(self, stop: bool, call: ToolCall, reason: str) -> None:
        """End the turn if somebody who said no to *call* wants that."""
        if stop:
            raise TurnCancelled(f"{call.name} was denied, which stops the turn: {reason}")

    def denied(
        self, way: OnItsWay, why: str, reason: str = "", mark: str = "not run: "
    ) -> Flow[None]:
        """Settle a call that does not run; the model is told *why*, a person *reason*."""
        if way.id in self.conversation.begun:
            return (yield from self._unknown(way))
        told = ToolResult(way.call, f"{mark}{why}", is_error=True, trusted=True)
        yield from self.settled(way, saying_why(told, reason or why))

    def unusable(self, way: OnItsWay, problem: CallProblem, reason: str = "") -> Flow[None]:
        """Settle a call that cannot be used; the model is told what to write instead."""
        if way.id in self.conversation.begun:
            return (yield from self._unknown(way))
        self.useless += 1
        paradigm, metadata = self.setup.paradigm, _NOTHING
        if paradigm.teaching.corrections and problem.kind is not ProblemKind.DOUBTED:
            metadata = unusable(corrected(way.call, problem, self.checks.taught))
        said = paradigm.format_problem(problem)
        told = ToolResult(way.call, said, is_error=True, metadata=metadata, trusted=True)
        why = reason or why_not(problem)
        yield from self.settled(way, saying_why(told, why, is_mistake=not reason))

    def _unknown(self, way: OnItsWay) -> Flow[None]:
        """Settle a call that was run before the turn broke off, though it would not run now."""
        told = ToolResult(way.call, UNKNOWN_OUTCOME, is_error=True, trusted=True)
        yield from self.settled(way, told)

    def settled(self, way: OnItsWay, result: ToolResult) -> Flow[None]:
        """End the way of a call: *result* is what the model is told."""
        if result.trusted is None or not result.is_error:
            result = marked(result, self.tools.get(result.call.name), self.setup.guard)
        if way.edited:
            result = replace(result, content=way.edited + result.content)
        outcome = way.outcome
        record = CallRecord(
            result.call,
            result,
            way.decision,
            outcome.seconds if outcome else None,
            outcome.started if outcome else None,
        )
        way.settle(result, record)
        status = ToolStatus.ERROR if result.is_error else ToolStatus.COMPLETED
        yield Emit(ToolUpdated(result.call, status, result))

    def tool(self, call: ToolCall) -> Tool:
        """Return the tool of *call* as it is now, or as it was before it was taken away."""
        return self.setup.tools.get(call.name) or self.tools[call.name]


def after_review(result: ToolResult, review: ToolResult | Deny | None) -> ToolResult:
    """Return *result* as somebody who reviewed it lets the model see it."""
    match review:
        case ToolResult():
            return result_of(result.call, review)
        case Deny(reason):
            withheld = f"the result is withheld: {reason}"
            change = {name: each for name, each in result.metadata.items() if name == CHANGE}
            return ToolResult(result.call, withheld, is_error=True, metadata=change)
    return result
