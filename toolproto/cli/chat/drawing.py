"""What stands on one line, or in a block of its own: results, problems, how a turn ended."""

from __future__ import annotations

from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from ...conversation.turn.events import ToolProgressed
from ...conversation.turn.result import TurnResult
from ...protocol.finish_reasons import cut_words
from ...protocol.foreign_text import visible
from ...protocol.messages import CallProblem, ToolResult
from ..console import mark
from .folding import counted, fold, one_line

__all__ = ["Whole", "ending", "not_run", "problem", "progress", "result", "totals"]

_LONGEST_NAME = 60
#: Columns that a folded result leaves to the marks and to the count behind it.
_BESIDE = 32
_LONGEST_ERROR = 300


def result(told: ToolResult, width: int, more: str = "/result") -> Table:
    """What came of a call in a line or two, how much is left out, and that *more* shows it."""
    name = one_line(told.call.name, _LONGEST_NAME)
    longest = _LONGEST_ERROR if told.is_error else max(20, width - len(name) - _BESIDE)
    said = one_line(told.title or told.content, longest)
    hidden = _hidden(told.content, said)
    rest = (f"  ({hidden}: {more})" if hidden else "", "dim")
    line = Table.grid()
    sign = f"{mark('broken' if told.is_error else 'fine')} "
    line.add_row(
        Text(sign, "red" if told.is_error else "green"),
        Text.assemble((name, "bold"), (" · ", "dim"), said, rest),
    )
    return line


def _hidden(content: str, said: str) -> str:
    """How much of *content* is not in *said*."""
    if lines := content.strip().count("\n"):
        return f"+ {counted(lines, 'line')}"
    is_whole = len(content.strip()) <= len(said) and not said.endswith("…")
    return "" if is_whole else counted(len(content), "character")


def progress(told: ToolProgressed) -> str:
    """How far a call is, behind its name."""
    share = f" {told.done:g}" + (f"/{told.total:g}" if told.total else "")
    return share + (f" {one_line(told.message, 60)}" if told.message else "")


def problem(told: CallProblem) -> Text:
    """What was wrong with a call, on one line."""
    return Text(f"! {told.kind.value}: {one_line(told.message, 300)}", style="dim")


class Whole:
    """A text of somebody else's, whole, with a border that it cannot leave."""

    def __init__(self, heading: str, text: str) -> None:
        self._heading = heading
        self._text = text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text.assemble(("╭─ ", "dim"), (one_line(self._heading, 100), "bold"))
        for row in fold(visible(self._text), options.max_width - 2):
            yield Text.assemble(("│ ", "dim"), row)
        yield Text("╰─", style="dim")


def ending(told: TurnResult) -> Text | None:
    """What there is to say about how a turn ended; nothing, if it simply ended."""
    match told.status:
        case "aborted":
            return Text("cancelled", style="yellow")
        case "error" | "timeout":
            return Text(one_line(f"error: {told.error}", 1_000), style="red")
        case "completed" if cut := cut_words(told.finish_reason):
            return Text(one_line(cut, 200), style="yellow")
    return None


def not_run(told: TurnResult) -> list[Text]:
    """Return the calls that did not run, and why: the model may say otherwise."""
    lines = (f"not run: {each.call.name}: {each.reason}" for each in told.not_run)
    return [Text(one_line(line, 1_000), style="yellow") for line in lines]


def totals(told: TurnResult) -> Text:
    """What the turn took."""
    used, tokens = told.stats, told.usage.input_tokens + told.usage.output_tokens
    parts = [
        counted(used.requests, "request") if used.requests > 1 else "",
        counted(used.calls, "call") if used.calls else "",
        counted(tokens, "token") if tokens else "",
        f"cost {told.cost:.4f}" if told.cost is not None else "",
        f"{used.seconds:.1f} s",
    ]
    return Text(" · ".join(filter(None, parts)), style="dim")
