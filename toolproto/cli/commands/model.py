"""``toolproto model``: getting, listing and removing the models that run in this process."""

from __future__ import annotations

from pathlib import Path

import click

from ...endpoints.local.pulling import pull
from ...endpoints.local.store import (
    InstalledModel,
    find_model,
    installed_models,
    models_folder,
    remove_model,
)
from ...foreign_text import visible
from ..completing import LOCAL_MODEL
from ..console import err, note, print_json
from ..options import json_option

__all__ = ["command"]


@click.group("model")
def command() -> None:
    """Get and list the models that run in this process.

    They are kept in the user's cache, or in the folder that TOOLPROTO_MODELS names.
    """


@command.command("pull")
@click.argument("source", type=LOCAL_MODEL)
@click.option("--name", help="Name for the model, instead of the file's.")
def _pull(source: str, name: str | None) -> None:
    """Get the model SOURCE, and print where its file is.

    SOURCE is smollm2 (135 million parameters, 93 MB), OWNER/REPOSITORY/FILE.gguf of the Hugging
    Face hub, or a GGUF file, which stays where it is. A download that was interrupted continues
    where it stopped.
    """
    path = _pull_watched(source, name)
    note(f"try it: toolproto chat --local {name or _called(path)}")
    click.echo(visible(str(path)))


@command.command("list")
@json_option
def _list(as_json: bool) -> None:
    """List the models that are here: name, size and file."""
    models = installed_models()
    if as_json:
        print_json([_row(model) for model in models])
        return
    width = max((len(model.name) for model in models), default=0)
    for model in models:
        click.echo(visible(f"{model.name:{width}}  {_size(model):>8}  {model.path}"))
    if not models:
        note(f"no models in {models_folder()}; get one: toolproto model pull smollm2")


@command.command("path")
@click.argument("name", type=LOCAL_MODEL)
def _path(name: str) -> None:
    """Print where the file of the model NAME is."""
    click.echo(visible(str(find_model(name))))


@command.command("remove")
@click.argument("name", type=LOCAL_MODEL)
def _remove(name: str) -> None:
    """Remove the model NAME. A file that was not downloaded here stays where it is."""
    model = remove_model(name)
    note(f"removed {model.path}" if model.kept else f"{model.path} stays where it is")


def _pull_watched(source: str, name: str | None) -> Path:
    """Pull with a progress bar, where somebody is looking."""
    from rich import progress as bars

    console = err()
    columns = (
        bars.TextColumn("{task.description}", markup=False),
        bars.BarColumn(),
        bars.DownloadColumn(),
        bars.TransferSpeedColumn(),
        bars.TimeRemainingColumn(),
    )
    with bars.Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as shown:
        task = shown.add_task(visible(source), start=False, total=None)

        def watch(have: int, total: int | None) -> None:
            shown.start_task(task)
            shown.update(task, completed=have, total=total)

        return pull(source, name=name, progress=watch)


def _called(path: Path) -> str:
    return next((model.name for model in installed_models() if model.path == path), str(path))


def _row(model: InstalledModel) -> dict[str, str | int | bool | None]:
    return {
        "name": model.name,
        "path": str(model.path),
        "size": model.size,
        "downloaded": model.kept,
    }


def _size(model: InstalledModel) -> str:
    return "gone" if model.size is None else f"{model.size / 1e6:.0f} MB"
