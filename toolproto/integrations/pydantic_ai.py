"""A Pydantic AI model that has tools, made of any text model.

``Agent(ToolprotoModel(FunctionModel(…), "xml_tag"), tools=[…])``: the text model is one of Pydantic
AI's own, one of our endpoints, or a function. Output tools, native and prompted output, streaming
and usage work as with any model. Tested with pydantic-ai 2.66.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    ModelResponseStreamEvent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage

from ..bridge.exchange import Exchange
from ..bridge.pieces import Ended, Piece
from ..bridge.terms import ModelTerms
from ..bridge.translate.base import Answer
from ..events import ArgumentsDelta, CallStarted, ReasoningDelta, TextDelta
from ..messages import Usage
from .pydantic_ai_messages import (
    choice_of,
    in_their_words,
    of_pydantic_ai,
    written_messages,
    written_tool,
)
from .text_model import TextModel

__all__ = ["ToolprotoModel"]

_REASONS: Mapping[str, Any] = {"tool_calls": "tool_call"}
#: Settings that text models take, too.
_PARAMS = ("max_tokens", "temperature", "top_p", "seed", "presence_penalty", "frequency_penalty")


class ToolprotoModel(Model[Any]):
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
        settings: ModelSettings | None = None,
    ) -> None:
        profile = ModelProfile(supports_json_schema_output=True, supports_json_object_output=True)
        super().__init__(settings=settings, profile=profile)
        self._name = name
        endpoint = of_pydantic_ai(text_model) if isinstance(text_model, Model) else text_model
        self._text = TextModel(endpoint, paradigm, terms, name)

    @property
    def model_name(self) -> str:
        """What the model is called."""
        return self._name

    system = "toolproto"  # for traces

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """The whole answer."""
        exchange, _ = self._exchange(messages, model_settings, model_request_parameters, False)
        with in_their_words(self._name):
            return _response(await self._text.aanswer(exchange), self._name)

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncIterator[StreamedResponse]:
        """The answer as it comes."""
        exchange, terms = self._exchange(messages, model_settings, model_request_parameters, True)
        async with aclosing(self._text.apieces(exchange)) as pieces:
            yield _Streamed(model_request_parameters=terms, pieces=pieces, name=self._name)

    def _exchange(
        self,
        messages: list[ModelMessage],
        settings: ModelSettings | None,
        given: ModelRequestParameters,
        stream: bool,
    ) -> tuple[Exchange, ModelRequestParameters]:
        settings, given = self.prepare_request(settings, given)
        told: Mapping[str, Any] = settings or {}
        tools = [
            written_tool(each) for each in (*given.declared_function_tools, *given.output_tools)
        ]
        shape = given.output_object if given.output_mode == "native" else None
        said = [
            *self._instructions(messages, given),
            *written_messages(self.prepare_messages(messages)),
        ]
        exchange = self._text.bridge.ask(
            said,
            tools,
            choice_of(told.get("tool_choice"), given) if tools else "auto",
            parallel=told.get("parallel_tool_calls", True),
            stream=stream,
            schema=None if shape is None else shape.json_schema,
            stop=told.get("stop_sequences") or (),
            params={key: told[key] for key in _PARAMS if told.get(key) is not None},
            sees=self._text.sees,
        )
        return exchange, given

    def _instructions(
        self, messages: list[ModelMessage], given: ModelRequestParameters
    ) -> Iterator[dict[str, Any]]:
        parts = self._get_instruction_parts(messages, given) or ()
        if text := "\n\n".join(part.content for part in parts):
            yield {"role": "system", "content": text}


def _response(answer: Answer, name: str) -> ModelResponse:
    parts: list[Any] = [ThinkingPart(answer.thought)] if answer.thought else []
    parts += [TextPart(answer.text)] if answer.text else []
    parts += [ToolCallPart(each.name, each.arguments, each.id) for each in answer.calls]
    reason = _REASONS.get(answer.reason, answer.reason)
    usage = _usage(answer.usage)
    return ModelResponse(parts=parts, usage=usage, model_name=name, finish_reason=reason)


def _usage(usage: Usage) -> RequestUsage:
    return RequestUsage(input_tokens=usage.input_tokens, output_tokens=usage.output_tokens)


@dataclass
class _Streamed(StreamedResponse):
    """The answer as Pydantic AI takes it apart."""

    pieces: AsyncIterator[Piece]
    name: str
    begun: datetime = field(default_factory=lambda: datetime.now(UTC))

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        with in_their_words(self.name):
            async for piece in self.pieces:
                for event in self._events(piece):
                    yield event

    def _events(self, piece: Piece) -> Iterator[ModelResponseStreamEvent]:
        manager = self._parts_manager
        match piece:
            case TextDelta(text):
                yield from manager.handle_text_delta(vendor_part_id=None, content=text)
            case ReasoningDelta(text):
                yield from manager.handle_thinking_delta(vendor_part_id=None, content=text)
            case CallStarted(index, name, id):
                yield from manager.handle_tool_call_delta_events(
                    vendor_part_id=index, tool_name=name, tool_call_id=id
                )
            case ArgumentsDelta(index, text):
                yield from manager.handle_tool_call_delta_events(vendor_part_id=index, args=text)
            case Ended(reason, usage):
                self._usage += _usage(usage)
                self.finish_reason = _REASONS.get(reason, reason)

    @property
    def model_name(self) -> str:
        """What the model is called."""
        return self.name

    provider_name = "toolproto"
    provider_url = None

    @property
    def timestamp(self) -> datetime:
        """When it began."""
        return self.begun
