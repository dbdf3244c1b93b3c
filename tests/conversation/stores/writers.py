"""Writers in processes of their own."""

from __future__ import annotations

import multiprocessing
from multiprocessing.connection import Connection

from tests.conversation.stores.cases import said
from toolproto.conversation.stores import open_store
from toolproto.protocol.errors import SessionConflict

#: Forks from a process that has nothing open, and has imported everything.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(
    ["toolproto.conversation.stores.sql", "tests.conversation.stores.cases"]
)


def compete(url: str, name: str, report: Connection) -> None:
    """Append to session 'one' until it has 100 records; report how many times it was told off."""
    store = open_store(url)
    report.send("ready")
    report.recv()
    won = lost = 0
    while (at := store.info("one").records) < 100:
        try:
            store.append("one", [said(f"{name} {at} {n}") for n in range(2)], at, durable=False)
            won += 1
        except SessionConflict:
            lost += 1
    report.send((won, lost))
    store.close()


def write_on(url: str, at: int, report: Connection) -> None:
    """Append to session 'one' for ever, two records at a time, and report each that is in."""
    store = open_store(url)
    while True:
        try:
            store.append("one", [said(f"{at + n}") for n in range(2)], at, durable=at % 10 == 0)
        except SessionConflict:
            # A server may still be about what the writer before, who was killed, had asked for.
            at = store.info("one").records
        else:
            at += 2
            report.send(at)
