"""How a result is shown to the model without being able to pass for anything else.

A result is whatever a tool returned: a web page, a file, another model's words. It must not be
able to end the block it stands in, open another, call a tool or bring chat-template tokens into
the conversation. Each function is given the one that sees to that, *defuse*.

An id is shown only where the model writes ids itself. To any other it tells nothing, and a small
model takes it for a value: of 687 calls of Qwen2.5-Coder-0.5B that could not be used in BFCL's
conversations, 64 had the id of a result in them, as ``ticket_id`` and the like.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import escape

from ..messages import ToolResult

__all__ = ["Defuse", "json_result", "labelled_result", "tagged_result", "worded_result"]

#: Makes text from outside neutral: a paradigm's ``neutralise``.
Defuse = Callable[[str], str]

_LINE_END = re.compile(r"\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]")


def tagged_result(tag: str, result: ToolResult, defuse: Defuse, with_id: bool = False) -> str:
    """*result* in a block of its own: ``<tag name=…>`` … ``</tag>``."""
    error = ' error="true"' if result.is_error else ""
    name, id = (defuse(escape(text)) for text in (result.call.name, result.call.id))
    known = f' id="{id}"' if with_id else ""
    return f'<{tag} name="{name}"{known}{error}>\n{defuse(result.content)}\n</{tag}>'


def labelled_result(label: str, result: ToolResult, defuse: Defuse, with_id: bool = False) -> str:
    """*result* behind a label: ``Observation: get_weather: …``."""
    name, id = (defuse(escape(text)) for text in (result.call.name, result.call.id))
    about = ", ".join([*([id] if with_id else []), *(["error"] if result.is_error else [])])
    return f"{label} {name}{about and f' ({about})'}: {defuse(result.content)}"


def worded_result(result: ToolResult, defuse: Defuse, with_id: bool = False) -> str:
    """*result* behind words: ``Result of get_weather: …``.

    The lines behind its first are indented, so that none of them passes for another result.
    """
    return _LINE_END.sub(r"\g<0>  ", labelled_result("Result of", result, defuse, with_id))


def json_result(result: ToolResult, defuse: Defuse, named: bool = True) -> str:
    """*result* as a line of JSON: ``{"tool_call_result": {"toolCallId": …, "result": …}}``.

    With *named* it says of which tool it is, for a model that was shown no ids.
    """
    told: dict[str, object] = {"toolCallId": defuse(result.call.id)}
    if named:
        told["name"] = defuse(result.call.name)
    if result.is_error:
        told["isError"] = True
    told["result"] = defuse(result.content)
    return json.dumps({"tool_call_result": told}, ensure_ascii=False)
