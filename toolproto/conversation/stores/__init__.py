"""Where sessions are kept: in memory, in a SQLite file, in PostgreSQL.

``SqlStore`` is imported when it is first asked for, and SQLAlchemy with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .base import Record, SessionInfo, Store
from .memory import MemoryStore
from .opening import open_store, sql_store

if TYPE_CHECKING:
    from .sql import SqlStore

__all__ = ["MemoryStore", "Record", "SessionInfo", "SqlStore", "Store", "open_store"]


def __getattr__(name: str) -> Any:
    if name != "SqlStore":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return sql_store()
