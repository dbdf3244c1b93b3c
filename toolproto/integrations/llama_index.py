"""A LlamaIndex model that calls functions, made of any text model.

``FunctionAgent(llm=ToolprotoLLM(text_model=Ollama(…), paradigm="xml_tag"), tools=[…])``: the text
model is one of LlamaIndex's own, one of our endpoints, or a function. Tested with
llama-index-core 0.14.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import aclosing
from typing import Any

from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    CompletionResponse,
    LLMMetadata,
    ToolCallBlock,
)
from llama_index.core.bridge.pydantic import Field, PrivateAttr
from llama_index.core.llms import LLM
from llama_index.core.llms.callbacks import llm_chat_callback
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.tools import BaseTool

from ..bridge.exchange import Exchange
from ..bridge.terms import ModelTerms
from .llama_index_messages import GrowingAnswer, of_llama_index, responses_of, written_message
from .text_model import TextModel

__all__ = ["ToolprotoLLM"]

_OURS = ("tools", "tool_choice", "parallel_tool_calls")


class ToolprotoLLM(FunctionCallingLLM):
    """A model with tools over a *text_model* that can only read and write text.

    *paradigm* is how it is taught to write calls: a name, or ``auto`` for what suits *model*, its
    name; *terms* say how else it is treated.
    """

    text_model: Any = Field(exclude=True)
    model: str = "text"
    paradigm: str = "auto"
    terms: Any = Field(default=None, exclude=True)
    context_window: int = 32_768
    _text: TextModel = PrivateAttr()

    def __init__(self, text_model: Any, paradigm: str = "auto", **settings: Any) -> None:
        super().__init__(text_model=text_model, paradigm=paradigm, **settings)
        endpoint = of_llama_index(text_model) if isinstance(text_model, LLM) else text_model
        terms: ModelTerms | None = self.terms
        self._text = TextModel(endpoint, paradigm, terms, self.model)

    @classmethod
    def class_name(cls) -> str:
        """What traces call it."""
        return "toolproto"

    @property
    def metadata(self) -> LLMMetadata:
        """What is known of the model."""
        return LLMMetadata(
            context_window=self.context_window,
            model_name=self.model,
            is_chat_model=True,
            is_function_calling_model=True,
        )

    @llm_chat_callback()
    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        """The whole answer."""
        *_, last = responses_of(self._text.pieces(self._exchange(messages, False, kwargs)))
        return last

    @llm_chat_callback()
    async def achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        """The whole answer, on an event loop."""
        pieces = [p async for p in self._text.apieces(self._exchange(messages, False, kwargs))]
        *_, last = responses_of(iter(pieces))
        return last

    @llm_chat_callback()
    def stream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> Iterator[ChatResponse]:
        """The answer as it comes, each time with all of it so far."""
        return responses_of(self._text.pieces(self._exchange(messages, True, kwargs)))

    @llm_chat_callback()
    async def astream_chat(
        self, messages: Sequence[ChatMessage], **kwargs: Any
    ) -> AsyncIterator[ChatResponse]:
        """The answer as it comes, on an event loop."""
        exchange = self._exchange(messages, True, kwargs)

        async def responses() -> AsyncIterator[ChatResponse]:
            answer = GrowingAnswer()
            async with aclosing(self._text.apieces(exchange)) as pieces:
                async for piece in pieces:
                    if (response := answer.take(piece)) is not None:
                        yield response

        return responses()

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        """The answer to a text."""
        answer = self.chat([ChatMessage(content=prompt)], **kwargs)
        return CompletionResponse(text=answer.message.content or "")

    async def acomplete(
        self, prompt: str, formatted: bool = False, **kwargs: Any
    ) -> CompletionResponse:
        """The answer to a text, on an event loop."""
        answer = await self.achat([ChatMessage(content=prompt)], **kwargs)
        return CompletionResponse(text=answer.message.content or "")

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        """The answer to a text, as it comes."""
        for each in self.stream_chat([ChatMessage(content=prompt)], **kwargs):
            yield CompletionResponse(text=each.message.content or "", delta=each.delta)

    async def astream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        """The answer to a text, as it comes, on an event loop."""
        answers = await self.astream_chat([ChatMessage(content=prompt)], **kwargs)

        async def completions() -> Any:
            async for each in answers:
                yield CompletionResponse(text=each.message.content or "", delta=each.delta)

        return completions()

    def _prepare_chat_with_tools(
        self,
        tools: Sequence[BaseTool],
        user_msg: str | ChatMessage | None = None,
        chat_history: list[ChatMessage] | None = None,
        verbose: bool = False,
        allow_parallel_tool_calls: bool = False,
        tool_required: bool = False,
        **kwargs: Any,
    ) -> dict[str, Any]:
        said = [ChatMessage(content=user_msg)] if isinstance(user_msg, str) else []
        said = [user_msg] if isinstance(user_msg, ChatMessage) else said
        return {
            "messages": [*(chat_history or ()), *said],
            "tools": [tool.metadata.to_openai_tool(skip_length_check=True) for tool in tools],
            "tool_choice": "required" if tool_required else "auto",
            "parallel_tool_calls": allow_parallel_tool_calls,
            **kwargs,
        }

    def get_tool_calls_from_response(
        self, response: ChatResponse, error_on_no_tool_call: bool = True, **kwargs: Any
    ) -> list[ToolSelection]:
        """The calls of *response*."""
        calls = [each for each in response.message.blocks if isinstance(each, ToolCallBlock)]
        if not calls and error_on_no_tool_call:
            raise ValueError("the model called no tool")
        return [
            ToolSelection(
                tool_id=each.tool_call_id or "",
                tool_name=each.tool_name,
                tool_kwargs=each.tool_kwargs,
            )
            for each in calls
        ]

    def _exchange(
        self, messages: Sequence[ChatMessage], stream: bool, given: dict[str, Any]
    ) -> Exchange:
        return self._text.bridge.ask(
            [written_message(each) for each in messages],
            given.get("tools") or (),
            given.get("tool_choice") or "auto",
            parallel=given.get("parallel_tool_calls", True),
            stream=stream,
            params={key: value for key, value in given.items() if key not in _OURS},
        )
