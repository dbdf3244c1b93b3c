"""What every part of an answer in Ollama's words says, and what its last part says."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from ....protocol.messages import Usage
from ..asked import Asked
from ..serving.api import Stamp
from .names import USAGE

__all__ = ["ending", "response_to"]

_REASONS = {"tool_calls": "stop"}


def response_to(asked: Asked, stamp: Stamp) -> dict[str, Any]:
    """What every part of the response says."""
    created = datetime.fromtimestamp(stamp.created, UTC)
    return {"model": asked.model, "created_at": created.strftime("%Y-%m-%dT%H:%M:%SZ")}


def ending(reason: str, usage: Usage) -> dict[str, Any]:
    """What the last part of a response says."""
    read, written = USAGE
    return {
        "done": True,
        "done_reason": _REASONS.get(reason, reason),
        "total_duration": 0,
        read: usage.input_tokens,
        written: usage.output_tokens,
    }
