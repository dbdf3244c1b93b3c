"""Stores of other versions: old ones are brought up to date, newer ones left alone."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import text

from tests.conversation.stores.cases import TEXTS, VALUES, contents, said
from toolproto.conversation.stores import Record, SqlStore
from toolproto.conversation.stores.sql import store as sql_store
from toolproto.conversation.stores.sql.migrations import STEPS
from toolproto.protocol.errors import StoreError

FROZEN = sorted(Path(__file__).with_name("frozen").glob("version_*.db"))


@pytest.fixture(params=["sqlite", "postgres"])
def url(request, tmp_path):
    """Of no store yet."""
    return request.getfixturevalue(f"{request.param}_url")


def add_colour(connection):
    connection.execute(text("ALTER TABLE toolproto_sessions ADD COLUMN colour TEXT"))
    connection.execute(text("UPDATE toolproto_sessions SET colour = 'blue'"))


def fail_half_way(connection):
    connection.execute(text("ALTER TABLE toolproto_sessions ADD COLUMN shape TEXT"))
    connection.execute(text("DELETE FROM toolproto_records"))
    connection.execute(text("SELECT * FROM nowhere"))


def made(url):
    store = SqlStore(url)
    store.create("one", "First")
    store.append("one", [said("kept")], 0, durable=True)
    store.close()


def test_every_version_has_its_frozen_file():
    assert [path.stem for path in FROZEN] == [f"version_{n + 1}" for n in range(len(STEPS))]


def check_frozen(store):
    assert [info.id for info in store.list()] == ["empty", "values", "texts"]
    assert contents(store, "texts") == list(TEXTS.values())
    assert store.read("values") == [Record("value", value) for value in VALUES.values()]
    assert store.read("empty") == []
    assert [info.id for info in store.list("äöü")] == ["texts"]
    assert [info.id for info in store.list("naïve")] == ["texts"]
    store.append("texts", [said("more")], len(TEXTS), durable=True)
    store.delete("values")
    store.close()


@pytest.mark.parametrize("path", FROZEN, ids=lambda path: path.stem)
def test_a_frozen_file_loads(path, tmp_path):
    check_frozen(SqlStore(Path(shutil.copy(path, tmp_path))))


@pytest.mark.parametrize("path", FROZEN, ids=lambda path: path.stem)
def test_frozen_tables_load(path, postgres_url):
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(path.with_suffix(".sql").read_text(encoding="utf-8"))
    check_frozen(SqlStore(postgres_url))


def test_an_old_store_is_brought_up_to_date(url, monkeypatch):
    made(url)
    monkeypatch.setattr(sql_store, "STEPS", (*STEPS, add_colour))
    for _ in range(2):  # the second time there is nothing to do
        store = SqlStore(url)
        assert contents(store, "one") == ["kept"]
        colours = store._database.read(
            lambda c: c.execute(text("SELECT colour FROM toolproto_sessions")).scalars().all()
        )
        assert colours == ["blue"]
        store.close()


def test_a_step_that_fails_leaves_the_old_version(url, monkeypatch):
    made(url)
    with monkeypatch.context() as patch:
        patch.setattr(sql_store, "STEPS", (*STEPS, add_colour, fail_half_way))
        with pytest.raises(StoreError, match="nowhere"):
            SqlStore(url)
    store = SqlStore(url)
    assert contents(store, "one") == ["kept"]
    store.append("one", [said("more")], 1, durable=False)
    store.close()
    monkeypatch.setattr(sql_store, "STEPS", (*STEPS, add_colour))
    SqlStore(url).close()


def test_a_newer_store_is_refused_and_works_for_those_who_know_it(url, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(sql_store, "STEPS", (*STEPS, add_colour))
        made(url)
    with pytest.raises(StoreError, match=rf"version {len(STEPS) + 1}.*up to {len(STEPS)}.*upgrade"):
        SqlStore(url)
    monkeypatch.setattr(sql_store, "STEPS", (*STEPS, add_colour))
    store = SqlStore(url)
    assert contents(store, "one") == ["kept"]
    store.close()


@pytest.mark.parametrize("mode", ["wal", "delete"])
def test_a_newer_file_stays_as_it_is_byte_by_byte(tmp_path, mode):
    path = tmp_path / "sessions.db"
    made(path)
    connection = sqlite3.connect(path)
    connection.execute("UPDATE toolproto_version SET version = 99")
    connection.commit()
    connection.execute(f"PRAGMA journal_mode = {mode}")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="version 99"):
        SqlStore(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("damage", ["DELETE FROM", "INSERT INTO", "UPDATE"])
def test_a_version_nobody_can_read_is_refused(tmp_path, damage):
    path = tmp_path / "sessions.db"
    made(path)
    rest = {"DELETE FROM": "", "INSERT INTO": "VALUES (1)", "UPDATE": "SET version = 'new'"}
    connection = sqlite3.connect(path)
    connection.execute(f"{damage} toolproto_version {rest[damage]}")
    connection.commit()
    connection.close()
    with pytest.raises(StoreError, match="toolproto_version"):
        SqlStore(path)
