"""``toolproto capture``: fixtures out of recorded replies."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from ..completing import FILE
from ..options import json_option, paradigm_named, tools_option

if TYPE_CHECKING:
    from ...testing.capturing import CaptureReport

__all__ = ["command", "own_paradigm"]


@click.command(name="capture")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--from",
    "sources",
    type=FILE,
    multiple=True,
    required=True,
    metavar="SOURCE",
    help="A cassette, a log of exchanges, or a store (sqlite:///chats.db); may be repeated.",
)
@click.option(
    "--failed/--all",
    "failed",
    default=True,
    show_default=True,
    help="Only take replies in which a call was lost, refused or guessed.",
)
@paradigm_named("Form of the calls: a name, or a .py file.  [default: FOLDER's name]", default=None)
@tools_option
@click.option("--redact", multiple=True, metavar="REGEX", help="Also remove what this matches.")
@click.option(
    "--secret-env",
    "secrets",
    multiple=True,
    metavar="VARIABLE",
    help="Also remove the value of this variable.",
)
@click.option("--thinking", is_flag=True, help="The prompts already opened a thought.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    folder: Path,
    sources: Sequence[str],
    failed: bool,
    paradigm: str | None,
    tools: Sequence[str],
    redact: Sequence[str],
    secrets: Sequence[str],
    thinking: bool,
    as_json: bool,
) -> None:
    """Make fixtures in FOLDER (fixtures/<paradigm>) out of recorded replies.

    There is one fixture for each kind of mistake, without keys and e-mail addresses. Files
    that are in FOLDER already are never changed.
    """
    import os

    from ...protocol.decoding.reply.thinking_tokens import Reasoning
    from ...testing.capture_redaction import StandIns
    from ...testing.capture_sources import recorded
    from ...testing.capturing import capture
    from ..paradigm_choice import load_paradigm
    from ..tool_sources import load_offer

    reasoning = Reasoning(starts_inside=thinking)
    report = capture(
        (each for source in sources for each in recorded(source)),
        folder,
        load_paradigm(own_paradigm(ctx) or folder.name, reasoning=reasoning),
        offer=load_offer(tools),
        stand_ins=StandIns(filter(None, map(os.environ.get, secrets)), redact),
        everything=not failed,
    )
    _show(report, folder, as_json)


def own_paradigm(ctx: click.Context) -> str | None:
    """The paradigm that was asked for here: not the one that is set for all commands."""
    set_for_all = ctx.get_parameter_source("paradigm") is ParameterSource.DEFAULT_MAP
    if set_for_all and "paradigm" not in ctx.obj.table(ctx.info_name):
        return None
    asked: str | None = ctx.params["paradigm"]
    return asked


def _show(report: CaptureReport, folder: Path, as_json: bool) -> None:
    from ..console import note, print_json

    if as_json:
        print_json(
            {
                "captured": [
                    {"case": each.case, "count": each.count, "outcome": each.outcome.value}
                    for each in report.captured
                ],
                "skipped": {why.value: count for why, count in report.skipped.items()},
                "changed": list(report.changed),
            }
        )
    else:
        for each in report.captured:
            path = folder / f"{each.case}.txt"
            click.echo(f"{each.outcome.value:<9} {path}  ({_replies(each.count)})")
        if not report.captured:
            note("no reply to make a fixture of")
    for why, count in report.skipped.items():
        note(f"left out: {_replies(count)} {why.value}")
    for origin in report.changed:
        note(f"redaction would change how the reply of {origin} is read; make that fixture by hand")


def _replies(count: int) -> str:
    return "1 reply" if count == 1 else f"{count:,} replies"
