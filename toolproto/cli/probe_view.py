"""A probe on the terminal: its plan, how far it is, and its table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..protocol.foreign_text import visible
from ..testing.probe import ProbePlan, ProbeReport, Progress, ReportRow, Share
from ..testing.probe.files import ProbeFiles
from ..testing.probe.intervals import enough_to_tell
from ..testing.probe.kept import KeptOutcomes
from ..testing.probe.trial import Trial
from .console import err, note, out, print_json

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["print_plan", "print_report", "shown_progress"]

#: How often progress is told where there is no terminal to draw it on.
_TOLD_EVERY = 50


def print_plan(
    plan: ProbePlan, files: ProbeFiles, most: int | None = None, *, as_json: bool
) -> None:
    """Show what would be asked, with at most *most* requests."""
    trials = list(plan.trials())
    with KeptOutcomes(files.replies if files.replies.is_file() else None) as kept:
        left = [trial for trial in trials if kept.get(trial.fingerprint) is None]
    known = len(trials) - len(left)
    kinds = Counter(case.kind.value for case in plan.cases)
    made = list(_within(left, most))
    requests = sum(trial.requests for trial in made)
    tokens = round(sum(trial.prompt_tokens for trial in made), -2)
    told = {
        "model": plan.model,
        "arms": [arm.name for arm in plan.arms],
        "kinds": dict(kinds),
        "trials": len(trials),
        "known": known,
        "requests": requests,
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
        f"{requests} requests, about {tokens} tokens of prompts; "
        f"{known} of {len(trials)} trials are known already"
    )
    if len(made) < len(left):
        console.print(f"{len(left) - len(made)} trials are left for another run")


def _within(trials: Sequence[Trial], most: int | None) -> Iterator[Trial]:
    """Those of *trials* that a run of *most* requests asks."""
    for trial in trials:
        if most is not None:
            most -= trial.requests
            if most < 0:
                return
        yield trial


def print_report(report: ProbeReport) -> None:
    """Print the table, and in a line what it says."""
    console = out()
    console.print(_table(report))
    best = report.best
    if best is None:
        return
    console.print(f"best: {visible(best.arm.name)}", markup=False)
    told = {"of the next form": report.second, "of a generic prompt": report.baseline}
    for whose, row in told.items():
        if row is not None:
            line = _against(best.right_arguments, row.right_arguments, f"{whose}, {row.arm.name}")
            console.print(visible(line), markup=False, soft_wrap=True)


def _against(best: Share, other: Share, whose: str) -> str:
    beats = "outside" if best.is_above(other) else "within"
    needed = None if best.is_above(other) else enough_to_tell(best, other)
    more = f"; about {needed} requests in each form would show which is better" if needed else ""
    return (
        f"right arguments {_inline(best)} against {_inline(other)} {whose}: "
        f"{beats} the intervals{more}"
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
    heads = ("well\nformed", "right\ntool", "right\nargs", "holds\nback", "no\nguess")
    for head in (*heads, "uses\nresult", "tokens\nin/out", "secs"):
        table.add_column(head, justify="right")
    best = report.best
    for row in report.rows:
        style = "bold green" if best and row.arm == best.arm else None
        table.add_row(*map(Text, _cells(row)), style=style)
    return table


def _cells(row: ReportRow) -> Iterator[str]:
    examples = "examples" if row.arm.examples else ""
    ways = ("generic prompt",) if row.arm.is_baseline else (row.arm.teaching, row.arm.describe)
    how = ", ".join(filter(None, (*ways, examples)))
    yield visible(f"{row.arm.paradigm} ({row.cases})\n {how}".rstrip())
    yield from map(_share, (row.well_formed, row.right_tool, row.right_arguments))
    yield from map(_share, (row.holds_back, row.sure, row.used_result))
    about = "~" if row.estimated else ""
    yield f"{about}{row.input_tokens.value:.0f}\n{about}{row.output_tokens.value:.0f}"
    yield f"{row.seconds.value:.1f}"


def _share(share: Share) -> str:
    if share.value is None:
        return "-"
    return f"{share.value * 100:.0f} %\n{share.low * 100:.0f}-{share.high * 100:.0f}"


def _inline(share: Share) -> str:
    return _share(share).replace("\n", " (") + ")" if share.asked else "-"
