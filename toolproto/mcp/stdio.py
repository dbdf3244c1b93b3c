"""A server that is a process of this machine, spoken to over its standard input and output."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.stdio import StdioServerParameters, get_default_environment, stdio_client
from mcp.shared.message import SessionMessage
from mcp_types import (
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    jsonrpc_message_adapter,
)

from ..errors import McpError
from .config import LONGEST_MESSAGE, McpConfig
from .processes import ended, watched

__all__ = ["LastWords", "stdio_streams"]

_log = logging.getLogger("toolproto.mcp")
#: Of what a server writes to its standard error, the end is kept: the reason stands there.
_LAST_WORDS = 2_000
#: Lines that are no message, one after the other, before a server counts as none.
_MOST_JUNK = 1_000


class LastWords:
    """The end of what a server wrote to its standard error, and how its process ended."""

    def __init__(self) -> None:
        self.text = ""
        self.process: Process | None = None
        self.fault = ""

    def hear(self, said: bytes) -> None:
        """The server wrote *said*."""
        self.text = (self.text + said.decode("utf-8", "replace"))[-_LAST_WORDS:]

    @property
    def told(self) -> str:
        """For an error: what it did, its exit code, and the last thing it said."""
        code = self.process.returncode if self.process else None
        parts = [self.fault] if self.fault else []
        if code is not None and not self.fault:
            parts.append(f"exit code {code}")
        if lines := self.text.strip().splitlines():
            parts.append(f"its last words: {lines[-1].strip()[:300]}")
        return "; ".join(parts)


@asynccontextmanager
async def stdio_streams(config: McpConfig, words: LastWords) -> AsyncIterator[tuple[Any, Any]]:
    """What can be read from and written to the process of *config*, which ends with the block."""
    if sys.platform == "win32":  # it has neither groups of processes nor our way to end them
        parameters = StdioServerParameters(
            command=config.command or "",
            args=list(config.args),
            env=dict(config.env),
            cwd=config.cwd,
        )
        async with stdio_client(parameters) as streams:
            yield streams
        return
    process = words.process = await _started(config)
    watched(process)
    try:
        async with _pumped(process, words) as streams:
            yield streams
    finally:
        await asyncio.shield(asyncio.ensure_future(ended(process)))
        _close_transport(process)


async def _started(config: McpConfig) -> Process:
    try:
        return await asyncio.create_subprocess_exec(
            config.command or "",
            *config.args,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env=get_default_environment() | dict(config.env),
            cwd=config.cwd,
            limit=LONGEST_MESSAGE,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        told = getattr(error, "strerror", None) or str(error)
        raise McpError(f"{config.command!r} cannot be started: {told}") from None


@asynccontextmanager
async def _pumped(process: Process, words: LastWords) -> AsyncIterator[tuple[Any, Any]]:
    """The pipes of *process* as streams of messages."""
    incoming, reading = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    writing, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
    pumps = [
        asyncio.create_task(_read(process, incoming, words)),
        asyncio.create_task(_write(process, outgoing, incoming)),
        asyncio.create_task(_listen(process, words)),
    ]
    try:
        yield reading, writing
    finally:
        for pump in pumps:
            pump.cancel()
        await asyncio.wait(pumps)
        for stream in (incoming, reading, writing, outgoing):
            stream.close()


async def _read(
    process: Process,
    incoming: MemoryObjectSendStream[SessionMessage | Exception],
    words: LastWords,
) -> None:
    assert process.stdout is not None
    junk = 0
    with incoming, suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        while junk < _MOST_JUNK:
            try:
                line = await process.stdout.readuntil(b"\n")
            except asyncio.IncompleteReadError:
                # The exit code tells why, once it is known.
                with suppress(TimeoutError):
                    await asyncio.wait_for(process.wait(), 0.2)
                return
            except asyncio.LimitOverrunError:
                words.fault = f"it sent a message of more than {LONGEST_MESSAGE:,} bytes"
                return
            message = _message(line)
            if message is None:
                junk += 1
                _log.debug("an MCP server printed %r", line[:200])
                continue
            junk = 0
            await incoming.send(SessionMessage(message))
        words.fault = f"it printed {junk:,} lines that are not messages"


def _message(line: bytes) -> JSONRPCMessage | None:
    """The message in *line*, None if there is none.

    An answer that is none is an error to whoever waits for it: otherwise they would wait for good.
    """
    try:
        return jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        pass
    with suppress(ValueError, RecursionError):
        told = json.loads(line)
        waits = isinstance(told, dict) and "method" not in told
        if waits and isinstance(told.get("id"), int | str):
            fault = ErrorData(code=PARSE_ERROR, message="the answer is not one that MCP knows")
            return JSONRPCError(jsonrpc="2.0", id=told["id"], error=fault)
    return None


async def _write(
    process: Process,
    outgoing: MemoryObjectReceiveStream[SessionMessage],
    incoming: MemoryObjectSendStream[SessionMessage | Exception],
) -> None:
    assert process.stdin is not None
    try:
        async for each in outgoing:
            line = each.message.model_dump_json(by_alias=True, exclude_unset=True)
            process.stdin.write(f"{line}\n".encode())
            await process.stdin.drain()
    except OSError:
        incoming.close()  # nobody reads there any more: the connection is over


async def _listen(process: Process, words: LastWords) -> None:
    assert process.stderr is not None
    while said := await process.stderr.read(4096):
        words.hear(said)


def _close_transport(process: Process) -> None:
    """Close what a child that lives on may hold open; asyncio shows it to nobody."""
    transport = getattr(process, "_transport", None)
    if transport is not None:
        with suppress(PermissionError):
            transport.close()
