"""What goes back to a client of OpenAI's responses: a response, and the items it is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ...messages import Usage
from ..asked import Asked
from ..pieces import Ended
from .base import Answer, Stamp, WrittenCall

__all__ = [
    "CUT",
    "MESSAGE",
    "REASONING",
    "ResponsesAsked",
    "TextKind",
    "call_item",
    "ended_response",
    "item_id",
    "response_to",
    "text_item",
    "text_part",
    "whole_response",
]

#: Why a response is incomplete.
CUT = {"length": "max_output_tokens", "content_filter": "content_filter"}


@dataclass(frozen=True, slots=True)
class ResponsesAsked(Asked):
    """A request of which the response repeats a part."""

    instructions: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    format: Mapping[str, Any] = field(default_factory=lambda: {"type": "text"})


class TextKind(NamedTuple):
    """An item that is text: *prefix* begins its id, *event* the names of what adds to it."""

    type: str
    prefix: str
    part: str
    event: str


MESSAGE = TextKind("message", "msg", "output_text", "response.output_text")
REASONING = TextKind("reasoning", "rs", "reasoning_text", "response.reasoning_text")


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
        output.append(call_item(item_id("fc", stamp, len(output)), call))
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


def call_item(id: str, call: WrittenCall, status: str = "completed") -> dict[str, Any]:
    """An item that is a call."""
    return {
        "id": id,
        "type": "function_call",
        "status": status,
        "call_id": call.id,
        "name": call.name,
        "arguments": call.arguments,
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
        "previous_response_id": None,
        "reasoning": {"effort": asked.params.get("reasoning_effort"), "summary": None},
        "store": False,
        "temperature": asked.params.get("temperature"),
        "text": {"format": known.format},
        "tool_choice": _choice(asked.offer.choice),
        "tools": _tools(asked),
        "top_p": asked.params.get("top_p"),
        "truncation": "disabled",
        "usage": None,
        "user": None,
    }


def _choice(choice: str) -> str | dict[str, str]:
    if choice in ("auto", "none", "required"):
        return choice
    return {"type": "function", "name": choice}


def _tools(asked: Asked) -> list[dict[str, Any]]:
    return [
        {
            "type": "function",
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.parameters,
            "strict": tool.name in asked.strict,
        }
        for tool in asked.offer.tools
    ]


def ended_response(
    asked: Asked, stamp: Stamp, output: list[dict[str, Any]], ended: Ended
) -> dict[str, Any]:
    """The response that has come to its end with *output*."""
    reason = CUT.get(ended.reason)
    return {
        **response_to(asked, stamp, "incomplete" if reason else "completed"),
        "incomplete_details": {"reason": reason} if reason else None,
        "output": output,
        "usage": _usage(ended.usage),
    }


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "input_tokens": usage.input_tokens,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": usage.output_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage.input_tokens + usage.output_tokens,
    }
