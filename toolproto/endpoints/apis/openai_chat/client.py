"""OpenAI's chat completions, as spoken by OpenAI, vLLM, llama.cpp, LM Studio and most others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ....protocol.errors import WireError
from ....protocol.finish_reasons import STOP_SEQUENCE
from ....protocol.messages import Attachment, ChatRequest, Chunk, Usage
from ..dialect import END, Dialect, End, count, load, text_of
from ..frames import Frame
from .calling import native_pieces, object_of, offer_fields, written_calls
from .messages import acting_messages, plain_message
from .names import DONE, THOUGHTS, USAGE

__all__ = ["OpenAIChat", "first_choice", "openai_options", "read_thought", "read_usage"]

#: The service refuses more stop sequences than these; the first ones matter most.
_MOST_STOPS = 4


@dataclass(frozen=True, slots=True)
class OpenAIChat(Dialect):
    """``POST /chat/completions``.

    *include_usage* asks for token counts at the end of the stream: switch it off for a server
    that refuses ``stream_options``. A reply that ends with ``[DONE]`` but gave no finish reason
    counts as stopped, because several servers never give one and ``[DONE]`` is only sent after
    the last token. *thoughts* sends what the model thought back with its calls, as DeepSeek demands
    of requests with tools; OpenAI, Groq and Mistral do not know the field. *writes_calls* is what
    :meth:`writing_calls` sets: calls are written in the form of Hermes, which every paradigm with
    ``salvage`` reads.
    """

    name = "openai_chat"
    path = "/chat/completions"
    end_reason = "stop"
    most_stops = _MOST_STOPS
    has_tools = True

    include_usage: bool = True
    writes_calls: bool = False
    thoughts: bool = False

    def writing_calls(self) -> Dialect:
        """The same service, whose calls are written out."""
        return replace(self, writes_calls=True)

    def answering(self, request: ChatRequest) -> Dialect:
        """The same service; calls that were offered natively are not written out."""
        is_native = self.writes_calls and request.offer is not None
        return replace(self, writes_calls=False) if is_native else self

    def takes(self, attachment: Attachment) -> bool:
        """Images, and PDFs whose bytes are at hand."""
        if attachment.is_image:
            return attachment.is_there
        return attachment.media_type == "application/pdf" and bool(attachment.data)

    def spoken_params(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """All of them: they are the service's own."""
        return dict(params)

    def body(self, request: ChatRequest, model: str) -> dict[str, Any]:
        """The request as JSON; at most four stop sequences, as the service demands."""
        offer = request.offer
        messages = (
            [plain_message(each) for each in request.messages]
            if offer is None
            else [
                told
                for each in request.messages
                for told in acting_messages(self, each, self.thoughts)
            ]
        )
        return {
            "model": model,
            "messages": messages,
            **({} if offer is None else offer_fields(offer)),
            **openai_options(self.include_usage, request.stop),
            **request.params,
        }

    def read(self, frame: Frame) -> Chunk | End | None:
        """What *frame* adds to the reply."""
        if frame.data == DONE:
            return END
        return self.chunk_of(load(frame.data))

    def chunk_of(self, body: Mapping[str, Any]) -> Chunk | None:
        """What a chunk of chat completions adds to the reply, or a whole one."""
        if (plain := _plain_text(body)) is not None:
            return Chunk(plain)
        choice = first_choice(body)
        usage = read_usage(body)
        if choice is None:
            return None if usage is None else Chunk(usage=usage)
        delta, message = choice.get("delta"), choice.get("message")
        ended = bool(choice.get("finish_reason"))
        reason = _reason(choice) if ended else None
        return self._answer(choice, delta or message, not delta, reason, usage)

    def read_whole(self, body: Mapping[str, Any]) -> Chunk:
        """The one choice of a reply that was not streamed."""
        choice = first_choice(body)
        if choice is None:
            raise WireError("the reply has no choices")
        return self._answer(choice, choice.get("message"), True, _reason(choice), read_usage(body))

    def _answer(
        self,
        choice: Mapping[str, Any],
        said: Any,
        whole: bool,
        reason: str | None,
        usage: Usage | None,
    ) -> Chunk:
        """What *said*, a whole message or a piece of one, adds to the answer."""
        text, reasoning = _said(said)
        if self.writes_calls:
            text += written_calls(said, choice.get("finish_reason"))
            return Chunk(text, reasoning, reason, usage)
        return Chunk(text, reasoning, reason, usage, calls=native_pieces(said, whole))


def openai_options(include_usage: bool, stop: tuple[str, ...]) -> dict[str, Any]:
    """The fields that chat and text completions share."""
    options: dict[str, Any] = {"stream": True}
    if include_usage:
        options["stream_options"] = {"include_usage": True}
    if stop:
        options["stop"] = list(stop[:_MOST_STOPS])
    return options


def _plain_text(body: Mapping[str, Any]) -> str | None:
    """The text of by far the commonest chunk: a piece of the only choice, and nothing else."""
    try:
        (choice,) = body["choices"]
        delta = choice["delta"]
        text = delta["content"]
        is_going_on = choice["finish_reason"] is None and choice["index"] == 0
    except (LookupError, TypeError, ValueError):
        return None
    is_plain = is_going_on and len(delta) == 1 and isinstance(text, str)
    return text if is_plain and not body.get("usage") else None


def first_choice(body: Mapping[str, Any]) -> dict[str, Any] | None:
    """The choice with index 0: the only one that is read, however many were asked for."""
    choices = body.get("choices")
    if not choices:
        return None
    if not isinstance(choices, list) or not isinstance(choices[0], dict):
        raise WireError(f"'choices' of the reply is not a list of objects: {str(choices)[:200]!r}")
    return choices[0] if choices[0].get("index", 0) in (0, None) else None


def _reason(choice: Mapping[str, Any]) -> str | None:
    reason = text_of(choice.get("finish_reason")) or None
    # vLLM and SGLang say which stop sequence it was, or which token.
    stopped = isinstance(choice.get("stop_reason") or choice.get("matched_stop"), str)
    return STOP_SEQUENCE if reason == "stop" and stopped else reason


def read_usage(body: Mapping[str, Any]) -> Usage | None:
    """The token counts, where there are any."""
    counts = body.get("usage")
    return count(counts, *USAGE) if counts else None


def _said(message: Any) -> tuple[str, str]:
    """Text and reasoning of a message, or of a piece of one."""
    if message is None:
        return "", ""
    message = object_of(message)
    content = message.get("content")
    thought = read_thought(message)
    if content.__class__ is str and thought is None:
        return content or text_of(message.get("refusal")), ""
    if isinstance(content, list):
        return _parts(content, text_of(thought))
    return text_of(content) or text_of(message.get("refusal")), text_of(thought)


def read_thought(said: Mapping[str, Any]) -> Any:
    """Return what a message, or a choice of text completions, holds of thoughts."""
    ours, others = THOUGHTS
    return said.get(ours) or said.get(others)


def _parts(parts: list[Any], thought: str) -> tuple[str, str]:
    """Content in parts, as Mistral's thinking models send it."""
    texts: list[str] = []
    thoughts = [thought]
    for part in map(object_of, parts):
        texts.append(text_of(part.get("text")))
        inner = part.get("thinking")
        steps = map(object_of, inner) if isinstance(inner, list) else [{"text": inner}]
        thoughts.extend(text_of(step.get("text")) for step in steps)
    return "".join(texts), "".join(thoughts)
