"""One life of an MCP server: from its start, or our first word to it, to its end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, suppress
from pathlib import Path
from typing import Any

from mcp.client.session import ClientRequestContext, ClientSession
from mcp.client.subscriptions import listen
from mcp.shared.dispatcher import ProgressFnT
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CONNECTION_CLOSED,
    UNSUPPORTED_PROTOCOL_VERSION,
    ElicitRequestParams,
    ElicitResult,
    ErrorData,
    Implementation,
    InputRequiredResult,
    ListRootsResult,
    PaginatedRequestParams,
    Root,
    ToolListChangedNotification,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from ...package import __version__
from ...protocol.errors import McpError
from .config import McpConfig
from .http import http_streams
from .stdio import LastWords, stdio_streams
from .tools import MOST_TOOLS
from .wire import Wire, kept
from .words import plain

__all__ = ["Connection", "Elicit", "told"]

Elicit = Callable[[ElicitRequestParams], Awaitable[ElicitResult]]

_log = logging.getLogger("toolproto.mcp")
#: Pages of one list, and rounds of questions within one call.
_MOST_PAGES = 100
_MOST_QUESTIONS = 10
#: Seconds that a connection gets to end before it is broken off; a process needs three of them.
_END = 6.0
_LONGEST_ERROR = 2_000

# The package logs whatever a server does wrong; a program that wants to hear of it says so.
for _name in ("mcp", "client"):
    logging.getLogger(_name).addHandler(logging.NullHandler())


class Connection:
    """The server of *config*, once it is started; *changed* is called when its tools change."""

    def __init__(self, config: McpConfig, elicit: Elicit, changed: Callable[[], None]) -> None:
        self.config = config
        self.words = LastWords()
        self._elicit = elicit
        self._changed = changed
        self._session: ClientSession | None = None
        self._wire: Wire | None = None
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._closing = asyncio.Event()
        self._life: asyncio.Task[None] | None = None

    @property
    def is_alive(self) -> bool:
        """Whether it can be asked something."""
        over = self._wire is None or self._wire.over.is_set()
        return self._session is not None and not over and not self._closing.is_set()

    @property
    def about(self) -> str:
        """What the server calls itself, and the protocol it speaks."""
        session = self._session
        named = session.server_info if session else None
        said = f"{plain(named.name, 60)} {plain(named.version, 40)}" if named else "unnamed"
        return f"{said}, MCP {session.protocol_version if session else '?'}"

    async def start(self) -> None:
        """Be connected, or raise an McpError that says why not."""
        self._life = asyncio.create_task(self._live())
        try:
            async with asyncio.timeout(self.config.start_timeout):
                await asyncio.shield(self._ready)
        except TimeoutError:
            await self.close()
            seconds = f"{self.config.start_timeout:g} seconds"
            raise McpError(self._with_words(f"it did not answer within {seconds}")) from None
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """End it; returns when its process is gone."""
        self._closing.set()
        life = self._life
        if life is None:
            return
        if not self._ready.done():
            life.cancel()
        await asyncio.wait([life], timeout=_END)
        if not life.done():
            life.cancel()
            await asyncio.wait([life], timeout=_END)

    async def gone(self, seconds: float) -> str:
        """Why it ended, as far as that is known within *seconds*."""
        if self._life is not None:
            await asyncio.wait([self._life], timeout=seconds)
        return self.words.told

    async def over(self, seconds: float) -> None:
        """Wait until the connection is known to be over, *seconds* at most."""
        if self._wire is not None:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wire.over.wait(), seconds)

    def drop(self) -> None:
        """It is of no use any more: let it end by itself."""
        self._closing.set()

    async def list_tools(self) -> list[Any]:
        """The entries of all pages, as they came."""
        session = self._asked()
        capabilities = session.server_capabilities
        if capabilities is None or capabilities.tools is None:
            return []
        found: list[Any] = []
        cursor: str | None = None
        seen: set[str | None] = set()
        for _ in range(_MOST_PAGES):
            seen.add(cursor)
            with kept() as answers:
                page = await session.list_tools(params=PaginatedRequestParams(cursor=cursor))
            usable = {tool.name for tool in page.tools}
            listed = answers[-1].get("tools")
            found += [
                each
                for each in (listed if isinstance(listed, list) else ())
                if isinstance(each, dict) and each.get("name") in usable
            ]
            cursor = page.next_cursor
            if cursor is None or cursor in seen or len(found) > MOST_TOOLS:
                break
        return found

    async def call(self, tool: str, arguments: dict[str, Any], progress: ProgressFnT) -> Any:
        """The answer to a call of *tool*, as it came; MCPError if the server says it cannot."""
        session = self._asked()
        responses: dict[str, Any] | None = None
        state: str | None = None
        for _ in range(_MOST_QUESTIONS):
            with kept() as answers:
                result = await session.call_tool(
                    tool,
                    arguments,
                    progress_callback=progress,
                    input_responses=responses,
                    request_state=state,
                    allow_input_required=True,
                )
            if not isinstance(result, InputRequiredResult):
                return answers[-1]
            responses = await self._inputs(session, result)
            state = result.request_state
        raise McpError(f"it asked for more {_MOST_QUESTIONS} times in a row")

    # -- its life ------------------------------------------------------------------------

    async def _live(self) -> None:
        try:
            async with self._streams() as (reading, writing):
                wire = self._wire = Wire(reading, writing)
                async with self._made(wire) as session:
                    await _negotiate(session)
                    self._session = session
                    self._ready.set_result(None)
                    await self._until_over(session, wire)
        except asyncio.CancelledError:
            self._fail(McpError("it was closed before it was ready"))
            raise
        except Exception as error:
            said = str(error) if isinstance(error, McpError) else self._with_words(told(error))
            if self._session is not None:
                self.words.fault = self.words.fault or told(error)
            self._fail(McpError(said))
        finally:
            self._session = None
            self._closing.set()

    def _streams(self) -> AbstractAsyncContextManager[tuple[Any, Any]]:
        if self.config.url:
            return http_streams(self.config)
        return stdio_streams(self.config, self.words)

    def _made(self, wire: Wire) -> ClientSession:
        return ClientSession(
            dispatcher=wire,
            elicitation_callback=self._on_elicit,
            list_roots_callback=self._on_roots if self.config.roots else None,
            message_handler=self._on_message,
            client_info=Implementation(name="toolproto", version=__version__),
        )

    async def _until_over(self, session: ClientSession, wire: Wire) -> None:
        waits: list[asyncio.Future[Any]] = [
            asyncio.ensure_future(each.wait()) for each in (wire.over, self._closing)
        ]
        modern = session.protocol_version in MODERN_PROTOCOL_VERSIONS
        if modern:  # there a client has to ask for notifications
            waits.append(asyncio.ensure_future(self._subscribed(session)))
        try:
            await asyncio.wait(waits[:2], return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waits:
                each.cancel()
            await asyncio.wait(waits)

    async def _subscribed(self, session: ClientSession) -> None:
        capabilities = session.server_capabilities
        if not (capabilities and capabilities.tools and capabilities.tools.list_changed):
            return
        for pause in (0.5, 1.0, 2.0, 4.0):
            with suppress(Exception):  # a list that changes unheard is as old as its last reading
                async with listen(session, tools_list_changed=True) as events:
                    async for _ in events:
                        self._changed()
            await asyncio.sleep(pause)

    def _fail(self, error: McpError) -> None:
        if not self._ready.done():
            self._ready.set_exception(error)
            self._ready.exception()  # it may be that nobody waits any more

    def _with_words(self, said: str) -> str:
        words = self.words.told
        return f"{said} ({words})" if words else said

    def _asked(self) -> ClientSession:
        if self._session is None or self._closing.is_set():
            raise MCPError(CONNECTION_CLOSED, "Connection closed")
        return self._session

    async def _inputs(self, session: ClientSession, asked: InputRequiredResult) -> dict[str, Any]:
        """The answers to what the server needs to know before it goes on."""
        answers: dict[str, Any] = {}
        for key, request in (asked.input_requests or {}).items():
            meta = request.params.meta if request.params else None
            context = ClientRequestContext(session=session, request_id=key, meta=meta)
            answer = await session.dispatch_input_request(context, request)
            if isinstance(answer, ErrorData):
                raise MCPError.from_error_data(answer)
            answers[key] = answer
        if not answers:
            await asyncio.sleep(0.1)  # it only wants to be asked again
        return answers

    # -- what the server sends by itself -------------------------------------------------

    async def _on_message(self, message: Any) -> None:
        if isinstance(message, ToolListChangedNotification):
            self._changed()

    async def _on_elicit(
        self, context: ClientRequestContext, params: ElicitRequestParams
    ) -> ElicitResult | ErrorData:
        try:
            return await self._elicit(params)
        except Exception:  # whatever an approver raises is no answer
            _log.exception("a question of the MCP server %r was not answered", self.config.name)
            return ElicitResult(action="cancel")

    async def _on_roots(self, context: ClientRequestContext) -> ListRootsResult:
        folders = [Path(each).expanduser().resolve() for each in self.config.roots]
        told = [{"uri": each.as_uri(), "name": each.name} for each in folders]
        return ListRootsResult(roots=[Root.model_validate(each) for each in told])


async def _negotiate(session: ClientSession) -> None:
    """Agree on a version: today's way first, and the handshake with servers that lack it."""
    try:
        await session.discover()
        return
    except (MCPError, ValidationError, RuntimeError) as error:
        if isinstance(error, MCPError) and error.code == CONNECTION_CLOSED:
            raise
    try:
        await session.initialize()
    except MCPError as error:
        if error.code != UNSUPPORTED_PROTOCOL_VERSION:
            raise
        # One that was too slow to answer at first has taken the first word for today's way.
        await session.discover()


def told(error: BaseException) -> str:
    """What went wrong, in one line; of several things the first."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, ValidationError):
        return "its answer is not one that an MCP server gives"
    if isinstance(error, MCPError) and error.code == CONNECTION_CLOSED:
        return "it ended, or closed the connection"
    said = " ".join(plain(str(error), _LONGEST_ERROR).split())
    return said or type(error).__name__
