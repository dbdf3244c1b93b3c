"""Several processes, one order."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from itertools import islice

import pytest

from tests.patience import PATIENCE
from toolproto.bulk import pieces as cutting
from toolproto.bulk.engines.local import AHEAD, _submitted, _taken, read_here
from toolproto.bulk.work import Task
from toolproto.errors import ToolProtoError

from .samples import call, pieces, reading, write_lines, write_replies

TASK = Task(reading())


@pytest.fixture
def replies(tmp_path, monkeypatch):
    monkeypatch.setattr(cutting, "BLOCK", 1_000)
    return pieces(write_replies(tmp_path / "a.jsonl", 500))


def test_results_come_in_the_order_of_the_pieces(tmp_path, replies):
    # Pieces that take long stand among ones that do not.
    slow = write_lines(tmp_path / "b.jsonl", [{"reply": call("x" * 200_000)}])
    mixed = [*pieces(slow), *replies, *pieces(slow)]
    alone = list(read_here(TASK, mixed, 1))
    assert [piece for piece, _ in alone] == mixed
    assert list(read_here(TASK, mixed, 2)) == alone
    assert multiprocessing.active_children() == []


def test_only_a_few_pieces_are_on_their_way_and_a_killed_process_is_reported(replies):
    taken = []

    def counted():
        for piece in replies:
            taken.append(piece)
            yield piece

    results = read_here(TASK, counted(), 2)
    for number, _ in enumerate(islice(results, 5)):
        assert len(taken) <= number + 1 + 2 * AHEAD
    for process in multiprocessing.active_children():
        os.kill(process.pid, signal.SIGKILL)
    with pytest.raises(ToolProtoError, match=r"was killed while .*a\.jsonl' from row"):
        list(results)
    assert multiprocessing.active_children() == []


def test_that_a_process_was_killed_may_be_known_before_the_next_piece(replies):
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        with pytest.raises(BrokenProcessPool):
            pool.submit(os._exit, 1).result(PATIENCE)
        waiting = deque([(replies[0], _submitted(pool, replies[0]))])
        with pytest.raises(ToolProtoError, match=r"was killed while .*a\.jsonl' from row"):
            _taken(waiting)


def test_processes_take_no_notice_of_ctrl_c_and_end_when_nobody_wants_more(replies):
    with closing(read_here(TASK, replies, 2)) as results:
        next(results)
        assert len(multiprocessing.active_children()) == 2
        for process in multiprocessing.active_children():
            os.kill(process.pid, signal.SIGINT)
        assert [piece for piece, _ in islice(results, 20)] == replies[1:21]
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert multiprocessing.active_children() == []
