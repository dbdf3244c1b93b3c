"""Chat completions, as OpenAI's client and those that follow it hold them."""

from __future__ import annotations

import json

from asking import Call, Reply, Result

__all__ = ["read", "said", "terms"]


def terms(tools, choice, parallel):
    """What a request says about *tools*: nothing, if there are none."""
    if not tools:
        return {}
    if choice not in ("auto", "required", "none"):
        choice = {"type": "function", "function": {"name": choice}}
    offered = [{"type": "function", "function": {"name": n, **t}} for n, t in tools.items()]
    return {"tools": offered, "tool_choice": choice, "parallel_tool_calls": parallel}


def said(turn):
    """*turn* as a message."""
    match turn:
        case Reply():
            return turn.native
        case Result():
            return {"role": "tool", "tool_call_id": turn.call.id, "content": turn.text}
    return {"role": "user", "content": turn}


def read(choice):
    """The reply in a choice of a completion."""
    message = choice.message
    calls = [
        Call(call.id, call.function.name, json.loads(call.function.arguments))
        for call in message.tool_calls or []
    ]
    return Reply(message.content or "", calls, choice.finish_reason, message)
