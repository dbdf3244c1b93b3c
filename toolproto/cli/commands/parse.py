"""``toolproto parse``: the calls in one reply, or in a hundred thousand."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from ...bulk.columns import result_of
from ...bulk.counts import ReplyCounts
from ...bulk.files import MAX_ROW, InputFile, InputKind, find_inputs, read_batches
from ...bulk.reading import ANY, AUTO, Fields, Reading
from ...bulk.runner import ParsePlan, ParseReport
from ...bulk.schema import RESULTS
from ...bulk.work import BatchParser, ParseJob
from ...bulk.workers import Engine, processes
from ...protocol.errors import ToolProtoError, UsageError
from ..bulk.bar import watched
from ..bulk.shown import show_reply
from ..bulk.summary import show_summary, summary
from ..completing import FILE
from ..console import err, note, out, print_json
from ..exits import Exit
from ..options import json_option, paradigm_named, tools_option
from ..paradigm_choice import load_paradigm
from ..tool_sources import load_offer

__all__ = ["command"]

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("parse")
@click.argument("inputs", nargs=-1, type=FILE, metavar="[INPUT]...")
@paradigm_named(
    "Form of the calls: a name, a .py file that defines one, 'auto', or 'any' for every known form."
)
@tools_option
@click.option("--salvage", is_flag=True, help="Read calls of known tools in other forms, too.")
@click.option("--no-check", is_flag=True, help="Do not check calls against their tools' schemas.")
@click.option("--starts-in-thinking", is_flag=True, help="Replies begin inside a thought.")
@click.option("--finish-reason", metavar="WORD", help="Why the replies ended; 'length' if cut.")
@click.option(
    "--input-format",
    type=click.Choice([kind.value for kind in InputKind]),
    help="Format of the inputs, if their names do not show it.",
)
@click.option("--field", default="reply", show_default=True, help="Field of a row with the reply.")
@click.option("--id-field", metavar="FIELD", help="Field with the reply's id.")
@click.option("--tools-field", metavar="FIELD", help="Field with the tools offered in that row.")
@click.option("--paradigm-field", metavar="FIELD", help="Field with the paradigm of that row.")
@click.option(
    "--finish-reason-field", metavar="FIELD", help="Field with the finish reason of that reply."
)
@click.option(
    "--messages-field", metavar="FIELD", help="Field with a conversation; its last reply is read."
)
@click.option("--model-field", metavar="FIELD", help="Field with the model, for --paradigm auto.")
@click.option(
    "--keep",
    multiple=True,
    metavar="A,B=C",
    help="Fields to copy to the output; B=C copies C as B.",
)
@click.option(
    "--output",
    "-o",
    type=FILE,
    metavar="FILE",
    help="File for the rows: .jsonl, .jsonl.gz or .parquet; with a / at its end, a folder.",
)
@click.option("--resume", is_flag=True, help="Continue a run that did not finish.")
@click.option("--force", is_flag=True, help="Overwrite an existing output.")
@click.option(
    "--jobs",
    "-j",
    type=click.IntRange(1),
    help="Processes that share the work.  [as many as there are cores]",
)
@click.option(
    "--engine",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="Who does the work: processes of this machine, or Ray.",
)
@click.option(
    "--address",
    metavar="HOST:PORT",
    help="Address of Ray's cluster; 'auto' finds one on this machine.",
)
@click.option(
    "--max-row-bytes",
    type=click.IntRange(1),
    default=MAX_ROW,
    show_default=True,
    help="Most bytes that a row may have.",
)
@click.option("--strict", is_flag=True, help="Exit with 1 if anything is wrong with any call.")
@click.option("--summary-json", type=_FILE, help="File for the summary, instead of stderr.")
@click.option("--quiet", "-q", is_flag=True, help="Show no bar, no notes, no summary.")
@json_option
@click.pass_context
def command(ctx: click.Context, /, inputs: tuple[str, ...], **asked: Any) -> None:
    """Read the calls out of replies.

    INPUT is a file with one reply (.txt) or with one in each row (.jsonl, .parquet); .gz and .zst
    are unpacked. Without INPUT, one reply is read from standard input. One reply is shown for
    people (or with --json as an object); many become rows of JSON, on standard output or in
    --output.

    \b
    echo "$REPLY" | toolproto parse --paradigm xml_tag --tools tools.json
    toolproto parse replies.jsonl --tools tools.json -o calls.jsonl --resume
    """
    if (path := asked["summary_json"]) and not path.parent.is_dir():
        raise UsageError(f"there is no folder {str(path.parent)!r} for the summary")
    kind = InputKind(asked["input_format"]) if asked["input_format"] else None
    files = find_inputs(inputs, kind)
    reading = _reading(asked)
    if not reading.offer.tools and not reading.fields.tools and not asked["quiet"]:
        note("no --tools: names and arguments of calls are not checked")
    single = len(files) == 1 and files[0].kind is InputKind.TEXT
    if single and not any(asked[option] for option in ("output", "resume", "force")):
        report = _read_one(files[0], reading, asked)
    else:
        report = _read_all(files, reading, asked)
    if path and not report.was_complete:
        path.write_text(f"{json.dumps(summary(report))}\n", encoding="utf-8")
    failed = report.counts.is_hopeless or (asked["strict"] and not report.counts.is_clean)
    ctx.exit(Exit.FAILED if failed else Exit.FINE)


def _reading(asked: dict[str, Any]) -> Reading:
    """How the replies are to be read."""
    if asked["paradigm"] not in (ANY, AUTO):
        load_paradigm(asked["paradigm"])  # so that a wrong name is told here, and once
    return Reading(
        asked["paradigm"],
        load_offer(asked["tools"]),
        asked["salvage"],
        not asked["no_check"],
        asked["starts_in_thinking"],
        asked["finish_reason"],
        Fields(
            asked["field"],
            asked["id_field"],
            asked["tools_field"],
            asked["paradigm_field"],
            asked["finish_reason_field"],
            tuple(_kept(asked["keep"])),
            asked["messages_field"],
            asked["model_field"],
        ),
        load=load_paradigm,
    )


def _engine(asked: dict[str, Any]) -> Engine:
    if asked["engine"] == "local":
        if asked["address"]:
            raise UsageError("--address names Ray's cluster; give --engine ray, too")
        return processes
    from ...bulk.ray import RayEngine

    return RayEngine(asked["address"], asked["jobs"])


def _kept(options: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The names and places of fields, from ``a,b=c``."""
    for each in filter(None, ",".join(options).split(",")):
        name, _, path = (part.strip() for part in each.partition("="))
        if not name:
            raise UsageError(f"--keep {each!r} has no name; write NAME or NAME=FIELD")
        yield name, path or name


