"""A run over many replies, from the first piece to the last."""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path

from ..package import __version__
from ..protocol.errors import UsageError
from .arrow import arrow
from .formats import Format, format_of, joined, written
from .inputs import Source, fingerprint
from .parts import Parts
from .pieces import Piece, cut
from .pool import Engine, processes, results
from .reading import Reading
from .tally import Tally
from .work import MAX_ROW, Done, Task

__all__ = ["MANIFEST", "Report", "Run", "Watch"]

#: Is told of every piece that is read, in any order: its bytes of the inputs, and its rows.
Watch = Callable[[int, int], None]
#: What lists the parts of an output that is a folder.
MANIFEST = "manifest.json"


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
    on; with *force*, what is there is written over. *engine* has the *jobs* workers. *as_folder*
    leaves the output in parts, with a manifest. *bad_rows* is a file for the rows that cannot be
    read.
    """

    sources: list[Source]
    reading: Reading
    output: Path | None = None
    resume: bool = False
    force: bool = False
    jobs: int = 1
    max_row: int = MAX_ROW
    bad_rows: Path | None = None
    as_folder: bool = False
    engine: Engine = field(default=processes)

    def __post_init__(self) -> None:
        if self.jobs < 1:
            raise UsageError(f"jobs is {self.jobs}; give 1 or more")
        if self.resume and self.force:
            raise UsageError("--resume continues and --force begins again; give only one of them")
        if self.resume and any(source.is_stdin for source in self.sources):
            raise UsageError("standard input cannot be read again; --resume needs files")
        if self.output is None and (self.resume or self.force or self.bad_rows):
            raise UsageError("--resume, --force and --bad-rows need a file; name it with --output")

    @property
    def can_go_on(self) -> bool:
        """Whether a run that was broken off left parts to go on from."""
        if self.output is None or any(source.is_stdin for source in self.sources):
            return False
        return self._parts.begun

    @property
    def _parts(self) -> Parts:
        assert self.output is not None
        folder = self.output.with_name(f"{self.output.name}.parts")
        return Parts(folder, format_of(self.output))

    @property
    def _is_device(self) -> bool:
        """Whether the output is no file that could be renamed to, as ``/dev/null``."""
        output = self.output
        return bool(output and output.exists() and not output.is_file() and not output.is_dir())

    def __call__(self, watch: Watch) -> Report:
        """Do it. Whatever ends it early, the parts that are whole are kept."""
        if self.output is None or self._is_device:
            return self._read_to_stream(watch)
        self._check_output(self.output)
        if self.can_go_on and not (self.resume or self.force):
            raise UsageError(
                f"a run into {str(self.output)!r} did not finish; "
                "continue it with --resume, or begin again with --force"
            )
        if self._is_complete and not self.force:
            if self.resume:
                return Report(Tally(), was_complete=True)
            raise UsageError(f"{str(self.output)!r} exists already; --force overwrites it")
        return self._read_to_file(self._parts, self.output, watch)

    @property
    def _is_complete(self) -> bool:
        """Whether there is an output, and nothing to go on with; an empty file is none."""
        output = self.output
        if output is None or self.can_go_on or not output.exists():
            return False
        return output.is_dir() or output.stat().st_size > 0

    # -- what is done ---------------------------------------------------------------------

    def _read_to_stream(self, watch: Watch) -> Report:
        began, tally = time.monotonic(), Tally()
        with ExitStack() as stack:
            file = stack.enter_context(open(self.output, "wb")) if self.output else None
            stream = file or sys.stdout.buffer
            found = self._results(Format.JSONL, self._pieces(), in_order=True)
            for piece, done in stack.enter_context(closing(found)):
                stream.write(done.data)
                stream.flush()
                tally += done.tally
                watch(piece.share, done.tally.replies)
        return Report(tally, tally.replies, time.monotonic() - began)

    def _read_to_file(self, parts: Parts, output: Path, watch: Watch) -> Report:
        began, replies = time.monotonic(), 0
        about = {
            "toolproto": __version__,
            "inputs": fingerprint(self.sources),
            **self.reading.told(),
            "max_row": self.max_row,
            "as_folder": self.as_folder,
            "bad_rows": bool(self.bad_rows),
        }
        numbers: list[int] = []

        def missing() -> Iterator[Piece]:
            for piece in self._pieces():
                numbers.append(piece.number)
                if parts.has(piece):
                    watch(piece.share, 0)
                else:
                    yield piece

        with parts.planned(about, anew=self.force):
            with closing(self._results(parts.kind, missing(), in_order=False)) as found:
                for piece, done in found:
                    parts.write(piece, done)
                    replies += done.tally.replies
                    watch(piece.share, done.tally.replies)
            tally = self._gather(parts, output, numbers)
        return Report(tally, replies, time.monotonic() - began)

    def _pieces(self) -> Iterator[Piece]:
        return cut(self.sources, self.reading.fields.paths, self.max_row)

    def _results(
        self, format: Format, pieces: Iterator[Piece], *, in_order: bool
    ) -> Generator[tuple[Piece, Done], None, None]:
        several = len(self.sources) > 1
        task = Task(self.reading, format, several, self.bad_rows is not None, self.max_row)
        # No more workers than there are pieces: a few rows are read sooner than one is started.
        first = list(islice(pieces, self.jobs)) if self.jobs > 1 else []
        jobs = min(self.jobs, max(1, len(first)))
        with self.engine(task, jobs) as workers:
            yield from results(workers, chain(first, pieces), in_order=in_order)

    def _gather(self, parts: Parts, output: Path, numbers: list[int]) -> Tally:
        """Make the output of its parts, and leave nothing else; return the counts of its rows."""
        tally, listed = Tally(), []
        with ExitStack() as stack:
            bad = stack.enter_context(written(self.bad_rows)) if self.bad_rows else None
            for slip in map(parts.slip, numbers):
                tally += slip.tally
                listed.append((slip.path, slip.tally.replies))
                if bad:
                    bad.write(slip.bad.encode())
        if not self.as_folder:
            kept = [name for name, _ in self.reading.fields.keep]
            joined(parts.kind, (path for path, _ in listed), output, kept)
            parts.remove()
            return tally
        _write_manifest(parts.folder, listed)
        if output.is_dir():  # an earlier one of ours: see _check_output
            shutil.rmtree(output)
        parts.folder.rename(output)
        for path in chain(output.glob("part-*.slip"), output.glob("plan.json")):
            path.unlink()
        return tally

    def _check_output(self, output: Path) -> None:
        """Raise UsageError if nothing can be written there while the sources are read."""
        if output.is_dir() and not self.as_folder:
            raise UsageError(f"{str(output)!r} is a folder; name a file in it")
        if output.is_dir() and any(output.iterdir()) and not (output / MANIFEST).exists():
            raise UsageError(f"{str(output)!r} is a folder, but not one of ours; name another")
        for path in filter(None, (output, self.bad_rows)):
            if not path.parent.is_dir():
                raise UsageError(f"there is no folder {str(path.parent)!r} to write to")
        if format_of(output) is Format.PARQUET:
            arrow("pyarrow", str(output))
        ours = {output.resolve(), self._parts.folder.resolve()}
        for source in self.sources:
            path = Path(source.path).resolve()
            if not source.is_stdin and ours & {path, *path.parents}:
                raise UsageError(f"{source.path!r} is both input and output; name another --output")


def _write_manifest(folder: Path, parts: list[tuple[Path, int]]) -> None:
    told = {
        "toolproto": __version__,
        "rows": sum(rows for _, rows in parts),
        "parts": [{"name": p.name, "rows": n, "bytes": p.stat().st_size} for p, n in parts],
    }
    with written(folder / MANIFEST) as file:
        file.write(json.dumps(told, indent=1).encode())
