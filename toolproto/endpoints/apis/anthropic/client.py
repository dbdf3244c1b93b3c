"""Anthropic's messages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ....protocol.errors import EndpointError, WireError
from ....protocol.finish_reasons import STOP_SEQUENCE, FinishKind, ending_of
from ....protocol.messages import Attachment, ChatRequest, Chunk, NativePiece, Usage
from ..dialect import END, Dialect, End, count, load, text_of, words_of_error
from ..frames import Frame
from .calling import acting_messages, begun_call, continued_call, offer_fields, plain_content
from .names import PARAMS, USAGE

__all__ = ["Anthropic"]

_VERSION = "2023-06-01"
_IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")
#: Ends that have a usual word; for any other, theirs is passed on as it is.
_USUAL = {FinishKind.DONE: "stop", FinishKind.TOO_LONG: "length"}


@dataclass(frozen=True, slots=True)
class Anthropic(Dialect):
    """``POST /messages`` (the endpoint's URL ends in ``/v1``).

    *max_tokens* is sent where the request gives none, because the service demands one. *cache*
    asks the service to keep the part of the system message that all requests of a session share.
    """

    name = "anthropic"
    path = "/messages"
    has_tools = True

    max_tokens: int = 4096
    cache: bool = False

    def headers(self, api_key: str | None) -> dict[str, str]:
        """The key and the version of the API."""
        key = {} if api_key is None else {"x-api-key": api_key}
        return {"anthropic-version": _VERSION, **key}

    def takes(self, attachment: Attachment) -> bool:
        """The images that the service reads, and PDFs."""
        if attachment.is_image and attachment.data:
            return attachment.media_type in _IMAGES
        is_kind = attachment.is_image or attachment.media_type == "application/pdf"
        return is_kind and attachment.is_there

    def spoken_params(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Those that the service knows: it refuses all others."""
        known = Dialect.spoken_params(self, params)
        return {key: value for key, value in known.items() if key in PARAMS or key == "thinking"}

    def body(self, request: ChatRequest, model: str) -> dict[str, Any]:
        """The request as JSON, the system message apart from the others."""
        system = "".join(each.content for each in request.messages if each.role == "system")
        # The service refuses stop sequences of nothing but space.
        stop = [each for each in request.stop if each.strip()]
        said = [each for each in request.messages if each.role != "system"]
        messages = (
            [{"role": each.role, "content": plain_content(each)} for each in said]
            if request.offer is None
            else acting_messages(self, said)
        )
        return {
            "model": model,
            "max_tokens": self.max_tokens,
            **({"system": self._system(system, request.stable_prefix)} if system else {}),
            "messages": messages,
            **({} if request.offer is None else offer_fields(request.offer)),
            **({"stop_sequences": stop} if stop else {}),
            "stream": True,
            **request.params,
        }

    def read(self, frame: Frame) -> Chunk | End | None:
        """What *frame* adds to the reply."""
        if frame.event == "ping":
            return None
        body = load(frame.data)
        match body.get("type"):
            case "content_block_delta":
                delta = body.get("delta")
                return _block(delta, continued_call(delta, body.get("index")))
            case "content_block_start":
                block = body.get("content_block")
                return _block(block, begun_call(block, body.get("index")))
            case "message_start":
                return _message(body.get("message"))
            case "message_delta":
                return _ended(body.get("delta"), body.get("usage"))
            case "message_stop":
                return END
            case "error":
                words = words_of_error(body)
                raise EndpointError(f"the service reports an error: {words}", body=frame.data)
        return None

    def read_whole(self, body: Mapping[str, Any]) -> Chunk:
        """All blocks of a message that was not streamed."""
        blocks = body.get("content")
        if not isinstance(blocks, list):
            raise WireError("the reply has no content")
        whole = [_block(each, begun_call(each, at, True)) for at, each in enumerate(blocks)]
        read = [chunk for chunk in whole if chunk]
        return Chunk(
            "".join(chunk.text for chunk in read),
            "".join(chunk.reasoning for chunk in read),
            _reason(body.get("stop_reason")),
            _usage(body.get("usage")),
            calls=tuple(piece for chunk in read for piece in chunk.calls),
        )

    def _system(self, text: str, stable: int) -> str | list[dict[str, Any]]:
        if not self.cache or stable <= 0:
            return text
        kept = {"type": "text", "text": text[:stable], "cache_control": {"type": "ephemeral"}}
        rest = text[stable:]
        return [kept, {"type": "text", "text": rest}] if rest else [kept]


def _block(block: Any, calls: tuple[NativePiece, ...]) -> Chunk | None:
    """A block, the beginning of one, or a piece of one: they name their text alike."""
    if not isinstance(block, dict):
        raise WireError(f"a block of the reply is not an object: {str(block)[:200]!r}")
    text, reasoning = text_of(block.get("text")), text_of(block.get("thinking"))
    return Chunk(text, reasoning, calls=calls) if text or reasoning or calls else None


def _message(message: Any) -> Chunk | None:
    usage = _usage(message.get("usage")) if isinstance(message, dict) else None
    return Chunk(usage=usage) if usage else None


def _ended(delta: Any, counts: Any) -> Chunk:
    reason = delta.get("stop_reason") if isinstance(delta, dict) else None
    return Chunk(finish_reason=_reason(reason), usage=_usage(counts))


def _reason(reason: Any) -> str | None:
    word = text_of(reason)
    if word == STOP_SEQUENCE:
        return word
    return _USUAL.get(ending_of(word), word) or None


def _usage(counts: Any) -> Usage | None:
    """Cached input is counted apart by the service; it was read all the same."""
    usage = count(counts, *USAGE)
    if usage is None:
        return None
    for name in ("cache_creation_input_tokens", "cache_read_input_tokens"):
        cached = count(counts, name, "")
        usage = usage if cached is None else usage + cached
    return usage
