"""Asking an endpoint, in both of its ways."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from toolproto.protocol.messages import ChatRequest, Chunk

Ask = Callable[..., list[Chunk]]


def both_ways(usual: ChatRequest) -> tuple[Ask, Ask]:
    """Two functions that give all chunks of a reply, to *usual* if nothing else is asked."""

    def ask(endpoint: Any, request: ChatRequest = usual) -> list[Chunk]:
        with endpoint.stream(request) as chunks:
            return list(chunks)

    def ask_async(endpoint: Any, request: ChatRequest = usual) -> list[Chunk]:
        async def run() -> list[Chunk]:
            async with endpoint.astream(request) as chunks:
                return [chunk async for chunk in chunks]

        return asyncio.run(run())

    return ask, ask_async
