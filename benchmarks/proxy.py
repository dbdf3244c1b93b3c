"""What the proxy costs: CPU and latency a call, many streams at once, long arguments, memory.

    python benchmarks/proxy.py [--litellm PATH/TO/litellm] [--requests 10000]

Everything runs on this machine's loopback: a backend in a process of its own that streams a
reply of 200 tokens, the proxy as ``toolproto serve`` starts it, and, for comparison, LiteLLM's
proxy, which passes the same tokens through without reading a call out of them (``pip install
'litellm[proxy]'`` in an environment of its own; left out where there is none). CPU is the
process's own, read from the system; latencies are beside those of asking the backend directly.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from statistics import median
from urllib.request import urlopen

from compare import add_figures_option, keep_figures

print = partial(print, flush=True)  # a long run shows how far it is

TOOL = {
    "type": "function",
    "function": {
        "name": "write_file",
        "description": "Write a file.",
        "parameters": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
            "required": ["path", "content"],
        },
    },
}
#: Seconds for which each of many streams goes on.
PACE_SECONDS = 20
WORDS = "for line in lines: print(line)  # and so on\n"


def reply(tokens: int) -> list[str]:
    """A call of so many tokens of four characters, in the form of xml_tag."""
    content = (WORDS * (4 * tokens // len(WORDS) + 1))[: 4 * tokens - 90]
    arguments = {"path": "a.py", "content": content}
    call = json.dumps({"name": "write_file", "arguments": arguments})
    text = f"<tool_code>{call}</tool_code>"
    return [text[at : at + 4] for at in range(0, len(text), 4)]


# -- the backend --------------------------------------------------------------------------


async def backend(port: int) -> None:
    """Streams as the last words of the request say: ``tokens/milliseconds``.

    A request with tools, which only a proxy with ``--native`` sends, is answered with a call.
    """
    frames: dict[tuple[int, bool], list[bytes]] = {}

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
                body = json.loads(await reader.readexactly(length))
                wish = body["messages"][-1]["content"].split()[-1]
                tokens, pause = map(int, wish.split("/"))
                kind = (tokens, "tools" in body)
                if kind not in frames:
                    made = called(tokens) if kind[1] else events(tokens)
                    frames[kind] = [chunked(each) for each in made]
                writer.write(
                    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
                    b"transfer-encoding: chunked\r\n\r\n"
                )
                begun = time.monotonic()
                for number, frame in enumerate(frames[kind], 1):
                    writer.write(frame)
                    # By the clock: on a busy machine, naps that each last too long add up.
                    early = begun + number * pause / 1000 - time.monotonic()
                    if pause and early > 0:
                        await asyncio.sleep(early)
                    await writer.drain()
                writer.write(b"0\r\n\r\n")
                await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", port, backlog=1024)
    await server.serve_forever()


def events(tokens: int) -> Iterator[bytes]:
    common = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    for piece in reply(tokens):
        choice = {"index": 0, "delta": {"content": piece}, "finish_reason": None}
        yield f"data: {json.dumps({**common, 'choices': [choice]})}\n\n".encode()
    end = {"index": 0, "delta": {}, "finish_reason": "stop"}
    yield f"data: {json.dumps({**common, 'choices': [end]})}\n\n".encode()
    yield b"data: [DONE]\n\n"


def called(tokens: int) -> Iterator[bytes]:
    """The same call as a server with tools of its own streams it."""
    common = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    named = {"index": 0, "id": "call_1", "type": "function"}
    begun = {**named, "function": {"name": "write_file", "arguments": ""}}
    arguments = json.dumps({"path": "a.py", "content": (WORDS * tokens)[: 4 * tokens - 40]})
    pieces = [arguments[at : at + 4] for at in range(0, len(arguments), 4)]
    calls = [begun, *({"index": 0, "function": {"arguments": piece}} for piece in pieces)]
    choices = [
        {"index": 0, "delta": {"tool_calls": [each]}, "finish_reason": None} for each in calls
    ]
    end = {"index": 0, "delta": {}, "finish_reason": "tool_calls"}
    for choice in (*choices, end):
        yield f"data: {json.dumps({**common, 'choices': [choice]})}\n\n".encode()
    yield b"data: [DONE]\n\n"


def chunked(event: bytes) -> bytes:
    return f"{len(event):x}\r\n".encode() + event + b"\r\n"


# -- the client ---------------------------------------------------------------------------


async def ask(port: int, tokens: int, pause: int, tools: bool) -> tuple[float, float, bytes]:
    """Seconds to the first piece, seconds in all, and the bytes of one streamed answer."""
    body = {
        "model": "openai/m" if port == LITELLM else "m",
        "messages": [{"role": "user", "content": f"Write it. {tokens}/{pause}"}],
        "stream": True,
        **({"tools": [TOOL]} if tools else {}),
    }
    content = json.dumps(body).encode()
    begun = time.perf_counter()
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**24)
    writer.write(
        b"POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n"
        b"authorization: Bearer sk-x\r\ncontent-type: application/json\r\n"
        + f"content-length: {len(content)}\r\n\r\n".encode()
        + content
    )
    pieces, first = [], 0.0
    while piece := await reader.read(65536):
        pieces.append(piece)
        if not first and (b'"arguments"' in piece or b'"content":"' in piece):
            first = time.perf_counter() - begun
        if piece.endswith(b"0\r\n\r\n"):
            break
    writer.close()
    return first, time.perf_counter() - begun, b"".join(pieces)


async def many(
    port: int, count: int, at_once: int, tokens: int, pause: int, tools: bool
) -> list[float]:
    """The seconds of *count* answers, so many at once; an answer without its end is an error."""
    gate = asyncio.Semaphore(at_once)

    async def one() -> float:
        async with gate:
            _, seconds, got = await ask(port, tokens, pause, tools)
        if b"[DONE]" not in got or (tools and b'"tool_calls"' not in got):
            raise RuntimeError(f"an answer is not whole: {got[-300:]!r}")
        return seconds

    return await asyncio.gather(*(one() for _ in range(count)))


# -- the processes ------------------------------------------------------------------------


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


@contextlib.contextmanager
def running(words: list[str], port: int, seconds: float = 60) -> Iterator[int]:
    """The process of a server, once it listens."""
    environment = {**os.environ, **LITELLM_VARIABLES}
    process = subprocess.Popen(
        words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
    )
    try:
        deadline = time.monotonic() + seconds
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            if time.monotonic() > deadline or process.poll() is not None:
                raise RuntimeError(f"{words[0]} does not listen")
            time.sleep(0.1)
        yield process.pid
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)
        process.kill()


def wait_for_workers(port: int, pid: int, path: str, seconds: float) -> None:
    """Until *path* is answered and no process is busy any more: before that, a worker loads."""
    # The port is open before they are there, and LiteLLM takes a minute and more to load.
    deadline, is_ready = time.monotonic() + seconds, False
    while not is_ready:
        if time.monotonic() > deadline:
            raise RuntimeError(f"{path} is not answered, or a worker stays busy")
        before = cpu(pid)
        time.sleep(3)
        with contextlib.suppress(OSError), urlopen(f"http://127.0.0.1:{port}{path}", timeout=5):
            is_ready = cpu(pid) - before < 0.3


def family(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(each for child in children for each in family(int(child)))]


def cpu(pid: int) -> float:
    """Seconds of CPU that a process and its children have used."""
    ticks = 0
    for each in family(pid):
        fields = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def resident(pid: int) -> float:
    """Megabytes of memory that a process holds."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


