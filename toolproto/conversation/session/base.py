"""What both sessions are: a conversation, how it is led, and one turn at a time.

:mod:`toolproto.conversation.journal.kept_session` has the members that need a store.
"""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from secrets import randbelow
from typing import Any, Generic, Self, TypeVar, Unpack

from ...protocol.deciding.policy import Policy
from ...protocol.errors import TurnCancelled, UsageError
from ...protocol.grammar.constraint import checked_mode
from ...protocol.guard.levels import Guard, guard_from
from ...protocol.guard.nonce import new_nonce
from ...protocol.guard.taint import known
from ...protocol.messages import ChatRequest, Message, ToolResult, Usage, new_id
from ...protocol.paradigms.base import ToolContextDef
from ...protocol.paradigms.system_prompt import ToolContextBuilder
from ...protocol.params import merged
from ...protocol.secrets import Redactor
from ...protocol.tools.answer import AnswerForm, answer_form
from ...protocol.tools.define import Ordering
from ...protocol.tools.registry import ToolRegistry
from ..deciding.answers import Verdict
from ..deciding.approvals import (
    Allow,
    ApprovalRequest,
    Approver,
    Reviewer,
    decided,
    deny_all,
    let_pass,
)
from ..deciding.circles import DoomLoop
from ..journal.keeping import Begun, check_exists, open_keeping
from ..journal.redacting import Redaction
from ..journal.remembered import Remembered
from ..journal.titles import TitleReply
from ..masking import Masking
from ..turn.compaction import Compaction
from ..turn.limits import TurnLimits
from ..turn.offering import naming_new_tools, offered
from ..turn.pricing import Expenses, cost_of, price_table
from ..turn.result import TurnResult
from ..turn.setup import Conversation, Terms, TurnSetup
from ..turn.states import TurnState
from ..workspaces import Workspace
from .driver import Listener
from .options import (
    Said,
    SessionOptions,
    Tools,
    TurnTerms,
    checked_hooks,
    checked_ordering,
    own_message,
    prompt_builder,
    refuse_unknown,
    turn_terms,
)
from .settings import SessionSettings, made_paradigm, made_registry

__all__ = ["SessionBase"]


#: The paradigm of a session for which none was named.
_USUAL = "json_strict"
#: As many forms of answers are remembered, for turns that are run again.
_FORMS = 16
AnyEndpoint = TypeVar("AnyEndpoint")


