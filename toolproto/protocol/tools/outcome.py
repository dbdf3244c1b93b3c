"""What a tool gave back, as the model will be told it.

A tool returns text, anything JSON can hold, or a :class:`ToolOutput` with more than that; what it
raises becomes an error result. Neither can end a turn.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from ..errors import ToolFailed
from ..messages import Attachment, ToolCall, ToolResult

__all__ = ["ToolOutput", "bounded", "error_result", "result_of", "says_that_it_failed"]

_NOTHING = "(no output)"
_MOST_ITEMS = 10_000


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """A tool's answer with more than text: *output* is for the model, the rest for the program.

    *trusted* says whose text it is, if that differs from the tool's other results.
    """

    output: Any
    title: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    attachments: tuple[Any, ...] = ()
    trusted: bool | None = None


def says_that_it_failed(result: ToolResult) -> bool:
    """Whether *result* is an error, or tells of one.

    Many programs and services return an object with an error instead of raising one.
    """
    return result.is_error or result.content.lstrip().startswith('{"error"')


def result_of(call: ToolCall, value: Any) -> ToolResult:
    """The result of *call* when its function returned *value*."""
    if isinstance(value, ToolResult):
        return replace(value, call=call, content=_as_text(value.content))
    if isinstance(value, ToolOutput):
        content = _as_text(value.output)
        kept = (value.title, dict(value.metadata), tuple(value.attachments))
        return ToolResult(call, content, False, *kept, value.trusted)
    if isinstance(value, Attachment):
        return ToolResult(call, f"[{value}]", attachments=(value,))
    return ToolResult(call, _as_text(value))


def error_result(call: ToolCall, error: BaseException) -> ToolResult:
    """The result of *call* when its function raised *error*: its words, no traceback."""
    said = _told(error)
    if not isinstance(error, ToolFailed):
        said = f"{type(error).__name__}: {said}" if said else type(error).__name__
    metadata = {"exception": type(error).__name__}
    return ToolResult(call, said or "it failed", is_error=True, metadata=metadata)


def bounded(result: ToolResult, limit: int) -> ToolResult:
    """*result* with at most *limit* characters for the model; the whole is in ``metadata["full"]``.

    What is kept is the beginning and a shorter end, where errors and totals tend to stand.
    """
    content = result.content
    if len(content) <= limit:
        return result
    note = f"\n[… {{:,}} of {len(content):,} characters left out …]\n"
    room = max(limit - len(note.format(len(content))), 0)
    tail = room // 4
    left_out = note.format(len(content) - room)
    kept = content[: room - tail] + left_out + content[len(content) - tail :]
    return replace(result, content=kept, metadata={**result.metadata, "full": content})


def _told(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # an error that cannot tell itself is told by its name
        return ""


def _as_text(value: Any) -> str:
    if isinstance(value, str):
        return value or _NOTHING
    if value is None:
        return _NOTHING
    if isinstance(value, Iterator):  # one without end would never be written out
        value = list(islice(value, _MOST_ITEMS))
    if isinstance(value, bytes | bytearray | memoryview):
        return f"({len(value)} bytes of binary data)"
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return _written_out(value)


def _written_out(value: Any) -> str:
    """*value* as JSON where its type is pydantic's business, else as Python would print it."""
    # pydantic is imported by the first tool that needs it, not with the package.
    from pydantic_core import PydanticSerializationError, to_jsonable_python

    try:
        jsonable = to_jsonable_python(value, inf_nan_mode="strings", serialize_unknown=True)
        return json.dumps(jsonable, ensure_ascii=False)
    except (PydanticSerializationError, TypeError, ValueError, RecursionError):
        return str(value)
