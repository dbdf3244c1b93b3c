"""Sessions kept in a database: SQLite's file, or PostgreSQL's server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from secrets import randbits
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    bindparam,
    delete,
    exists,
    insert,
    or_,
    select,
    update,
)

from ....protocol.errors import StoreError
from ..base import Record, SessionInfo, now
from ..refusals import closed, conflict, no_session, taken
from ..text import checked_id, counted, folded, readable, unwritten, written
from .database import Database, cursor_of
from .location import located
from .migrations import STEPS
from .tables import RECORDS, SESSIONS

__all__ = ["SqlStore"]

#: For use inside the class, where ``list`` is something else.
_Rows = list[dict[str, Any]]
_Records = list[Record]

_SHOWN = (
    SESSIONS.c.id,
    SESSIONS.c.title,
    SESSIONS.c.created,
    SESSIONS.c.updated,
    SESSIONS.c.records,
    SESSIONS.c.workspace,
)
_INFO = select(*_SHOWN).where(SESSIONS.c.id == bindparam("session"))
_AT_ONCE = 1000
#: How many there should be, and those there are, as of one moment.
_READ = (
    select(SESSIONS.c.records, RECORDS.c.seq, RECORDS.c.kind, RECORDS.c.data)
    .join_from(
        SESSIONS,
        RECORDS,
        (RECORDS.c.session == SESSIONS.c.id) & (RECORDS.c.seq >= bindparam("after")),
        isouter=True,
    )
    .where(SESSIONS.c.id == bindparam("session"))
    .order_by(RECORDS.c.seq)
)
#: Only one of several writers finds the count he knows; it is his until his transaction ends.
_ADVANCE = (
    update(SESSIONS)
    .where(SESSIONS.c.id == bindparam("session"), SESSIONS.c.records == bindparam("at"))
    .values(records=bindparam("count"), updated=bindparam("now"))
)
_TOKEN = select(RECORDS.c.token).where(
    RECORDS.c.session == bindparam("session"), RECORDS.c.seq == bindparam("at")
)


class SqlStore:
    """A :class:`Store` in the database at *url*.

    A path or ``sqlite:///sessions.db`` is a file for the processes of one machine;
    ``postgresql://user:password@host/database`` a server for many. The tables are made when they
    are not there, and brought up to date when they are old.
    """

    def __init__(self, url: str | Path) -> None:
        self._database = located(url)
        self._closed = False
        try:
            self._database.prepare(STEPS)
        except BaseException:
            self._database.close()
            raise
        self._read = self._database.compiled(_READ)
        self._advance = self._database.compiled(_ADVANCE)
        self._add = self._database.compiled(insert(RECORDS))

    def __repr__(self) -> str:
        return f"SqlStore({self._database.place!r})"

    def create(self, id: str, title: str = "", workspace: str = "") -> SessionInfo:
        """A new session without records."""
        at = now()
        made = SessionInfo(checked_id(id), readable(title), at, at, 0, readable(workspace))
        self._open().write(lambda connection: _create(connection, made), durable=True)
        return made

    def info(self, id: str) -> SessionInfo | None:
        """The session, or None if there is none of that id."""
        wanted = {"session": checked_id(id)}
        row = self._open().read(lambda connection: connection.execute(_INFO, wanted).first())
        return SessionInfo(*row) if row else None

    def read(self, id: str, after: int = 0) -> list[Record]:
        """The records of a session but the first *after*, in order."""
        wanted = {"session": checked_id(id), "after": counted("after", after)}
        return self._open().read(lambda connection: self._records(connection, wanted))

    def append(self, id: str, records: Sequence[Record], at: int, *, durable: bool) -> None:
        """Add *records* behind the first *at*, all or none; SessionConflict if there are others.

        If the connection breaks in the middle, this finds out whether they were written; a
        StoreError that cannot say so says that.
        """
        token = randbits(63)
        rows = [
            {"session": id, "seq": seq, "token": token, **written(record)._asdict()}
            for seq, record in enumerate(records, counted("at", at))
        ]
        if rows:
            self._open().write(lambda c: self._append(c, checked_id(id), at, rows), durable=durable)
        elif (found := self._known(id).records) != at:
            raise conflict(id, at, found)

    def list(
        self,
        search: str = "",
        *,
        workspace: str | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> Sequence[SessionInfo]:
        """Sessions whose title or text holds *search*, the last used first."""
        query = (
            select(*_SHOWN)
            .order_by(SESSIONS.c.updated.desc(), SESSIONS.c.created.desc(), SESSIONS.c.id)
            .limit(counted("limit", limit))
            .offset(counted("offset", offset))
        )
        if workspace is not None:
            query = query.where(SESSIONS.c.workspace == readable(workspace))
        if search:
            query = query.where(self._holding(folded(search)))
        rows = self._open().read(lambda connection: connection.execute(query).all())
        return [SessionInfo(*row) for row in rows]

    def rename(self, id: str, title: str) -> None:
        """Give the session another title; it counts as used no later than before."""
        statement = (
            update(SESSIONS)
            .where(SESSIONS.c.id == checked_id(id))
            .values(title=readable(title), search=folded(title))
        )
        if not self._open().write(lambda connection: connection.execute(statement).rowcount):
            raise no_session(id)

    def assign(self, id: str, workspace: str) -> None:
        """Let the session belong to *workspace*."""
        statement = (
            update(SESSIONS)
            .where(SESSIONS.c.id == checked_id(id))
            .values(workspace=readable(workspace))
        )
        if not self._open().write(lambda connection: connection.execute(statement).rowcount):
            raise no_session(id)

    def delete(self, id: str) -> None:
        """Forget the session and all its records."""
        self._known(id)
        statement = delete(SESSIONS).where(SESSIONS.c.id == id)  # the records go along
        self._open().write(lambda connection: connection.execute(statement))

    def prune(self, before: float, limit: int = 1000) -> int:
        """Forget up to *limit* sessions that nobody used since *before*; how many there were.

        Call it until it gives less than *limit*: so nobody waits for a long transaction.
        """
        old = select(SESSIONS.c.id).where(SESSIONS.c.updated < before)
        oldest = old.order_by(SESSIONS.c.updated).limit(counted("limit", limit))
        statement = delete(SESSIONS).where(SESSIONS.c.id.in_(oldest))
        return int(self._open().write(lambda connection: connection.execute(statement).rowcount))

    def close(self) -> None:
        """Close the connections to the database."""
        self._closed = True
        self._database.close()

    def _open(self) -> Database:
        if self._closed:
            raise closed()
        return self._database

    def _known(self, id: str) -> SessionInfo:
        found = self.info(id)
        if found is None:
            raise no_session(id)
        return found

    def _records(self, connection: Connection, wanted: dict[str, Any]) -> _Records:
        found: _Records = []
        due = None
        cursor = cursor_of(connection)
        cursor.execute(self._read, wanted)
        # In parts, so that there are not all rows beside all records.
        while rows := cursor.fetchmany(_AT_ONCE):
            due = range(wanted["after"], rows[0][0])
            places = due[len(found) : len(found) + len(rows)]
            if places and (places[0], places[-1]) == (rows[0][1], rows[-1][1]):
                found += unwritten([row[2:] for row in rows])
        if due is None:
            raise no_session(wanted["session"])
        if len(found) != len(due):
            raise StoreError(f"session {wanted['session']!r} is damaged: its records do not add up")
        return found

    def _append(self, connection: Connection, id: str, at: int, rows: _Rows) -> None:
        cursor = cursor_of(connection)
        cursor.execute(
            self._advance, {"session": id, "at": at, "count": at + len(rows), "now": now()}
        )
        if cursor.rowcount:
            # A driver may take longer over many than over one.
            cursor.executemany(self._add, rows) if rows[1:] else cursor.execute(self._add, rows[0])
            return
        found = connection.execute(_INFO, {"session": id}).first()
        if found is None:
            raise no_session(id)
        if connection.scalar(_TOKEN, {"session": id, "at": at}) != rows[0]["token"]:
            raise conflict(id, at, found.records)
        # Ours: the connection broke before the database could say that they are in.

    def _holding(self, needle: str) -> ColumnElement[bool]:
        """Whether a session's title or one of its records has *needle* in it."""
        within = RECORDS.c.session == SESSIONS.c.id
        return or_(
            self._database.holds(SESSIONS.c.search, needle),
            exists().where(within, self._database.holds(RECORDS.c.search, needle)),
        )


def _create(connection: Connection, made: SessionInfo) -> None:
    found = connection.execute(_INFO, {"session": made.id}).first()
    if found is None:
        row = {**asdict(made), "search": folded(made.title)}
        connection.execute(insert(SESSIONS).values(row))
    elif SessionInfo(*found) != made:  # else the connection broke when we had made it
        raise taken(made.id)
