"""What both drivers share: who is asked, who watches, and how a turn is interrupted.

A driver performs the commands of one turn after another. :mod:`.blocking` waits for the world,
:mod:`.asynchronous` awaits it; they differ in that and in nothing else.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from ...protocol.deciding.decisions import Topic
from ...protocol.errors import TurnCancelled, TurnTimeout, UsageError
from ...protocol.messages import Message, ToolCall
from ...protocol.tools.context import ToolContext
from ...protocol.tools.define import Tool
from ...protocol.tools.registry import ToolRegistry
from ..deciding.approvals import ApprovalRequest, Approver, Decision, Reviewer, approval_request
from ..journal.log import SessionLog
from ..turn import commands as cmd
from ..turn.commands import Command
from ..turn.events import StateChanged, ToolProgressed
from ..turn.flow import Turn
from ..turn.limits import TurnLimits
from ..turn.result import TurnResult
from ..turn.states import TurnSnapshot
from .running_calls import ToolJob
from .turn_spans import TurnSpans, begin_turn_spans

__all__ = ["PERFORM", "Driver", "Listener", "raise_all"]

Listener = Callable[[TurnSnapshot], None]
_log = logging.getLogger("toolproto")

#: Which method of a driver does what a command says.
PERFORM: dict[type[Command[Any]], str] = {
    cmd.Open: "_open",
    cmd.Read: "_read",
    cmd.Close: "_close",
    cmd.Invoke: "_invoke",
    cmd.Settle: "_settle",
    cmd.Ask: "_ask",
    cmd.Review: "_review",
    cmd.Hook: "_hook",
    cmd.Together: "_together",
    cmd.CleanUp: "_clean_up",
    cmd.Compute: "_compute",
    cmd.Append: "_append",
    cmd.Write: "_write",
    cmd.Clock: "_clock",
    cmd.TakesTools: "_takes_tools",
    cmd.Today: "_today",
    cmd.Pause: "_pause",
}


@dataclass(eq=False)
class Driver:
    """Performs turns, and can be told from any thread to stop the one it performs."""

    session: Any
    tools: ToolRegistry
    limits: TurnLimits
    approver: Approver
    reviewer: Reviewer
    log: SessionLog | None  # of a kept session; only such a one writes
    listeners: list[Listener] = field(default_factory=list)
    turn: Turn | None = None
    #: The spans of the turn, if the program traces.
    spans: TurnSpans | None = None
    _interruption: TurnCancelled | None = None

    def begin(self, turn: Turn) -> None:
        """Whatever comes now is about *turn*."""
        self.turn, self._interruption = turn, None
        model = turn.setup.model or turn.setup.usual_model
        self.spans = begin_turn_spans(self.log.id if self.log else None, model)

    def end(self) -> None:
        """The turn is over, and nothing of it goes on."""
        if self.spans is not None:
            self.spans.end()

    def interrupt(self, reason: TurnCancelled) -> None:
        """Stop the turn at its next command that can be stopped; without a turn, do nothing."""
        if self.turn and self.turn.result is None:
            self._interruption = self._interruption or reason
            self._wake()

    def result(self) -> TurnResult[Any]:
        """The result of the turn that is over; Ctrl-C and the program's mistakes are raised."""
        assert self.turn is not None and self.turn.result is not None
        result, stopped = self.turn.result, self.turn.stopped
        if stopped is not None:
            raise stopped
        if result.error is not None and _is_the_programs(result.error):
            raise result.error
        return result

    def _wake(self) -> None:
        """Get the driver out of whatever it waits for."""
        raise NotImplementedError

    def _run_out(self) -> None:
        self.interrupt(TurnTimeout(f"the turn took longer than {self.limits.seconds} seconds"))

    def _interrupted(self, command: Command[Any]) -> TurnCancelled | None:
        """What interrupts the turn, told once, if *command* may be interrupted."""
        if self._interruption is None or not command.interruptible:
            return None
        interruption, self._interruption = self._interruption, None
        return interruption

    def _check_interruption(self, command: Command[Any]) -> None:
        if self._interruption is not None and (interruption := self._interrupted(command)):
            raise interruption

    def _failure(self, error: Exception, command: Command[Any]) -> Exception:
        """What the turn is told when *command* failed with *error*."""
        if interruption := self._interrupted(command):
            return interruption  # and not what came of breaking it off
        if isinstance(error, StopIteration | StopAsyncIteration):  # would end the generator
            wrapped = RuntimeError(f"{type(error).__name__} was raised by a hook or an endpoint")
            wrapped.__cause__ = error
            return wrapped
        return error

    def _notice(self, event: StateChanged) -> None:
        for listener in tuple(self.listeners):
            try:
                listener(event.snapshot)
            except Exception:
                _log.exception("a listener failed; the turn continues")

    # -- the commands that nobody waits for ----------------------------------------------

    def _append(self, command: cmd.Append) -> None:
        """Nothing to do: the conversation is in memory, and the turn has added to it."""

    def _pause(self, command: cmd.Pause) -> None:
        """Nothing: whatever interrupts the turn was told before."""

    def _clock(self, command: cmd.Clock) -> float:
        return time.monotonic()

    def _takes_tools(self, command: cmd.TakesTools) -> cmd.Native | None:
        endpoint = self.session.endpoint
        if not getattr(endpoint, "offers_tools", False):
            return None
        return "only" if getattr(endpoint, "native", "") == "only" else "auto"

    def _today(self, command: cmd.Today) -> date:
        return datetime.now(ZoneInfo(command.zone)).date() if command.zone else date.today()

    # -- tools ---------------------------------------------------------------------------

    def _job(self, call: ToolCall, message: Message) -> ToolJob:
        tool = self.tools.get(call.name)
        cancelled = threading.Event()
        context = ToolContext(
            self.session,
            message,
            call.detached(),
            cancelled,
            lambda question: self._ask_for(call, question),
            lambda question: self._aask_for(call, question),
            self._adecide,
            lambda *told: self._progressed(ToolProgressed(call, *told)),
        )
        seconds = (tool.timeout if tool else None) or self.limits.tool_seconds
        masking = self.turn.setup.masking if self.turn else None
        hidden = masking.mask_text if masking else None
        traced, watched = self.spans.call if self.spans is not None else None, self._watched(tool)
        return ToolJob(call, tool, context, cancelled, seconds, hidden, traced, watched)

    def _watched(self, tool: Tool | None) -> tuple[Tool, ...]:
        """The tools whose files *tool* may change without telling of it, each place once."""
        if tool is None or tool.risk == "read" or tool.undo is not None:
            return ()
        found = (each for each in self.tools.values() if each.look is not None)
        return tuple({getattr(each.look, "__self__", each): each for each in found}.values())

    def _question(self, call: ToolCall, question: str) -> ApprovalRequest:
        asked = (Topic("elicitation", question, question),)
        return approval_request(call, self.tools[call.name], question, asked=asked)

    def _progressed(self, news: ToolProgressed) -> None:
        raise NotImplementedError

    def _ask_for(self, call: ToolCall, question: str) -> bool:
        raise NotImplementedError

    async def _aask_for(self, call: ToolCall, question: str) -> bool:
        raise NotImplementedError

    async def _adecide(self, request: ApprovalRequest) -> Decision:
        raise NotImplementedError


def raise_all(errors: Sequence[Exception]) -> None:
    """Raise what went wrong in several hooks: the one error, or all in a group, in their order."""
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise ExceptionGroup("several hooks failed", errors)


def _is_the_programs(error: BaseException) -> bool:
    """Whether *error* is a UsageError, or a group with one in it."""
    if isinstance(error, BaseExceptionGroup):
        return error.subgroup(UsageError) is not None
    return isinstance(error, UsageError)
