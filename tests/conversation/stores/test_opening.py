"""A store from its address, and what is said of addresses that lead nowhere."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from toolproto.conversation import stores
from toolproto.conversation.stores import MemoryStore, SqlStore, open_store
from toolproto.protocol.errors import StoreError, UsageError

SECRET = "open-sesame"


def test_memory_is_a_store_that_forgets():
    assert isinstance(open_store("memory:"), MemoryStore)
    assert repr(open_store("memory:")) == "MemoryStore()"


def test_a_store_is_its_own():
    store = MemoryStore()
    assert open_store(store) is store


@pytest.mark.parametrize("form", [Path, "sqlite:///{}".format, "sqlite+pysqlite:///{}".format])
def test_a_path_and_its_url_are_the_same_file(tmp_path, form):
    path = tmp_path / "sessions.db"
    store = open_store(form(str(path)))
    assert isinstance(store, SqlStore)
    assert repr(store) == f"SqlStore('sqlite:///{path}')"
    store.close()
    assert path.exists()


@pytest.mark.parametrize("password", [SECRET, f"{SECRET}%40%2F%20x"])
@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
def test_a_server_that_does_not_answer_is_an_error_without_its_password(scheme, password):
    with pytest.raises(StoreError, match=r"postgresql://127\.0\.0\.1/chats.*refused") as caught:
        open_store(f"{scheme}://me:{password}@127.0.0.1:1/chats?connect_timeout=5")
    assert SECRET not in str(caught.value)
    assert caught.value.__context__ is None


NOT_STORES = [
    "",
    "memory",
    "sqlite:sessions.db",
    f"mysql://me:{SECRET}@host/db",
    f"redis://:{SECRET}@host",
    f"postgresql://me:{SECRET}@host:port/db",
    f"postgresql://me:{SECRET}@[::1/db",
    f"postgresql+nothing://me:{SECRET}@host/db",
    f"postgresql://me:{SECRET}@/db?host=a&host=b&port=1,2,3",
    f"{SECRET}://",
    "sqlite://",
    "sqlite:///",
    "sqlite:///:memory:",
    f"sqlite:///file:x?mode=memory&key={SECRET}",
    "sqlite+nothing:///x.db",
    "\0",
    "://",
    "\ud800://x",
]


@pytest.mark.parametrize("url", NOT_STORES, ids=repr)
def test_an_address_that_is_none_is_the_programs_mistake(url, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError) as caught:
        open_store(url)
    if not url.startswith(SECRET):
        assert SECRET not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("thing", [None, 5, b"sqlite:///x.db", MemoryStore, ["memory:"]], ids=repr)
def test_what_is_no_store_is_refused(thing):
    with pytest.raises(UsageError, match="expected"):
        open_store(thing)


def test_an_option_psycopg_does_not_know_is_an_error_of_ours():
    with pytest.raises((StoreError, UsageError)) as caught:
        open_store(f"postgresql://me:{SECRET}@127.0.0.1:1/db?colour=blue")
    assert SECRET not in str(caught.value)


def test_there_are_no_other_names():
    with pytest.raises(AttributeError, match="NoSuchStore"):
        stores.NoSuchStore  # noqa: B018


WITHOUT = """
import sys
sys.modules[sys.argv[1]] = None  # as if it were not installed
from toolproto.protocol.errors import UsageError
from toolproto.conversation.stores import open_store
open_store("memory:")
try:
    open_store(sys.argv[2])
except UsageError as error:
    print(error)
"""


@pytest.mark.parametrize(
    "library, url, extra",
    [("sqlalchemy", "sqlite:///x.db", "sql"), ("psycopg", "postgresql://me@host/db", "postgres")],
)
def test_a_missing_library_is_named_with_the_extra_that_brings_it(library, url, extra, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, library, url],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert "pip install" in done.stdout and f"[{extra}]" in done.stdout, done.stderr
