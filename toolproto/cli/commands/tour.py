"""``toolproto tour``: five minutes, one command after the other."""

from __future__ import annotations

import sys
from pathlib import Path
from shutil import get_terminal_size

import click

from ...protocol.errors import UsageError
from ..exits import Exit
from ..tour import STEPS, TourStep, run_step

__all__ = ["command"]


@click.command("tour")
@click.option("--into", type=click.Path(file_okay=False, path_type=Path), metavar="FOLDER",
              default=Path("toolproto-tour"), show_default=True,
              help="New folder for the files of the tour.")  # fmt: skip
@click.option("--yes", "-y", is_flag=True, help="Run every step without asking.")
@click.pass_context
def command(ctx: click.Context, into: Path, yes: bool) -> None:
    """Show the main features in five minutes: each step is a command that you could type.

    A call, a drifted call and its repair, a call that is only shown, an approval, a paradigm of
    your own, and its laws. Without a terminal every step is run.
    """
    if into.exists():
        raise UsageError(f"{into} exists already; remove it, or name another with --into FOLDER")
    into.mkdir(parents=True)
    attended = sys.stdin.isatty() and not yes
    failed = False
    _say(f"The files of this tour are in {into}/, and each command is run there.")
    for number, step in enumerate(STEPS, 1):
        _introduce(step, number, into)
        if command := step.lacks():
            click.echo(f"This step needs an extra. Run this first:\n\n  $ {command}\n")
            continue
        if attended and not _wanted():
            break
        sys.stdout.flush()
        failed = bool(run_step(step, into)) or failed
        click.echo()
        _say(step.notice)
    else:
        click.echo()
        _say("That was the tour. Next: toolproto chat --local, or the README.")
    ctx.exit(Exit.FAILED if failed else Exit.FINE)


def _say(text: str) -> None:
    """*text* as a paragraph that fits into the window."""
    click.echo(click.wrap_text(text, get_terminal_size().columns))


def _introduce(step: TourStep, number: int, folder: Path) -> None:
    click.echo()
    click.secho(f"{number} of {len(STEPS)}  {step.title}", bold=True)
    click.echo()
    _say(step.about)
    click.echo()
    text = step.files.get(step.shown) or _written(folder / step.shown)
    for line in text.splitlines():
        click.secho(f"  | {line}", dim=True)
    click.echo(f"{chr(10) if text else ''}  $ {step.command}\n")


def _written(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _wanted() -> bool:
    """Whether the person goes on; anything but q does."""
    click.echo("Enter runs it, q leaves. ", nl=False)
    answer = click.getchar()
    click.echo()
    return answer.lower() != "q"
