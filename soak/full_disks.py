"""Disks that are full, and then have room again.

For SQLite the process may not make files longer than they are, so that a write ends in the middle
of a page. A file system of PostgreSQL's own could only be filled by root, so there a trigger says
what the server says when it cannot extend a table (``53100``, ``disk_full``).
"""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["full_disk", "prepare_to_be_full"]

#: What is noted outside the store is in files that are shorter than this.
_ROOM = 16_384
_TRIGGER = """
    CREATE OR REPLACE FUNCTION toolproto_soak_full() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF current_setting('soak.disk', true) = 'full' THEN
            RAISE EXCEPTION 'could not extend file: No space left on device'
                USING ERRCODE = 'disk_full';
        END IF;
        RETURN NULL;
    END $$;
    CREATE OR REPLACE TRIGGER toolproto_soak_full AFTER INSERT ON toolproto_records
        FOR EACH STATEMENT EXECUTE FUNCTION toolproto_soak_full();
"""


def prepare_to_be_full(url: str) -> None:
    """Let the server at *url*, which has the tables of a store, be one whose disk can be full."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(_TRIGGER)


@contextmanager
def full_disk(url: str) -> Iterator[None]:
    """Let writes to the store at *url* fail in this process for as long as the context lasts."""
    with _full_file(Path(url.removeprefix("sqlite:///"))) if _is_file(url) else _full_server():
        yield


def _is_file(url: str) -> bool:
    return url.startswith("sqlite")


@contextmanager
def _full_file(path: Path) -> Iterator[None]:
    log = path.with_name(f"{path.name}-wal")
    length = log.stat().st_size if log.exists() else 0
    before, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (max(_ROOM, length + 1_000), most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (before, most))


@contextmanager
def _full_server() -> Iterator[None]:
    from sqlalchemy import Engine, event

    def fill(connection: Any, record: Any, proxy: Any) -> None:
        connection.execute("SET LOCAL soak.disk = 'full'")  # until the transaction ends

    event.listen(Engine, "checkout", fill)
    try:
        yield
    finally:
        event.remove(Engine, "checkout", fill)
