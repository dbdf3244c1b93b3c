"""What a session is made with, and what a turn may ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypedDict, get_args
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from ...protocol.deciding.policy import Policy
from ...protocol.errors import UsageError
from ...protocol.guard.levels import Guard
from ...protocol.messages import Attachment, Message
from ...protocol.paradigms.base import ToolContextDef
from ...protocol.paradigms.registry import get_paradigm
from ...protocol.paradigms.system_prompt import ToolContextBuilder
from ...protocol.tools.define import Ordering, Tool
from ...protocol.tools.registry import ToolRegistry
from ...protocol.tools.sources import ToolSource
from ...protocol.tools.spec import ToolOffer, ToolSpec
from ..deciding.approvals import Approver, Reviewer
from ..hooks import check_hook
from ..journal.redacting import Redaction
from ..masking import Masking
from ..turn.compaction import Compaction
from ..turn.limits import TurnLimits
from ..turn.setup import Terms
from ..workspaces import Workspace

__all__ = [
    "Said",
    "SessionOptions",
    "Tools",
    "TurnTerms",
    "checked_hooks",
    "checked_ordering",
    "own_message",
    "prompt_builder",
    "refuse_unknown",
    "turn_terms",
]

#: What the user says: text, pictures and files (see :mod:`toolproto.endpoints.attachments`), or a
#: message.
Said = str | Message | Sequence[str | Attachment]
#: What a session takes as tools: functions become tools, an MCP server brings its own.
Tools = Iterable[Tool | ToolSpec | ToolSource | Callable[..., Any]] | ToolRegistry | ToolOffer


class TurnTerms(TypedDict, total=False):
    """What may differ from turn to turn: keyword arguments of ``send``, ``stream`` and the like.

    *choice* is ``"auto"``, ``"required"``, ``"none"`` or the name of the tool to call. With
    *parallel* off, a reply may have one call. *params* are merged into the session's. *tools* are
    names or patterns (``"fs_*"``) of the tools to offer, *without* of those not to offer. *system*
    is added to the session's prompt, or replaces it if it is a ``ToolContextBuilder``; *model* and
    *paradigm* (a name, or an object as ``ChatSession`` takes it) replace the session's. A kept
    session keeps the name of a paradigm. *beside* is the number of an earlier turn: this turn takes
    its place in the conversation, and where there is one both stay in the store. *after* is the
    number of the turn behind which this one begins. With *keep_following* the turns that stood
    behind either follow this one, if that has an answer.
    """

    beside: int | None
    after: int | None
    keep_following: bool
    choice: str
    parallel: bool
    params: Mapping[str, Any]
    tools: Iterable[str | Tool] | None
    without: Iterable[str | Tool]
    system: str | ToolContextBuilder | None
    model: str
    paradigm: str | ToolContextDef


class SessionOptions(TypedDict, total=False):
    """The options of a session that is opened again; :class:`~toolproto.ChatSession` says which."""

    paradigm: str | ToolContextDef | None
    tools: Tools
    system: str | ToolContextBuilder | None
    hooks: Iterable[Any]
    approver: Approver | None
    policy: Policy | None
    reviewer: Reviewer | None
    limits: TurnLimits | None
    params: Mapping[str, Any] | None
    keep_calls: bool
    examples: bool | Sequence[Message]
    compaction: Compaction | None
    masking: Masking | None
    redact: Redaction | None
    constrain: str
    guard: str | Guard
    ordering: Ordering
    model: str | None
    prices: Mapping[str, Any] | None
    workspace: str | Workspace
    auto_title: bool


def turn_terms(terms: TurnTerms) -> Terms:
    """*terms*, with what they leave open; a UsageError for a term that there is not."""
    default = Terms()
    if not isinstance(terms.get("params", {}), Mapping):
        raise UsageError(f"params={terms['params']!r}: expected a mapping such as {{'seed': 1}}")
    kinds: dict[str, Any] = {"system": ToolContextBuilder, "paradigm": ToolContextDef, "model": str}
    for term, kind in kinds.items():
        if not isinstance(given := terms.get(term) or "", str | kind):
            raise UsageError(f"{term}={given!r:.200}: a turn takes text or a {kind.__name__}")
    tools, system, paradigm = terms.get("tools"), terms.get("system"), terms.get("paradigm")
    if isinstance(system, ToolContextBuilder):
        _check_zone(system.zone)
    return Terms(
        terms.get("choice", default.choice),
        terms.get("parallel", default.parallel),
        terms.get("params", default.params),
        None if tools is None else _names("tools", tools),
        _names("without", terms.get("without", ())),
        system,
        terms.get("model") or "",
        get_paradigm(paradigm).name if paradigm and isinstance(paradigm, str) else paradigm or "",
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


def checked_ordering(ordering: Ordering) -> Ordering:
    """*ordering*; a UsageError for one that there is not."""
    if ordering not in get_args(Ordering):
        raise UsageError(f"ordering is {ordering!r}; use one of {get_args(Ordering)}")
    return ordering


def refuse_unknown(terms: Mapping[str, Any]) -> None:
    """Raise UsageError for a term of a turn that there is not."""
    known = TurnTerms.__annotations__
    if unknown := sorted(terms.keys() - known.keys()):
        there_are = ", ".join(sorted(known))
        raise UsageError(f"a turn has no option {unknown[0]!r}; there are: {there_are}")


def own_message(said: Said) -> Message:
    """The message that begins a turn; a UsageError if *said* cannot be one."""
    message = said if isinstance(said, Message) else _of_parts(said)
    if message.role != "user" or message.calls or message.results:
        raise UsageError(
            f"a turn begins with a message of the user; this is a message of the {message.role}"
            + (" with calls or results; give results to resume()" if message.role == "user" else "")
        )
    attached: tuple[Any, ...] = message.attachments
    if wrong := [each for each in attached if not isinstance(each, Attachment)]:
        raise UsageError(f"{wrong[0]!r:.200} is no attachment; image() and document() make one")
    content: Any = message.content
    if not isinstance(content, str) or not (content.strip() or message.attachments):
        raise UsageError("there is nothing to send: the message is empty")
    return message


def _of_parts(said: Any) -> Message:
    """A message of the user: text, or texts, pictures and files."""
    parts = [said] if isinstance(said, str | Attachment) else said
    if not isinstance(parts, list | tuple) or not all(
        isinstance(part, str | Attachment) for part in parts
    ):
        raise UsageError(
            f"send() got {said!r:.200}; expected text, a list of texts and attachments, or a "
            "Message of the user"
        )
    content = "\n\n".join(part for part in parts if isinstance(part, str))
    attached = tuple(part for part in parts if isinstance(part, Attachment))
    return Message("user", content, attachments=attached)


def checked_hooks(hooks: Iterable[Any]) -> tuple[Any, ...]:
    """*hooks*; a UsageError for a class where an instance of it is due, and for a misspelt hook."""
    if not isinstance(hooks, Iterable):
        raise UsageError(f"hooks={hooks!r:.200}: expected several, as [hook]")
    given = tuple(hooks)
    if classes := [hook for hook in given if isinstance(hook, type)]:
        raise UsageError(f"{classes[0].__name__} is a class; pass an instance of it as a hook")
    for hook in given:
        check_hook(hook)
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


def prompt_builder(system: str | ToolContextBuilder) -> ToolContextBuilder:
    """What makes the system prompt of a session; a UsageError for what cannot."""
    builder = ToolContextBuilder(system) if isinstance(system, str) else system
    if not isinstance(builder, ToolContextBuilder):
        raise UsageError(f"system={system!r:.200}: expected text or a ToolContextBuilder")
    _check_zone(builder.zone)
    return builder
