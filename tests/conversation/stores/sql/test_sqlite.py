"""A store in a file: what is on the disk, and what goes wrong there."""

from __future__ import annotations

import os
import resource
import signal
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conversation.stores.cases import contents, said
from toolproto.conversation.stores import SqlStore
from toolproto.conversation.stores.sql import sqlite as module
from toolproto.protocol.errors import SessionConflict, StoreError, UsageError

RECORD = said("word " * 90)


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "sessions.db"


@pytest.fixture
def store(path):
    store = SqlStore(path)
    store.create("one")
    yield store
    store.close()


def grown(path: Path, work) -> int:
    """By how many bytes the log of the file grows."""
    log = path.with_name(f"{path.name}-wal")
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    before = log.stat().st_size
    work()
    return log.stat().st_size - before


def test_an_append_writes_no_more_in_a_long_session(path, store):
    store.append("one", [RECORD] * 10, 0, durable=False)
    early = grown(path, lambda: store.append("one", [RECORD], 10, durable=False))
    store.append("one", [RECORD] * 20_000, 11, durable=False)
    late = grown(path, lambda: store.append("one", [RECORD], 20_011, durable=False))
    # A page that is full and makes a new one begin is all the difference there may be.
    assert late <= early + 3 * 4200
    assert late < 32_000


def test_the_log_does_not_grow_for_ever(path, store):
    for at in range(0, 40_000, 400):
        store.append("one", [RECORD] * 400, at, durable=False)
    assert path.with_name(f"{path.name}-wal").stat().st_size < 3 * 16 * 2**20


def test_commits_wait_for_the_disk_only_where_asked(store):
    def level():
        return store._database.read(lambda c: c.exec_driver_sql("PRAGMA synchronous").scalar())

    store.append("one", [RECORD], 0, durable=True)
    assert level() == 2  # FULL
    store.append("one", [RECORD], 1, durable=False)
    assert level() == 1  # NORMAL


def test_a_new_file_is_its_owners_alone(path, store):
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_that_was_open_to_all_is_closed(path):
    SqlStore(path).close()
    path.chmod(0o666)
    path.with_name(f"{path.name}-wal").write_bytes(b"")
    path.with_name(f"{path.name}-wal").chmod(0o666)
    SqlStore(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    left = path.with_name(f"{path.name}-wal")
    assert not left.exists() or stat.S_IMODE(left.stat().st_mode) == 0o600


def test_a_file_that_only_its_owner_reads_stays_so(path):
    SqlStore(path).close()
    path.chmod(0o400 | 0o200)
    SqlStore(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_link_that_leads_nowhere_makes_no_file(path, tmp_path):
    elsewhere = tmp_path / "elsewhere.db"
    path.symlink_to(elsewhere)
    with pytest.raises(UsageError, match="leads nowhere"):
        SqlStore(path)
    assert not elsewhere.exists()


def test_a_link_to_a_store_is_that_store(path, tmp_path):
    real = tmp_path / "real.db"
    SqlStore(real).close()
    real.chmod(0o644)
    path.symlink_to(real)
    SqlStore(path).close()
    assert stat.S_IMODE(real.stat().st_mode) == 0o600


def test_closing_leaves_one_file(path, store):
    store.append("one", [RECORD], 0, durable=False)
    store.close()
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_what_is_deleted_is_not_left_in_the_file(path, store):
    store.append("one", [said(f"secret-{n} " * 20) for n in range(50)], 0, durable=True)
    store.create("two", "stays")
    store.delete("one")
    store.close()
    assert b"secret-" not in path.read_bytes()
    assert b"stays" in path.read_bytes()


def test_a_file_that_others_wrote_in_is_shared_with_them(path):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE sessions (theirs TEXT)")
    connection.close()
    store = SqlStore(path)
    store.create("one")
    assert [info.id for info in store.list()] == ["one"]
    store.close()
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT theirs FROM sessions").fetchall() == []
    connection.close()


# -- files that are none ------------------------------------------------------------------


def test_a_file_that_is_no_database_is_refused_and_left_alone(path):
    path.write_bytes(b"Dear diary, today I am no database. " * 100)
    before = path.read_bytes()
    with pytest.raises(StoreError, match="not a database"):
        SqlStore(path)
    assert path.read_bytes() == before


def test_a_damaged_file_is_an_error_of_ours(path, store):
    store.append("one", [RECORD] * 500, 0, durable=True)
    store.close()
    with path.open("r+b") as file:
        file.seek(8192)
        file.write(b"\xff" * (path.stat().st_size - 16384))
    store = SqlStore(path)
    with pytest.raises(StoreError):
        store.read("one")
    store.close()


@pytest.mark.parametrize("text", ["{", "[1]", "null", '{"a": "' + "[" * 99, "[" * 100_000])
def test_a_record_somebody_else_wrote_wrongly_is_an_error_of_ours(path, store, text):
    store.append("one", [RECORD], 0, durable=False)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE toolproto_records SET data = ?", (text,))
    connection.close()
    with pytest.raises(StoreError, match="damaged"):
        store.read("one")


@pytest.mark.parametrize("text", [b"\xff\xfe", 5, b"raw"], ids=repr)
def test_a_record_that_is_no_text_is_an_error_of_ours(path, store, text):
    store.append("one", [RECORD], 0, durable=False)
    with sqlite3.connect(path) as connection:
        cast = "CAST(? AS TEXT)" if text == b"\xff\xfe" else "?"
        connection.execute(f"UPDATE toolproto_records SET data = {cast}", (text,))
    connection.close()
    with pytest.raises(StoreError):
        store.read("one")


@pytest.mark.parametrize("seq", [0, 1, 2])
def test_a_record_that_is_missing_is_noticed(path, store, seq):
    store.append("one", [RECORD] * 3, 0, durable=False)
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM toolproto_records WHERE seq = ?", (seq,))
    connection.close()
    with pytest.raises(StoreError, match="add up"):
        store.read("one")


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UsageError, match="nowhere"):
        SqlStore(tmp_path / "nowhere" / "sessions.db")


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(StoreError, match="unable to open"):
        SqlStore(tmp_path)


def test_a_path_with_everything_in_it_is_only_a_path(tmp_path):
    path = tmp_path / "a b?mode=memory&x=%20#ä;.db"
    store = SqlStore(path)
    store.create("one")
    store.close()
    assert path.exists()


# -- others at the same file ----------------------------------------------------------------


def test_a_file_that_stays_locked_is_an_error_of_ours_in_time(path, store, monkeypatch):
    store.append("one", [RECORD], 0, durable=False)
    store.close()
    monkeypatch.setattr(module, "_PATIENCE", 0.2)
    impatient = SqlStore(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="locked") as caught:
        impatient.append("one", [RECORD], 1, durable=False)
    assert not isinstance(caught.value, SessionConflict)
    assert caught.value.__cause__ is caught.value.__context__ is None
    assert len(impatient.read("one")) == 1  # readers need not wait
    other.execute("COMMIT")
    other.close()
    impatient.append("one", [RECORD], 1, durable=False)
    impatient.close()


def test_a_file_that_was_taken_away_is_an_error_of_ours(path, store):
    store.close()
    path.unlink()
    path.mkdir()
    with pytest.raises(StoreError):
        SqlStore(path)


def run(script: str, path: Path, **options) -> str:
    """What *script* prints, run in a process of its own."""
    return subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", script, str(path)],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
        **options,
    ).stdout


