"""McpServer: an MCP server as a source of tools, started when it is needed and ended with care."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypedDict, Unpack

from ...package import install_command
from ...protocol.errors import McpError, UsageError
from ...protocol.tools.define import Risk, Tool
from ...protocol.tools.sources import ToolSource
from .config import McpConfig, config_of, name_of
from .pins import Pins

if TYPE_CHECKING:
    from .keeper import Keeper

__all__ = ["McpServer", "McpTerms"]

#: Seconds beyond its own bounds after which an answer from our own thread is not waited for.
_SLACK = 30.0


class McpTerms(TypedDict, total=False):
    """How a server is used; see :class:`~toolproto.conversation.mcp.config.McpConfig`.

    *name* is made of the command or the url, where nobody gives one. *pins* is a file that
    remembers what the server said about its tools, from one program to the next.
    """

    name: str
    env: Mapping[str, str]
    cwd: str | Path | None
    type: str
    timeout: float | None
    start_timeout: float
    restarts: int
    risk: Risk | None
    risks: Mapping[str, Risk]
    prefix: bool
    roots: Sequence[str | Path]
    trusted: bool
    pins: Pins | str | Path | None


class McpServer(ToolSource):
    """The tools of an MCP server, for a session or a registry.

    ``McpServer("npx", "-y", "@modelcontextprotocol/server-memory")`` starts a process,
    ``McpServer(url="https://…/mcp", headers={…})`` reaches one. A session opens it before its first
    turn and, if nobody else had, closes it with itself; ``with`` does both here. It may be used by
    several sessions at once and from any thread.
    """

    def __init__(
        self,
        command: str | None = None,
        *args: str,
        url: str | None = None,
        headers: Mapping[str, str] | None = None,
        **terms: Unpack[McpTerms],
    ) -> None:
        told: dict[str, Any] = {
            **{key: each for key, each in terms.items() if key not in ("name", "pins")},
            **({"command": command, "args": list(args)} if command is not None else {}),
            **({"url": url} if url is not None else {}),
            **({"headers": dict(headers)} if headers else {}),
        }
        for key, each in [(key, told[key]) for key in ("cwd", "roots") if told.get(key)]:
            told[key] = str(each) if key == "cwd" else [str(folder) for folder in each]
        name = terms.get("name") or name_of(url or command or "server", *args)
        pins = terms.get("pins")
        self._init(config_of(name, told, strict=True), pins)

    @classmethod
    def from_config(cls, config: McpConfig, pins: Pins | str | Path | None = None) -> Self:
        """The server that *config* describes."""
        made = cls.__new__(cls)
        made._init(config, pins)
        return made

    def _init(self, config: McpConfig, pins: Pins | str | Path | None) -> None:
        self.config = config
        self.name = config.name
        self._pins = pins if isinstance(pins, Pins) else Pins(pins)
        self._keeper: Keeper | None = None

    def __repr__(self) -> str:
        state = f"{len(self.tools())} tools" if self.is_open else "closed"
        return f"<McpServer {self.name}: {state}>"

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        await self.aopen()
        return self

    async def __aexit__(self, *failure: object) -> None:
        await self.aclose()

    def tools(self) -> Sequence[Tool]:
        """What it has at the moment; before it was opened, nothing. Never waits."""
        return self._keeper.listing.tools if self._keeper else ()

    @property
    def labels(self) -> Mapping[str, tuple[str, ...]]:
        """What had to be changed about its tools so that they can be used, by name."""
        return self._keeper.listing.labels if self._keeper else {}

    @property
    def about(self) -> str:
        """What it calls itself, and the protocol it speaks."""
        return self._keeper.about if self._keeper else ""

    @property
    def is_open(self) -> bool:
        """Whether it runs and answers, as far as is known."""
        return self._keeper is not None and self._keeper.is_open

    def open(self) -> None:
        """Start or reach it and wait until its tools are known.

        Raises McpError if that fails. One that was open before and ended is started again; if that
        fails, its tools stay, and say so when they are called.
        """
        if not self.is_open:
            opening = self._opening()
            try:
                opening.result(2 * self.config.start_timeout + _SLACK)
            except (McpError, FutureTimeout) as error:
                self._failed(error)
            except BaseException:  # Ctrl-C: nobody waits for it any more
                opening.cancel()
                raise

    async def aopen(self) -> None:
        """Like :meth:`open`, awaited."""
        import asyncio

        if not self.is_open:
            try:
                await asyncio.wrap_future(self._opening())
            except McpError as error:
                self._failed(error)

    def close(self) -> None:
        """End the server and wait until its process is gone; it can be opened again."""
        if self._keeper is not None:
            with suppress(FutureTimeout):
                self._submit(self._keeper.close()).result(_SLACK)

    async def aclose(self) -> None:
        """Like :meth:`close`, awaited."""
        import asyncio

        if self._keeper is not None:
            await asyncio.shield(asyncio.wrap_future(self._submit(self._keeper.close())))

    def _opening(self) -> Future[Any]:
        if self._keeper is None:
            self._keeper = _keeper(self.config, self._pins)
            # Tools hold the keeper and never this object: when the last session that could use it
            # is gone, so is the process.
            weakref.finalize(self, _abandon, self._keeper).atexit = False
        return self._submit(self._keeper.opened())

    def _failed(self, error: Exception) -> None:
        if self._keeper is not None and self._keeper.was_open:
            return
        said = str(error) or "it did not answer in time"
        raise McpError(f"the MCP server {self.name!r} ({self.config}): {said}") from None

    def _submit(self, work: Any) -> Future[Any]:
        from .background import background

        return background.submit(work)


def _keeper(config: McpConfig, pins: Pins) -> Keeper:
    try:
        from .keeper import Keeper
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in ("mcp", "mcp_types", "httpx2", "anyio"):
            raise
        raise UsageError(f"MCP servers need an extra; run: {install_command('mcp')}") from None
    return Keeper(config, pins)


def _abandon(keeper: Keeper) -> None:
    from .background import background

    with suppress(RuntimeError):  # the interpreter ends, and the loop with it
        background.submit(keeper.close())
