"""Tools in chat completions: how a request offers them, and how an answer calls them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....protocol.errors import WireError
from ....protocol.messages import NativePiece
from ....protocol.tools.spec import ToolOffer
from ..calling import as_function, native_piece
from ..dialect import CALL_END, text_of, written_call

__all__ = ["native_pieces", "object_of", "offer_fields", "written_calls"]

_CHOICES = ("required", "none")


def offer_fields(offer: ToolOffer) -> dict[str, Any]:
    """Return the fields that offer the tools of *offer*, and say how they may be called.

    What is usual is left out, and so is an empty list of tools: OpenAI refuses that, and some
    backends of OpenRouter any ``tool_choice``.
    """
    if not offer.tools:
        return {}
    fields: dict[str, Any] = {"tools": [as_function(tool) for tool in offer.tools]}
    if offer.choice in _CHOICES:
        fields["tool_choice"] = offer.choice
    elif offer.choice != "auto":
        fields["tool_choice"] = {"type": "function", "function": {"name": offer.choice}}
    return fields if offer.parallel else {**fields, "parallel_tool_calls": False}


def native_pieces(said: Any, whole: bool = False) -> tuple[NativePiece, ...]:
    """Return the calls in *said*: a *whole* message, or a piece of one.

    In a whole message each call is there once, so its place is its number.
    """
    if not isinstance(said, dict):
        return ()
    calls = said.get("tool_calls")
    if isinstance(calls, dict):  # text-generation-inference streamed one call, and no list
        calls = [calls]
    if isinstance(calls, list) and calls:
        found = [(at, call) for at, call in enumerate(calls) if isinstance(call, dict)]
        return tuple(_piece(call, at if whole else call.get("index")) for at, call in found)
    old = said.get("function_call")
    return (_piece(old, None),) if isinstance(old, dict) else ()


def _piece(call: Mapping[str, Any], slot: Any) -> NativePiece:
    function = call.get("function")
    # A function of old has nothing around it, and some gateways leave that out.
    called = function if isinstance(function, dict) else call
    return native_piece(slot, call.get("id"), called.get("name"), called.get("arguments"))


def written_calls(said: Any, reason: Any) -> str:
    """Return the calls in *said*, a message or a piece of one, as text in Hermes' form.

    A dialect keeps no state: a call is closed by the beginning of the next one, or by the *reason*
    of the end.
    """
    calls = said.get("tool_calls") if isinstance(said, dict) else None
    written: list[str] = []
    for at, call in enumerate(calls if isinstance(calls, list) else ()):
        function = object_of(object_of(call).get("function") or {})
        if name := text_of(function.get("name")):
            written.append(CALL_END if call.get("index", at) else "")
            written.append(written_call(name, ""))
        written.append(text_of(function.get("arguments")))
    return "".join(written) + (CALL_END if reason == "tool_calls" else "")


def object_of(value: Any) -> dict[str, Any]:
    """Return *value*, which must be an object; WireError otherwise."""
    if not isinstance(value, dict):
        raise WireError(f"a part of the reply is not an object: {str(value)[:200]!r}")
    return value
