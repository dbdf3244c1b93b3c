"""Work done in a database: in transactions, again where that helps, with our own errors.

What SQLite and PostgreSQL do each in its own way is in the modules named after them.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum, auto
from itertools import count
from time import monotonic
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Connection, Engine, event
from sqlalchemy.engine.interfaces import DBAPICursor
from sqlalchemy.exc import DBAPIError, DisconnectionError, SQLAlchemyError
from sqlalchemy.sql import ClauseElement

from ....protocol.errors import StoreError
from .migrations import Step, upgrade, version_of

__all__ = ["Database", "Purpose", "cursor_of"]

T = TypeVar("T")


class Purpose(Enum):
    """What a transaction is for."""

    READ = auto()
    WRITE = auto()
    #: Write, and wait until it is on the disk.
    KEEP = auto()
    #: Change a setting, which some databases do outside of transactions only.
    SET = auto()


#: Connections a process inherited by forking. They are its parent's; even closing one would harm.
_INHERITED: list[Any] = []


class Database(ABC):
    """Where the tables are. *place* is how it is called in errors; *secrets* never are."""

    def __init__(self, engine: Engine, place: str, secrets: tuple[str, ...] = ()) -> None:
        self.place = place
        self._secrets = secrets
        self._engine = engine
        event.listen(engine, "connect", _note_process)
        event.listen(engine, "checkout", _refuse_inherited)

    def read(self, work: Callable[[Connection], T]) -> T:
        """What *work* gives, done in one transaction that only reads."""
        return self._run(Purpose.READ, work)

    def write(self, work: Callable[[Connection], T], *, durable: bool = False) -> T:
        """What *work* gives, done in one transaction.

        If the connection broke, *work* is done again, and may find that it had been done.
        """
        return self._run(Purpose.KEEP if durable else Purpose.WRITE, work)

    def compiled(self, statement: ClauseElement) -> str:
        """*statement* for :func:`cursor_of`."""
        return str(statement.compile(dialect=self._engine.dialect))

    def prepare(self, steps: tuple[Step, ...]) -> None:
        """Have the tables as *steps* make them; a newer version is refused, and left alone."""
        version = self.read(lambda connection: version_of(connection, len(steps)))
        self.adopt()
        if version < len(steps):
            self.write(lambda connection: self._upgrade(connection, steps), durable=True)

    def close(self) -> None:
        """Close the connections that are not in use."""
        self._engine.dispose()

    @abstractmethod
    def adopt(self) -> None:
        """See that the database is fit to be written to; its version is known not to be newer."""

    @abstractmethod
    def begin(self, connection: Connection, purpose: Purpose) -> None:
        """Make the transaction of *connection*, in which nothing was done yet, fit its purpose."""

    @abstractmethod
    def lock_tables(self, connection: Connection) -> None:
        """Let nobody else change the tables until the transaction ends."""

    @abstractmethod
    def holds(self, column: ColumnElement[str], needle: str) -> ColumnElement[bool]:
        """Whether *column* has *needle* in it, letter by letter."""

    @abstractmethod
    def may_succeed(self, error: DBAPIError, attempt: int, waited: float) -> bool:
        """Whether to try again what failed so at the *attempt*-th time, after so many seconds."""

    def _upgrade(self, connection: Connection, steps: tuple[Step, ...]) -> None:
        self.lock_tables(connection)
        upgrade(connection, steps)

    def _run(self, purpose: Purpose, work: Callable[[Connection], T]) -> T:
        lost, start = "", monotonic()
        for attempt in count(1):
            try:
                with self._engine.begin() as connection, self._wrapping(connection):
                    self.begin(connection, purpose)
                    return work(connection)
            except DBAPIError as error:
                failure = self._translated(error.orig, lost)
                if not self.may_succeed(error, attempt, monotonic() - start):
                    break
                if error.connection_invalidated and purpose is not Purpose.READ:
                    lost = "; it is not known whether the last change was made"
            except SQLAlchemyError as error:
                failure = self._translated(error, lost)
                break
            except UnicodeDecodeError as error:  # in what SQLite says of its own tables
                failure = StoreError(f"{self.place} is damaged: {error}")
                break
        # Out here, so that nobody finds SQLAlchemy's error in it: that holds what was written.
        raise failure

    @contextmanager
    def _wrapping(self, connection: Connection) -> Iterator[None]:
        """Treat the driver's errors, which :func:`cursor_of` lets through, as SQLAlchemy does."""
        try:
            yield
        except self._engine.dialect.loaded_dbapi.Error as error:
            gone = self._engine.dialect.is_disconnect(error, connection.connection, None)
            if gone:
                connection.invalidate(error)
                self._engine.dispose()  # the others are no better
            raise DBAPIError(None, None, error, connection_invalidated=gone) from None

    def _translated(self, error: BaseException | None, lost: str) -> StoreError:
        diagnosis = getattr(error, "diag", None)  # PostgreSQL's, whose details quote rows
        words = getattr(diagnosis, "message_primary", None) or str(error)
        for secret in self._secrets:
            words = words.replace(secret, "***")
        return StoreError(f"{self.place}: {' '.join(words.split())[:300]}{lost}")


def cursor_of(connection: Connection) -> DBAPICursor:
    """The driver's own: to run a short statement takes a third of the time with it."""
    return connection.connection.cursor()


def _note_process(connection: Any, record: Any) -> None:
    record.info["process"] = os.getpid()


def _refuse_inherited(connection: Any, record: Any, proxy: Any) -> None:
    if record.info["process"] != os.getpid():
        _INHERITED.append(record.dbapi_connection)
        record.dbapi_connection = proxy.dbapi_connection = None
        raise DisconnectionError("the connection was opened before this process was forked")
