"""What a turn works with: how it speaks, and what has been said."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...protocol.deciding.decisions import Yes
from ...protocol.deciding.pins import Grant
from ...protocol.deciding.policy import Policy
from ...protocol.guard.levels import Guard
from ...protocol.guard.neutralise_messages import NeutralBefore
from ...protocol.guard.taint import Sources
from ...protocol.messages import Attachment, Message, ToolCall, ToolResult
from ...protocol.paradigms.base import ToolContextDef
from ...protocol.paradigms.system_prompt import ToolContextBuilder
from ...protocol.tools.answer import AnswerForm
from ...protocol.tools.define import Ordering
from ...protocol.tools.registry import ToolRegistry
from ..deciding.approvals import ApprovalRequest, Decision
from ..deciding.circles import DoomLoop
from ..masking import Masking
from .compaction import Compaction
from .limits import TurnLimits
from .pricing import Price
from .rendered import NotedBefore, RenderedBefore

__all__ = ["Conversation", "Pending", "Terms", "TurnSetup"]


@dataclass(frozen=True, slots=True)
class TurnSetup:
    """What stays the same from turn to turn.

    With *keep_calls* off, later turns show the model only the results of earlier calls; with
    *examples* on, every request begins with the paradigm's example. *attended*: somebody approves
    calls; *reviewed*: somebody sees the results before the model does. *constrain* is whether
    the model is to be held to a grammar (see :mod:`toolproto.protocol.grammar.constraint`), *guard*
    how careful to be with what strangers wrote. *ordering* says whether the calls of one reply run
    at the same time or in their order; a tool may say otherwise. *model* is asked for by name,
    where it is not the endpoint's own, which is *usual_model*; *prices* are by model. *output* is
    the form that the answer of this turn must have. *sees* tells which attachments of results the
    model is shown, *refusal* why one that the user attached earlier cannot be; None: all are.
    *agent* is the prompt of the workspace, which stands above that of the session, and *nonce* goes
    into the markers of the paradigm that a turn names.
    """

    paradigm: ToolContextDef
    tools: ToolRegistry
    prompt: ToolContextBuilder = field(default_factory=ToolContextBuilder)
    hooks: tuple[Any, ...] = ()
    policy: Policy = field(default_factory=Policy)
    limits: TurnLimits = field(default_factory=TurnLimits)
    params: Mapping[str, Any] = field(default_factory=dict)
    compaction: Compaction | None = None
    masking: Masking | None = None
    keep_calls: bool = True
    examples: bool | Sequence[Message] = False
    attended: bool = False
    reviewed: bool = False
    constrain: str = "off"
    guard: Guard = field(default_factory=Guard)
    ordering: Ordering = "parallel"
    model: str = ""
    usual_model: str = ""
    prices: Mapping[str, Price] = field(default_factory=dict)
    output: AnswerForm | None = None
    sees: Callable[[Attachment], bool] | None = None
    agent: str = ""
    refusal: Callable[[Attachment], str] | None = None
    nonce: str = ""

    @property
    def asked_model(self) -> str:
        """The name of the model that answers; empty if that is not known."""
        return self.model or self.usual_model


@dataclass(frozen=True, slots=True)
class Terms:
    """On what terms one turn is held; *choice* holds until it is met.

    *tools* are names or patterns (``fs_*``) of those that are offered, all if it is None, *without*
    of those that are not. *model* and *paradigm* take the place of the session's; *system* is added
    to its prompt. *output* is the form of the answer, if it is to be more than text.
    """

    choice: str = "auto"
    parallel: bool = True
    params: Mapping[str, Any] = field(default_factory=dict)
    tools: tuple[str, ...] | None = None
    without: tuple[str, ...] = ()
    system: str | ToolContextBuilder | None = None
    model: str = ""
    paradigm: str | ToolContextDef = ""
    output: AnswerForm | None = None


@dataclass(frozen=True, slots=True)
class Pending:
    """Calls whose turn ended before they did, and what is known of them.

    *waiting*, *results* and *held* are by call id; together they have every one of *calls*. Those
    *held*, as they would run, wait until others are decided about; to some of them somebody has
    *answered* with yes. *terms* are what the turn goes
    on with. *unreviewed* are results of calls that ran, and wait for somebody who says whether the
    model may see them.
    """

    message: Message
    calls: tuple[ToolCall, ...]
    waiting: Mapping[str, ApprovalRequest]
    results: Mapping[str, ToolResult] = field(default_factory=dict)
    decisions: Mapping[str, Decision] = field(default_factory=dict)
    terms: Terms = field(default_factory=Terms)
    unreviewed: Mapping[str, ToolResult] = field(default_factory=dict)
    held: Mapping[str, ToolCall] = field(default_factory=dict)
    answered: Mapping[str, Yes] = field(default_factory=dict)


@dataclass(slots=True)
class Conversation:
    """What has been said and decided; it outlives its turns.

    *started* has the ids of all calls that were ever run, *begun* those that were run in a turn
    that broke off and is told again.
    """

    messages: list[Message] = field(default_factory=list)
    doom_loop: DoomLoop = field(default_factory=DoomLoop)
    granted: dict[str, Grant] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    started: set[str] = field(default_factory=set)
    begun: set[str] = field(default_factory=set)
    pending: Pending | None = None
    sources: Sources = field(default_factory=Sources)
    neutral: NeutralBefore = field(default_factory=NeutralBefore)
    rendered: RenderedBefore = field(default_factory=RenderedBefore)
    noted: NotedBefore = field(default_factory=NotedBefore)
    # The names of all tools that were on offer; None before the first turn, or if nobody knows.
    offered: frozenset[str] | None = None

    def joined(self, message: Message) -> None:
        """Take note of whose words *message* has, and of the ids of its calls."""
        self.seen.update(call.id for call in message.calls)
        self.sources.hear(message)

    def is_taken(self, id: str) -> bool:
        """Return True if a call has that id.

        It goes by what is kept, so that a turn that is told again names its calls as before.
        """
        return id in self.seen or id in self.started
