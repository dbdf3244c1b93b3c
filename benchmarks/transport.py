"""What a transport costs beside the proxy: CPU and latency of a streamed call of 200 tokens.

    python benchmarks/transport.py [--calls 60]

A backend in a process of its own streams the reply; a client of httpx reads it as it is, through
the proxy, and through a transport in its own process. CPU is that of the client's process, and of
the proxy's where there is one. The ways are taken in turns, so that all see the same machine.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import httpx
from compare import add_figures_option, keep_figures
from proxy import TOOL, __file__, cpu, free_port, reply, running

from toolproto.gateway.transport import AsyncToolTransport, ToolTransport

_TOKENS = len(reply(200))


def asked(pause: int, tools: bool) -> dict[str, Any]:
    offered = {"tools": [TOOL]} if tools else {}
    said = [{"role": "user", "content": f"Write it. 200/{pause}"}]
    return {"model": "m", "messages": said, "stream": True, **offered}


def read(client: httpx.Client, body: dict[str, Any]) -> None:
    with client.stream("POST", "/v1/chat/completions", json=body) as response:
        got = b"".join(response.iter_raw())
    check(got, body)


async def aread(client: httpx.AsyncClient, body: dict[str, Any]) -> None:
    async with client.stream("POST", "/v1/chat/completions", json=body) as response:
        got = b"".join([piece async for piece in response.aiter_raw()])
    check(got, body)


def check(got: bytes, body: dict[str, Any]) -> None:
    if b"[DONE]" not in got or ("tools" in body and b'"tool_calls"' not in got):
        raise RuntimeError(f"an answer is not whole: {got[-300:]!r}")


def measured(ask: Callable[[], None], pid: int | None, calls: int) -> tuple[list[float], float]:
    """The seconds of each call, and the CPU of all of them."""
    took = []
    before = time.process_time() + (cpu(pid) if pid else 0.0)
    for _ in range(calls):
        begun = time.perf_counter()
        ask()
        took.append(time.perf_counter() - begun)
    return took, time.process_time() + (cpu(pid) if pid else 0.0) - before


def main() -> int:
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--calls", type=int, default=60)
    add_figures_option(options)
    given = options.parse_args()
    upstream, port = free_port(), free_port()
    words = [sys.executable, "-m", "toolproto", "serve", "--port", str(port), "-p", "xml_tag"]
    words += ["--upstream", f"http://127.0.0.1:{upstream}/v1"]
    url = f"http://127.0.0.1:{upstream}"
    loop = asyncio.new_event_loop()
    with (
        running([sys.executable, __file__, "--backend", str(upstream)], upstream),
        running(words, port) as pid,
        httpx.Client(base_url=url) as direct,
        httpx.Client(base_url=f"http://127.0.0.1:{port}") as through,
        httpx.Client(base_url=url, transport=ToolTransport(f"{url}/v1", "xml_tag")) as inside,
    ):
        beside = httpx.AsyncClient(
            base_url=url, transport=AsyncToolTransport(f"{url}/v1", "xml_tag")
        )
        for pause in (0, 5):
            with_tools, without = asked(pause, True), asked(pause, False)
            ways: dict[str, tuple[Callable[[], None], int | None]] = {
                "the backend alone": (lambda body=without: read(direct, body), None),
                "the proxy": (lambda body=with_tools: read(through, body), pid),
                "ToolTransport": (lambda body=with_tools: read(inside, body), None),
                "AsyncToolTransport": (
                    lambda body=with_tools: loop.run_until_complete(aread(beside, body)),
                    None,
                ),
            }
            keep_figures(given.figures, rows(ways, pause, given.calls if not pause else 20))
        loop.run_until_complete(beside.aclose())
        loop.close()
    return 0


def rows(
    ways: dict[str, tuple[Callable[[], None], int | None]], pause: int, calls: int
) -> dict[str, float]:
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    spent = dict.fromkeys(ways, 0.0)
    for ask, pid in ways.values():
        measured(ask, pid, 3)
    for _ in range(max(1, calls // 10)):
        for name, (ask, pid) in ways.items():
            took, used = measured(ask, pid, 10)
            seconds[name] += took
            spent[name] += used
    alone = median(seconds["the backend alone"])
    figures = {}
    for name, took in seconds.items():
        each = 1000 * spent[name] / len(took)
        label = f"{name}, {pause} ms a token" if pause else name
        added = 1000 * (median(took) - alone)
        token = each / _TOKENS
        print(f"{label:36} CPU {each:6.1f} ms/call {token:7.3f} ms/token   p50 +{added:6.1f} ms")
        if name != "the backend alone":
            figures[f"{label}: CPU / backend alone"] = spent[name] / spent["the backend alone"]
    return figures


if __name__ == "__main__":
    sys.exit(main())
