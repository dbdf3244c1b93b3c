"""One reply, as a person at a terminal wants to see what was read in it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...bulk.replies import ReadReply
from ...protocol.foreign_text import visible
from ...protocol.messages import CallProblem, Grade, ToolCall

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

__all__ = ["show_reply"]

_STYLES = {Grade.LOSSLESS: "green", Grade.GUESSED: "yellow", Grade.TRUNCATED: "red"}


def show_reply(reply: ReadReply, console: Console) -> None:
    """Write calls, repairs, problems, text and thinking of *reply* to *console*."""
    for line in _lines(reply):
        console.print(line, soft_wrap=True)


def _lines(reply: ReadReply) -> Iterator[Text]:
    if reply.fault:
        yield _line(("unreadable ", "bold red"), (reply.fault, ""))
        return
    for call in reply.calls:
        yield from _call(call)
    for problem in reply.problems:
        yield from _problem(problem)
    if not reply.calls and not reply.problems:
        yield _line(("no call", "bold"))
    yield from _block("text", reply.text, "")
    yield from _block("thinking", reply.reasoning, "dim")


def _call(call: ToolCall) -> Iterator[Text]:
    yield _line(("call ", "bold green"), (call.name, "bold cyan"), (f"  {call.id}", "dim"))
    for name, value in call.arguments.items():
        yield _line((f"  {name} ", "cyan"), (_indented(_value(value)), ""))
    for repair in call.repairs:
        detail = f" ({repair.detail})" if repair.detail else ""
        style = _STYLES[repair.grade]
        yield _line((f"  {repair.grade.value} repair ", style), (f"{repair.name}{detail}", "dim"))


def _value(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _problem(problem: CallProblem) -> Iterator[Text]:
    name = f" {problem.name}" if problem.name else ""
    yield _line(("problem ", "bold red"), (problem.kind.value, "red"), (name, "cyan"))
    yield _line((f"  {_indented(problem.message)}", ""))
    if problem.raw:
        yield _line((f"  {_indented(problem.raw.strip())}", "dim"))


def _block(title: str, text: str, style: str) -> Iterator[Text]:
    if text.strip():
        yield _line((title, "bold"))
        yield _line((f"  {_indented(text.strip())}", style))


def _indented(text: str) -> str:
    return text.replace("\n", "\n  ")


def _line(*parts: tuple[str, str]) -> Text:
    """Styled words; what a model or a file said in them is made harmless."""
    from rich.text import Text

    return Text.assemble(*((visible(words), style) for words, style in parts))
