"""The stores the tests are about."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import psycopg
import pytest

from toolproto.conversation.stores import SqlStore

from .postgres_server import NoServer, PostgresServer

# So that a failing assertion in there says what it saw.
pytest.register_assert_rewrite("tests.conversation.stores.conformance")

_SCHEMAS = count()


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    try:
        server = PostgresServer()
    except NoServer as reason:
        pytest.skip(str(reason))
    yield server
    server.remove()


@pytest.fixture
def postgres_url(postgres) -> str:
    """A schema nobody has used."""
    schema = f"test_{next(_SCHEMAS)}"
    with psycopg.connect(postgres.url(), autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}")
    return f"{postgres.url()}?options=-csearch_path%3D{schema}"


@pytest.fixture
def sqlite_url(tmp_path) -> str:
    return f"sqlite:///{tmp_path / 'sessions.db'}"


@pytest.fixture
def sqlite(sqlite_url) -> Iterator[SqlStore]:
    store = SqlStore(sqlite_url)
    yield store
    store.close()
