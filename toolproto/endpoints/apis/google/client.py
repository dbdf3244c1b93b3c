"""Google's Gemini API: ``models/NAME:streamGenerateContent``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from ....protocol.errors import EndpointError, WireError
from ....protocol.messages import Attachment, ChatRequest, Chunk, Usage
from ..dialect import Dialect, End, count, load, text_of
from ..frames import Frame
from .calling import acting_contents, lost_call, native_pieces, offer_fields, plain_parts
from .names import MODEL, PARAMS, USAGE

__all__ = ["Gemini"]

#: OpenAI has two names for one of them, and asks for several choices among the parameters.
_NAMES = {**PARAMS, "max_completion_tokens": PARAMS["max_tokens"], "n": "candidateCount"}
#: Fields of the request itself; everything else is for its ``generationConfig``.
_TOP_LEVEL = frozenset(["cachedContent", "generationConfig", "labels", "safetySettings"])
_MOST_STOPS = 5


@dataclass(frozen=True, slots=True)
class Gemini(Dialect):
    """``POST /models/NAME:streamGenerateContent``, below ``https://…/v1beta``.

    Parameters may have OpenAI's names or Google's; those of ``generationConfig`` are put there.
    *gives_lost_calls* is what :meth:`answering` sets for a request with tools: what the model wrote
    for a call that the service could not read is text of the reply.
    """

    name = "gemini"
    path = "/models"
    most_stops = _MOST_STOPS
    has_tools = True

    gives_lost_calls: bool = False

    def answering(self, request: ChatRequest) -> Dialect:
        """The same service, which tells of calls that it could not read."""
        return replace(self, gives_lost_calls=request.offer is not None)

    def path_of(self, model: str) -> str:
        """Where requests for *model* go; ``tunedModels/…`` and the like are whole names."""
        named = model if "/" in model else f"models/{model}"
        return f"/{quote(named, safe='/')}:streamGenerateContent?alt=sse"

    def headers(self, api_key: str | None) -> dict[str, str]:
        """What identifies the caller."""
        return {} if api_key is None else {"x-goog-api-key": api_key}

    def takes(self, attachment: Attachment) -> bool:
        """Images and PDFs, with their bytes or where they are."""
        return attachment.is_there and (
            attachment.is_image or attachment.media_type == "application/pdf"
        )

    def body(self, request: ChatRequest, model: str) -> dict[str, Any]:
        """The request as JSON, the system message apart from the others."""
        system = "".join(each.content for each in request.messages if each.role == "system")
        top = {key: value for key, value in request.params.items() if key in _TOP_LEVEL}
        config = {
            **({"stopSequences": list(request.stop[:_MOST_STOPS])} if request.stop else {}),
            **{
                _NAMES.get(key, key): value
                for key, value in request.params.items()
                if key not in _TOP_LEVEL
            },
            **(top.pop("generationConfig", None) or {}),
        }
        said = [each for each in request.messages if each.role != "system"]
        contents = (
            [
                {"role": MODEL if each.role == "assistant" else "user", "parts": plain_parts(each)}
                for each in said
            ]
            if request.offer is None
            else acting_contents(self, said, model)
        )
        return {
            "contents": contents,
            **({} if request.offer is None else offer_fields(request.offer)),
            **({"systemInstruction": {"parts": [{"text": system}]}} if system else {}),
            **({"generationConfig": config} if config else {}),
            **top,
        }

    def read(self, frame: Frame) -> Chunk | End | None:
        """What *frame* adds to the reply."""
        return self._chunk(load(frame.data))

    def read_whole(self, body: Mapping[str, Any]) -> Chunk:
        """A reply that was not streamed is one frame."""
        chunk = self._chunk(body)
        if chunk is None:
            raise WireError("the reply has no candidates")
        return chunk

    def _chunk(self, body: Mapping[str, Any]) -> Chunk | None:
        usage = _usage(body)
        candidates = body.get("candidates")
        if not candidates:
            feedback = body.get("promptFeedback")
            if isinstance(feedback, dict) and (why := feedback.get("blockReason")):
                raise EndpointError(f"the service refuses to answer this ({str(why)[:100]})")
            return None if usage is None else Chunk(usage=usage)
        if not isinstance(candidates, list) or not isinstance(candidates[0], dict):
            raise WireError(f"'candidates' is not a list of objects: {str(candidates)[:200]!r}")
        content = candidates[0].get("content")
        text, thought = _said(content)
        reason = text_of(candidates[0].get("finishReason")).lower() or None
        if self.gives_lost_calls and reason == "malformed_function_call":
            # A call was meant, so that words without one are no answer.
            text, reason = text + lost_call(candidates[0]), "tool_calls"
        return Chunk(text, thought, reason, usage, calls=native_pieces(content))


def _said(content: Any) -> tuple[str, str]:
    """Text and thoughts of a candidate's content."""
    parts = content.get("parts") if isinstance(content, dict) else None
    texts: tuple[list[str], list[str]] = ([], [])
    for part in parts if isinstance(parts, list) else ():
        if isinstance(part, dict):
            texts[part.get("thought") is True].append(text_of(part.get("text")))
    return "".join(texts[0]), "".join(texts[1])


def _usage(body: Mapping[str, Any]) -> Usage | None:
    counts = body.get("usageMetadata")
    told = count(counts, *USAGE)
    thoughts = counts.get("thoughtsTokenCount") if isinstance(counts, dict) else None
    if told is None or type(thoughts) is not int:
        return told
    return told + Usage(0, max(thoughts, 0))
