"""``toolproto web``: the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from ...package import install_command
from ...protocol.errors import UsageError
from ..completing import FILE
from ..console import note
from ..endpoint_choice import EndpointChoice
from ..mcp_servers import configured_servers
from ..options import (
    constrain_option,
    endpoint_options,
    guard_option,
    mcp_option,
    paradigm_named,
    teaching_option,
    tools_option,
)
from ..settings import Settings
from ..state import state_folder

__all__ = ["command"]


@click.command("web")
@endpoint_options
@paradigm_named("Form of the calls; 'auto' goes by the model's name.", "auto")
@tools_option
@mcp_option
@click.option("--system", "-s", default="", metavar="TEXT", help="Your own system prompt.")
@constrain_option
@guard_option
@teaching_option
@click.option("--store", type=FILE, metavar="URL", envvar="TOOLPROTO_STORE",
              help="Where sessions are kept: chats.db, postgresql://…, or memory:  "
                   "[web.db in your state folder]")  # fmt: skip
@click.option("--fixtures", type=click.Path(file_okay=False, path_type=Path), metavar="FOLDER",
              help="Where the scratch tab saves replies.")  # fmt: skip
@click.option("--models", type=click.Path(exists=True, file_okay=False, path_type=Path),
              metavar="FOLDER",
              help="Folder of .gguf files that people with a key may choose, too.")  # fmt: skip
@click.option("--host", default="127.0.0.1", show_default=True, help="Interface to listen on.")
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    default=8200,
    show_default=True,
    help="Port to listen on.",
)
@click.option("--key-env", multiple=True, metavar="VARIABLE",
              help="Variable with the key of one person; needed for other interfaces, "
                   "may be repeated.")  # fmt: skip
@click.option("--allow-host", multiple=True, metavar="NAME",
              help="Further host name that browsers may use for the page.")  # fmt: skip
@click.option("--open/--no-open", "open_browser", default=True, show_default=True,
              help="Show the page in the browser.")  # fmt: skip
@click.pass_context
def command(
    ctx: click.Context, /, endpoint: EndpointChoice, open_browser: bool, **options: Any
) -> None:
    """Talk with a model on a page in your browser, and run its calls yourself.

    Without an endpoint, a script answers, so that you can try the page; choose a model there.
    With --host others can use it, each with a key: they do not see each other's sessions.
    """
    settings = ctx.ensure_object(Settings)
    try:
        from ...web.run import banner, serve
    except ModuleNotFoundError as error:
        if error.name not in ("starlette", "uvicorn", "prometheus_client"):
            raise
        raise UsageError(f"the page needs an extra; run: {install_command('web')}") from None
    given = endpoint.url or endpoint.local or endpoint.recording
    config = _config(endpoint if given else None, options, settings)
    is_said = ctx.get_parameter_source("open_browser") is not ParameterSource.DEFAULT
    click.echo(banner(config))
    serve(config, open_browser=open_browser and (is_said or config.is_local))


def _config(endpoint: EndpointChoice | None, options: dict[str, Any], settings: Settings) -> Any:
    from ...web.choices import Choices
    from ...web.config import WebConfig
    from ...web.run import kept_secret
    from ..chat.starting import opened_ones
    from ..tool_sources import load_tools

    groups = [(source, load_tools([source])) for source in options["tools"]]
    servers = opened_ones(configured_servers(options["mcp"], settings), note)
    return WebConfig(
        host=options["host"],
        port=options["port"],
        hosts=options["allow_host"],
        key_envs=options["key_env"],
        store=options["store"] or _usual_store(),
        groups=tuple(_group(source, tuple(found.values())) for source, found in groups),
        sources=tuple(servers),
        given=endpoint.open if endpoint else None,
        given_name=_shown(endpoint) if endpoint else "",
        choices=Choices(
            source="given" if endpoint else "scripted",
            model=(endpoint.model if endpoint else None) or "",
            paradigm=options["paradigm"],
            teaching=options["teaching"] or "",
            guard=options["guard"],
            constrain=options["constrain"],
            system=options["system"],
        ),
        prices=settings.table("prices"),
        fixtures=options["fixtures"],
        models=options["models"],
        secret=kept_secret(state_folder() / "web_secret"),
    )


def _group(source: str, tools: Any) -> Any:
    from ...web.tooling import ToolGroup

    return ToolGroup(Path(source).stem if source.endswith((".py", ".json")) else source, tools)


def _shown(endpoint: EndpointChoice) -> str:
    if endpoint.url:
        return endpoint.model_name
    return endpoint.model_name if endpoint.local else "recording"


def _usual_store() -> str:
    folder = state_folder()
    folder.mkdir(parents=True, exist_ok=True)
    return str(folder / "web.db")
