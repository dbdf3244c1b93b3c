"""``toolproto serve`` for a working day in twenty minutes: killed, left, lied to, and cut off.

    python -m soak.proxy [--minutes 20] [--rate 10] [--seed N]

Two workers serve four APIs before two backends that go away all the time. Workers are killed one
after the other; one client in seven leaves in the middle of its answer, one request in twenty is
hostile. Each answer has to hold the canary of its request and no other, each request that was
answered has to be one line of the log, and every line has to be one of JSON; no request may go on
for a minute and a half, and in the end nothing may be open. A connection may break only when a
worker was killed, or when the log says that the backend broke off what was handed on. Prints what
was found, and exits with 1 if anything broke.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from signal import SIGKILL, SIGTERM
from typing import Any

from .flapping import CANARY, FlappingBackend

#: Seconds after which a request is stuck, and for which a killed worker explains what broke. A body
#: has a minute to come, and the machine may be a slow one.
STUCK, AFTERMATH = 90.0, 2.0
#: Seconds between two kills, and between two absences of a backend.
KILL_EVERY, LEAVE_EVERY, AWAY = 20.0, 15.0, 2.0
_ID = re.compile(rb"(?i)\r\nx-request-id: ([0-9a-f]{16})\r\n")
_SAYS = ("content", "text", "arguments", "partial_json", "delta", "output_text")
#: What uvicorn says of an answer that is left without an end, so that its client sees that.
_UNFINISHED = "ASGI callable returned without completing response."
_SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
_NOTE = {"name": "note", "description": "Note it."}


@dataclass
class Found:
    """What is known so far."""

    outcomes: Counter[str] = field(default_factory=Counter)
    #: When each answer with an id was over; when workers were killed.
    answered: dict[str, float] = field(default_factory=dict)
    kills: list[float] = field(default_factory=list)
    #: When connections broke, and the ids of their answers.
    broken: list[tuple[float, str]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def is_aftermath(self, at: float) -> bool:
        """Whether a worker died around *at*."""
        return any(kill - AFTERMATH <= at <= kill + AFTERMATH for kill in self.kills)


def request_of(dice: random.Random, canary: str) -> tuple[str, dict[str, Any]]:
    """A path and a body of one of the APIs, with or without tools, streamed or not."""
    api, stream, tools = dice.randrange(4), dice.random() < 0.8, dice.random() < 0.8
    said = f"Note {canary}, please."
    messages = [{"role": "user", "content": said}]
    body: dict[str, Any] = {"model": dice.choice(("a/m", "b/m")), "stream": stream}
    if api == 0:
        offered = [{"type": "function", "function": {**_NOTE, "parameters": _SCHEMA}}]
        path, body = "/v1/chat/completions", {**body, "messages": messages}
    elif api == 1:
        offered = [{"type": "function", **_NOTE, "parameters": _SCHEMA}]
        path, body = "/v1/responses", {**body, "input": said}
    elif api == 2:
        offered = [{**_NOTE, "input_schema": _SCHEMA}]
        path, body = "/v1/messages", {**body, "messages": messages, "max_tokens": 500}
    else:
        offered = [{"type": "function", "function": {**_NOTE, "parameters": _SCHEMA}}]
        path, body = "/api/chat", {**body, "messages": messages}
    return path, {**body, "tools": offered} if tools else body


def hostile(dice: random.Random) -> bytes:
    """Bytes that nobody should send."""
    post = b"POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\n"
    deep = b"[" * 200_000
    return dice.choice(
        [
            b"\x16\x03\x01\x02\x00\x01" + dice.randbytes(200),
            b"GET / HTTP/1.1\r\nhost: evil.example\r\n\r\n",
            b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n",
            post + b"x: " + b"y" * 100_000 + b"\r\n\r\n",
            post + b"content-length: 5\r\n\r\n{{{{{",
            post + b"content-length: 99999999999\r\n\r\n{",
            post + b"content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
            post + b"content-length: %d\r\n\r\n" % len(deep) + deep,
            post + b"transfer-encoding: chunked\r\n\r\nzzz\r\n",
            post + b"content-length: 27\r\n\r\n" + b'{"model":"a/m","messages":7}'[:27],
            post.replace(b"/v1", b"/../../v1") + b"\r\n",
            b"DELETE /v1/responses/../../etc HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n",
            post,  # and then nothing
        ]
    )


async def ask(port: int, dice: random.Random, found: Found, hostility: float = 0.05) -> None:
    """Send one request and judge what becomes of it; *hostility* is the share of hostile ones."""
    kind = dice.random()
    canary = f"canary-{dice.getrandbits(64):016x}"
    path, body = request_of(dice, canary)
    content = json.dumps(body).encode()
    sent = f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n".encode()
    sent += b"content-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(content) + content
    is_hostile, leaves = kind < hostility, hostility <= kind < hostility + 0.15
    most = dice.randrange(2000) if leaves else None
    got = bytearray()
    try:
        async with asyncio.timeout(STUCK):
            await talk(port, hostile(dice) if is_hostile else sent, got, most)
    except TimeoutError:
        found.outcomes["stuck"] += 1
        found.faults.append(f"stuck after {STUCK:.0f} s: {path} {bytes(got[:300])!r}")
        return
    except OSError:
        got.clear()
    judge(found, bytes(got), canary, is_hostile, leaves)


async def talk(port: int, sent: bytes, got: bytearray, most: int | None) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(sent)
        while piece := await reader.read(65536):
            got += piece
            if is_whole(bytes(got)) or (most is not None and len(got) > most):
                break
    finally:
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()


def judge(found: Found, got: bytes, canary: str, is_hostile: bool, leaves: bool) -> None:
    now = time.monotonic()
    id = _ID.search(got)
    status = int(got[9:12]) if got[9:12].isdigit() else 0
    canaries = set(CANARY.findall(said_in(got)))
    if foreign := canaries - {canary}:
        found.faults.append(f"cross-talk: {canary} was given {foreign}")
    if id:
        found.answered[id[1].decode()] = now
    if is_hostile:
        found.outcomes["hostile"] += 1
        if status >= 500 or canaries:
            found.faults.append(f"a hostile request was answered {got[:200]!r}")
    elif leaves:
        found.outcomes["left"] += 1
    elif not is_whole(got):
        found.outcomes["broken"] += 1
        found.broken.append((now, id[1].decode() if id else ""))
    elif canaries:
        found.outcomes["done"] += 1
    else:
        found.outcomes["told an error"] += 1
        if not re.search(rb"error|failed", got):
            found.faults.append(f"neither done nor an error: {got[-500:]!r}")


def said_in(got: bytes) -> str:
    """All that an answer says, however it was cut into events."""
    words: list[str] = []

    def walk(value: Any) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                if isinstance(inner, str) and key in _SAYS:
                    words.append(inner)
                else:
                    walk(inner)
        elif isinstance(value, list):
            for inner in value:
                walk(inner)

    body = re.sub(rb"\r\n[0-9a-f]+\r\n", b"", b"\r\n" + got.partition(b"\r\n\r\n")[2])
    for line in body.decode("utf-8", "replace").splitlines():
        with suppress(ValueError):
            walk(json.loads(line.removeprefix("data: ")))
    return "".join(words)


def is_whole(got: bytes) -> bool:
    """Whether an answer came to the end that its head promised."""
    head, _, body = got.partition(b"\r\n\r\n")
    head = head.lower()
    if b"transfer-encoding: chunked" in head:
        return body.endswith(b"0\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head)
    return length is not None and len(body) == int(length[1])


async def killing(parent: int, log: Path, dice: random.Random, found: Found) -> None:
    """Kill one worker after the other, when those before it are back."""
    while True:
        await asyncio.sleep(KILL_EVERY)
        workers, begun = children(parent), log.read_text().count('"event": "serving"')
        if len(workers) == 2 and begun == 2 + len(found.kills):
            found.kills.append(time.monotonic())
            os.kill(dice.choice(workers), SIGKILL)


async def flapping(backend: FlappingBackend, dice: random.Random) -> None:
    """Have *backend* go away and come back."""
    while True:
        await asyncio.sleep(dice.uniform(0.5, 1.5) * LEAVE_EVERY)
        backend.leave()
        await asyncio.sleep(dice.random() * AWAY)
        await backend.come()


def children(pid: int) -> list[int]:
    found = map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
    return [each for each in found if b"spawn_main" in Path(f"/proc/{each}/cmdline").read_bytes()]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


async def run(minutes: float, rate: float, dice: random.Random, folder: Path) -> Found:
    """The whole day."""
    found, ports, port = Found(), (free_port(), free_port()), free_port()
    backends = [FlappingBackend(each, dice) for each in ports]
    for backend in backends:
        await backend.come()
    settings = [f'[serve]\nport = {port}\nparadigm = "xml_tag"\n']
    for name, each in zip("ab", ports, strict=True):
        settings.append(f'[upstreams.{name}]\nurl = "http://127.0.0.1:{each}/v1"\n')
        settings.append(f'prefix = "{name}/"\n')
    (folder / "toolproto.toml").write_text("".join(settings))
    words = ["serve", "--config", str(folder / "toolproto.toml"), "--workers", "2"]
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen([sys.executable, "-m", "toolproto", *words], stderr=log)
    try:
        await ready(port)
        around = [asyncio.create_task(killing(process.pid, folder / "log", dice, found))]
        around += [asyncio.create_task(flapping(each, dice)) for each in backends]
        asking: set[asyncio.Task[None]] = set()
        end, told = time.monotonic() + 60 * minutes, time.monotonic()
        while time.monotonic() < end:
            task = asyncio.create_task(ask(port, dice, found))
            asking.add(task)
            task.add_done_callback(asking.discard)
            await asyncio.sleep(dice.expovariate(rate))
            if time.monotonic() > told + 60:
                told = time.monotonic()
                print(f"{dict(found.outcomes)}, {len(found.kills)} killed", flush=True)
        for task in around:
            task.cancel()
        await asyncio.gather(*asking, *around, return_exceptions=True)
        await asyncio.sleep(3)
        found.faults += [f"{each.open} replies go on" for each in backends if each.open]
        sizes = [resident(each) for each in children(process.pid)]
        print("memory of the workers, MB:", *(f"{size:.0f}" for size in sizes))
    finally:
        process.send_signal(SIGTERM)
        process.wait(60)
        for backend in backends:
            backend.leave()
        await asyncio.sleep(0.1)  # until all have heard of it
    return found


async def ready(port: int) -> None:
    for _ in range(1800):
        with suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            return
        await asyncio.sleep(0.1)
    raise RuntimeError("the proxy does not listen")


def resident(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def read_log(log: Path, found: Found) -> None:
    """Compare the log with what was answered."""
    lines: Counter[str] = Counter()
    failed: set[str] = set()
    for line in log.read_text().splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            found.faults.append(f"a line of the log is no JSON: {line[:200]!r}")
            continue
        lines[value.get("request", "")] += 1
        if value.get("outcome") == "failed":
            failed.add(value["request"])
        if value.get("level") == "error" and value["message"] != _UNFINISHED:
            found.faults.append(f"the log tells of an error of ours: {line[:2000]}")
    lost = {id for id in found.answered if not lines[id]}
    # Whoever is killed behind the last byte of an answer says nothing of it any more.
    cut = {id for id in lost if found.is_aftermath(found.answered[id])}
    found.faults += [f"no line for {id}" for id in lost - cut]
    found.faults += [f"{n} lines for {id}" for id, n in lines.items() if id and n > 1]
    unexplained = [id for at, id in found.broken if id not in failed and not found.is_aftermath(at)]
    found.faults += [f"{len(unexplained)} connections broke by themselves"] * bool(unexplained)
    print(f"{len(found.answered)} answers with an id, {len(lost - cut)} without a line of the log")
    print(f"{len(cut)} more were answered by a worker that was killed then")


def main() -> int:
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--minutes", type=float, default=20.0)
    options.add_argument("--rate", type=float, default=10.0, help="requests a second")
    options.add_argument("--seed", type=int, default=random.randrange(2**32))
    given = options.parse_args()
    print(f"seed {given.seed}")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        found = asyncio.run(run(given.minutes, given.rate, random.Random(given.seed), folder))
        read_log(folder / "log", found)
    print(f"{found.outcomes.total()} requests: {dict(found.outcomes)}; {len(found.kills)} kills")
    for fault in found.faults[:20]:
        print(fault)
    print(f"{len(found.faults)} faults")
    return 1 if found.faults else 0


if __name__ == "__main__":
    sys.exit(main())
