"""What a server's answer to a call is, for the model and for the program.

The model reads text. Pictures, sounds and files become attachments (JSON values, their ``data`` in
base64), and the text says that they are there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from ...protocol.messages import ToolCall, ToolResult
from .words import plain

__all__ = ["result_from"]

#: Of one answer. A session shows the model less (``TurnLimits.result_characters``).
_MOST_BLOCKS = 1_000
_LONGEST = 4_000_000
_NOTHING = "(no output)"


def result_from(raw: Any, server: str, tool: str) -> ToolResult:
    """The result that *raw*, the answer to a call of *tool*, stands for; never raises."""
    told = raw if isinstance(raw, Mapping) else {}
    blocks = told.get("content")
    texts: list[str] = []
    attachments: list[dict[str, Any]] = []
    for block in blocks[:_MOST_BLOCKS] if isinstance(blocks, list) else ():
        kind = block.get("type") if isinstance(block, Mapping) else None
        read = _READ.get(kind) if isinstance(kind, str) else None
        text, attached = (
            read(block) if read else (f"[content of an unknown kind: {kind!r:.40}]", None)
        )
        texts.append(text)
        attachments += [attached] if attached else []
    metadata: dict[str, Any] = {"mcp": {"server": server, "tool": tool}}
    structured = told.get("structuredContent")
    if structured is not None:
        metadata["structured"] = structured
        if not any(texts):  # the same is due as text, for those who read only that
            texts = [json.dumps(structured, ensure_ascii=False)]
    content = "\n".join(filter(None, texts))[:_LONGEST] or _NOTHING
    # Whoever runs the call puts its own in.
    return ToolResult(
        ToolCall(tool, {}),
        content,
        is_error=told.get("isError") is True,
        metadata=metadata,
        attachments=tuple(attachments),
    )


_Read = tuple[str, dict[str, Any] | None]


def _text(block: Mapping[str, Any]) -> _Read:
    text = block.get("text")
    return (text if isinstance(text, str) else "[text that is none]"), None


def _media(block: Mapping[str, Any]) -> _Read:
    return _attached(str(block["type"]), block, block.get("data"))


def _resource(block: Mapping[str, Any]) -> _Read:
    held = block.get("resource")
    held = held if isinstance(held, Mapping) else {}
    uri = plain(held.get("uri"), 500)
    if isinstance(text := held.get("text"), str):
        return f"[{uri or 'a resource'}]\n{text}", None
    return _attached("resource", held, held.get("blob"), uri)


def _link(block: Mapping[str, Any]) -> _Read:
    parts = [plain(block.get(key), 500) for key in ("title", "name", "description")]
    named = ", ".join(filter(None, dict.fromkeys(parts)))
    return f"[link to {plain(block.get('uri'), 1_000)}{f': {named}' if named else ''}]", None


def _attached(kind: str, block: Mapping[str, Any], data: Any, uri: str = "") -> _Read:
    media_type = plain(block.get("mimeType"), 100) or "application/octet-stream"
    if not isinstance(data, str):
        return f"[{kind} without data]", None
    attachment = {"type": kind, "media_type": media_type, "data": data}
    if uri:
        attachment["uri"] = uri
    size = len(data) * 3 // 4
    named = f" {uri}" if uri else ""
    return f"[{kind}{named}, {media_type}, about {size:,} bytes: attached]", attachment


_READ: dict[str, Callable[[Mapping[str, Any]], _Read]] = {
    "text": _text,
    "image": _media,
    "audio": _media,
    "resource": _resource,
    "resource_link": _link,
}
