"""Workers that share the turns of many sessions, and are killed all the time.

    python -m soak.workers [--sessions 500] [--turns 4] [--workers 4] [--kills 1000] [--rate 2]

*rate* messages come in a second, also while turns of the same session run. Each is a call of a tool
that must not run twice, and an answer; a model talks for some milliseconds, one in twenty times for
as long as a lease, and one in two hundred times for four leases. One message in ten is sent twice,
as by a client that lost its answer, and one session in twenty ends with a call that is allowed only
when everything else is over, twice. Meanwhile workers are killed at random moments, one in ten of
them is stopped for longer than a lease and lives on, and the database restarts. In the end every
turn has to be there once, in order, and no tool may have run twice. All the while the server is
asked for transactions that are open for nearly as long as a model talks at most: one that was open
while a model talked would be among them. Prints what was found, and exits with 1 if anything broke.
"""

from __future__ import annotations

import argparse
import logging
import multiprocessing
import os
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from multiprocessing.process import BaseProcess
from pathlib import Path
from signal import SIGCONT, SIGKILL, SIGSTOP, SIGTERM
from typing import Any
from zlib import crc32

import psycopg

from tests.conversation.stores.postgres_server import PostgresServer
from toolproto import Allow, ChatSession, Defer, Tool, tool
from toolproto.conversation.deciding.approvals import ApprovalRequest, Decision
from toolproto.conversation.session.workers import SessionWorkers
from toolproto.conversation.stores.sql.store import SqlStore
from toolproto.endpoints.recorded.scripted import ScriptedEndpoint
from toolproto.protocol.errors import StoreError
from toolproto.protocol.messages import ChatRequest

from .open_transactions import OpenTransactions
from .server import closing_server

#: Seconds that a model talks, mostly, now and then, and rarely, and that a worker may be silent.
TALK, LONG_TALK, LONGEST_TALK, LEASE = 0.02, 1.5, 6.0, 1.5
_DUE = "SELECT count(*) FROM procrastinate_jobs WHERE status IN ('todo', 'doing')"
_FAILED = "SELECT count(*), coalesce(sum(attempts), 0)::int FROM procrastinate_jobs"
_FORKED = multiprocessing.get_context("forkserver")
#: What workers would take longest to import.
_FORKED_WITH = (
    "toolproto.conversation.session.workers",
    "toolproto.conversation.stores.sql.store",
    "tests.conversation.stores.postgres_server",
)


def noting(folder: Path) -> Tool:
    """A tool that leaves a line for each time it ran."""

    @tool(risk="write")
    def note(text: str) -> str:
        """Write it down."""
        noted(folder / "notes", text)
        return "noted"

    return note


def noted(file: Path, text: str) -> None:
    """Add a line to *file*, at once."""
    line = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(line, f"{text}\n".encode())
    os.close(line)


def talking(request: ChatRequest) -> str:
    """What the model says: the call that was asked for, or that it is done."""
    said = request.messages[-1].content
    dice = crc32(said.encode()) % 200
    time.sleep(LONGEST_TALK if dice == 0 else LONG_TALK if dice < 10 else TALK)
    _, name, text = said.rpartition("note ")
    if not name:
        return "Done."
    return f'<tool_code>{{"name": "note", "arguments": {{"text": "{text}"}}}}</tool_code>'


def decided(request: ApprovalRequest) -> Decision:
    """What the approver says: a call of the last kind waits for somebody."""
    return Defer() if str(request.call.arguments["text"]).endswith("later") else Allow()


def worker(url: str, folder: Path) -> None:
    """A worker's whole life."""
    logging.disable()  # it is killed, and its database goes away: it has much to tell
    store, note = store_at(url), noting(folder)

    def opened(id: str) -> ChatSession:
        noted(folder / "opened", id)
        endpoint = ScriptedEndpoint(*[talking] * 10)
        return ChatSession(endpoint, "xml_tag", [note], approver=decided, store=store, id=id)

    SessionWorkers(url, opened, lease=LEASE).work(concurrency=4)


