"""How a result is shown to the model without being able to pass for anything else.

A result is whatever a tool returned: a web page, a file, another model's words. It must not be
able to end the block it stands in, open another, or bring chat-template tokens into the
conversation.
"""

from __future__ import annotations

import json
import re
from html import escape

from ..messages import ToolResult

__all__ = ["json_result", "tagged_result"]

_TEMPLATE_TOKEN = re.compile(r"<(?=[|｜])|\[(?=/?INST\])", re.IGNORECASE)


def tagged_result(tag: str, result: ToolResult) -> str:
    """*result* in a block of its own: ``<tag name=… id=…>`` … ``</tag>``."""
    error = ' error="true"' if result.is_error else ""
    name, id = escape(result.call.name), escape(result.call.id)
    return f'<{tag} name="{name}" id="{id}"{error}>\n{_defused(tag, result.content)}\n</{tag}>'


def _defused(tag: str, content: str) -> str:
    """*content* in which every ``<`` that could begin a marker of ours is written ``&lt;``."""
    family = tag.split("_")[0]
    marker = re.compile(rf"<(?=\s*[/\\]?\s*{re.escape(family)})", re.IGNORECASE)
    return _TEMPLATE_TOKEN.sub(_spelled, marker.sub("&lt;", content))


def _spelled(match: re.Match[str]) -> str:
    return "&lt;" if match.group() == "<" else "&#91;"


def json_result(result: ToolResult) -> str:
    """*result* as a line of JSON: ``{"tool_call_result": {"toolCallId": …, "result": …}}``."""
    told: dict[str, object] = {"toolCallId": result.call.id, "name": result.call.name}
    if result.is_error:
        told["isError"] = True
    told["result"] = result.content
    line = json.dumps({"tool_call_result": told}, ensure_ascii=False)
    # Between quotes, "<" may as well be written as its escape: a template token then is none.
    return line.replace("<|", "\\u003c|").replace("<｜", "\\u003c｜")
