"""What a server that is reached over HTTP may send."""

from __future__ import annotations

import asyncio
import gzip

import httpx2
import pytest

from toolproto.conversation.mcp.http import _client


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
@pytest.mark.parametrize("packing", ["gzip", "GZIP", "identity, gzip", "br"])
def test_a_packed_answer_is_refused_unread(kind: str, packing: str) -> None:
    body = gzip.compress(bytes(20_000_000))
    asked = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        head = f"content-type: {kind}\r\ncontent-encoding: {packing}\r\ncontent-length: {len(body)}"
        writer.write(f"HTTP/1.1 200 OK\r\n{head}\r\n\r\n".encode() + body)
        writer.close()

    async def run() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        async with server, _client() as client:
            with pytest.raises(httpx2.DecodingError, match="packed"):
                await client.get(f"http://127.0.0.1:{port}/")

    asyncio.run(run())
    assert b"accept-encoding: identity" in asked[0].lower()
