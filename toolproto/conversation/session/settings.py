"""What a session is led by: given when it is made, and assigned between two turns.

Each setting holds from the next request on. While a turn runs, assigning raises UsageError.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from ...protocol.deciding.policy import Policy
from ...protocol.errors import UsageError
from ...protocol.grammar.constraint import checked_mode
from ...protocol.guard.levels import Guard, guard_from
from ...protocol.guard.nonce import with_nonce
from ...protocol.messages import Message
from ...protocol.paradigms.base import ToolContextDef
from ...protocol.paradigms.registry import get_paradigm
from ...protocol.paradigms.system_prompt import ToolContextBuilder
from ...protocol.tools.define import Ordering
from ...protocol.tools.registry import ToolRegistry
from ...protocol.tools.spec import ToolOffer
from ..deciding.approvals import Approver, Reviewer, deny_all, let_pass
from ..deciding.circles import DoomLoop
from ..journal.kept_session import KeptSession
from ..masking import Masking
from ..turn.compaction import Compaction
from ..turn.limits import TurnLimits
from ..turn.pricing import Price, price_table
from ..workspaces import Workspace
from .driver import Driver
from .options import SessionOptions, Tools, checked_hooks, checked_ordering, prompt_builder

__all__ = ["SessionSettings", "made_paradigm", "made_registry"]

_NOTHING: Mapping[str, Any] = MappingProxyType({})


class SessionSettings(KeptSession):
    """The settings of a session, as :class:`~toolproto.ChatSession` takes them."""

    _driver: Driver
    _place: Workspace
    _nonce: str
    # As they were given: the setup has them with what the guard and the mask add.
    _plain: ToolContextDef
    _system: str | ToolContextBuilder
    _approver: Approver | None
    _reviewer: Reviewer | None

    def __setattr__(self, name: str, value: Any) -> None:
        fixed = name in SessionOptions.__annotations__ or name in ("history", "store")
        if fixed and not isinstance(getattr(type(self), name, None), property):
            raise UsageError(f"{name} is given when a session is made and cannot be assigned")
        super().__setattr__(name, value)

    @property
    def paradigm(self) -> ToolContextDef:
        """How the model writes calls."""
        return self._setup.paradigm

    @paradigm.setter
    def paradigm(self, paradigm: str | ToolContextDef) -> None:
        made = made_paradigm(paradigm)
        self._change({"_plain": made}, paradigm=self._spoken(made, self._setup.guard))

    @property
    def tools(self) -> ToolRegistry:
        """The tools. Changes in the registry count at once, another registry from the next turn."""
        return self._setup.tools

    @tools.setter
    def tools(self, tools: Tools) -> None:
        self._change(tools=made_registry(tools, self._place))

    @property
    def system(self) -> str | ToolContextBuilder:
        """The system prompt, or what builds it."""
        return self._system

    @system.setter
    def system(self, system: str | ToolContextBuilder) -> None:
        self._change({"_system": system}, prompt=prompt_builder(system))

    @property
    def approver(self) -> Approver | None:
        """Whoever is asked about calls; without one they are denied."""
        return self._approver

    @approver.setter
    def approver(self, approver: Approver | None) -> None:
        _check_callable("approver", approver)
        self._change({"_approver": approver}, attended=approver is not None)

    @property
    def policy(self) -> Policy:
        """Which calls run, need approval or are denied."""
        return self._setup.policy

    @policy.setter
    def policy(self, policy: Policy) -> None:
        self._change(policy=_checked("policy", policy, Policy))

    @property
    def reviewer(self) -> Reviewer | None:
        """Whoever sees results before the model does."""
        return self._reviewer

    @reviewer.setter
    def reviewer(self, reviewer: Reviewer | None) -> None:
        _check_callable("reviewer", reviewer)
        self._change({"_reviewer": reviewer}, reviewed=reviewer is not None)

    @property
    def limits(self) -> TurnLimits:
        """How far a turn may go."""
        return self._setup.limits

    @limits.setter
    def limits(self, limits: TurnLimits) -> None:
        self._change(limits=_checked("limits", limits, TurnLimits))

    @property
    def guard(self) -> Guard:
        """How careful the session is with what strangers wrote."""
        return self._setup.guard

    @guard.setter
    def guard(self, guard: str | Guard) -> None:
        made = guard_from(guard)
        nonce = self._nonce if made.nonce else ""
        self._change(guard=made, nonce=nonce, paradigm=self._spoken(self._plain, made))

    @property
    def params(self) -> Mapping[str, Any]:
        """The generation parameters of every request; assign others to change them."""
        return MappingProxyType(dict(self._setup.params))

    @params.setter
    def params(self, params: Mapping[str, Any]) -> None:
        self._change(params=dict(_checked("params", params, Mapping)))

    @property
    def model(self) -> str:
        """The model to ask for; if empty, the endpoint's own."""
        return self._setup.model

    @model.setter
    def model(self, model: str) -> None:
        self._change(model=_checked("model", model, str))

    @property
    def prices(self) -> Mapping[str, Price]:
        """What a million tokens cost, by model."""
        return MappingProxyType(dict(self._setup.prices))

    @prices.setter
    def prices(self, prices: Mapping[str, Any]) -> None:
        self._change(prices=price_table(prices))

    @property
    def hooks(self) -> tuple[Any, ...]:
        """The objects that take part in every turn."""
        return self._setup.hooks

    @hooks.setter
    def hooks(self, hooks: Iterable[Any]) -> None:
        self._change(hooks=checked_hooks(hooks))

    @property
    def ordering(self) -> Ordering:
        """How the calls of one reply run."""
        return self._setup.ordering

    @ordering.setter
    def ordering(self, ordering: Ordering) -> None:
        self._change(ordering=checked_ordering(ordering))

    @property
    def keep_calls(self) -> bool:
        """Whether later turns show the model the calls of earlier ones, beside their results."""
        return self._setup.keep_calls

    @keep_calls.setter
    def keep_calls(self, keep_calls: bool) -> None:
        self._change(keep_calls=_checked("keep_calls", keep_calls, bool))

    @property
    def examples(self) -> bool | Sequence[Message]:
        """The example calls at the beginning of every request."""
        return self._setup.examples

    @examples.setter
    def examples(self, examples: bool | Sequence[Message]) -> None:
        self._change(examples=_checked("examples", examples, bool | Sequence))

    @property
    def constrain(self) -> str:
        """Whether the model is held to a grammar."""
        return self._setup.constrain

    @constrain.setter
    def constrain(self, constrain: str) -> None:
        self._change(constrain=checked_mode(constrain))

    @property
    def compaction(self) -> Compaction | None:
        """When and how old messages are shortened."""
        return self._setup.compaction

    @compaction.setter
    def compaction(self, compaction: Compaction | None) -> None:
        self._change(compaction=_checked("compaction", compaction, Compaction | None))

    @property
    def masking(self) -> Masking | None:
        """Which values the model never sees."""
        return self._setup.masking

    @masking.setter
    def masking(self, masking: Masking | None) -> None:
        self._change(masking=_checked("masking", masking, Masking | None))

    # -- for the two kinds of session ----------------------------------------------------

    def _spoken(self, paradigm: ToolContextDef, guard: Guard) -> ToolContextDef:
        """*paradigm* as this session speaks it: with its nonce, if *guard* says so."""
        return with_nonce(paradigm, self._nonce) if guard.nonce else paradigm

    def _change(self, own: Mapping[str, Any] = _NOTHING, **changes: Any) -> None:
        """Lead the session differently from the next turn on; UsageError while one runs.

        *own* are attributes of the session, *changes* those of its setup.
        """
        with self._one_at_a_time():
            self._setup = replace(self._setup, **changes)
            for name, value in own.items():
                setattr(self, name, value)
            driver = self._driver
            driver.tools, driver.limits = self._setup.tools, self._setup.limits
            driver.approver = self._approver or deny_all
            driver.reviewer = self._reviewer or let_pass
            if self._keeping:
                self._keeping.setup = self._setup
            loop = DoomLoop(self._setup.limits.repeats)
            loop.restore(self._conversation.doom_loop.state())
            self._conversation.doom_loop = loop


def made_paradigm(paradigm: str | ToolContextDef) -> ToolContextDef:
    """Return *paradigm*, made if it is a name."""
    if isinstance(paradigm, str):
        return get_paradigm(paradigm)
    made: ToolContextDef = _checked("paradigm", paradigm, ToolContextDef)
    return made


def made_registry(tools: Tools, place: Workspace) -> ToolRegistry:
    """Return a registry of *tools*, and of those of the workspace."""
    if not isinstance(tools, Iterable | ToolOffer):
        raise UsageError(f"tools={tools!r:.200}: expected several, as [tool]")
    return place.with_tools(tools)


def _checked(name: str, value: Any, kind: Any) -> Any:
    """Return *value*; raise UsageError if it is not of *kind*."""
    if not isinstance(value, kind):
        wanted = getattr(kind, "__name__", str(kind))
        raise UsageError(f"{name}={value!r:.200}: expected {wanted}")
    return value


def _check_callable(name: str, value: Any) -> None:
    if value is not None and not callable(value):
        raise UsageError(f"{name}={value!r:.200}: expected a function or None")
