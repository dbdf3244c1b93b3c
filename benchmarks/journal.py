"""What it costs to keep a session: a turn's time, opening a long one, and the bytes of a turn.

A loopback server in a process of its own plays ten rounds of 80 tokens, nine of them with a call.
The same turn is timed without a store and with each, one after the other; what a store adds is
told as the median, and the quartiles, of what it added in each run. A fast local model takes some
5 ms a token; without a pause all that is timed is our own work.

A call that may not run twice waits for the disk before it starts: how long that takes here is
printed first, and is nine times in every turn whose calls write.

    python benchmarks/journal.py [--runs 40] [--pauses 0 1 5] [--postgresql URL]
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import multiprocessing
import os
import re
import shutil
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from compare import add_figures_option, keep_figures
from session import Server

from toolproto import ChatRequest, ChatSession, tool
from toolproto.conversation.stores import MemoryStore, Record, Store, open_store
from toolproto.endpoints import HttpEndpoint

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
        # Behind a whole sentence: amid one, what changes something is put to the model again.
        words[-1] = "so.\n\n"
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


def turn_times(
    stores: dict[str, Store | None], runs: int, pause: float, risk: str
) -> dict[str, float]:
    """Time the same turn with each of *stores*, one after the other; the ratios of their best."""
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
    for name, each in times.items():
        print(
            f"{ROUNDS} rounds, {pause * 1e3:g} ms a token, calls {risk:5}  {name:10} "
            f"{statistics.median(each) * 1e3:8.2f} ms, at best {min(each) * 1e3:8.2f} ms"
            f"{_added(each, times['no store'])}"
        )
    alone, what = min(times.pop("no store")), f"{pause * 1e3:g} ms a token, {risk}"
    return {f"{what}, {name}: time / no store": min(each) / alone for name, each in times.items()}


def _added(times: list[float], alone: list[float]) -> str:
    if times is alone:
        return ""
    added = [(one / other - 1) * 100 for one, other in zip(times, alone, strict=True)]
    low, middle, high = statistics.quantiles(added, n=4)
    return f"  {middle:+6.1f} % ({low:+.1f} to {high:+.1f})"


def disk_time(folder: Path, times: int = 200) -> float:
    """How many seconds it takes until a page that was written is on the disk."""
    took = []
    with open(folder / "page", "wb", buffering=0) as page:
        for _ in range(times):
            page.write(bytes(4096))
            began = time.perf_counter()
            os.fsync(page.fileno())
            took.append(time.perf_counter() - began)
    return statistics.median(took)


# -- a long session -------------------------------------------------------------------------


CALL = '<tool_code>{"name": "look_up", "arguments": {"city": "Oslo", "note": "%d"}}</tool_code>'
SAID = "It is, and it will be tomorrow. " * 4
#: What a long session is made of, and how many messages a turn of it leaves.
SHAPES = {"talk": 2, "calls": 4}


def chat(store: Store, shape: str) -> ChatSession:
    def model(request: ChatRequest) -> str:
        asked = request.messages[-1].content.startswith("Is") and shape == "calls"
        return f"Let me look. {CALL % len(request.messages)}" if asked else SAID

    return ChatSession(model, "xml_tag", [TOOLS["read"]], store=store, id=shape)


def grow(store: Store, shape: str, messages: int) -> None:
    """Make the session *messages* long, as so many turns would have left it."""
    if store.info(shape) is None:
        for _ in range(20):  # until a turn is like the one before
            chat(store, shape).send("Is the weather nice in the place I am going to?")
    known = store.read(shape)
    last = max(each.data["turn"] for each in known if each.kind == "turn")
    one = [[kind, dict(data)] for kind, data in known[-(len(known) // last) :]]
    new = [
        record
        for number in range(last + 1, messages // SHAPES[shape] + 1)
        for record in _as_turn(json.dumps(one), number, (number - last) * SHAPES[shape])
    ]
    store.append(shape, new, len(known), durable=False)


def _as_turn(told: str, number: int, further: int) -> Iterator[Record]:
    """The records of a turn as those of turn *number*, its messages so much *further* on."""
    told = re.sub(r"call_[0-9a-f]{12}", f"call_{number:012x}", told)
    told = re.sub(r'(?<="position": )\d+', lambda at: str(int(at[0]) + further), told)
    for kind, data in json.loads(told):
        place = {"turn": number, "parent": number - 1} if kind == "turn" else {}
        yield Record(kind, {**data, **place})


def long_sessions(folder: Path) -> dict[str, float]:
    """How long it takes to open a session, and what a turn writes, by its length."""
    found: dict[str, float] = {}
    for shape in SHAPES:
        first = 0.0
        path = folder / f"{shape}.db"
        for messages in (1_000, 2_000, 5_000, 10_000, 20_000):
            with closing(open_store(path)) as store:
                grow(store, shape, messages)
            opened = [_opening(path, shape, messages) for _ in range(15)]
            low, middle, high = (each * 1e3 for each in statistics.quantiles(opened, n=4))
            print(f"{shape:5} {messages:6,} messages  opened in {middle:6.1f} ms ", end="")
            print(f"({low:.1f} to {high:.1f}), at best {min(opened) * 1e3:.1f} ms; ", end="")
            records, log = _turn_bytes(path, shape)
            first = first or min(opened) / messages
            found[f"{shape}: opening 20 times as much / 20"] = min(opened) / messages / first
            print(f"a turn writes {records:,} bytes in records, {log:,} in SQLite's log")
    return found


def _opening(path: Path, shape: str, messages: int) -> float:
    gc.collect()  # what the one before left is not for this one to clear away
    began = time.perf_counter()
    store = open_store(path)
    session = chat(store, shape)
    took = time.perf_counter() - began
    assert len(session.messages) >= messages
    store.close()
    return took


def _turn_bytes(path: Path, shape: str) -> tuple[int, int]:
    with closing(open_store(path)) as store, closing(sqlite3.connect(path)) as other:
        session = chat(store, shape)
        session.send("Is it?")  # the first turn of a process writes as much as any other
        before = len(store.read(shape))
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        session.send("Is it?")
        size = os.path.getsize(f"{path}-wal")
        new = store.read(shape, before)
        return sum(len(json.dumps(dict(each.data))) for each in new), size


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
    add_figures_option(parser)
    options = parser.parse_args()
    figures: dict[str, float] = {}
    with scratch() as folder:
        print(f"to wait for the disk takes {disk_time(folder) * 1e3:.3f} ms here")
        stores: dict[str, Store | None] = {
            "no store": None,
            "memory": MemoryStore(),
            "SQLite": open_store(folder / "turns.db"),
        }
        if options.postgresql:
            stores["PostgreSQL"] = open_store(options.postgresql)
        for pause in options.pauses:
            for risk in TOOLS:
                runs = max(3, round(options.runs / (1 + pause * 4)))
                figures |= turn_times(stores, runs, pause / 1e3, risk)
        figures |= long_sessions(folder)
    keep_figures(options.figures, figures)


if __name__ == "__main__":
    main()
