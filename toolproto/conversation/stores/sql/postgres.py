"""PostgreSQL: one server, any number of machines."""

from __future__ import annotations

from typing import Any

from sqlalchemy import URL, ColumnElement, Connection, create_engine, event, func
from sqlalchemy.exc import ArgumentError, DBAPIError

from ....package import install_command
from ....protocol.errors import StoreError, UsageError
from .database import Database, Purpose, cursor_of

__all__ = ["PostgresDatabase"]

_DRIVER = "postgresql+psycopg"
#: A server that cannot be reached is noticed after so long; what the URL says goes first.
_NOTICED = {"connect_timeout": "10", "tcp_user_timeout": "30000", "application_name": "toolproto"}
#: A writer whose machine is gone holds its session no longer than this. Most writes need not be
#: durable, so that it is for those that must be to say so.
_SETTINGS = """
    SET lock_timeout = '10s';
    SET idle_in_transaction_session_timeout = '30s';
    SET synchronous_commit = off
"""
#: Any number, as long as nobody else who shares the database takes the same.
_LOCK = 0x746F6F6C70726F74
#: serialization_failure, deadlock_detected: the server asks to try again. unique_violation: two
#: made the same session at once; the second attempt sees it.
_AGAIN = {"40001", "40P01", "23505"}
_ATTEMPTS = 5


class PostgresDatabase(Database):
    """Tables in a database of its own or shared: their names begin with ``toolproto_``.

    A write that need not be durable is with the server when it is done, and safe from whatever
    happens to us; a crash of the server itself may lose those of its last moments.
    """

    def __init__(self, url: URL) -> None:
        missing = {name: value for name, value in _NOTICED.items() if name not in url.query}
        place = f"postgresql://{url.host or ''}/{url.database or ''}"
        try:
            engine = create_engine(
                url.set(drivername=_DRIVER).update_query_dict(missing), hide_parameters=True
            )
        except ModuleNotFoundError:
            raise UsageError(f"PostgreSQL needs psycopg: {install_command('postgres')}") from None
        except (ArgumentError, ValueError):
            raise UsageError(f"{place} is not a complete PostgreSQL URL") from None
        event.listen(engine, "connect", _configure)
        super().__init__(engine, place, _secrets(url))

    def adopt(self) -> None:
        """Refuse a database that cannot hold every character."""
        encoding = self.read(
            lambda connection: connection.scalar(func.current_setting("server_encoding").select())
        )
        if encoding != "UTF8":
            raise StoreError(f"{self.place}: the database's encoding is {encoding!r}, not 'UTF8'")

    def begin(self, connection: Connection, purpose: Purpose) -> None:
        """Begin: only one that must be durable waits for the server's disk, as it is set up to."""
        if purpose is Purpose.KEEP:
            cursor_of(connection).execute("SET LOCAL synchronous_commit TO DEFAULT")

    def lock_tables(self, connection: Connection) -> None:
        """Wait for whoever else is just making them."""
        connection.execute(func.pg_advisory_xact_lock(_LOCK).select())

    def holds(self, column: ColumnElement[str], needle: str) -> ColumnElement[bool]:
        """Whether *column* has *needle* in it."""
        return func.strpos(column, needle) > 0

    def may_succeed(self, error: DBAPIError, attempt: int, waited: float) -> bool:
        """Whether the server asks to try again, or a connection it had closed was used."""
        if error.connection_invalidated:
            return attempt == 1
        return getattr(error.orig, "sqlstate", None) in _AGAIN and attempt < _ATTEMPTS


def _configure(connection: Any, record: Any) -> None:
    connection.execute(_SETTINGS)
    connection.commit()


def _secrets(url: URL) -> tuple[str, ...]:
    """What must not be shown: passwords, wherever the URL has them."""
    values = (url.password, url.query.get("password"), url.query.get("sslpassword"))
    return tuple(str(value) for value in values if value)
