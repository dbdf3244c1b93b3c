"""What a server answers, kept as it came, and made safe for whoever parses it next.

The package parses a list of tools as a whole: one schema without a type, and there is no list; one
result of a kind it does not know, and there is no result. It also holds results against schemas
that the same server wrote, patterns included. So the JSON is kept here for us (:func:`kept`), and
the package is handed only what it needs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher

__all__ = ["Wire", "kept"]

_kept: ContextVar[list[Any] | None] = ContextVar("_kept", default=None)


@contextmanager
def kept() -> Iterator[list[Any]]:
    """The answers to what this task asks for inside, as they came."""
    answers: list[Any] = []
    token = _kept.set(answers)
    try:
        yield answers
    finally:
        _kept.reset(token)


class Wire(JSONRPCDispatcher):
    """The package's own end of a connection; *over* is set when the server is gone."""

    def __init__(self, reading: Any, writing: Any) -> None:
        super().__init__(reading, writing)
        self.over = asyncio.Event()

    async def run(self, *handlers: Any, **terms: Any) -> None:
        """Read until the connection ends."""
        try:
            await super().run(*handlers, **terms)
        finally:
            self.over.set()

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: Any = None, **more: Any
    ) -> dict[str, Any]:
        """The answer to a request, as far as the package is to see it."""
        raw = await super().send_raw_request(method, params, opts, **more)
        if (answers := _kept.get()) is not None:
            answers.append(raw)
        return _SAFE[method](raw) if method in _SAFE else raw


def _safe_list(raw: dict[str, Any]) -> dict[str, Any]:
    tools = raw.get("tools")
    safe = [_safe_tool(each) for each in tools if _is_named(each)] if type(tools) is list else []
    cursor = raw.get("nextCursor")
    return {**raw, "tools": safe, "nextCursor": cursor if isinstance(cursor, str) else None}


def _is_named(entry: Any) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("name"), str)


def _safe_tool(entry: dict[str, Any]) -> dict[str, Any]:
    schema = entry.get("inputSchema")
    properties = schema.get("properties") if isinstance(schema, dict) else None
    # Some versions of the protocol want every property to be an object.
    named = properties.items() if isinstance(properties, dict) else ()
    fitting = {name: each for name, each in named if isinstance(each, dict)}
    return {"name": entry["name"], "inputSchema": {"type": "object", "properties": fitting}}


def _safe_result(raw: dict[str, Any]) -> dict[str, Any]:
    if raw.get("resultType") == "input_required":
        return raw
    safe = {key: each for key, each in raw.items() if key in ("_meta", "resultType")}
    return {**safe, "content": []}


_SAFE: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "tools/list": _safe_list,
    "tools/call": _safe_result,
}
