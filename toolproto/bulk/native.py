"""Native calls as others write them: OpenAI's, Anthropic's, and those of our own columns."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ..protocol.messages import ToolCall
from .offers import decode_json
from .reading import Fields
from .rows import MISSING, column, content, kind, last_message, listed

__all__ = ["Native", "native_rows"]

#: The calls of a row, and what was said before them; or why there are none.
Native = tuple[list[ToolCall], str] | str


def native_rows(batch: Any, fields: Fields) -> Iterator[Native]:
    """The native calls of each row of *batch*: those of its column, or of its last message."""
    faults = column(batch, fields.fault)
    if fields.messages:
        said = [(each, None) for each in column(batch, fields.messages)]
    else:
        texts = column(batch, fields.text)
        said = list(zip(column(batch, fields.calls), texts, strict=True))
    for (value, text), fault in zip(said, faults, strict=True):
        yield fault if isinstance(fault, str) else _native(value, text, fields)


def _native(value: Any, text: Any, fields: Fields) -> Native:
    try:
        if fields.messages:
            message = last_message(value)
            # Anthropic's stand among the parts of what was said.
            parts = message.get("content")
            uses = [each for each in parts if _is_use(each)] if isinstance(parts, list) else []
            return _calls(message.get("tool_calls") or uses), content(parts)
        if value is MISSING:
            return f"no column {fields.calls!r}"
        return _calls(value), content(None if text is MISSING else text)
    except RecursionError:
        return "nested too deeply to be read"
    except ValueError as error:
        return str(error)


def _is_use(part: Any) -> bool:
    return isinstance(part, Mapping) and part.get("type") == "tool_use"


def _calls(value: Any) -> list[ToolCall]:
    if value is None or value == "null":
        return []
    return [_call(each, number) for number, each in enumerate(listed(value, "calls"), 1)]


def _call(call: Any, number: int) -> ToolCall:
    if not isinstance(call, Mapping):
        raise ValueError(f"call {number} is {kind(call)}, not an object")
    function = call.get("function") or call
    if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
        raise ValueError(f"call {number} has no name")
    arguments = function.get("arguments", function.get("input"))
    return ToolCall(
        function["name"], _arguments(arguments, number), str(call.get("id") or f"call_{number}")
    )


def _arguments(arguments: Any, number: int) -> Mapping[str, Any]:
    if isinstance(arguments, str):
        try:
            arguments = decode_json(arguments or "{}")
        except json.JSONDecodeError as error:
            raise ValueError(f"the arguments of call {number} are not JSON: {error.msg}") from None
    if isinstance(arguments, list) and all(isinstance(each, tuple) for each in arguments):
        arguments = dict(arguments)  # a column of maps
    if not isinstance(arguments or {}, Mapping):
        raise ValueError(f"the arguments of call {number} are {kind(arguments)}, not an object")
    return arguments or {}
