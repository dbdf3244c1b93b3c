"""``toolproto version``."""

from __future__ import annotations

import click

from ...package import __version__
from ..console import print_json
from ..options import json_option

__all__ = ["command"]


@click.command("version")
@json_option
def command(as_json: bool) -> None:
    """Print the version."""
    print_json({"version": __version__}) if as_json else click.echo(__version__)