def store_at(url: str) -> SqlStore:
    """The store, once its server is there."""
    while True:
        with suppress(StoreError):
            return SqlStore(url)
        time.sleep(0.2)


def said(session: int, asked: argparse.Namespace) -> list[str]:
    """What is said to the session, in its order."""
    texts = [f"note {session}.{turn}" for turn in range(asked.turns)]
    return [*texts, f"note {session}.later"] if session % 20 == 0 else texts


class Clients:
    """Those who send messages, again if they are not sure that one arrived."""

    def __init__(self, url: str, asked: argparse.Namespace) -> None:
        self._queue, self._asked, self._dice = SessionWorkers(url), asked, random.Random(asked.seed)
        self._store = SqlStore(url)
        self.sent = 0

    def send_all(self) -> None:
        """Send every message, some in a second: to three sessions in turn, then to the next."""
        for first in range(0, self._asked.sessions, 3):
            those = range(first, min(first + 3, self._asked.sessions))
            for turn in range(self._asked.turns + 1):
                for session in those:
                    if turn < len(texts := said(session, self._asked)):
                        self._send(f"s{session}", f"m{turn}", texts[turn])
                        time.sleep(1 / self._asked.rate)

    def allow_all(self) -> None:
        """Allow what waits, a day later."""
        for number in range(0, self._asked.sessions, 20):
            session = ChatSession(ScriptedEndpoint(), "xml_tag", store=self._store, id=f"s{number}")
            verdicts = {request.call.id: Allow() for request in session.pending}
            for _ in range(2):
                self._until_sure(self._queue.resume, session.id, verdicts, "ok")

    def _send(self, session: str, id: str, text: str) -> None:
        for _ in range(1 if self._dice.random() > 0.1 else 2):
            self._until_sure(self._queue.send, session, text, id)

    def _until_sure(self, send: Callable[..., str], session: str, said: Any, id: str) -> None:
        while True:
            with suppress(StoreError):
                send(session, said, message_id=id)
                self.sent += 1
                return
            time.sleep(0.2)


class Killing:
    """Keeps some workers alive, kills one after the other, and looks at the server meanwhile."""

    def __init__(self, server: PostgresServer, folder: Path, asked: argparse.Namespace) -> None:
        self._server, self._url, self._folder, self._asked = server, server.url(), folder, asked
        self._dice = random.Random(asked.seed)
        self.alive = [self._start(f"worker {number}") for number in range(asked.workers)]
        self.kills = self.stops = self.restarts = 0
        # Nobody is stopped for as long as this, so those who are stopped are looked at as well.
        self.open, self._stopped_until = OpenTransactions(LONGEST_TALK * 900), 0.0

    def while_busy(self, coming: threading.Thread, kills: int) -> None:
        """Go on until nobody sends any more, and nothing is due; kill so many more meanwhile."""
        kills += self.kills
        coming.start()
        while self._look(coming) or self.kills < kills:
            wait = time.monotonic() + self._dice.uniform(0.1, 1.6)
            while time.monotonic() < wait and self._look(coming):
                time.sleep(0.05)
            if self.kills < kills:
                self._kill_one()
            if self.restarts < self._asked.restarts * (self.kills / self._asked.kills):
                self._server.stop()
                self._server.start()
                self.restarts += 1
        coming.join()

    def end(self) -> None:
        """Let the workers finish: they are told to, and have nothing to do."""
        for each in self.alive:
            each.terminate()
        for each in self.alive:
            each.join(20)
            # One that has only begun does not know yet how to end.
            assert each.exitcode in (0, -SIGTERM), f"a worker ended with {each.exitcode}"

    def _start(self, name: str) -> BaseProcess:
        given = (self._url, self._folder)
        process = _FORKED.Process(target=worker, args=given, name=name, daemon=True)
        process.start()
        return process

    def _kill_one(self) -> None:
        victim = self.alive.pop(self._dice.randrange(len(self.alive)))
        assert victim.pid is not None
        if self._dice.random() < 0.1:
            os.kill(victim.pid, SIGSTOP)
            threading.Timer(2.5 * LEASE, _continued, (victim.pid,)).start()
            self._stopped_until = time.monotonic() + 3 * LEASE
            self.alive.append(victim)
            self.stops += 1
            return
        assert victim.exitcode is None, f"a worker ended by itself, with {victim.exitcode}"
        os.kill(victim.pid, SIGKILL)
        victim.join()
        self.kills += 1
        self.alive.append(self._start(victim.name))

    def _look(self, coming: threading.Thread) -> bool:
        with psycopg.connect(self._url, autocommit=True, application_name="watcher") as watcher:
            self.open.look(watcher, stopped=time.monotonic() < self._stopped_until)
            (due,) = watcher.execute(_DUE).fetchone()  # type: ignore[misc]
        return coming.is_alive() or due > 0


