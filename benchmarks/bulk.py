"""How many replies a second ``toolproto parse`` reads, in how much memory, and what a kill costs.

``python benchmarks/bulk.py [--count 100000] [--jobs 2] [--kills 5] [--engine E] [--suffix .jsonl]``
``python benchmarks/bulk.py --corpus FILE --count 0``: what ``read_batch`` reads, and nothing else
``python benchmarks/bulk.py --workers 1,2 [--engine ray]``: how much faster more workers are, what
the process that reads and writes is busy for, and nothing else

The replies are those in ``fixtures/``, drawn at random, each with its own paradigm and finish
reason; all tools of the fixtures are on offer, and every call is checked. Each run is a process
of its own, timed from its start to its exit, the start of its workers and all imports included.
For comparison the same rows are read here: with nothing but ``json.loads``, and with json_repair
behind a regular expression. Memory is the most that a process ever had (Linux only).
"""

from __future__ import annotations

import argparse
import gc
import gzip
import hashlib
import json
import os
import pickle
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
from compare import add_figures_option, keep_figures

if __name__ == "__main__":  # run from a checkout, installed or not
    sys.path.insert(0, str(Path(__file__).parent.parent))

from toolproto import get_paradigm, parse_any
from toolproto.bulk import Fields, Reading, read_batch
from toolproto.bulk.files import find_inputs, read_batches
from toolproto.bulk.offers import read_offer
from toolproto.bulk.outputs import format_of
from toolproto.bulk.parts import PartFolder
from toolproto.testing.fixtures import load_fixtures

ROOT = Path(__file__).parent.parent
NAMES = ("paradigm", "end", "reply")
FIELDS = ("--id-field", "id", "--paradigm-field", "paradigm", "--finish-reason-field", "end")
TOOLS = ("--tools", str(ROOT / "fixtures" / "tools.json"))


def make_rows(path: Path, count: int, dice: random.Random) -> None:
    """*count* rows of replies, into *path*: JSONL or Parquet, as it is called."""
    rows = drawn_rows(count, dice)
    if path.suffix == ".parquet":
        kinds = pa.schema([("id", pa.int64()), *((name, pa.string()) for name in NAMES)])
        with parquet.ParquetWriter(path, kinds) as writer:
            while some := list(islice(rows, 32_768)):
                writer.write_table(pa.Table.from_pylist(some, kinds))
        return
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(row)}\n" for row in rows)


def drawn_rows(count: int, dice: random.Random) -> Iterator[dict[str, Any]]:
    fixtures = list(load_fixtures(ROOT / "fixtures"))
    for number in range(count):
        each = dice.choice(fixtures)
        row = {"id": number, "paradigm": each.paradigm, "end": each.finish_reason}
        yield {**row, "reply": each.reply}


def start(source: Path, output: Path, jobs: int, *options: str) -> subprocess.Popen[bytes]:
    """A process that reads *source* into *output*."""
    command = [sys.executable, "-m", "toolproto", "parse", str(source), "-o", str(output)]
    command += [*TOOLS, *FIELDS, "--jobs", str(jobs), "--quiet", *options]
    return subprocess.Popen(command, cwd=ROOT)


# -- speed and memory -------------------------------------------------------------------------


@dataclass
class Measured:
    """How long a run took, in all and on a processor, and its memory at most, in megabytes."""

    seconds: float
    busy: float
    parent: float
    workers: list[float]


def measure(source: Path, output: Path, jobs: int) -> Measured:
    began, busy = time.perf_counter(), _busy()
    process = start(source, output, jobs, "--force")
    peaks: dict[int, float] = {}
    while process.poll() is None:
        for pid in (process.pid, *children(process.pid)):
            peaks[pid] = max(peaks.get(pid, 0.0), peak(pid))
        time.sleep(0.05)
    seconds = time.perf_counter() - began
    assert process.returncode == 0
    parent = peaks.pop(process.pid)
    # The helper that multiprocessing starts beside its processes is no worker.
    workers = sorted(peaks.values())[-jobs:] if jobs > 1 else []
    return Measured(seconds, _busy() - busy, parent, workers)


