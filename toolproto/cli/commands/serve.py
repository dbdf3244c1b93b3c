"""``toolproto serve``: the proxy."""

from __future__ import annotations

from typing import Any

import click

from ...endpoints.apis.dialects import DIALECTS
from ...endpoints.http.services import SERVICES
from ...package import install_command
from ...protocol.describe import list_styles
from ...protocol.errors import UsageError
from ...protocol.native_mode import NATIVE_MODES
from ..completing import ENDPOINT
from ..options import constrain_option, guard_option, paradigm_named, teaching_option
from ..settings import Settings

__all__ = ["command"]


@click.command("serve")
@click.option(
    "--upstream",
    envvar="TOOLPROTO_UPSTREAM",
    type=ENDPOINT,
    metavar="URL",
    help="Address of the backend.",
)
@click.option(
    "--dialect",
    type=click.Choice(list(DIALECTS)),
    default="openai_chat",
    show_default=True,
    metavar="NAME",
    help=f"API of the backend: {', '.join(DIALECTS)}.",
)
@click.option(
    "--upstream-key-env",
    metavar="VARIABLE",
    help="Variable with the backend's key; without it, the client's own key is passed on.",
)
@click.option(
    "--native",
    type=click.Choice(NATIVE_MODES),
    default="never",
    show_default=True,
    envvar="TOOLPROTO_NATIVE",
    help="Use the backend's own tools: 'auto' unless it refuses them, or 'only' those.",
)
@paradigm_named("Form of the calls; 'auto' goes by the model's name.", "auto")
@click.option("--describe", type=click.Choice(list_styles()), help="How the tools are shown.")
@teaching_option
@click.option("--examples", is_flag=True, help="Show small models a call before they begin.")
@click.option(
    "--reasks",
    type=click.IntRange(0, 10),
    default=2,
    show_default=True,
    help="How often the model is asked again after a mistake.",
)
@constrain_option
@guard_option
@click.option(
    "--service",
    type=click.Choice(list(SERVICES)),
    help="Which server the backend is; known servers get a grammar.",
)
@click.option(
    "--normalize",
    is_flag=True,
    help="Make roles alternate in requests without tools, too, for strict chat templates.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Interface to listen on.")
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    default=8100,
    show_default=True,
    help="Port to listen on.",
)
@click.option(
    "--key-env",
    metavar="VARIABLE",
    help="Variable with the key that clients must send; needed for other interfaces.",
)
@click.option(
    "--allow-host",
    multiple=True,
    metavar="NAME",
    help="Further host name that clients may use for the proxy.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Processes that share the port.",
)
@click.option(
    "--pass-others/--no-pass-others",
    default=True,
    show_default=True,
    help="Pass paths that have nothing to do with tools on to a backend of the same API.",
)
@click.option(
    "--pace",
    type=click.IntRange(0, 200),
    default=50,
    show_default=True,
    metavar="MS",
    help="Tokens that arrive within so many milliseconds are sent together; 0 sends each at once.",
)
@click.option("--log-content", is_flag=True, help="Also write requests and replies to the log.")
@click.pass_context
def command(ctx: click.Context, /, workers: int, **options: Any) -> None:
    """Give `tools` to any client, on a backend that only completes text.

    Point an OpenAI, Anthropic or Ollama client at the printed address. Several backends,
    settings for each model and limits for requests come from toolproto.toml: [upstreams.NAME],
    [models."NAME"] and [limits].
    """  # fmt: skip
    settings = ctx.ensure_object(Settings)
    try:
        from ...gateway.proxy.run import banner, check, serve
    except ModuleNotFoundError as error:
        if error.name not in ("starlette", "uvicorn", "prometheus_client"):
            raise
        raise UsageError(f"the proxy needs an extra; run: {install_command('server')}") from None
    config = _config(options, settings)
    check(config)
    click.echo(banner(config))
    serve(config, workers)


def _config(options: dict[str, Any], settings: Settings) -> Any:
    from ...gateway.proxy.config import config_from

    given = {
        "url": options["upstream"],
        "dialect": options["dialect"],
        "api_key_env": options["upstream_key_env"],
        "native": options["native"],
        "service": options["service"],
        "normalize": options["normalize"],
    }
    named = settings.trusted_table("upstreams").values()
    terms = ("paradigm", "describe", "teaching", "examples", "reasks", "constrain", "guard")
    return config_from(
        {
            "upstreams": [*named, *([given] if given["url"] else [])],
            "default": {name: options[name] for name in terms},
            "models": {name: settings.for_model(name) for name in settings.table("models")},
            "limits": settings.trusted_table("limits"),
            "hosts": options["allow_host"],
            "pace": options["pace"] / 1000,
            **{
                name: options[name]
                for name in ("host", "port", "key_env", "log_content", "pass_others")
            },
        }
    )