VISITING = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("SELECT count(*) FROM toolproto_records").fetchall()
connection.close()
"""


def test_opening_a_file_a_second_time_gives_up_no_lock(path, store):
    store.append("one", [RECORD], 0, durable=False)
    SqlStore(path).close()
    run(VISITING, path)
    # A visitor who finds himself alone takes the log away when he leaves.
    assert path.with_name(f"{path.name}-wal").exists()
    store.append("one", [RECORD], 1, durable=False)
    assert len(store.read("one")) == 2


FORKING = """
import os, sys
from pathlib import Path
from toolproto.conversation.stores import SqlStore
from tests.conversation.stores.cases import (contents, said)
store = SqlStore(Path(sys.argv[1]))
store.append("one", [said("parent")], 0, durable=False)
child = os.fork()
if not child:
    store.append("one", [said("child")], 1, durable=False)
    store.close()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
store.append("one", [said("parent again")], 2, durable=False)
print(contents(store, "one"))
store.close()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_store_may_be_used_on_both_sides_of_a_fork(path, store):
    assert run(FORKING, path).strip() == "['parent', 'child', 'parent again']"
    assert contents(store, "one") == ["parent", "child", "parent again"]


FILLING = """
import sys
from pathlib import Path
from toolproto.protocol.errors import StoreError
from toolproto.conversation.stores import SqlStore
from tests.conversation.stores.cases import said
store = SqlStore(Path(sys.argv[1]))
at = 0
try:
    while True:
        store.append("one", [said("word " * 1000)] * 5, at, durable=False)
        at += 5
except StoreError as error:
    print(at, error)
"""


def no_large_files() -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, 500_000))


def test_a_full_disk_is_an_error_of_ours_and_loses_nothing(path, store):
    store.close()
    at, words = run(FILLING, path, preexec_fn=no_large_files).split(" ", 1)
    assert int(at) > 0 and ("full" in words or "I/O" in words)
    store = SqlStore(path)
    assert len(store.read("one")) == int(at)
    store.append("one", [RECORD], int(at), durable=True)
    store.close()
