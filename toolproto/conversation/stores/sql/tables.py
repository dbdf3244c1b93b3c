"""The tables of a store, as they are now. How they came to be is in ``versions``."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Double, MetaData, Table, Text

__all__ = ["RECORDS", "SESSIONS", "VERSION"]

_METADATA = MetaData()

#: One row: the version of all of this.
VERSION = Table(
    "toolproto_version",
    _METADATA,
    Column("version", BigInteger, nullable=False),
)

SESSIONS = Table(
    "toolproto_sessions",
    _METADATA,
    Column("id", Text, primary_key=True),
    Column("title", Text, nullable=False),
    Column("search", Text, nullable=False),
    Column("created", Double, nullable=False),
    Column("updated", Double, nullable=False),
    Column("records", BigInteger, nullable=False),
    Column("workspace", Text, nullable=False),
)

#: ``search`` is the text of ``data`` as the store's search reads it: the databases themselves do
#: not agree on the case of letters. ``token`` is another random number for each append, by which
#: a writer who lost the connection in a commit finds out whether his records are in.
RECORDS = Table(
    "toolproto_records",
    _METADATA,
    Column("session", Text, primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("kind", Text, nullable=False),
    Column("data", Text, nullable=False),
    Column("search", Text, nullable=False),
    Column("token", BigInteger, nullable=False),
)
