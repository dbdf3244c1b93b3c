"""The conversation that a chat holds: how it is led, and how that changes on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

from ...conversation.deciding.approvals import Approver
from ...conversation.session import ChatSession
from ...conversation.stores import MemoryStore, Store
from ...conversation.turn.limits import TurnLimits
from ...endpoints.base import Endpoint
from ...protocol.deciding.policy import Policy, Rule
from ...protocol.errors import ToolProtoError
from ...protocol.guard.levels import Guard
from ...protocol.messages import Attachment, Message, random_id
from ...protocol.paradigms.base import ToolContextDef
from ...protocol.paradigms.system_prompt import ToolContextBuilder
from ...protocol.tools.define import Ordering
from ...protocol.tools.registry import ToolRegistry
from ..endpoint_choice import EndpointChoice

__all__ = ["Approve", "Setup", "TerminalChat", "new_id", "policy"]

Approve = Literal["ask", "read", "all", "none"]


def policy(approve: Approve, allow: Sequence[str] = (), deny: Sequence[str] = ()) -> Policy:
    """What runs: what *approve* says, but for the tools that *deny* and *allow* name.

    ``ask`` and ``read`` let reading tools run; about the others somebody is asked, or they are
    denied because there is nobody. Even with ``all``, a call that had to be guessed at is asked
    about: the model can write it again.
    """
    rules: dict[str, Rule] = dict.fromkeys(deny, "deny")
    rules |= {pattern: "allow" for pattern in allow if pattern not in rules}
    whole: dict[Approve, Rule] = {"all": "allow", "none": "deny"}
    return Policy({**rules, "*": whole[approve]} if approve in whole else rules)


def new_id() -> str:
    """An id for a session that nobody named."""
    return random_id().replace("call_", "chat_")


@dataclass(frozen=True, slots=True)
class Setup:
    """How a conversation is led.

    *choose* makes the paradigm of a name, *source* is what the person said about the endpoint. A
    prompt that is *dated* is another one tomorrow, which a recording could not answer. A session
    that is not to last is kept in memory: that is where it is taken from when its paradigm changes,
    or when it is saved.
    """

    endpoint: Endpoint
    choose: Callable[..., ToolContextDef]
    paradigm: str
    tools: ToolRegistry = field(default_factory=ToolRegistry)
    system: str = ""
    dated: bool = True
    examples: bool | Sequence[Message] = False
    policy: Policy = field(default_factory=Policy)
    limits: TurnLimits = field(default_factory=TurnLimits)
    params: Mapping[str, Any] = field(default_factory=dict)
    store: Store = field(default_factory=MemoryStore)
    id: str = field(default_factory=new_id)
    constrain: str = "auto"
    ordering: Ordering = "parallel"
    prices: Mapping[str, Any] = field(default_factory=dict)
    workspace: str = ""
    auto_title: bool = False
    guard: Guard = field(default_factory=Guard)
    source: EndpointChoice = field(default_factory=EndpointChoice)

    def session(self, approver: Approver | None) -> ChatSession:
        """The session, as far as it has come."""
        return ChatSession(
            self.endpoint,
            self.choose(self.paradigm),
            self.tools,
            # Kept with the session, for whoever goes on with it.
            model=(self.source.model or "") if self.source.url else "",
            system=ToolContextBuilder(self.system, dated=self.dated),
            examples=self.examples,
            policy=self.policy,
            limits=self.limits,
            params=self.params,
            approver=approver,
            store=self.store,
            id=self.id,
            constrain=self.constrain,
            ordering=self.ordering,
            prices=self.prices,
            workspace=self.workspace,
            auto_title=self.auto_title,
            guard=self.guard,
        )


class TerminalChat:
    """A session, made anew when *setup* changes; nothing that was said gets lost by it."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.approver: Approver | None = None
        self.session = setup.session(None)
        #: What the next message shows the model.
        self.attached: list[Attachment] = []

    def said(self, text: str) -> str | list[str | Attachment]:
        """*text* as the next message: what is attached goes with it, once."""
        attached, self.attached = self.attached, []
        return [text, *attached] if attached else text

    def ask(self, approver: Approver) -> None:
        """Let *approver* decide about what the policy leaves open."""
        self.approver = approver
        self.change()

    def change(self, **changes: Any) -> None:
        """Lead the conversation differently from now on; if that cannot be, as before."""
        setup = replace(self.setup, **changes)
        self.session = setup.session(self.approver)
        self.setup = setup

    def use_model(self, name: str) -> None:
        """Talk with the model called *name* from now on."""
        source = self.setup.source.using(name)
        endpoint = source.open()
        old = self.setup.endpoint
        choose = partial(self.setup.choose, model=source.model_name)
        self.change(endpoint=endpoint, source=source, choose=choose)
        _close(old)

    def forget(self) -> None:
        """Begin anew: a session without a word. One that is kept in a store stays there."""
        self.change(id=new_id())

    @property
    def is_kept(self) -> bool:
        """Whether the session outlives this process."""
        return not isinstance(self.setup.store, MemoryStore)

    def last_message(self) -> tuple[str, int] | None:
        """What the person said last, and the number of the turn it began."""
        said = next((each for each in reversed(self.session.messages) if _is_said(each)), None)
        numbers = [turn.number for turn in self.session.turns if turn.message == said]
        return (said.content, numbers[-1]) if said and numbers else None

    def last_answer(self) -> str:
        """What the model answered to that; nothing, if it did not."""
        for message in reversed(self.session.messages):
            if _is_said(message):
                break
            if message.role == "assistant" and message.content:
                return message.content
        return ""

    def close(self) -> None:
        """Give back what endpoint, store and servers hold; keep no session without a word."""
        if not self.session.turns:
            with suppress(ToolProtoError):  # somebody else may have deleted it
                self.setup.store.delete(self.setup.id)
        for source in self.setup.tools.sources:
            source.close()
        for held in (self.setup.endpoint, self.setup.store):
            _close(held)


def _close(held: object) -> None:
    if close := getattr(held, "close", None):
        close()


def _is_said(message: Message) -> bool:
    return message.role == "user" and not message.results
