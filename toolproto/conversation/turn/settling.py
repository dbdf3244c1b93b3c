"""From the calls of a reply to their results: checked, decided about, run, reviewed.

Every call ends in exactly one result, whatever happens on the way, so that a conversation never
holds a call that nothing answers. Only a call somebody must still decide about has none yet.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ...protocol.deciding.pins import pin_of
from ...protocol.errors import UsageError
from ...protocol.guard.echo import doubted_echo, echo_of
from ...protocol.guard.passages import Found
from ...protocol.messages import CallProblem, Message, ToolCall, ToolResult
from ...protocol.schemas.work import Work, purse
from ...protocol.tools.outcome import result_of, says_that_it_failed
from ...protocol.tools.spec import ToolOffer
from ..deciding.answers import Verdict
from ..deciding.approvals import (
    ApprovalRequest,
    Defer,
    Deny,
    call_digest,
)
from ..hooks import overriding
from .call_results import CallResults
from .checking import Checks
from .clearing import Clearing
from .commands import Emit, Flow, Hook, Invoke, Settle, perform
from .events import ToolStatus, ToolUpdated
from .on_its_way import CallState, OnItsWay
from .result import CallRecord
from .setup import Conversation, Pending, Terms, TurnSetup

__all__ = ["Settling"]


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
    _results: CallResults = field(init=False)
    _clearing: Clearing = field(init=False)

    def __post_init__(self) -> None:
        ways = {call.id: OnItsWay(call) for call in self.calls}
        tools, is_alone = dict(self.setup.tools), len(self.calls) == 1
        checks = Checks(self.setup, self.offer, tools, is_alone, self.questioned, self.done)
        self._results = CallResults(self.setup, self.conversation, ways, tools, checks)
        self._clearing = Clearing(self.setup, self.conversation, self._results)

    @classmethod
    def again(
        cls, setup: TurnSetup, conversation: Conversation, offer: ToolOffer, pending: Pending
    ) -> Settling:
        """Return the calls of an earlier turn that were left waiting."""
        settling = cls(setup, conversation, offer, pending.message, pending.calls)
        settling._clearing.is_resumed = True
        for id, way in settling._results.ways.items():
            way.decision, way.answered = pending.decisions.get(id), pending.answered.get(id)
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
        return self._clearing.questions()

    def settle(self) -> Flow[None]:
        """Take every call as far as it gets: to a result, or to waiting for a decision."""
        for call in self.calls:
            yield Emit(ToolUpdated(call, ToolStatus.PENDING))
        # One purse for all: otherwise a hundred small calls could cost a hundred times as much.
        looked_at = self.calls[: self.setup.limits.calls]
        work = Work(purse(call.arguments for call in looked_at))
        for at, way in enumerate(self._all):
            yield from self._prepared(way, at, work)
        yield from self._clearing.look_for_circles()
        yield from self._go_on()

    def decide(self, verdicts: Mapping[str, Verdict]) -> Flow[None]:
        """Go on with calls that waited; those *verdicts* says nothing of wait on."""
        for way in self._all:
            verdict = verdicts.get(way.id, Defer())
            if way.question is None or isinstance(verdict, Defer):
                continue
            if way.state is CallState.TO_REVIEW:
                yield from self._results.reviewed(way, verdict)
            else:
                yield from self._clearing.answer(way, way.question, verdict)
        yield from self._go_on()

    def give_up(self, why: str, *, reason: str | None = None) -> Flow[None]:
        """Answer whatever has no result yet with an error: the turn cannot go on.

        *reason* is what a person is told, *why* if it is None, nothing if the person knows.
        """
        return self._results.give_up(why, reason=reason)

    @property
    def usable(self) -> bool:
        """Whether any of the calls could be used."""
        return self._results.useless < len(self.calls)

    def pending(self, terms: Terms) -> Pending | None:
        """Return what is left to decide, for a later turn on these *terms*; None if nothing."""
        waiting = {way.id: way.question for way in self._all if way.question}
        if not waiting:
            return None
        held = [way for way in self._all if way.state is CallState.PENDING]
        return Pending(
            self.message,
            self.calls,
            waiting,
            {way.id: way.result for way in self._all if way.result},
            {way.id: way.decision for way in self._all if way.decision},
            terms,
            {way.id: way.unreviewed for way in self._all if way.unreviewed},
            {way.id: way.call for way in held},
            {way.id: way.answered for way in held if way.answered},
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

    @property
    def _all(self) -> list[OnItsWay]:
        return list(self._results.ways.values())

    def _prepared(self, way: OnItsWay, at: int, work: Work) -> Flow[None]:
        """Check the call and show it to the hooks; what cannot run has its result then."""
        checked: ToolCall | ToolResult | CallProblem
        checked = yield from self._clearing.checking(self._followed(way), at, work)
        if isinstance(checked, ToolCall):
            checked = yield from self._hooked(checked)
        match checked:
            case CallProblem():
                yield from self._results.unusable(way, checked)
            case ToolResult():
                yield from self._results.finished(way, checked)
            case _:
                way.call, way.is_checked = checked, True

    def _followed(self, way: OnItsWay) -> ToolCall:
        """Return the call, with a doubt if somebody else wrote it first."""
        if self.setup.guard.echo:
            way.echo = echo_of(way.call, self.conversation.sources.strangers)
        return doubted_echo(way.call, way.echo)

    def _hooked(self, call: ToolCall) -> Flow[ToolCall | ToolResult | CallProblem]:
        for hook in overriding(self.setup.hooks, "before_tool"):
            # The hook gets its own copy: what it returns is checked, what it does to this is not.
            answer = yield from perform(Hook(hook, (call.detached(), self._results.tool(call))))
            if isinstance(answer, ToolResult):
                return result_of(call, answer)
            if isinstance(answer, ToolCall):
                checked = yield from self._clearing.checking(replace(answer, id=call.id))
                if isinstance(checked, CallProblem):
                    return checked
                call = checked
            elif answer is not None:
                raise UsageError(
                    f"before_tool answered {answer!r}; expected a call, a result or None"
                )
        return call

    def _go_on(self) -> Flow[None]:
        """Take every call that waits for nothing as far as it gets."""
        if any(way.waits_for == "loop" for way in self._all):
            return
        cleared: list[OnItsWay] = []
        waits: list[OnItsWay] = []
        for way in self._all:
            is_next = way.state is CallState.PENDING and not self._is_behind(way, waits)
            if is_next and (yield from self._clearing.cleared(way)):
                cleared.append(way)
            elif way.is_open:
                waits.append(way)
        yield from self._run(cleared)

    def _is_behind(self, way: OnItsWay, waits: Iterable[OnItsWay]) -> bool:
        """Return True if the call comes after one that waits, and they run in their order."""
        return any("in_order" in (self._ordering(way), self._ordering(each)) for each in waits)

    def _run(self, ways: Iterable[OnItsWay]) -> Flow[None]:
        """Run what was decided about, just that, and once."""
        for batch in self._batches(list(ways)):
            due = batch
            # While somebody decides about one of them, the tool of another may change.
            while not all(map(self._is_as_decided, due)) or due is batch:
                due = yield from self._still_due(due)
            yield from self._run_together(due)

    def _still_due(self, ways: Iterable[OnItsWay]) -> Flow[list[OnItsWay]]:
        """Return those of *ways* that are still to be run: others were asked about since."""
        due: list[OnItsWay] = []
        for way in ways:
            if way.id in self.conversation.started:
                yield from self._results.denied(way, "it already ran")
            elif self._is_as_decided(way) or (yield from self._clearing.cleared(way)):
                due.append(way)
        return due

    def _is_as_decided(self, way: OnItsWay) -> bool:
        """Return True if the tool of the call is the one that was decided about."""
        now, before = self.setup.tools.get(way.call.name), way.tool
        return now is None or before is None or now is before or pin_of(now) == pin_of(before)

    def _ordering(self, way: OnItsWay) -> str:
        tool = self._results.tools.get(way.call.name)  # it may have been taken away meanwhile
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
            way = self._results.ways[outcome.result.call.id]
            way.outcome = outcome
            yield from self._results.finished(way, outcome.result)
