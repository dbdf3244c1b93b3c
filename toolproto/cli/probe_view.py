"""A probe on the terminal: its plan, how far it is, and its table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..evals import BASELINE, ProbePlan, ProbeReport, Progress, Row, Share
from ..evals.files import ProbeFiles
from ..evals.kept import KeptOutcomes
from .console import err, note, out, print_json
from .visible import visible

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["print_plan", "print_report", "shown_progress"]

#: How often progress is told where there is no terminal to draw it on.
_TOLD_EVERY = 50


def print_plan(plan: ProbePlan, files: ProbeFiles, *, as_json: bool) -> None:
    """Show what would be asked."""
    trials = list(plan.trials())
    with KeptOutcomes(files.replies if files.replies.is_file() else None) as kept:
        known = sum(kept.get(trial.fingerprint) is not None for trial in trials)
    kinds = Counter(case.kind.value for case in plan.cases)
    tokens = round(sum(trial.prompt_tokens for trial in trials), -2)
    told = {
        "model": plan.model,
        "arms": [arm.name for arm in plan.arms],
        "kinds": dict(kinds),
        "trials": len(trials),
        "known": known,
        "requests": sum(trial.requests for trial in trials),
        "prompt_tokens": tokens,
        "folder": str(files.folder),
    }
    if as_json:
        print_json(told)
        return
    console = out()
    head = f"{plan.model}: {len(plan.cases)} cases in {len(plan.arms)} forms"
    console.print(visible(head), markup=False)
    for arm in plan.arms:
        console.print(visible(f"  {arm.name}"), markup=False)
    console.print("  " + ", ".join(f"{count} {kind}" for kind, count in kinds.items()))
    console.print(
        f"{told['requests']} requests, about {tokens} tokens of prompts; "
        f"{known} of {len(trials)} trials are known already"
    )


def print_report(report: ProbeReport) -> None:
    """Print the table, and in a line what it says."""
    console = out()
    console.print(_table(report))
    best, baseline = report.best, report.baseline
    if best is None:
        return
    console.print(f"best: {visible(best.arm.name)}", markup=False)
    if baseline is not None:
        beats = "outside" if report.beats_baseline(best) else "within"
        console.print(
            f"right arguments {_inline(best.right_arguments)} against "
            f"{_inline(baseline.right_arguments)} of a generic prompt: {beats} the intervals",
            markup=False,
            soft_wrap=True,
        )


@contextmanager
def shown_progress() -> Iterator[Callable[[Progress], object]]:
    """Something to tell progress to: a bar on a terminal, now and then a line elsewhere."""
    console = err()
    if not console.is_terminal:
        yield _told
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (MofNCompleteColumn(), BarColumn(), TimeRemainingColumn())
    with Bar(*columns, TextColumn("{task.description}"), console=console, transient=True) as bar:
        task = bar.add_task("", total=None)

        def moved(progress: Progress) -> None:
            what = f"{progress.trial.arm.name} {progress.trial.case.id}"
            bar.update(task, completed=progress.done, total=progress.total, description=what)
            if progress.error:
                bar.console.print(visible(f"{what}: {progress.error}"), markup=False, style="dim")

        yield moved


def _told(progress: Progress) -> None:
    if progress.error:
        note(f"{progress.trial.arm.name} {progress.trial.case.id}: {progress.error}")
    elif progress.done % _TOLD_EVERY == 0 or progress.done == progress.total:
        note(f"{progress.done} of {progress.total} trials")


def _table(report: ProbeReport) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    # Two lines to a cell, so that it fits a terminal of 80 columns.
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True, show_edge=False)
    table.title = Text(
        visible(f"{report.plan.model}: {len(report.scored)} of {report.total} trials")
    )
    table.add_column("form (cases)", no_wrap=True)
    heads = ("well\nformed", "right\ntool", "right\nargs", "no\nguess", "need-\nless")
    for head in (*heads, "uses\nresult", "tokens\nin/out", "secs"):
        table.add_column(head, justify="right")
    best = report.best
    for row in report.rows:
        style = "bold green" if best and row.arm == best.arm else None
        table.add_row(*map(Text, _cells(row)), style=style)
    return table


def _cells(row: Row) -> Iterator[str]:
    how = "generic prompt" if row.arm == BASELINE else row.arm.describe
    examples = ", examples" if row.arm.examples else ""
    yield visible(f"{row.arm.paradigm} ({row.cases})\n {how}{examples}")
    yield from map(_share, (row.well_formed, row.right_tool, row.right_arguments))
    yield from map(_share, (row.sure, row.needless, row.used_result))
    about = "~" if row.estimated else ""
    yield f"{about}{row.input_tokens.value:.0f}\n{about}{row.output_tokens.value:.0f}"
    yield f"{row.seconds.value:.1f}"


def _share(share: Share) -> str:
    if share.value is None:
        return "-"
    return f"{share.value * 100:.0f} %\n{share.low * 100:.0f}-{share.high * 100:.0f}"


def _inline(share: Share) -> str:
    return _share(share).replace("\n", " (") + ")" if share.asked else "-"
