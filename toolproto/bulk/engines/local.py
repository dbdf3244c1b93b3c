"""Pieces read by processes of this machine, their results in the order of the pieces."""

from __future__ import annotations

import gc
import os
import signal
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from threading import Thread

from ...errors import ToolProtoError
from ..pieces import Piece
from ..work import Done, Task, Work

__all__ = ["read_here"]

#: Pieces that are being read or held back, for each process: one that takes long delays the others,
#: and does not fill the memory.
AHEAD = 4


def read_here(
    task: Task, pieces: Iterable[Piece], jobs: int
) -> Generator[tuple[Piece, Done], None, None]:
    """Each piece, and what came of it; closing the iterator ends the processes.

    With one job everything happens in this process. Raises ToolProtoError if a process dies.
    """
    if jobs == 1:
        work = Work(task)
        for piece in pieces:
            yield piece, work(piece)
        return
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (task,))
    waiting: deque[tuple[Piece, Future[Done]]] = deque()
    try:
        with _children_ignore_interrupts():
            for _ in range(jobs):  # a pool that spawns its processes starts one for each task
                pool.submit(os.getpid)
        for piece in pieces:
            waiting.append((piece, _submitted(pool, piece)))
            if len(waiting) >= AHEAD * jobs:
                yield _taken(waiting)
        while waiting:
            yield _taken(waiting)
    finally:
        pool.shutdown(cancel_futures=True)


def _submitted(pool: ProcessPoolExecutor, piece: Piece) -> Future[Done]:
    try:
        return pool.submit(_read, piece)
    except BrokenProcessPool as error:  # known before anybody asked for a result
        failed: Future[Done] = Future()
        failed.set_exception(error)
        return failed


def _taken(waiting: deque[tuple[Piece, Future[Done]]]) -> tuple[Piece, Done]:
    piece, future = waiting.popleft()
    try:
        return piece, future.result()
    except BrokenProcessPool:
        raise ToolProtoError(
            f"a worker process was killed while it read {piece.place}, or a piece after it; "
            "if memory is short, use fewer --jobs"
        ) from None


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

_work: list[Work] = []


def _begin(task: Task) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # also in one that was started later
    Thread(target=_end_with_parent, daemon=True).start()
    _work.append(Work(task))
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
