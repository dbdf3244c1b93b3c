"""What a turn costs a worker and its database: statements, transactions, bytes, time.

``python benchmarks/workers.py [--turns 200] [--workers 1]``

Every turn is taken from the queue by a worker, calls one tool and answers, as a model would that
takes no time: 300 characters of question, 400 of result, 600 of answer. The server is a PostgreSQL
of its own, which logs its statements; bytes are those of its write-ahead log, and of its tables
with their indexes. With more workers, turns a second are printed for each number up to that.
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
from pathlib import Path

import psycopg

if __name__ == "__main__":  # run from a checkout, installed or not
    sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.conversation.stores.postgres_server import PostgresServer
from toolproto import ChatSession, tool
from toolproto.conversation.session.worker import SessionWorker
from toolproto.conversation.stores.sql.queue import TurnQueue
from toolproto.conversation.stores.sql.store import SqlStore
from toolproto.endpoints.recorded.scripted import ScriptedEndpoint

CALL = '<tool_code>{"name": "look_up", "arguments": {"topic": "weather"}}</tool_code>'
_SIZES = """\
SELECT pg_total_relation_size('toolproto_records'), pg_total_relation_size('toolproto_sessions'),
    pg_total_relation_size('toolproto_due'), pg_current_wal_lsn() - '0/0'::pg_lsn,
    (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database())"""


@tool(risk="read")
def look_up(topic: str) -> str:
    """Look a topic up."""
    return "It is so. " * 40


def opened(store: SqlStore, id: str) -> ChatSession:
    endpoint = ScriptedEndpoint(CALL, "That is how it stands. " * 26)
    return ChatSession(endpoint, "xml_tag", [look_up], store=store, id=id)


def measured(server: PostgresServer, turns: int) -> None:
    """Print what one turn costs."""
    url = server.url()
    store, queue = SqlStore(url), TurnQueue(url)
    worker = SessionWorker(queue, lambda id: opened(store, id))
    for number in range(turns + 5):
        queue.put(f"s{number % (turns // 4 + 1)}", "How does it stand? " * 16)
    for _ in range(5):
        worker.take_one()
    log = server._folder / "log"
    with psycopg.connect(url, autocommit=True) as watcher:
        watcher.execute("ALTER SYSTEM SET log_statement TO 'all'")
        watcher.execute("SELECT pg_reload_conf()")
        time.sleep(0.5)
        before, lines = watcher.execute(_SIZES).fetchone(), _statements(log)
        busy, began = time.process_time(), time.perf_counter()
        for _ in range(turns):
            assert worker.take_one()
        busy, took = time.process_time() - busy, time.perf_counter() - began
        time.sleep(1.1)  # the server tells of transactions once a second
        after, ran = watcher.execute(_SIZES).fetchone(), _statements(log) - lines - 1
        watcher.execute("ALTER SYSTEM RESET log_statement")
        watcher.execute("SELECT pg_reload_conf()")
    assert before and after
    records, sessions, due, wal, commits = (
        (then - now) / turns for now, then in zip(before, after, strict=True)
    )
    print(f"statements a turn       {ran / turns:8.1f}   (BEGIN, COMMIT and SET among them)")
    print(f"transactions a turn     {commits:8.1f}")
    print(f"write-ahead log a turn  {wal:8,.0f} bytes")
    print(f"records a turn          {records:8,.0f} bytes, indexes among them")
    print(f"sessions, due a turn    {sessions:8,.0f} and {due:,.0f} bytes")
    print(
        f"worker's time a turn    {busy / turns * 1000:8.2f} ms, {took / turns * 1000:.1f} in all"
    )
    store.close()
    queue.close()


def _statements(log: Path) -> int:
    text = log.read_text(errors="replace")
    return text.count("LOG:  statement:") + text.count("LOG:  execute ")


def growth(server: PostgresServer, turns: int, workers: int) -> None:
    """Print turns a second for one worker, two and so on; a model talks for 50 ms each time."""
    url = server.url()

    def slow(request: object) -> str:
        time.sleep(0.05)
        return "Hello."

    store, queue = SqlStore(url), TurnQueue(url)
    for number in range(1, workers + 1):
        for turn in range(turns):
            queue.put(f"g{number}-{turn}", "Hello?")
        stop, began = threading.Event(), time.perf_counter()
        make = lambda id: ChatSession(ScriptedEndpoint(slow), "xml_tag", store=store, id=id)  # noqa: E731
        threads = [
            threading.Thread(target=SessionWorker(queue, make).work, args=(stop,))
            for _ in range(number)
        ]
        for thread in threads:
            thread.start()
        while queue.figures().due:
            time.sleep(0.02)
        took = time.perf_counter() - began
        stop.set()
        for thread in threads:
            thread.join()
        print(f"{number} workers: {turns / took:6.1f} turns a second")
    store.close()
    queue.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--workers", type=int, default=1)
    asked = parser.parse_args()
    server = PostgresServer()
    try:
        measured(server, asked.turns)
        if asked.workers > 1:
            growth(server, asked.turns // 2, asked.workers)
    finally:
        server.remove()


if __name__ == "__main__":
    main()
