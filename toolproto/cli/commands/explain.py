"""``toolproto explain``: how one reply is read, and why."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import IO, Any

import click

from ...protocol.errors import UsageError
from ..exits import Exit
from ..options import json_option, paradigm_option, tools_option

__all__ = ["command"]

#: More than any model writes; what is longer is likely another file than was meant.
_LONGEST = 16_000_000


@click.command(name="explain")
@click.argument("reply", type=click.File("rb", lazy=True), default="-")
@paradigm_option
@tools_option
@json_option
@click.option(
    "--chunk-size",
    type=click.IntRange(min=1),
    help="Also stream the reply in pieces of this length.",
)
@click.option(
    "--chunks",
    type=click.File("rb", lazy=True),
    help="Also stream the pieces in FILE: JSON strings, or a cassette's line.",
)
@click.option(
    "--finish-reason",
    type=click.Choice(["stop", "length"]),
    default="stop",
    show_default=True,
    help="Why the endpoint stopped; 'length' is a reply that was cut.",
)
@click.option(
    "--stranger",
    type=click.File("rb"),
    multiple=True,
    help="An earlier tool result: a call that appears in it is doubted. May be repeated.",
)
@click.option("--thinking", is_flag=True, help="The prompt already opened a thought.")
@click.option("--strict", is_flag=True, help="Exit with 1 if a call is rejected.")
@click.pass_context
def command(
    ctx: click.Context,
    reply: IO[bytes],
    paradigm: str,
    tools: Sequence[str],
    as_json: bool,
    chunk_size: int | None,
    chunks: IO[bytes] | None,
    finish_reason: str,
    stranger: Sequence[IO[bytes]],
    thinking: bool,
    strict: bool,
) -> None:
    """Show how a REPLY is read: every character, every call, and why.

    REPLY is a file, or standard input. Each call is accepted, repaired, rejected or ignored; with
    --tools it is also checked as the chat loop checks it.
    """
    from ...protocol.decoding.reply.thinking_tokens import Reasoning
    from ...testing.explain import explain_reply, in_chunks
    from ..paradigm_choice import load_paradigm
    from ..tool_sources import load_tools

    pieces = _chunks(_text(chunks)) if chunks is not None else []
    text = "".join(pieces) if chunks is not None else _text(reply)
    if chunk_size:
        pieces = in_chunks(text, chunk_size)
    explanation = explain_reply(
        text,
        load_paradigm(paradigm, reasoning=Reasoning(starts_inside=thinking)),
        load_tools(tools).values(),
        finish_reason="length" if finish_reason == "length" else None,
        chunks=pieces,
        strangers=[_text(each) for each in stranger],
    )
    _show(explanation, as_json)
    rejected = explanation.count()["rejected"]
    ctx.exit(Exit.FAILED if strict and rejected else Exit.FINE)


def _show(explanation: Any, as_json: bool) -> None:
    from ...testing.explain import as_json as written
    from .. import console
    from ..explain_view import show_explanation

    if as_json:
        console.print_json(written(explanation))
    else:
        show_explanation(explanation, console.out())


def _text(file: IO[bytes]) -> str:
    read = file.read(_LONGEST + 1)
    if len(read) > _LONGEST:
        raise UsageError(f"{file.name} is longer than {_LONGEST:,} bytes, too long for a reply")
    try:
        return read.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise UsageError(f"{file.name} is not UTF-8: {error.reason}") from None


def _chunks(text: str) -> list[str]:
    """The texts of chunks: a JSON list, lines of JSON, or one exchange that has ``chunks``."""
    try:
        read = [json.loads(line) for line in text.split("\n") if line.strip()]
    except (ValueError, RecursionError):
        raise UsageError("--chunks: expected JSON strings, one on each line, or a list") from None
    if len(read) == 1 and isinstance(read[0], dict):
        read = read[0].get("chunks", read)
    elif len(read) == 1 and isinstance(read[0], list):
        read = read[0]
    return [_chunk(each) for each in read]


def _chunk(told: Any) -> str:
    text = told.get("text", "") if isinstance(told, dict) and "chunks" not in told else told
    if not isinstance(text, str):
        raise UsageError(f"--chunks: a chunk is a string or has 'text', got {told!r:.60}")
    return text
