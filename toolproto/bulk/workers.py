"""Batches read by several workers: processes of this machine, or whatever else takes batches."""

from __future__ import annotations

import gc
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import NamedTuple

from ..protocol.errors import ToolProtoError
from .files import InputRows
from .work import BatchParser, ParsedRows, ParseJob

__all__ = ["Engine", "GivenBatch", "Workers", "in_order", "processes"]

#: Batches that are being read or wait for it, for each worker: so none is idle for long, and the
#: memory does not fill.
AHEAD = 4


class Workers(NamedTuple):
    """Where a batch is given to be read, and how many are read at a time.

    *submit* returns what waits for the rows, and raises BrokenExecutor if the worker died.
    """

    submit: Callable[[list[InputRows]], Callable[[], ParsedRows]]
    number: int


class GivenBatch(NamedTuple):
    """A batch that is being read: its number and *share* of the inputs, and how to get its rows."""

    number: int
    share: int
    place: str
    rows: Callable[[], ParsedRows]


#: Has so many workers, or as many as it likes, until the block ends.
Engine = Callable[[ParseJob, int], AbstractContextManager[Workers]]


@contextmanager
def processes(job: ParseJob, jobs: int) -> Iterator[Workers]:
    """Have *jobs* processes of this machine; one job is done in this process."""
    if jobs == 1:
        parser = BatchParser(job)
        yield Workers(lambda batch: partial(parser, batch), 1)
        return
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (job,))
    try:
        # The terminal sends Ctrl-C to all of us; the processes that begin now take no notice of it.
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        for _ in range(jobs):
            pool.submit(os.getpid)
        signal.signal(signal.SIGINT, before)
        yield Workers(lambda batch: pool.submit(_parse, batch).result, jobs)
    finally:
        pool.shutdown(cancel_futures=True)


def in_order(given: Iterable[GivenBatch], number: int) -> Iterator[tuple[GivenBatch, ParsedRows]]:
    """Yield what comes of all that is *given* to *number* workers; only a few are on their way.

    Raises ToolProtoError if a worker died.
    """
    room = 1 if number == 1 else AHEAD * number
    waiting: deque[GivenBatch] = deque()
    try:
        for each in given:
            waiting.append(each)
            if len(waiting) == room:
                rows = waiting[0].rows()
                yield waiting.popleft(), rows
        while waiting:
            rows = waiting[0].rows()
            yield waiting.popleft(), rows
    except BrokenExecutor:
        place = waiting[0].place if waiting else "the inputs"
        raise ToolProtoError(
            f"a worker process was killed while it read {place}, or rows after it; "
            "if memory is short, use fewer --jobs"
        ) from None


# -- in a process -----------------------------------------------------------------------------

_parser: list[BatchParser] = []


def _begin(job: ParseJob) -> None:
    Thread(target=_end_with_parent, daemon=True).start()
    _parser.append(BatchParser(job))
    gc.freeze()  # what is there now stays, and is not looked through again and again


def _end_with_parent() -> None:
    """The pool waits for work for ever, also when the process that gave it was killed."""
    if parent := parent_process():
        parent.join()
        os._exit(1)


def _parse(batch: list[InputRows]) -> ParsedRows:
    return _parser[0](batch)
