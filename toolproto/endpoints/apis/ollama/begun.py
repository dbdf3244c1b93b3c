"""An answer in Ollama's words that another server began."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..asked import Asked
from ..serving.api import Answer, Stamp, StreamWriter
from .server import OllamaApi

__all__ = ["BegunChat"]

_API = OllamaApi()
_WRITTEN = ("content", "thinking", "tool_calls")
_ENDED = ("done", "done_reason")


class BegunChat:
    """Lines that each say all there is to know; one message."""

    numbers_calls = False
    text_in_stream = False
    text_in_body = False
    reads_nothing = False
    tells_of_calls = False

    def passed(self, block: bytes) -> None:
        """Nothing follows from a line."""

    def writer(self, asked: Asked, stamp: Stamp) -> StreamWriter:
        """One that writes further lines."""
        return _API.writer(asked, stamp)

    def rewritten(self, body: Mapping[str, Any], answer: Answer, asked: Asked) -> dict[str, Any]:
        """*body* with another message in it."""
        ours = _API.whole(asked, [answer], Stamp("", 0))
        came: Mapping[str, Any] = body.get("message") or {}
        kept = {name: value for name, value in came.items() if name not in _WRITTEN}
        told = {name: ours[name] for name in _ENDED}
        return {**body, "message": {**kept, **ours["message"]}, **told}
