"""Tokens that come faster than anybody could see are read together."""

from __future__ import annotations

import asyncio

from toolproto.endpoints.http import AsyncLines

TOKENS = [f"data: {number}\n\n".encode() for number in range(20)]
HEAD = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"


async def pieces_at(pace: float) -> list[bytes]:
    """What each reading of an answer brings whose first token is waited for."""
    seen = asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(HEAD)
        for token in TOKENS:
            await asyncio.sleep(0.005)
            writer.write(b"%x\r\n%b\r\n" % (len(token), token))
            await writer.drain()
            await seen.wait()  # nothing follows until the first token was seen
        writer.write(b"0\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    lines = AsyncLines(False, pace)
    line = await lines.line()
    try:
        await line.send(f"http://127.0.0.1:{port}/", {}, b"", None, "GET")
        pieces = [await line.read()]
        seen.set()
        while piece := await line.read():
            pieces.append(piece)
    finally:
        await line.close()
        await lines.close()
        server.close()
    return pieces


def test_the_first_token_comes_at_once_and_the_others_together():
    pieces = asyncio.run(pieces_at(0.2))
    assert b"".join(pieces) == b"".join(TOKENS)
    assert pieces[0] == TOKENS[0]
    assert len(pieces) < len(TOKENS) / 2


def test_without_a_pace_nothing_is_changed():
    assert b"".join(asyncio.run(pieces_at(0.0))) == b"".join(TOKENS)
