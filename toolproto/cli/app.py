"""``toolproto`` itself: finds the command, and says in one line what went wrong."""

from __future__ import annotations

import difflib
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import click

from ..package import __version__
from ..protocol.errors import ToolProtoError
from ..protocol.foreign_text import visible
from .console import set_up_streams
from .exits import Exit, exit_of
from .settings import TABLES, Settings, load_settings

__all__ = ["COMMANDS", "COMPLETE", "main"]

#: What there is: each command's one line of help. Its module is loaded when it is asked for.
COMMANDS = {
    "chat": "Talk with a model, and let it use tools.",
    "web": "Talk with a model on a page, and run its calls yourself.",
    "parse": "Read the calls out of replies: one, or a hundred thousand.",
    "prompt": "Show the system prompt for some tools, with its cost in tokens.",
    "grammar": "Print the grammar of a model's replies, or check a reply.",
    "explain": "Show how one reply is read, character by character, and why.",
    "paradigms": "List the paradigms (forms of calls), or show one.",
    "serve": "Give tools to the clients of a backend that has none.",
    "probe": "Find out which paradigm a model follows best.",
    "model": "Get and list the models that run in this process.",
    "mcp": "List MCP servers and their tools.",
    "tools": "Say what services and models will not take in tools.",
    "sessions": "List, show, export and delete kept conversations.",
    "new-paradigm": "Write a new paradigm with its tests and fixtures.",
    "capture": "Make fixtures of recorded replies.",
    "replay": "Read fixtures again, and show what changed.",
    "trust": "Let the settings of a folder choose code, endpoints and keys.",
    "completion": "Print the completion script of a shell.",
    "tour": "Try the main features in five minutes, command by command.",
    "doctor": "Check this installation, and the endpoint.",
}
#: Set by a shell that wants a word completed.
COMPLETE = "_TOOLPROTO_COMPLETE"
_HELP = {"help_option_names": ["-h", "--help"], "auto_envvar_prefix": "TOOLPROTO"}
_NAME_OF = {"new-paradigm": "new_paradigm"}


class _Commands(click.Group):
    """The commands of the table, each loaded when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f".commands.{_NAME_OF.get(cmd_name, cmd_name)}", __package__)
        command: click.Command = module.command
        if not any(each.name == "config" for each in command.params):
            command.params.append(_config_option())
        settings = ctx.ensure_object(Settings)
        ctx.default_map = {**(ctx.default_map or {}), cmd_name: _defaults(settings, command)}
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            near = difflib.get_close_matches(args[0], COMMANDS, 1)
            hint = f"did you mean {near[0]!r}?" if near else "`toolproto --help` lists them"
            raise click.UsageError(f"there is no command {args[0]!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # What stands behind the command is needed before its options are read.
        return super().parse_args(ctx, _leading(args, "--config"))

    def invoke(self, ctx: click.Context) -> Any:
        try:
            ctx.obj = load_settings(ctx.params["config"])
            ctx.obj.check_tables([*COMMANDS, *TABLES])
            return super().invoke(ctx)
        except (ToolProtoError, OSError) as error:
            if isinstance(error, BrokenPipeError):
                raise
            if ctx.params["debug"]:
                traceback.print_exc()
            _complain(_told(error))
            ctx.exit(exit_of(error))

    def main(self, *args: Any, standalone_mode: bool = True, **extra: Any) -> Any:
        set_up_streams()
        if COMPLETE in os.environ:
            from . import completing as completing  # before click looks for what a shell needs
        run = partial(super().main, *args, **extra, standalone_mode=False)
        return _end(run) if standalone_mode else run()


def _config_option() -> click.Option:
    """``--config`` for one command's own help; it is read before the command is."""
    help = "Settings file, instead of ./toolproto.toml."
    return click.Option(
        ["--config"], type=click.Path(), expose_value=False, metavar="FILE", help=help
    )


def _leading(args: list[str], option: str) -> list[str]:
    """*args* with *option*, wherever before ``--`` it stands, first."""
    end = args.index("--") if "--" in args else len(args)
    moved, rest = [], []
    words = iter(args[:end])
    for word in words:
        if word == option and (value := next(words, None)) is not None:
            moved += [word, value]
        elif word.startswith(f"{option}="):
            moved.append(word)
        else:
            rest.append(word)
    return [*moved, *rest, *args[end:]]


def _complain(text: str) -> None:
    click.echo(f"toolproto: error: {visible(' '.join(text.split()))}", err=True)


def _told(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


def _end(run: Callable[[], Any]) -> NoReturn:
    """Leave the program as *run* ended; a failure is told in one line."""
    try:
        code = run()
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        sys.exit(Exit.FINE)
    except click.ClickException as error:
        ctx = getattr(error, "ctx", None)
        _complain(error.format_message() + (f" (try '{ctx.command_path} --help')" if ctx else ""))
        sys.exit(error.exit_code)
    except click.Abort:
        click.echo("toolproto: stopped", err=True)
        sys.exit(Exit.INTERRUPTED)
    sys.exit(code if isinstance(code, int) else Exit.FINE)


def _defaults(settings: Settings, command: click.Command) -> Mapping[str, Any]:
    """What the settings say about the options of *command*; another name is an error."""
    options = {_spelled(each): each for each in command.params if isinstance(each, click.Option)}
    name = command.name or ""
    # `model` and `tools` are names of options, too, and mean those where they are no tables; the
    # tables of `mcp` are servers.
    is_other = name in ("model", "tools") and not isinstance(settings.values.get(name, {}), dict)
    found = {} if is_other or name == "mcp" else settings.table(name)
    own = {key.replace("_", "-"): value for key, value in found.items()}
    for key in own.keys() - options.keys():
        near = difflib.get_close_matches(key, options, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise click.UsageError(f"{settings.path}: [{name}] has no option {key!r}{hint}")
    shared = {key.replace("_", "-"): value for key, value in settings.shared().items()}
    given = {key: value for key, value in {**shared, **own}.items() if key in options}
    return {
        options[key].name or key: _used(settings, options[key], key, given[key]) for key in given
    }


def _used(settings: Settings, option: click.Option, name: str, value: Any) -> Callable[[], Any]:
    """The *value* of a setting, for when it is used: whether it may be is asked only then."""

    def used() -> Any:
        ctx = click.get_current_context(silent=True)
        if ctx is None or not ctx.resilient_parsing:  # not when a shell completes a word
            settings.check(name, value)
        return _value(option, value)

    return used


def _spelled(option: click.Option) -> str:
    """``tools`` for ``--tools/-t``."""
    return max(option.opts, key=len).lstrip("-")


def _value(option: click.Option, value: Any) -> Any:
    return [value] if option.multiple and not isinstance(value, list) else value


@click.group(cls=_Commands, context_settings=_HELP)
@click.version_option(__version__, "--version", message="toolproto %(version)s")
@click.option("--debug", is_flag=True, help="Show the whole trace of an error.")
@click.option(
    "--config",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Settings file, instead of ./toolproto.toml; it is trusted.",
)
def main(debug: bool, config: Path | None) -> None:
    """Tool calling for any language model that can only read and write text.

    Options come from the command line, then from TOOLPROTO_<COMMAND>_<OPTION> in the environment,
    then from toolproto.toml; you are asked about a new folder before its settings choose code,
    endpoints or keys. Exit codes: 0 fine, 1 it ran but failed, 2 bad usage, 3 the endpoint failed,
    130 interrupted.
    """
