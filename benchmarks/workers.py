"""What a turn costs workers and their database, and how soon a message is answered.

``python benchmarks/workers.py [--turns 200] [--sessions 500]``

A worker with four threads takes turns that each call one tool and answer, as a model would that
takes no time: 300 characters of question, 400 of result, 600 of answer. Beside it the same turns
run in four threads without a queue, so that the difference is what the queue costs. Then messages
come one by one to *sessions* sessions, each of which has a turn already, and the time is taken from
the message until the model is asked. The server is a PostgreSQL of its own, which counts its
statements; bytes are those of its write-ahead log, and of its tables with their indexes.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import psycopg

if __name__ == "__main__":  # run from a checkout, installed or not
    sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.conversation.stores.postgres_server import PostgresServer
from toolproto import ChatSession, tool
from toolproto.conversation.session.workers import SessionWorkers
from toolproto.conversation.stores.sql.store import SqlStore
from toolproto.endpoints.recorded.scripted import ScriptedEndpoint

CALL = '<tool_code>{"name": "look_up", "arguments": {"topic": "weather"}}</tool_code>'
QUESTION, ANSWER = "How does it stand? " * 16, "That is how it stands. " * 26
THREADS = 4
_SIZES = """\
SELECT pg_total_relation_size('toolproto_records'), pg_current_wal_lsn() - '0/0'::pg_lsn,
    (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database())"""
_DUE = "SELECT count(*) FROM procrastinate_jobs WHERE status IN ('todo', 'doing')"


@tool(risk="read")
def look_up(topic: str) -> str:
    """Look a topic up."""
    return "It is so. " * 40


def opened(store: SqlStore, id: str) -> ChatSession:
    return ChatSession(ScriptedEndpoint(CALL, ANSWER), "xml_tag", [look_up], store=store, id=id)


@contextmanager
def working(url: str, opened: Callable[[str], ChatSession]) -> Iterator[None]:
    """A worker in a thread of this process."""
    workers = SessionWorkers(url, opened)
    thread = threading.Thread(target=workers.work, args=(THREADS,))
    thread.start()
    yield
    workers.stop()
    thread.join()
    workers.close()


def queued(server: PostgresServer, turns: int) -> float:
    """Print what one turn costs, and give turns a second."""
    url, log = server.url(), server._folder / "log"
    store, queue = SqlStore(url), SessionWorkers(url)
    queue.prepare()
    for number in range(turns):
        queue.send(f"s{number % (turns // 4 + 1)}", QUESTION)
    with psycopg.connect(url, autocommit=True) as watcher:
        watcher.execute("ALTER SYSTEM SET log_statement TO 'all'")
        watcher.execute("SELECT pg_reload_conf()")
        time.sleep(0.5)
        before, lines = watcher.execute(_SIZES).fetchone(), _statements(log)
        busy, began = time.process_time(), time.perf_counter()
        with working(url, lambda id: opened(store, id)):
            looks = 0
            while watcher.execute(_DUE).fetchone() != (0,):
                time.sleep(0.02)
                looks += 1
            took, busy = time.perf_counter() - began, time.process_time() - busy
        time.sleep(1.1)  # the server tells of transactions once a second
        after, ran = watcher.execute(_SIZES).fetchone(), _statements(log) - lines - looks - 2
        watcher.execute("ALTER SYSTEM RESET log_statement")
        watcher.execute("SELECT pg_reload_conf()")
    assert before and after
    records, wal, commits = ((then - now) / turns for now, then in zip(before, after, strict=True))
    print(f"statements a turn       {ran / turns:8.1f}   (BEGIN, COMMIT and SET among them)")
    print(f"transactions a turn     {commits - looks / turns:8.1f}")
    print(f"write-ahead log a turn  {wal:8,.0f} bytes")
    print(f"records a turn          {records:8,.0f} bytes, indexes among them")
    print(f"worker's CPU a turn     {busy / turns * 1000:8.2f} ms")
    store.close()
    queue.close()
    return turns / took


def unqueued(server: PostgresServer, turns: int) -> float:
    """Turns a second of the same threads, which need no queue to know what is due."""
    store = SqlStore(server.url())
    began = time.perf_counter()
    with ThreadPoolExecutor(THREADS) as threads:
        for number in range(THREADS):
            threads.submit(_in_turn, store, range(number, turns, THREADS))
    took = time.perf_counter() - began
    store.close()
    return turns / took


def _in_turn(store: SqlStore, numbers: range) -> None:
    for number in numbers:
        opened(store, f"u{number}").send(QUESTION)


def waits(server: PostgresServer, sessions: int, messages: int) -> list[float]:
    """Milliseconds from a message until the model is asked, for messages that come one by one."""
    url, asked, heard = server.url(), threading.Event(), list[float]()
    store, queue = SqlStore(url), SessionWorkers(url)
    for number in range(sessions):
        opened(store, f"open{number}").send("Hello?")

    def answers(request: object) -> str:
        heard.append(time.perf_counter())
        asked.set()
        return "Hello."

    def answering(id: str) -> ChatSession:
        return ChatSession(ScriptedEndpoint(answers), "xml_tag", [look_up], store=store, id=id)

    found, dice = [], random.Random(1)
    with working(url, answering):
        for number in range(messages + 5):
            asked.clear()
            time.sleep(dice.uniform(0.05, 0.15))
            began = time.perf_counter()
            queue.send(f"open{dice.randrange(sessions)}", "And now?")
            assert asked.wait(60)
            found += [1000 * (heard[-1] - began)] * (number >= 5)
    store.close()
    queue.close()
    return found


def _statements(log: Path) -> int:
    text = log.read_text(errors="replace")
    return text.count("LOG:  statement:") + text.count("LOG:  execute ")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--sessions", type=int, default=500)
    asked = parser.parse_args()
    server = PostgresServer()
    try:
        rate, plain = queued(server, asked.turns), unqueued(server, asked.turns)
        print(f"turns a second          {rate:8.1f}   ({plain:.1f} without a queue)")
        found = sorted(waits(server, asked.sessions, 100))
        p95 = found[len(found) * 95 // 100]
        print(f"message to request      {statistics.median(found):8.1f} ms, 95 % within {p95:.1f}")
    finally:
        server.remove()


if __name__ == "__main__":
    main()