def _busy() -> float:
    """Seconds that processes begun here, and those they began, were on a processor."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def children(pid: int) -> list[int]:
    try:
        return list(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))
    except OSError:
        return []


def peak(pid: int) -> float:
    try:
        found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return 0.0
    return int(found[1]) / 1024 if found else 0.0


def speed(folder: Path, options: argparse.Namespace, dice: random.Random) -> tuple[Path, float]:
    """Print how fast some per cent of the rows are read; the last file, and seconds a row."""
    count, jobs, runs, suffix = options.count, options.jobs, options.runs, options.suffix
    source, each_row = folder / "none", 0.0
    for share in map(int, options.shares.split(",")):
        rows = count * share // 100
        source = folder / f"{rows}{suffix}"
        make_rows(source, rows, dice)
        measured = [measure(source, folder / f"out{suffix}", jobs) for _ in range(runs)]
        best = min(measured, key=lambda each: each.seconds)
        memory = ", ".join(f"{each:.0f}" for each in best.workers)
        print(
            f"{rows:8,} replies: {rows / best.seconds:6,.0f} a second (best of {runs}), "
            f"{best.busy / rows * 1e6:.0f} µs of processor each; "
            f"memory at most {best.parent:.0f} MB, workers {memory} MB",
            flush=True,
        )
        each_row = best.busy / rows
    return source, each_row


def growth(folder: Path, options: argparse.Namespace, dice: random.Random) -> None:
    """Print how long the same rows take with more workers, in all and beside the start."""
    few, all_of_them = folder / f"few{options.suffix}", folder / f"all{options.suffix}"
    make_rows(few, 100, dice)
    make_rows(all_of_them, options.count, dice)
    first = 0.0
    for jobs in map(int, options.workers.split(",")):
        began, whole = (
            min(_seconds(source, folder, jobs, options.engine) for _ in range(options.runs))
            for source in (few, all_of_them)
        )
        first = first or whole - began
        print(
            f"{options.engine}, {jobs} worker(s): {options.count:,} replies in {whole:.1f} s, of "
            f"which {began:.1f} s are for 100 of them; without those {first / (whole - began):.2f} "
            f"times as fast as the first; load {os.getloadavg()[0]:.1f}",
            flush=True,
        )


def _seconds(source: Path, folder: Path, jobs: int, engine: str) -> float:
    began = time.perf_counter()
    output = folder / f"grown{source.suffix}"
    assert start(source, output, jobs, "--force", "--engine", engine).wait() == 0
    return time.perf_counter() - began


def print_batching(source: Path, folder: Path) -> None:
    """Print what the one process that reads the inputs and writes the parts is busy for."""
    parts = PartFolder(folder / "read.parts", format_of(source))
    parts.folder.mkdir()
    began, number = time.process_time(), 0
    for batch in read_batches(find_inputs([str(source)]), ["reply", *NAMES, "id"], 2**24):
        sent = pickle.loads(pickle.dumps(batch, 5))  # as it goes to a worker
        rows = b"".join(data for some in sent for data in some.data)
        parts.write(number, pickle.loads(pickle.dumps(rows, 5)))  # what comes is about as long
        number += 1
    took = time.process_time() - began
    size = source.stat().st_size
    print(
        f"read, sent and written: {number} batches, {size / took / 1e6:.0f} MB a second of "
        "processor"
    )


# -- what else one might use ------------------------------------------------------------------

_BRACES = re.compile(r"\{.*\}", re.DOTALL)


def baselines(source: Path) -> float:
    """Print how fast the same rows are read by less; seconds a row of the last of them."""
    each_row = 0.0
    for name, read in (("json.loads of each row", len), ("json_repair on {…}", _repair)):
        began = time.process_time()
        with open(source, "rb") as file:
            rows = sum(1 for line in file if read(json.loads(line)["reply"]) is not None)
        took = time.process_time() - began
        print(f"{name:28} {rows / took:8,.0f} a second in one process, nothing checked or written")
        each_row = took / rows
    return each_row


def _repair(reply: str) -> Any:
    import json_repair

    found = _BRACES.search(reply)
    return json_repair.loads(found.group()) if found else ""


# -- kills ------------------------------------------------------------------------------------


def kills(source: Path, folder: Path, options: argparse.Namespace, dice: random.Random) -> None:
    """Kill a run at random moments, go on each time, and compare what comes out."""
    whole, output, done = (*(folder / f"{n}{options.suffix}" for n in ("out", "killed")), 0)
    parts = output.with_name(f"{output.name}.parts")
    more = ("--resume", "--engine", options.engine)
    for _ in range(options.kills):
        process = start(source, output, options.jobs, *more)
        # As it begins, between two parts, while one is read, while they are joined.
        written = f"part-*{options.suffix}"
        known, wanted = len(list(parts.glob(written))), dice.randrange(3)
        while process.poll() is None and len(list(parts.glob(written))) < known + wanted:
            time.sleep(0.001)
        time.sleep(dice.uniform(0, 0.5))
        process.kill()
        done += process.wait() == -9
        if output.exists() and not parts.exists():
            output.unlink()  # it was faster; begin again
    assert start(source, output, options.jobs, *more).wait() == 0
    same = digest(whole) == digest(output)
    print(f"killed {done} times and gone on: {'the same bytes' if same else 'OTHER BYTES'}")
    assert same


def digest(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# -- batches ----------------------------------------------------------------------------------


def print_batches(corpus: Path | None) -> None:
    """Print what a core reads a second of a corpus, and what a batch costs beside its replies."""
    if corpus is None:
        return
    with gzip.open(corpus) as file:
        rows = [json.loads(line) for line in file]
    batch = pa.RecordBatch.from_pydict(
        {
            "reply": [row["raw_output"] for row in rows],
            "tools": [json.dumps(row.get("tools") or []) for row in rows],
        }
    )
    for form in ("hermes", "xml_tag", "json_strict", "any"):
        reading = Reading(form, check=False, fields=Fields(tools="tools"))
        first, *others = (
            _timed(lambda reading=reading: read_batch(batch, reading))  # type: ignore[misc]
            for _ in range(4)
        )
        same = _same(batch, read_batch(batch, reading), form)
        print(
            f"{form:12} {len(rows) / min(others):8,.0f} replies a second and core, each with its "
            f"tools ({len(rows) / first:,.0f} where all of these are new); {same:,} of "
            f"{len(rows):,} as parse_response reads them",
            flush=True,
        )
    plain = pa.RecordBatch.from_pydict({"reply": [""] * len(rows)})
    empty = Reading("hermes")
    alone = min(_timed(lambda: read_batch(plain, empty)) for _ in range(3))
    print(f"a row of a batch costs {alone / len(rows) * 1e6:.0f} µs beside its reply")


def _same(batch: Any, read: Any, form: str) -> int:
    """How many rows say what reading them one by one does; ``any`` refuses those without tools."""
    same = 0
    for row, ours in zip(batch.to_pylist(), read.to_pylist(), strict=True):
        offer = read_offer(row["tools"])
        if form == "any":
            theirs = parse_any(row["reply"], offer)
        else:
            theirs = get_paradigm(form).parse_response(row["reply"], offer)
        same += (form == "any" and not offer.tools and ours["reason"] is not None) or (
            [(call["name"], json.loads(call["arguments"])) for call in ours["calls"]]
            == [(call.name, call.arguments) for call in theirs.calls]
            and [each["raw"] for each in ours["problems"]] == [each.raw for each in theirs.problems]
            and (ours["text"], ours["reasoning"]) == (theirs.text, theirs.reasoning)
        )
    return same


def _timed(work: Callable[[], Any]) -> float:
    gc.collect()
    gc.disable()
    began = time.process_time()
    work()
    gc.enable()
    return time.process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--runs", type=int, default=2, help="of each size; the best counts")
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--suffix", choices=(".jsonl", ".parquet"), default=".jsonl")
    parser.add_argument("--engine", default="local", help="for kills and workers: local, ray")
    parser.add_argument("--shares", default="10,50,100", help="per cent of the rows that are timed")
    parser.add_argument("--workers", help="compare so many workers, as in 1,2; nothing else")
    parser.add_argument("--corpus", type=Path, help="replies with their own tools, as corpus.py's")
    add_figures_option(parser)
    options = parser.parse_args()
    dice = random.Random(options.seed)
    print(f"{options.jobs} jobs; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print_batches(options.corpus)
    if not options.count:
        return
    with tempfile.TemporaryDirectory(prefix="toolproto-bench-") as name:
        folder = Path(name)
        if options.workers:
            growth(folder, options, dice)
            print_batching(folder / f"all{options.suffix}", folder)
            return
        source, ours = speed(folder, options, dice)
        kills(source, folder, options, dice)
        if options.suffix == ".parquet":  # the others read lines
            return
        figures = {"CPU a row / json_repair": ours / baselines(source)}
    keep_figures(options.figures, figures)


if __name__ == "__main__":
    main()
