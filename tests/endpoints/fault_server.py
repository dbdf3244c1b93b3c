"""A chat service on this machine that misbehaves to order.

::

    with FaultServer(Fault("reset", "body", seed=3), Fault()) as server:
        HttpEndpoint(server.url, model="m")

Each request is answered by the next of the plans, the last one again and again. The same plan
always sends the same bytes.
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from threading import Event, Thread
from typing import Any

from tests.patience import PATIENCE

FAULTS = (
    "none",
    "latency",
    "stall",
    "reset",
    "half_close",
    "truncate",
    "slices",
    "429",
    "500",
    "503",
    "garbage",
    "drip",
    "endless",
)
#: Where it happens: before the request is read, before the answer, in its head, in its body,
#: after the last word but before the end.
PHASES = ("connect", "request", "head", "body", "end")

TEXT = "Grüße, 世界! 🌍 one two three\nfour"
HEAD = "HTTP/1.1 {status}\r\ncontent-type: {type}\r\n{framing}\r\n\r\n"


@dataclass(frozen=True)
class Fault:
    """A reply that says *text*, and what goes wrong with it where."""

    name: str = "none"
    phase: str = "request"
    seed: int = 0
    text: str = TEXT
    dialect: str = "openai_chat"

    def __post_init__(self) -> None:
        assert self.name in FAULTS and self.phase in PHASES, self


@dataclass(frozen=True)
class Raw:
    """Bytes to send, in these pieces; then the connection is closed, kept, or left hanging."""

    pieces: tuple[bytes, ...]
    then: str = "close"
    pause: float = 0.002


Plan = Fault | Raw


@dataclass(frozen=True)
class Received:
    """A request as it came."""

    path: str
    headers: dict[str, str]
    body: Any


@dataclass
class FaultServer:
    """The server; runs in a thread of its own between ``__enter__`` and ``__exit__``."""

    plans: tuple[Plan, ...]
    requests: list[Received] = field(default_factory=list)
    connections: int = 0
    open: int = 0

    def __init__(self, *plans: Plan) -> None:
        self.plans = plans or (Fault(),)
        self.requests = []
        self.connections = self.open = self._answered = 0
        #: Set whenever a request has been read, and whenever a connection is over.
        self.asked, self.hung_up = Event(), Event()

    def __enter__(self) -> FaultServer:
        self._loop = asyncio.new_event_loop()
        listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port: int = listener.getsockname()[1]
        self._server = self._loop.run_until_complete(
            asyncio.start_server(self._serve, sock=listener)
        )
        self._thread = Thread(target=self._loop.run_forever, name="fault-server")
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(PATIENCE)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def _stop(self) -> None:
        self._server.close()
        # A socket that was accepted is a connection a few turns of the loop later: cancelled
        # before that, it would be left to the collector.
        for _ in range(4):
            await asyncio.sleep(0)
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.open += 1
        try:
            with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                while await self._answer(reader, writer):
                    pass
        finally:
            self.open -= 1
            writer.transport.abort()
            self.hung_up.set()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; whether the connection may be used again."""
        early = self._plan()
        if isinstance(early, Fault) and early.phase == "connect" and early.name != "none":
            self._answered += 1
            return await _misbehave(early, b"", b"", reader, writer)
        self.requests.append(await _read_request(reader))
        plan = self._plan()
        self._answered += 1
        self.asked.set()
        if isinstance(plan, Raw):
            return await _send_raw(plan, reader, writer)
        return await _send_reply(plan, reader, writer)

    def _plan(self) -> Plan:
        return self.plans[min(self._answered, len(self.plans) - 1)]


async def _read_request(reader: asyncio.StreamReader) -> Received:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.strip().split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Received(first.split()[1], headers, json.loads(body or b"null"))


