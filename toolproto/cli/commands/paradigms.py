"""``toolproto paradigms``: which forms of call there are, and what one looks like."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

import click

from ...protocol.messages import ToolCall
from ...protocol.paradigms import ToolContextDef, get_paradigm, list_paradigms
from ...protocol.paradigms.recommendations import recommend
from ...protocol.tools.spec import ToolOffer, ToolSpec
from ..completing import PARADIGM
from ..console import print_json
from ..options import json_option
from ..paradigm_choice import load_paradigm

__all__ = ["command"]

_SHOWN = ToolCall("get_weather", {"city": "Oslo"}, "call_1")
_SPEC = ToolSpec(
    "get_weather",
    "Current weather for a city.",
    {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
)


@click.command("paradigms")
@click.argument("name", required=False, type=PARADIGM)
@click.option("--for", "model", metavar="MODEL", help="Recommend one for the model of that name.")
@json_option
def command(name: str | None, model: str | None, as_json: bool) -> None:
    """List the paradigms (forms of calls), show the one called NAME, or recommend one.

    Installed plugins are listed too.
    """
    if model is not None:
        _show_recommended(model, as_json)
    elif name is not None:
        _show_one(load_paradigm(name), as_json)
    else:
        _show_all(as_json)


def _show_all(as_json: bool) -> None:
    rows = list(_summaries())
    if as_json:
        print_json(rows)
        return
    width = max(len(row["name"]) for row in rows)
    for row in rows:
        click.echo(f"{row['name']:{width}}  {row['call']}".replace("\n", "⏎"))


def _summaries() -> Iterator[dict[str, str]]:
    for name in list_paradigms():
        try:
            yield _summary(get_paradigm(name))
        except Exception as error:  # a plugin: the others are there all the same
            click.echo(f"warning: {name} is left out: {error}", err=True)


def _show_one(paradigm: ToolContextDef, as_json: bool) -> None:
    summary = _summary(paradigm)
    summary["instructions"] = paradigm.instructions(ToolOffer((_SPEC,)))
    if as_json:
        print_json(summary)
        return
    for heading in ("about", "call", "instructions"):
        click.secho(heading, bold=True)
        click.echo(f"{summary[heading]}\n")


def _show_recommended(model: str, as_json: bool) -> None:
    choice = recommend(model)
    if as_json:
        print_json({"model": model, **asdict(choice)})
        return
    options = {"--describe": choice.describe, "--teaching": choice.teaching}
    given = [f"{option} {value}" for option, value in options.items() if value]
    click.echo("  ".join([choice.paradigm, *given]))
    click.echo(choice.why)


def _summary(paradigm: ToolContextDef) -> dict[str, str]:
    about = (type(paradigm).__doc__ or "").strip()
    return {"name": paradigm.name, "about": about, "call": paradigm.encode_call(_SHOWN)}
