"""Asking the model: a request is put together, sent, and its reply read as it comes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, TypeVar

from ...protocol.decoding.contract import Decoder
from ...protocol.errors import StoreError, TurnCancelled, UsageError
from ...protocol.events import Event, ReasoningDelta
from ...protocol.finish_reasons import FinishKind, ending_of
from ...protocol.grammar.constraint import Constraint
from ...protocol.guard.neutralise import neutraliser
from ...protocol.guard.neutralise_messages import neutral_offer
from ...protocol.messages import ChatRequest, Chunk, Message
from ...protocol.native import NativeTools
from ...protocol.paradigms.base import NO_TOOLS, ToolContextDef
from ...protocol.paradigms.splice import neutral
from ...protocol.paradigms.system_prompt import SystemPrompt
from ...protocol.params import merged
from ...protocol.taking_turns import taking_turns
from ...protocol.tools.spec import ToolOffer
from ..hooks import RequestReady, StreamData, overriding
from .commands import Clock, Close, Emit, Flow, Hook, Native, Open, Read, Today, emit, perform
from .compaction import Compaction, Plan
from .events import (
    CompactionFailed,
    HistoryCompacted,
    ReasoningEnded,
    ReasoningStarted,
    ReplyConstrained,
)
from .reply import Reply
from .request import request_messages, system_notes, system_text, without_system
from .setup import Conversation, Terms, TurnSetup
from .values import with_values

__all__ = ["Requesting"]

T = TypeVar("T")
_GO_ON = "Your reply was cut off. Go on exactly where it ended, and repeat nothing."
_READ = Read()


@dataclass(slots=True)
class Requesting:
    """The requests of one turn, which began at message *begins*."""

    setup: TurnSetup
    conversation: Conversation
    terms: Terms
    begins: int = 0
    #: What the last request offers.
    offer: ToolOffer = field(default=NO_TOOLS, init=False)
    #: Whether the tools of the last request went to the service in its own way.
    is_native: bool = field(default=False, init=False)
    #: What the model answered when it was last asked to sum up, for the present request.
    summary: Reply | None = field(default=None, init=False)
    #: What the next request says behind the conversation, and no later one.
    reminder: str = field(default="", init=False)
    _native: NativeTools | None = field(default=None, init=False)
    _today: date | None = field(default=None, init=False)
    _no_summary: bool = field(default=False, init=False)
    _thought: list[str] | None = field(default=None, init=False)
    _thinks_since: float = field(default=0.0, init=False)

    def request(
        self, offered: Callable[[], ToolOffer], native: Native | None = None
    ) -> Flow[ChatRequest]:
        """What to send now, as the hooks will have it.

        It offers what is *offered* behind the hooks: one that adds a tool has it taught at once.
        Tools are *native* where the service takes them in its own way; None: in the paradigm.
        """
        offer = self.offer = offered()
        self.is_native = native is not None and bool(offer.tools)
        system = yield from self._system_prompt(offer)
        if self.setup.compaction:
            yield from self._compacted(self.setup.compaction, system)
        prompt = "\n\n".join(filter(None, (system.text, neutral(self._system_notes()))))
        text, stable = self._masked(
            (yield from self._transformed("transform_system", prompt, str)), system.header
        )
        params = yield from self._transformed(
            "transform_params", merged(self.setup.params, self.terms.params), Mapping
        )
        head = (Message("system", text),) if text else ()
        stop = self._paradigm.stop(offer) if offer.tools else ()
        said = (*head, *self._messages(offer))
        constraint, model = self._constraint(offer), self.setup.model
        shown = self._neutral(offer) if self.is_native else None
        asked = ChatRequest(said, stop, params, stable, constraint, model, shown)
        moment = RequestReady(asked, self.setup.tools)
        for hook in overriding(self.setup.hooks, "on_before_request"):
            before = moment.request
            answer = yield from perform(Hook(hook, (moment,)))
            answer = moment.request if answer is None else answer
            moment.request = _expected(answer, ChatRequest, "on_before_request", before)
        request = moment.request
        if (now := offered()) != offer:
            request = yield from self._offering(now, request, asked)
        if self.is_native and request.messages is not asked.messages:
            paired = with_values(request.messages, self.setup.paradigm)
            request = replace(request, messages=tuple(paired))
        masking = self.setup.masking
        return masking.mask_request(request, said) if masking else request

    def _offering(
        self, offer: ToolOffer, request: ChatRequest, was: ChatRequest
    ) -> Flow[ChatRequest]:
        """*request* with *offer* in place of what *was* offered; what hooks wrote there stays."""
        self.offer = offer
        if self.conversation.offered is not None:  # taught here, so no news in the next turn
            self.conversation.offered |= offer.names
        prompt = yield from self._system_prompt(offer)
        header, _ = self._masked(prompt.header, "")
        stable, said = request.stable_prefix, system_text(request.messages)
        if said[:stable] == system_text(was.messages)[: was.stable_prefix]:
            parts = (header, said[stable:].lstrip("\n"))
            said, stable = "\n\n".join(filter(None, parts)), len(header)
        else:  # a hook wrote another prompt: of that only the block of the tools is ours
            said, stable = self._paradigm.splice_system_prompt(said, offer), 0
        head = (Message("system", said),) if said else ()
        messages = (*head, *without_system(request.messages))
        asked = replace(request, messages=messages, stable_prefix=stable)
        if request.offer is was.offer and self.is_native:
            asked = replace(asked, offer=self._neutral(offer))
        if request.stop == was.stop:
            asked = replace(asked, stop=self._paradigm.stop(offer))
        if request.constraint is was.constraint:
            asked = replace(asked, constraint=self._constraint(offer))
        return asked

    def _constraint(self, offer: ToolOffer) -> Constraint | None:
        """The grammar of replies to *offer*, for an endpoint that can use it."""
        mode, paradigm = self.setup.constrain, self._paradigm
        if mode == "off" or not offer.tools or self.is_native or self._is_private(offer):
            return None
        return Constraint(lambda: paradigm.grammar(offer), mode == "calls")

    def _is_private(self, offer: ToolOffer) -> bool:
        """Whether a grammar of *offer* would hold a private value, which a choice may be."""
        masking = self.setup.masking
        return masking is not None and masking.hides(
            json.dumps([tool.parameters for tool in offer.tools], default=str)
        )

    def placed(self, position: int) -> None:
        """A message was put at *position*: this turn may begin one later."""
        self.begins += position < self.begins

    def read(self, request: ChatRequest, reply: Reply) -> Flow[None]:
        """Read the answer to *request* into *reply*, to its end, showing what it brings."""
        try:
            yield from self._heard(request, reply)
            self.reminder = ""
            for _ in range(self.setup.limits.continuations):
                if reply.is_too_long:
                    yield from self._continued(request, reply)
            for event in reply.end():
                yield from self._thinking(event, reply)
                yield Emit(event)
        except Exception:
            yield from self._thought_ended(reply)
            raise
        yield from self._thought_ended(reply)

    def listener(self, model: str = "") -> Reply:
        """The reply to the last request, about to be heard; by default of the session's model."""
        return self._listener(self._paradigm.decoder(self.offer), model)

    def _listener(self, decoder: Decoder, model: str = "") -> Reply:
        masking = self.setup.masking
        unmasker = masking.unmasker() if masking else None
        model = model or self.setup.asked_model
        return Reply(decoder, unmasker, self.conversation.is_taken, model)

    @property
    def _paradigm(self) -> ToolContextDef:
        """What the present request is made and read by."""
        if not self.is_native:
            return self.setup.paradigm
        self._native = self._native or NativeTools(self.setup.paradigm)
        return self._native

    def announces(self, reply: Reply) -> bool:
        """Whether *reply* ends in calls, by the word of a service with tools of its own."""
        return self.is_native and ending_of(reply.finish_reason or "") is FinishKind.CALLS

    def _system_prompt(self, offer: ToolOffer) -> Flow[SystemPrompt]:
        # Asked for once a turn: midnight must not change the prompt between two steps.
        self._today = self._today or (yield from perform(Today(self.setup.prompt.zone)))
        return self.setup.prompt.build(self._paradigm, self._neutral(offer), self._today)

    def _neutral(self, offer: ToolOffer) -> ToolOffer:
        """*offer* as the model may see it: strangers may have written what it says."""
        if not self.setup.guard.neutralise:
            return offer
        return neutral_offer(offer, neutraliser(self._paradigm, self.setup.tools))

    def _masked(self, text: str, header: str) -> tuple[str, int]:
        """*text* as it may be sent, and how much of it is the *header* that never changes."""
        header = header if text.startswith(header) else ""
        if not self.setup.masking:
            return text, len(header)
        mask = self.setup.masking.mask_text
        whole, kept = mask(text), mask(header)
        # A value may begin in the one and end in the other.
        return whole, len(kept) if whole.startswith(kept) else 0

    def _system_notes(self) -> str:
        told = self.conversation
        return system_notes(told.noted.among(told.messages))

    def _messages(self, offer: ToolOffer) -> list[Message]:
        given, paradigm = self.setup.examples, self._paradigm
        if given is True:  # they are calls as text
            given = () if self.is_native else paradigm.examples(offer)
        examples = paradigm.encode_history(list(given)) if given else []
        told = self.conversation
        setup = replace(self.setup, paradigm=paradigm) if self.is_native else self.setup
        shown = request_messages(
            setup, told.messages, self.begins, examples, told.neutral, offer, told.rendered
        )
        reminder = self.reminder
        return taking_turns([*shown, Message("user", reminder)]) if reminder else shown

    def _transformed(self, name: str, value: T, kind: Any) -> Flow[T]:
        for hook in overriding(self.setup.hooks, name):
            answer = yield from perform(Hook(hook, (value,)))
            value = _expected(answer, kind, name, value)
        return value

    # -- reading -------------------------------------------------------------------------

    def _heard(self, request: ChatRequest, reply: Reply, show: bool = True) -> Flow[None]:
        hooks = overriding(self.setup.hooks, "on_stream_data") if show else []
        reply.finish_reason = None
        reports, began = reply.reports, False
        try:
            yield Open(request)
            told = not show
            while (chunk := (yield _READ)) is not None:
                began = True
                if not told and request.constraint is not None and request.constraint.rendering:
                    yield Emit(ReplyConstrained(request.constraint.rendering))
                told = True
                for hook in hooks:
                    chunk = yield from _hooked(hook, chunk, reply)
                events = reply.hear(chunk)
                for event in events if show else ():
                    if self._thought is not None or type(event) is ReasoningDelta:
                        yield from self._thinking(event, reply)
                    yield emit(event)
                if reply.is_over:
                    break
        except Exception:
            yield Close()
            raise
        finally:
            if began and reply.reports == reports:
                reply.is_counted = False
        yield Close()

    def _thinking(self, event: Event, reply: Reply) -> Flow[None]:
        """Tell that thinking begins, or has ended, with *event* of *reply*."""
        if not isinstance(event, ReasoningDelta):
            yield from self._thought_ended(reply)
            return
        if self._thought is None:
            self._thought = []
            self._thinks_since = yield from perform(Clock())
            yield Emit(ReasoningStarted())
        self._thought.append(event.text)

    def _thought_ended(self, reply: Reply) -> Flow[None]:
        if self._thought is not None:
            thought, self._thought = "".join(self._thought).rstrip(), None
            seconds = (yield from perform(Clock())) - self._thinks_since
            reply.thought_seconds = (reply.thought_seconds or 0.0) + seconds
            yield Emit(ReasoningEnded(thought, seconds))

    def _continued(self, request: ChatRequest, reply: Reply) -> Flow[None]:
        """Have the model go on with a reply that was cut, into the same *reply*."""
        reply.continued = True
        said = Message("assistant", "".join(reply.heard))
        messages = (*request.messages, said, Message("user", _GO_ON))
        # The rest of a reply is no reply of the grammar.
        rest = replace(request, messages=messages, constraint=None)
        yield from self._heard(rest, reply)

    # -- compaction ----------------------------------------------------------------------

    def _compacted(self, compaction: Compaction, system: SystemPrompt) -> Flow[None]:
        messages = self.conversation.messages
        overhead = compaction.counter(system.text)
        if self.is_native:  # the tools stand beside the prompt, and are counted as part of it
            tools = [(each.name, each.description, each.parameters) for each in self.offer.tools]
            overhead += compaction.counter(json.dumps(tools, ensure_ascii=False, default=str))
        plan = compaction.plan(messages, overhead, self.begins)
        if not plan.pruned and not plan.cut:
            return
        before, after = tuple(messages), list(plan.messages)
        if plan.cut:
            summary = yield from self._summary(compaction, plan)
            if summary is not None:
                notes = [each for each in plan.to_summarise if each.role == "system"]
                after = [*notes, *compaction.with_summary(summary, plan.kept)]
            elif not plan.pruned:
                return
        self.begins = max(0, self.begins + len(after) - len(before))
        messages[:] = after
        yield Emit(HistoryCompacted(before, tuple(after)))

    def _summary(self, compaction: Compaction, plan: Plan) -> Flow[str | None]:
        """A summary of what goes; None if none could be had, and then everything stays.

        It is tried once a turn: the answer does not depend on it, and is not to wait for it.
        """
        if self._no_summary:
            return None
        shown = request_messages(self.setup, plan.to_summarise, 0)
        reply = self.summary = self._listener(self.setup.paradigm.decoder())
        asked = compaction.summary_request(shown)
        request = ChatRequest(asked, params=dict(self.setup.params), model=self.setup.model)
        if self.setup.masking:
            request = self.setup.masking.mask_request(request, asked)
        try:
            yield from self._heard(request, reply, show=False)
            reply.end()
        except (TurnCancelled, StoreError, UsageError):
            raise
        except Exception as error:
            self._no_summary = True
            yield Emit(CompactionFailed(error))
            return None
        return reply.text


def _hooked(hook: Callable[..., Any], chunk: Chunk, reply: Reply) -> Flow[Chunk]:
    answer = yield from perform(Hook(hook, (StreamData(chunk, reply.heard, reply.message),)))
    return _expected(answer, Chunk, "on_stream_data", chunk)


def _expected(answer: Any, kind: type[T], hook: str, otherwise: T) -> T:
    """What a hook answered, *otherwise* if nothing."""
    if answer is None:
        return otherwise
    if not isinstance(answer, kind):
        raise UsageError(f"{hook} answered {answer!r}; expected a {kind.__name__} or None")
    return answer
