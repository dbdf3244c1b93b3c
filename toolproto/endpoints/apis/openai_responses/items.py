"""The conversation in the input of OpenAI's responses: items, of which some make one message."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ....protocol.messages import Message, ToolCall
from ..asked import BadRequest, ClientTool
from ..openai_chat.names import ROLES
from ..serving.content import Part, Sees, joined_text, read_part, read_parts
from ..serving.history import CallHistory
from ..serving.offering import Offering
from ..serving.reading import listed, optional, read_arguments, required, shown
from .names import CALLS
from .tools import arguments_of

__all__ = ["read_input"]

_OUTPUTS = (
    *("function_call_output", "custom_tool_call_output", "local_shell_call_output"),
    *("shell_call_output", "apply_patch_call_output", "computer_call_output"),
    "tool_search_output",
)
#: What a server did whose traces say nothing that a model could use, or what the client did to
#: the conversation: what was thought, searches whose findings stand in the answer, lists of tools
#: and permissions, settings.
_SILENT = (
    *("reasoning", "web_search_call", "image_generation_call", "mcp_list_tools"),
    *("mcp_approval_request", "mcp_approval_response", "additional_tools"),
    *("configuration_update", "compaction_trigger", "program", "program_output"),
)
#: What a server did, and what came of it.
_SERVED = ("mcp_call", "file_search_call", "code_interpreter_call")
_COMPACTED = "[What was said before was compacted by another service, and cannot be read here.]"


def read_input(
    instructions: str | None, given: Any, offering: Offering, sees: Sees
) -> list[Message]:
    """The messages of a request."""
    items = _Items(offering, sees)
    if instructions:
        items.history.heard("system", [instructions])
    if isinstance(given, str) and given:
        items.history.heard("user", [given])
    elif isinstance(given, list) and given:
        for at, item in enumerate(given):
            items.add(item, f"input[{at}]")
    else:
        raise BadRequest("input must be a string or a list of at least one item", "input")
    return items.messages


class _Items:
    """Items of the input, of which a reply and the calls made with it are one message."""

    def __init__(self, offering: Offering, sees: Sees) -> None:
        self.history = CallHistory(offering, sees)
        self._offering = offering
        self._parts: list[Part] = []
        self._calls: list[ToolCall] = []
        #: What the items themselves are called that are calls: some outputs name those.
        self._items: dict[str, str] = {}
        self._path = "input"

    @property
    def messages(self) -> list[Message]:
        """All of them."""
        self._end_reply()
        return self.history.messages

    def add(self, item: Any, path: str) -> None:
        """The next item."""
        kind = optional(item, "type", str, f"{path}.") if isinstance(item, Mapping) else None
        if kind in CALLS:
            self._path = path
            self._calls.append(self._call(item, CALLS[kind], f"{path}."))
        elif kind in _OUTPUTS:
            self._end_reply()
            self._answer(item, kind, path)
        elif kind in _SERVED:
            self._serve(item, kind, path)
        elif kind == "compaction":
            self._end_reply()
            self.history.heard("user", [_COMPACTED])
        elif kind in _SILENT:
            pass
        elif kind in (None, "message") and isinstance(item, Mapping) and "role" in item:
            self._add_message(item, path)
        elif kind is not None:
            raise BadRequest(f"{path}: items of type {shown(kind)} cannot be used here", path)
        else:
            raise BadRequest(f"{path} must be an item with a type or a role", path)

    def _add_message(self, item: Mapping[str, Any], path: str) -> None:
        parts = read_parts(item.get("content"), f"{path}.content")
        match item.get("role"):
            case "assistant":
                # Words after calls begin another reply.
                if self._calls:
                    self._end_reply()
                self._parts += parts
            case str(role) if role in ROLES:
                self._end_reply()
                self.history.heard(ROLES[role], parts)
            case other:
                raise BadRequest(f"{path}.role is {shown(other)}", f"{path}.role")

    def _call(self, item: Mapping[str, Any], kind: str, path: str) -> ToolCall:
        named = kind in ("function", "custom")
        name = required(item, "name", str, path) if named else kind
        namespace = optional(item, "namespace", str, path) if named else None
        id = optional(item, "call_id", str, path) or required(item, "id", str, path)
        if isinstance(own := item.get("id"), str):
            self._items[own] = id
        tool = ClientTool(name, kind, namespace)
        return ToolCall(self._offering.name_of(tool), arguments_of(item, kind, path), id)

    def _answer(self, item: Mapping[str, Any], kind: str, path: str) -> None:
        id = optional(item, "call_id", str, f"{path}.") or required(item, "id", str, f"{path}.")
        failed = item.get("status") in ("failed", "incomplete")
        self.history.answered(self._items.get(id, id), _output(item, kind, path), path, failed)

    def _serve(self, item: Mapping[str, Any], kind: str, path: str) -> None:
        """Something that a server did: a call, and its result at once."""
        self._end_reply()
        id = required(item, "id", str, f"{path}.")
        call, parts = _served(item, kind, path)
        self.history.replied([], [ToolCall(self._offering.name_of(call[0]), call[1], id)], path)
        self.history.answered(id, parts, path, bool(item.get("error")))

    def _end_reply(self) -> None:
        if self._parts or self._calls:
            self.history.replied(self._parts, self._calls, self._path)
            self._parts, self._calls = [], []


def _output(item: Mapping[str, Any], kind: str, path: str) -> list[Part]:
    """What came of a call."""
    if kind == "tool_search_output":
        found = ", ".join(str(tool.get("name")) for tool in listed(item, "tools"))
        return [f"You may call these tools now: {found}" if found else "No tool was found."]
    output = item.get("output")
    if kind == "computer_call_output":
        return [*read_part(output, f"{path}.output")]
    if kind == "shell_call_output" and isinstance(output, list):
        return [_printed(each) for each in output if isinstance(each, Mapping)]
    if kind == "apply_patch_call_output" and output is None:
        return [str(item.get("status", "completed"))]
    return read_parts(output, f"{path}.output")


def _printed(part: Mapping[str, Any]) -> str:
    """What one command of a shell printed, and how it ended."""
    texts = [text for key in ("stdout", "stderr") if (text := part.get(key))]
    match part.get("outcome"):
        case {"type": "exit", "exit_code": code} if code:
            texts.append(f"[exit code {code}]")
        case {"type": "timeout"}:
            texts.append("[timed out]")
    return "\n".join(map(str, texts))


def _served(
    item: Mapping[str, Any], kind: str, path: str
) -> tuple[tuple[ClientTool, dict[str, Any]], list[Part]]:
    match kind:
        case "mcp_call":
            server = optional(item, "server_label", str, f"{path}.")
            tool = ClientTool(required(item, "name", str, f"{path}."), namespace=server)
            given = read_arguments(item.get("arguments") or "{}", f"{path}.arguments")
            came = item.get("output") or item.get("error") or ""
            return (tool, given), [came if isinstance(came, str) else json.dumps(came)]
        case "file_search_call":
            found = [joined_text(_found(each), path) for each in listed(item, "results")]
            return (ClientTool("file_search"), {"queries": item.get("queries")}), [*found]
    logs = [str(each.get("logs", "")) for each in listed(item, "outputs")]
    return (ClientTool("code_interpreter"), {"code": item.get("code")}), [*logs]


def _found(result: Mapping[str, Any]) -> str:
    return f"[{result.get('filename')}]\n{result.get('text')}"
