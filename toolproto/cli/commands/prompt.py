"""``toolproto prompt``: what a model would be told."""

from __future__ import annotations

from pathlib import Path

import click

from ...protocol.describe import Presentation, estimate_tokens, list_styles
from ...protocol.guard.neutralise import neutraliser
from ...protocol.guard.neutralise_messages import neutral_offer
from ...protocol.messages import Message
from ..console import note, print_json, print_text
from ..options import json_option, paradigm_option, teaching_option, tools_option
from ..paradigm_choice import load_paradigm
from ..tool_sources import needed_offer

__all__ = ["command"]


@click.command("prompt")
@paradigm_option
@tools_option
@click.option("--system", default="You are a helpful assistant.", help="Your own system prompt.")
@click.option(
    "--system-file",
    type=click.Path(exists=True, path_type=Path),
    help="Your own system prompt, from a file.",
)
@click.option("--describe", type=click.Choice(list_styles()), help="How the tools are shown.")
@teaching_option
@click.option("--budget", type=click.IntRange(1), help="Most tokens that the tools may take.")
@click.option(
    "--examples", is_flag=True, help="Include the chat turns that show small models a call."
)
@click.option("--model", default="", help="Model for which 'auto' chooses the paradigm.")
@json_option
def command(
    paradigm: str,
    tools: tuple[str, ...],
    system: str,
    system_file: Path | None,
    describe: str | None,
    teaching: str | None,
    budget: int | None,
    examples: bool,
    model: str,
    as_json: bool,
) -> None:
    """Show the system prompt that tells a model about the tools, and what it costs.

    The prompt goes to stdout, the count of tokens (an estimate, without a tokenizer) to stderr.
    """
    wanted = {"describe": describe, "teaching": teaching}
    chosen = load_paradigm(paradigm, model=model, **{k: v for k, v in wanted.items() if v})
    if budget:
        chosen.presentation = Presentation(chosen.presentation.style, budget)
    offer = needed_offer(tools)
    # As a session tells it: a description that opens a call is a stranger's.
    offer = neutral_offer(offer, neutraliser(chosen, offer.names))
    own = system_file.read_text(encoding="utf-8") if system_file else system
    messages = [Message("system", chosen.splice_system_prompt(own, offer))]
    messages += chosen.examples(offer) if examples else []
    total = sum(estimate_tokens(message.content) for message in messages)
    ours = total - estimate_tokens(own)
    if as_json:
        told = [{"role": each.role, "content": each.content} for each in messages]
        cost = {"tokens": total, "tool_tokens": ours}
        print_json({"paradigm": chosen.name, "messages": told, **cost})
        return
    _print(messages)
    note(f"{chosen.name}: about {total} tokens, {ours} of them for {len(offer.tools)} tools")
    for dropped in chosen.described(offer).dropped:
        note(f"left out: {dropped}")


def _print(messages: list[Message]) -> None:
    for message in messages:
        if len(messages) > 1:
            click.secho(f"[{message.role}]", bold=True)
        print_text(message.content)
