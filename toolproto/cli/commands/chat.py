"""``toolproto chat``: talk with a model, and let it use tools."""

from __future__ import annotations

import io
import logging
import sys
from dataclasses import replace
from typing import Any

import click
from click.core import ParameterSource

from ...conversation.toolsets import demo_exchanges
from ...endpoints.attachments import image
from ...protocol.describe import list_styles
from ...protocol.errors import UsageError
from ...protocol.foreign_text import visible
from ...protocol.native_mode import checked_native
from ..completing import FILE, SESSION
from ..console import note, print_json
from ..endpoint_choice import EndpointChoice
from ..mcp_servers import configured_servers
from ..model_choice import ask_model, which_model
from ..options import (
    constrain_option,
    endpoint_options,
    guard_option,
    json_option,
    mcp_option,
    paradigm_option,
    teaching_option,
    tools_option,
)
from ..settings import Settings
from ..tool_sources import DEMO

__all__ = ["command"]

_APPROVE = ("ask", "read", "all", "none")
_PARAMS = ("temperature", "max_tokens", "seed")


@click.command("chat")
@endpoint_options
@paradigm_option
@tools_option
@mcp_option
@click.option("--message", "-m", metavar="TEXT", help="Send this, and leave after the answer.")
@click.option(
    "--image",
    "images",
    type=FILE,
    multiple=True,
    metavar="FILE",
    help="Show the model this picture with the first message; an address will do.",
)
@click.option("--system", "-s", default="", metavar="TEXT", help="Your own system prompt.")
@click.option(
    "--approve",
    type=click.Choice(_APPROVE),
    help="Which calls run: 'ask' asks about calls that do more than read, 'read' denies those, "
    "'all' runs every call, 'none' runs no call.  [ask at a terminal, read in a pipe]",
)
@click.option(
    "--allow",
    multiple=True,
    metavar="TOOL",
    help="Run this tool without asking; fs_* names several.",
)
@click.option(
    "--deny", multiple=True, metavar="TOOL", help="Never run this tool; fs_* names several."
)
@click.option(
    "--examples/--no-examples",
    default=None,
    help="Show the model a call first; small models need it.",
)
@constrain_option
@guard_option
@click.option(
    "--untrusted",
    multiple=True,
    metavar="TOOL",
    help="Tool whose results count as a stranger's words; read_* names several.",
)
@click.option("--describe", type=click.Choice(list_styles()), help="How the tools are shown.")
@teaching_option
@click.option("--store", type=FILE, metavar="URL", envvar="TOOLPROTO_STORE",
              help="Keep the session: chats.db, or postgresql://…")  # fmt: skip
@click.option(
    "--session", type=SESSION, metavar="ID", help="Continue the session of this name, or begin it."
)
@click.option(
    "--files", metavar="NAME", help="Let the model keep files in the store, under this name."
)
@click.option(
    "--workspace", default="", metavar="NAME", help="Workspace that a new session belongs to."
)
@click.option("--auto-title", is_flag=True, help="Let the model find a title, in the background.")
@click.option("--thinking", is_flag=True, help="Show the model's thinking whole.")
@click.option("--max-requests", type=click.IntRange(1), default=11, show_default=True,
              help="Most requests that one message may cause.")  # fmt: skip
@click.option("--in-order", is_flag=True,
              help="Run the calls of one reply one after another.")  # fmt: skip
