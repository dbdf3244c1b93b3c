"""What both sessions are: a conversation, how it is led, and one turn at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypedDict, Unpack

from ..approvals import (
    Allow,
    ApprovalRequest,
    Approver,
    Policy,
    Reviewer,
    decided,
    let_pass,
    refuse,
)
from ..errors import TurnCancelled, UsageError
from ..masking import Masking
from ..messages import Message, ToolResult
from ..paradigms.base import ToolContextDef
from ..paradigms.registry import get_paradigm
from ..prompt import ToolContextBuilder
from ..tools.define import Tool
from ..tools.registry import ToolRegistry
from ..turn.commands import Flow
from ..turn.compaction import Compaction
from ..turn.doom_loop import DoomLoop
from ..turn.flow import Turn
from ..turn.limits import TurnLimits
from ..turn.result import TurnResult
from ..turn.settling import Verdict
from ..turn.setup import Conversation, Terms, TurnSetup
from ..turn.states import TurnState
from .driver import Driver, Listener

__all__ = ["SessionBase", "SessionOptions", "TurnTerms"]

Begun = tuple[Turn, Flow[TurnResult]]


class TurnTerms(TypedDict, total=False):
    """What may differ from turn to turn; see :class:`~toolproto.turn.setup.Terms`."""

    choice: str
    parallel: bool
    params: Mapping[str, Any]


class SessionOptions(TypedDict, total=False):
    """How a session is led, beside its endpoint, paradigm and tools.

    *system* is the system prompt, or a builder that knows more. *approver* is asked about calls
    that *policy* does not settle, *reviewer* sees results before the model does. *params* go with
    every request. *history* is what was said before. With *keep_calls* off, later turns show the
    model only what earlier calls gave. *examples* shows small models one call before they begin.
    """

    system: str | ToolContextBuilder
    hooks: Iterable[Any]
    approver: Approver | None
    policy: Policy | None
    reviewer: Reviewer | None
    limits: TurnLimits | None
    params: Mapping[str, Any]
    history: Iterable[Message]
    keep_calls: bool
    examples: bool
    compaction: Compaction | None
    masking: Masking | None


class SessionBase:
    """A conversation that outlives its turns. Not used by itself."""

    _driver: Driver

    def __init__(
        self,
        paradigm: str | ToolContextDef,
        tools: Iterable[Tool | Callable[..., Any]] | ToolRegistry,
        **options: Unpack[SessionOptions],
    ) -> None:
        _refuse_unknown(options)
        hooks = tuple(options.get("hooks", ()))
        if classes := [hook for hook in hooks if isinstance(hook, type)]:
            raise UsageError(f"{classes[0].__name__} is a class; pass an instance of it as a hook")
        self.paradigm = get_paradigm(paradigm) if isinstance(paradigm, str) else paradigm
        self.tools = tools if isinstance(tools, ToolRegistry) else ToolRegistry(tools)
        self.limits = options.get("limits") or TurnLimits()
        self._approver = options.get("approver")
        self._reviewer = options.get("reviewer")
        self._setup = self._set_up(hooks, options)
        self._conversation = Conversation(
            list(options.get("history", ())), DoomLoop(self.limits.repeats)
        )
        self._busy = threading.Lock()

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} {self.paradigm.name}, {len(self.tools)} tools, "
            f"{len(self._conversation.messages)} messages, {self.state.value}>"
        )

    @property
    def messages(self) -> tuple[Message, ...]:
        """The conversation so far."""
        return tuple(self._conversation.messages)

    @property
    def pending(self) -> tuple[ApprovalRequest, ...]:
        """The calls that wait for ``resume``."""
        pending = self._conversation.pending
        return tuple(pending.waiting.values()) if pending else ()

    @property
    def state(self) -> TurnState:
        """Where the last turn is."""
        turn = self._driver.turn
        return turn.machine.state if turn else TurnState.IDLE

    @property
    def result(self) -> TurnResult | None:
        """What came of the last turn, once it is over."""
        turn = self._driver.turn
        return turn.result if turn else None

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call *listener* with a snapshot at every change of state; what is returned ends that."""
        listeners = self._driver.listeners
        listeners.append(listener)
        return lambda: listeners.remove(listener) if listener in listeners else None

    def cancel(self) -> None:
        """Stop the running turn soon, from any thread; without one, do nothing."""
        self._driver.interrupt(TurnCancelled("the turn was cancelled"))

    # -- for the two kinds of session ----------------------------------------------------

    def _shared(self) -> tuple[Any, ...]:
        """What a driver is made with, whichever it is."""
        return self, self.tools, self.limits, self._approver or refuse, self._reviewer or let_pass

    @contextmanager
    def _turn(self, text: str, terms: TurnTerms) -> Iterator[Begun]:
        with self._one_at_a_time():
            if self.pending:
                ids = ", ".join(request.call.id for request in self.pending)
                raise UsageError(f"calls wait for a decision ({ids}): resume() with it first")
            self.tools.offer(terms.get("choice", "auto"))  # no such tool? better said now
            turn = Turn(self._setup, self._conversation, Terms(**terms))
            yield turn, turn.run(Message("user", text))

    @contextmanager
    def _resumed_turn(self, verdicts: Mapping[str, Verdict]) -> Iterator[Begun]:
        with self._one_at_a_time():
            waiting = [request.call.id for request in self.pending]
            if not waiting:
                raise UsageError("no call is pending, so there is nothing to resume")
            if unknown := sorted(verdicts.keys() - set(waiting)):
                raise UsageError(f"no pending call has the id {unknown[0]!r}; these are: {waiting}")
            self._check_verdicts(verdicts)
            assert self._conversation.pending is not None
            turn = Turn(self._setup, self._conversation, self._conversation.pending.terms)
            yield turn, turn.resume(verdicts)

    def _check_verdicts(self, verdicts: Mapping[str, Verdict]) -> None:
        for request in self.pending:
            verdict = verdicts.get(request.call.id, "")
            if not isinstance(verdict, str | ToolResult):
                verdict = decided(verdict)
            tool = self.tools.get(request.call.name)
            if verdict in (Allow(), Allow(always=True)) and tool and tool.function is None:
                raise UsageError(
                    f"{tool.name!r} has no function to run; resume with its result, or Deny"
                )

    @contextmanager
    def _one_at_a_time(self) -> Iterator[None]:
        if not self._busy.acquire(blocking=False):
            raise UsageError("a turn is running; wait for it, cancel() it, or use another session")
        try:
            yield
        finally:
            self._busy.release()

    def _set_up(self, hooks: tuple[Any, ...], options: SessionOptions) -> TurnSetup:
        return TurnSetup(
            self.paradigm,
            self.tools,
            _builder(options.get("system", ""), options.get("masking")),
            hooks,
            options.get("policy") or Policy(),
            self.limits,
            options.get("params", {}),
            options.get("compaction"),
            options.get("masking"),
            options.get("keep_calls", True),
            options.get("examples", False),
            attended=self._approver is not None,
            reviewed=self._reviewer is not None,
        )


def _builder(system: str | ToolContextBuilder, masking: Masking | None) -> ToolContextBuilder:
    builder = ToolContextBuilder(system) if isinstance(system, str) else system
    if masking is None:
        return builder
    return replace(builder, system=f"{builder.system}\n\n{masking.rule}".strip())


def _refuse_unknown(options: Mapping[str, Any]) -> None:
    if unknown := sorted(options.keys() - SessionOptions.__annotations__.keys()):
        known = ", ".join(sorted(SessionOptions.__annotations__))
        raise UsageError(f"a session has no option {unknown[0]!r}; the options are: {known}")
