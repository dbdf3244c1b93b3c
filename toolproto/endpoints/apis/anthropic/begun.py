"""A message that another server began."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..asked import Asked
from ..serving.api import Answer, Stamp
from ..serving.begun import event_in
from .answer import MessageWriter, whole_message

__all__ = ["BegunMessage"]

_WRITTEN = ("text", "thinking", "tool_use")


class BegunMessage:
    """Events of blocks, of which one may be open; one message."""

    numbers_calls = True
    text_in_stream = True
    text_in_body = False
    reads_nothing = True
    tells_of_calls = True

    def __init__(self) -> None:
        self._has_begun = False
        self._index = -1
        self._open: str | None = None

    def passed(self, block: bytes) -> None:
        """A block may begin or end here."""
        # Nearly all events are pieces of a block, and say nothing that matters here.
        if self._has_begun and b'"content_block_st' not in block:
            return
        self._has_begun = True
        match event_in(block):
            case {"type": "content_block_start", "index": int(index), "content_block": dict(begun)}:
                self._index, self._open = index, str(begun.get("type"))
            case {"type": "content_block_stop"}:
                self._open = None

    def writer(self, asked: Asked, stamp: Stamp) -> MessageWriter:
        """One that goes on in the block that is open."""
        writer = MessageWriter(asked, stamp)
        if self._has_begun:
            writer.resume(self._index, self._open)
        return writer

    def rewritten(self, body: Mapping[str, Any], answer: Answer, asked: Asked) -> dict[str, Any]:
        """*body* with other text and calls; its thoughts stay, which are signed."""
        ours = whole_message(asked, answer, Stamp("", 0))
        came: list[dict[str, Any]] = body["content"]
        thoughts = [each for each in came if each.get("type") == "thinking"]
        told = "".join(str(each.get("thinking")) for each in thoughts)
        if answer.thought == told:
            ours["content"] = [each for each in ours["content"] if each["type"] != "thinking"]
        else:
            thoughts = []
        others = [each for each in came if each.get("type") not in _WRITTEN]
        content = [*thoughts, *others, *ours["content"]]
        ended = {name: ours[name] for name in ("stop_reason", "stop_sequence")}
        return {**body, "content": content, **ended}
