"""Whether the calls of a reply may run: decided, after asking whoever has to be asked.

What is decided is :func:`~toolproto.protocol.deciding.decisions.decide`'s; here is who is asked,
when, and what becomes of the answer, at once or later.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

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
from ...protocol.errors import LimitReached
from ...protocol.guard.concerns import Concern
from ...protocol.guard.taint import barred_left, denial
from ...protocol.messages import CallProblem, ToolCall, ToolResult
from ...protocol.paradigms.retelling import IN_CIRCLES
from ...protocol.schemas.work import Work, purse, takes_long
from ...protocol.tools.check import doubted_call
from ...protocol.tools.define import Tool
from ...protocol.tools.outcome import result_of
from ..deciding.answers import Verdict, effect_of
from ..deciding.approvals import (
    Allow,
    ApprovalRequest,
    Decision,
    Defer,
    Deny,
    EarlierAnswer,
    approval_request,
    call_digest,
)
from .call_results import CallResults
from .commands import Ask, Compute, Emit, Flow, perform
from .events import ApprovalAsked, Decided
from .on_its_way import CallState, OnItsWay
from .setup import Conversation, TurnSetup

__all__ = ["Clearing"]

_FROM_ELSEWHERE = "its result comes from elsewhere"
_GONE = "this tool is not there any more"
#: A tool that is another one after every question is no tool to be run.
_MOST_ASKED = 8
#: Of all calls that go in circles; what is barred must be told of when each is asked about.
_MOST_CONCERNS = 16


@dataclass(slots=True)
class Clearing:
    """Clears the calls of one reply, and settles in *results* those that do not run.

    *is_resumed*: somebody goes on with calls that waited, and can be asked again in the same way.
    """

    setup: TurnSetup
    conversation: Conversation
    results: CallResults
    is_resumed: bool = False

    def questions(self) -> Iterator[ApprovalRequest]:
        """Yield the questions about the calls that wait, as they are to be asked now."""
        for way in self.results.all:
            if way.state is CallState.WAITING and way.call.name in self.results.tools:
                ruling = self._ruled(way)
                open_now = ruling if isinstance(ruling, Question) else Question("person", ())
                yield self._request(way, open_now)

    def look_for_circles(self) -> Flow[None]:
        """Ask whether the model may go on if this step repeats what was called before."""
        ways = self._open
        reason = self.conversation.doom_loop.goes_on([way.call for way in ways]) if ways else ""
        if not reason:
            return
        request = self._about_circles(reason) if self.setup.attended else None
        if request is None:
            return (yield from self._stop_circles(reason))
        request, verdict = yield from self._asked(request)
        yield from self._loop_answered(self.results.ways[request.call.id], request, verdict)

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
        tool, reason = self.results.tool(way.call), circles
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
            yield from self.results.finished(way, result_of(request.call, verdict))
            if (rest := self._about_circles(circles)) is not None:
                self.results.ways[rest.call.id].wait(rest)
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
        yield from self.results.give_up(advice, IN_CIRCLES, circles)
        if self.conversation.doom_loop.deny() or request is not None:
            raise LimitReached(f"the turn was stopped: {circles}", "repetition")

    def cleared(self, way: OnItsWay) -> Flow[bool]:
        """Return True if the call may run now, after asking whoever has to be asked."""
        if not way.is_checked and not (yield from self._checked_again(way)):
            return False
        for _ in range(_MOST_ASKED):
            ruling = self._ruled(way)
            tool = self.results.tool(way.call)
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
                    yield from self.results.denied(way, advice, reason)
                    return False
                case Question("model"):
                    self.results.checks.questioned.add(call_digest(way.call))
                    reason = reason_for(tool, ruling.topics)
                    yield from self.results.unusable(way, doubted_call(way.call), reason)
                    return False
            request = self._request(way, ruling)
            waits = self.is_resumed and not self.setup.attended
            waits = waits and way.id not in self.conversation.begun
            if tool.function is None or waits:
                way.wait(request)
                return False
            # Where nobody is there the driver says no, unless a turn that broke off is told again.
            request, verdict = yield from self._asked(request)
            yield from self._answered(way, request, verdict)
            if way.state is not CallState.PENDING:
                return False
        yield from self.results.denied(way, "its tool was another one whenever it was asked about")
        return False

    def checking(
        self, call: ToolCall, at: int = 0, work: Work | None = None
    ) -> Flow[ToolCall | CallProblem]:
        """Return *call* checked, and not on an event loop if that may take long."""
        work = work or Work(purse([call.arguments]))
        if not takes_long(work.visits):
            return self.results.checks.check(call, at, work)
        return (yield from perform(Compute(partial(self.results.checks.check, call, at, work))))

    def _checked_again(self, way: OnItsWay) -> Flow[bool]:
        """Return True if a call that waited is still sound.

        Its tool may be another one by now, and the call may come from a session's file.
        """
        way.is_checked = True
        if way.call.name not in self.results.tools:
            yield from self.results.denied(way, _GONE, mark="")
            return False
        checked = yield from self.checking(way.call)
        if isinstance(checked, CallProblem):
            yield from self.results.unusable(way, checked)
            return False
        way.call = checked
        return True

    def _ruled(self, way: OnItsWay) -> Ruling:
        """Return what is decided about the call, as far as is known now."""
        tool = self.results.tools[way.call.name] = self.results.tool(way.call)
        is_same = way.tool is not None and pin_of(way.tool) == pin_of(tool)
        if way.is_own and is_same and not self.setup.policy.denies(tool):
            return Run()
        attended = self.setup.attended or self.is_resumed or tool.function is None
        return decide(
            Facts(
                way.call,
                tool,
                self.setup.policy,
                tuple(self._concerns(way)),
                self.conversation.granted.get(tool.name),
                way.answered,
                attended,
                self.results.checks.was_told(way.call),
            )
        )

    def _request(self, way: OnItsWay, ruling: Question | Refusal) -> ApprovalRequest:
        """Return the question about the call, which lists all that is open."""
        tool, topics = self.results.tool(way.call), ruling.topics
        reason = reason_for(tool, topics) if topics else ""
        if tool.function is None:
            reason = "; ".join(filter(None, [_FROM_ELSEWHERE, reason]))
        concerns = self._concerns(way)
        before = ruling.before if isinstance(ruling, Question) else None
        return approval_request(way.call, tool, reason, concerns, topics, before)

    def _concerns(self, way: OnItsWay) -> list[Concern]:
        sources, tool = self.conversation.sources, self.results.tool(way.call)
        sources.hear_tools(self.results.tools.values())
        return sources.concerns(way.call, tool, self.setup.guard, way.echo)

    def _asked(self, request: ApprovalRequest) -> Flow[tuple[ApprovalRequest, Decision]]:
        """Return the answer to *request*, and the question that it is an answer to.

        In a turn that broke off, that may have been about another tool.
        """
        yield Emit(ApprovalAsked(request))
        answer = yield from perform(Ask(request))
        if isinstance(answer, EarlierAnswer):
            request = replace(request, digest=answer.digest, asked=answer.asked, pin=answer.pin)
            answer = answer.decision
        yield Emit(Decided(request, answer))
        return request, answer

    def answer(self, way: OnItsWay, request: ApprovalRequest, verdict: Verdict) -> Flow[None]:
        """Do what *verdict* says, as if it had come at once."""
        if not isinstance(verdict, str | ToolResult):
            yield Emit(Decided(request, verdict))
        if request.kind == "loop":
            yield from self._loop_answered(way, request, verdict)
        elif isinstance(verdict, str | ToolResult):
            yield from self.results.finished(way, result_of(request.call, verdict))
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
                yield from self.results.denied(way, reason)
                self.results.stop_if(effect.ends == "stopped", way.call, reason)
            case Allow(instead, _, vouched):
                if way.state is CallState.WAITING:
                    way.go_on()
                if instead is None and call_digest(request.call) != request.digest:
                    yield from self.results.denied(way, "it is not what was approved")
                    return
                pin = request.pin or pin_of(self.results.tool(way.call))
                way.answered = Yes(request.asked, pin, vouched, effect.grants)
                # What was edited was the call of a tool as it was asked about.
                if instead is not None and not self._has_changed(request, instead):
                    if barred := barred_left(
                        self._concerns(way), way.call, request.tool, vouched, instead
                    ):
                        yield from self.results.denied(way, denial(barred))
                    elif (yield from self._changed(way, instead)):
                        way.is_own, way.tool = True, self.results.tool(way.call)

    def _has_changed(self, request: ApprovalRequest, instead: ToolCall) -> bool:
        now = self.setup.tools.get(request.call.name)
        is_same = now is None or request.pin is None or pin_of(now) == request.pin
        return not is_same and instead.name == request.call.name

    def _changed(self, way: OnItsWay, instead: ToolCall) -> Flow[bool]:
        """Return True if the call is now the one that a person wrote *instead*."""
        checked = yield from self.checking(replace(instead, id=way.id))
        if isinstance(checked, CallProblem):
            yield from self.results.denied(
                way, checked.message, mark="not run as changed by the user: "
            )
            return False
        if self.setup.policy.denies(self.results.tool(checked)):
            yield from self.results.denied(way, f"{checked.name} is not allowed here")
            return False
        way.edited = f"[the user changed the call to {_written(checked)}]\n"
        way.call, way.is_checked = checked, True
        return True

    def _grant(self, way: OnItsWay, tool: Tool) -> None:
        """Remember that the tool, as it is, was approved for good, if that was said."""
        if way.answered and way.answered.grants:
            grant = Grant(pin_of(tool), plain_only=way.answered.grants == "plain calls")
            self.conversation.granted[tool.name] = grant

    @property
    def _open(self) -> list[OnItsWay]:
        return [way for way in self.results.all if way.is_open]


def _written(call: ToolCall) -> str:
    return f"{call.name} {json.dumps(dict(call.arguments), ensure_ascii=False, default=str)}"[
        :2_000
    ]