class SessionBase(SessionSettings, Generic[AnyEndpoint]):
    """A conversation that outlives its turns. Not used by itself."""

    _endpoint: AnyEndpoint

    def __init__(
        self,
        endpoint: AnyEndpoint | Callable[..., Any],
        paradigm: str | ToolContextDef | None = None,
        tools: Tools = (),
        *,
        system: str | ToolContextBuilder | None = None,
        approver: Approver | None = None,
        policy: Policy | None = None,
        reviewer: Reviewer | None = None,
        limits: TurnLimits | None = None,
        guard: str | Guard = "standard",
        params: Mapping[str, Any] | None = None,
        model: str | None = None,
        prices: Mapping[str, Any] | None = None,
        history: Iterable[Message] | None = None,
        hooks: Iterable[Any] = (),
        ordering: Ordering = "parallel",
        keep_calls: bool = True,
        examples: bool | Sequence[Message] = False,
        constrain: str = "auto",
        compaction: Compaction | None = None,
        masking: Masking | None = None,
        store: Any = None,
        id: str | None = None,
        redact: Redaction | None = None,
        workspace: str | Workspace = "",
        auto_title: bool = False,
    ) -> None:
        """Begin a conversation, or continue one that *store* keeps.

        Args:
            endpoint: the service that is asked, or a function from a ChatRequest to text
            paradigm: how the model writes calls, by name or as an object; ``json_strict``, or the
                paradigm of a kept session
            tools: functions, tools, MCP servers and other sources of tools, or a registry of them
            system: the system prompt, or a builder of system prompts; none, or the text that a
                kept session had
            approver: asked about calls that *policy* does not decide; without one they are denied
            policy: which calls run without a question, are denied, or need approval
            reviewer: sees results before the model does
            limits: how far a turn may go
            guard: how careful to be with what strangers wrote: ``standard``, ``strict``, ``off`` or
                a Guard
            params: generation parameters of every request (``{"temperature": 0}``)
            model: the model to ask for, if it is not the endpoint's own
            prices: by model, per million tokens read and written (``{"gpt-4o*": (2.5, 10)}``)
            history: what was said before
            hooks: objects that take part in every turn
            ordering: how the calls of one reply run: ``parallel`` or ``in_order``
            keep_calls: if off, later turns show the model only the results of earlier calls
            examples: example calls for small models: True, or exchanges of your own
            constrain: hold the model to a grammar: ``auto`` if the endpoint is known to take
                one, ``calls`` always, ``off`` never
            compaction: when and how old messages are shortened
            masking: which values the model never sees, and how they are put back
            store: where the session is kept: ``"sqlite:///chats.db"``, ``"memory:"`` or a Store
            id: the name under which *store* keeps it; an existing session is opened
            redact: what is not written to *store*
            workspace: the workspace of a new session, by name, or a Workspace, which brings a
                prompt and tools
            auto_title: let the model find a title in the background, without delaying a turn
        """
        given = isinstance(tools, ToolRegistry)
        place = workspace if isinstance(workspace, Workspace) else Workspace(workspace)
        self._place = place
        if store is not None and history is not None:
            raise UsageError("a stored session has its own history; leave out history=, or store=")
        self._setup = TurnSetup(
            made_paradigm(paradigm or _USUAL),
            made_registry(tools, place),
            prompt_builder(system or ""),
            checked_hooks(hooks),
            policy or Policy(),
            limits or TurnLimits(),
            params or {},
            compaction,
            masking,
            keep_calls,
            examples,
            attended=approver is not None,
            reviewed=reviewer is not None,
            constrain=checked_mode(constrain),
            guard=guard_from(guard),
            ordering=checked_ordering(ordering),
            model=model or "",
            prices=price_table(prices or {}),
            agent=place.system,
        )
        # Sources that nobody else has opened are closed with the session.
        self._opened = [each for each in self.tools.sources if not given and not each.is_open]
        self._approver, self._reviewer = approver, reviewer
        self._conversation = Conversation(list(history or ()), DoomLoop(self.limits.repeats))
        for message in self._conversation.messages:
            self._conversation.sources.hear_history(known(message, self.tools, self._setup.guard))
            self._conversation.seen.update(call.id for call in message.calls)
        self._keeping = open_keeping(self._setup, store, id, place.name, redact)
        if self._keeping:
            led = self._keeping.log.led
            kept = made_paradigm(paradigm or led.get("paradigm") or _USUAL)
            model = led.get("model", "") if model is None else model
            system = led.get("system", "") if system is None else system
            prompt = prompt_builder(system)
            self._setup = replace(self._setup, paradigm=kept, model=model, prompt=prompt)
        # A turn that broke off is read again as it was, so a kept session keeps its nonce.
        kept_nonce = self._keeping.log.led.get("nonce") if self._keeping else None
        self._nonce = kept_nonce or new_nonce(randbelow)
        nonce = self._nonce if self._setup.guard.nonce else ""
        self._plain, self._system = self._setup.paradigm, system or ""
        spoken = self._spoken(self._plain, self._setup.guard)
        self._setup = replace(self._setup, paradigm=spoken, nonce=nonce)
        self._given: dict[str, ToolContextDef] = {}
        if self._keeping:
            self._keeping.setup, self._keeping.nonce = self._setup, self._nonce
            self._keeping.given = self._given
            self._conversation = self._keeping.conversation()
        self._remembered = Remembered(self._conversation)
        self._forms: list[AnswerForm] = []
        self._auto_title = auto_title
        self._expenses = Expenses()
        if auto_title and self._keeping is None:
            raise UsageError("auto_title needs a session that is kept: give it a store, too")
        self._own_id = new_id("session")
        self._busy = threading.Lock()
        self._drive_with(endpoint)

    @classmethod
    def open(
        cls,
        store: Any,
        id: str,
        endpoint: AnyEndpoint | Callable[..., Any],
        **options: Unpack[SessionOptions],
    ) -> Self:
        """The session *id* of *store*; if there is no such session, a UsageError is raised."""
        check_exists(store, id)
        return cls(endpoint, store=store, id=id, **options)

    @abstractmethod
    def _drive_with(self, endpoint: AnyEndpoint | Callable[..., Any]) -> None:
        """Make the endpoint and the driver of the session."""

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} {self.paradigm.name}, {len(self.tools)} tools, "
            f"{len(self._conversation.messages)} messages, {self.state.value}>"
        )

    @property
    def endpoint(self) -> AnyEndpoint:
        """The service that is asked."""
        return self._endpoint

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
        """The state of the last turn."""
        turn = self._driver.turn
        return turn.machine.state if turn else TurnState.IDLE

    @property
    def result(self) -> TurnResult[Any] | None:
        """The result of the last turn, once it is over."""
        turn = self._driver.turn
        return turn.result if turn else None

    @property
    def usage(self) -> Usage:
        """The tokens of all requests since the session was opened, for summaries and titles too."""
        return self._expenses.usage

    @property
    def cost(self) -> float | None:
        """The cost of all requests since the session was opened; None if one's is not known."""
        return self._expenses.cost

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call *listener* at every change of state; the returned function ends that."""
        listeners = self._driver.listeners
        listeners.append(listener)
        return lambda: listeners.remove(listener) if listener in listeners else None

    def close(self) -> None:
        """Close the store and the sources of tools that the session opened.

        A running turn continues to its end.
        """
        if self._keeping:
            self._keeping.close()
        for source in self._opened:
            source.close()

    def cancel(self) -> None:
        """Stop the running turn soon, from any thread; do nothing if no turn runs."""
        self._driver.interrupt(TurnCancelled("the turn was cancelled"))

    # -- for the two kinds of session ----------------------------------------------------

    def _shared(self) -> tuple[Any, ...]:
        """What a driver is made with, whichever it is."""
        approver, reviewer = self._approver or deny_all, self._reviewer or let_pass
        named = getattr(self.endpoint, "model", "")
        self._setup = replace(
            self._setup,
            usual_model=named if isinstance(named, str) else "",
            sees=getattr(self.endpoint, "sees", None),
            refusal=getattr(self.endpoint, "refusal", None),
        )
        if self._keeping:
            self._keeping.setup = self._setup
        log = self._keeping.log if self._keeping else None
        if log and isinstance(known := getattr(self.endpoint, "redactor", None), Redactor):
            log.redact.also(known)
        return self, self.tools, self.limits, approver, reviewer, log

    @contextmanager
    def _turn(
        self, said: Said, terms: TurnTerms, output: Any = None, message_id: str | None = None
    ) -> Iterator[Begun]:
        refuse_unknown(terms)
        message, agreed = own_message(said), turn_terms(terms)
        if output is not None:
            form = answer_form(output)
            agreed, self._forms = replace(agreed, output=form), [form, *self._forms][:_FORMS]
        if isinstance(agreed.paradigm, ToolContextDef):
            self._given[agreed.paradigm.name] = agreed.paradigm
        else:
            self._given.pop(agreed.paradigm, None)
        with self._one_at_a_time():
            if known := self._known(message_id):
                yield known
                return
            # No such tool? Better said now.
            self.tools.matching(*(agreed.tools or ()), *agreed.without)
            self._check_native()
            offer = offered(self._setup, agreed, agreed.choice)
            self._check_sendable(message, agreed)
            following = self._go_to(terms)
            message = naming_new_tools(message, offer, self.tools, self._conversation)
            message = replace(message, id=message.id or new_id("message"))
            try:
                yield from self._counted(self._run(message, agreed, message_id))
            finally:
                self._settle(following)

    def _check_native(self) -> None:
        """Raise UsageError if the endpoint's way of calling tools is not what the guard demands."""
        if self._setup.guard.nonce and getattr(self.endpoint, "native", "") == "only":
            raise UsageError(
                "a nonce stands in the markers of a paradigm, and native='only' speaks none; give"
                " the endpoint native='auto' or 'never', or a guard without nonce"
            )

    def _check_sendable(self, message: Message, terms: Terms) -> None:
        """Raise UsageError if the endpoint cannot send *message* on these *terms*."""
        if check := getattr(self.endpoint, "check", None):
            params = merged(self._setup.params, terms.params)
            model = terms.model or self._setup.model
            check(ChatRequest((message,), params=params, model=model))

    @contextmanager
    def _resumed_turn(
        self, verdicts: Mapping[str, Verdict], message_id: str | None = None
    ) -> Iterator[Begun]:
        with self._one_at_a_time():
            if known := self._known(message_id):
                yield known
                return
            if self.interrupted and self._keeping:
                self._keeping.check_same(verdicts)
                self._conversation, begun = self._keeping.go_on()
                yield from self._counted(begun)
                return
            waiting = [request.call.id for request in self.pending]
            if not waiting:
                raise UsageError("no call is pending, so there is nothing to resume")
            if unknown := sorted(verdicts.keys() - set(waiting)):
                raise UsageError(f"no pending call has the id {unknown[0]!r}; these are: {waiting}")
            self._check_verdicts(verdicts)
            yield from self._counted(self._resume(verdicts, message_id))

    def _counted(self, begun: Begun) -> Iterator[Begun]:
        """Give *begun*, and add what the turn took when it is over."""
        try:
            yield begun
        finally:
            turn, _ = begun
            for step in turn.result.steps if turn.result else ():
                self._expenses.add(step.usage, step.cost)

    @contextmanager
    def _counting(self, reply: TitleReply) -> Iterator[None]:
        """Add what *reply* took when it was heard."""
        try:
            yield
        finally:
            setup = self._setup
            cost = cost_of(setup.prices, setup.asked_model, reply.usage)
            self._expenses.add(reply.usage or Usage(), cost)

    def _check_verdicts(self, verdicts: Mapping[str, Verdict]) -> None:
        pending = self._conversation.pending
        unreviewed = pending.unreviewed if pending else {}
        for request in self.pending:
            verdict = verdicts.get(request.call.id, "")
            if not isinstance(verdict, str | ToolResult):
                verdict = decided(verdict)
            tool = self.tools.get(request.call.name)
            if request.call.id in unreviewed:
                if isinstance(verdict, Allow) and verdict.instead:
                    raise UsageError(
                        "the call has already run: give Allow() to pass its result on, or a result"
                    )
                continue
            is_about_it = request.kind != "loop"  # that question is about going on, not the call
            if (
                is_about_it
                and isinstance(verdict, Allow)
                and not verdict.instead
                and tool
                and not tool.function
            ):
                raise UsageError(
                    f"{tool.name!r} has no function to run; resume with its result, or Deny"
                )
