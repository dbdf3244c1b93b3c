"""The options that several commands share."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from ..endpoints.apis.dialects import DIALECTS
from ..endpoints.http.services import SERVICES
from ..protocol.grammar.constraint import CONSTRAIN
from ..protocol.guard.levels import LEVELS
from ..protocol.native_mode import NATIVE_MODES
from ..protocol.paradigms.teaching import PRESETS
from .completing import ENDPOINT, FILE, LOCAL_MODEL, MODEL, PARADIGM, TOOLS
from .endpoint_choice import EndpointChoice

__all__ = [
    "constrain_option",
    "endpoint_options",
    "guard_option",
    "json_option",
    "mcp_option",
    "paradigm_named",
    "paradigm_option",
    "teaching_option",
    "tools_option",
]

_Command = Callable[..., Any]
_Decorator = Callable[[_Command], _Command]


def paradigm_named(help: str, default: str | None = "json_strict", **more: Any) -> _Decorator:
    """``--paradigm``, which is named alike everywhere; see ``paradigm_choice.py``."""
    usual = {"default": default, "show_default": True, "envvar": "TOOLPROTO_PARADIGM"}
    return click.option(
        "--paradigm",
        "-p",
        *more.pop("names", ()),
        type=PARADIGM,
        metavar="NAME",
        help=help,
        **{**(usual if default else {}), **more},
    )


paradigm_option = paradigm_named(
    "Form of the calls: a name, a .py file that defines one, or 'auto'."
)
tools_option = click.option(
    "--tools",
    "-t",
    "tools",
    type=TOOLS,
    multiple=True,
    envvar="TOOLPROTO_TOOLS",
    metavar="SOURCE",
    help="my_tools.py, a module, tools.json, files:[FOLDER], or 'demo'; may be repeated.",
)
mcp_option = click.option(
    "--mcp",
    type=FILE,
    multiple=True,
    metavar="SERVER",
    help="MCP server: a command line, a URL, or a JSON file with mcpServers; may be repeated.",
)
constrain_option = click.option(
    "--constrain",
    type=click.Choice(CONSTRAIN),
    default="auto",
    show_default=True,
    envvar="TOOLPROTO_CONSTRAIN",
    help="Hold the model to a grammar: 'auto' if the server takes one, 'calls' always, or 'off'.",
)
teaching_option = click.option(
    "--teaching",
    type=click.Choice(list(PRESETS)),
    help="Style of the instructions; with 'eager' models call more, with 'reticent' less.",
)
guard_option = click.option(
    "--guard",
    type=click.Choice(list(LEVELS)),
    default="standard",
    show_default=True,
    envvar="TOOLPROTO_GUARD",
    help="How careful to be with what strangers wrote: results of tools, pages, messages.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")

_ENDPOINT_OPTIONS = [
    click.option(
        "--endpoint", envvar="TOOLPROTO_ENDPOINT", type=ENDPOINT, metavar="URL",
        help="Address of the service, as in http://localhost:8080/v1.",
    ),
    click.option(
        "--model", envvar="TOOLPROTO_MODEL", type=MODEL, metavar="NAME",
        help="Name of the model; without it, the service is asked for its list.",
    ),
    click.option(
        "--dialect", type=click.Choice(list(DIALECTS)), default="openai_chat", show_default=True,
        envvar="TOOLPROTO_DIALECT", metavar="NAME",
        help=f"API of the service: {', '.join(DIALECTS)}.",
    ),
    click.option(
        "--service", type=click.Choice(list(SERVICES)), envvar="TOOLPROTO_SERVICE",
        help="Which server this is; known servers get a grammar.",
    ),
    click.option(
        "--native", type=click.Choice(NATIVE_MODES), default="never", show_default=True,
        envvar="TOOLPROTO_NATIVE",
        help="Use the service's own tools: 'auto' unless it refuses them, or 'only' those.",
    ),
    click.option(
        "--api-key-env", default="TOOLPROTO_API_KEY", show_default=True, metavar="VARIABLE",
        help="Variable of the environment that holds the key.",
    ),
    click.option("--header", multiple=True, help="Further header, 'Name: value'."),
    click.option(
        "--local", is_flag=False, flag_value="smollm2", type=LOCAL_MODEL, metavar="[MODEL]",
        help="A model in this process, by name or as a .gguf file.  [smollm2]",
    ),
    click.option(
        "--recording", type=click.Path(exists=True, path_type=Path), metavar="FILE",
        help="Answer from a cassette instead of a service.",
    ),
    click.option(
        "--record", type=click.Path(path_type=Path), metavar="FILE",
        help="Add every exchange to a cassette, without keys.",
    ),
]  # fmt: skip
#: The fields of an EndpointChoice, and the options that fill them.
_FIELDS = {
    "url": "endpoint",
    "model": "model",
    "dialect": "dialect",
    "service": "service",
    "native": "native",
    "api_key_env": "api_key_env",
    "headers": "header",
    "local": "local",
    "recording": "recording",
    "record": "record",
}


def endpoint_options(command: _Command) -> _Command:
    """Which model to talk to: the command gets an :class:`EndpointChoice` as *endpoint*."""

    @functools.wraps(command)
    def gathered(**options: Any) -> Any:
        choice = EndpointChoice(**{field: options.pop(name) for field, name in _FIELDS.items()})
        return command(endpoint=choice, **options)

    made: _Command = gathered
    for option in reversed(_ENDPOINT_OPTIONS):
        made = option(made)
    return made
