"""The conversation that a request of Anthropic's API carries, with all that may stand in it.

What a server of the maker once did (a search, code that ran) stands in the model's own turn, call
and result; here they become a call and its result like any other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ....protocol.messages import Message, ToolCall
from ..asked import BadRequest, ClientTool
from ..serving.content import Part, Sees, joined_text, read_part, read_parts, unseen
from ..serving.history import CallHistory
from ..serving.offering import Offering
from ..serving.reading import objects, optional, required, shown

__all__ = ["read_messages"]

_Blocks = Sequence[Mapping[str, Any]]
#: Blocks that say nothing to a model: what was thought, and what was done to the conversation.
_SILENT = (
    *("redacted_thinking", "tool_addition", "tool_removal", "mcp_tool_listing", "fallback"),
    *("container_upload",),
)
#: How much of a server's result is shown that has no text of its own.
_MOST_SHOWN = 20_000


def read_messages(body: Mapping[str, Any], offering: Offering, sees: Sees) -> list[Message]:
    """The messages of *body*."""
    reading = _Reading(offering, sees)
    if system := joined_text(body.get("system"), "system"):
        reading.history.heard("system", [system])
    messages = objects(body, "messages")
    if not messages:
        raise BadRequest("messages must be a list of at least one message", "messages")
    for at, message in enumerate(messages):
        reading.add(message, f"messages[{at}]")
    return reading.history.messages


class _Reading:
    def __init__(self, offering: Offering, sees: Sees) -> None:
        self.history = CallHistory(offering, sees)
        self._offering = offering

    def add(self, message: Mapping[str, Any], path: str) -> None:
        """The next message."""
        match message.get("role"):
            case "user":
                self._hear(_blocks(message, path), f"{path}.content")
            case "assistant":
                self._reply(_blocks(message, path), path)
            case "system":
                self.history.heard("system", read_parts(message.get("content"), f"{path}.content"))
            case other:
                raise BadRequest(f"{path}.role is {shown(other)}", f"{path}.role")

    def _hear(self, blocks: _Blocks, path: str) -> None:
        """What a user says, and the results that come with it, in their order."""
        parts: list[Part] = []
        for at, block in enumerate(blocks):
            where = f"{path}[{at}]"
            if block.get("type") == "tool_result":
                self.history.heard("user", parts)
                parts = []
                self._answer(block, where)
            elif block.get("type") not in _SILENT:
                parts += read_part(block, where)
        self.history.heard("user", parts)

    def _answer(self, block: Mapping[str, Any], path: str) -> None:
        id = required(block, "tool_use_id", str, f"{path}.")
        parts = read_parts(block.get("content"), f"{path}.content")
        is_error = bool(optional(block, "is_error", bool, f"{path}."))
        self.history.answered(id, parts, path, is_error)

    def _reply(self, blocks: _Blocks, path: str) -> None:
        """What the model said, thought and called; a server's result ends a turn of its own."""
        turn = _Turn()
        for at, block in enumerate(blocks):
            where = f"{path}.content[{at}]"
            match block.get("type"):
                case "thinking":
                    turn.thoughts.append(required(block, "thinking", str, f"{where}."))
                case "tool_use":
                    turn.calls.append(self._call(block, f"{where}."))
                case "server_tool_use" | "mcp_tool_use":
                    turn.served.append(self._call(block, f"{where}."))
                case str(kind) if kind.endswith("tool_result"):
                    self._serve(turn, block, where)
                case kind if kind not in _SILENT:
                    turn.parts += _own_parts(block, where)
        self.history.replied(
            turn.parts, [*turn.served, *turn.calls], path, "\n".join(turn.thoughts)
        )

    def _serve(self, turn: _Turn, block: Mapping[str, Any], path: str) -> None:
        """A result that a server gave: the model's turn before it, and the result."""
        id = required(block, "tool_use_id", str, f"{path}.")
        mine = [call for call in turn.served if call.id == id]
        if not mine:
            return
        self.history.replied(turn.parts, mine, path)
        self.history.answered(id, _served_parts(block.get("content"), path), path)
        turn.parts = []
        turn.served = [call for call in turn.served if call.id != id]

    def _call(self, block: Mapping[str, Any], path: str) -> ToolCall:
        tool = ClientTool(required(block, "name", str, path))
        given = required(block, "input", dict, path)
        return ToolCall(self._offering.name_of(tool), given, required(block, "id", str, path))


class _Turn:
    """One turn of the model, while it is read."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.thoughts: list[str] = []
        self.calls: list[ToolCall] = []
        #: Calls of tools that ran on a server, whose results follow in the same turn.
        self.served: list[ToolCall] = []


def _blocks(message: Mapping[str, Any], path: str) -> _Blocks:
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return objects(message, "content", f"{path}.")


def _own_parts(block: Mapping[str, Any], path: str) -> list[Part]:
    if block.get("type") == "compaction":
        content = block.get("content")
        return [content] if isinstance(content, str) else []
    return [*read_part(block, path)]


def _served_parts(content: Any, path: str) -> list[Part]:
    """What a server's result says."""
    match content:
        case str() | None:
            return read_parts(content, path)
        case {"type": "web_fetch_result", "content": dict(document)}:
            return [str(content.get("url", "")), *read_part(document, path)]
        case {"stdout": str(out)}:
            return [out, *([err] if isinstance(err := content.get("stderr"), str) and err else [])]
        case list():
            return [part for each in content for part in _found(each, path)]
    return [json.dumps(content)[:_MOST_SHOWN]]


def _found(each: Any, path: str) -> list[Part]:
    match each:
        case {"type": "web_search_result", "title": title, "url": url}:
            # The page itself is encrypted.
            return [f"[{title}]({url})"]
        case {"type": str()}:
            return [*read_part(each, path)]
    return [unseen("a result")]
