"""A Haystack chat generator that has tools, made of any text model.

``Agent(chat_generator=ToolprotoChatGenerator(text_model, "xml_tag"), tools=[…])``: the text model
is a chat generator of Haystack's, one of our endpoints, or a function. Calls go to a streaming
callback in pieces. Tested with haystack-ai 3.4.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from typing import Any

from haystack import component
from haystack.dataclasses import ChatMessage, StreamingChunk, ToolCall
from haystack.dataclasses.streaming_chunk import ToolCallDelta
from haystack.tools import flatten_tools_or_toolsets

from ..bridge.exchange import Exchange
from ..bridge.pieces import Ended, Piece
from ..bridge.terms import ModelTerms
from ..events import ArgumentsDelta, CallCompleted, CallStarted, TextDelta
from ..messages import ChatRequest, Chunk
from .text_model import FrameworkModel, TextModel

__all__ = ["ToolprotoChatGenerator"]

_OURS = ("tools", "tool_choice", "parallel_tool_calls", "response_format", "stop")


@component
class ToolprotoChatGenerator:
    """A chat generator with tools over a *text_model* that can only read and write text.

    *paradigm* is how it is taught to write calls: a name, or ``auto`` for what suits the *model*'s
    name; *terms* say how else it is treated. *tools* and *streaming_callback* are for every run
    that brings none of its own.
    """

    def __init__(
        self,
        text_model: Any,
        paradigm: str = "auto",
        model: str = "text",
        terms: ModelTerms | None = None,
        tools: Any = None,
        streaming_callback: Any = None,
    ) -> None:
        self.model = model
        self.tools = tools
        self.streaming_callback = streaming_callback
        is_endpoint = hasattr(text_model, "stream") or hasattr(text_model, "astream")
        is_theirs = hasattr(text_model, "run") and not is_endpoint
        endpoint = _of_haystack(text_model) if is_theirs else text_model
        self._text = TextModel(endpoint, paradigm, terms, model)

    @component.output_types(replies=list[ChatMessage])
    def run(
        self,
        messages: list[ChatMessage] | str,
        streaming_callback: Any = None,
        generation_kwargs: dict[str, Any] | None = None,
        *,
        tools: Any = None,
    ) -> dict[str, list[ChatMessage]]:
        """The answer to *messages*, as Haystack's own generators give it."""
        callback = streaming_callback or self.streaming_callback
        exchange = self._exchange(messages, callback is not None, generation_kwargs or {}, tools)
        pieces = []
        for piece in self._text.pieces(exchange):
            pieces.append(piece)
            for chunk in _chunks(piece) if callback else ():
                callback(chunk)
        return {"replies": [self._message(pieces)]}

    @component.output_types(replies=list[ChatMessage])
    async def run_async(
        self,
        messages: list[ChatMessage] | str,
        streaming_callback: Any = None,
        generation_kwargs: dict[str, Any] | None = None,
        *,
        tools: Any = None,
    ) -> dict[str, list[ChatMessage]]:
        """The same, on an event loop."""
        callback = streaming_callback or self.streaming_callback
        exchange = self._exchange(messages, callback is not None, generation_kwargs or {}, tools)
        pieces = []
        async with aclosing(self._text.apieces(exchange)) as coming:
            async for piece in coming:
                pieces.append(piece)
                for chunk in _chunks(piece) if callback else ():
                    await callback(chunk)
        return {"replies": [self._message(pieces)]}

    def _exchange(
        self, messages: list[ChatMessage] | str, stream: bool, given: dict[str, Any], tools: Any
    ) -> Exchange:
        said = [ChatMessage.from_user(messages)] if isinstance(messages, str) else messages
        offered = flatten_tools_or_toolsets(tools or self.tools)
        shape = given.get("response_format") or {}
        return self._text.bridge.ask(
            [each.to_openai_dict_format() for each in said],
            [{"type": "function", "function": tool.tool_spec} for tool in offered],
            given.get("tool_choice") or "auto",
            parallel=given.get("parallel_tool_calls", True),
            stream=stream,
            schema=(shape.get("json_schema") or {}).get("schema"),
            stop=given.get("stop") or (),
            params={key: value for key, value in given.items() if key not in _OURS},
        )

    def _message(self, pieces: list[Piece]) -> ChatMessage:
        text = "".join(piece.text for piece in pieces if isinstance(piece, TextDelta))
        calls = [
            ToolCall(piece.call.name, dict(piece.call.arguments), piece.call.id)
            for piece in pieces
            if isinstance(piece, CallCompleted)
        ]
        end = pieces[-1]
        assert isinstance(end, Ended)  # a failure was raised
        usage = {
            "prompt_tokens": end.usage.input_tokens,
            "completion_tokens": end.usage.output_tokens,
        }
        meta = {"model": self.model, "index": 0, "finish_reason": end.reason, "usage": usage}
        return ChatMessage.from_assistant(text or None, meta=meta, tool_calls=calls)


def _chunks(piece: Piece) -> Iterator[StreamingChunk]:
    match piece:
        case TextDelta(text):
            yield StreamingChunk(content=text, index=0)
        case CallStarted(index, name, id):
            begun = ToolCallDelta(index=index, tool_name=name, id=id)
            yield StreamingChunk(content="", index=index + 1, tool_calls=[begun], start=True)
        case ArgumentsDelta(index, text):
            more = ToolCallDelta(index=index, arguments=text)
            yield StreamingChunk(content="", index=index + 1, tool_calls=[more])
        case Ended(reason, _):
            yield StreamingChunk(content="", finish_reason=reason)


def _of_haystack(generator: Any) -> FrameworkModel:
    """A chat *generator* of Haystack's as an endpoint; its replies come whole."""

    def reply(request: ChatRequest) -> Iterator[Chunk]:
        yield _heard(generator.run(_messages(request), **_given(request)))

    async def areply(request: ChatRequest) -> AsyncIterator[Chunk]:
        yield _heard(await generator.run_async(_messages(request), **_given(request)))

    return FrameworkModel(reply, areply)


def _messages(request: ChatRequest) -> list[ChatMessage]:
    of = {
        "system": ChatMessage.from_system,
        "user": ChatMessage.from_user,
        "assistant": ChatMessage.from_assistant,
    }
    return [of[each.role](each.content) for each in request.messages]


def _given(request: ChatRequest) -> dict[str, Any]:
    return {"generation_kwargs": dict(request.params)} if request.params else {}


def _heard(answer: dict[str, Any]) -> Chunk:
    message = answer["replies"][0]
    return Chunk(message.text or "", "", message.meta.get("finish_reason") or "stop")
