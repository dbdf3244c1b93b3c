"""Bringing a store's tables up to date: forward only, all or nothing.

A step is never changed once it is published: stores in its version exist. A new version is a new
step, which finds the tables as the steps before it left them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlalchemy import Connection, inspect, select, text, update

from ....protocol.errors import StoreError
from .tables import VERSION

__all__ = ["STEPS", "Step", "upgrade", "version_of"]

#: Changes the tables from one version to the next.
Step = Callable[[Connection], None]


_VERSION_1 = (
    "CREATE TABLE toolproto_version (version BIGINT NOT NULL)",
    "INSERT INTO toolproto_version VALUES (0)",
    """\
CREATE TABLE toolproto_sessions (
    id TEXT NOT NULL PRIMARY KEY,
    title TEXT NOT NULL,
    search TEXT NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    updated DOUBLE PRECISION NOT NULL,
    records BIGINT NOT NULL
)""",
    """\
CREATE TABLE toolproto_records (
    session TEXT NOT NULL REFERENCES toolproto_sessions (id) ON DELETE CASCADE,
    seq BIGINT NOT NULL,
    kind TEXT NOT NULL,
    data TEXT NOT NULL,
    search TEXT NOT NULL,
    token BIGINT NOT NULL,
    PRIMARY KEY (session, seq)
)""",
)


def _create(connection: Connection) -> None:
    for statement in _VERSION_1:
        connection.execute(text(statement))


def _add_workspaces(connection: Connection) -> None:
    connection.execute(
        text("ALTER TABLE toolproto_sessions ADD COLUMN workspace TEXT NOT NULL DEFAULT ''")
    )


#: The step at place *n* makes version *n + 1* of version *n*; there is nothing in version 0.
STEPS: tuple[Step, ...] = (_create, _add_workspaces)


def version_of(connection: Connection, newest: int) -> int:
    """The version of the tables there are; a StoreError if it is beyond *newest*."""
    if not inspect(connection).has_table(VERSION.name):
        return 0
    found = connection.scalars(select(VERSION.c.version)).all()
    if len(found) != 1 or not isinstance(found[0], int):
        raise StoreError(f"the table {VERSION.name!r} is damaged: it should contain one number")
    if found[0] > newest:
        raise StoreError(
            f"the store has version {found[0]}, this toolproto knows up to {newest}: "
            "nothing was changed; upgrade toolproto to use it"
        )
    return found[0]


def upgrade(connection: Connection, steps: Sequence[Step]) -> None:
    """Take the steps that are still to be taken, within the transaction of *connection*."""
    for step in steps[version_of(connection, len(steps)) :]:
        step(connection)
    connection.execute(update(VERSION).values(version=len(steps)))
