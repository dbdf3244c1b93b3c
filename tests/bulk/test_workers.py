"""Several workers, and what they read, in order."""

from __future__ import annotations

import multiprocessing
import os
import signal
from itertools import islice

import pytest

from toolproto.bulk import files
from toolproto.bulk.work import ParseJob
from toolproto.bulk.workers import AHEAD, GivenBatch, in_order, processes
from toolproto.protocol.errors import ToolProtoError

from .samples import batches, call, reading, write_lines, write_replies

JOB = ParseJob(reading())


@pytest.fixture
def replies(tmp_path, monkeypatch):
    path = write_replies(tmp_path / "a.jsonl", 500)
    return list(files.read_batches(files.find_inputs([str(path)]), ["reply"], 10**6, 1_000))


def read(found, jobs):
    with processes(JOB, jobs) as workers:
        given = (
            GivenBatch(number, 0, f"batch {number}", workers.submit(batch))
            for number, batch in enumerate(found)
        )
        for batch, parsed in in_order(given, workers.number):
            yield batch.number, parsed


def test_results_come_in_the_order_of_the_batches(tmp_path, replies):
    # Batches that take long stand among ones that do not.
    slow = batches(write_lines(tmp_path / "b.jsonl", [{"reply": call("x" * 200_000)}]))
    mixed = [*slow, *replies, *slow]
    alone = list(read(mixed, 1))
    assert [number for number, _ in alone] == list(range(len(mixed)))
    assert list(read(mixed, 2)) == alone
    assert multiprocessing.active_children() == []


def test_only_a_few_batches_are_on_their_way_and_a_killed_process_is_reported(replies):
    taken = []

    def counted():
        for batch in replies:
            taken.append(batch)
            yield batch

    found = read(counted(), 2)
    for number, _ in enumerate(islice(found, 5)):
        assert len(taken) <= number + 1 + 2 * AHEAD
    for process in multiprocessing.active_children():
        os.kill(process.pid, signal.SIGKILL)
    with pytest.raises(ToolProtoError, match=r"was killed while it read batch \d+, or rows after"):
        list(found)
    assert multiprocessing.active_children() == []


def test_one_job_is_done_here_and_no_batch_is_read_ahead(replies):
    taken = []

    def counted():
        for batch in replies:
            taken.append(batch)
            yield batch

    for number, _ in enumerate(read(counted(), 1), 1):
        assert len(taken) == number
        assert multiprocessing.active_children() == []


def test_processes_take_no_notice_of_ctrl_c_and_end_when_nobody_wants_more(replies):
    found = read(replies, 2)
    next(found)
    assert len(multiprocessing.active_children()) == 2
    for process in multiprocessing.active_children():
        os.kill(process.pid, signal.SIGINT)
    assert [number for number, _ in islice(found, 20)] == list(range(1, 21))
    found.close()
    assert multiprocessing.active_children() == []
