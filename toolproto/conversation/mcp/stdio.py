"""A server that is a process of this machine, spoken to over its standard input and output."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from subprocess import PIPE
from typing import Any

import anyio
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.stdio import StdioServerParameters, get_default_environment, stdio_client
from mcp.os.posix.utilities import terminate_posix_process_tree
from mcp.shared.message import SessionMessage
from mcp_types import (
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    jsonrpc_message_adapter,
)

from ...protocol.errors import McpError
from .config import LONGEST_MESSAGE, McpConfig

__all__ = ["LastWords", "stdio_streams"]

_log = logging.getLogger("toolproto.mcp")
#: Of what a server writes to its standard error, the end is kept: the reason stands there.
_LAST_WORDS = 2_000
#: Lines that are no message, one after the other, before a server counts as none.
_MOST_JUNK = 1_000
#: Seconds that a server gets to end by itself once its input is closed, and again after SIGTERM.
_PATIENCE = 1.0
#: A pipe that the other side, or we, have closed.
_CLOSED = (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream, OSError)


class LastWords:
    """The end of what a server wrote to its standard error, and how its process ended."""

    def __init__(self) -> None:
        self.text = ""
        self.process: Process | None = None
        self.fault = ""

    def hear(self, said: bytes) -> None:
        """Keep the end of *said*, which the server wrote."""
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
    """Start the process of *config* and yield its streams of messages; it ends with the block."""
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
    try:
        async with _pumped(process, words) as streams:
            yield streams
    finally:
        # A task of its own: who closes a server that ends already must not cut its end short.
        await asyncio.shield(asyncio.ensure_future(_ended(process)))


async def _started(config: McpConfig) -> Process:
    try:
        return await anyio.open_process(
            [config.command or "", *config.args],
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env=get_default_environment() | dict(config.env),
            cwd=config.cwd,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        told = getattr(error, "strerror", None) or str(error)
        raise McpError(f"{config.command!r} cannot be started: {told}") from None


async def _ended(process: Process) -> None:
    """Close the input of *process*, and wait, ask, or make it end, with all of its group."""
    assert process.stdin
    with suppress(*_CLOSED):
        await process.stdin.aclose()
    await _exit_of(process)
    # Also if it has ended: it may have left children behind.
    await terminate_posix_process_tree(process, _PATIENCE)
    await _exit_of(process)
    with anyio.move_on_after(_PATIENCE), suppress(PermissionError):
        await process.aclose()


async def _exit_of(process: Process, seconds: float = _PATIENCE) -> None:
    # Not ``wait()``: some versions also wait for the pipes, which a child may hold open.
    with anyio.move_on_after(seconds):
        while process.returncode is None:
            await anyio.sleep(0.01)


@asynccontextmanager
async def _pumped(process: Process, words: LastWords) -> AsyncIterator[tuple[Any, Any]]:
    """Yield the pipes of *process* as streams of messages."""
    incoming, reading = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    writing, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
    with incoming, reading, writing, outgoing:
        async with anyio.create_task_group() as pumps:
            pumps.start_soon(_read, process, incoming, words)
            pumps.start_soon(_write, process, outgoing, incoming)
            pumps.start_soon(_listen, process, words)
            try:
                yield reading, writing
            finally:
                pumps.cancel_scope.cancel()


async def _read(
    process: Process,
    incoming: MemoryObjectSendStream[SessionMessage | Exception],
    words: LastWords,
) -> None:
    """Send on each line that is a message.

    The package's own client puts a line together by adding to a string, as long as it may be: for
    one of 52 MB, 29 seconds of a processor's time were not enough. Here a line has a bound.
    """
    assert process.stdout
    lines = BufferedByteReceiveStream(process.stdout)
    junk = 0
    with incoming, suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        while junk < _MOST_JUNK:
            try:
                line = await lines.receive_until(b"\n", LONGEST_MESSAGE)
            except anyio.IncompleteRead:
                await _exit_of(process, 0.2)  # its code tells why
                return
            except anyio.DelimiterNotFound:
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
    """Return the message in *line*, None if there is none.

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
    assert process.stdin
    try:
        async for each in outgoing:
            line = each.message.model_dump_json(by_alias=True, exclude_unset=True)
            await process.stdin.send(f"{line}\n".encode())
    except _CLOSED:
        incoming.close()  # nobody reads there any more: the connection is over


async def _listen(process: Process, words: LastWords) -> None:
    assert process.stderr
    with suppress(*_CLOSED):
        async for said in process.stderr:
            words.hear(said)