def _continued(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, SIGCONT)


def faults(url: str, folder: Path, asked: argparse.Namespace) -> Iterator[str]:
    """What is not as it should be."""
    notes = Counter((folder / "notes").read_text().splitlines())
    yield from (f"{text} was noted {times} times" for text, times in notes.items() if times > 1)
    store, unknown = SqlStore(url), 0
    for number in range(asked.sessions):
        session = ChatSession(ScriptedEndpoint(), "xml_tag", store=store, id=f"s{number}")
        heard = [turn.message.content for turn in session.turns if turn.message]
        if heard != said(number, asked) or session.interrupted:
            yield f"session {number} heard {heard}, interrupted: {session.interrupted}"
        ids = [turn.message_id for turn in session.turns]
        if len(ids) != len(set(ids)):
            yield f"session {number} has turns {ids}"
        ends = [turn.status for turn in session.turns]
        due = ["completed"] * asked.turns + ["pending", "completed"] * (number % 20 == 0)
        if ends != due:
            errors = [turn.result.error for turn in session.turns if turn.result]
            yield f"session {number} ended {ends}: {errors}"
        unknown += sum(text.removeprefix("note ") not in notes for text in heard)
    print(f"{unknown} calls were started and not run: a worker died between the two")
    store.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    usual = {"sessions": 500, "turns": 4, "workers": 4, "kills": 1000, "restarts": 4, "rate": 2}
    for name, number in {**usual, "seed": 1}.items():
        parser.add_argument(f"--{name}", type=int, default=number)
    asked = parser.parse_args()
    _FORKED.set_forkserver_preload(list(_FORKED_WITH))
    server = PostgresServer()
    with (
        closing_server(server) as url,
        tempfile.TemporaryDirectory(prefix="toolproto-workers-") as name,
    ):
        folder, began = Path(name), time.monotonic()
        SessionWorkers(url).prepare()
        clients, killing = Clients(url, asked), Killing(server, folder, asked)
        killing.while_busy(threading.Thread(target=clients.send_all), asked.kills)
        killing.while_busy(threading.Thread(target=clients.allow_all), 5)
        killing.end()
        print(
            f"{killing.kills} workers killed, {killing.stops} stopped for a while, "
            f"{killing.restarts} restarts of the database in {time.monotonic() - began:.0f} s"
        )
        seen = killing.open
        print(f"transactions open for {LONGEST_TALK * 0.9} s: {seen.held}, in {seen.looks} looks")
        print(
            f"the longest was open for {seen.longest:.0f} ms, {seen.longest_stopped:.0f} ms while "
            f"a worker was stopped; {seen.servers_own} of the server's own"
        )
        with psycopg.connect(url) as connection:
            failed = connection.execute(_FAILED).fetchone()
        attempts = len((folder / "opened").read_text().splitlines())
        print(f"jobs that were given up, and their attempts: {failed}")
        print(f"{clients.sent} messages sent, {attempts} attempts at a turn")
        found = [*faults(url, folder, asked)]
    for fault in found:
        print(fault)
    print(f"{len(found)} faults")
    return bool(found or killing.open.held or killing.kills < asked.kills)


if __name__ == "__main__":
    sys.exit(main())
