"""A smolagents model that has tools, made of any text model.

``ToolCallingAgent(tools=[…], model=ToolprotoModel(TransformersModel(…), "xml_tag"))``: the text
model is one of smolagents' own, one of our endpoints, or a function. Streams calls in pieces.
Tested with smolagents 1.26.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from smolagents import ChatMessage, Model, Tool
from smolagents.models import (
    ChatMessageStreamDelta,
    ChatMessageToolCallFunction,
    ChatMessageToolCallStreamDelta,
    agglomerate_stream_deltas,
)
from smolagents.monitoring import TokenUsage

from ..bridge.exchange import Exchange
from ..bridge.pieces import Ended, Piece
from ..bridge.terms import ModelTerms
from ..events import ArgumentsDelta, CallStarted, TextDelta
from ..messages import ChatRequest, Chunk, Usage
from .text_model import FrameworkModel, TextModel, written

__all__ = ["ToolprotoModel"]

#: What smolagents says that is no parameter of a text model's.
_OURS = ("messages", "tools", "tool_choice", "stop", "response_format", "parallel_tool_calls")


class ToolprotoModel(Model):
    """A model with tools over a *text_model* that can only read and write text.

    *paradigm* is how it is taught to write calls: a name, or ``auto`` for what suits the *name* of
    the model; *terms* say how else it is treated.
    """

    def __init__(
        self,
        text_model: Any,
        paradigm: str = "auto",
        *,
        name: str = "text",
        terms: ModelTerms | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(model_id=name, **settings)
        endpoint = _of_smolagents(text_model) if isinstance(text_model, Model) else text_model
        self._text = TextModel(endpoint, paradigm, terms, name)

    def generate(
        self,
        messages: list[ChatMessage],
        stop_sequences: list[str] | None = None,
        response_format: dict[str, str] | None = None,
        tools_to_call_from: list[Tool] | None = None,
        **kwargs: Any,
    ) -> ChatMessage:
        """The whole answer."""
        given = (messages, stop_sequences, response_format, tools_to_call_from)
        exchange = self._exchange(*given, stream=False, **kwargs)
        return agglomerate_stream_deltas(list(_deltas(self._text.pieces(exchange))))

    def generate_stream(
        self,
        messages: list[ChatMessage],
        stop_sequences: list[str] | None = None,
        response_format: dict[str, str] | None = None,
        tools_to_call_from: list[Tool] | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatMessageStreamDelta]:
        """The answer as it comes."""
        given = (messages, stop_sequences, response_format, tools_to_call_from)
        yield from _deltas(self._text.pieces(self._exchange(*given, stream=True, **kwargs)))

    def _exchange(
        self,
        messages: list[ChatMessage],
        stop: list[str] | None,
        shape: dict[str, Any] | None,
        tools: list[Tool] | None,
        stream: bool,
        **more: Any,
    ) -> Exchange:
        asked = self._prepare_completion_kwargs(
            messages, stop, shape, tools_to_call_from=tools, **more
        )
        return self._text.bridge.ask(
            asked["messages"],
            asked.get("tools") or (),
            asked.get("tool_choice") or "auto",
            stream=stream,
            schema=((shape or {}).get("json_schema") or {}).get("schema"),
            stop=asked.get("stop") or (),
            params={key: value for key, value in asked.items() if key not in _OURS},
        )


def _deltas(pieces: Iterator[Piece]) -> Iterator[ChatMessageStreamDelta]:
    for piece in pieces:
        match piece:
            case TextDelta(text):
                yield ChatMessageStreamDelta(content=text)
            case CallStarted(index, name, id):
                begun = ChatMessageToolCallFunction(name=name, arguments="")
                yield _delta(index, begun, id, "function")
            case ArgumentsDelta(index, text):
                yield _delta(index, ChatMessageToolCallFunction(name="", arguments=text))
            case Ended(_, usage):
                counted = TokenUsage(usage.input_tokens, usage.output_tokens)
                yield ChatMessageStreamDelta(content="", token_usage=counted)


def _delta(index: int, function: Any, *more: str) -> ChatMessageStreamDelta:
    id, kind = more or (None, None)
    call = ChatMessageToolCallStreamDelta(index=index, id=id, type=kind, function=function)
    return ChatMessageStreamDelta(content=None, tool_calls=[call])


def _of_smolagents(model: Model) -> FrameworkModel:
    """*model* as an endpoint; it streams if it can."""

    def reply(request: ChatRequest) -> Iterator[Chunk]:
        said: Any = written(request)
        terms = {**request.params, "stop_sequences": list(request.stop) or None}
        if not hasattr(model, "generate_stream"):
            whole = model.generate(said, **terms)
            yield Chunk(str(whole.content or ""), "", "stop", _usage(whole.token_usage))
            return
        for delta in model.generate_stream(said, **terms):
            yield Chunk(delta.content or "", usage=_usage(delta.token_usage))

    return FrameworkModel(reply)


def _usage(usage: TokenUsage | None) -> Usage | None:
    return None if usage is None else Usage(usage.input_tokens, usage.output_tokens)
