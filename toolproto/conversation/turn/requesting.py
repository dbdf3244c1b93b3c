"""Asking the model: a request is put together, sent, and its reply read as it comes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, TypeVar

from ...protocol.errors import StoreError, TurnCancelled, UsageError
from ...protocol.events import Event, ReasoningDelta
from ...protocol.grammar.constraint import Constraint
from ...protocol.guard.neutralise import neutraliser
from ...protocol.guard.neutralise_messages import neutral_offer
from ...protocol.messages import ChatRequest, Chunk, Message
from ...protocol.paradigms.base import NO_TOOLS
from ...protocol.paradigms.splice import neutral
from ...protocol.paradigms.system_prompt import SystemPrompt
from ...protocol.params import merged
from ...protocol.taking_turns import taking_turns
from ...protocol.tools.spec import ToolOffer
from ..hooks import RequestReady, StreamData, overriding
from .commands import Clock, Close, Emit, Flow, Hook, Open, Read, Today, emit, perform
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
    #: What the model answered when it was last asked to sum up, for the present request.
    summary: Reply | None = field(default=None, init=False)
    #: What the next request says behind the conversation, and no later one.
    reminder: str = field(default="", init=False)
    _today: date | None = field(default=None, init=False)
    _no_summary: bool = field(default=False, init=False)
    _thought: list[str] | None = field(default=None, init=False)
    _thinks_since: float = field(default=0.0, init=False)

    def request(self, offered: Callable[[], ToolOffer]) -> Flow[ChatRequest]:
        """What to send now, as the hooks will have it.

        It offers what is *offered* behind the hooks: one that adds a tool has it taught at once.
        """
        offer = self.offer = offered()
        system = yield from self._system_prompt(offer)
        self.summary = None
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
        stop = self.setup.paradigm.stop(offer) if offer.tools else ()
        said = (*head, *self._messages(offer))
        constraint = self._constraint(offer)
        asked = ChatRequest(said, stop, params, stable, constraint, self.setup.model)
        moment = RequestReady(asked, self.setup.tools)
        for hook in overriding(self.setup.hooks, "on_before_request"):
            before = moment.request
            answer = yield from perform(Hook(hook, (moment,)))
            answer = moment.request if answer is None else answer
            moment.request = _expected(answer, ChatRequest, "on_before_request", before)
        request = moment.request
        if (now := offered()) != offer:
            request = yield from self._offering(now, request, asked)
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
            said, stable = self.setup.paradigm.splice_system_prompt(said, offer), 0
        messages = (Message("system", said), *without_system(request.messages))
        asked = replace(request, messages=messages, stable_prefix=stable)
        if request.stop == was.stop:
            asked = replace(asked, stop=self.setup.paradigm.stop(offer))
        if request.constraint is was.constraint:
            asked = replace(asked, constraint=self._constraint(offer))
        return asked

    def _constraint(self, offer: ToolOffer) -> Constraint | None:
        """The grammar of replies to *offer*, for an endpoint that can use it."""
        mode, paradigm = self.setup.constrain, self.setup.paradigm
        if mode == "off" or not offer.tools or self._is_private(offer):
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

    def listener(self, offer: ToolOffer | None = None, model: str = "") -> Reply:
        """A reply of *model* about to be heard; by default it is the session's."""
        paradigm, masking = self.setup.paradigm, self.setup.masking
        decoder = paradigm.decoder(offer) if offer else paradigm.decoder()
        unmasker = masking.unmasker() if masking else None
        model = model or self.setup.asked_model
        return Reply(decoder, unmasker, self.conversation.is_taken, model)

    def _system_prompt(self, offer: ToolOffer) -> Flow[SystemPrompt]:
        # Asked for once a turn: midnight must not change the prompt between two steps.
        self._today = self._today or (yield from perform(Today(self.setup.prompt.zone)))
        if self.setup.guard.neutralise:
            offer = neutral_offer(offer, neutraliser(self.setup.paradigm, self.setup.tools))
        return self.setup.prompt.build(self.setup.paradigm, offer, self._today)

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
        given, paradigm = self.setup.examples, self.setup.paradigm
        if given is True:
            given = paradigm.examples(offer)
        examples = paradigm.encode_history(list(given)) if given else []
        told = self.conversation
        shown = request_messages(
            self.setup, told.messages, self.begins, examples, told.neutral, offer, told.rendered
        )
        reminder, self.reminder = self.reminder, ""
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
        plan = compaction.plan(messages, compaction.counter(system.text), self.begins)
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
        reply = self.summary = self.listener()
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
