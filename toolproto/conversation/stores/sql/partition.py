"""A journal in parts: the records of many sessions spread over several tables of PostgreSQL.

A table of some hundred million rows is slow to vacuum and its index too large for the memory.
Split by session, each part has its own, and the statements stay as they are.
"""

from __future__ import annotations

from sqlalchemy import Connection, inspect, text

from ....protocol.errors import UsageError
from .database import Database
from .location import located
from .postgres import PostgresDatabase
from .tables import RECORDS
from .versions import STEPS, upgrade

__all__ = ["make_partitioned"]

_MOST = 1024
_RECORDS = """\
CREATE TABLE toolproto_records (
    session TEXT NOT NULL REFERENCES toolproto_sessions (id) ON DELETE CASCADE,
    seq BIGINT NOT NULL,
    kind TEXT NOT NULL,
    data TEXT NOT NULL,
    search TEXT NOT NULL,
    token BIGINT NOT NULL,
    PRIMARY KEY (session, seq)
) PARTITION BY HASH (session)"""


def make_partitioned(url: str, parts: int = 16) -> None:
    """Make the tables of a new store at *url*, its records in *parts*.

    Done once, before anybody uses the store; one that is there is a UsageError.
    """
    if not 1 <= parts <= _MOST:
        raise UsageError(f"parts={parts}: a number between 1 and {_MOST} can be used")
    database = located(url)
    try:
        if not isinstance(database, PostgresDatabase):
            raise UsageError("only PostgreSQL splits a table; give a postgresql:// URL")
        database.write(lambda connection: _make(database, connection, parts), durable=True)
    finally:
        database.close()


def _make(database: Database, connection: Connection, parts: int) -> None:
    database.lock_tables(connection)
    if inspect(connection).has_table(RECORDS.name):
        raise UsageError("there is a store already; partition one before it is used")
    upgrade(connection, STEPS)
    connection.execute(text("DROP TABLE toolproto_records"))
    connection.execute(text(_RECORDS))
    for number in range(parts):
        connection.execute(
            text(
                f"CREATE TABLE toolproto_records_{number} PARTITION OF toolproto_records"
                f" FOR VALUES WITH (MODULUS {parts}, REMAINDER {number})"
            )
        )
