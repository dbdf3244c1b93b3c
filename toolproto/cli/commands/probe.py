"""``toolproto probe``: which paradigm does this model follow best?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import click

from ...endpoints import Endpoint
from ...protocol.describe import list_styles
from ...protocol.errors import UsageError
from ...protocol.grammar.constraint import CONSTRAIN
from ...protocol.paradigms.teaching import PRESETS
from ...testing.probe import Budget, CaseKind, ProbePlan, ProbeReport, plan_probe, probe_model
from ...testing.probe.arms import NATIVE
from ...testing.probe.files import ProbeFiles, folder_of
from ..chosen import save_choice
from ..console import note, print_json
from ..endpoint_choice import EndpointChoice
from ..exits import Exit
from ..model_choice import which_model
from ..options import endpoint_options, json_option, paradigm_named
from ..paradigm_choice import load_paradigm
from ..probe_view import print_plan, print_report, shown_progress
from ..settings import FILE, Settings

__all__ = ["command"]

_EXAMPLES = {"both": (True, False), "with": (True,), "without": (False,)}
_GOES_ON = "the same command continues from there"
_EXITS = {
    "budget": Exit.FINE,
    "clear": Exit.FINE,
    "endpoint": Exit.ENDPOINT,
    "interrupted": Exit.INTERRUPTED,
}


@click.command("probe")
@endpoint_options
@paradigm_named(
    "A form of call to try: a name, or a .py file; may be repeated.  [six of them]",
    default=None,
    names=["paradigms"],
    multiple=True,
)
@click.option(
    "--describe",
    multiple=True,
    type=click.Choice(list_styles()),
    help="A style of showing the tools; may be repeated.  [each paradigm's own]",
)
@click.option(
    "--teaching",
    multiple=True,
    type=click.Choice(list(PRESETS)),
    help="A way of teaching the form; may be repeated.  [each paradigm's own]",
)
@click.option(
    "--examples",
    type=click.Choice(list(_EXAMPLES)),
    default="both",
    show_default=True,
    help="With an example as chat turns, without, or both.",
)
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice([kind.value for kind in CaseKind]),
    help="A kind of request; may be repeated.  [all]",
)
@click.option("--quick", is_flag=True, help="Send a third of the requests, in three paradigms.")
@click.option(
    "--baseline/--no-baseline", default=True, help="Compare with generic prompts, too.  [yes]"
)
@click.option(
    "--all", "whole", is_flag=True, help="Send all requests, even if one form is clearly ahead."
)
@click.option(
    "--param",
    "params",
    multiple=True,
    metavar="NAME=VALUE",
    help="Generation parameter, as in max_tokens=1000.  [temperature=0, max_tokens=160]",
)
@click.option(
    "--constrain",
    type=click.Choice(CONSTRAIN),
    default="off",
    show_default=True,
    help="Hold the model to the grammar of each form.",
)
@click.option(
    "--jobs", type=click.IntRange(1, 64), default=1, help="Requests to send at once.  [1]"
)
@click.option("--max-requests", type=click.IntRange(1), help="Stop after so many requests.")
@click.option(
    "--max-seconds", type=click.FloatRange(0, min_open=True), help="Stop after so many seconds."
)
@click.option(
    "--max-tokens", type=click.IntRange(1), help="Stop after so many tokens, read and written."
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Folder for replies and reports; a rerun continues from there.  [probe-MODEL]",
)
@click.option("--fresh", is_flag=True, help="Forget the replies of earlier runs.")
@click.option("--save/--no-save", default=True, help="Write the best choice to toolproto.toml.")
@click.option("--dry-run", is_flag=True, help="Show which requests would be sent, and send none.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    endpoint: EndpointChoice,
    paradigms: tuple[str, ...],
    describe: tuple[str, ...],
    teaching: tuple[str, ...],
    examples: str,
    kinds: tuple[str, ...],
    quick: bool,
    baseline: bool,
    whole: bool,
    params: tuple[str, ...],
    constrain: str,
    out: Path | None,
    fresh: bool,
    save: bool,
    dry_run: bool,
    as_json: bool,
    **limits: Any,
) -> None:
    """Find out which paradigm a model follows best.

    Sends the model 74 requests in every form, counts what it got right, prints a table, writes
    FOLDER/report.html and report.json, and saves the best choice for this model in toolproto.toml.
    Stops when one form is ahead of all others beyond doubt. Ctrl-C and the limits keep the
    replies so far; the same command continues from there.
    """
    if not dry_run:
        endpoint = endpoint.with_model(which_model)
    plan = plan_probe(
        endpoint.model_name,
        paradigms=paradigms,
        describe=describe,
        teaching=teaching,
        examples=_EXAMPLES[examples],
        kinds=[CaseKind(kind) for kind in kinds],
        quick=quick,
        baseline=baseline,
        params=dict(map(_param, params)),
        make=partial(load_paradigm, model=endpoint.model_name),
        constrain=constrain,
        native=endpoint.native,
    )
    files = ProbeFiles(out or folder_of(plan.model))
    if dry_run:
        print_plan(plan, files, limits["max_requests"], as_json=as_json)
        return
    with _opened(endpoint) as opened:
        files.make_folder()
        if fresh:
            files.replies.unlink(missing_ok=True)
        report = _run(opened, plan, files, {**limits, "until_clear": not whole})
    written = [str(path) for path in files.write(report)]
    saved = _save(ctx, report) if save else None
    if as_json:
        told = {key: value for key, value in report.to_json().items() if key != "trials"}
        print_json({**told, "files": written, "saved": str(saved) if saved else None})
    else:
        print_report(report)
        note(f"wrote {', '.join(written)}")
    if report.stopped:
        further = "--all sends the rest" if report.stopped.why == "clear" else _GOES_ON
        note(f"{report.stopped.message}; {further}")
        ctx.exit(_EXITS[report.stopped.why])


def _run(
    endpoint: Endpoint, plan: ProbePlan, files: ProbeFiles, limits: dict[str, Any]
) -> ProbeReport:
    budget = Budget(limits["max_requests"], limits["max_seconds"], limits["max_tokens"])
    with shown_progress() as progress:
        return probe_model(
            endpoint,
            plan,
            results=files.replies,
            budget=budget,
            jobs=limits["jobs"],
            progress=progress,
            until_clear=limits["until_clear"],
        )


def _save(ctx: click.Context, report: ProbeReport) -> Path | None:
    """Write the best choice down; where to, or None without one."""
    best = report.best
    if best is None:
        whole = len(report.scored) == report.total
        why = "nothing was right in any form" if whole else "not every form was tried often enough"
        note(f"{why}, so there is no choice to save")
        return None
    settings = ctx.find_object(Settings)
    path = (settings.path if settings else None) or FILE
    was_trusted = settings is not None and settings.trust is not None and settings.trust.is_known
    save_choice(path, report.plan.model, best.arm, tried_native=NATIVE in report.plan.arms)
    if settings and settings.trust and was_trusted:
        settings.trust.remember(path.read_bytes())
    note(f"saved {best.arm.name} for {report.plan.model!r} in {path}")
    return path


def _param(text: str) -> tuple[str, Any]:
    name, sign, value = text.partition("=")
    if not sign or not name.strip():
        raise UsageError(f"--param {text!r} must be like max_tokens=1000")
    try:
        return name.strip(), json.loads(value)
    except ValueError:
        return name.strip(), value


@contextmanager
def _opened(choice: EndpointChoice) -> Iterator[Endpoint]:
    endpoint = choice.open()
    try:
        yield endpoint
    finally:
        close = getattr(endpoint, "close", None)
        if close is not None:
            close()
