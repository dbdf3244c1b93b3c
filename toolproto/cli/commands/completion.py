"""``toolproto completion``: what a shell needs to complete our commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from ..app import COMPLETE

__all__ = ["command"]

SHELLS = ["bash", "zsh", "fish"]


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the completion script of SHELL.

    It completes commands, options, files and what this machine knows: paradigms, models and
    endpoints of your settings, models that were fetched, sessions in a file. No server is asked.

    \b
    bash  eval "$(toolproto completion bash)"      in ~/.bashrc
    zsh   eval "$(toolproto completion zsh)"       in ~/.zshrc, below compinit
    fish  toolproto completion fish | source       in ~/.config/fish/config.fish
    """
    from .. import completing as completing  # our own way of completing in bash

    completion = get_completion_class(shell)
    assert completion is not None
    root = ctx.find_root().command
    click.echo(completion(root, {}, "toolproto", COMPLETE).source())
