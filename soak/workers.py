"""Workers that share the turns of many sessions, and are killed all the time.

    python -m soak.workers [--sessions 500] [--turns 2] [--workers 4] [--kills 100] [--rate 25]

*rate* turns come in a second. Each is a call of a tool that must not run twice, and an answer; a
model talks for some milliseconds, one in twenty times for longer than a lease. While the workers
are at it they are killed one after the other, and others started. In the end every turn has to be
there once, in order, and no tool may have run twice. Meanwhile the server is asked for transactions
that have been open for a second: one that was open while a model talked would be among them. Prints
what was found, and exits with 1 if anything broke.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from signal import SIGKILL
from zlib import crc32

import psycopg

from tests.conversation.stores.postgres_server import PostgresServer
from toolproto import ChatSession, Tool, tool
from toolproto.conversation.session.worker import SessionWorker
from toolproto.conversation.stores.sql.queue import TurnQueue
from toolproto.conversation.stores.sql.store import SqlStore
from toolproto.endpoints.recorded.scripted import ScriptedEndpoint
from toolproto.protocol.messages import ChatRequest

from .forking import ended, forked
from .server import closing_server

#: Seconds that a model talks, mostly and now and then, and that a worker may be silent before it
#: counts as dead.
TALK, LONG_TALK, LEASE = 0.02, 1.5, 1.0
#: Transactions of ours: how many have been open for a second, and the longest that one was, in ms.
_OPEN = """\
SELECT count(*) FILTER (WHERE open > 1), coalesce(max(open), 0) * 1000 FROM (
    SELECT extract(epoch FROM clock_timestamp() - xact_start)::float AS open
    FROM pg_stat_activity WHERE application_name = 'toolproto' AND xact_start IS NOT NULL)"""


def noting(folder: Path) -> Tool:
    """A tool that leaves a line for each time it ran."""

    @tool(risk="read")
    def note(text: str) -> str:
        """Write it down."""
        line = os.open(folder / "notes", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.write(line, f"{text}\n".encode())
        os.close(line)
        return "noted"

    return note


def talking(request: ChatRequest) -> str:
    """What the model says: the call that was asked for, or that it is done."""
    said = request.messages[-1].content
    time.sleep(TALK if crc32(said.encode()) % 20 else LONG_TALK)
    if not said.startswith("note "):
        return "Done."
    text = said.removeprefix("note ")
    return f'<tool_code>{{"name": "note", "arguments": {{"text": "{text}"}}}}</tool_code>'


def worker(url: str, folder: Path) -> int:
    """A worker's whole life."""
    store, queue, note = SqlStore(url), TurnQueue(url, lease=LEASE), noting(folder)

    def opened(id: str) -> ChatSession:
        replies = [talking] * 10
        return ChatSession(ScriptedEndpoint(*replies), "xml_tag", [note], store=store, id=id)

    SessionWorker(queue, opened).work(threading.Event())
    return 0


def put_all(url: str, asked: argparse.Namespace) -> None:
    """Have the turns come, some in a second."""
    queue = TurnQueue(url)
    for turn in range(asked.turns):
        for session in range(asked.sessions):
            queue.put(f"s{session}", f"note {session}.{turn}")
            time.sleep(1 / asked.rate)
    queue.close()


def kill_workers(url: str, folder: Path, asked: argparse.Namespace) -> tuple[int, int]:
    """Have the turns done; how many workers were killed, and transactions seen open too long."""
    dice, queue = random.Random(asked.seed), TurnQueue(url)
    start = lambda: forked(lambda: worker(url, folder))  # noqa: E731
    alive, kills, held, longest, looks = [start() for _ in range(asked.workers)], 0, 0, 0.0, 0
    coming = threading.Thread(target=put_all, args=(url, asked))
    coming.start()
    with psycopg.connect(url, autocommit=True, application_name="watcher") as watcher:
        while coming.is_alive() or queue.figures().due:
            time.sleep(dice.uniform(0.05, 0.4))
            found, open_for = watcher.execute(_OPEN).fetchone()  # type: ignore[misc]
            held, longest, looks = held + found, max(longest, open_for), looks + 1
            if kills < asked.kills:
                victim = alive.pop(dice.randrange(len(alive)))
                kills += ended(victim, 0.001) == -SIGKILL
                alive.append(start())
    for each in alive:
        ended(each, 0.001)
    print(queue.figures())
    print(f"the longest transaction was open for {longest:.0f} ms, seen in {looks} looks")
    queue.close()
    return kills, held


def faults(url: str, folder: Path, asked: argparse.Namespace) -> Iterator[str]:
    """What is not as it should be."""
    notes = Counter((folder / "notes").read_text().splitlines())
    yield from (f"{text} was noted {times} times" for text, times in notes.items() if times > 1)
    store = SqlStore(url)
    unknown = 0
    for number in range(asked.sessions):
        session = ChatSession(ScriptedEndpoint(), "xml_tag", store=store, id=f"s{number}")
        said = [m.content for m in session.messages if m.role == "user" and not m.results]
        due = [f"note {number}.{turn}" for turn in range(asked.turns)]
        if said != due or session.interrupted:
            yield f"session {number} has {said}, interrupted: {session.interrupted}"
        unknown += sum(f"{number}.{turn}" not in notes for turn in range(asked.turns))
        records = store.read(f"s{number}")
        ends = [record for record in records if record.kind == "ended"]
        if len(ends) != asked.turns:
            yield f"session {number}: {len(ends)} turns ended"
    print(f"{unknown} calls were started and not run: a worker died between the two")
    store.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    for name, usual in (
        ("sessions", 500),
        ("turns", 2),
        ("workers", 4),
        ("kills", 100),
        ("rate", 25),
    ):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    with (
        closing_server(PostgresServer()) as url,
        tempfile.TemporaryDirectory(prefix="toolproto-workers-") as name,
    ):
        folder, began = Path(name), time.monotonic()
        kills, held = kill_workers(url, folder, asked)
        print(f"{kills} workers killed in {time.monotonic() - began:.0f} s")
        print(f"transactions found open for more than a second: {held}")
        found = [*faults(url, folder, asked)]
    for fault in found:
        print(fault)
    print(f"{asked.sessions * asked.turns} turns, {len(found)} faults")
    return bool(found or held or kills < asked.kills)


if __name__ == "__main__":
    sys.exit(main())
