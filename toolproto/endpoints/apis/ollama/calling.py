"""Tools in Ollama's chats: how a request offers them, and how an answer calls them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from ....protocol.messages import Message, NativePiece
from ....protocol.tools.spec import ToolOffer
from ..calling import as_function, native_piece, shown_by, words_of
from ..dialect import CALL_END, Dialect, written_call

__all__ = ["acting_messages", "native_pieces", "offered_tools", "plain_message", "written_calls"]


def offered_tools(offer: ToolOffer) -> dict[str, Any]:
    """Return the field that offers the tools of *offer*.

    Ollama has no word for a choice: a tool that must not be called is not offered to it.
    """
    others = offer.choice in ("auto", "required")
    tools = [tool for tool in offer.tools if others or tool.name == offer.choice]
    return {"tools": [as_function(tool) for tool in tools]} if tools else {}


def plain_message(message: Message) -> dict[str, Any]:
    """Return *message* as text and pictures, whatever else it has."""
    images = [each.data for each in message.attachments]
    seen = {"images": images} if images else {}
    return {"role": message.role, "content": message.content, **seen}


def acting_messages(dialect: Dialect, message: Message) -> Iterator[dict[str, Any]]:
    """Yield *message*, with its calls and results as such, as one message or several."""
    for result in message.results:
        seen, hidden = shown_by(dialect, result)
        images = {"images": [each.data for each in seen]} if seen else {}
        told = {"tool_name": result.call.name, "tool_call_id": result.call.id, **images}
        yield {"role": "tool", "content": words_of(result, hidden), **told}
    if message.calls:
        # What was thought before a call goes with it; the model's template decides what it keeps.
        thought = {"thinking": message.reasoning} if message.reasoning else {}
        yield {**plain_message(message), **thought, "tool_calls": _calls(message)}
    elif message.content or message.attachments or not message.results:
        yield plain_message(message)


def _calls(message: Message) -> list[dict[str, Any]]:
    return [
        {
            "id": call.id,
            "function": {"index": at, "name": call.name, "arguments": dict(call.arguments)},
        }
        for at, call in enumerate(message.calls)
    ]


def native_pieces(calls: Any) -> tuple[NativePiece, ...]:
    """Return the *calls* of an answer, each of which comes whole."""
    found: Sequence[Any] = calls if isinstance(calls, list) else ()
    return tuple(_piece(call) for call in found if isinstance(call, dict))


def _piece(call: dict[str, Any]) -> NativePiece:
    function = call.get("function")
    called = function if isinstance(function, dict) else {}
    arguments = called.get("arguments")
    whole = {} if arguments is None else arguments
    return native_piece(called.get("index"), call.get("id"), called.get("name"), whole)


def written_calls(calls: Any) -> Iterator[str]:
    """Yield *calls*, which come whole, as text in Hermes' form."""
    for call in calls if isinstance(calls, list) else ():
        match call:
            case {"function": {"name": str(name), "arguments": dict(arguments)}}:
                yield written_call(name, json.dumps(arguments)) + CALL_END
