"""Writes the frozen file of the present version.

Run ``python -m tests.conversation.stores.sql.frozen.make``.

Run once for each version, by whoever makes it. A file that was published is never written again.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from tests.conversation.stores.cases import TEXTS, VALUES, said
from toolproto.conversation.stores import Record, SqlStore
from toolproto.conversation.stores.sql.migrations import STEPS

FOLDER = Path(__file__).parent


def main() -> None:
    path = FOLDER / f"version_{len(STEPS)}.db"
    if path.exists():
        raise SystemExit(f"{path.name} is published")
    store = SqlStore(path)
    store.create("texts", "Every kind of text, ÄÖÜ")
    store.append("texts", [said(text) for text in TEXTS.values()], 0, durable=True)
    store.create("values", "Every kind of value")
    values = [Record("value", value) for value in VALUES.values()]
    store.append("values", values, 0, durable=True)
    store.create("empty")
    store.close()
    path.with_suffix(".sql").write_text("\n".join(statements(path)) + "\n", encoding="utf-8")


def statements(path: Path) -> list[str]:
    """The same for PostgreSQL: what makes the tables, those that others refer to first."""
    connection = sqlite3.connect(path)
    _begin, *found, _commit = connection.iterdump()
    connection.close()
    records = ("CREATE TABLE toolproto_records", 'INSERT INTO "toolproto_records"')
    return sorted(found, key=lambda statement: statement.startswith(records))


if __name__ == "__main__":
    main()
