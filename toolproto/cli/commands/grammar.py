"""``toolproto grammar``: what a model would be held to, and whether a reply keeps to it."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from ...protocol.errors import UsageError
from ...protocol.foreign_text import visible
from ...protocol.grammar import RENDERINGS, Departure, Grammar, departure, render
from ...protocol.tools.spec import ToolOffer
from ..console import note, print_json, print_text
from ..exits import Exit
from ..options import json_option, paradigm_option, tools_option
from ..paradigm_choice import load_paradigm
from ..tool_sources import needed_offer

__all__ = ["command"]

_SHOWN = 40


@click.command("grammar")
@paradigm_option
@tools_option
@click.option(
    "--as",
    "rendering",
    type=click.Choice(list(RENDERINGS)),
    default="gbnf",
    show_default=True,
    help="Notation: llama.cpp's, llguidance's, xgrammar's, vLLM's, OpenAI's.",
)
@click.option(
    "--choice",
    default="auto",
    show_default=True,
    metavar="CHOICE",
    help="'auto', 'required', 'none', or the name of the tool to call.",
)
@click.option(
    "--parallel/--no-parallel", default=True, help="Allow several calls in one reply.  [yes]"
)
@click.option("--model", default="", help="Model for which 'auto' chooses the paradigm.")
@click.option(
    "--check",
    type=click.Path(allow_dash=True, path_type=Path),
    metavar="FILE",
    help="Say whether the reply in FILE (- is standard input) keeps to the grammar.",
)
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    paradigm: str,
    tools: tuple[str, ...],
    rendering: str,
    choice: str,
    parallel: bool,
    model: str,
    check: Path | None,
    as_json: bool,
) -> None:
    """Print the grammar of the replies that tools and paradigm allow, or check a reply against it.

    The grammar goes to stdout. What a grammar cannot express is listed on stderr; calls are still
    checked for it. With --check, the first place where the reply departs from the grammar is named.

    Exit codes: 0 the grammar is printed, or the reply keeps to it; 1 the reply departs from it.
    """
    grammar = _made(paradigm, model, _offer(tools, choice, parallel))
    if check is not None:
        ctx.exit(_checked(grammar, _reply(check), as_json))
    made = render(grammar, rendering)
    if made is None:
        raise UsageError(
            f"{rendering!r} cannot express these replies; json_schema needs a form that is only"
            " JSON, and --choice required"
        )
    left_out = [str(each) for each in made.left_out]
    if as_json:
        print_json({"rendering": rendering, "grammar": made.value, "left_out": left_out,
                    "triggers": list(grammar.triggers)})  # fmt: skip
        return
    print_text(made.value if isinstance(made.value, str) else _pretty(made.value))
    for each in left_out:
        note(f"left out: {each}")


def _offer(tools: tuple[str, ...], choice: str, parallel: bool) -> ToolOffer:
    offer = needed_offer(tools)
    if choice not in ("auto", "required", "none", *offer.names):
        named = ", ".join(sorted(offer.names))
        raise UsageError(f"there is no tool {choice!r} to choose; the tools are: {named}")
    return replace(offer, choice=choice, parallel=parallel)


def _made(paradigm: str, model: str, offer: ToolOffer) -> Grammar:
    chosen = load_paradigm(paradigm, model=model)
    grammar = chosen.grammar(offer)
    if grammar is None:
        raise UsageError(f"{chosen.name!r} has no grammar for these tools")
    return grammar


def _reply(path: Path) -> str:
    if str(path) == "-":
        return sys.stdin.buffer.read().decode("utf-8", "replace").removesuffix("\n")
    return path.read_text(encoding="utf-8").removesuffix("\n")


def _checked(grammar: Grammar, reply: str, as_json: bool) -> Exit:
    found = departure(grammar, reply)
    if as_json:
        told: dict[str, Any] = {"accepted": found is None}
        if found is not None:
            told |= {"at": found.at, "expected": list(found.expected)}
        print_json(told)
    elif found is None:
        click.echo("the reply keeps to the grammar")
    else:
        click.echo(_departed(reply, found))
    return Exit.FINE if found is None else Exit.FAILED


def _departed(reply: str, found: Departure) -> str:
    before = reply[max(found.at - _SHOWN, 0) : found.at]
    line, column = reply.count("\n", 0, found.at) + 1, found.at - reply.rfind("\n", 0, found.at)
    there = reply[found.at : found.at + _SHOWN]
    came = f"came {json.dumps(there, ensure_ascii=False)}" if there else "the reply ends"
    expected = [json.dumps(each, ensure_ascii=False) if each != "[…]" else "other characters"
                for each in found.expected[:6]]  # fmt: skip
    return visible(
        f"departs at character {found.at} (line {line}, column {column}), after "
        f"{json.dumps(before, ensure_ascii=False)}: expected {' or '.join(expected)}; {came}"
    )


def _pretty(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
