"""Several processes with one session, and processes that are killed."""

from __future__ import annotations

import sqlite3
from random import Random
from time import sleep

import pytest

from tests.amount import amount
from tests.conversation.stores.cases import contents, said
from toolproto.conversation.stores import open_store

from .writers import PROCESSES, compete, write_on


@pytest.fixture(params=["sqlite_url", "postgres_url"])
def url(request):
    return request.getfixturevalue(request.param)


@pytest.fixture
def store(url):
    store = open_store(url)
    yield store
    store.close()


def started(work, *arguments):
    here, there = PROCESSES.Pipe()
    process = PROCESSES.Process(target=work, args=(*arguments, there), daemon=True)
    process.start()
    there.close()
    return process, here


def test_processes_that_share_a_session_take_turns_or_are_told(url, store):
    store.create("one")
    pairs = [started(compete, url, name) for name in ("first", "second", "third")]
    for _, report in pairs:
        assert report.recv() == "ready"
    for _, report in pairs:
        report.send("go")
    outcomes = [report.recv() for _, report in pairs]
    for process, report in pairs:
        process.join(timeout=60)
        report.close()
        assert process.exitcode == 0
    texts = [text.split() for text in contents(store, "one")]
    assert len(texts) == 100 == 2 * sum(won for won, _ in outcomes)
    # Both records of an append, at the place it asked for, and nobody's between them.
    for at in range(0, 100, 2):
        name = texts[at][0]
        assert texts[at : at + 2] == [[name, str(at), "0"], [name, str(at), "1"]]


def test_processes_may_make_the_store_at_the_same_time(url):
    pairs = [started(open_and_close, url) for _ in range(6)]
    for _, report in pairs:
        assert report.recv() == "ready"
    for _, report in pairs:
        report.send("go")
    for process, report in pairs:
        assert report.recv() == "done"
        process.join(timeout=60)
        report.close()
        assert process.exitcode == 0


def open_and_close(url, report):
    report.send("ready")
    report.recv()
    open_store(url).close()
    report.send("done")


def killed_writers(url, store, times):
    """Write, killed at some moment, *times* times; what must be there and what there is."""
    store.create("one")
    chance = Random(times)
    for _ in range(times):
        at = store.info("one").records
        process, report = started(write_on, url, at)
        acknowledged = at
        for _ in range(chance.randrange(1, 12)):
            acknowledged = report.recv()
        sleep(chance.random() * 0.002)  # into the middle of the next one
        process.kill()
        process.join(timeout=60)
        try:
            while True:
                acknowledged = report.recv()
        except EOFError:
            report.close()
        process.close()
        yield acknowledged


def test_what_a_killed_writer_was_told_is_there_and_no_half_of_anything(url, store):
    # PostgreSQL does not notice that its client was killed: a few times show all there is.
    times = amount(30, 100) if url.startswith("sqlite") else amount(8, 15)
    for acknowledged in killed_writers(url, store, times):
        texts = contents(store, "one")
        assert texts == [str(n) for n in range(len(texts))]
        # One append may be in of which the writer was not told any more.
        assert len(texts) in (acknowledged, acknowledged + 2)


def test_a_file_whose_writers_are_killed_stays_sound(tmp_path):
    path = tmp_path / "sessions.db"
    store = open_store(path)
    for _ in killed_writers(f"sqlite:///{path}", store, 25):
        with sqlite3.connect(path) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        connection.close()
    store.append("one", [said("after all")], store.info("one").records, durable=True)
    store.close()
