"""From the calls of a reply to their results: checked, approved, run, reviewed.

Every call ends in exactly one result, whatever happens on the way, so that a conversation never
holds a call that nothing answers. Only a call somebody must still decide about has none yet.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from ...protocol.errors import LimitReached, TurnCancelled, UsageError
from ...protocol.guard.concerns import Concern
from ...protocol.guard.echo import doubted_echo, echo_of
from ...protocol.guard.passages import Found
from ...protocol.guard.taint import barred_left, denial, marked
from ...protocol.messages import CallProblem, Grade, Message, ProblemKind, ToolCall, ToolResult
from ...protocol.paradigms.corrections import corrected
from ...protocol.paradigms.retelling import IN_CIRCLES, unusable
from ...protocol.schemas.work import Work, purse, takes_long
from ...protocol.tools.check import call_problem, doubted_again, doubted_place, without_unknown
from ...protocol.tools.check_run import check_run
from ...protocol.tools.define import Tool
from ...protocol.tools.outcome import bounded, result_of, says_that_it_failed
from ...protocol.tools.spec import ToolOffer
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
from .commands import Ask, Compute, Emit, Flow, Hook, Invoke, Outcome, Review, Settle, perform
from .events import ApprovalAsked, Decided, ToolStatus, ToolUpdated
from .patches import CHANGE
from .result import CallRecord
from .setup import Conversation, Pending, Terms, TurnSetup

__all__ = ["Settling", "Verdict", "after_review"]

_FROM_ELSEWHERE = "its result comes from elsewhere"
_TO_REVIEW = "it ran, and its result waits for a review"
_NOTHING: Mapping[str, Any] = {}

#: What may be said about a pending call: a decision, or its result from elsewhere.
Verdict = Decision | ToolResult | str


@dataclass(slots=True)
class Settling:
    """The calls of one reply on their way to results; *results* are by call id."""

    setup: TurnSetup
    conversation: Conversation
    offer: ToolOffer
    message: Message
    calls: tuple[ToolCall, ...]
    results: dict[str, ToolResult] = field(default_factory=dict)
    waiting: dict[str, ApprovalRequest] = field(default_factory=dict)
    decisions: dict[str, Decision] = field(default_factory=dict)
    #: Results of calls that ran, which wait for somebody who reviews them.
    unreviewed: dict[str, ToolResult] = field(default_factory=dict)
    usable: bool = False
    #: Calls of this turn, by digest, of which the model was asked whether it meant them.
    questioned: set[str] = field(default_factory=set)
    #: Calls, by digest, that ran beside one that failed: a model often writes all of them again.
    done: set[str] = field(default_factory=set)
    _records: dict[str, CallRecord] = field(default_factory=dict)
    _approved: dict[str, str] = field(default_factory=dict)
    _edits: dict[str, str] = field(default_factory=dict)
    _answered: dict[str, tuple[ApprovalRequest, Decision]] = field(default_factory=dict)
    _outcomes: dict[str, Outcome] = field(default_factory=dict)
    # Where calls stand word for word that somebody else wrote first.
    _echoes: dict[str, Found] = field(default_factory=dict)
    # As they are now: a hook, an approver or a tool may take some away meanwhile.
    _tools: dict[str, Tool] = field(init=False)
    # What was questioned in earlier replies: a call that stands twice in this one is no answer.
    _told_before: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self._tools = dict(self.setup.tools)
        self._told_before = frozenset(self.questioned)

    @classmethod
    def again(
        cls, setup: TurnSetup, conversation: Conversation, offer: ToolOffer, pending: Pending
    ) -> Settling:
        """The calls of an earlier turn that were left waiting."""
        return cls(
            setup,
            conversation,
            offer,
            pending.message,
            pending.calls,
            dict(pending.results),
            dict(pending.waiting),
            dict(pending.decisions),
            dict(pending.unreviewed),
            usable=True,
        )

    # -- the two ways in -----------------------------------------------------------------

    def settle(self) -> Flow[None]:
        """Take every call as far as it gets: to a result, or to waiting for a decision."""
        for call in self.calls:
            yield Emit(ToolUpdated(call, ToolStatus.PENDING))
        sound: list[ToolCall] = []
        # One purse for all: otherwise a hundred small calls could cost a hundred times as much.
        looked_at = self.calls[: self.setup.limits.calls]
        work = Work(purse(call.arguments for call in looked_at))
        for at, call in enumerate(self.calls):
            sound += yield from self._prepared(call, at, work)
        if sound and (yield from self._going_in_circles(sound)):
            return
        cleared: list[ToolCall] = []
        for call in sound:
            cleared += yield from self._cleared(call)
        yield from self._run(cleared)

    def decide(self, verdicts: Mapping[str, Verdict]) -> Flow[None]:
        """Go on with calls that waited; those *verdicts* says nothing of wait on."""
        cleared: list[ToolCall] = []
        for id, request in list(self.waiting.items()):
            verdict = verdicts.get(id, Defer())
            if id in self.unreviewed:
                yield from self._reviewed(request, verdict)
            elif isinstance(verdict, str | ToolResult):
                del self.waiting[id]
                yield from self._finished(result_of(request.call, verdict))
            elif not isinstance(verdict, Defer):
                del self.waiting[id]
                request = self._with_concerns(request)
                yield Emit(Decided(request, verdict))
                if not (yield from self._outdated(request, verdict)):
                    cleared += yield from self._judged(request, verdict)
        yield from self._run(cleared)

    def give_up(self, why: str, metadata: Mapping[str, Any] = _NOTHING) -> Flow[None]:
        """Answer whatever has no result yet with an error: the turn cannot go on."""
        self.waiting.clear()
        for call in self.calls:
            if call.id in self.results:
                continue
            said = f"not run: {why}"
            # Whoever reviews results has not seen this one.
            if call.id in self._outcomes or call.id in self.unreviewed:
                said = f"it ran to its end, but its result is not shown: {why}"
            elif call.id in self.conversation.started:
                said = f"stopped before it was done: {why}; it may have taken effect"
            denied = ToolResult(call, said, is_error=True, metadata=metadata, trusted=True)
            yield from self._settled(denied)

    def pending(self, terms: Terms) -> Pending | None:
        """What is left to decide, for a later turn on these *terms*."""
        if not self.waiting:
            return None
        return Pending(
            self.message,
            self.calls,
            self.waiting,
            self.results,
            self.decisions,
            terms,
            self.unreviewed,
        )

    def done_now(self, failed: bool) -> set[str]:
        """What :attr:`done` is for the next reply; *failed* if something else in this one did.

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
        """The results, in the order of the calls."""
        return [self.results[call.id] for call in self.calls if call.id in self.results]

    def records(self) -> list[CallRecord]:
        """What this turn did about the calls, in their order."""
        return [self._records[call.id] for call in self.calls if call.id in self._records]

    # -- before anything runs ------------------------------------------------------------

    def _prepared(self, call: ToolCall, at: int, work: Work) -> Flow[list[ToolCall]]:
        """*call* in a list if it can run: checked, and passed by the hooks."""
        followed = self._followed(call)
        checked: ToolCall | ToolResult | CallProblem = yield from self._checking(followed, at, work)
        if isinstance(checked, ToolCall):
            checked = yield from self._hooked(checked)
        if isinstance(checked, CallProblem):
            yield from self._unusable(call, checked)
            return []
        self.usable = True
        if isinstance(checked, ToolCall):
            return [checked]
        yield from self._finished(checked)
        return []

    def _checking(
        self, call: ToolCall, at: int = 0, work: Work | None = None
    ) -> Flow[ToolCall | CallProblem]:
        """*call* checked, and not on an event loop if that may take long."""
        work = work or Work(purse([call.arguments]))
        if not takes_long(work.visits):
            return self._checked(call, at, work)
        return (yield from perform(Compute(partial(self._checked, call, at, work))))

    def _checked(self, call: ToolCall, at: int, work: Work) -> ToolCall | CallProblem:
        if at and not self.offer.parallel:
            message = "only one call may be made at a time; make this one later if it still matters"
            return call_problem(call, ProblemKind.NOT_ALLOWED, message)
        if at >= self.setup.limits.calls:
            message = f"{self.setup.limits.calls} calls may be made at a time; make this one later"
            return call_problem(call, ProblemKind.NOT_ALLOWED, message)
        if len(call.raw) > self.setup.limits.argument_characters:
            message = f"it has {len(call.raw):,} characters, which is too long; send less at once"
            return call_problem(call, ProblemKind.TOO_LARGE, message)
        checked = check_run(call, self.offer, self._tools, work)
        if isinstance(checked, CallProblem) and self._insists(call, checked):
            spec = self._tools[call.name].spec
            checked = check_run(without_unknown(call, spec), self.offer, self._tools, work)
        if isinstance(checked, CallProblem) and checked.kind is ProblemKind.UNKNOWN_TOOL:
            # The tools that there are do not include those that it was not told of.
            checked = check_run(call, self._taught(), self._tools, work)
        if isinstance(checked, ToolCall) and checked.name not in self._tools:
            message = "this tool is not there any more"
            return call_problem(call, ProblemKind.UNKNOWN_TOOL, message)
        if isinstance(checked, ToolCall) and self._questions(checked):
            return doubted_place(checked)
        if isinstance(checked, ToolCall) and self._is_written_along(checked):
            return doubted_again(checked)
        return checked

    def _followed(self, call: ToolCall) -> ToolCall:
        """*call*, with a doubt if somebody else wrote it first."""
        if not self.setup.guard.echo:
            return call
        if found := echo_of(call, self.conversation.sources.strangers):
            self._echoes[call.id] = found
        return doubted_echo(call, found)

    def _questions(self, call: ToolCall) -> bool:
        """Whether the model is to be asked if it meant *call*, which stands where calls are shown.

        Asked once about each; one that is written there again is put to a person. What only reads
        runs, as a guess, unless a stranger wrote it.
        """
        digest = call_digest(call)
        harmless = self._tool(call).risk == "read" and not call.is_echoed
        if not call.doubt or harmless or digest in self.questioned:
            return False
        self.questioned.add(digest)
        return self.setup.limits.reasks > 0

    def _is_written_along(self, call: ToolCall) -> bool:
        """Whether *call* seems to be there only because one beside it failed the last time.

        It runs again if the model was told so and then writes it alone. What only reads, or does
        the same when it is done twice, runs anyway.
        """
        digest, tool = call_digest(call), self._tool(call)
        if digest not in self.done or tool.risk == "read" or tool.idempotent:
            return False
        if digest in self.questioned and len(self.calls) == 1:
            return False
        self.questioned.add(digest)
        return self.setup.limits.reasks > 0

    def _insists(self, call: ToolCall, problem: CallProblem) -> bool:
        """Whether the model was told of *problem* before, and writes the same call again.

        A small model seldom leaves an argument out that it was told is unknown. What only reads
        then runs without; in what changes something the argument may be the one that matters.
        """
        tool = self._tools.get(call.name)
        if problem.kind is not ProblemKind.INVALID_ARGUMENTS or not tool or tool.risk != "read":
            return False
        digest = call_digest(call)
        self.questioned.add(digest)
        return digest in self._told_before

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

    def _going_in_circles(self, calls: Sequence[ToolCall]) -> Flow[bool]:
        """Whether the step was ended because it repeats what was called before."""
        loop = self.conversation.doom_loop
        reason = loop.goes_on(calls)
        if not reason:
            return False
        request = self._about_circles(calls, reason) if self.setup.attended else None
        match (yield from self._asked(request)) if request else Deny():
            case Allow(always=always) as decision:
                loop.forget()
                if always:
                    loop.tolerate(calls)
                if request:  # nobody is asked about one call twice; *always* was about the loop
                    once = replace(decision, always=False)
                    self._answered[request.call.id] = request, once
                return False
            case Defer():
                for call in calls:
                    if not (yield from self._barred_by_policy(call)):
                        self.waiting[call.id] = approval_request(call, self._tool(call), reason)
            case Deny():
                advice = f"{reason}; make a call once, use the results you have and answer"
                yield from self.give_up(advice, IN_CIRCLES)
                if loop.deny() or request:
                    raise LimitReached(f"the turn was stopped: {reason}", "repetition")
        return True

    def _about_circles(self, calls: Sequence[ToolCall], circles: str) -> ApprovalRequest | None:
        """The one question about *calls* that go in circles; None if none of them may run."""
        ruled = [(call, *self.setup.policy.rule(call, self._tool(call))) for call in calls]
        open_to = [each for each in ruled if each[1] != "deny"]
        if not open_to:
            return None
        # About one that somebody would be asked about anyway, if there is one.
        call, rule, reason = next((each for each in open_to if each[1] == "ask"), open_to[0])
        why = f"{reason}, and {circles}" if rule == "ask" else circles
        return approval_request(call, self._tool(call), why)

    def _cleared(self, call: ToolCall) -> Flow[list[ToolCall]]:
        """*call* in a list if it may run now."""
        if (yield from self._barred_by_policy(call)):
            return []
        tool = self._tool(call)
        rule, reason = self.setup.policy.rule(call, tool)
        concerns = self._concerns(call)
        if tool.function is None:
            self.waiting[call.id] = approval_request(call, tool, _FROM_ELSEWHERE, concerns)
            return []
        if answered := self._answered.pop(call.id, None):
            return (yield from self._judged(*answered))
        granted = tool.grant in self.conversation.granted and call.grade is not Grade.GUESSED
        if not concerns and (rule == "allow" or (granted and not tool.caution)):
            self._approved[call.id] = call_digest(call)
            return [call]
        if concerns:
            reason = f"{reason}; {concerns[0].brief}"
        request = approval_request(call, tool, reason, concerns)
        if not self.setup.attended and barred_left(concerns, call, tool.spec):
            return (yield from self._judged(request, Allow()))  # nobody can vouch: told why
        return (yield from self._judged(request, (yield from self._asked(request))))

    def _concerns(self, call: ToolCall) -> list[Concern]:
        sources, echo = self.conversation.sources, self._echoes.get(call.id)
        sources.hear_tools(self._tools.values())
        return sources.concerns(call, self._tool(call), self.setup.guard, echo)

    def _with_concerns(self, request: ApprovalRequest) -> ApprovalRequest:
        """*request*, which waited, with what is known now of its words.

        It may come from a file in which somebody left that out.
        """
        if request.call.name not in self._tools:
            return request
        echoes = [each for each in request.concerns if each.kind == "echo"]
        return replace(request, concerns=(*echoes, *self._concerns(request.call)))

    def _barred_by_policy(self, call: ToolCall) -> Flow[bool]:
        rule, reason = self.setup.policy.rule(call, self._tool(call))
        if rule == "deny":
            said = f"not run: {call.name} is not allowed here"
            yield from self._denied(call, said, Deny(reason))
        return rule == "deny"

    def _asked(self, request: ApprovalRequest) -> Flow[Decision]:
        yield Emit(ApprovalAsked(request))
        decision = yield from perform(Ask(request))
        yield Emit(Decided(request, decision))
        return decision

    def _judged(self, request: ApprovalRequest, decision: Decision) -> Flow[list[ToolCall]]:
        """The call of *request* in a list if *decision* lets it run."""
        call = request.call
        self.decisions[call.id] = decision
        match decision:
            case Deny(reason, stop):
                yield from self._denied(call, f"not run: {reason}")
                self._stop_if(stop or self.setup.policy.stop_on_deny, call, reason)
            case Defer():
                self.waiting[call.id] = request
            case Allow(instead, always, vouched):
                spec = request.tool
                if barred := barred_left(request.concerns, request.call, spec, vouched, instead):
                    yield from self._denied(call, f"not run: {denial(barred)}")
                    return []
                if always:
                    granted = (instead or call).name
                    named = self._tools.get(granted)
                    self.conversation.granted.add(named.grant if named else granted)
                self._approved[call.id] = request.digest
                return [call] if instead is None else (yield from self._edited(call, instead))
        return []

    def _outdated(self, request: ApprovalRequest, decision: Decision) -> Flow[bool]:
        """Whether a call that waited is denied after all, although *decision* lets it run.

        Tools and policy may be others by now, and the call may come from a session's file.
        """
        call = request.call
        edited = isinstance(decision, Allow) and decision.instead is not None
        if not isinstance(decision, Allow) or edited or call.name not in self._tools:
            return False  # what runs instead is checked, and what is not there does not run
        checked = check_run(call, self.offer, self._tools)
        if isinstance(checked, CallProblem):
            yield from self._unusable(call, checked)
            return True
        return (yield from self._barred_by_policy(call))

    def _edited(self, call: ToolCall, instead: ToolCall) -> Flow[list[ToolCall]]:
        checked = yield from self._checking(replace(instead, id=call.id))
        if isinstance(checked, CallProblem):
            yield from self._denied(call, f"not run as changed by the user: {checked.message}")
            return []
        if (yield from self._barred_by_policy(checked)):
            return []
        self._edits[call.id] = f"[the user changed the call to {_written(checked)}]\n"
        tool = self._tool(checked)
        if tool.function is None:
            self.waiting[call.id] = approval_request(checked, tool, _FROM_ELSEWHERE)
            return []
        self._approved[call.id] = call_digest(checked)
        return [checked]

    # -- running, and after --------------------------------------------------------------

    def _run(self, calls: Iterable[ToolCall]) -> Flow[None]:
        """Run what was approved, just that, and once."""
        running: list[ToolCall] = []
        for call in calls:
            if self._approved.get(call.id) != call_digest(call):
                yield from self._denied(call, "not run: it is not what was approved")
            elif call.id in self.conversation.started:
                yield from self._denied(call, "not run: it already ran")
            else:
                running.append(call)
        for batch in self._batches(running):
            yield from self._run_together(batch)

    def _batches(self, calls: Sequence[ToolCall]) -> list[list[ToolCall]]:
        """*calls* in the order they are to run; those in one list run at the same time."""
        batches: list[list[ToolCall]] = []
        joins = False
        for call in calls:
            tool = self._tools.get(call.name)  # it may have been taken away meanwhile
            ordering = (tool and tool.ordering) or self.setup.ordering
            if joins and ordering == "parallel":
                batches[-1].append(call)
            else:
                batches.append([call])
            joins = ordering == "parallel"
        return batches

    def _run_together(self, calls: Sequence[ToolCall]) -> Flow[None]:
        yield Invoke(tuple(calls), self.message)
        for call in calls:
            self.conversation.started.add(call.id)
            yield Emit(ToolUpdated(call, ToolStatus.RUNNING))
        for _ in calls:
            outcome = yield from perform(Settle())
            self._outcomes[outcome.result.call.id] = outcome
            yield from self._finished(outcome.result)

    def _finished(self, result: ToolResult) -> Flow[None]:
        """*result* on its way to the model, through the hooks and the reviewer."""
        for hook in overriding(self.setup.hooks, "after_tool"):
            answer = yield from perform(Hook(hook, (result,)))
            if answer is not None and not isinstance(answer, ToolResult):
                raise UsageError(f"after_tool answered {answer!r}; expected a ToolResult or None")
            result = result if answer is None else result_of(result.call, answer)
        limit = self.setup.limits.result_characters
        result = bounded(result, limit)
        review = (yield from perform(Review(result))) if self.setup.reviewed else None
        if isinstance(review, Defer):
            call = result.call
            self.unreviewed[call.id] = result
            self.waiting[call.id] = approval_request(call, self._tool(call), _TO_REVIEW)
            return
        yield from self._settled(bounded(after_review(result, review), limit))
        if isinstance(review, Deny):
            self._stop_if(review.stop, result.call, review.reason)

    def _reviewed(self, request: ApprovalRequest, verdict: Verdict) -> Flow[None]:
        """The result that waited for a review, as *verdict* will have it."""
        id = request.call.id
        if isinstance(verdict, Defer):
            return
        del self.waiting[id]
        result = self.unreviewed.pop(id)
        if isinstance(verdict, str | ToolResult):
            result = bounded(result_of(result.call, verdict), self.setup.limits.result_characters)
        else:
            yield Emit(Decided(request, verdict))
            result = after_review(result, verdict if isinstance(verdict, Deny) else None)
        yield from self._settled(result)
        if isinstance(verdict, Deny):
            self._stop_if(verdict.stop, request.call, verdict.reason)

    def _stop_if(self, stop: bool, call: ToolCall, reason: str) -> None:
        """End the turn if somebody who said no to *call* wants that."""
        if stop:
            raise TurnCancelled(f"{call.name} was denied, which stops the turn: {reason}")

    def _denied(self, call: ToolCall, said: str, decision: Decision | None = None) -> Flow[None]:
        if decision:
            self.decisions[call.id] = decision
        yield from self._settled(ToolResult(call, said, is_error=True, trusted=True))

    def _unusable(self, call: ToolCall, problem: CallProblem) -> Flow[None]:
        paradigm, metadata = self.setup.paradigm, _NOTHING
        if paradigm.teaching.corrections and problem.kind is not ProblemKind.DOUBTED:
            metadata = unusable(corrected(call, problem, self._taught()))
        said = paradigm.format_problem(problem)
        denied = ToolResult(call, said, is_error=True, metadata=metadata, trusted=True)
        yield from self._settled(denied)

    def _taught(self) -> ToolOffer:
        """The tools that the model was told of: those that the policy denies are not."""
        denies, known = self.setup.policy.denies, self._tools
        specs = self.offer.tools
        told = tuple(
            each for each in specs if each.name not in known or not denies(known[each.name])
        )
        return replace(self.offer, tools=told)

    def _settled(self, result: ToolResult) -> Flow[None]:
        id = result.call.id
        if result.trusted is None or not result.is_error:
            result = marked(result, self._tools.get(result.call.name), self.setup.guard)
        if note := self._edits.get(id):
            result = replace(result, content=note + result.content)
        self.results[id] = result
        outcome = self._outcomes.get(id)
        self._records[id] = CallRecord(
            result.call,
            result,
            self.decisions.get(id),
            outcome.seconds if outcome else None,
            outcome.started if outcome else None,
        )
        status = ToolStatus.ERROR if result.is_error else ToolStatus.COMPLETED
        yield Emit(ToolUpdated(result.call, status, result))

    def _tool(self, call: ToolCall) -> Tool:
        return self._tools[call.name]


def after_review(result: ToolResult, review: ToolResult | Deny | None) -> ToolResult:
    """*result* as somebody who reviewed it lets the model see it."""
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
