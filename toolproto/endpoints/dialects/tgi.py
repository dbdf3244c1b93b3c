"""Hugging Face's Text Generation Inference, in its own words: ``/generate_stream``.

For models without a chat template there. Where the server has one, speak ``openai_chat`` to it,
with ``service="tgi"``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import WireError
from ...finish_reasons import STOP_SEQUENCE
from ...messages import ChatRequest, Chunk, Message, Usage
from ..frames import Frame
from .base import Dialect, End, load, text_of
from .openai_completions import CHATML, PromptTemplate

__all__ = ["Tgi"]

_RENAMED = {"max_tokens": "max_new_tokens", "max_completion_tokens": "max_new_tokens"}
_REASONS = {"eos_token": "stop", "length": "length", "stop_sequence": STOP_SEQUENCE}
_MOST_STOPS = 4


@dataclass(frozen=True, slots=True)
class Tgi(Dialect):
    """``POST /generate_stream``, the prompt made by *template*.

    *max_tokens* is sent where the request gives none: the server stops after 100 otherwise. A stop
    sequence that is no token of its own stays in the text: the server does not cut it off.
    """

    name = "tgi"
    path = "/generate_stream"
    most_stops = _MOST_STOPS - 1  # one is the template's

    template: PromptTemplate | Callable[[Sequence[Message]], str] = CHATML
    max_tokens: int | None = 2048

    def body(self, request: ChatRequest, model: str) -> dict[str, Any]:
        """The request as JSON; a server has one model, so that is not named."""
        template = self.template
        if not isinstance(template, PromptTemplate):
            template = PromptTemplate(template)
        stop = list(dict.fromkeys(filter(None, (template.end, *request.stop))))
        params = {_RENAMED.get(key, key): value for key, value in request.params.items()}
        return {
            "inputs": template.render(request.messages),
            "parameters": {
                "return_full_text": False,
                **({} if self.max_tokens is None else {"max_new_tokens": self.max_tokens}),
                **({"stop": stop[:_MOST_STOPS]} if stop else {}),
                **params,
            },
            "stream": True,
        }

    def read(self, frame: Frame) -> Chunk | End | None:
        """What *frame* adds to the reply: a token, and with the last one how it ended."""
        body = load(frame.data)
        token = body.get("token")
        if not isinstance(token, dict):
            raise WireError(f"a frame of the reply has no token: {frame.data[:200]!r}")
        text = "" if token.get("special") is True else text_of(token.get("text"))
        return Chunk(text, "", *_end(body.get("details")))

    def read_whole(self, body: Mapping[str, Any]) -> Chunk:
        """A reply that was not streamed."""
        if "generated_text" not in body:
            raise WireError("the reply has no text")
        reason, usage = _end(body.get("details"))
        return Chunk(text_of(body.get("generated_text")), "", reason or "stop", usage)


def _end(details: Any) -> tuple[str | None, Usage | None]:
    """Why and after how many tokens the reply ended, in the frame that says so."""
    if not isinstance(details, dict):
        return None, None
    reason = text_of(details.get("finish_reason"))
    counts = [details.get(name) for name in ("input_length", "generated_tokens")]
    usage = Usage(*(each if type(each) is int and each > 0 else 0 for each in counts))
    return _REASONS.get(reason, reason) or None, usage
