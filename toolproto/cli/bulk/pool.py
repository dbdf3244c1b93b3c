"""Batches read by several processes, their results in the order of the batches.

A process gets one batch at a time, when it has nothing to do, so that never both sides of a pipe
wait for the other to read. What is ready before its turn is held back, but only so many batches
are: one that takes long delays the others, and does not fill the memory.
"""

from __future__ import annotations

import gc
import signal
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, NoReturn

from ...errors import ToolProtoError
from .batches import Batch, Texts
from .reading import Reading
from .work import Done, Work

__all__ = ["read_in_order"]

#: Batches that are being read or held back, for each process.
_AHEAD = 4


def read_in_order(
    batches: Iterable[Batch], reading: Reading, several: bool, jobs: int
) -> Generator[tuple[Batch, Done], None, None]:
    """Each batch, and what came of it; closing the iterator ends the processes.

    With one job everything happens in this process. Raises ToolProtoError if a process dies.
    """
    if jobs == 1:
        work = Work(reading, several)
        for batch in batches:
            yield batch, work(batch)
        return
    workers = _started(jobs, reading, several)
    try:
        yield from _in_order(batches, workers)
    finally:
        for worker in workers:
            worker.end()


def _in_order(batches: Iterable[Batch], workers: list[_Worker]) -> Iterator[tuple[Batch, Done]]:
    upcoming = enumerate(batches)
    idle, busy = list(workers), dict[Any, _Worker]()
    ready: dict[int, tuple[Batch, Done]] = {}
    due, ended = 0, False
    while not ended or busy:
        # Work is handed out before results are: whoever takes those may take long.
        while idle and not ended and len(busy) + len(ready) < _AHEAD * len(workers):
            task = next(upcoming, None)
            if task is None:
                ended = True
            else:
                worker = idle.pop()
                worker.give(*task)
                busy[worker.connection] = worker
        while due in ready:
            yield ready.pop(due)
            due += 1
        for connection in wait(busy) if busy else ():
            worker = busy.pop(connection)
            ready[worker.number] = worker.take()
            idle.append(worker)
    while due in ready:
        yield ready.pop(due)
        due += 1


class _Worker:
    """A process of ours, and the batch it has."""

    def __init__(self, process: BaseProcess, connection: Connection) -> None:
        self.connection = connection
        self.number = 0
        self._process = process
        self._batch: Batch

    def give(self, number: int, batch: Batch) -> None:
        """Let it read *batch*, the one with that *number*."""
        self.number, self._batch = number, batch
        try:
            self.connection.send(batch)
        except OSError:
            self._report_death()

    def take(self) -> tuple[Batch, Done]:
        """The batch it had, and what came of it."""
        try:
            done: Done = self.connection.recv()
        except (EOFError, OSError):
            self._report_death()
        return self._batch, done

    def end(self) -> None:
        """End it at once, whatever it is doing."""
        self._process.kill()
        self._process.join()
        self.connection.close()

    def _report_death(self) -> NoReturn:
        self._process.join(timeout=5)
        code = self._process.exitcode or 0
        how = f"killed by signal {-code}" if code < 0 else f"gone (exit code {code})"
        raise ToolProtoError(
            f"a worker process was {how} while it read {_place(self._batch)}; "
            "if the memory is short, use fewer --jobs"
        )


def _place(batch: Batch) -> str:
    if isinstance(batch, Texts):
        return repr(batch.sources[0].path)
    return f"{batch.source!r} from row {batch.first} on"


def _started(jobs: int, reading: Reading, several: bool) -> list[_Worker]:
    context = get_context("spawn")
    workers = []
    with _children_ignore_interrupts():
        for _ in range(jobs):
            ours, theirs = context.Pipe()
            arguments = (theirs, reading, several)
            process = context.Process(target=_serve, args=arguments, daemon=True)
            process.start()
            theirs.close()  # so that its end is noticed
            workers.append(_Worker(process, ours))
    return workers


@contextmanager
def _children_ignore_interrupts() -> Iterator[None]:
    """Processes begun inside take no notice of Ctrl-C, from their first instruction on.

    The terminal sends it to all of us; they are ended by the one that began them.
    """
    try:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    except ValueError:  # not the main thread, which alone hears of Ctrl-C
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _serve(connection: Connection, reading: Reading, several: bool) -> None:
    """What a process does: read batches until nobody sends any."""
    work = Work(reading, several)
    # What is there now stays; what a batch leaves is looked through behind it, not all the time,
    # and what was there before the batch is not looked through again.
    gc.freeze()
    gc.disable()
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            connection.send(work(connection.recv()))
            gc.collect(1)
