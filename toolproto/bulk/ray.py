"""Ray: from a laptop to a cluster. Datasets of Ray Data, and batches of files."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from functools import lru_cache, partial
from typing import Any

from .arrow import arrow, engine
from .batches import BatchReader
from .files import InputRows
from .reading import Reading
from .work import BatchParser, ParsedRows, ParseJob
from .workers import Workers

__all__ = ["RayEngine", "read_dataset"]

#: How often a batch is given to another worker when the one that read it died. Machines may go at
#: any time; but a batch that takes all the memory takes it of everybody.
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

    Batches and their rows are sent, so the machines of a cluster need no file. Of a cluster *jobs*
    processors are used, all of them if nothing is said.
    """

    def __init__(self, address: str | None = None, jobs: int | None = None) -> None:
        self._address = address
        self._jobs = jobs

    @contextmanager
    def __call__(self, job: ParseJob, jobs: int) -> Iterator[Workers]:
        """Have as many workers as the cluster has processors; without an address, *jobs*."""
        ray = engine("ray", "ray", "--engine ray")
        usual = {} if self._address else {"num_cpus": jobs, "include_dashboard": False}
        ray.init(address=self._address, log_to_driver=False, logging_level="error", **usual)
        if self._address:
            jobs = self._jobs or int(ray.cluster_resources().get("CPU", 1))
        parse = ray.remote(max_retries=_TRIES)(_parse_batch)
        given = ray.put(pickle.dumps(job))
        try:
            yield Workers(lambda batch: partial(_got, ray, parse.remote(given, batch)), jobs)
        finally:
            ray.shutdown()


def _got(ray: Any, rows: Any) -> ParsedRows:
    """Wait for *rows*; that every worker died that tried is told as a process pool tells it."""
    try:
        parsed: ParsedRows = ray.get(rows)
    except ray.exceptions.RayTaskError:
        raise
    except ray.exceptions.RayError as error:
        raise BrokenExecutor(str(error)) from None
    return parsed


# -- on some machine --------------------------------------------------------------------------


@lru_cache(maxsize=4)
def _parser(job: bytes) -> BatchParser:
    return BatchParser(pickle.loads(job))


@lru_cache(maxsize=4)
def _reader(reading: bytes) -> BatchReader:
    return BatchReader(pickle.loads(reading))


def _parse_batch(job: bytes, batch: list[InputRows]) -> ParsedRows:
    return _parser(job)(batch)


def _read_table(table: Any, reading: bytes) -> Any:
    batches = table.combine_chunks().to_batches()
    return arrow().Table.from_batches([_reader(reading)(each) for each in batches])
