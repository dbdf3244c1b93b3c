"""SQLite: one file, any number of processes of one machine."""

from __future__ import annotations

import os
import sqlite3
import stat
from pathlib import Path
from random import uniform
from threading import Lock
from time import sleep
from typing import Any

from sqlalchemy import URL, ColumnElement, Connection, create_engine, event, func
from sqlalchemy.exc import DBAPIError

from ....protocol.errors import StoreError, UsageError
from .database import Database, Purpose, cursor_of

__all__ = ["SqliteDatabase"]

#: How long to wait for other writers, who are done in milliseconds.
_PATIENCE = 10.0
#: SQLite itself does not wait when a file becomes a WAL file, or is recovered; then we do.
_PAUSE = 0.05
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}

_MAKING = Lock()
_OTHERS = stat.S_IRWXG | stat.S_IRWXO

#: For each connection. Deleted text is overwritten, not left in unused pages. The log is brought
#: into place, which waits for the disk, each 16 MB: seldom, as a chat writes the same pages again
#: and again; and the log's file does not stay larger than that.
_SETTINGS = """
    PRAGMA foreign_keys = ON;
    PRAGMA secure_delete = ON;
    PRAGMA wal_autocheckpoint = 4000;
    PRAGMA journal_size_limit = 16777216;
    PRAGMA synchronous = NORMAL;
"""


class SqliteDatabase(Database):
    """Tables in a file, which is made if there is none, for its owner alone.

    A write is in the file's log, and safe from a killed process, when it is done; only those that
    are durable wait for the disk. A durable one takes those before it along.
    """

    def __init__(self, path: Path) -> None:
        _make(path)
        engine = create_engine(
            URL.create("sqlite", database=str(path)),
            # Without an isolation level the driver leaves it to us to begin.
            connect_args={"timeout": _PATIENCE, "isolation_level": None},
            paramstyle="named",
            hide_parameters=True,
        )
        event.listen(engine, "connect", _configure)
        super().__init__(engine, f"sqlite:///{path}")

    def adopt(self) -> None:
        """Turn on write-ahead logging: readers and a writer do not wait for one another."""
        mode = self._run(Purpose.SET, _log_ahead)
        if mode != "wal":
            raise StoreError(
                f"{self.place}: SQLite cannot keep its write-ahead log on this file system; "
                "keep the file on a local disk"
            )

    def begin(self, connection: Connection, purpose: Purpose) -> None:
        """Begin: a writer at once as the writer, so that it never has to give up half-way."""
        match purpose:
            case Purpose.READ:
                cursor_of(connection).execute("BEGIN")
            case Purpose.WRITE | Purpose.KEEP:
                _synchronise(connection, "FULL" if purpose is Purpose.KEEP else "NORMAL")
                cursor_of(connection).execute("BEGIN IMMEDIATE")

    def lock_tables(self, connection: Connection) -> None:
        """Nothing to do: a writer is the only one."""

    def holds(self, column: ColumnElement[str], needle: str) -> ColumnElement[bool]:
        """Whether *column* has *needle* in it."""
        return func.instr(column, needle) > 0

    def may_succeed(self, error: DBAPIError, attempt: int, waited: float) -> bool:
        """Whether it failed for other writers only; waits a little for them."""
        code = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF
        if code not in _BUSY or waited > _PATIENCE:
            return False
        sleep(uniform(0, _PAUSE))
        return True


def _make(path: Path) -> None:
    """A file for its owner alone, made if there is none.

    SQLite would follow a link that leads nowhere, and make a file there that everybody can read.
    """
    try:
        # Closing a file gives up all locks this process has on it, SQLite's too: never open one
        # that another store may be using, nor let one be used before it is closed.
        with _MAKING:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        _close_to_others(path)
    except FileNotFoundError:
        raise UsageError(f"the folder of {str(path)!r} does not exist; make it first") from None
    except (OSError, ValueError) as error:
        raise StoreError(f"cannot make {str(path)!r}: {error}") from None


def _close_to_others(path: Path) -> None:
    """Let nobody else read or write the file that is there, nor those that SQLite keeps beside."""
    if not path.exists():
        raise UsageError(f"{str(path)!r} is a link that leads nowhere; name the file itself")
    if os.name != "posix":
        return
    for each in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm"))):
        try:
            mode = stat.S_IMODE(each.stat().st_mode)
            if mode & _OTHERS:
                each.chmod(mode & ~_OTHERS)
        except FileNotFoundError:
            continue  # it is there only while the store is used
        except PermissionError:
            raise StoreError(
                f"{str(each)!r} can be read by others, and is not yours, so it cannot be made "
                f"private"
            ) from None
        except OSError:
            continue  # a file system without permissions


def _configure(connection: sqlite3.Connection, record: Any) -> None:
    connection.executescript(_SETTINGS)
    record.info["synchronous"] = "NORMAL"


def _synchronise(connection: Connection, level: str) -> None:
    """Whether commits wait for the disk. It can be set between transactions only."""
    if connection.info["synchronous"] != level:
        cursor_of(connection).execute(f"PRAGMA synchronous = {level}")
        connection.info["synchronous"] = level


def _log_ahead(connection: Connection) -> str:
    return str(connection.exec_driver_sql("PRAGMA journal_mode = WAL").scalar())