@click.option("--stop-on-deny", is_flag=True, help="End the turn when you deny a call.")
@click.option(
    "--temperature",
    type=click.FloatRange(0),
    help="Sampling temperature; 0 always takes the likeliest token.",
)
@click.option("--max-tokens", type=click.IntRange(1), help="Most tokens of one reply.")
@click.option("--seed", type=int, help="Seed, to get the same answer again.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    endpoint: EndpointChoice,
    message: str | None,
    images: tuple[str, ...],
    approve: Any,
    thinking: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Talk with a model, and let it use tools.

    At a terminal this is a conversation; /help says what can be done in it. In a pipe, standard
    input is the message and the answer goes to standard output: calls that only read are run, the
    others denied, unless --approve says otherwise. With --json every event is a line of JSON.

    Exit codes: 0 there is an answer, 1 the turn ended without one, 3 the endpoint failed.
    """
    from ..chat.conversation import TerminalChat
    from ..chat.piped import Piped
    from ..chat.starting import (
        Options,
        check_store,
        converse,
        kept_terms,
        made_setup,
        opened_ones,
    )

    # A tool that fails is drawn where it was called; its traceback would be in the way of that.
    logging.getLogger("toolproto").addHandler(logging.NullHandler())
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # not every terminal has every character
    interactive = sys.stdin.isatty() and sys.stdout.isatty() and not as_json
    approve = approve or ("ask" if interactive else "read")
    if approve == "ask" and not interactive:
        raise UsageError("there is no terminal to ask at; give --approve read, all or none")
    said = message if interactive or message is not None else _standard_input()
    if said is not None and not said.strip():
        raise UsageError("the message is empty; give --message TEXT, or write it to stdin")
    params = {name: options.pop(name) for name in _PARAMS}
    told = {name: value for name, value in params.items() if value is not None}
    settings = ctx.ensure_object(Settings)
    check_store(options["store"], options["session"], options["files"])
    kept = kept_terms(options["store"], options["session"])
    if kept.get("model") and endpoint.url and not endpoint.model:
        endpoint = endpoint.using(kept["model"])
    servers = configured_servers(options.pop("mcp"), settings)
    endpoint = endpoint.with_model(ask_model if interactive else which_model)
    prices = settings.table("prices")
    for_model = _for_model(ctx, endpoint)
    endpoint = replace(endpoint, native=checked_native(for_model.pop("native", endpoint.native)))
    options |= for_model
    if kept.get("paradigm") and _is_unsaid(ctx, "paradigm"):
        options["paradigm"] = kept["paradigm"]
    if _is_unsaid(ctx, "system"):
        options["system"] = kept.get("system", "")
    if interactive and endpoint.local is not None and not (servers or options["files"]):
        options["tools"] = options["tools"] or (DEMO,)
    chosen = Options(**{**options, **_for_demo(ctx, endpoint, options)}, params=told, prices=prices)
    shown = [image(each) for each in images]
    chat = TerminalChat(made_setup(endpoint, chosen, approve, opened_ones(servers, note)))
    chat.attached += shown
    try:
        if interactive:
            attended = approve in ("ask", "all")
            code = converse(chat, _edit, message, attended=attended, thinking=thinking)
        else:
            emit = print_json if as_json else None
            code = Piped(chat, _write, note, emit).run(said or "")
            if chosen.store and not chosen.session:
                note(f"to continue it: --session {chat.setup.id}")
    finally:
        chat.close()
    ctx.exit(code)


def _for_model(ctx: click.Context, endpoint: EndpointChoice) -> dict[str, Any]:
    """What the settings say about the model, where nobody said otherwise."""
    found = ctx.ensure_object(Settings).for_model(endpoint.model_name)
    return {name: value for name, value in found.items() if _is_unsaid(ctx, name)}


def _is_unsaid(ctx: click.Context, name: str) -> bool:
    """Whether nobody said anything about the option *name*, on the command line or elsewhere."""
    return ctx.get_parameter_source(name) is ParameterSource.DEFAULT


def _for_demo(
    ctx: click.Context, endpoint: EndpointChoice, options: dict[str, Any]
) -> dict[str, Any]:
    """How the embedded model is led with the demo's tools: it does only what it has seen done."""
    from ...endpoints.local.models import DEFAULT_MODEL

    if endpoint.local != DEFAULT_MODEL or tuple(options["tools"]) != (DEMO,):
        return {}
    unsaid = [name for name in ("examples", "paradigm") if _is_unsaid(ctx, name)]
    usual = {"examples": demo_exchanges(), "paradigm": "xml_tag"}
    return {name: usual[name] for name in unsaid}


def _standard_input() -> str:
    if sys.stdin.isatty():
        note("write the message; Ctrl-D ends it")
    return sys.stdin.buffer.read().decode("utf-8", "replace").removesuffix("\n")


def _write(text: str) -> None:
    """Text of the answer as it is, to a file; a terminal gets to see what it would obey."""
    sys.stdout.write(visible(text) if sys.stdout.isatty() else text)
    sys.stdout.flush()


def _edit(text: str) -> str | None:
    try:
        return click.edit(text, extension=".json")
    except click.ClickException as error:
        raise OSError(error.format_message()) from None
