"""A language model for DSPy that has tools, made of any text model.

``dspy.configure(lm=ToolprotoLM(text_model, "xml_tag"), adapter=ToolprotoAdapter())``: then
``dspy.Tool``, ``dspy.ToolCalls``, ``ReAct`` and ``ReActV2`` work, streamed and not, sync and async,
and output fields are held to their types. The text model is one of DSPy's own, one of our
endpoints, or a function. Tested with dspy 3.4.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from typing import Any

import dspy
from dspy import lm15

from ..bridge.exchange import Exchange
from ..bridge.pieces import Ended, Piece
from ..bridge.terms import ModelTerms
from ..bridge.translate.base import Answer
from ..events import ArgumentsDelta, CallStarted, ReasoningDelta, TextDelta
from ..messages import ChatRequest, Chunk, Usage
from .dspy_adapter import ToolprotoAdapter
from .dspy_errors import in_their_words
from .dspy_requests import choice_of, messages_of, params_of, request_of, schema_of
from .text_model import FrameworkModel, TextModel

__all__ = ["ToolprotoAdapter", "ToolprotoLM"]


class ToolprotoLM(dspy.LM):
    """A model with tools over a *text_model* that can only read and write text.

    *paradigm* is how it is taught to write calls: a name, or ``auto`` for what suits the *name* of
    the model; *terms* say how else it is treated. DSPy's cache knows a model by its name alone, so
    it is off unless ``cache=True`` says that the name is this model's. *settings* are those of
    ``dspy.LM``.
    """

    def __init__(
        self,
        text_model: Any,
        paradigm: str = "auto",
        *,
        name: str = "text",
        terms: ModelTerms | None = None,
        cache: bool = False,
        **settings: Any,
    ) -> None:
        endpoint = _of_dspy(text_model) if isinstance(text_model, dspy.BaseLM) else text_model
        text = TextModel(endpoint, paradigm, terms, name)
        engines = {"engine": _Engine(text), "async_engine": _AsyncEngine(text)}
        super().__init__(name, cache=cache, **engines, **settings)


class _Answering:
    """What DSPy asks of an engine before it asks the model."""

    supports_function_calling = True
    supports_reasoning = False
    supports_response_schema = True
    supported_params = frozenset(
        ["max_tokens", "parallel_tool_calls", "response_format", "seed", "stop", "temperature",
         "tool_choice", "tools", "top_p"]
    )  # fmt: skip

    def __init__(self, text: TextModel) -> None:
        self._text = text

    def _exchange(self, request: lm15.Request, stream: bool) -> Exchange:
        choice = request.config.tool_choice
        return self._text.bridge.ask(
            messages_of(request),
            [_function(tool) for tool in request.tools],
            choice_of(request),
            parallel=choice is None or choice.parallel is not False,
            stream=stream,
            schema=schema_of(request),
            stop=request.config.stop,
            params=params_of(request),
            sees=self._text.sees,
        )


class _Engine(_Answering):
    """Answers by waiting for the model."""

    def complete(self, request: lm15.Request) -> lm15.Response:
        with in_their_words():
            return _response(request, self._text.answer(self._exchange(request, False)))

    def stream(self, request: lm15.Request) -> Iterator[Any]:
        yield lm15.StreamStartEvent(model=request.model)
        with in_their_words():
            for piece in self._text.pieces(self._exchange(request, True)):
                yield from _events(piece)


class _AsyncEngine(_Answering):
    """The same, on an event loop."""

    async def complete(self, request: lm15.Request) -> lm15.Response:
        with in_their_words():
            return _response(request, await self._text.aanswer(self._exchange(request, False)))

    async def stream(self, request: lm15.Request) -> AsyncIterator[Any]:
        yield lm15.StreamStartEvent(model=request.model)
        with in_their_words():
            async with aclosing(self._text.apieces(self._exchange(request, True))) as pieces:
                async for piece in pieces:
                    for event in _events(piece):
                        yield event


def _function(tool: Any) -> dict[str, Any]:
    if tool.type != "function":
        raise lm15.UnsupportedFeatureError(f"a text model has no tool of type {tool.type!r}")
    known = {
        "name": tool.name,
        "description": tool.description or "",
        "parameters": tool.parameters,
    }
    return {"type": "function", "function": known}


def _response(request: lm15.Request, answer: Answer) -> lm15.Response:
    parts: list[Any] = [lm15.ThinkingPart(answer.thought)] if answer.thought else []
    if answer.text or not answer.calls:
        parts.append(lm15.TextPart(answer.text))
    for call in answer.calls:
        parts.append(lm15.ToolCallPart(call.id, call.name, json.loads(call.arguments or "{}")))
    return lm15.Response(
        id=None,
        model=request.model,
        message=lm15.Message.assistant(parts),
        finish_reason=_reason(answer.reason),
        usage=_usage(answer.usage),
    )


def _events(piece: Piece) -> Iterator[Any]:
    """What DSPy's listeners hear: thoughts, words and calls are parts of their own."""
    match piece:
        case ReasoningDelta(text):
            yield lm15.StreamDeltaEvent(lm15.ThinkingDelta(text, part_index=0))
        case TextDelta(text):
            yield lm15.StreamDeltaEvent(lm15.TextDelta(text, part_index=1))
        case CallStarted(index, name, id):
            yield lm15.StreamDeltaEvent(lm15.ToolCallDelta("", index + 2, id=id, name=name))
        case ArgumentsDelta(index, text):
            yield lm15.StreamDeltaEvent(lm15.ToolCallDelta(text, index + 2))
        case Ended(reason, usage):
            yield lm15.StreamEndEvent(_reason(reason), _usage(usage))


def _reason(reason: str) -> str:
    return "tool_call" if reason == "tool_calls" else reason


def _usage(usage: Usage) -> lm15.Usage:
    total = usage.input_tokens + usage.output_tokens
    return lm15.Usage(usage.input_tokens, usage.output_tokens, total)


def _of_dspy(lm: dspy.BaseLM) -> FrameworkModel:
    """*lm* as an endpoint; its replies come whole."""

    def reply(request: ChatRequest) -> Iterator[Chunk]:
        yield _heard(lm(request_of(request, lm.model)))

    async def areply(request: ChatRequest) -> AsyncIterator[Chunk]:
        yield _heard(await lm.acall(request_of(request, lm.model)))

    return FrameworkModel(reply, areply)


def _heard(response: lm15.Response) -> Chunk:
    counted = response.usage
    usage = Usage(counted.input_tokens or 0, counted.output_tokens or 0)
    return Chunk(response.text or "", "", response.finish_reason, usage)
