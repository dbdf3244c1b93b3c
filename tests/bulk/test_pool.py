"""Several workers, their results in order or as they come."""

from __future__ import annotations

import multiprocessing
import os
import signal
from concurrent.futures import BrokenExecutor, Future
from itertools import islice

import pytest

from toolproto.bulk import pieces as cutting
from toolproto.bulk.pool import AHEAD, Workers, processes, results
from toolproto.bulk.tally import Tally
from toolproto.bulk.work import Done, Task
from toolproto.protocol.errors import ToolProtoError

from .samples import call, pieces, reading, write_lines, write_replies

TASK = Task(reading())


@pytest.fixture
def replies(tmp_path, monkeypatch):
    monkeypatch.setattr(cutting, "BLOCK", 1_000)
    return pieces(write_replies(tmp_path / "a.jsonl", 500))


def read(found, jobs, in_order=True):
    with processes(TASK, jobs) as workers:
        yield from results(workers, found, in_order=in_order)


def test_results_come_in_the_order_of_the_pieces_if_that_is_asked(tmp_path, replies):
    # Pieces that take long stand among ones that do not.
    slow = write_lines(tmp_path / "b.jsonl", [{"reply": call("x" * 200_000)}])
    mixed = [*pieces(slow), *replies, *pieces(slow)]
    alone = list(read(mixed, 1))
    assert [piece for piece, _ in alone] == mixed
    assert list(read(mixed, 2)) == alone
    found = list(read(mixed, 2, in_order=False))
    assert len(found) == len(alone) and all(each in alone for each in found)
    assert multiprocessing.active_children() == []


def test_only_a_few_pieces_are_on_their_way_and_a_killed_process_is_reported(replies):
    taken = []

    def counted():
        for piece in replies:
            taken.append(piece)
            yield piece

    found = read(counted(), 2)
    for number, _ in enumerate(islice(found, 5)):
        assert len(taken) <= number + 1 + 2 * AHEAD
    for process in multiprocessing.active_children():
        os.kill(process.pid, signal.SIGKILL)
    with pytest.raises(ToolProtoError, match=r"was killed while .*a\.jsonl' from row"):
        list(found)
    assert multiprocessing.active_children() == []


class Dying:
    """Workers that read every piece but *lost*; that one died is known when *last* is given."""

    def __init__(self, lost, last):
        self.lost, self.last = lost, last
        self.future = Future()

    def __call__(self, piece):
        if piece is self.last:
            self.future.set_exception(BrokenExecutor())
            raise BrokenExecutor
        if piece is self.lost:
            return self.future
        future = Future()
        future.set_result(Done(b"", Tally(), ""))
        return future


@pytest.mark.parametrize("in_order", [False, True])
def test_what_was_read_before_a_process_died_is_given_first(replies, in_order):
    first, lost, third, last = some = replies[:4]
    found = []
    with pytest.raises(ToolProtoError, match=r"was killed while it read .*a\.jsonl' from row"):
        for piece, _ in results(Workers(Dying(lost, last), 2), some, in_order=in_order):
            found.append(piece)
    assert found == ([first] if in_order else [first, third])


def test_processes_take_no_notice_of_ctrl_c_and_end_when_nobody_wants_more(replies):
    found = read(replies, 2)
    next(found)
    assert len(multiprocessing.active_children()) == 2
    for process in multiprocessing.active_children():
        os.kill(process.pid, signal.SIGINT)
    assert [piece for piece, _ in islice(found, 20)] == replies[1:21]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    found.close()
    assert multiprocessing.active_children() == []
