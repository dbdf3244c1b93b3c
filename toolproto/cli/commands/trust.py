"""``toolproto trust``: let the settings of a folder choose code, addresses and variables."""

from __future__ import annotations

from pathlib import Path

import click

from ...protocol.errors import UsageError
from ...protocol.foreign_text import visible
from ..settings import FILE, load_settings
from ..trust import Trusted

__all__ = ["command"]


@click.command("trust")
@click.argument("folder", type=click.Path(path_type=Path), default=Path())
@click.option("--list", "listed", is_flag=True, help="Print the folders that are trusted.")
@click.option("--forget", is_flag=True, help="Trust FOLDER no more.")
def command(folder: Path, listed: bool, forget: bool) -> None:
    """Let toolproto.toml of FOLDER choose tools, endpoints, keys and files.

    Read the file first: it can run Python and send a key somewhere. The folder is remembered
    by its path and by what the file and all files that it loads say; if one changes, you are
    asked again. Without FOLDER, the current one.
    """
    if listed:
        for each in sorted(Trusted().all()):
            click.echo(visible(each))
    elif forget:
        place = str(folder.resolve())
        if not Trusted().forget(place):
            raise UsageError(
                f"{place} is not trusted; `toolproto trust --list` lists those that are"
            )
        click.echo(f"forgot {visible(place)}")
    else:
        _trust(folder)


def _trust(folder: Path) -> None:
    trust = load_settings(folder=folder).trust
    if trust is None:
        raise UsageError(f"{folder / FILE} does not exist, so there is nothing to trust")
    trust.remember()
    click.echo(f"trusted {visible(trust.folder)}")
    for line in trust.shown():
        click.echo(f"  {line}")