async def _send_raw(plan: Raw, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    for piece in plan.pieces:
        writer.write(piece)
        await writer.drain()
        await asyncio.sleep(plan.pause)
    if plan.then == "hold":
        await reader.read()
    return plan.then == "keep"


async def _send_reply(
    plan: Fault, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> bool:
    random = Random(repr(plan))
    head, body, end = reply_bytes(plan, chunked=plan.name == "none" or random.random() < 0.7)
    whole = head + body + end
    if plan.name == "none":
        writer.write(whole)
        await writer.drain()
        return end != b""
    at = {
        "connect": 0,  # if another connection was answered since this one was made
        "request": 0,
        "head": random.randint(1, len(head)),
        "body": len(head) + random.randint(1, len(body) - 1),
        "end": len(head) + len(body),
    }[plan.phase]
    return await _misbehave(plan, whole[:at], whole[at:], reader, writer)


async def _misbehave(
    plan: Fault,
    before: bytes,
    after: bytes,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
) -> bool:
    random = Random(repr(plan) + "act")
    writer.write(before)
    await writer.drain()
    await _ACTS[plan.name](plan, random, after, reader, writer)
    return False


# -- what can go wrong --------------------------------------------------------------------


async def _latency(plan, random, after, reader, writer):
    await asyncio.sleep(random.uniform(0.01, 0.15))
    if plan.phase != "connect":
        writer.write(after)
        await writer.drain()


async def _stall(plan, random, after, reader, writer):
    await reader.read()


async def _reset(plan, random, after, reader, writer):
    sock = writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def _half_close(plan, random, after, reader, writer):
    writer.write_eof()
    while await reader.read(65536):
        pass


async def _truncate(plan, random, after, reader, writer):
    writer.close()
    await writer.wait_closed()


async def _slices(plan, random, after, reader, writer):
    while after:
        size = random.randint(1, 40)
        writer.write(after[:size])
        await writer.drain()
        after = after[size:]
        await asyncio.sleep(0.0005)


async def _refuse(plan, random, after, reader, writer):
    if plan.phase in ("connect", "request"):
        body = json.dumps({"error": {"message": f"no luck: {plan.name}"}}).encode()
        framing = f"content-length: {len(body)}\r\nretry-after: {random.choice(['0', '1', 'x'])}"
        head = HEAD.format(status=f"{plan.name} No", type="application/json", framing=framing)
        writer.write(head.encode() + body)
    else:
        writer.write(b'\n\ndata: {"error": {"message": "no luck"}}\n\n')
    await writer.drain()
    writer.write_eof()
    # A close with unread bytes would be a reset, and lose the answer.
    await reader.read()


async def _garbage(plan, random, after, reader, writer):
    writer.write(random.randbytes(random.randint(1, 5000)))
    await writer.drain()
    if random.random() < 0.5:
        await reader.read()


async def _drip(plan, random, after, reader, writer):
    for at in range(len(after)):
        writer.write(after[at : at + 1])
        await writer.drain()
        await asyncio.sleep(0.03)


async def _endless(plan, random, after, reader, writer):
    token = b": still here\n\n" if random.random() < 0.5 else _frame(plan, "more ")
    while True:
        writer.write(b"%x\r\n%s\r\n" % (len(token), token))
        await writer.drain()
        await asyncio.sleep(0.005)


_ACTS: dict[str, Callable[..., Any]] = {
    "latency": _latency,
    "stall": _stall,
    "reset": _reset,
    "half_close": _half_close,
    "truncate": _truncate,
    "slices": _slices,
    "429": _refuse,
    "500": _refuse,
    "503": _refuse,
    "garbage": _garbage,
    "drip": _drip,
    "endless": _endless,
}


# -- well-formed replies, in each dialect -------------------------------------------------


def reply_bytes(plan: Fault, chunked: bool = True) -> tuple[bytes, bytes, bytes]:
    """Head, body and end of the answer to a request."""
    kind = "application/x-ndjson" if plan.dialect == "ollama" else "text/event-stream"
    framing = "transfer-encoding: chunked" if chunked else "connection: close"
    head = HEAD.format(status="200 OK", type=kind, framing=framing).encode()
    frames = [*_opening(plan), *(_frame(plan, word) for word in _words(plan.text)), *_closing(plan)]
    if not chunked:
        return head, b"".join(frames), b""
    return head, b"".join(b"%x\r\n%s\r\n" % (len(each), each) for each in frames), b"0\r\n\r\n"


def _words(text: str) -> Iterator[str]:
    return (text[at : at + 4] for at in range(0, len(text), 4))


def _opening(plan: Fault) -> list[bytes]:
    if plan.dialect != "anthropic":
        return []
    counts = {"input_tokens": 5, "output_tokens": 1}
    return [_event("message_start", {"message": {"role": "assistant", "usage": counts}})]


def _frame(plan: Fault, text: str) -> bytes:
    match plan.dialect:
        case "openai_chat" | "azure_openai":
            return _data({"choices": [{"index": 0, "delta": {"content": text}}]})
        case "openai_completions":
            return _data({"choices": [{"index": 0, "text": text}]})
        case "anthropic":
            delta = {"type": "text_delta", "text": text}
            return _event("content_block_delta", {"index": 0, "delta": delta})
        case "gemini":
            return _data(
                {"candidates": [{"content": {"parts": [{"text": text}], "role": "model"}}]}
            )
        case _:
            return _line({"message": {"role": "assistant", "content": text}, "done": False})


def _closing(plan: Fault) -> list[bytes]:
    match plan.dialect:
        case "anthropic":
            delta = {"stop_reason": "end_turn"}
            ended = {"delta": delta, "usage": {"output_tokens": 7}}
            return [_event("message_delta", ended), _event("message_stop", {})]
        case "ollama":
            return [_line({"done": True, "done_reason": "stop", "prompt_eval_count": 5})]
        case "gemini":
            counts = {"promptTokenCount": 5, "candidatesTokenCount": 7}
            candidate = {"content": {"parts": []}, "finishReason": "STOP"}
            return [_data({"candidates": [candidate], "usageMetadata": counts})]
    choice = {"index": 0, "delta": {}, "text": "", "finish_reason": "stop"}
    usage = {"prompt_tokens": 5, "completion_tokens": 7}
    return [
        _data({"choices": [choice]}),
        _data({"choices": [], "usage": usage}),
        b"data: [DONE]\n\n",
    ]


def _data(value: Any) -> bytes:
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n".encode()


def _event(name: str, value: dict[str, Any]) -> bytes:
    return f"event: {name}\n".encode() + _data({"type": name, **value})


def _line(value: Any) -> bytes:
    return f"{json.dumps(value, ensure_ascii=False)}\n".encode()
