"""How the soak of workers tells a transaction that a worker holds from one of the server's own."""

from __future__ import annotations

import time

import psycopg
import pytest

from soak.open_transactions import OpenTransactions
from tests.patience import PATIENCE

#: More than what the server can send to somebody who does not read.
FLOOD = "SELECT pg_notify('things', repeat('x', 7900) || n) FROM generate_series(1, 2000) AS n"


@pytest.fixture
def watcher(postgres_url):
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        yield connection


@pytest.fixture
def ours(postgres_url):
    with psycopg.connect(postgres_url, autocommit=True, application_name="toolproto") as connection:
        yield connection


def test_a_transaction_that_a_worker_holds_is_as_old_as_the_server_says(ours, watcher):
    seen = OpenTransactions(0.0)
    seen.look(watcher)
    with ours.transaction():
        ours.execute("SELECT 1")
        seen.look(watcher)
    assert seen.held == {"idle in transaction: SELECT 1": 1}
    assert (seen.looks, seen.servers_own) == (2, 0)
    assert seen.longest > 0 == seen.longest_stopped


def test_what_is_open_while_a_worker_is_stopped_is_counted_apart(ours, watcher):
    seen = OpenTransactions(60_000.0)
    with ours.transaction():
        ours.execute("SELECT 1")
        seen.look(watcher, stopped=True)
    assert seen.longest == 0 < seen.longest_stopped
    assert not seen.held


def test_what_the_server_reads_for_a_listener_is_not_as_old_as_its_listen(ours, watcher):
    ours.execute("LISTEN things")
    seen = OpenTransactions(0.0)
    seen.look(watcher)
    assert seen.servers_own == 0  # to listen is no transaction
    (before,) = watcher.execute("SELECT clock_timestamp()").fetchone()
    watcher.execute(FLOOD)
    until = time.monotonic() + PATIENCE
    while not seen.servers_own:
        assert time.monotonic() < until
        seen.look(watcher)
    began = watcher.execute("SELECT xact_start FROM pg_stat_activity WHERE state = 'idle'")
    assert [said < before for (said,) in began if said] == [True]
    assert seen.longest == 0
    assert not seen.held
    # Here it stays, since nobody reads what it has to send; that would be found.
    seen.look(watcher)
    assert seen.longest > 0
    assert seen.held == {"idle: LISTEN things": 1}
