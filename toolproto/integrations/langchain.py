"""A LangChain chat model that has tools, made of any text model.

``ChatToolproto(text_model=ChatLlamaCpp(…), paradigm="xml_tag").bind_tools([…])``: *text_model* is a
chat model or a language model of LangChain's, one of our endpoints, or a function. Works in chains
and in agents of LangGraph; calls stream in chunks. Tested with langchain-core 1.7, langchain 1.4
and LangChain's own standard tests, langchain-tests 1.1.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.language_models.base import BaseLanguageModel, LangSmithParams
from langchain_core.language_models.chat_models import agenerate_from_stream, generate_from_stream
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.messages.utils import convert_to_openai_messages
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import ConfigDict, Field, PrivateAttr

from ..bridge.exchange import Exchange
from ..bridge.pieces import Ended, Piece
from ..bridge.terms import ModelTerms
from ..events import ArgumentsDelta, CallStarted, ReasoningDelta, TextDelta
from ..messages import Usage
from .langchain_text import of_langchain
from .text_model import TextModel

__all__ = ["ChatToolproto"]

_Given = Mapping[str, Any]
Tools = Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool]
#: What of a request is about tools and shape, and is not handed to the text model.
_OURS = ("tools", "tool_choice", "parallel_tool_calls", "response_format", "model")


class ChatToolproto(BaseChatModel):
    """A chat model with tools over a *text_model* that can only read and write text.

    *paradigm* is how the model is taught to write calls: a name, or ``auto`` for what suits the
    *model*'s name. *terms* say how else it is treated. *temperature*, *max_tokens* and *stop* go
    to the text model with every request; its time limits and retries are its own.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, populate_by_name=True)

    text_model: Any
    model_name: str = Field(default="", alias="model")
    paradigm: str = "auto"
    terms: ModelTerms = Field(default_factory=ModelTerms)
    temperature: float | None = None
    max_tokens: int | None = None
    timeout: float | None = None
    stop: list[str] | None = Field(default=None, alias="stop_sequences")
    max_retries: int | None = None
    _text: TextModel = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        """Find out how the text model is asked."""
        given = self.text_model
        endpoint = of_langchain(given) if isinstance(given, BaseLanguageModel) else given
        self._text = TextModel(endpoint, self.paradigm, self.terms, self.model_name)

    @property
    def _llm_type(self) -> str:
        return "toolproto"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model": self.model_name, "paradigm": self.paradigm, "terms": repr(self.terms)}

    def _get_ls_params(self, stop: list[str] | None = None, **kwargs: Any) -> LangSmithParams:
        params = super()._get_ls_params(stop=stop, **kwargs)
        params["ls_provider"] = "toolproto"
        return params

    def bind_tools(
        self,
        tools: Tools,
        *,
        tool_choice: str | dict[str, Any] | bool | None = None,
        parallel_tool_calls: bool | None = None,
        strict: bool | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """This model with *tools*; *tool_choice* as OpenAI has it, or ``any``, True or a name."""
        offered = [convert_to_openai_tool(tool) for tool in tools]
        choice = {True: "required", False: "auto"}.get(tool_choice, tool_choice)  # type: ignore[arg-type]
        parallel = parallel_tool_calls is not False
        return self.bind(tools=offered, tool_choice=choice, parallel_tool_calls=parallel, **kwargs)

    def _exchange(
        self, messages: list[BaseMessage], stop: list[str] | None, stream: bool, given: _Given
    ) -> Exchange:
        own = {"temperature": self.temperature, "max_tokens": self.max_tokens}
        params = {**own, **{key: value for key, value in given.items() if key not in _OURS}}
        shape = given.get("response_format") or {}
        exchange = self._text.bridge.ask(
            convert_to_openai_messages(messages),  # type: ignore[arg-type]
            given.get("tools") or (),
            given.get("tool_choice") or "auto",
            parallel=given.get("parallel_tool_calls", True),
            stream=stream,
            schema=(shape.get("json_schema") or {}).get("schema"),
            stop=stop or self.stop or (),
            params={key: value for key, value in params.items() if value is not None},
            sees=self._text.sees,
        )
        name = given.get("model") or self.model_name
        exchange.request = replace(exchange.request, model=name)
        return exchange

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        pieces = self._text.pieces(self._exchange(messages, stop, False, kwargs))
        return generate_from_stream(_chunk(piece, self._name(kwargs)) for piece in pieces)

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        pieces = self._text.apieces(self._exchange(messages, stop, False, kwargs))
        name = self._name(kwargs)
        return await agenerate_from_stream(_chunk(piece, name) async for piece in pieces)

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        for piece in self._text.pieces(self._exchange(messages, stop, True, kwargs)):
            yield _chunk(piece, self._name(kwargs))

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        exchange = self._exchange(messages, stop, True, kwargs)
        async with aclosing(self._text.apieces(exchange)) as pieces:
            async for piece in pieces:
                yield _chunk(piece, self._name(kwargs))

    def _name(self, given: _Given) -> str:
        return given.get("model") or self.model_name


def _chunk(piece: Piece, model: str) -> ChatGenerationChunk:
    """*piece* of an answer as LangChain has it."""
    match piece:
        case TextDelta(text):
            message = AIMessageChunk(content=text)
        case ReasoningDelta(text):
            message = AIMessageChunk(content="", additional_kwargs={"reasoning_content": text})
        case CallStarted(index, name, id):
            begun = tool_call_chunk(name=name, args="", id=id, index=index)
            message = AIMessageChunk(content="", tool_call_chunks=[begun])
        case ArgumentsDelta(index, text):
            more = tool_call_chunk(args=text, index=index)
            message = AIMessageChunk(content="", tool_call_chunks=[more])
        case Ended(reason, usage):
            message = AIMessageChunk(
                content="",
                usage_metadata=_usage(usage),
                response_metadata={
                    "finish_reason": reason,
                    "model_name": model,
                    "model_provider": "toolproto",
                },
                chunk_position="last",
            )
        case _:  # a call that is whole has nothing to add
            message = AIMessageChunk(content="")
    return ChatGenerationChunk(message=message)


def _usage(usage: Usage) -> UsageMetadata:
    put, got = usage.input_tokens, usage.output_tokens
    return UsageMetadata(input_tokens=put, output_tokens=got, total_tokens=put + got)
