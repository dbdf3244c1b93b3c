"""Stores in a database; needs the extra ``sql``, and ``postgres`` for PostgreSQL."""

from .store import SqlStore

__all__ = ["SqlStore"]
