"""Pieces read by Ray Data, on one machine or on many.

A piece is a row of a dataset, and reading it writes its part: Ray gives the pieces of a machine
that dies to others, and a part that was written before is written again with the same bytes. So
inputs and output have to lie where all machines find them.
"""

from __future__ import annotations

import logging
import pickle
from collections.abc import Generator, Iterable, Iterator
from functools import lru_cache
from typing import Any

from ...errors import UsageError
from ..arrow import arrow, engine
from ..batches import BatchReader
from ..pieces import Piece
from ..reading import Reading
from ..work import Done, Task, Work

__all__ = ["RayEngine", "read_dataset"]

#: Bytes of pieces, where they bring their data with them, that are handed to Ray together.
_TOGETHER = 256 * 1024 * 1024
_PIECES = 4096


def read_dataset(dataset: Any, reading: Reading, *, rows: int = 1024, **options: Any) -> Any:
    """*dataset*, a ``ray.data.Dataset`` of replies, read as *reading* says.

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
    """Reads pieces on the cluster at *address*; without one, on a cluster of this machine's own.

    Of the cluster *jobs* processors are used, all of them if nothing is said.
    """

    def __init__(self, address: str | None = None, jobs: int | None = None) -> None:
        self._address = address
        self._jobs = jobs

    def __call__(
        self, task: Task, pieces: Iterable[Piece], jobs: int
    ) -> Generator[tuple[Piece, Done], None, None]:
        """Each piece, and what came of it, in any order; without an address, *jobs* at a time."""
        if task.parts is None:
            raise UsageError("Ray's machines write to a file; name it with --output")
        ray, data = (engine(name, "ray", "--engine ray") for name in ("ray", "ray.data"))
        own = not ray.is_initialized()
        if own:
            usual = {} if self._address else {"num_cpus": jobs, "include_dashboard": False}
            ray.init(address=self._address, log_to_driver=False, logging_level="error", **usual)
        data.DataContext.get_current().enable_progress_bars = False
        logging.getLogger("ray.data").setLevel(logging.ERROR)
        if self._address:
            jobs = self._jobs or int(ray.cluster_resources().get("CPU", 1))
        try:
            for some in _waves(pieces):
                yield from self._read(data, task, some, jobs)
        finally:
            if own:
                ray.shutdown()

    def _read(
        self, data: Any, task: Task, pieces: list[Piece], jobs: int
    ) -> Iterator[tuple[Piece, Done]]:
        known = {piece.number: piece for piece in pieces}
        rows = [{"piece": pickle.dumps(piece)} for piece in pieces]
        dataset = data.from_items(rows, override_num_blocks=len(rows)).map_batches(
            _read_piece,
            fn_args=(pickle.dumps(task),),
            batch_format="pyarrow",
            batch_size=None,
            compute=data.TaskPoolStrategy(size=min(jobs, len(rows))),
        )
        for row in dataset.iter_rows():
            done: Done = pickle.loads(row["done"])
            yield known[done.number], done


def _waves(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    """Some pieces at a time: as many as may lie in the memory of this machine."""
    wave: list[Piece] = []
    size = 0
    for piece in pieces:
        wave.append(piece)
        size += len(piece.data or b"")
        if len(wave) == _PIECES or size >= _TOGETHER:
            yield wave
            wave, size = [], 0
    if wave:
        yield wave


# -- on some machine --------------------------------------------------------------------------


@lru_cache(maxsize=4)
def _work(task: bytes) -> Work:
    return Work(pickle.loads(task))


@lru_cache(maxsize=4)
def _reader(reading: bytes) -> BatchReader:
    return BatchReader(pickle.loads(reading))


def _read_piece(table: Any, task: bytes) -> Any:
    done = [pickle.dumps(_work(task)(pickle.loads(each))) for each in table["piece"].to_pylist()]
    return arrow().table({"done": done})


def _read_table(table: Any, reading: bytes) -> Any:
    batches = table.combine_chunks().to_batches()
    return arrow().Table.from_batches([_reader(reading)(each) for each in batches])
