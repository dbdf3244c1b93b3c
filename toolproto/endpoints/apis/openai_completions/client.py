"""OpenAI's text completions: for base models and servers without a chat template."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ....protocol.errors import WireError
from ....protocol.messages import ChatRequest, Chunk, Message, Usage
from ..dialect import END, Dialect, End, load, text_of
from ..frames import Frame
from ..openai_chat.client import first_choice, openai_options, read_thought, read_usage
from ..openai_chat.names import DONE

__all__ = ["CHATML", "OpenAICompletions", "PromptTemplate"]


@dataclass(frozen=True, slots=True)
class PromptTemplate:
    """How messages are written into one prompt.

    *render* gives the prompt up to where the assistant is to go on; *end* is what the model writes
    when its turn is over: it stops the reply and is not part of it.
    """

    render: Callable[[Sequence[Message]], str]
    end: str = ""


def _chatml(messages: Sequence[Message]) -> str:
    turns = [f"<|im_start|>{each.role}\n{each.content}<|im_end|>\n" for each in messages]
    return "".join((*turns, "<|im_start|>assistant\n"))


CHATML = PromptTemplate(_chatml, "<|im_end|>")


@dataclass(frozen=True, slots=True)
class OpenAICompletions(Dialect):
    """``POST /completions``, the prompt made by *template*.

    A plain function from messages to a prompt will do as a template; it then has no end marker.
    *max_tokens* is sent where the request gives none: OpenAI and vLLM stop after 16 otherwise.
    """

    name = "openai_completions"
    path = "/completions"
    end_reason = "stop"
    most_stops = 3  # of the four that there may be, one is the template's

    template: PromptTemplate | Callable[[Sequence[Message]], str] = CHATML
    include_usage: bool = True
    max_tokens: int | None = 2048

    def body(self, request: ChatRequest, model: str) -> dict[str, Any]:
        """The request as JSON; the template's end marker is the first stop sequence."""
        template = self.template
        if not isinstance(template, PromptTemplate):
            template = PromptTemplate(template)
        stop = tuple(dict.fromkeys(filter(None, (template.end, *request.stop))))
        return {
            "model": model,
            "prompt": template.render(request.messages),
            **openai_options(self.include_usage, stop),
            **({} if self.max_tokens is None else {"max_tokens": self.max_tokens}),
            **request.params,
        }

    def read(self, frame: Frame) -> Chunk | End | None:
        """What *frame* adds to the reply."""
        if frame.data == DONE:
            return END
        body = load(frame.data)
        choice = first_choice(body)
        usage = read_usage(body)
        if choice is None:
            return None if usage is None else Chunk(usage=usage)
        return _chunk(choice, usage)

    def read_whole(self, body: Mapping[str, Any]) -> Chunk:
        """The one choice of a reply that was not streamed."""
        choice = first_choice(body)
        if choice is None:
            raise WireError("the reply has no choices")
        return _chunk(choice, read_usage(body))


def _chunk(choice: dict[str, Any], usage: Usage | None) -> Chunk:
    text = text_of(choice.get("text"))
    reasoning = text_of(read_thought(choice))
    return Chunk(text, reasoning, text_of(choice.get("finish_reason")) or None, usage)
