"""A backend that answers with what it was asked for, errs now and then, and goes away all the time.

Each request holds a canary, and so does its answer: a call of ``note`` with the canary in it, or a
sentence. While it is away it does not listen, and whoever it was talking to is hung up on.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
from contextlib import suppress

__all__ = ["CANARY", "FlappingBackend"]

CANARY = re.compile(r"canary-[0-9a-f]{16}")
_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: %b\r\ntransfer-encoding: chunked\r\n\r\n"
_BUSY = b'{"error": {"message": "not now"}}'


class FlappingBackend:
    """Serves OpenAI's chat completions at *port*, if it is there.

    *size* is the characters of a token, *pause* the most seconds between two of them.
    """

    def __init__(self, port: int, dice: random.Random, size: int = 4, pause: float = 0.03) -> None:
        self._port = port
        self._dice = dice
        self._size = size
        self._pause = pause
        self._server: asyncio.Server | None = None
        self._talking: set[asyncio.StreamWriter] = set()
        #: How many replies are being given, and how many were.
        self.open = 0
        self.given = 0

    async def come(self) -> None:
        """Listen."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self._port)

    def leave(self) -> None:
        """Hang up on everybody."""
        if self._server is not None:
            self._server.close()
        for writer in self._talking:
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._talking.add(writer)
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                while await self._answered(reader, writer):
                    pass
        finally:
            self._talking.discard(writer)
            writer.close()

    async def _answered(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: *(\d+)", head)
        body = await reader.readexactly(int(length[1])) if length else b""
        self.open += 1
        try:
            return await self._reply(head, body.decode(), writer)
        finally:
            self.open -= 1
            self.given += 1

    async def _reply(self, head: bytes, body: str, writer: asyncio.StreamWriter) -> bool:
        canary, luck = CANARY.search(body), self._dice.random()
        if b"/models" in head or canary is None:
            _whole(writer, b"200 OK", b'{"object": "list", "data": []}')
            return True
        if luck < 0.03:
            _whole(writer, b"429 Too Many Requests", _BUSY)
            return True
        said = self._said(body, canary[0], luck)
        if not json.loads(body).get("stream"):
            choice = {"index": 0, "message": {"content": said}, "finish_reason": "stop"}
            _whole(writer, b"200 OK", json.dumps({"choices": [choice]}).encode())
            return True
        writer.write(_HEAD % b"text/event-stream")
        for at in range(0, len(said), self._size):
            _event(writer, {"content": said[at : at + self._size]}, None)
            await writer.drain()
            await asyncio.sleep(self._dice.random() * self._pause)
            if luck > 0.98:
                return False  # in the middle
        _event(writer, {}, "stop")
        writer.write(b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n")
        await writer.drain()
        return True

    def _said(self, body: str, canary: str, luck: float) -> str:
        if "tool_code" not in body:
            return f"You said {canary}, and so do I."
        if luck < 0.06:
            return f"I fly. <tool_code>{json.dumps({'name': 'fly'})}</tool_code>"
        call = {"name": "note", "arguments": {"text": f"{canary} " + "and so on " * 8}}
        return f"I note it.\n<tool_code>{json.dumps(call)}</tool_code>"


def _event(writer: asyncio.StreamWriter, delta: dict[str, str], reason: str | None) -> None:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    event = f"data: {json.dumps({'choices': [choice]})}\n\n".encode()
    writer.write(b"%x\r\n%b\r\n" % (len(event), event))


def _whole(writer: asyncio.StreamWriter, status: bytes, body: bytes) -> None:
    head = b"HTTP/1.1 %b\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
    writer.write(head % (status, len(body)) + body)
