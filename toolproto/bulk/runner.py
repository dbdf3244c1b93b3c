"""A run over many replies, from the first batch to the last."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from ..package import __version__
from ..protocol.errors import UsageError
from .arrow import arrow
from .counts import ReplyCounts
from .files import MAX_ROW, InputFile, InputRows, fingerprint, read_batches
from .outputs import RowFormat, format_of, joined
from .parquet_rows import ROOM
from .parts import PartFolder
from .reading import Reading
from .work import ParsedRows, ParseJob
from .workers import Engine, GivenBatch, in_order, processes

__all__ = ["ParsePlan", "ParseReport", "Watch"]

#: Is told of every batch that is read: its bytes of the inputs, and its rows.
Watch = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class ParseReport:
    """What a run came to: *counts* are of all there is in the output, *replies* of this run.

    A run that found its work done already *was_complete*.
    """

    counts: ReplyCounts
    replies: int = 0
    seconds: float = 0.0
    was_complete: bool = False


@dataclass(frozen=True, slots=True)
class ParsePlan:
    """The replies of *files*, read as *reading* says, as rows in *output*; call it to run it.

    Without an *output* they go to standard output. With *resume*, a run that was broken off goes
    on; with *force*, what is there is written over. *engine* has the *jobs* workers. *as_folder*
    leaves the output in parts, with a manifest.
    """

    files: list[InputFile]
    reading: Reading
    output: Path | None = None
    resume: bool = False
    force: bool = False
    jobs: int = 1
    max_row: int = MAX_ROW
    as_folder: bool = False
    engine: Engine = field(default=processes)

    def __post_init__(self) -> None:
        if self.jobs < 1:
            raise UsageError(f"jobs is {self.jobs}; give 1 or more")
        if self.max_row < 1:
            raise UsageError(f"max_row is {self.max_row}; give 1 or more")
        if self.resume and self.force:
            raise UsageError("--resume continues and --force begins again; give only one of them")
        if self.resume and any(file.is_stdin for file in self.files):
            raise UsageError("standard input cannot be read again; --resume needs files")
        if self.output is None and (self.resume or self.force):
            raise UsageError("--resume and --force need a file; name it with --output")

    @property
    def can_go_on(self) -> bool:
        """Whether a run that was broken off left parts to go on from."""
        if self.output is None or any(file.is_stdin for file in self.files):
            return False
        return self._parts(self.output).is_begun

    def _parts(self, output: Path) -> PartFolder:
        folder = output if self.as_folder else output.with_name(f"{output.name}.parts")
        return PartFolder(folder, format_of(output))

    def __call__(self, watch: Watch) -> ParseReport:
        """Do it. Whatever ends it early, the parts that are whole are kept."""
        output = self.output
        # A device, as /dev/null, is no file that could be renamed to.
        if output is None or (output.exists() and not output.is_file() and not output.is_dir()):
            return self._to_stream(output, watch)
        if output.is_dir() and not self.as_folder:
            raise UsageError(f"{str(output)!r} is a folder; name a file in it")
        parts = self._parts(output)
        self._check_output(output, parts)
        if self.can_go_on and not (self.resume or self.force):
            raise UsageError(
                f"a run into {str(output)!r} did not finish; "
                "continue it with --resume, or begin again with --force"
            )
        is_done = output.is_file() and output.stat().st_size > 0 and not parts.is_begun
        if (is_done or parts.is_complete) and not self.force:
            if self.resume:
                return ParseReport(ReplyCounts(), was_complete=True)
            raise UsageError(f"{str(output)!r} exists already; --force overwrites it")
        return self._to_parts(parts, output, watch)

    def _to_stream(self, output: Path | None, watch: Watch) -> ParseReport:
        began, counts = time.monotonic(), ReplyCounts()
        with ExitStack() as stack:
            stream = stack.enter_context(open(output, "wb")) if output else sys.stdout.buffer
            # Somebody may wait at a pipe: one job writes each row at once.
            jobs, batches = self._batches(1 if self.jobs == 1 else ROOM)
            found = self._parsed(jobs, batches, RowFormat.JSONL)
            for batch, parsed in stack.enter_context(closing(found)):
                stream.write(parsed.data or b"")
                stream.flush()
                counts.add(parsed.counts)
                watch(batch.share, parsed.counts.replies)
        return ParseReport(counts, counts.replies, time.monotonic() - began)

    def _to_parts(self, parts: PartFolder, output: Path, watch: Watch) -> ParseReport:
        began, counts, replies = time.monotonic(), ReplyCounts(), 0
        rows: list[int] = []  # of each part
        about = {
            "toolproto": __version__,
            "inputs": fingerprint(self.files),
            **self.reading.told(),
            "max_row": self.max_row,
        }
        # An input that cannot be read is told of here, before there is anything of ours.
        jobs, batches = self._batches(ROOM)
        parts.begin(about, anew=not self.resume)
        with closing(self._parsed(jobs, batches, parts.kind, parts)) as found:
            for batch, (data, counted) in found:
                new = 0 if data is None else counted.replies
                if data is not None:
                    parts.write(batch.number, data)
                counts.add(counted)
                rows.append(counted.replies)
                replies += new
                watch(batch.share, new)
        self._finish(parts, output, about, rows)
        return ParseReport(counts, replies, time.monotonic() - began)

    def _batches(self, room: int) -> tuple[int, Iterator[list[InputRows]]]:
        """Return how many workers there is work for, and the batches: the first is read now."""
        found = read_batches(self.files, self.reading.fields.paths, self.max_row, room)
        first = list(islice(found, min(self.jobs, 2)))
        return (self.jobs if len(first) > 1 else 1), chain(first, found)

    def _parsed(
        self,
        jobs: int,
        batches: Iterator[list[InputRows]],
        kind: RowFormat,
        parts: PartFolder | None = None,
    ) -> Generator[tuple[GivenBatch, ParsedRows], None, None]:
        """Yield what comes of *batches*; of those whose part is there already, only its counts."""
        job = ParseJob(self.reading, kind, named=len(self.files) > 1)
        with self.engine(job, jobs) as workers:

            def given() -> Iterator[GivenBatch]:
                for number, batch in enumerate(batches):
                    share = sum(some.share for some in batch)
                    place = f"{batch[0].file.path!r} from row {batch[0].first} on"
                    if parts and parts.part(number).exists():
                        yield GivenBatch(number, share, place, partial(parts.counted, number))
                    else:
                        yield GivenBatch(number, share, place, workers.submit(batch))

            yield from in_order(given(), workers.number)

    def _finish(
        self, parts: PartFolder, output: Path, about: dict[str, Any], rows: list[int]
    ) -> None:
        """Make the output of its parts, and leave nothing else."""
        paths = [parts.part(number) for number in range(len(rows))]
        if self.as_folder:
            listed = [{"name": path.name, "rows": n} for path, n in zip(paths, rows, strict=True)]
            parts.tell({**about, "rows": sum(rows), "parts": listed})
            return
        joined(parts.kind, paths, output, [name for name, _ in self.reading.fields.keep])
        parts.clear()
        with suppress(OSError):  # somebody put something there
            parts.folder.rmdir()

    def _check_output(self, output: Path, parts: PartFolder) -> None:
        """Raise UsageError if nothing can be written there while the files are read."""
        if not output.parent.is_dir():
            raise UsageError(f"there is no folder {str(output.parent)!r} to write to")
        if parts.kind is RowFormat.PARQUET:
            arrow("pyarrow", str(output))
        ours = {output.resolve(), parts.folder.resolve()}
        for file in self.files:
            path = Path(file.path).resolve()
            if not file.is_stdin and ours & {path, *path.parents}:
                raise UsageError(f"{file.path!r} is both input and output; name another --output")
