"""Tokens that come faster than anybody could see are read together."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from itertools import pairwise

import pytest

from toolproto.endpoints.http.http import AsyncLines
from toolproto.endpoints.http.pacing import _Clock, _Pace
from toolproto.protocol.errors import EndpointError

TOKENS = [f"data: {number}\n\n".encode() for number in range(20)]
HEAD = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"


async def pieces_at(pace: float) -> tuple[list[bytes], float]:
    """What each reading of an answer brings whose first token is waited for; how long they took."""
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
        begun = time.monotonic()
        seen.set()
        while piece := await line.read():
            pieces.append(piece)
    finally:
        await line.close()
        await lines.close()
        server.close()
    return pieces, time.monotonic() - begun


def test_the_first_token_comes_at_once_and_the_others_together():
    pieces, seconds = asyncio.run(pieces_at(0.2))
    assert b"".join(pieces) == b"".join(TOKENS)
    assert pieces[0] == TOKENS[0]
    # One at each tick, and what was left at the end; a crowded machine has more ticks.
    assert len(pieces) < seconds / 0.2 + 4


def test_without_a_pace_nothing_is_changed():
    assert b"".join(asyncio.run(pieces_at(0.0))[0]) == b"".join(TOKENS)


def ticks(connections: int) -> list[float]:
    """When so many connections are looked at, in parts of a tick."""
    clock = _Clock()
    paces = [_Pace(0.05, clock) for _ in range(connections)]
    return sorted({round(clock.left(0.05, number, 7.0), 6) for number in range(len(paces))})


def test_few_connections_are_looked_at_in_one_go_and_many_in_groups():
    assert len(ticks(10)) == 1
    several = ticks(200)
    assert len(several) == 8
    # Evenly, and none of them later than a tick and a bit.
    assert all(abs(late - soon - 0.05 / 8) < 1e-4 for soon, late in pairwise(several))
    assert several[-1] <= 0.05 * 1.1


ENDINGS = {
    "whole": b"0\r\n\r\n",
    "with a trailer": b"0\r\nx: y\r\n\r\n",
    "broken off": b"5\r\nab",
    "no chunk": b"zz\r\n",
    "with an extension": b"3;x=y\r\nabc\r\n0\r\n\r\n",
}


async def outcomes(pace: float, ending: bytes) -> tuple[list[bytes | str], int]:
    """Two answers on the lines of one endpoint, or how they failed; and how many connections."""
    connections: list[asyncio.Task[None] | None] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(asyncio.current_task())
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while await reader.readuntil(b"\r\n\r\n"):
                writer.write(HEAD + b"".join(b"%x\r\n%b\r\n" % (len(t), t) for t in TOKENS))
                writer.write(ending)
                if ending != ENDINGS["whole"]:
                    break
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    lines, found = AsyncLines(False, pace), list[bytes | str]()
    for _ in range(2):
        line = await lines.line()
        try:
            await line.send(url, {}, b"", None, "GET")
            body = b""
            while piece := await line.read():
                body += piece
            found.append(body)
        except EndpointError as error:
            found.append(type(error).__name__)
        finally:
            await line.close()
    await lines.close()
    server.close()
    await asyncio.gather(*filter(None, connections))
    return found, len(connections)


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_answer_ends_as_it_would_without_a_pace(ending):
    paced, plain = (asyncio.run(outcomes(pace, ENDINGS[ending])) for pace in (0.05, 0.0))
    assert paced == plain


def test_a_connection_whose_answer_was_read_is_used_again():
    assert asyncio.run(outcomes(0.05, ENDINGS["whole"])) == ([b"".join(TOKENS)] * 2, 1)
