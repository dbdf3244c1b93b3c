"""What goes back to a client of OpenAI's responses: a response, and the items it is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ....protocol.messages import Usage
from ..asked import Asked, ClientTool
from ..pieces import Ended
from ..serving.api import Answer, Stamp, WrittenCall
from .names import CUT, MESSAGE, PREFIXES, REASONING, TextKind
from .tools import call_fields, item_type

__all__ = [
    "ResponsesAsked",
    "call_item",
    "ended_response",
    "item_id",
    "response_to",
    "text_item",
    "text_part",
    "whole_response",
]


@dataclass(frozen=True, slots=True)
class ResponsesAsked(Asked):
    """A request of which the response repeats a part."""

    instructions: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    format: Mapping[str, Any] = field(default_factory=lambda: {"type": "text"})
    definitions: tuple[Mapping[str, Any], ...] = ()
    choice: Any = "auto"
    previous: str | None = None
    store: bool = True
    #: Told of the response when it is whole.
    keep: Callable[[Mapping[str, Any]], None] | None = field(default=None, compare=False)


def whole_response(asked: Asked, answer: Answer, stamp: Stamp) -> dict[str, Any]:
    """*answer* as a response."""
    texts = [(REASONING, answer.thought)] if answer.thought else []
    texts += [(MESSAGE, answer.text)] if answer.text.strip() else []
    output = [
        text_item(kind, item_id(kind.prefix, stamp, at), text)
        for at, (kind, text) in enumerate(texts)
    ]
    if answer.reason in CUT and output and not answer.calls:
        output[-1]["status"] = "incomplete"
    for call in answer.calls:
        output.append(call_item(stamp, len(output), call, asked.tool(call.name)))
    return ended_response(asked, stamp, output, Ended(answer.reason, answer.usage))


def item_id(prefix: str, stamp: Stamp, index: int) -> str:
    """An id for the item that stands at *index*."""
    return f"{prefix}_{stamp.id}{index:04d}"


# -- items --------------------------------------------------------------------------------


def text_part(kind: TextKind, text: str) -> dict[str, Any]:
    """The one part of an item of *kind*."""
    more: dict[str, Any] = {"annotations": [], "logprobs": []} if kind is MESSAGE else {}
    return {"type": kind.part, "text": text, **more}


def text_item(
    kind: TextKind, id: str, text: str | None, status: str = "completed"
) -> dict[str, Any]:
    """An item of *kind*; it has no content yet if *text* is None."""
    more: dict[str, Any] = {"role": "assistant"} if kind is MESSAGE else {"summary": []}
    content = [] if text is None else [text_part(kind, text)]
    return {"id": id, "type": kind.type, "status": status, **more, "content": content}


def call_item(
    stamp: Stamp, index: int, call: WrittenCall, tool: ClientTool, status: str = "completed"
) -> dict[str, Any]:
    """The item at *index*, which is a call of *tool*."""
    kind = item_type(tool)
    return {
        "id": item_id(PREFIXES.get(kind, "fc"), stamp, index),
        "type": kind,
        "status": status,
        "call_id": call.id,
        **call_fields(tool, call.arguments),
    }


# -- responses ----------------------------------------------------------------------------


def response_to(asked: Asked, stamp: Stamp, status: str) -> dict[str, Any]:
    """A response that has said nothing yet."""
    known = asked if isinstance(asked, ResponsesAsked) else ResponsesAsked(asked.model, ())
    return {
        "id": f"resp_{stamp.id}",
        "object": "response",
        "created_at": stamp.created,
        "status": status,
        "background": False,
        "error": None,
        "incomplete_details": None,
        "instructions": known.instructions,
        "max_output_tokens": asked.params.get("max_tokens"),
        "metadata": known.metadata,
        "model": asked.model,
        "output": [],
        "parallel_tool_calls": asked.offer.parallel,
        "previous_response_id": known.previous,
        "reasoning": {"effort": asked.params.get("reasoning_effort"), "summary": None},
        "store": known.store and known.keep is not None,
        "temperature": asked.params.get("temperature"),
        "text": {"format": known.format},
        "tool_choice": _choice(known.choice),
        "tools": [_tool(tool) for tool in known.definitions],
        "top_p": asked.params.get("top_p"),
        "truncation": "disabled",
        "usage": None,
        "user": None,
    }


def _choice(choice: Any) -> Any:
    """The client's own choice; a word of other makers is said in the API's."""
    return "required" if choice == "any" else choice


def _tool(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    """A tool as the client defined it, with what the API fills in."""
    if tool.get("type") != "function" or "function" in tool:
        return tool
    return {"description": None, "parameters": None, "strict": False, **tool}


def ended_response(
    asked: Asked, stamp: Stamp, output: list[dict[str, Any]], ended: Ended
) -> dict[str, Any]:
    """The response that has come to its end with *output*."""
    reason = CUT.get(ended.reason)
    response = {
        **response_to(asked, stamp, "incomplete" if reason else "completed"),
        "incomplete_details": {"reason": reason} if reason else None,
        "output": output,
        "usage": _usage(ended.usage),
    }
    if isinstance(asked, ResponsesAsked) and asked.keep is not None and asked.store:
        asked.keep(response)
    return response


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "input_tokens": usage.input_tokens,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": usage.output_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage.input_tokens + usage.output_tokens,
    }
