"""What a session costs over reading the same stream with httpx alone.

A loopback server in a process of its own streams the same reply of 200 tokens, one event a token.
CPU is this process's, best of several interleaved runs; the server's does not count.

    python benchmarks/session.py [--runs 30] [--sessions 64]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import socket
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import httpx
from compare import add_figures_option, keep_figures

from toolproto import AsyncChatSession, ChatSession, tool
from toolproto.endpoints import HttpEndpoint

TOKENS = 200
REQUEST = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "go"}]}


@tool
def get_weather(city: str) -> str:
    """Current weather for a city."""
    return f"sunny in {city}"


def events() -> list[bytes]:
    """A reply of 200 tokens as a service streams it."""
    deltas = [{"content": f"word{n} "} for n in range(TOKENS)]
    choices = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    choices.append({"index": 0, "delta": {}, "finish_reason": "stop"})
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    bodies = [json.dumps({**head, "choices": [choice]}) for choice in choices]
    return [f"data: {body}\n\n".encode() for body in [*bodies, "[DONE]"]]


def serve(port: int, pause: float) -> None:
    """Answer every request with the reply, *pause* seconds between tokens."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            try:
                head = await reader.readuntil(b"\r\n\r\n")
            except asyncio.IncompleteReadError:
                break
            length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
            await reader.readexactly(length)
            writer.write(
                b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
                b"transfer-encoding: chunked\r\n\r\n"
            )
            for event in events():
                writer.write(b"%x\r\n%s\r\n" % (len(event), event))
                await writer.drain()
                await asyncio.sleep(pause)
            writer.write(b"0\r\n\r\n")
            await writer.drain()
        writer.close()

    async def forever() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", port)
        async with server:
            await server.serve_forever()

    asyncio.run(forever())


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """The loopback server in a process of its own."""

    def __init__(self, pause: float) -> None:
        self.port = free_port()
        self.process = multiprocessing.get_context("spawn").Process(
            target=serve, args=(self.port, pause), daemon=True
        )

    def __enter__(self) -> str:
        self.process.start()
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                break
            except OSError:
                time.sleep(0.05)
        return f"http://127.0.0.1:{self.port}/v1"

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.join()


def content(line: str) -> str:
    if not line.startswith("data: ") or line == "data: [DONE]":
        return ""
    return json.loads(line[6:])["choices"][0]["delta"].get("content") or ""


def with_httpx(client: httpx.Client, url: str) -> str:
    with client.stream("POST", f"{url}/chat/completions", json=REQUEST) as response:
        return "".join(map(content, response.iter_lines()))


def with_session(session: ChatSession) -> str:
    return session.send("go").text


async def with_async_httpx(client: httpx.AsyncClient, url: str) -> str:
    async with client.stream("POST", f"{url}/chat/completions", json=REQUEST) as response:
        return "".join([content(line) async for line in response.aiter_lines()])


async def with_async_session(session: AsyncChatSession) -> str:
    return (await session.send("go")).text


def cpu(work: Callable[[], Any]) -> float:
    began = time.process_time()
    text = work()
    assert len(text.split()) == TOKENS
    return time.process_time() - began


def one_at_a_time(runs: int, pause: float) -> dict[str, float]:
    """CPU of a session beside httpx alone, for both drivers."""
    with (
        Server(pause) as url,
        httpx.Client() as client,
        HttpEndpoint(url, model="m") as endpoint,
    ):
        alone, driven = [], []
        for _ in range(runs + 2):
            alone.append(cpu(lambda: with_httpx(client, url)))
            session = ChatSession(endpoint, "xml_tag", [get_weather], system="Be brief.")
            driven.append(cpu(partial(with_session, session)))
    told = report(f"one session, {pause * 1e3:g} ms a token", alone[2:], driven[2:])
    return {**told, **asyncio.run(one_at_a_time_async(runs, pause))}


async def one_at_a_time_async(runs: int, pause: float) -> dict[str, float]:
    with Server(pause) as url:
        async with httpx.AsyncClient() as client, HttpEndpoint(url, model="m") as endpoint:
            alone, driven = [], []
            for _ in range(runs + 2):
                alone.append(await acpu(partial(with_async_httpx, client, url)))
                session = AsyncChatSession(endpoint, "xml_tag", [get_weather], system="Be brief.")
                driven.append(await acpu(partial(with_async_session, session)))
    return report(f"async, {pause * 1e3:g} ms a token", alone[2:], driven[2:])


async def acpu(work: Callable[[], Any]) -> float:
    began = time.process_time()
    text = await work()
    assert len(text.split()) == TOKENS
    return time.process_time() - began


def report(what: str, alone: list[float], driven: list[float]) -> dict[str, float]:
    """Print the times; their ratio, the best of each."""
    more = statistics.median(driven) - statistics.median(alone)
    print(
        f"{what:30} httpx alone {statistics.median(alone) * 1e3:6.2f} ms CPU   "
        f"session {statistics.median(driven) * 1e3:6.2f} ms   more {more * 1e3:5.2f} ms   "
        f"best {(min(driven) - min(alone)) * 1e3:5.2f} ms"
    )
    return {f"{what}: CPU / httpx alone": min(driven) / min(alone)}


async def many(sessions: int) -> dict[str, float]:
    """*sessions* at once on one loop, at 50 tokens a second."""
    with Server(pause=0.02) as url:
        limits = httpx.Limits(max_connections=None)
        async with httpx.AsyncClient(limits=limits) as client:
            alone = await timed([with_async_httpx(client, url) for _ in range(sessions)])
        async with HttpEndpoint(url, model="m") as endpoint:
            made = [AsyncChatSession(endpoint, "xml_tag", [get_weather]) for _ in range(sessions)]
            driven = await timed([with_async_session(session) for session in made])
    for name, (wall, used) in (("httpx alone", alone), ("sessions", driven)):
        print(f"{sessions} at once  {name:12} {wall:6.2f} s wall  {used:6.2f} s CPU")
    print(f"wall ratio {driven[0] / alone[0]:.3f}")
    return {"many at once: CPU / httpx alone": driven[1] / alone[1]}


async def timed(work: list[Any]) -> tuple[float, float]:
    wall, used = time.perf_counter(), time.process_time()
    texts = await asyncio.gather(*work)
    assert all(len(text.split()) == TOKENS for text in texts)
    return time.perf_counter() - wall, time.process_time() - used


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--sessions", type=int, default=64)
    add_figures_option(parser)
    options = parser.parse_args()
    figures: dict[str, float] = {}
    for pause in (0.0, 0.0005, 0.005):
        figures |= one_at_a_time(options.runs, pause)
    figures |= asyncio.run(many(options.sessions))
    keep_figures(options.figures, figures)


if __name__ == "__main__":
    main()
