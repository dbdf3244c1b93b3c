"""An answer that another server began in an API's words, and that we may have to go on with.

What needs nothing from us is handed on as it came. Once something does, the rest is written by the
API's own writer, behind what has been handed on; or a whole body is written anew around what stays.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Protocol

from ..asked import Asked
from .api import Answer, Stamp, StreamWriter

__all__ = ["Begun", "event_in"]

_scan = json.JSONDecoder().raw_decode


class Begun(Protocol):
    """What is known of such an answer; fresh for each."""

    #: Whether calls have a number and an id of their own in a stream.
    numbers_calls: bool
    #: Whether arguments are JSON text; they are an object otherwise. In a stream, and in a body.
    text_in_stream: bool
    text_in_body: bool
    #: Whether no arguments at all are an empty object in a stream.
    reads_nothing: bool
    #: Whether the finish reason says that there are calls.
    tells_of_calls: bool

    def passed(self, block: bytes) -> None:
        """*block* of the stream was handed on."""
        ...

    def writer(self, asked: Asked, stamp: Stamp) -> StreamWriter:
        """What writes on behind the blocks that were handed on."""
        ...

    def rewritten(self, body: Mapping[str, Any], answer: Answer, asked: Asked) -> dict[str, Any]:
        """*body* with *answer* in place of what it says; all else stays."""
        ...


def event_in(block: bytes) -> dict[str, Any]:
    """The JSON object in *block*; an empty one if there is none."""
    text = block.decode("utf-8", "replace")
    at = text.find("{")
    try:
        value, _ = _scan(text, at) if at >= 0 else ({}, 0)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
