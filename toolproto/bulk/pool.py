"""Pieces read by several workers: processes of this machine, or whatever else takes pieces."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from itertools import takewhile
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import NamedTuple

from ..protocol.errors import ToolProtoError
from .pieces import Piece
from .work import BulkWork, Done, Task

__all__ = ["Engine", "Workers", "processes", "results"]

#: Pieces that are being read or wait for it, for each worker: so none is ever idle, and the memory
#: does not fill.
AHEAD = 4


class Workers(NamedTuple):
    """Where a piece is given to be read, and how many are read at a time."""

    submit: Callable[[Piece], Future[Done]]
    number: int


#: Has so many workers, or as many as it likes, until the block ends. A worker that dies is a
#: BrokenExecutor.
Engine = Callable[[Task, int], AbstractContextManager[Workers]]


@contextmanager
def processes(task: Task, jobs: int) -> Iterator[Workers]:
    """Have *jobs* processes of this machine; one job is done in this process."""
    if jobs == 1:
        yield Workers(partial(_read_now, BulkWork(task)), 1)
        return
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (task,))
    try:
        with _children_ignore_interrupts():
            for _ in range(jobs):  # a pool that spawns its processes starts one for each task
                pool.submit(os.getpid)
        yield Workers(lambda piece: pool.submit(_read, piece), jobs)
    finally:
        pool.shutdown(cancel_futures=True)


def results(
    workers: Workers, pieces: Iterable[Piece], *, in_order: bool
) -> Iterator[tuple[Piece, Done]]:
    """Yield each piece and what came of it, as soon as it is read or *in_order*.

    Raises ToolProtoError if a worker died; everything that was read until then comes first.
    """
    room = 1 if workers.number == 1 else AHEAD * workers.number
    waiting: dict[Future[Done], Piece] = {}
    for piece in pieces:
        waiting[_submitted(workers, piece)] = piece
        yield from _taken(waiting, room, in_order)
    yield from _taken(waiting, 1, in_order)


def _submitted(workers: Workers, piece: Piece) -> Future[Done]:
    try:
        return workers.submit(piece)
    except BrokenExecutor as error:  # known before anybody asked for a result
        failed: Future[Done] = Future()
        failed.set_exception(error)
        return failed


def _taken(
    waiting: dict[Future[Done], Piece], room: int, in_order: bool
) -> Iterator[tuple[Piece, Done]]:
    """Take out what is read, and wait until fewer than *room* are left."""
    while waiting:
        if len(waiting) >= room:
            first = [next(iter(waiting))] if in_order else waiting
            wait(first, return_when=FIRST_COMPLETED)
        ready = takewhile(Future.done, waiting) if in_order else filter(Future.done, waiting)
        lost: list[Piece] = []
        for future in list(ready):
            piece = waiting.pop(future)
            if isinstance(future.exception(), BrokenExecutor):
                lost.append(piece)
            elif not (lost and in_order):
                yield piece, future.result()
        if lost:
            raise ToolProtoError(
                f"a worker process was killed while it read {lost[0].place}, or a piece after it; "
                "if memory is short, use fewer --jobs"
            )
        if len(waiting) < room:
            return


def _read_now(work: BulkWork, piece: Piece) -> Future[Done]:
    done: Future[Done] = Future()
    done.set_result(work(piece))
    return done


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


# -- in a process -----------------------------------------------------------------------------

_work: list[BulkWork] = []


def _begin(task: Task) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # also in one that was started later
    Thread(target=_end_with_parent, daemon=True).start()
    _work.append(BulkWork(task))
    # What is there now stays. What a piece leaves is looked through now and then, not all the time,
    # and what was there before is not looked through again.
    gc.freeze()
    gc.disable()


def _end_with_parent() -> None:
    """The pool waits for work for ever, also when the process that gave it was killed."""
    if parent := parent_process():
        parent.join()
        os._exit(1)


def _read(piece: Piece) -> Done:
    done = _work[0](piece)
    gc.collect(1)
    return done
