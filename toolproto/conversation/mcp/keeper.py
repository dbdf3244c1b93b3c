"""One MCP server over its lives: opened when it is needed, started again, listed again, called.

Lives on the loop of :mod:`.background`. What others may look at from any thread are values that are
replaced and never changed: the tools, and whether it is open.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED, ElicitRequestParams, ElicitResult

from ...protocol.errors import McpError, ToolFailed
from ...protocol.messages import ToolResult
from ...protocol.tools.context import running_context
from .asking import Caller, elicited
from .background import background
from .config import McpConfig
from .connection import Connection, told
from .pins import Pins
from .results import result_from
from .tools import Listed, ToolListing, listing_of
from .words import plain

__all__ = ["Keeper"]

_log = logging.getLogger("toolproto.mcp")
#: Seconds in which a server may be started again ``restarts`` times.
_WINDOW = 60.0
#: Seconds between two readings of a list that will not stop changing, and for one of them.
_PAUSE = 0.2
_LISTING = 30.0
#: Seconds that a result waits for the list it changed.
_WAIT_FOR_LIST = 2.0
#: Seconds until it is clear that a server is gone, and why.
_UNTIL_GONE = 0.5
#: What the package says when a server over HTTP does not know us any more.
_TERMINATED = "Session terminated"


class Keeper:
    """Keeps the server of *config* going, as far as that is worth it."""

    def __init__(self, config: McpConfig, pins: Pins) -> None:
        self.config = config
        self.listing = ToolListing()
        self.about = ""
        self._pins = pins
        self._raw: Sequence[Any] = ()
        self._connection: Connection | None = None
        self._opening = asyncio.Lock()
        self._starts: deque[float] = deque()
        self._callers: list[Caller] = []
        self._relisting: asyncio.Task[None] | None = None
        # How often the list was said to have changed, and how often of that it was read since.
        self._wanted = self._read = 0
        self._fresh = asyncio.Event()
        self.was_open = False

    @property
    def is_open(self) -> bool:
        """Whether the server can be asked."""
        return self._connection is not None and self._connection.is_alive

    async def opened(self) -> Connection:
        """The connection there is, or a new one; McpError if there can be none."""
        async with self._opening:
            if self._connection is not None and self._connection.is_alive:
                return self._connection
            self._count_start()
            connection = Connection(self.config, self._elicit, self._changed)
            await connection.start()
            try:
                async with asyncio.timeout(self.config.start_timeout):
                    raw = await connection.list_tools()
            except Exception as error:
                await connection.close()
                said = "its list of tools takes too long" if _is_late(error) else told(error)
                raise McpError(said) from None
            self._take(raw)
            self._connection, self.about, self.was_open = connection, connection.about, True
            background.close_at_exit(self, self.close)
            return connection

    async def close(self) -> None:
        """End the server."""
        connection, self._connection = self._connection, None
        background.forget(self)
        if self._relisting is not None:
            self._relisting.cancel()
        if connection is not None:
            await connection.close()

    async def run(self, listed: Listed, arguments: dict[str, Any]) -> ToolResult:
        """Call a tool from wherever the caller waits: the call itself runs on our loop."""
        caller = Caller(running_context.get(), asyncio.get_running_loop())
        return await asyncio.wrap_future(background.submit(self._called(listed, arguments, caller)))

    # -- one call ------------------------------------------------------------------------

    async def _called(
        self, listed: Listed, arguments: dict[str, Any], caller: Caller
    ) -> ToolResult:
        server = self.config.name
        if listed.cautioned:  # nobody gets here without a person's word
            self._pins.accept(server, listed.name, listed.digest)
            self._take(self._raw, again=True)
        try:
            connection = await self.opened()
        except McpError as error:
            raise ToolFailed(f"the MCP server {server!r} is not there: {error}") from None
        self._callers.append(caller)
        try:
            raw = await connection.call(listed.name, arguments, caller.heard)
        except Exception as error:
            raise ToolFailed(await self._why(error, connection)) from None
        finally:
            self._callers.remove(caller)
        await self._relisted()
        return result_from(raw, server, listed.name)

    async def _why(self, error: Exception, connection: Connection) -> str:
        """What to tell the model of a call that came to nothing."""
        server = self.config.name
        if isinstance(error, MCPError) and error.message == _TERMINATED:
            connection.drop()
        if isinstance(error, MCPError) and error.code == CONNECTION_CLOSED:
            await connection.over(_UNTIL_GONE)
        if not connection.is_alive:
            reason = await connection.gone(_UNTIL_GONE)
            return (
                f"the MCP server {server!r} ended before it answered"
                f"{f' ({reason})' if reason else ''}; the call may have taken effect. "
                "It is started again for the next call."
            )
        if isinstance(error, MCPError) and error.code == CONNECTION_CLOSED:
            # Over HTTP one answer can get lost, and the others still come.
            said = plain(error.message, 300)
            return f"no answer came from {server!r}: {said}; the call may have taken effect"
        if isinstance(error, MCPError):
            return plain(error.message, 4_000) or f"error {error.code}"
        return f"the MCP server {server!r} cannot be understood: {told(error)}"

    async def _elicit(self, params: ElicitRequestParams) -> ElicitResult:
        """Ask whoever approves the calls of the session that a call came from."""
        sessions = {id(each.context.session) for each in self._callers if each.context}
        if len(sessions) != 1:  # nobody, or nobody knows who
            return ElicitResult(action="cancel")
        caller = next(each for each in reversed(self._callers) if each.context)
        return await elicited(params, caller, self.config.name)

    # -- its tools -----------------------------------------------------------------------

    def _take(self, raw: Sequence[Any], again: bool = False) -> None:
        """Offer the tools in *raw* from now on; where they are the same, nothing changes."""
        if again or raw != self._raw or not self.was_open:
            self._raw = raw
            self.listing = listing_of(raw, self.config, self._pins, self.run)

    def _changed(self) -> None:
        self._wanted += 1
        if self._relisting is None or self._relisting.done():
            self._relisting = asyncio.create_task(self._relist())

    async def _relist(self) -> None:
        while self._read < self._wanted and self._connection is not None:
            aim = self._wanted
            try:
                async with asyncio.timeout(_LISTING):
                    self._take(await self._connection.list_tools())
            except Exception as error:  # the last list that was read counts
                _log.warning("the tools of %r cannot be read: %s", self.config.name, told(error))
            self._read = aim
            self._fresh.set()
            self._fresh = asyncio.Event()
            # One that changes all the time is read now and then.
            await asyncio.sleep(_PAUSE)

    async def _relisted(self) -> None:
        """Wait for the list that a call has changed, so that the next request shows it."""
        await asyncio.sleep(0)  # for a notification that came before the result
        aim = self._wanted
        with suppress(TimeoutError):
            async with asyncio.timeout(_WAIT_FOR_LIST):
                while self._read < aim:
                    await self._fresh.wait()

    # -- starting again ------------------------------------------------------------------

    def _count_start(self) -> None:
        now = asyncio.get_running_loop().time()
        while self._starts and self._starts[0] < now - _WINDOW:
            self._starts.popleft()
        if len(self._starts) > self.config.restarts:
            raise McpError(
                f"it was started {len(self._starts)} times within a minute; it is not started "
                f"again until that minute is over"
            )
        self._starts.append(now)


def _is_late(error: Exception) -> bool:
    return isinstance(error, TimeoutError)
