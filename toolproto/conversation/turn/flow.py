"""The turn: from the user's message to an answer, without doing any of its I/O.

Ordinary sequential code. Where it needs the world it performs a command, which a sync or an async
driver answers, or a test by hand. It ends in a :class:`TurnResult`, whatever a hook, a tool or the
service did.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...protocol.errors import (
    EndpointError,
    EndpointTimeout,
    LimitReached,
    StoreError,
    ToolsRefused,
    TurnCancelled,
    TurnTimeout,
    UsageError,
)
from ...protocol.finish_reasons import FinishKind, ending_of
from ...protocol.judge import Fault, Heard, judged, worth_telling
from ...protocol.messages import (
    CallProblem,
    ChatRequest,
    Message,
    ToolCall,
    ToolResult,
    Usage,
)
from ...protocol.tools.spec import ToolOffer
from ..deciding.answers import Verdict
from ..hooks import ReplyEnded, TurnStarting, overriding, replies_ended
from .answering import Answered, answer_given
from .appending import Appending
from .commands import (
    CleanUp,
    Clock,
    Command,
    Emit,
    Flow,
    Hook,
    Native,
    Pause,
    TakesTools,
    Together,
    perform,
)
from .events import StateChanged, StepEnded, StepStarted, TurnEnded
from .offering import offered
from .patches import changes_of
from .pricing import cost_of
from .reply import Reply
from .requesting import Requesting
from .result import CallRecord, StepRecord, TurnResult, TurnStats, TurnStatus, answer_in
from .settling import Settling
from .setup import Conversation, Terms, TurnSetup
from .states import TurnMachine, TurnSnapshot, TurnState
from .tracebacks import shortened

__all__ = ["Turn"]

_log = logging.getLogger("toolproto")
#: Characters of the last problem in the error of a turn.
_LONGEST_TROUBLE = 300


@dataclass(slots=True)
class Turn:
    """One turn of *conversation*. Run it once: :meth:`run` or :meth:`resume`."""

    setup: TurnSetup
    conversation: Conversation
    terms: Terms = field(default_factory=Terms)
    result: TurnResult[Any] | None = None
    machine: TurnMachine = field(default_factory=TurnMachine)
    requests: int = 0
    stopped: BaseException | None = None
    #: Whether the rest of the turn is asked in the paradigm: native tools came to nothing.
    _is_taught: bool = False
    _native: Native | None = None
    _choice_met: bool = False
    _useless: int = 0
    _reasks: int = 0
    _questioned: set[str] = field(default_factory=set)
    # Calls that ran, by digest, as long as each reply has also one that failed.
    _done: set[str] = field(default_factory=set)
    _started: bool = False
    _resumes: bool = False
    _clean_ups: list[Callable[[], Any]] = field(default_factory=list)
    _sent: ChatRequest | None = None
    _reply: Reply | None = None
    _answer: Message | None = None
    _records: list[CallRecord] = field(default_factory=list)
    _problems: list[CallProblem] = field(default_factory=list)
    _steps: list[StepRecord] = field(default_factory=list)
    _usage: Usage = field(default_factory=Usage)
    _output: Any = None
    _appending: Appending = field(init=False)
    _requesting: Requesting = field(init=False)

    def __post_init__(self) -> None:
        messages = self.conversation.messages
        self._requesting = Requesting(self.setup, self.conversation, self.terms, len(messages))
        sources, placed = self.conversation.sources, self._requesting.placed
        sources.hear_program(self.setup.prompt.system)
        sources.hear_program(self.setup.prompt.tail)
        self._appending = Appending(messages, self.setup.hooks, placed, self.conversation.joined)

    def run(self, message: Message) -> Flow[TurnResult[Any]]:
        """The whole turn that *message* begins."""
        return self._from_start_to_end(self._answered(message))

    def resume(self, verdicts: Mapping[str, Verdict]) -> Flow[TurnResult[Any]]:
        """The rest of a turn that ended pending; *verdicts* are by call id."""
        return self._from_start_to_end(self._resumed(verdicts))

    def retell(self, result: TurnResult[Any]) -> Flow[TurnResult[Any]]:
        """Give the *result* that this turn had when it ran, and do nothing else."""
        self.result, self.machine.state = result, _last_state(result.error)
        yield Emit(TurnEnded(result))
        return result

    # -- beginning and end ---------------------------------------------------------------

    def _from_start_to_end(self, body: Flow[None]) -> Flow[TurnResult[Any]]:
        began = yield from perform(Clock())
        failure: Exception | None = None
        try:
            yield from self._to(TurnState.PREPARING)
            yield from body
            yield from self._to(TurnState.FINALIZING)
        except GeneratorExit:
            raise
        except BaseException as error:
            failure = shortened(error) if isinstance(error, Exception) else self._stopped_by(error)
            failure = yield from self._or_cancelled(failure)
            self._answer_what_is_open()
        yield from self._appending.announce()
        failure = yield from self._ended(failure, began)
        if self.conversation.pending is None:
            self.conversation.doom_loop.forget()  # nothing to keep: the next turn begins anew
        seconds = (yield from perform(Clock())) - began
        self.result = self._outcome(failure, seconds)
        yield from self._to(_last_state(failure), failure)
        try:
            yield Emit(TurnEnded(self.result))
        except StoreError as error:  # the end could not be kept, and is not to be taken for kept
            self.result = self._outcome(failure or error, seconds)
            yield Emit(TurnEnded(self.result))
        return self.result

    def _stopped_by(self, error: BaseException) -> TurnCancelled:
        """Ctrl-C in the middle of our own work: the driver raises it when all is cleaned up."""
        self.stopped = error
        return TurnCancelled(f"the turn was stopped by {type(error).__name__}")

    def _answered(self, message: Message) -> Flow[None]:
        self.conversation.doom_loop.forget()
        self.conversation.sources.hear_own(message.content)
        begins = len(self.conversation.messages)
        self._appending.named = message.id
        self._appending.put_at(message, begins)
        yield from self._appending.announce()
        yield from self._ignored(begins)
        yield from self._start(message)
        yield from self._take_steps()

    def _resumed(self, verdicts: Mapping[str, Verdict]) -> Flow[None]:
        pending = self.conversation.pending
        if pending is None:
            raise UsageError("no call is pending")
        self._resumes = True
        self._appending.named = f"{pending.message.id}.r" if pending.message.id else ""
        yield from self._start(None)
        self.conversation.pending = None
        offer = offered(self.setup, self.terms, denied=True)
        settling = Settling.again(self.setup, self.conversation, offer, pending)
        if (yield from self._settled(settling, settling.decide(verdicts))):
            yield from self._take_steps()

    def _ignored(self, begins: int) -> Flow[None]:
        """Answer calls that wait, now that the user went on without deciding about them.

        The answers stand before what the user says, and cost no request.
        """
        pending, self.conversation.pending = self.conversation.pending, None
        if pending is None:
            return
        offer = offered(self.setup, self.terms, denied=True)
        settling = Settling.again(self.setup, self.conversation, offer, pending)
        yield from settling.give_up("the user went on", reason="")
        self._records += settling.records()
        for at, told in enumerate(self.setup.paradigm.format_results(settling.in_order())):
            self._appending.put_at(told, begins + at)
        yield from self._appending.announce()

    def _start(self, message: Message | None) -> Flow[None]:
        moment = TurnStarting(message, tuple(self.conversation.messages))
        for hook in overriding(self.setup.hooks, "on_turn_start"):
            clean_up = yield from perform(Hook(hook, (moment,)))
            if clean_up is not None:
                if not callable(clean_up):
                    raise UsageError(
                        f"on_turn_start answered {clean_up!r}; expected a clean-up to call or None"
                    )
                self._clean_ups.append(clean_up)
        self._started = True

    def _ended(self, failure: Exception | None, began: float) -> Flow[Exception | None]:
        """The last hooks and the clean-ups; the error of the turn as a whole."""
        errors: list[Exception] = []
        if self._started and (failure is None or isinstance(failure, TurnCancelled)):
            seconds = (yield from perform(Clock())) - began
            for hook in overriding(self.setup.hooks, "on_turn_end"):
                # A cancellation that comes now may break a hook off, but leaves none out.
                failure = yield from self._unless_stopped(Pause(), failure)
                try:
                    told = Hook(hook, (self._outcome(failure, seconds),))
                    failure = yield from self._unless_stopped(told, failure)
                except Exception as error:
                    errors.append(error)
                    break
        for clean_up in reversed(self._clean_ups):
            try:
                yield CleanUp(clean_up)
            except Exception as error:
                errors.append(error)
        if failure is not None:
            errors.insert(0, failure)
        elif errors:
            errors[-1] = yield from self._or_cancelled(errors[-1])
        if len(errors) > 1:
            return ExceptionGroup("the turn ended with several errors", errors)
        return errors[0] if errors else None

    def _or_cancelled(self, error: Exception) -> Flow[Exception]:
        """Return *error*, or the cancellation that came before it: a hook may do both."""
        if isinstance(error, TurnCancelled):
            return error
        stopped = yield from self._unless_stopped(Pause(), None)
        if stopped is not None:
            stopped.__cause__ = error
        return stopped or error

    def _unless_stopped(
        self, command: Command[Any], failure: Exception | None
    ) -> Flow[Exception | None]:
        """Perform *command*; the cancellation that came instead, unless *failure* was first."""
        try:
            yield command
        except TurnCancelled as stopped:
            return stopped if failure is None else failure
        return failure

    def _answer_what_is_open(self) -> None:
        """Leave no call without a result, wherever the turn failed; no hook has a say in it."""
        messages = self.conversation.messages
        answered = {result.call.id for message in messages for result in message.results}
        unanswered = [
            ToolResult(call, self._lost(call), is_error=True, trusted=True)
            for message in messages  # also of the turn that a resumed one goes on with
            for call in message.calls
            if call.id not in answered and self.conversation.pending is None
        ]
        for message in self.setup.paradigm.format_results(unanswered):
            self._appending.put_at(message, len(messages))

    def _lost(self, call: ToolCall) -> str:
        if call.id in self.conversation.started | self.conversation.begun:
            return "it ran, but the turn failed before its result was kept"
        return "not run: the turn failed"

    def _outcome(self, failure: Exception | None, seconds: float) -> TurnResult[Any]:
        pending = self.conversation.pending
        transcript = self._appending.transcript
        answer = answer_in(transcript)
        said = self._reply.text.strip() if self._reply else ""
        if self._answer and not (pending or failure):
            said = self._answer.content  # as the hooks left it
        failed = sum(record.result.is_error for record in self._records)
        return TurnResult(
            _status(failure, pending is not None),
            said,
            tuple(transcript),
            answer,
            tuple(self._records),
            tuple(self._problems),
            tuple(pending.waiting.values()) if pending else (),
            self._usage,
            TurnStats(self.requests, len(self._records), failed, self._reasks, seconds),
            self._reply.finish_reason if self._reply else None,
            failure,
            self._resumes,
            tuple(self._steps),
            self._output,
        )

    # -- requests --------------------------------------------------------------------------

    def _take_steps(self) -> Flow[None]:
        while True:
            self.requests += 1
            if not (yield from self._step()):
                return
            if self._is_last_request:
                raise LimitReached(
                    f"the turn took {self.requests} requests and was stopped", "requests"
                )

    def _step(self) -> Flow[bool]:
        """One request and what it leads to; whether the model is to be asked again."""
        yield Emit(StepStarted(self.requests))
        self._reply, before = None, len(self._records)
        self._requesting.summary, self._requesting.is_native = None, False
        try:
            reply = yield from self._requested()
            again = yield from self._dealt_with(reply)
        except Exception:
            yield from self._step_ended(before)
            raise
        yield from self._step_ended(before)
        return again

    def _step_ended(self, before: int) -> Flow[None]:
        reply = self._reply
        asked = [each for each in (self._requesting.summary, reply) if each]
        usage = sum((each.usage for each in asked), Usage())
        is_known = all(each.is_counted for each in asked)
        self._usage += usage
        model = reply.model if reply else self.setup.asked_model
        step = StepRecord(
            self.requests,
            usage,
            reply.finish_reason if reply else None,
            cost_of(self.setup.prices, model, usage if is_known else None),
            changes_of(record.result for record in self._records[before:]),
            model,
            self._requesting.is_native,
        )
        self._steps.append(step)
        yield Emit(StepEnded(step))

    def _offer(self) -> ToolOffer:
        return offered(self.setup, self.terms, self._choice)

    @property
    def _choice(self) -> str:
        return "auto" if self._choice_met else self.terms.choice

    def _dealt_with(self, reply: Reply) -> Flow[bool]:
        """Answer what *reply* asks for; whether the model is to be asked again."""
        given = yield from self._given(reply)
        message = given.message if given else reply.message()
        if message.content or message.calls or message.reasoning:
            message = self._answer = self._appending.put(message)
            yield from self._appending.announce()
        ended = yield from self._after_request(message, reply)
        offer, count = self._requesting.offer, len(reply.calls)
        heard = Heard(
            reply.text, count, reply.problems, offer, announced=self._requesting.announces(reply)
        )
        fault = None if given else judged(heard)
        problems = fault.problems if fault else ()
        if count or given:
            problems = tuple(worth_telling(reply.problems, count))
        again, usable = bool(problems or reply.calls), not problems
        if reply.calls:
            settling = Settling(
                self.setup,
                self.conversation,
                offered(self.setup, self.terms, self._choice, denied=True),
                message,
                tuple(reply.calls),
                questioned=self._questioned,
                done=self._done,
            )
            again = yield from self._settled(settling, self._settling(settling))
            usable = settling.usable or self._is_last_request
            self._done = settling.done_now(failed=bool(problems))
        for problem in problems:
            self._appending.put(Message("user", self.setup.paradigm.format_problem(problem)))
        wanted = any(moment.wants_request for moment in ended)
        is_over = not again and self.conversation.pending is None and given is None
        is_new = fault is not None and self._goes_on_in_text(f"the model {fault.reason}")
        if is_over and fault and not (wanted and fault.kind == "empty_reply"):
            self._advise(fault, reply, is_new)
            again, usable = True, False
        self._appending.put_deferred(ended)
        yield from self._appending.announce()
        self._choice_met = self._choice_met or (bool(reply.calls) and usable)
        self._count(usable, f"it {fault.reason}" if fault else self._trouble(problems))
        return again or (self.conversation.pending is None and wanted)

    def _given(self, reply: Reply) -> Flow[Answered | None]:
        """The structured answer of *reply*, in a turn that is to have one."""
        if (form := self.setup.output) is None:
            return None
        known = len(reply.problems)
        given = yield from answer_given(form, self.setup.tools, reply)
        self._problems += reply.problems[known:]
        self._output = given.value if given else None
        return given

    @property
    def _is_last_request(self) -> bool:
        return self.requests >= self.setup.limits.requests

    def _settling(self, settling: Settling) -> Flow[None]:
        if self._is_last_request:
            return settling.give_up("this was the last request of the turn")
        return settling.settle()

    def _settled(self, settling: Settling, work: Flow[None]) -> Flow[bool]:
        """Do *work* on calls and tell the model what came of them; False if some still wait."""
        yield from self._to(TurnState.TOOL_CALL)
        failure: Exception | None = None
        try:
            yield from work
        except Exception as error:
            failure = error
            yield from settling.give_up(_why(error))
        self._records += settling.records()
        # The choice is met: what waits is what it asked for.
        self.conversation.pending = settling.pending(replace(self.terms, choice="auto"))
        if self.conversation.pending is None:
            for message in self.setup.paradigm.format_results(settling.in_order()):
                self._appending.put(message)
        yield from self._appending.announce()
        if failure is not None:
            raise failure
        return self.conversation.pending is None

    def _advise(self, fault: Fault, reply: Reply, is_new: bool = False) -> None:
        """Tell the model what is wrong with *reply*; to an empty one nothing is to stay of it.

        Nor is anything said of it where the next request *is_new*, as it teaches the tools: a call
        may have been all that got lost.
        """
        if fault.kind != "empty_reply":
            self._appending.put(Message("user", fault.advice))
            return
        if ending_of(reply.finish_reason or "stop") is FinishKind.FILTERED:
            raise EndpointError(f"the service withheld the reply ({reply.finish_reason})")
        self._requesting.reminder = "" if is_new else fault.advice

    def _trouble(self, problems: Sequence[CallProblem]) -> str:
        """Return what was wrong with the last calls, for whoever reads the error of the turn."""
        if problems:
            return problems[-1].message
        return self._records[-1].result.content if self._records else ""

    def _count(self, usable: bool, trouble: str) -> None:
        self._useless = 0 if usable else self._useless + 1
        self._reasks += not usable
        if self._useless > self.setup.limits.reasks:
            raise LimitReached(
                f"the model gave no usable reply {self._useless} times in a row; the last time: "
                f"{trouble[:_LONGEST_TROUBLE]}",
                "reasks",
            )

    # -- one request ---------------------------------------------------------------------

    def _requested(self) -> Flow[Reply]:
        """Ask the model; in the paradigm, if the service refuses the tools as its own."""
        # The markers of a service's own carry no nonce: what holds one protects by its paradigm.
        is_text = self._is_taught or self.setup.guard.nonce
        self._native = None if is_text else (yield from perform(TakesTools()))
        try:
            return (yield from self._asked())
        except ToolsRefused as refusal:
            has_begun = self._reply is not None and self._reply.has_begun
            if has_begun or not self._goes_on_in_text(str(refusal)):
                raise
        return (yield from self._asked())

    def _goes_on_in_text(self, why: str) -> bool:
        """Ask in the paradigm from now on, if the last request was not; return False if it was."""
        if self._native != "auto" or not self._requesting.is_native:
            return False
        name = self.setup.paradigm.name
        _log.info("tools are taught in %r for the rest of the turn: %s", name, why)
        self._is_taught, self._native = True, None
        return True

    def _asked(self) -> Flow[Reply]:
        request = self._sent = yield from self._requesting.request(self._offer, self._native)
        reply = self._reply = self._requesting.listener(request.model)
        self._answer = None
        yield from self._to(TurnState.STREAMING)
        try:
            yield from self._requesting.read(request, reply)
        except Exception:
            # What was said so far stays; what was about to be called does not.
            if (said := reply.partial()) is not None:
                self._appending.put(said)
                yield from self._appending.announce()
            raise
        finally:
            self._problems += reply.problems
        reply.identify(self.setup.paradigm.ids)
        return reply

    def _after_request(self, message: Message, reply: Reply) -> Flow[list[ReplyEnded]]:
        hooks = overriding(self.setup.hooks, "on_after_request")
        reason, last = reply.finish_reason or "", reply.last_chunk
        moments = replies_ended(len(hooks), message, reason, last, self._appending.put)
        if hooks:
            pairs = zip(hooks, moments, strict=True)
            try:
                yield Together(tuple(Hook(hook, (moment,)) for hook, moment in pairs))
            finally:
                for moment in moments:
                    moment.over = True
            yield from self._appending.announce()
        return moments

    # -- small steps ---------------------------------------------------------------------

    def _to(self, state: TurnState, error: Exception | None = None) -> Flow[None]:
        if self.machine.state is not state:
            previous = self.machine.to(state)
            said, sent = tuple(self.conversation.messages), self._sent
            yield Emit(
                StateChanged(
                    TurnSnapshot(state, previous, self.requests, error, said, sent, self.result)
                )
            )


def _last_state(failure: BaseException | None) -> TurnState:
    if failure is None:
        return TurnState.COMPLETED
    return TurnState.CANCELLED if isinstance(failure, TurnCancelled) else TurnState.ERROR


def _status(failure: Exception | None, pending: bool) -> TurnStatus:
    match failure:
        case None:
            return "pending" if pending else "completed"
        case TurnTimeout() | EndpointTimeout():
            return "timeout"
        case TurnCancelled():
            return "aborted"
    return "error"


def _why(failure: Exception) -> str:
    match failure:
        case TurnTimeout():
            return "the time of the turn ran out"
        case TurnCancelled():
            return "the user stopped the turn"
    return "the turn failed"
