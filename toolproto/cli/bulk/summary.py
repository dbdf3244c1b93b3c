"""What a run came to, for people and for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...bulk.replies import ReplyOutcome
from ...bulk.runner import ParseReport
from ...protocol.foreign_text import visible

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["show_summary", "summary"]

_WORDS = {
    ReplyOutcome.NO_CALL: ("no call", ""),
    ReplyOutcome.CALLS: ("calls as asked", "green"),
    ReplyOutcome.REPAIRED: ("repaired, lossless", "green"),
    ReplyOutcome.GUESSED: ("repaired by a guess", "yellow"),
    ReplyOutcome.TRUNCATED: ("truncated", "yellow"),
    ReplyOutcome.PROBLEM: ("problem", "red"),
    ReplyOutcome.UNREADABLE: ("row unreadable", "red"),
}


def summary(report: ParseReport) -> dict[str, Any]:
    """*report* as JSON: the counts are of the whole output, the time is of this run."""
    return {
        **report.counts.told(),
        "replies_this_run": report.replies,
        "seconds": round(report.seconds, 3),
        "replies_per_second": round(_rate(report)),
    }


def show_summary(report: ParseReport, console: Console) -> None:
    """*report* in a few lines."""
    from rich.text import Text

    counts = report.counts
    width = len(f"{counts.replies:,}")
    for outcome, (words, style) in _WORDS.items():
        if number := counts.outcomes[outcome.value]:
            console.print(Text.assemble(f"{number:>{width},}  ", (words, style)))
    rate = f" in {report.seconds:,.1f} s, {_rate(report):,.0f} a second" if report.replies else ""
    console.print(f"{counts.replies:,} replies, {counts.calls:,} calls{rate}")
    if counts.problems:
        kinds = (f"{kind} {number:,}" for kind, number in sorted(counts.problems.items()))
        console.print(f"problems: {', '.join(kinds)}", soft_wrap=True)
    if counts.first_fault:
        fault = visible(counts.first_fault)
        console.print(f"first unreadable: {fault}", markup=False, soft_wrap=True)


def _rate(report: ParseReport) -> float:
    return report.replies / report.seconds if report.seconds else 0.0
