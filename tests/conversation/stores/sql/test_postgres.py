"""A store in a server: what happens when the server, or the way to it, goes away."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from tests.conversation.stores.cases import contents, said
from tests.conversation.stores.postgres_server import PASSWORD
from tests.conversation.stores.relay import Relay
from toolproto.conversation.stores import Record, SqlStore
from toolproto.protocol.errors import SessionConflict, StoreError


@pytest.fixture
def store(postgres_url):
    store = SqlStore(postgres_url)
    store.create("one")
    yield store
    store.close()


@pytest.fixture
def relay(postgres):
    relay = Relay(postgres.port)
    yield relay
    relay.close()


@pytest.fixture
def relayed(store, postgres, postgres_url, relay):
    """The same as ``store``, but the way there is not to be trusted."""
    relayed = SqlStore(postgres_url.replace(f":{postgres.port}/", f":{relay.port}/"))
    yield relayed
    relayed.close()


# -- the server ---------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_a_server_that_was_restarted_is_found_again(postgres, store, mode):
    store.append("one", [said("before")], 0, durable=True)
    for at in range(1, 3):
        postgres.stop(mode)
        postgres.start()
        store.append("one", [said("after")], at, durable=True)
        assert contents(store, "one") == ["before", *["after"] * at]


def test_every_idle_connection_is_given_up_after_a_restart(postgres, store):
    with ThreadPoolExecutor(5) as threads:
        list(threads.map(lambda _: store.read("one"), range(50)))
    postgres.stop()
    postgres.start()
    for at in range(8):
        store.append("one", [said("x")], at, durable=False)
    assert contents(store, "one") == ["x"] * 8


def test_a_server_that_is_down_is_an_error_of_ours(postgres, store):
    store.append("one", [said("before")], 0, durable=True)
    postgres.stop("immediate")
    try:
        for _ in range(2):
            with pytest.raises(
                StoreError, match=r"^postgresql://127\.0\.0\.1/postgres: "
            ) as caught:
                store.append("one", [said("lost")], 1, durable=True)
            assert not isinstance(caught.value, SessionConflict)
            assert PASSWORD not in str(caught.value)
            assert caught.value.__cause__ is caught.value.__context__ is None
        with pytest.raises(StoreError):
            store.read("one")
    finally:
        postgres.start()
    assert contents(store, "one") == ["before"]
    store.append("one", [said("after")], 1, durable=True)


def test_a_connection_the_server_ends_in_the_middle_of_an_append_is_made_again(postgres, store):
    """Another writer holds the session; ours waits, and is thrown out by an administrator."""
    with psycopg.connect(postgres.url(), autocommit=True) as admin, ThreadPoolExecutor(1) as thread:
        schema = store._database.read(
            lambda c: c.exec_driver_sql("SELECT current_schema()").scalar()
        )
        with psycopg.connect(postgres.url()) as other:
            other.execute(f"UPDATE {schema}.toolproto_sessions SET title = 'held'")
            ours = thread.submit(store.append, "one", [said("x")], 0, durable=True)
            while not (pids := waiting(admin)):
                pass
            admin.execute("SELECT pg_terminate_backend(%s)", pids[0])
            while waiting(admin) in ([], [pids[0]]):
                pass
            other.rollback()
        ours.result(timeout=60)
    assert contents(store, "one") == ["x"]


def waiting(admin):
    query = "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
    return admin.execute(query).fetchall()


# -- a commit of which nobody hears ---------------------------------------------------------


@pytest.mark.parametrize("cut", ["before", "after"])
@pytest.mark.parametrize("durable", [True, False])
def test_an_append_whose_commit_was_cut_is_in_once(relay, relayed, store, cut, durable):
    relayed.append("one", [said("a")], 0, durable=durable)
    relay.cut, relay.times = cut, 1
    relayed.append("one", [said("b"), said("c")], 1, durable=durable)
    assert relay.times == 0
    assert contents(store, "one") == ["a", "b", "c"]
    relayed.append("one", [said("d")], 3, durable=durable)


@pytest.mark.parametrize("cut, texts", [("before", ["a"]), ("after", ["a", "b"])])
def test_an_append_that_cannot_be_cleared_up_says_so(relay, relayed, store, cut, texts):
    relayed.append("one", [said("a")], 0, durable=True)
    relay.cut, relay.times = cut, 1
    relay.close()  # nobody comes in again
    with pytest.raises(StoreError, match="not known whether the last change was made") as caught:
        relayed.append("one", [said("b")], 1, durable=True)
    assert not isinstance(caught.value, SessionConflict)
    assert contents(store, "one") == texts


def test_records_that_only_look_like_ours_are_somebody_elses(relay, relayed, store):
    relay.cut, relay.times = "before", 1
    store.append("one", [said("same")], 0, durable=True)
    with pytest.raises(SessionConflict):
        relayed.append("one", [said("same")], 0, durable=True)
    assert contents(store, "one") == ["same"]


@pytest.mark.parametrize("cut", ["before", "after"])
def test_what_else_is_cut_is_done_once(relay, relayed, store, cut):
    relay.cut, relay.times = cut, 1
    made = relayed.create("two", "Second")
    assert store.info("two") == made
    relay.times = 1
    relayed.rename("two", "2nd")
    assert store.info("two").title == "2nd"
    relay.times = 1
    assert relayed.info("two") == store.info("two")
    relay.times = 0
    relayed.delete("two")
    assert store.info("two") is None


# -- the database ---------------------------------------------------------------------------


def test_a_wrong_password_is_refused_and_not_shown(postgres):
    url = postgres.url().replace(PASSWORD, "guessed-word")
    with pytest.raises(StoreError, match="authentication failed") as caught:
        SqlStore(url)
    assert "guessed-word" not in str(caught.value)


def test_a_password_among_the_options_is_not_shown(postgres):
    url = f"postgresql://tester@127.0.0.1:{postgres.port}/postgres?password={PASSWORD}"
    store = SqlStore(url)
    assert PASSWORD not in repr(store)
    store.close()


def test_a_database_that_cannot_hold_every_character_is_refused(postgres):
    with psycopg.connect(postgres.url(), autocommit=True) as admin:
        admin.execute("DROP DATABASE IF EXISTS latin")
        admin.execute("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    with pytest.raises(StoreError, match="LATIN1"):
        SqlStore(postgres.url(database="latin"))


def test_a_user_who_may_not_write_is_told(postgres, store, postgres_url):
    with psycopg.connect(postgres_url, autocommit=True) as admin:
        schema = admin.execute("SELECT current_schema()").fetchone()[0]
        admin.execute("DROP ROLE IF EXISTS reader")
        admin.execute(f"CREATE ROLE reader LOGIN PASSWORD '{PASSWORD}'")
        admin.execute(f"GRANT USAGE ON SCHEMA {schema} TO reader")
        admin.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO reader")
    reader = SqlStore(postgres_url.replace("tester", "reader"))
    assert reader.read("one") == []
    with pytest.raises(StoreError, match="permission denied"):
        reader.append("one", [said("x")], 0, durable=False)
    reader.close()
    with psycopg.connect(postgres_url, autocommit=True) as admin:
        admin.execute("DROP OWNED BY reader")
        admin.execute("DROP ROLE reader")


def test_a_database_of_an_earlier_toolproto_with_a_queue_and_a_journal_in_parts_is_opened(
    postgres_url,
):
    SqlStore(postgres_url).close()
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("CREATE TABLE toolproto_due (id BIGINT, session TEXT NOT NULL)")
        connection.execute("ALTER TABLE toolproto_records RENAME TO one_part")
        connection.execute(
            "CREATE TABLE toolproto_records (LIKE one_part INCLUDING ALL)"
            " PARTITION BY HASH (session)"
        )
        for number in range(2):
            connection.execute(
                f"CREATE TABLE toolproto_records_{number} PARTITION OF toolproto_records"
                f" FOR VALUES WITH (MODULUS 2, REMAINDER {number})"
            )
    store = SqlStore(postgres_url)
    for number in range(10):
        store.create(f"s{number}")
        store.append(f"s{number}", [Record("message", {"n": number})], 0, durable=True)
    assert [record.data for record in store.read("s7")] == [{"n": 7}]
    store.close()


def test_old_sessions_are_forgotten_some_at_a_time(postgres_url, tmp_path):
    for url in (postgres_url, f"sqlite:///{tmp_path / 'a.db'}"):
        store = SqlStore(url)
        for number in range(5):
            store.create(f"s{number}")
        newest = store.info("s4").updated
        assert [store.prune(newest, limit=3) for _ in range(3)] == [3, 1, 0]
        assert [info.id for info in store.list()] == ["s4"]
        store.close()
