"""Ray: from a laptop to a cluster. Datasets of Ray Data, and pieces of files."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Future
from contextlib import contextmanager
from functools import lru_cache, partial
from typing import Any

from .arrow import arrow, engine
from .batches import BatchReader
from .pieces import Piece
from .pool import Workers
from .reading import Reading
from .work import BulkWork, Done, Task

__all__ = ["RayEngine", "read_dataset"]

#: How often a piece is given to another worker when the one that read it died. Machines may go at
#: any time; but a piece that takes all the memory takes it of everybody.
_TRIES = 5


def read_dataset(dataset: Any, reading: Reading, *, rows: int = 1024, **options: Any) -> Any:
    """Read *dataset*, a ``ray.data.Dataset`` of replies, as *reading* says.

    *rows* are read together; *options* are those of ``Dataset.map_batches``.
    """
    return dataset.map_batches(
        _read_table,
        fn_args=(pickle.dumps(reading),),
        batch_format="pyarrow",
        batch_size=rows,
        **options,
    )


class RayEngine:
    """Has the workers of the cluster at *address*; without one, of a cluster on this machine.

    Pieces and what comes of them are sent, so the machines of a cluster need no file. Of a cluster
    *jobs* processors are used, all of them if nothing is said.
    """

    def __init__(self, address: str | None = None, jobs: int | None = None) -> None:
        self._address = address
        self._jobs = jobs

    @contextmanager
    def __call__(self, task: Task, jobs: int) -> Iterator[Workers]:
        """Have as many workers as the cluster has processors; without an address, *jobs*."""
        ray = engine("ray", "ray", "--engine ray")
        own = not ray.is_initialized()
        if own:
            usual = {} if self._address else {"num_cpus": jobs, "include_dashboard": False}
            ray.init(address=self._address, log_to_driver=False, logging_level="error", **usual)
        if self._address:
            jobs = self._jobs or int(ray.cluster_resources().get("CPU", 1))
        read = ray.remote(max_retries=_TRIES)(_read_piece)
        try:
            yield Workers(partial(_submitted, ray, read, ray.put(pickle.dumps(task))), jobs)
        finally:
            if own:
                ray.shutdown()


def _submitted(ray: Any, read: Any, task: Any, piece: Piece) -> Future[Done]:
    """Give *piece* to some worker; that it died is told as a process pool tells it."""
    done: Future[Done] = Future()

    def tell(theirs: Future[Done]) -> None:
        error = theirs.exception()
        if error is None:
            done.set_result(theirs.result())
        elif isinstance(error, ray.exceptions.RayTaskError):
            done.set_exception(error.cause or error)
        else:
            done.set_exception(BrokenExecutor(str(error)))

    read.remote(task, piece).future().add_done_callback(tell)
    return done


# -- on some machine --------------------------------------------------------------------------


@lru_cache(maxsize=4)
def _work(task: bytes) -> BulkWork:
    return BulkWork(pickle.loads(task))


@lru_cache(maxsize=4)
def _reader(reading: bytes) -> BatchReader:
    return BatchReader(pickle.loads(reading))


def _read_piece(task: bytes, piece: Piece) -> Done:
    return _work(task)(piece)


def _read_table(table: Any, reading: bytes) -> Any:
    batches = table.combine_chunks().to_batches()
    return arrow().Table.from_batches([_reader(reading)(each) for each in batches])
