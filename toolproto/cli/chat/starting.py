"""From what was asked for on the command line to a running chat."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ...conversation.journal.log import SessionLog
from ...conversation.stores import MemoryStore, Store, open_store
from ...conversation.toolsets import StoredFiles, file_tools
from ...conversation.turn.limits import TurnLimits
from ...protocol.errors import UsageError
from ...protocol.guard.levels import guard_from
from ...protocol.messages import Message, counted_ids
from ...protocol.paradigms import list_paradigms as known
from ...protocol.secrets import Redactor
from ...protocol.tools.registry import ToolRegistry
from ...protocol.tools.sources import ToolSource
from ..console import out
from ..endpoint_choice import EndpointChoice
from ..exits import Exit
from ..mcp_servers import opened_servers
from ..paradigm_choice import load_paradigm
from ..state import state_folder
from ..tool_sources import load_tools
from .commands import completions
from .conversation import Approve, Setup, TerminalChat, new_id, policy
from .folding import counted
from .interrupts import Interrupts
from .piped import exit_of_turn
from .repl import Repl
from .screen import Screen

if TYPE_CHECKING:
    from ...conversation.mcp import McpServer

__all__ = [
    "Options",
    "check_store",
    "converse",
    "kept_terms",
    "made_setup",
    "opened_ones",
    "opened_store",
]


@dataclass(frozen=True, slots=True)
class Options:
    """What a person may say about a chat, by the names of the options."""

    paradigm: str
    tools: tuple[str, ...] = ()
    system: str = ""
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    examples: bool | Sequence[Message] | None = None
    describe: str | None = None
    teaching: str | None = None
    store: str | None = None
    session: str | None = None
    max_requests: int = 11
    files: str | None = None
    workspace: str = ""
    auto_title: bool = False
    in_order: bool = False
    prices: Mapping[str, Any] = field(default_factory=dict)
    stop_on_deny: bool = False
    params: Mapping[str, Any] = field(default_factory=dict)
    constrain: str = "auto"
    guard: str = "standard"
    untrusted: tuple[str, ...] = ()


def check_store(store: str | None, session: str | None, files: str | None) -> None:
    """Raise UsageError for a session or files that have no store to be kept in."""
    if session and not store:
        raise UsageError("--session needs a store; name one, as in --store chats.db")
    if files is not None and not store:
        raise UsageError("--files needs a store; name one, as in --store chats.db")


def kept_terms(store: str | None, session: str | None) -> Mapping[str, str]:
    """The ``paradigm``, ``model`` and ``system`` that a kept session was led with, if it was."""
    if not store or not session:
        return {}
    opened = opened_store(store)
    try:
        led = SessionLog(opened, session).led if opened.info(session) else {}
        # One of a file or a plugin that is not here any more has to be named again.
        return {name: each for name, each in led.items() if name != "paradigm" or each in known()}
    finally:
        if close := getattr(opened, "close", None):
            close()


def opened_ones(servers: Sequence[McpServer], note: Callable[[str], None]) -> list[ToolSource]:
    """Those of the MCP *servers* that answer; of each other one, a *note* why it is left out."""
    found: list[ToolSource] = []
    for opened in opened_servers(servers):
        if opened.fault:
            note(f"{opened.fault}; continuing without it")
        else:
            found.append(opened.server)
    return found


def made_setup(
    endpoint: EndpointChoice,
    options: Options,
    approve: Approve,
    sources: Sequence[ToolSource] = (),
) -> Setup:
    """How the conversation is led that *options* ask for, with the tools of *sources* as well."""
    store = opened_store(options.store)
    wanted = {"describe": options.describe, "teaching": options.teaching}
    shown: dict[str, Any] = {name: value for name, value in wanted.items() if value}
    if endpoint.recording or endpoint.record:
        # A result names its call, and a recording is found by what was sent: ids must come again.
        shown["ids"] = counted_ids()
    return Setup(
        endpoint.open(),
        partial(load_paradigm, model=endpoint.model_name, **shown),
        options.paradigm,
        _tools(options, sources, store),
        options.system,
        # A very small model takes the date for the answer to everything.
        dated=not (endpoint.recording or endpoint.record or _has_exchanges(options)),
        examples=options.examples or False,
        policy=replace(
            policy(approve, options.allow, options.deny), stop_on_deny=options.stop_on_deny
        ),
        prices=options.prices,
        workspace=options.workspace,
        auto_title=options.auto_title,
        ordering="in_order" if options.in_order else "parallel",
        limits=TurnLimits(requests=options.max_requests),
        params=options.params,
        store=store,
        id=options.session or new_id(),
        constrain=options.constrain,
        guard=replace(guard_from(options.guard), untrusted=options.untrusted),
        source=endpoint,
    )


def _has_exchanges(options: Options) -> bool:
    return bool(options.examples) and not isinstance(options.examples, bool)


def _tools(options: Options, sources: Sequence[ToolSource], store: Store) -> ToolRegistry:
    tools = load_tools(options.tools, sources)
    if options.files is not None:
        for tool in file_tools(StoredFiles(store, options.files)):
            tools.add(tool)
    return tools


def opened_store(address: str | None) -> Store:
    """The store at a URL, or in a file; in memory if there is to be none."""
    if address is None:
        return MemoryStore()
    return open_store(address)


def converse(
    chat: TerminalChat,
    edit: Callable[[str], str | None],
    message: str | None,
    *,
    attended: bool,
    thinking: bool,
) -> Exit:
    """Talk at the terminal: until the person leaves, or for one *message*."""
    # Only who types needs what reads keys; a pipe starts without it.
    from .history import InputHistory
    from .terminal import Terminal

    screen, interrupts = Screen(out()), Interrupts()
    redactor = getattr(chat.setup.endpoint, "redactor", None) or Redactor()
    history = InputHistory(state_folder() / "chat_history", redactor)
    colour = screen.console.color_system is not None and not screen.console.no_color
    inputs = Terminal(interrupts, history, completions, edit, colour)
    repl = Repl(chat, screen, inputs, interrupts, attended=attended, thinking=thinking)
    if message is not None:
        result = repl.once(message)
        return exit_of_turn(result) if result else Exit.INTERRUPTED
    screen.say(greeting(chat))
    repl.run()
    return Exit.FINE


def greeting(chat: TerminalChat) -> str:
    """With whom the person talks, and how to find out more."""
    setup, session = chat.setup, chat.session
    model = f"{setup.source.model_name} {setup.source.place}"
    parts = [model, session.paradigm.name, counted(len(setup.tools), "tool")]
    if chat.is_kept:
        parts.append(f"session {setup.id}, {counted(len(session.messages), 'message')}")
    return " · ".join([*parts, "/help"])
