"""From the calls of a reply to their results: checked, decided about, run, reviewed.

Every call ends in exactly one result, whatever happens on the way, so that a conversation never
holds a call that nothing answers. Only a call somebody must still decide about has none yet.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from ...protocol.deciding.decisions import (
    Facts,
    Question,
    Refusal,
    Ruling,
    Run,
    Topic,
    Yes,
    decide,
    reason_for,
)
from ...protocol.deciding.pins import Grant, pin_of
from ...protocol.errors import LimitReached, TurnCancelled, UsageError
from ...protocol.guard.concerns import Concern
from ...protocol.guard.echo import doubted_echo, echo_of
from ...protocol.guard.passages import Found
from ...protocol.guard.taint import barred_left, denial, marked
from ...protocol.messages import CallProblem, Message, ProblemKind, ToolCall, ToolResult
from ...protocol.paradigms.corrections import corrected
from ...protocol.paradigms.retelling import IN_CIRCLES, unusable
from ...protocol.schemas.work import Work, purse, takes_long
from ...protocol.tools.check import doubted_call
from ...protocol.tools.define import Tool
from ...protocol.tools.outcome import bounded, result_of, says_that_it_failed
from ...protocol.tools.spec import ToolOffer
from ..deciding.answers import Verdict, effect_of
from ..deciding.approvals import (
    Allow,
    ApprovalRequest,
    Decision,
    Defer,
    Deny,
    approval_request,
    call_digest,
)
from ..hooks import overriding
from .checking import Checks
from .commands import Ask, Compute, Emit, Flow, Hook, Invoke, Review, Settle, perform
from .events import ApprovalAsked, Decided, ToolStatus, ToolUpdated
from .not_run import saying_why, why_not
from .on_its_way import CallState, OnItsWay
from .patches import CHANGE
from .result import CallRecord
from .setup import Conversation, Pending, Terms, TurnSetup

__all__ = ["Settling", "after_review"]

_FROM_ELSEWHERE = "its result comes from elsewhere"
_TO_REVIEW = "it ran, and its result waits for a review"
_GONE = "this tool is not there any more"
_NOTHING: Mapping[str, Any] = {}
#: A tool that is another one after every question is no tool to be run.
_MOST_ASKED = 8
#: Of all calls that go in circles; what is barred must be told of when each is asked about.
_MOST_CONCERNS = 16


@dataclass(slots=True)
class Settling:
    """The calls of one reply on their way to results."""

    setup: TurnSetup
    conversation: Conversation
    offer: ToolOffer
    message: Message
    calls: tuple[ToolCall, ...]
    #: Calls of this turn, by digest, of which the model was asked whether it meant them.
    questioned: set[str] = field(default_factory=set)
    #: Calls, by digest, that ran beside one that failed: a model often writes all of them again.
    done: set[str] = field(default_factory=set)
    _ways: dict[str, OnItsWay] = field(init=False)
    # As they were when they were last looked at: a hook or an approver may take some away.
    _tools: dict[str, Tool] = field(init=False)
    _checks: Checks = field(init=False)
    # Somebody goes on with calls that waited, and can be asked again in the same way.
    _is_resumed: bool = False
    _useless: int = 0

    def __post_init__(self) -> None:
        self._ways = {call.id: OnItsWay(call) for call in self.calls}
        self._tools = dict(self.setup.tools)
        is_alone = len(self.calls) == 1
        self._checks = Checks(
            self.setup, self.offer, self._tools, is_alone, self.questioned, self.done
        )

    @classmethod
    def again(
        cls, setup: TurnSetup, conversation: Conversation, offer: ToolOffer, pending: Pending
    ) -> Settling:
        """Return the calls of an earlier turn that were left waiting."""
        settling = cls(setup, conversation, offer, pending.message, pending.calls)
        settling._is_resumed = True
        for id, way in settling._ways.items():
            way.decision = pending.decisions.get(id)
            if result := pending.results.get(id):
                way.state, way.result = CallState.SETTLED, result
            elif question := pending.waiting.get(id):
                way.call, way.question = question.call, question
                way.unreviewed = pending.unreviewed.get(id)
                way.state = CallState.TO_REVIEW if way.unreviewed else CallState.WAITING
                echoes = (each for each in question.concerns if each.kind == "echo")
                way.echo = next((Found(each.source, each.quote) for each in echoes), None)
            else:
                way.call = pending.held.get(id, way.written)
        return settling

    def questions(self) -> Iterator[ApprovalRequest]:
        """Yield the questions about the calls that wait, as they are to be asked now."""
        for way in self._all:
            if way.state is CallState.WAITING and way.call.name in self._tools:
                ruling = self._ruled(way)
                open_now = ruling if isinstance(ruling, Question) else Question("person", ())
                yield self._request(way, open_now)

    # -- the two ways in -----------------------------------------------------------------

    def settle(self) -> Flow[None]:
        """Take every call as far as it gets: to a result, or to waiting for a decision."""
        for call in self.calls:
            yield Emit(ToolUpdated(call, ToolStatus.PENDING))
        # One purse for all: otherwise a hundred small calls could cost a hundred times as much.
        looked_at = self.calls[: self.setup.limits.calls]
        work = Work(purse(call.arguments for call in looked_at))
        for at, way in enumerate(self._all):
            yield from self._prepared(way, at, work)
        yield from self._look_for_circles()
        yield from self._go_on()

    def decide(self, verdicts: Mapping[str, Verdict]) -> Flow[None]:
        """Go on with calls that waited; those *verdicts* says nothing of wait on."""
        for way in self._all:
            verdict = verdicts.get(way.id, Defer())
            if way.question is None or isinstance(verdict, Defer):
                continue
            if way.state is CallState.TO_REVIEW:
                yield from self._reviewed(way, verdict)
            else:
                yield from self._answered_late(way, way.question, verdict)
        yield from self._go_on()

    def give_up(
        self, why: str, metadata: Mapping[str, Any] = _NOTHING, reason: str | None = None
    ) -> Flow[None]:
        """Answer whatever has no result yet with an error: the turn cannot go on.

        *reason* is what a person is told, *why* if it is None, nothing if the person knows.
        """
        for way in self._all:
            if way.state is CallState.SETTLED:
                continue
            said, told_people = f"not run: {why}", why if reason is None else reason
            # Whoever reviews results has not seen this one.
            if way.outcome is not None or way.unreviewed is not None:
                said, told_people = f"it ran to its end, but its result is not shown: {why}", ""
            elif way.id in self.conversation.started:
                said = f"stopped before it was done: {why}; it may have taken effect"
                told_people = ""
            told = ToolResult(way.call, said, is_error=True, metadata=metadata, trusted=True)
            yield from self._settled(way, saying_why(told, told_people))

    # -- what came of it -----------------------------------------------------------------

    @property
    def usable(self) -> bool:
        """Whether any of the calls could be used."""
        return self._useless < len(self.calls)

    def pending(self, terms: Terms) -> Pending | None:
        """Return what is left to decide, for a later turn on these *terms*; None if nothing."""
        waiting = {way.id: way.question for way in self._all if way.question}
        if not waiting:
            return None
        return Pending(
            self.message,
            self.calls,
            waiting,
            {way.id: way.result for way in self._all if way.result},
            {way.id: way.decision for way in self._all if way.decision},
            terms,
            {way.id: way.unreviewed for way in self._all if way.unreviewed},
            {way.id: way.call for way in self._all if way.state is CallState.PENDING},
        )

    def done_now(self, failed: bool) -> set[str]:
        """Return :attr:`done` for the next reply; *failed* if something else in this one did.

        What a person denied did not fail, and is not to be written again.
        """
        good = set()
        for record in self.records():
            if not says_that_it_failed(record.result):
                good.add(call_digest(record.call))
            elif not isinstance(record.decision, Deny):
                failed = True
        return self.done | good if failed else set()

    def in_order(self) -> list[ToolResult]:
        """Return the results, in the order of the calls."""
        return [way.result for way in self._all if way.result]

    def records(self) -> list[CallRecord]:
        """Return what this turn did about the calls, in their order."""
        return [way.record for way in self._all if way.record]

    # -- before anything runs ------------------------------------------------------------

    @property
    def _all(self) -> list[OnItsWay]:
        return list(self._ways.values())

    def _prepared(self, way: OnItsWay, at: int, work: Work) -> Flow[None]:
        """Check the call and show it to the hooks; what cannot run has its result then."""
        checked: ToolCall | ToolResult | CallProblem
        checked = yield from self._checking(self._followed(way), at, work)
        if isinstance(checked, ToolCall):
            checked = yield from self._hooked(checked)
        match checked:
            case CallProblem():
                yield from self._unusable(way, checked)
            case ToolResult():
                yield from self._finished(way, checked)
            case _:
                way.call, way.is_checked = checked, True

    def _followed(self, way: OnItsWay) -> ToolCall:
        """Return the call, with a doubt if somebody else wrote it first."""
        if self.setup.guard.echo:
            way.echo = echo_of(way.call, self.conversation.sources.strangers)
        return doubted_echo(way.call, way.echo)

    def _checking(
        self, call: ToolCall, at: int = 0, work: Work | None = None
    ) -> Flow[ToolCall | CallProblem]:
        """Return *call* checked, and not on an event loop if that may take long."""
        work = work or Work(purse([call.arguments]))
        if not takes_long(work.visits):
            return self._checks.check(call, at, work)
        return (yield from perform(Compute(partial(self._checks.check, call, at, work))))

    def _hooked(self, call: ToolCall) -> Flow[ToolCall | ToolResult | CallProblem]:
        for hook in overriding(self.setup.hooks, "before_tool"):
            # The hook gets its own copy: what it returns is checked, what it does to this is not.
            answer = yield from perform(Hook(hook, (call.detached(), self._tool(call))))
            if isinstance(answer, ToolResult):
                return result_of(call, answer)
            if isinstance(answer, ToolCall):
                checked = yield from self._checking(replace(answer, id=call.id))
                if isinstance(checked, CallProblem):
                    return checked
                call = checked
            elif answer is not None:
                raise UsageError(
                    f"before_tool answered {answer!r}; expected a call, a result or None"
                )
        return call

    def _checked_again(self, way: OnItsWay) -> Flow[bool]:
        """Return True if a call that waited is still sound.

        Its tool may be another one by now, and the call may come from a session's file.
        """
        way.is_checked = True
        if way.call.name not in self._tools:
            gone = ToolResult(way.call, _GONE, is_error=True, trusted=True)
            yield from self._settled(way, saying_why(gone, _GONE))
            return False
        checked = yield from self._checking(way.call)
        if isinstance(checked, CallProblem):
            yield from self._unusable(way, checked)
            return False
        way.call = checked
        return True

    # -- circles: one question for all calls of the reply ----------------------------------

    @property
    def _open(self) -> list[OnItsWay]:
        return [way for way in self._all if way.is_open]

    def _look_for_circles(self) -> Flow[None]:
        """Ask whether the model may go on if this step repeats what was called before."""
        ways = self._open
        reason = self.conversation.doom_loop.goes_on([way.call for way in ways]) if ways else ""
        if not reason:
            return
        request = self._about_circles(reason) if self.setup.attended else None
        if request is None:
            return (yield from self._stop_circles(reason))
        verdict = yield from self._asked(request)
        yield from self._loop_answered(self._ways[request.call.id], request, verdict)

    def _about_circles(self, circles: str) -> ApprovalRequest | None:
        """Return the question whether to go on in *circles*; None if no call may run at all.

        It shows the first call that would be asked about anyway, and what concerns any of them.
        """
        ruled = [(way, self._ruled(way)) for way in self._open]
        able = [each for each in ruled if not isinstance(each[1], Refusal)]
        if not able:
            return None
        way, ruling = next((each for each in able if isinstance(each[1], Question)), able[0])
        concerns = dict.fromkeys(each for other, _ in able for each in self._concerns(other))
        tool, reason = self._tool(way.call), circles
        if isinstance(ruling, Question):
            reason = f"{reason_for(tool, ruling.topics)}, and {circles}"
        asked = (Topic("loop", circles, circles),)
        return approval_request(way.call, tool, reason, [*concerns][:_MOST_CONCERNS], asked)

    def _loop_answered(
        self, way: OnItsWay, request: ApprovalRequest, verdict: Verdict
    ) -> Flow[None]:
        """Do what *verdict* says about going on in circles: it says nothing about any call."""
        effect = effect_of(request, verdict)
        if effect.fate == "waits":
            way.wait(request)
            return
        circles = request.asked[0].reason
        if effect.fate == "is denied":
            return (yield from self._stop_circles(circles, request))
        if isinstance(verdict, str | ToolResult):
            # That is the result of one call. Whether the others go on is still to be said.
            yield from self._finished(way, result_of(request.call, verdict))
            if (rest := self._about_circles(circles)) is not None:
                self._ways[rest.call.id].wait(rest)
            return
        loop = self.conversation.doom_loop
        loop.forget()
        if effect.grants:
            loop.tolerate([each.call for each in self._open])
        if way.state is CallState.WAITING:
            way.go_on()
        if isinstance(verdict, Allow) and verdict.instead is not None:
            yield from self._changed(way, verdict.instead)

    def _stop_circles(self, circles: str, request: ApprovalRequest | None = None) -> Flow[None]:
        """Run none of the calls; the turn ends if somebody was asked, or the second time."""
        advice = f"{circles}; make a call once, use the results you have and answer"
        yield from self.give_up(advice, IN_CIRCLES, circles)
        if self.conversation.doom_loop.deny() or request is not None:
            raise LimitReached(f"the turn was stopped: {circles}", "repetition")

    # -- each call: decided about -----------------------------------------------------------

    def _go_on(self) -> Flow[None]:
        """Take every call that waits for nothing as far as it gets."""
        if any(way.waits_for == "loop" for way in self._all):
            return
        cleared: list[OnItsWay] = []
        waits: list[OnItsWay] = []
        for way in self._all:
            is_next = way.state is CallState.PENDING and not self._is_behind(way, waits)
            if is_next and (yield from self._cleared(way)):
                cleared.append(way)
            elif way.is_open:
                waits.append(way)
        yield from self._run(cleared)

    def _is_behind(self, way: OnItsWay, waits: Iterable[OnItsWay]) -> bool:
        """Return True if the call comes after one that waits, and they run in their order."""
        return any("in_order" in (self._ordering(way), self._ordering(each)) for each in waits)

    def _cleared(self, way: OnItsWay) -> Flow[bool]:
        """Return True if the call may run now, after asking whoever has to be asked."""
        if not way.is_checked and not (yield from self._checked_again(way)):
            return False
        for _ in range(_MOST_ASKED):
            ruling = self._ruled(way)
            tool = self._tool(way.call)
            match ruling:
                case Run():
                    self._grant(way, tool)
                    way.tool = tool
                    if tool.function is None:
                        way.wait(self._request(way, Question("person", ())))
                    return tool.function is not None
                case Refusal(reason, advice, topics=()):
                    if way.answered is None:
                        way.decision = Deny(reason)
                    yield from self._denied(way, advice, reason)
                    return False
                case Question("model"):
                    self.questioned.add(call_digest(way.call))
                    reason = reason_for(tool, ruling.topics)
                    yield from self._unusable(way, doubted_call(way.call), reason)
                    return False
            request = self._request(way, ruling)
            waits = self._is_resumed and not self.setup.attended
            if tool.function is None or waits:
                way.wait(request)
                return False
            # Where nobody is there the driver says no, unless a turn that broke off is told again.
            verdict = yield from self._asked(request)
            yield from self._answered(way, request, verdict)
            if way.state is not CallState.PENDING:
                return False
        yield from self._denied(way, "its tool was another one whenever it was asked about")
        return False

    def _ruled(self, way: OnItsWay) -> Ruling:
        """Return what is decided about the call, as far as is known now."""
        tool = self._tools[way.call.name] = self._tool(way.call)
        if way.is_own and not self.setup.policy.denies(tool):
            return Run()
        attended = self.setup.attended or self._is_resumed or tool.function is None
        return decide(
            Facts(
                way.call,
                tool,
                self.setup.policy,
                tuple(self._concerns(way)),
                self.conversation.granted.get(tool.name),
                way.answered,
                attended,
                self._checks.was_told(way.call),
            )
        )

    def _request(self, way: OnItsWay, ruling: Question | Refusal) -> ApprovalRequest:
        """Return the question about the call, which lists all that is open."""
        tool, topics = self._tool(way.call), ruling.topics
        reason = reason_for(tool, topics) if topics else ""
        if tool.function is None:
            reason = "; ".join(filter(None, [_FROM_ELSEWHERE, reason]))
        concerns = self._concerns(way)
        before = ruling.before if isinstance(ruling, Question) else None
        return approval_request(way.call, tool, reason, concerns, topics, before)

    def _concerns(self, way: OnItsWay) -> list[Concern]:
        sources, tool = self.conversation.sources, self._tool(way.call)
        sources.hear_tools(self._tools.values())
        return sources.concerns(way.call, tool, self.setup.guard, way.echo)

    def _asked(self, request: ApprovalRequest) -> Flow[Decision]:
        yield Emit(ApprovalAsked(request))
        decision = yield from perform(Ask(request))
        yield Emit(Decided(request, decision))
        return decision

    def _answered_late(
        self, way: OnItsWay, request: ApprovalRequest, verdict: Verdict
    ) -> Flow[None]:
        """Do what *verdict* says, as if it had come at once."""
        if not isinstance(verdict, str | ToolResult):
            yield Emit(Decided(request, verdict))
        if request.kind == "loop":
            yield from self._loop_answered(way, request, verdict)
        elif isinstance(verdict, str | ToolResult):
            yield from self._finished(way, result_of(request.call, verdict))
        else:
            yield from self._answered(way, request, verdict)

    def _answered(self, way: OnItsWay, request: ApprovalRequest, verdict: Decision) -> Flow[None]:
        """Take note of *verdict*; with a yes, what is open is decided anew."""
        way.decision = verdict
        effect = effect_of(request, verdict, stop_on_deny=self.setup.policy.stop_on_deny)
        match verdict:
            case Defer():
                way.wait(request)
            case Deny(reason):
                yield from self._denied(way, reason)
                self._stop_if(effect.ends == "stopped", way.call, reason)
            case Allow(instead, _, vouched):
                if way.state is CallState.WAITING:
                    way.go_on()
                if instead is None and call_digest(request.call) != request.digest:
                    yield from self._denied(way, "it is not what was approved")
                    return
                way.grants = effect.grants
                pin = request.pin or pin_of(self._tool(way.call))
                way.answered = Yes(request.asked, pin, vouched)
                # What was edited was the call of a tool as it was asked about.
                if instead is not None and not self._has_changed(request, instead):
                    if barred := barred_left(
                        self._concerns(way), way.call, request.tool, vouched, instead
                    ):
                        yield from self._denied(way, denial(barred))
                    elif (yield from self._changed(way, instead)):
                        way.is_own = True

    def _has_changed(self, request: ApprovalRequest, instead: ToolCall) -> bool:
        now = self.setup.tools.get(request.call.name)
        is_same = now is None or request.pin is None or pin_of(now) == request.pin
        return not is_same and instead.name == request.call.name

    def _changed(self, way: OnItsWay, instead: ToolCall) -> Flow[bool]:
        """Return True if the call is now the one that a person wrote *instead*."""
        checked = yield from self._checking(replace(instead, id=way.id))
        if isinstance(checked, CallProblem):
            yield from self._denied(way, checked.message, mark="not run as changed by the user: ")
            return False
        if self.setup.policy.denies(self._tool(checked)):
            yield from self._denied(way, f"{checked.name} is not allowed here")
            return False
        way.edited = f"[the user changed the call to {_written(checked)}]\n"
        way.call, way.is_checked = checked, True
        return True

    def _grant(self, way: OnItsWay, tool: Tool) -> None:
        """Remember that the tool, as it is, was approved for good, if that was said."""
        if way.grants:
            grant = Grant(pin_of(tool), plain_only=way.grants == "plain calls")
            self.conversation.granted[tool.name] = grant
            way.grants = ""

    # -- running, and after --------------------------------------------------------------

    def _run(self, ways: Iterable[OnItsWay]) -> Flow[None]:
        """Run what was decided about, just that, and once."""
        for batch in self._batches(list(ways)):
            due: list[OnItsWay] = []
            for way in batch:
                if (yield from self._is_due(way)):
                    due.append(way)
            yield from self._run_together(due)

    def _is_due(self, way: OnItsWay) -> Flow[bool]:
        """Return True if the call is still to be run: others were asked about since."""
        if way.id in self.conversation.started:
            yield from self._denied(way, "it already ran")
            return False
        now, before = self.setup.tools.get(way.call.name), way.tool
        if now is None or before is None or now is before or pin_of(now) == pin_of(before):
            return True
        return (yield from self._cleared(way))

    def _ordering(self, way: OnItsWay) -> str:
        tool = self._tools.get(way.call.name)  # it may have been taken away meanwhile
        return (tool and tool.ordering) or self.setup.ordering

    def _batches(self, ways: Sequence[OnItsWay]) -> list[list[OnItsWay]]:
        """Return *ways* in the order they are to run; those in one list run at the same time."""
        batches: list[list[OnItsWay]] = []
        joins = False
        for way in ways:
            is_parallel = self._ordering(way) == "parallel"
            if joins and is_parallel:
                batches[-1].append(way)
            else:
                batches.append([way])
            joins = is_parallel
        return batches

    def _run_together(self, ways: Sequence[OnItsWay]) -> Flow[None]:
        if not ways:
            return
        yield Invoke(tuple(way.call for way in ways), self.message)
        for way in ways:
            way.to(CallState.RUNNING)
            self.conversation.started.add(way.id)
            yield Emit(ToolUpdated(way.call, ToolStatus.RUNNING))
        for _ in ways:
            outcome = yield from perform(Settle())
            way = self._ways[outcome.result.call.id]
            way.outcome = outcome
            yield from self._finished(way, outcome.result)

    def _finished(self, way: OnItsWay, result: ToolResult) -> Flow[None]:
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
            way.review(result, approval_request(result.call, self._tool(result.call), _TO_REVIEW))
            return
        yield from self._settled(way, bounded(after_review(result, review), limit))
        if isinstance(review, Deny):
            self._stop_if(review.stop, result.call, review.reason)

    def _reviewed(self, way: OnItsWay, verdict: Verdict) -> Flow[None]:
        """Settle the result that waited for a review, as *verdict* will have it."""
        request, result = way.question, way.unreviewed
        assert request is not None and result is not None
        if isinstance(verdict, str | ToolResult):
            result = bounded(result_of(result.call, verdict), self.setup.limits.result_characters)
        else:
            yield Emit(Decided(request, verdict))
            result = after_review(result, verdict if isinstance(verdict, Deny) else None)
        yield from self._settled(way, result)
        if isinstance(verdict, Deny):
            self._stop_if(verdict.stop, request.call, verdict.reason)

    def _stop_if(self, stop: bool, call: ToolCall, reason: str) -> None:
        """End the turn if somebody who said no to *call* wants that."""
        if stop:
            raise TurnCancelled(f"{call.name} was denied, which stops the turn: {reason}")

    def _denied(
        self, way: OnItsWay, why: str, reason: str = "", mark: str = "not run: "
    ) -> Flow[None]:
        """Settle a call that does not run; the model is told *why*, a person *reason*."""
        told = ToolResult(way.call, f"{mark}{why}", is_error=True, trusted=True)
        yield from self._settled(way, saying_why(told, reason or why))

    def _unusable(self, way: OnItsWay, problem: CallProblem, reason: str = "") -> Flow[None]:
        """Settle a call that cannot be used; the model is told what to write instead."""
        self._useless += 1
        paradigm, metadata = self.setup.paradigm, _NOTHING
        if paradigm.teaching.corrections and problem.kind is not ProblemKind.DOUBTED:
            metadata = unusable(corrected(way.call, problem, self._checks.taught))
        said = paradigm.format_problem(problem)
        told = ToolResult(way.call, said, is_error=True, metadata=metadata, trusted=True)
        why = reason or why_not(problem)
        yield from self._settled(way, saying_why(told, why, is_mistake=not reason))

    def _settled(self, way: OnItsWay, result: ToolResult) -> Flow[None]:
        if result.trusted is None or not result.is_error:
            result = marked(result, self._tools.get(result.call.name), self.setup.guard)
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

    def _tool(self, call: ToolCall) -> Tool:
        """Return the tool of *call* as it is now, or as it was before it was taken away."""
        return self.setup.tools.get(call.name) or self._tools[call.name]


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


def _written(call: ToolCall) -> str:
    return f"{call.name} {json.dumps(dict(call.arguments), ensure_ascii=False, default=str)}"[
        :2_000
    ]
