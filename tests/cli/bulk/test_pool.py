"""Several processes, one order."""

from __future__ import annotations

import multiprocessing
import os
import signal
from contextlib import closing
from itertools import islice

import pytest

from toolproto.cli.bulk import lines
from toolproto.cli.bulk.pool import _AHEAD, read_in_order
from toolproto.errors import ToolProtoError

from .samples import batches, call, reading, write_lines, write_replies


@pytest.fixture
def replies(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "_BLOCK", 1_000)
    return batches(write_replies(tmp_path / "a.jsonl", 500))


def test_results_come_in_the_order_of_the_batches(tmp_path, monkeypatch, replies):
    # Batches that take long stand among ones that do not.
    slow = write_lines(tmp_path / "b.jsonl", [{"reply": call("x" * 200_000)}])
    mixed = [*batches(slow), *replies, *batches(slow)]
    alone = list(read_in_order(mixed, reading(), False, 1))
    assert [batch for batch, _ in alone] == mixed
    assert list(read_in_order(mixed, reading(), False, 2)) == alone
    assert multiprocessing.active_children() == []


def test_only_a_few_batches_are_on_their_way(replies):
    taken = []

    def counted():
        for batch in replies:
            taken.append(batch)
            yield batch

    with closing(read_in_order(counted(), reading(), False, 2)) as results:
        for number, _ in enumerate(results):
            assert len(taken) <= number + 1 + 2 * _AHEAD
    assert taken == replies


def test_a_process_that_is_killed_is_reported(replies):
    results = read_in_order(replies, reading(), False, 2)
    next(results)
    for process in multiprocessing.active_children():
        os.kill(process.pid, signal.SIGKILL)
    with pytest.raises(ToolProtoError, match=r"killed by signal 9 while it read .*a\.jsonl' from"):
        list(results)
    assert multiprocessing.active_children() == []


def test_processes_take_no_notice_of_ctrl_c_and_end_when_nobody_wants_more(replies):
    results = read_in_order(replies, reading(), False, 2)
    next(results)
    assert len(multiprocessing.active_children()) == 2
    for process in multiprocessing.active_children():
        os.kill(process.pid, signal.SIGINT)
    assert [batch for batch, _ in islice(results, 20)] == replies[1:21]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    results.close()
    assert multiprocessing.active_children() == []
