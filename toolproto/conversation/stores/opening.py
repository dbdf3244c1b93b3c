"""A store from its address."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ...package import install_command
from ...protocol.errors import UsageError
from .base import Store
from .memory import MemoryStore

if TYPE_CHECKING:
    from .sql import SqlStore

__all__ = ["open_store", "sql_store"]

_DATABASES = ("sqlite", "postgres", "mysql", "mariadb", "oracle", "mssql", "memory")


def open_store(store: str | Path | Store) -> Store:
    """The store at a path or URL: ``memory:``, ``sqlite:///sessions.db``, ``postgresql://…``.

    A path (``"chats.db"`` too) is SQLite's; what is a store already is returned as it is.
    """
    if store == "memory:":
        return MemoryStore()
    if isinstance(store, str):
        return sql_store()(store if _is_url(store) else Path(store))
    if isinstance(store, Path):
        return sql_store()(store)
    if isinstance(store, type) or not isinstance(store, Store):
        raise UsageError(f"{store!r} is not a store; expected a store, a path or a URL")
    return store


def _is_url(store: str) -> bool:
    """Whether *store* means a URL, if only a wrong one: ``sqlite:chats.db`` is no file."""
    scheme, colon, _ = store.casefold().partition(":")
    is_named = scheme.startswith(_DATABASES) if colon else scheme in _DATABASES
    return is_named or "://" in store or "\0" in store or not store.strip()


def sql_store() -> type[SqlStore]:
    """The class, or a UsageError that says what to install."""
    try:
        from .sql import SqlStore
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "sqlalchemy":
            raise
    else:
        return SqlStore
    raise UsageError(f"a store in a database needs SQLAlchemy: {install_command('sql')}")
