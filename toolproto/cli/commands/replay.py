"""``toolproto replay``: fixtures read again, and what changed."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...protocol.foreign_text import visible
from ..completing import PARADIGM
from ..exits import Exit
from ..options import json_option, paradigm_named
from .capture import own_paradigm

if TYPE_CHECKING:
    from ...protocol.paradigms import ToolContextDef
    from ...testing.fixtures import Fixture
    from ...testing.replaying import CaseOutcome, Comparison

__all__ = ["command"]


@click.command(name="replay")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@paradigm_named(
    "Paradigm that reads them: a name, or a .py file.  [default: each fixture's own]", default=None
)
@click.option(
    "--against",
    type=PARADIGM,
    metavar="VERSION",
    help="Compare with another paradigm, a .py file, or outcomes that were saved (.jsonl).",
)
@click.option(
    "--save",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Keep the outcomes, to compare them with a later version.",
)
@click.option("--strict", is_flag=True, help="Exit with 1 if anything changed.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    folder: Path,
    paradigm: str | None,
    against: str | None,
    save: Path | None,
    strict: bool,
    as_json: bool,
) -> None:
    """Read the fixtures in FOLDER again, and show what changed.

    FOLDER is fixtures/<paradigm>, or fixtures with one folder for each. Without --against, it shows
    what reading each of them gives.
    """
    from ...testing.replay_files import save_outcomes
    from ...testing.replaying import compare, fixtures_in, outcomes
    from ..console import note

    fixtures = fixtures_in(folder)
    reader = own_paradigm(ctx)
    after = outcomes(fixtures, _reader(reader))
    before = _outcomes_of(against, fixtures, reader) if against else None
    if save is not None:
        save_outcomes(save, after)
        note(f"saved the outcomes of {_cases(len(after))} in {save}")
    if before is None:
        _show_outcomes(after, as_json)
        return
    compared = compare(before, after)
    _show_comparison(compared, as_json)
    ctx.exit(Exit.FAILED if strict and not compared.is_same else Exit.FINE)


def _outcomes_of(
    version: str, fixtures: list[Fixture], paradigm: str | None
) -> dict[str, CaseOutcome]:
    from ...protocol.paradigms.registry import free_names
    from ...testing.replay_files import load_outcomes
    from ...testing.replaying import outcomes

    if version.endswith(".jsonl"):
        return load_outcomes(Path(version))
    if not version.endswith(".py"):
        return outcomes(fixtures, _reader(version))
    names = {_reader(paradigm)(fixture).name for fixture in fixtures}
    with free_names(names):
        return outcomes(fixtures, _reader(version))


def _reader(paradigm: str | None) -> Callable[[Fixture], type[ToolContextDef]]:
    """Which class reads a fixture: *paradigm*, or the one whose folder it is in."""
    from ..paradigm_choice import load_paradigm

    @functools.cache
    def named(name: str) -> type[ToolContextDef]:
        return type(load_paradigm(name))

    return lambda fixture: named(paradigm or fixture.paradigm)


# -- what is shown ------------------------------------------------------------------------


def _show_outcomes(found: dict[str, CaseOutcome], as_json: bool) -> None:
    from ...testing.replay_text import outcome_lines
    from ..console import print_json

    for case, outcome in found.items():
        if as_json:
            print_json({"case": case, **outcome})
        else:
            _say(case, *(f"  {line}" for line in outcome_lines(outcome)))


def _show_comparison(compared: Comparison, as_json: bool) -> None:
    from ...testing.replay_text import comparison_lines
    from ..console import note, print_json

    if as_json:
        print_json(
            {
                "same": compared.same,
                "changed": [
                    {"case": each.case, "before": each.before, "after": each.after}
                    for each in compared.changed
                ],
                "gone": compared.gone,
                "new": compared.new,
            }
        )
        return
    _say(*comparison_lines(compared))
    counts = {"changed": compared.changed, "gone": compared.gone, "new": compared.new}
    told = [f"{len(cases)} {word}" for word, cases in counts.items() if cases]
    note(", ".join([f"{_cases(compared.same)} read as before", *told]))


def _say(*lines: str) -> None:
    for line in lines:
        click.echo(visible(line))


def _cases(count: int) -> str:
    return "1 case" if count == 1 else f"{count:,} cases"
