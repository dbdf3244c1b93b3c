"""A chat completion that another server began."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..asked import Asked
from ..serving.api import Answer, Stamp
from ..serving.begun import event_in
from .answer import OpenAIChunkWriter, whole_completion
from .names import THOUGHTS

__all__ = ["BegunCompletion"]

#: What of a message is written anew; all else stays as it came.
_WRITTEN = ("content", "tool_calls", "function_call", *THOUGHTS)


class BegunCompletion:
    """Chunks that have said who they are; one message."""

    numbers_calls = True
    text_in_stream = True
    text_in_body = True
    reads_nothing = False
    tells_of_calls = True

    def __init__(self) -> None:
        self._common: dict[str, Any] = {}

    def passed(self, block: bytes) -> None:
        """Its id, time, model and the like are those of all chunks."""
        if not self._common:
            event = event_in(block)
            self._common = {k: v for k, v in event.items() if k not in ("choices", "usage")}

    def writer(self, asked: Asked, stamp: Stamp) -> OpenAIChunkWriter:
        """One that says of its chunks what the others said."""
        writer = OpenAIChunkWriter(asked, stamp)
        if self._common:
            writer.resume(self._common)
        return writer

    def rewritten(self, body: Mapping[str, Any], answer: Answer, asked: Asked) -> dict[str, Any]:
        """*body* with another message in its choice."""
        ours = whole_completion(asked, [answer], Stamp("", 0))
        (our_choice,) = ours["choices"]
        choice, *others = body["choices"]
        came: Mapping[str, Any] = choice.get("message") or {}
        kept = {name: value for name, value in came.items() if name not in _WRITTEN}
        said = {name: our_choice["message"].get(name) for name in _WRITTEN}
        thought = said.pop(THOUGHTS[0])
        spoken = {name: value for name, value in said.items() if value or name == "content"}
        named = next((name for name in THOUGHTS if name in came), THOUGHTS[0])
        thinking = {named: thought} if thought or named in came else {}
        message = {"role": "assistant", **kept, **spoken, **thinking}
        told = {**choice, "message": message, "finish_reason": our_choice["finish_reason"]}
        return {**body, "choices": [told, *others]}