# -- the measurements ---------------------------------------------------------------------


def cost(
    name: str, port: int, pid: int, upstream: int, tools: bool, count: int, pause: int = 0
) -> dict[str, float]:
    """CPU and latency of calls of 200 tokens, one at a time, beside the backend alone.

    With a *pause* of some milliseconds after each token the process is woken for every one.
    """
    asyncio.run(many(port, 20, 4, 200, 0, tools))
    direct: list[float] = []
    through: list[float] = []
    spent = 0.0
    for _ in range(max(1, count // 10)):  # in turns, so that both see the same machine
        before = cpu(pid)
        through += asyncio.run(many(port, 10, 1, 200, pause, tools))
        spent += cpu(pid) - before
        direct += asyncio.run(many(upstream, 10, 1, 200, pause, False))
    added = 1000 * (median(through) - median(direct))
    name += f", {pause} ms a token" if pause else ""
    each = 1000 * spent / len(through)
    told = f"CPU {each:6.1f} ms/call ({each / len(reply(200)):.3f} ms/token)   p50 +{added:5.1f} ms"
    print(f"{name:44} {told}; load of the machine {os.getloadavg()[0]:.1f}")
    return {f"{name}: time / backend alone": median(through) / median(direct)}


def streams(name: str, port: int, tools: bool, at_once: int = 200) -> None:
    """Many streams at once, a token every 20 ms."""
    begun = time.perf_counter()
    try:
        took = asyncio.run(many(port, at_once, at_once, 200, 20, tools))
    except RuntimeError as error:
        print(f"{name:44} {at_once} streams: {error}")
        return
    alone = 0.02 * len(reply(200))
    print(
        f"{name:44} {at_once} streams at once: 0 errors, {time.perf_counter() - begun:.1f} s, "
        f"slowest {max(took):.1f} s (alone at least {alone:.1f} s)"
    )


class Loader:
    """The process that asks for many streams, and is their backend: ``proxy_load.py``."""

    def __init__(self, port: int) -> None:
        words = [sys.executable, str(Path(__file__).with_name("proxy_load.py")), str(port)]
        self._process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    def __enter__(self) -> Loader:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()

    def load(self, name: str, port: int, pid: int, at_once: int, tools: bool = True) -> None:
        """Many streams of 20 tokens a second: how late tokens come, and what each costs."""
        assert self._process.stdin is not None and self._process.stdout is not None
        model = "openai/m" if port == LITELLM else "m"
        before, ours, begun = cpu(pid), cpu(self._process.pid), time.perf_counter()
        kind = "tools" if tools else "words"
        self._process.stdin.write(f"{port} {at_once} {PACE_SECONDS} {kind} {model}\n")
        self._process.stdin.flush()
        told = json.loads(self._process.stdout.readline())
        spent, wall = cpu(pid) - before, time.perf_counter() - begun
        print(
            f"{name:44} {at_once} streams of 20 tokens/s: {told['wrong']} went wrong, "
            f"{told['unfinished']} did not end in time, late by {told['p50']} ms, p99 "
            f"{told['p99']} ms; {1000 * spent / max(1, told['tokens']):.3f} ms of CPU a token, "
            f"{spent / wall:.2f} cores (load generator "
            f"{(cpu(self._process.pid) - ours) / wall:.2f}; load of the machine "
            f"{os.getloadavg()[0]:.1f})"
        )
        if told["wrong"]:
            print(f"    the end of one that went wrong: {told['example']!r}")


def keeping_pace(streams: int, litellm: str | None, folder: Path) -> None:
    """How many streams keep pace, with one worker and with two, beside LiteLLM.

    What the load generator is late by itself, asking its own backend, is told first: client and
    backend use the same two cores as the proxy.
    """
    upstream = free_port()
    with Loader(upstream) as loader:
        time.sleep(1)
        loader.load("the load generator alone", upstream, loader.pid, streams, False)
        for workers in (1, 2):
            port = free_port()
            words = [*serve_words(port, upstream), "--workers", str(workers)]
            with running(words, port) as pid:
                wait_for_workers(port, pid, "/healthz", 120)
                loader.load("toolproto, warming up", port, pid, 20)
                for at_once in (100, streams):
                    loader.load(f"toolproto, tool calls, {workers} worker(s)", port, pid, at_once)
        if litellm:
            words = [*litellm_words(litellm, upstream, folder), "--num_workers", "2"]
            with running(words, LITELLM, 180) as pid:
                wait_for_workers(LITELLM, pid, "/health/liveliness", 300)
                loader.load("LiteLLM, warming up", LITELLM, pid, 20, False)
                for at_once in (25, 50, 100, streams):
                    loader.load("LiteLLM, words, 2 workers", LITELLM, pid, at_once, False)


def serve_words(port: int, upstream: int, native: str = "never") -> list[str]:
    words = [sys.executable, "-m", "toolproto", "serve", "--port", str(port), "-p", "xml_tag"]
    return [*words, "--upstream", f"http://127.0.0.1:{upstream}/v1", "--native", native]


def long_arguments(port: int, pid: int) -> dict[str, float]:
    """CPU a byte for arguments of 64 and 256 KB."""
    spent = {}
    for size in (64, 256):
        asyncio.run(many(port, 1, 1, size * 256, 0, True))
        rounds = 2048 // size
        before = cpu(pid)
        asyncio.run(many(port, rounds, 1, size * 256, 0, True))
        spent[size] = (cpu(pid) - before) / rounds / size
        print(f"{size:4} KB argument: {1000 * spent[size]:6.2f} ms of CPU a KB")
    print(f"256 KB costs {spent[256] / spent[64]:.2f} times as much a byte as 64 KB (bar: 1.3)")
    return {"256 KB / 64 KB, CPU a byte": spent[256] / spent[64]}


def first_fragment(port: int) -> dict[str, float]:
    """How soon the first fragment of a long argument is there."""
    first, whole, _ = asyncio.run(ask(port, 4000, 1, True))
    print(f"first fragment after {100 * first / whole:.1f} % of a 16 KB call (bar: 10 %)")
    return {"first fragment / whole call": first / whole}


def memory(port: int, pid: int, requests: int) -> None:
    """What the process holds after so many requests."""
    held = [resident(pid)]
    for _ in range(10):
        asyncio.run(many(port, requests // 10, 16, 20, 0, True))
        held.append(resident(pid))
    print(f"memory over {requests} requests, MB: " + " ".join(f"{each:.0f}" for each in held))


LITELLM = free_port()
#: As its makers advise for production; and its table of prices is not fetched.
LITELLM_VARIABLES = {
    "LITELLM_MODE": "PRODUCTION",
    "LITELLM_LOG": "ERROR",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
}


def litellm_words(program: str, upstream: int, folder: Path) -> list[str]:
    terms = {"model": "openai/m", "api_base": f"http://127.0.0.1:{upstream}/v1", "api_key": "sk-x"}
    settings = {
        "model_list": [{"model_name": "openai/m", "litellm_params": terms}],
        "litellm_settings": {"set_verbose": False, "request_timeout": 600, "num_retries": 0},
        # It does not start without a key for its clients otherwise.
        "general_settings": {"dangerously_permit_weak_or_unset_master_key": True},
    }
    config = folder / "litellm.json"
    config.write_text(json.dumps(settings))  # JSON is YAML
    return [program, "--config", str(config), "--host", "127.0.0.1", "--port", str(LITELLM)]


def main() -> int:
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--litellm", help="the program, in an environment of its own")
    options.add_argument("--requests", type=int, default=10_000, help="for the measure of memory")
    options.add_argument("--calls", type=int, default=200)
    options.add_argument("--streams", type=int, default=400, help="that keep pace at once")
    options.add_argument("--only", choices=("cost", "pace", "memory"), help="leave out the others")
    options.add_argument("--backend", type=int, help=argparse.SUPPRESS)
    add_figures_option(options)
    given = options.parse_args()
    if given.backend:
        asyncio.run(backend(given.backend))
        return 0
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        if given.only in (None, "pace"):
            keeping_pace(given.streams, given.litellm, folder)
        upstream, port = free_port(), free_port()
        stack.enter_context(
            running([sys.executable, __file__, "--backend", str(upstream)], upstream)
        )
        pid = stack.enter_context(running(serve_words(port, upstream), port))
        if given.only in (None, "cost"):
            keep_figures(given.figures, costs(port, pid, upstream, given.calls))
            natively = free_port()
            with running(serve_words(natively, upstream, "auto"), natively) as own:
                for count, pause in ((given.calls, 0), (given.calls // 5, 5)):
                    cost("toolproto, native calls", natively, own, upstream, True, count, pause)
        if given.only in (None, "memory"):
            memory(port, pid, given.requests)
        if given.litellm and given.only in (None, "cost"):
            words = litellm_words(given.litellm, upstream, folder)
            theirs = stack.enter_context(running(words, LITELLM, 180))
            cost("LiteLLM, passed through", LITELLM, theirs, upstream, False, given.calls)
            cost("LiteLLM, passed through", LITELLM, theirs, upstream, False, given.calls // 5, 5)
            streams("LiteLLM, passed through", LITELLM, False)
    return 0


def costs(port: int, pid: int, upstream: int, calls: int) -> dict[str, float]:
    """What single calls cost."""
    figures = cost("toolproto, tool calls", port, pid, upstream, True, calls)
    figures |= cost("toolproto, passed through", port, pid, upstream, False, calls)
    figures |= cost("toolproto, tool calls", port, pid, upstream, True, calls // 5, pause=5)
    streams("toolproto, tool calls", port, True)
    figures |= first_fragment(port)
    return figures | long_arguments(port, pid)


if __name__ == "__main__":
    sys.exit(main())
