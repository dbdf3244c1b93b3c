"""MCP servers from where a person keeps them: the command line, and ``[mcp.NAME]`` in the settings.

::

    [mcp.files]
    command = "npx"
    args = ["-y", "@modelcontextprotocol/server-filesystem", "."]

    [mcp.search]
    url = "https://example.com/mcp"
    headers = { Authorization = "Bearer ${SEARCH_TOKEN}" }
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

from ..protocol.errors import McpError, UsageError
from .settings import Settings
from .state import state_folder

if TYPE_CHECKING:
    from ..conversation.mcp import McpConfig, McpServer

__all__ = ["TriedServer", "configured_servers", "opened_servers"]


@dataclass(frozen=True, slots=True)
class TriedServer:
    """A server that was tried: open, or why it is not."""

    server: McpServer
    seconds: float
    fault: str = ""


def configured_servers(sources: Sequence[str], settings: Settings) -> list[McpServer]:
    """The servers of the settings, and those that *sources* name; of one name, the latter.

    Whatever a server said about its tools is remembered from one time to the next.
    """
    from ..conversation.mcp import McpServer
    from ..conversation.mcp.config import config_of, parse_source
    from ..conversation.mcp.pins import Pins

    found: dict[str, McpConfig] = {}
    for name, told in settings.trusted_table("mcp").items():
        if not isinstance(told, dict):
            raise UsageError(f"{settings.path}: {name!r} must be a table, like [mcp.{name}]")
        if told.get("disabled") is not True:
            usable = {key: each for key, each in told.items() if key != "disabled"}
            found[name] = config_of(name, usable, strict=True)
    named = [config for source in sources for config in parse_source(source)]
    for config in named:
        if [each.name for each in named].count(config.name) > 1:
            raise UsageError(f"two MCP servers are called {config.name!r}; name them in a file")
        found[config.name] = config
    pins = Pins(state_folder() / "mcp_pins.json") if found else None
    return [McpServer.from_config(config, pins) for config in found.values()]


def opened_servers(servers: Sequence[McpServer]) -> Iterator[TriedServer]:
    """Open *servers*, all at the same time; each with what came of it, in their order."""
    if servers:
        with ThreadPoolExecutor(len(servers)) as pool:
            yield from pool.map(_opened, servers)


def _opened(server: McpServer) -> TriedServer:
    begun = monotonic()
    try:
        server.open()
    except McpError as error:
        return TriedServer(server, monotonic() - begun, str(error))
    return TriedServer(server, monotonic() - begun)
