"""A run over many replies, from the first batch to the last."""

from __future__ import annotations

import gzip
import sys
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path

from ... import __version__
from ...errors import UsageError
from .batches import Batch
from .cutting import cut_into_batches
from .destination import Destination
from .inputs import Source, fingerprint
from .parquet_rows import write_parquet
from .pool import read_in_order
from .reading import Reading
from .tally import Tally
from .work import Done
from .writing import Output, PlainOutput, RowFile

__all__ = ["Report", "Run", "Watch"]

#: Is told after every batch how far in the inputs that is, in bytes, and how many rows it had.
Watch = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Report:
    """What a run came to: *tally* counts all there is in the output, *replies* those of this run.

    A run that found its work done already *was_complete*.
    """

    tally: Tally
    replies: int = 0
    seconds: float = 0.0
    was_complete: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """The replies of *sources*, read as *reading* says, as rows in *output*.

    Without an *output* they go to standard output. With *resume*, a run that was broken off goes
    on; with *force*, what is there is written over. *jobs* processes share the work.
    """

    sources: list[Source]
    reading: Reading
    output: Path | None = None
    resume: bool = False
    force: bool = False
    jobs: int = 1

    def __post_init__(self) -> None:
        if self.jobs < 1:
            raise UsageError(f"jobs is {self.jobs}; at least one process has to read")
        if self.resume and self.force:
            raise UsageError("--resume goes on and --force begins again; say one of them")
        if self.resume and self._reads_stdin:
            raise UsageError("standard input cannot be read again; --resume needs files")
        if self.output is None and (self.resume or self.force):
            raise UsageError("--resume and --force are about a file; name it with --output")

    @property
    def can_go_on(self) -> bool:
        """Whether a run that was broken off left a journal to go on from."""
        if self.output is None or self._reads_stdin:
            return False
        return Destination(self.output).journal.exists()

    @property
    def _reads_stdin(self) -> bool:
        return any(source.is_stdin for source in self.sources)

    def __call__(self, watch: Watch) -> Report:
        """Do it. Whatever ends it early, the journal knows all that was written."""
        if self.output is None:
            return self._read(self.reading, PlainOutput(sys.stdout.buffer), watch)
        destination = Destination(self.output)
        destination.check(self.sources)
        reading = replace(self.reading, packed=destination.is_packed)
        if destination.is_device:
            with open(self.output, "wb") as device:
                return self._read(reading, PlainOutput(device), watch)
        return self._read_into_file(reading, destination, watch)

    def _read_into_file(self, reading: Reading, destination: Destination, watch: Watch) -> Report:
        about = {"toolproto": __version__, "inputs": fingerprint(self.sources), **reading.told()}
        journal, start = destination.begin(about, resume=self.resume, force=self.force)
        if start is None:
            return Report(Tally(), was_complete=True)
        with RowFile(destination.rows, journal, start) as output:
            report = self._read(reading, output, watch)
            if destination.is_parquet:
                write_parquet(destination.rows, destination.path, reading.fields.kept_names)
        journal.remove()
        if destination.is_parquet:
            destination.rows.unlink()
        return report

    def _read(self, reading: Reading, output: Output, watch: Watch) -> Report:
        """Read everything behind where *output* stands."""
        began, before = time.monotonic(), output.progress.tally.replies
        start = output.progress.position
        batches = cut_into_batches(self.sources, start, reading.fields.paths, reading.max_row)
        with closing(self._results(batches, reading)) as results:
            for batch, done in results:
                output.write(done, batch.after)
                watch(batch.seen, done.tally.replies)
        if reading.packed and not output.progress.length:
            output.write(Done(gzip.compress(b"", mtime=0), Tally()), output.progress.position)
        tally = output.progress.tally
        return Report(tally, tally.replies - before, time.monotonic() - began)

    def _results(
        self, batches: Iterator[Batch], reading: Reading
    ) -> Generator[tuple[Batch, Done], None, None]:
        several = len(self.sources) > 1
        if self.jobs == 1:
            return read_in_order(batches, reading, several, 1)
        # No more processes than there are batches: a few rows are read sooner than one is started.
        first = list(islice(batches, self.jobs))
        return read_in_order(chain(first, batches), reading, several, max(1, len(first)))
