"""Messages of a request without tools, for a backend whose chat template wants them in order.

Many templates refuse a conversation in which the same side speaks twice, or in which a system
message stands anywhere but first. Requests with tools are put into order anyway; these keep all
else that they came with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["in_turns"]

_SYSTEM = ("system", "developer")


def in_turns(messages: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """*messages*, of any API with roles, with one system message first and roles that take turns.

    What the same side said twice in a row becomes one message, with the fields of the first.
    """
    system = [{**each, "role": "system"} for each in messages if each.get("role") in _SYSTEM]
    spoken = [each for each in messages if each.get("role") not in _SYSTEM]
    ordered: list[Mapping[str, Any]] = []
    for message in (*system, *spoken):
        if ordered and ordered[-1].get("role") == message.get("role"):
            ordered[-1] = _joined(ordered[-1], message)
        else:
            ordered.append(message)
    return ordered


def _joined(one: Mapping[str, Any], two: Mapping[str, Any]) -> dict[str, Any]:
    first, second = one.get("content"), two.get("content")
    if isinstance(first, str) and isinstance(second, str):
        content: Any = "\n\n".join(filter(None, (first, second)))
    else:
        content = [*_parts(first), *_parts(second)]
    # Ollama's images stand beside the text.
    images = [*(one.get("images") or ()), *(two.get("images") or ())]
    return {**one, "content": content, **({"images": images} if images else {})}


def _parts(content: Any) -> list[Any]:
    if isinstance(content, list):
        return content
    return [{"type": "text", "text": content}] if content else []
