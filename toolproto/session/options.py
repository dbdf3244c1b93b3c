"""What a session is made with, and what a turn may ask for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, TypedDict, get_args
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from ..approvals import Approver, Policy, Reviewer
from ..errors import UsageError
from ..grammar.constraint import checked_mode
from ..guard.levels import Guard, guard_from
from ..masking import Masking
from ..messages import Message
from ..paradigms.base import ToolContextDef
from ..paradigms.registry import get_paradigm
from ..prompt import ToolContextBuilder
from ..tools.define import Ordering, Tool
from ..tools.registry import ToolRegistry
from ..turn.compaction import Compaction
from ..turn.limits import TurnLimits
from ..turn.pricing import price_table
from ..turn.setup import Terms, TurnSetup
from .redacting import Redaction

__all__ = [
    "SessionOptions",
    "TurnTerms",
    "own_message",
    "refuse_unknown",
    "turn_setup",
    "turn_terms",
]


class TurnTerms(TypedDict, total=False):
    """What may differ from turn to turn; see :class:`~toolproto.turn.setup.Terms`.

    *beside* is the number of an earlier turn: this one takes its place, and both are kept.
    """

    beside: int | None

    choice: str
    parallel: bool
    params: Mapping[str, Any]
    tools: Iterable[str | Tool] | None
    without: Iterable[str | Tool]
    system: str | None
    model: str
    paradigm: str


class SessionOptions(TypedDict, total=False):
    """How a session is led, beside its endpoint, paradigm and tools.

    *system* is the system prompt, or a builder that knows more. *approver* is asked about calls
    that *policy* does not settle, *reviewer* sees results before the model does. *params* go with
    every request. *history* is what was said before. With *keep_calls* off, later turns show the
    model only what earlier calls gave. *examples* shows small models one call before they begin.
    *constrain* holds the model to a grammar: ``auto`` (the default) where the endpoint is known to
    take one, ``calls`` always, ``off`` never. *guard* is how careful to be with what strangers
    wrote: ``standard`` (the default), ``strict``, ``off`` or a
    :class:`~toolproto.guard.levels.Guard`.
    *ordering* is how the calls of one reply run: ``parallel`` (the default), or ``in_order``.
    *model* is the model to ask for, where that is not the endpoint's own. *prices* are by model
    (``{"gpt-4o*": (2.5, 10)}``), for a million tokens that are read and written.
    *store* (``"sqlite:///chats.db"``) keeps the session under *id*, or opens the one it has;
    *redact* says what is not written there. *workspace* is what a new session belongs to. With
    *auto_title* the model finds a title for it, in the background, never in the way of a turn.
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
    store: Any
    id: str
    redact: Redaction | None
    constrain: str
    guard: str | Guard
    ordering: Ordering
    model: str
    prices: Mapping[str, Any]
    workspace: str
    auto_title: bool


def turn_terms(terms: TurnTerms) -> Terms:
    """*terms*, with what they leave open; a UsageError for a term that there is not."""
    default = Terms()
    if not isinstance(terms.get("params", {}), Mapping):
        raise UsageError(f"params={terms['params']!r}: expected a mapping, as {{'seed': 1}}")
    for term in ("system", "model", "paradigm"):
        if not isinstance(terms.get(term) or "", str):
            raise UsageError(f"{term}={terms.get(term)!r:.200}: a turn takes text")
    tools = terms.get("tools")
    return Terms(
        terms.get("choice", default.choice),
        terms.get("parallel", default.parallel),
        terms.get("params", default.params),
        None if tools is None else _names("tools", tools),
        _names("without", terms.get("without", ())),
        terms.get("system"),
        terms.get("model") or "",
        get_paradigm(name).name if (name := terms.get("paradigm")) else "",
    )


def _names(term: str, given: Iterable[str | Tool]) -> tuple[str, ...]:
    """Names or patterns of tools, of which a single one need not stand in a list."""
    each = (given,) if isinstance(given, str | Tool) else tuple(given)
    names: tuple[Any, ...] = tuple(one.name if isinstance(one, Tool) else one for one in each)
    if wrong := [name for name in names if not isinstance(name, str)]:
        raise UsageError(
            f"{term} got {wrong[0]!r:.200}; expected names of the session's tools, as 'fs_*'"
        )
    return names


def _ordering(ordering: Ordering) -> Ordering:
    if ordering not in get_args(Ordering):
        raise UsageError(f"ordering is {ordering!r}; use one of {get_args(Ordering)}")
    return ordering


def turn_setup(paradigm: ToolContextDef, tools: ToolRegistry, options: SessionOptions) -> TurnSetup:
    """What every turn of a session with *options* works with."""
    return TurnSetup(
        paradigm,
        tools,
        _builder(options.get("system", ""), options.get("masking")),
        _hooks(options.get("hooks", ())),
        options.get("policy") or Policy(),
        options.get("limits") or TurnLimits(),
        options.get("params", {}),
        options.get("compaction"),
        options.get("masking"),
        options.get("keep_calls", True),
        options.get("examples", False),
        attended=options.get("approver") is not None,
        reviewed=options.get("reviewer") is not None,
        constrain=checked_mode(options.get("constrain", "auto")),
        guard=guard_from(options.get("guard", "standard")),
        ordering=_ordering(options.get("ordering", "parallel")),
        model=options.get("model", ""),
        prices=price_table(options.get("prices", {})),
    )


def refuse_unknown(options: Mapping[str, Any], of_turn: bool = False) -> None:
    """Raise UsageError for an option of a session, or a term of a turn, that there is not."""
    known = (TurnTerms if of_turn else SessionOptions).__annotations__
    if unknown := sorted(options.keys() - known.keys()):
        whose = "a turn has no term" if of_turn else "a session has no option"
        raise UsageError(f"{whose} {unknown[0]!r}; there are: {', '.join(sorted(known))}")


def own_message(said: str | Message) -> Message:
    """The message that begins a turn; a UsageError if *said* cannot be one."""
    message = Message("user", said) if isinstance(said, str) else said
    if not isinstance(message, Message):
        raise UsageError(f"send() got {said!r:.200}; expected text, or a Message of the user")
    if message.role != "user" or message.calls or message.results:
        raise UsageError(
            f"a turn begins with what the user says; this is a message of the {message.role}"
            + (" with calls or results: resume() takes results" if message.role == "user" else "")
        )
    content: Any = message.content
    if not isinstance(content, str) or not content.strip():
        raise UsageError("there is nothing to send: the message is empty")
    return message


def _hooks(hooks: Iterable[Any]) -> tuple[Any, ...]:
    given = tuple(hooks)
    if classes := [hook for hook in given if isinstance(hook, type)]:
        raise UsageError(f"{classes[0].__name__} is a class; pass an instance of it as a hook")
    return given


def _check_zone(zone: str) -> None:
    try:
        if zone:
            ZoneInfo(zone)
    except (ValueError, OSError, ZoneInfoNotFoundError):
        raise UsageError(
            f"zone {zone!r} is not known here; use a name such as 'Europe/Oslo', and install "
            "'tzdata' where the machine has no time zones"
        ) from None


def _builder(system: str | ToolContextBuilder, masking: Masking | None) -> ToolContextBuilder:
    builder = ToolContextBuilder(system) if isinstance(system, str) else system
    if not isinstance(builder, ToolContextBuilder):
        raise UsageError(f"system={system!r:.200}: expected text or a ToolContextBuilder")
    _check_zone(builder.zone)
    if masking is None:
        return builder
    return replace(builder, system=f"{builder.system}\n\n{masking.rule}".strip())
