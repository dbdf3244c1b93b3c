"""Our stores, as any other store is tested."""

from __future__ import annotations

import pytest

from tests.conversation.stores.conformance import StoreConformance
from toolproto.conversation.stores import MemoryStore, SqlStore


class TestMemoryStore(StoreConformance):
    @pytest.fixture
    def store(self):
        return MemoryStore()


class TestSqlite(StoreConformance):
    @pytest.fixture
    def store(self, sqlite):
        return sqlite

    @pytest.fixture
    def another(self, store, sqlite_url):
        another = SqlStore(sqlite_url)
        yield another
        another.close()


class TestPostgres(StoreConformance):
    @pytest.fixture
    def store(self, postgres_url):
        store = SqlStore(postgres_url)
        yield store
        store.close()

    @pytest.fixture
    def another(self, store, postgres_url):
        another = SqlStore(postgres_url)
        yield another
        another.close()