def _read_one(file: InputFile, reading: Reading, asked: dict[str, Any]) -> ParseReport:
    if file.is_stdin and sys.stdin.isatty() and not asked["quiet"]:
        note("reading one reply from the terminal; Ctrl-D ends it")
    (batch,) = read_batches([file], reading.fields.paths, asked["max_row_bytes"])
    ((place, reply),) = BatchParser(ParseJob(reading)).replies(batch)
    if asked["as_json"]:
        print_json({**place, **reply.told()})
    else:
        show_reply(reply, out())
    counts = ReplyCounts()
    counts.count(place | dict(zip(RESULTS, result_of(reply), strict=False)))
    return ParseReport(counts, 1)


def _read_all(files: list[InputFile], reading: Reading, asked: dict[str, Any]) -> ParseReport:
    plan = ParsePlan(
        files,
        reading,
        Path(asked["output"]) if asked["output"] else None,
        asked["resume"],
        asked["force"],
        asked["jobs"] or os.cpu_count() or 1,
        asked["max_row_bytes"],
        as_folder=(asked["output"] or "").endswith("/"),
        engine=_engine(asked),
    )
    # A bar among the rows helps nobody.
    shown = not asked["quiet"] and (asked["output"] or not sys.stdout.isatty())
    try:
        with watched(err(), files, shown=bool(shown)) as watch:
            report = plan(watch)
    except UsageError:
        raise
    except (KeyboardInterrupt, ToolProtoError, OSError):
        if plan.can_go_on and not asked["quiet"]:
            note(f"what was written to {asked['output']} is kept; continue with --resume")
        raise
    if report.was_complete:
        note(f"{asked['output']} is complete; --force reads everything again")
    elif not asked["quiet"] and not asked["summary_json"]:
        show_summary(report, err())
    return report
