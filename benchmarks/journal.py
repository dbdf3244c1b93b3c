"""What it costs to keep a session: a turn's time, opening a long one, and the bytes of a turn.

A loopback server in a process of its own plays ten rounds of 80 tokens, nine of them with a call.
The same turn is timed without a store and with each, in turn; the ratio is of medians.

    python benchmarks/journal.py [--runs 40] [--pauses 0 1 5] [--postgresql URL]
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import multiprocessing
import os
import shutil
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from session import Server

from toolproto import ChatSession, tool
from toolproto.endpoints import HttpEndpoint
from toolproto.stores import MemoryStore, Record, Store, open_store

ROUNDS = 10
TOKENS = 80


def look_up(city: str, note: str) -> str:
    """Current weather for a city."""
    return f"sunny in {city}, 21 degrees, a light wind from the west; {len(note)} characters noted"


#: What only reads may be run again after a power cut; of the others the start waits for the disk.
TOOLS = {"read": tool(look_up), "write": tool(look_up, risk="write", needs_approval=False)}


# -- the service ----------------------------------------------------------------------------


def reply(number: int) -> bytes:
    """What the model says in round *number*, as a service streams it, one event a token."""
    words = [f"word{n} " for n in range(TOKENS if number == ROUNDS else TOKENS // 2)]
    if number < ROUNDS:
        note = "".join(f"word{n} " for n in range(TOKENS // 2 - 8))
        arguments = {"city": f"City {number}", "note": note}
        call = json.dumps({"name": "look_up", "arguments": arguments})
        words += [word + " " for word in f"<tool_code>{call}</tool_code>".split(" ")]
    choices = [{"index": 0, "delta": {"content": word}, "finish_reason": None} for word in words]
    choices.append({"index": 0, "delta": {}, "finish_reason": "stop"})
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    bodies = [json.dumps({**head, "choices": [choice]}) for choice in choices]
    return b"".join(f"data: {body}\n\n".encode() for body in [*bodies, "[DONE]"])


def serve(port: int, pause: float) -> None:
    """Answer each request with the reply of its round, *pause* seconds between tokens."""
    replies = {number: reply(number) for number in range(1, ROUNDS + 1)}

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await _head(reader):
            length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
            messages = json.loads(await reader.readexactly(length))["messages"]
            told = replies[1 + sum(message["role"] == "assistant" for message in messages)]
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n")
            writer.write(b"content-length: %d\r\n\r\n" % len(told))
            for event in told.splitlines(keepends=True) if pause else [told]:
                writer.write(event)
                await writer.drain()
                if event.strip():
                    await asyncio.sleep(pause)
            await writer.drain()
        writer.close()

    async def forever() -> None:
        async with await asyncio.start_server(answer, "127.0.0.1", port) as server:
            await server.serve_forever()

    asyncio.run(forever())


async def _head(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return b""


class Service(Server):
    """The loopback server in a process of its own."""

    def __init__(self, pause: float) -> None:
        super().__init__(pause)
        self.process = multiprocessing.get_context("spawn").Process(
            target=serve, args=(self.port, pause), daemon=True
        )


# -- a turn ---------------------------------------------------------------------------------


def turn_times(stores: dict[str, Store | None], runs: int, pause: float, risk: str) -> None:
    """Time the same turn with each of *stores*, one after the other, again and again."""
    times: dict[str, list[float]] = {name: [] for name in stores}
    with Service(pause) as url, HttpEndpoint(url, model="m") as endpoint:
        for at in range(runs + 2):
            for name, store in stores.items():
                options: dict[str, Any] = {"store": store} if store else {}
                session = ChatSession(endpoint, "xml_tag", [TOOLS[risk]], **options)
                began = time.perf_counter()
                result = session.send("go")
                if at >= 2:
                    times[name].append(time.perf_counter() - began)
                assert (result.status, result.stats.rounds) == ("completed", ROUNDS), result
    alone = statistics.median(times["no store"])
    for name, each in times.items():
        median = statistics.median(each)
        print(
            f"{ROUNDS} rounds, {pause * 1e3:g} ms a token, calls {risk:5}  {name:10} "
            f"{median * 1e3:8.2f} ms  {(median / alone - 1) * 100:+6.1f} %  best "
            f"{min(each) * 1e3:8.2f} ms"
        )


# -- a long session -------------------------------------------------------------------------


def chat(store: Store, id: str) -> ChatSession:
    return ChatSession(lambda request: "It is, and it will be tomorrow.", store=store, id=id)


def grow(store: Store, id: str, messages: int) -> None:
    """Make the session *messages* long, as so many turns would have left it."""
    if store.info(id) is None:
        chat(store, id).send("Is the weather nice in the place I am going to?")
    known = store.read(id)
    last = max(each.data["turn"] for each in known if each.kind == "turn")
    one = known[-(len(known) // last) :]
    new: list[Record] = []
    for number in range(last + 1, messages // 2 + 1):
        new.append(Record("turn", {**one[0].data, "turn": number, "parent": number - 1}))
        new += one[1:]
    store.append(id, new, len(known), durable=False)


def long_sessions(folder: Path) -> None:
    """How long it takes to open a session, and what a turn writes, by its length."""
    path = folder / "long.db"
    for messages in (10, 1_000, 2_000, 5_000, 10_000, 20_000):
        with closing(open_store(path)) as store:
            grow(store, f"long {messages}", messages)
        opened = [_opening(path, f"long {messages}", messages) for _ in range(9)]
        records, log = _turn_bytes(path, f"long {messages}")
        print(
            f"{messages:6,} messages  opened in {statistics.median(opened) * 1e3:6.1f} ms, "
            f"at best {min(opened) * 1e3:6.1f} ms  "
            f"a turn writes {records:,} bytes in records, {log:,} in SQLite's log"
        )


def _opening(path: Path, id: str, messages: int) -> float:
    gc.collect()  # what the one before left is not for this one to clear away
    began = time.perf_counter()
    store = open_store(path)
    session = chat(store, id)
    took = time.perf_counter() - began
    assert len(session.messages) == messages
    store.close()
    return took


def _turn_bytes(path: Path, id: str) -> tuple[int, int]:
    with closing(open_store(path)) as store, closing(sqlite3.connect(path)) as other:
        session, before = chat(store, id), len(store.read(id))
        session.send("And now?")  # the first turn of a process writes as much as any other
        first = len(store.read(id))
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        session.send("And now?")
        size = os.path.getsize(f"{path}-wal")
        assert first - before == len(store.read(id, first))
        return sum(len(json.dumps(dict(each.data))) for each in store.read(id, first)), size


@contextmanager
def scratch() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="toolproto-bench-"))
    yield folder
    shutil.rmtree(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--pauses", type=float, nargs="+", default=(0, 1, 5), help="ms a token")
    parser.add_argument("--postgresql", metavar="URL", help="a database to fill with sessions")
    options = parser.parse_args()
    with scratch() as folder:
        stores: dict[str, Store | None] = {
            "no store": None,
            "memory": MemoryStore(),
            "SQLite": open_store(folder / "turns.db"),
        }
        if options.postgresql:
            stores["PostgreSQL"] = open_store(options.postgresql)
        for pause in options.pauses:
            for risk in TOOLS:
                turn_times(stores, max(3, round(options.runs / (1 + pause * 4))), pause / 1e3, risk)
        long_sessions(folder)


if __name__ == "__main__":
    main()
