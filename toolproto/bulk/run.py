"""A run over many replies, from the first piece to the last, on any engine."""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path

from ..errors import ToolProtoError, UsageError
from ..package import __version__
from .arrow import arrow
from .engines.local import read_here
from .formats import Format, format_of, joined
from .inputs import Source, fingerprint
from .parts import Parts, Slip, write_whole
from .pieces import Piece, cut
from .reading import Reading
from .tally import Tally
from .work import MAX_ROW, Done, Task

__all__ = ["MANIFEST", "Engine", "Report", "Run", "Watch"]

#: Is told of every piece that is read, in any order: its bytes of the inputs, and its rows.
Watch = Callable[[int, int], None]
#: Reads pieces as a task says, in so many processes; a piece that it gives back is read.
Engine = Callable[[Task, Iterable[Piece], int], Generator[tuple[Piece, Done], None, None]]
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
    on; with *force*, what is there is written over. *engine* shares the work among *jobs*
    processes. *as_folder* leaves the output in parts, with a manifest. *bad_rows* is a file for the
    rows that cannot be read.
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
    engine: Engine = field(default=read_here)

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
        return (self._parts.folder / "plan.json").exists()

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
        if self.force:
            return self._read_to_file(self._parts, self.output, watch)
        if self.can_go_on and not self.resume:
            raise UsageError(
                f"a run into {str(self.output)!r} did not finish; "
                "continue it with --resume, or begin again with --force"
            )
        if self._is_complete and not self.resume:
            raise UsageError(f"{str(self.output)!r} exists already; --force overwrites it")
        if self._is_complete:
            return Report(Tally(), was_complete=True)
        return self._read_to_file(self._parts, self.output, watch)

    @property
    def _is_complete(self) -> bool:
        """Whether there is an output, and nothing to go on with; an empty file is none."""
        output = self.output
        if output is None or self.can_go_on or not output.exists():
            return False
        return output.is_dir() or output.stat().st_size > 0

    # -- to a stream ----------------------------------------------------------------------

    def _read_to_stream(self, watch: Watch) -> Report:
        task = self._task(None)
        began, tally = time.monotonic(), Tally()
        with ExitStack() as stack:
            output = sys.stdout.buffer
            stream = stack.enter_context(open(self.output, "wb")) if self.output else output
            for piece, done in stack.enter_context(closing(self._results(task, self._pieces()))):
                stream.write(done.data)
                stream.flush()
                tally += done.tally
                watch(piece.share, done.tally.replies)
        return Report(tally, tally.replies, time.monotonic() - began)

    # -- to a file ------------------------------------------------------------------------

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
        slips: list[int] = []
        with parts.planned(about, anew=self.force):
            missing = self._missing(parts, slips, watch)
            with closing(self._results(self._task(parts), missing)) as results:
                for piece, done in results:
                    replies += done.tally.replies
                    watch(piece.share, done.tally.replies)
            found = [parts.done(number) for number in slips]
            whole = [slip for slip in found if slip is not None]
            if len(whole) != len(slips):
                raise ToolProtoError(
                    f"a part of {str(parts.folder)!r} has disappeared; continue with --resume"
                )
            self._gather(parts, output, whole)
        tally = sum((slip.tally for slip in whole), start=Tally())
        return Report(tally, replies, time.monotonic() - began)

    def _missing(self, parts: Parts, numbers: list[int], watch: Watch) -> Iterator[Piece]:
        """The pieces of which there is no whole part; the *numbers* of all are noted."""
        for piece in self._pieces():
            numbers.append(piece.number)
            if parts.done(piece.number) is None:
                yield piece
            else:
                watch(piece.share, 0)

    def _gather(self, parts: Parts, output: Path, slips: list[Slip]) -> None:
        """Make the output of its parts, and leave nothing else."""
        if self.bad_rows:
            bad = sorted(parts.folder.glob("part-*.bad"))
            write_whole(self.bad_rows, b"".join(path.read_bytes() for path in bad))
        if not self.as_folder:
            kept = [name for name, _ in self.reading.fields.keep]
            joined(parts.kind, (parts.folder / slip.name for slip in slips), output, kept)
            parts.remove()
            return
        told = {
            "toolproto": __version__,
            "rows": sum(slip.tally.replies for slip in slips),
            "parts": [slip.told() for slip in slips],
        }
        write_whole(parts.folder / MANIFEST, json.dumps(told, indent=1).encode())
        if output.is_dir():  # an earlier one of ours: see _check_output
            shutil.rmtree(output)
        parts.folder.rename(output)
        for pattern in ("part-*.done", "part-*.bad", "plan.json"):
            for path in output.glob(pattern):
                path.unlink()

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

    # -- the work -------------------------------------------------------------------------

    def _pieces(self) -> Iterator[Piece]:
        return cut(self.sources, self.reading.fields.paths, self.max_row)

    def _task(self, parts: Parts | None) -> Task:
        several = len(self.sources) > 1
        return Task(self.reading, parts, several, self.bad_rows is not None, self.max_row)

    def _results(
        self, task: Task, pieces: Iterator[Piece]
    ) -> Generator[tuple[Piece, Done], None, None]:
        if self.jobs == 1 or self.engine is not read_here:
            return self.engine(task, pieces, self.jobs)
        # No more processes than there are pieces: a few rows are read sooner than one is started.
        first = list(islice(pieces, self.jobs))
        return self.engine(task, chain(first, pieces), max(1, len(first)))
