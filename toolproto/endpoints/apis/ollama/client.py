"""Ollama's own chat API."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ....protocol.errors import WireError
from ....protocol.messages import Attachment, ChatRequest, Chunk, Message
from ..dialect import CALL_END, Dialect, End, count, load, text_of, written_call
from ..frames import Frame, Frames, JsonLines
from .names import OPTIONS, USAGE

__all__ = ["Ollama"]

#: Parameters of the request itself; all others belong into its ``options``.
_TOP_LEVEL = {"think", "keep_alive", "format", "options", "stream", "model", "messages", "logprobs"}
#: How much to think, where Ollama has no word of OpenAI's.
_THINK = {"none": False, "minimal": "low", "xhigh": "high"}
#: OpenAI's names of options, and Ollama's; OpenAI has two for one of them.
_NAMES = {name: option for option, name in OPTIONS.items()}
_NAMES["max_completion_tokens"] = _NAMES["max_tokens"]


@dataclass(frozen=True, slots=True)
class Ollama(Dialect):
    """``POST /api/chat`` (the endpoint's URL has no path: ``http://localhost:11434``)."""

    name = "ollama"
    path = "/api/chat"
    frames: ClassVar[type[Frames]] = JsonLines

    writes_calls: bool = False

    def writing_calls(self) -> Dialect:
        """The same service, whose calls are written out."""
        return replace(self, writes_calls=True)

    def takes(self, attachment: Attachment) -> bool:
        """Images whose bytes are at hand."""
        return attachment.is_image and bool(attachment.data)

    def spoken_params(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """All of them; how much to think is told in Ollama's words."""
        effort = params.get("reasoning_effort")
        think = {} if effort is None else {"think": _THINK.get(effort, effort)}
        return {**think, **{k: v for k, v in params.items() if k != "reasoning_effort"}}

    def body(self, request: ChatRequest, model: str) -> dict[str, Any]:
        """The request as JSON; generation parameters and stop sequences go into ``options``."""
        top = {key: value for key, value in request.params.items() if key in _TOP_LEVEL}
        stop = {"stop": list(request.stop)} if request.stop else {}
        inner = {
            _NAMES.get(key, key): value
            for key, value in request.params.items()
            if key not in _TOP_LEVEL
        }
        options = {**stop, **inner, **(top.pop("options", None) or {})}
        return {
            "model": model,
            "messages": [_message(each) for each in request.messages],
            "stream": True,
            **({"options": options} if options else {}),
            **top,
        }

    def read(self, frame: Frame) -> Chunk | End | None:
        """What *frame* adds to the reply."""
        return self.read_whole(load(frame.data))

    def read_whole(self, body: Mapping[str, Any]) -> Chunk:
        """A reply that was not streamed looks like the last frame of one that was."""
        message = body.get("message") or {}
        if not isinstance(message, dict):
            raise WireError(f"a message of the reply is not an object: {str(message)[:200]!r}")
        # Older servers say that they are done, but not why.
        reason = (text_of(body.get("done_reason")) or "stop") if body.get("done") is True else None
        usage = count(body, *USAGE) if reason else None
        text, thought = text_of(message.get("content")), text_of(message.get("thinking"))
        if self.writes_calls:
            text += "".join(_written_calls(message.get("tool_calls")))
        return Chunk(text, thought, reason, usage)


def _written_calls(calls: Any) -> Iterator[str]:
    """Yield *calls*, which come whole, as text in Hermes' form."""
    for call in calls if isinstance(calls, list) else ():
        match call:
            case {"function": {"name": str(name), "arguments": dict(arguments)}}:
                yield written_call(name, json.dumps(arguments)) + CALL_END


def _message(message: Message) -> dict[str, Any]:
    images = [each.data for each in message.attachments]
    seen = {"images": images} if images else {}
    return {"role": message.role, "content": message.content, **seen}
