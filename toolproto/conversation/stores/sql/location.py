"""Which database a URL means."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from ....protocol.errors import UsageError
from .database import Database
from .postgres import PostgresDatabase
from .sqlite import SqliteDatabase

__all__ = ["located"]

_EXPECTED = "a path, 'sqlite:///sessions.db' or 'postgresql://user:password@host/database'"


def located(url: str | Path) -> Database:
    """The database at *url*; a UsageError, which does not repeat it, if that is none."""
    if isinstance(url, Path):
        return SqliteDatabase(url)
    parts = _parts(url)
    match parts.drivername:
        case "sqlite" | "sqlite+pysqlite":
            return SqliteDatabase(_file(parts))
        case "postgresql" | "postgres" | "postgresql+psycopg":
            return PostgresDatabase(parts)
        case other:
            raise UsageError(f"no store can be kept in {other!r}; expected {_EXPECTED}")


def _parts(url: str) -> URL:
    try:
        return make_url(url)
    except (ArgumentError, ValueError):
        pass
    raise UsageError(f"that is not the URL of a database; expected {_EXPECTED}")


def _file(url: URL) -> Path:
    if url.database in (None, "", ":memory:") or url.query:
        raise UsageError(
            "SQLite needs a file and no options, as in 'sqlite:///sessions.db'; "
            "for a store that need not last use 'memory:'"
        )
    return Path(url.database)
