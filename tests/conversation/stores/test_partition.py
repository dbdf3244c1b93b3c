"""Stores whose journal is in parts, and stores that forget."""

from __future__ import annotations

import psycopg
import pytest

from toolproto.conversation.stores import Record, SqlStore
from toolproto.conversation.stores.sql.partition import make_partitioned
from toolproto.protocol.errors import UsageError


def test_a_journal_in_parts_is_a_journal(postgres_url):
    make_partitioned(postgres_url, parts=4)
    store = SqlStore(postgres_url)
    for number in range(40):
        store.create(f"s{number}")
        store.append(f"s{number}", [Record("message", {"n": n}) for n in range(3)], 0, durable=True)
    assert [record.data for record in store.read("s7")] == [{"n": 0}, {"n": 1}, {"n": 2}]
    with psycopg.connect(postgres_url) as connection:
        used = connection.execute(
            "SELECT tableoid::regclass::text, count(*) FROM toolproto_records GROUP BY 1"
        ).fetchall()
        store.delete("s7")
        left = connection.execute("SELECT count(*) FROM toolproto_records").fetchone()
    assert len(used) == 4 and sum(count for _, count in used) == 120
    assert left == (117,)
    store.close()


def test_a_store_is_partitioned_before_it_is_used(postgres_url, tmp_path):
    SqlStore(postgres_url).close()
    with pytest.raises(UsageError, match="there is a store already"):
        make_partitioned(postgres_url)
    with pytest.raises(UsageError, match="postgresql://"):
        make_partitioned(f"sqlite:///{tmp_path / 'a.db'}")
    with pytest.raises(UsageError, match="parts=0"):
        make_partitioned(postgres_url, 0)


def test_old_sessions_are_forgotten_some_at_a_time(postgres_url, tmp_path):
    for url in (postgres_url, f"sqlite:///{tmp_path / 'a.db'}"):
        store = SqlStore(url)
        for number in range(5):
            store.create(f"s{number}")
        newest = store.info("s4").updated
        assert [store.prune(newest, limit=3) for _ in range(3)] == [3, 1, 0]
        assert [info.id for info in store.list()] == ["s4"]
        store.close()
