"""Opening the sources of tools before a turn begins, all at the same time."""

from __future__ import annotations

import asyncio

from ...protocol.tools.registry import ToolRegistry
from .running_calls import in_thread

__all__ = ["aopen_sources", "open_sources"]


def open_sources(tools: ToolRegistry) -> None:
    """Wait until every source of *tools* can be used; the first that cannot raises why."""
    closed = [source for source in tools.sources if not source.is_open]
    if len(closed) == 1:
        closed[0].open()
        return
    for opening in [in_thread(source.open) for source in closed]:
        opening.result()


async def aopen_sources(tools: ToolRegistry) -> None:
    """Like :func:`open_sources`, awaited."""
    closed = [source for source in tools.sources if not source.is_open]
    if closed:
        await asyncio.gather(*(source.aopen() for source in closed))
