"""Ollama's own chat API."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ....protocol.errors import EndpointError, WireError
from ....protocol.messages import Attachment, ChatRequest, Chunk
from ..dialect import Dialect, End, count, load, text_of
from ..frames import Frame, Frames, JsonLines
from .calling import acting_messages, native_pieces, offered_tools, plain_message, written_calls
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
    has_tools = True

    writes_calls: bool = False

    def writing_calls(self) -> Dialect:
        """The same service, whose calls are written out."""
        return replace(self, writes_calls=True)

    def answering(self, request: ChatRequest) -> Dialect:
        """The same service; calls that were offered natively are not written out."""
        is_native = self.writes_calls and request.offer is not None
        return replace(self, writes_calls=False) if is_native else self

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
        offer = request.offer
        messages = (
            [plain_message(each) for each in request.messages]
            if offer is None
            else [told for each in request.messages for told in acting_messages(self, each)]
        )
        return {
            "model": model,
            "messages": messages,
            **({} if offer is None else offered_tools(offer)),
            "stream": True,
            **({"options": options} if options else {}),
            **top,
        }

    def read(self, frame: Frame) -> Chunk | End | None:
        """What *frame* adds to the reply."""
        body = load(frame.data)
        # Version 0.11 sends ``{"error parsing tool call": "…"}``.
        if "message" not in body and (why := next(iter(body), "")).startswith("error"):
            raise EndpointError(f"the service reports an error: {why}", body=frame.data)
        return self.read_whole(body)

    def read_whole(self, body: Mapping[str, Any]) -> Chunk:
        """A reply that was not streamed looks like the last frame of one that was."""
        message = body.get("message") or {}
        if not isinstance(message, dict):
            raise WireError(f"a message of the reply is not an object: {str(message)[:200]!r}")
        # Older servers say that they are done, but not why.
        reason = (text_of(body.get("done_reason")) or "stop") if body.get("done") is True else None
        usage = count(body, *USAGE) if reason else None
        text, thought = text_of(message.get("content")), text_of(message.get("thinking"))
        calls = message.get("tool_calls")
        if self.writes_calls:
            return Chunk(text + "".join(written_calls(calls)), thought, reason, usage)
        return Chunk(text, thought, reason, usage, calls=native_pieces(calls) if calls else ())
