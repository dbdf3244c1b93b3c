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

__all__ = ["json_result", "labelled_result", "tagged_result"]

_TAG = re.compile(r"</?([A-Za-z][\w:.-]*)>")
_TEMPLATE_TOKEN = re.compile(
    r"<(?=[|｜]|/?s>|(?:start|end)_of_turn>|/?think)|\[(?=/?INST\])", re.IGNORECASE
)


def tagged_result(tag: str, result: ToolResult, markers: tuple[str, ...] = ()) -> str:
    """*result* in a block of its own: ``<tag name=… id=…>`` … ``</tag>``.

    *markers* are what else must not appear in it: the paradigm's own.
    """
    error = ' error="true"' if result.is_error else ""
    name, id = (_defused(escape(text), ()) for text in (result.call.name, result.call.id))
    content = _defused(result.content, (f"<{tag}>", f"</{tag}>", *markers))
    return f'<{tag} name="{name}" id="{id}"{error}>\n{content}\n</{tag}>'


def labelled_result(label: str, result: ToolResult, markers: tuple[str, ...] = ()) -> str:
    """*result* behind a label: ``Observation: get_weather (call_1): …``.

    Nothing in it can pass for a label, or for one of *markers*.
    """
    error = ", error" if result.is_error else ""
    own = (label, *markers)
    name, id = (_defused(escape(text), own) for text in (result.call.name, result.call.id))
    return f"{label} {name} ({id}{error}): {_defused(result.content, own)}"


def _defused(content: str, markers: tuple[str, ...]) -> str:
    """*content* in which the first character of whatever could be a marker is spelled out."""
    for marker in markers:
        content = _beginning(marker).sub(_spelled, content)
    return _TEMPLATE_TOKEN.sub(_spelled, content)


def _beginning(marker: str) -> re.Pattern[str]:
    """What *marker* begins with, in any spelling: a tag by its name, another by all of it."""
    tag = _TAG.fullmatch(marker.strip())
    if tag:
        return re.compile(rf"<(?=\s*[/\\]?\s*{re.escape(tag.group(1))})", re.IGNORECASE)
    first, rest = re.escape(marker[0]), re.escape(marker[1:].strip())
    return re.compile(rf"{first}(?={rest})" if marker.strip() else r"(?!)")


def _spelled(match: re.Match[str]) -> str:
    return "&lt;" if match.group() == "<" else f"&#{ord(match.group())};"


def json_result(result: ToolResult) -> str:
    """*result* as a line of JSON: ``{"tool_call_result": {"toolCallId": …, "result": …}}``."""
    told: dict[str, object] = {"toolCallId": result.call.id, "name": result.call.name}
    if result.is_error:
        told["isError"] = True
    told["result"] = result.content
    line = json.dumps({"tool_call_result": told}, ensure_ascii=False)
    # Between quotes a character may as well be written as its escape: then it begins no token.
    return _TEMPLATE_TOKEN.sub(lambda found: f"\\u{ord(found.group()):04x}", line)
