"""How a result is shown to the model without being able to pass for anything else.

A result is whatever a tool returned: a web page, a file, another model's words. It must not be
able to end the block it stands in, open another, call a tool or bring chat-template tokens into
the conversation. Each function is given the one that sees to that, *defuse*.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from html import escape

from ..messages import ToolResult

__all__ = ["Defuse", "json_result", "labelled_result", "tagged_result"]

#: Makes text from outside neutral: a paradigm's ``neutralise``.
Defuse = Callable[[str], str]


def tagged_result(tag: str, result: ToolResult, defuse: Defuse) -> str:
    """*result* in a block of its own: ``<tag name=… id=…>`` … ``</tag>``."""
    error = ' error="true"' if result.is_error else ""
    name, id = (defuse(escape(text)) for text in (result.call.name, result.call.id))
    return f'<{tag} name="{name}" id="{id}"{error}>\n{defuse(result.content)}\n</{tag}>'


def labelled_result(label: str, result: ToolResult, defuse: Defuse) -> str:
    """*result* behind a label: ``Observation: get_weather (call_1): …``."""
    error = ", error" if result.is_error else ""
    name, id = (defuse(escape(text)) for text in (result.call.name, result.call.id))
    return f"{label} {name} ({id}{error}): {defuse(result.content)}"


def json_result(result: ToolResult, defuse: Defuse) -> str:
    """*result* as a line of JSON: ``{"tool_call_result": {"toolCallId": …, "result": …}}``."""
    told: dict[str, object] = {
        "toolCallId": defuse(result.call.id),
        "name": defuse(result.call.name),
    }
    if result.is_error:
        told["isError"] = True
    told["result"] = defuse(result.content)
    return json.dumps({"tool_call_result": told}, ensure_ascii=False)
