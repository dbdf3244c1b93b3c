"""The words of Ollama's API: options, usage, ends, and what all of its answers say."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from ....protocol.messages import Usage
from ..asked import Asked
from ..serving.api import Stamp

__all__ = ["OPTIONS", "USAGE", "ending", "response_to"]

#: Options that say how to generate; the others say how to load a model. Those that OpenAI has
#: no name for keep their own, which most local servers know.
OPTIONS = {
    "temperature": "temperature",
    "num_predict": "max_tokens",
    "num_ctx": "num_ctx",
    "top_p": "top_p",
    "top_k": "top_k",
    "min_p": "min_p",
    "seed": "seed",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
    "repeat_penalty": "repeat_penalty",
}
#: Where the tokens of the input and those of the output are counted.
USAGE = ("prompt_eval_count", "eval_count")
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
