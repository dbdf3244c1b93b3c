"""Many streams at once, and how late their tokens come: client and backend in one lean process.

``benchmarks/proxy.py`` starts it beside a proxy. It serves chat completions at a port, and for each
line of its input, ``PORT STREAMS SECONDS TOOLS MODEL``, asks the proxy at PORT for so many streams
of 20 tokens a second. Each token is the time at which it was sent. The answer is a line of JSON:
how late tokens came, in ms, at the median and the 99th percentile, how many there were, how many
streams were not over after three times their seconds and a minute, how many of the others went
wrong, and what one of those said last. Both sides are protocols written by hand: what
costs the time of two cores is to be the proxy.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
from typing import Any, ClassVar

#: Tokens a second, and the steps in which the backend goes round: a stream has its turn in one.
RATE, STEPS = 20, 25
STAMP = re.compile(rb"at(\d{12})ms")
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
_OPENING = '<tool_code>{"name": "write_file", "arguments": {"path": "a", "content": "'
_CLOSING = '"}}</tool_code>'
_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


def _frame(text: str, reason: str | None = None) -> bytes:
    delta = {"content": text} if reason is None else {}
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    common = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    event = f"data: {json.dumps({**common, 'choices': [choice]})}\n\n".encode()
    return b"%x\r\n%b\r\n" % (len(event), event)


_TOKEN = _frame(f"at{'@' * 12}ms ").replace(b"@" * 12, b"%012d")
_END = _frame("", "stop") + b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n"


def now() -> int:
    return time.monotonic_ns() // 1_000_000


class Backend(asyncio.Protocol):
    """Answers each request with a stream; all streams are written to by one clock."""

    turns: ClassVar[list[dict[Backend, int]]] = [{} for _ in range(STEPS)]
    made = 0

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        self._kept = b""

    def data_received(self, data: bytes) -> None:
        self._kept += data
        head, found, body = self._kept.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: *(\d+)", head)
        if not found or (length and len(body) < int(length[1])):
            return
        self._kept = b""
        wish = re.search(rb"clock/(\d+)", body)
        if wish is None:
            self._transport.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")
            return
        self._calls = b"tool_code" in body
        self._transport.write(_HEAD + (_frame(_OPENING) if self._calls else b""))
        self.turns[Backend.made % STEPS][self] = int(wish[1])
        Backend.made += 1

    def connection_lost(self, error: Exception | None) -> None:
        for turn in self.turns:
            turn.pop(self, None)

    def token(self, left: int) -> None:
        if left:
            self._transport.write(_TOKEN % now())
        else:
            self._transport.write((_frame(_CLOSING) if self._calls else b"") + _END)


async def clock() -> None:
    """Give every stream a token in its turn, by the clock."""
    step, begun = 0, time.monotonic()
    while True:
        turn = Backend.turns[step % STEPS]
        for stream, left in list(turn.items()):
            stream.token(left)
            if left:
                turn[stream] = left - 1
            else:
                del turn[stream]
        step += 1
        await asyncio.sleep(max(0.0, begun + step / (RATE * STEPS) - time.monotonic()))


class Client(asyncio.Protocol):
    """One stream of the proxy's."""

    def __init__(self, request: bytes, late: list[int]) -> None:
        self._request, self._late = request, late
        self._kept = b""
        #: The end of what came.
        self.last = b""
        self.over: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._count = 0

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        at, text, end = now(), self._kept + data, 0
        for stamp in STAMP.finditer(text):
            self._late.append(at - int(stamp[1]))
            self._count += 1
            end = stamp.end()
        self.last = text[-300:]
        self._kept = text[max(end, len(text) - 40) :]
        if self._kept.endswith(b"0\r\n\r\n"):
            self._transport.close()

    def connection_lost(self, error: Exception | None) -> None:
        if not self.over.done():
            self.over.set_result(self._count)


async def load(port: int, streams: int, seconds: int, tools: bool, model: str) -> dict[str, Any]:
    """How *streams* fare at the proxy at *port*."""
    tokens, late = RATE * seconds, list[int]()
    messages = [{"role": "user", "content": f"Write it. clock/{tokens}"}]
    body = {"model": model, "messages": messages, "stream": True}
    content = json.dumps({**body, "tools": [TOOL]} if tools else body).encode()
    request = b"POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n"
    request += b"authorization: Bearer sk-x\r\ncontent-type: application/json\r\n"
    request += b"content-length: %d\r\n\r\n" % len(content) + content
    loop, clients = asyncio.get_running_loop(), []
    for _ in range(streams):
        _, client = await loop.create_connection(lambda: Client(request, late), "127.0.0.1", port)
        clients.append(client)
        await asyncio.sleep(3.0 / streams)
    waiting = (asyncio.wait_for(client.over, 3 * seconds + 60) for client in clients)
    counts = await asyncio.gather(*waiting, return_exceptions=True)
    late.sort()
    wrong = [
        client.last.decode("utf-8", "replace")
        for client, count in zip(clients, counts, strict=True)
        if isinstance(count, int) and count != tokens
    ]
    return {
        "p50": late[len(late) // 2] if late else -1,
        "p99": late[len(late) * 99 // 100] if late else -1,
        "tokens": len(late),
        "unfinished": sum(not isinstance(count, int) for count in counts),
        "wrong": len(wrong),
        "example": wrong[0] if wrong else "",
    }


async def main(port: int) -> None:
    loop = asyncio.get_running_loop()
    await loop.create_server(Backend, "127.0.0.1", port, backlog=1024)
    ticking = asyncio.create_task(clock())
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        where, streams, seconds, tools, model = line.split()
        told = await load(int(where), int(streams), int(seconds), tools == "tools", model)
        print(json.dumps(told), flush=True)
    ticking.cancel()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
