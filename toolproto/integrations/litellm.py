"""A LiteLLM provider whose models have tools, made of any text model.

``register("toolproto", text_model, "xml_tag")``, and then ``litellm.completion("toolproto/any",
messages, tools=…)``, streamed and not, sync and async. The text model is one of our endpoints, a
function, or the name of another model of LiteLLM's. Tested with litellm 1.106.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, contextmanager
from typing import Any

import litellm
from litellm import CustomLLM, ModelResponse
from litellm.llms.custom_llm import CustomLLMError
from litellm.types.utils import GenericStreamingChunk

from ..bridge.exchange import Exchange
from ..bridge.pieces import Ended, Piece
from ..bridge.terms import ModelTerms
from ..bridge.translate.base import Answer, Stamp
from ..bridge.translate.openai_chat_output import whole_completion
from ..errors import EndpointError, EndpointTimeout, UsageError
from ..events import ArgumentsDelta, CallStarted, TextDelta
from ..messages import ChatRequest, Chunk, Usage
from .text_model import FrameworkModel, TextModel, written

__all__ = ["ToolprotoLLM", "register"]

_OURS = ("tools", "tool_choice", "parallel_tool_calls", "response_format", "stop", "stream")


def register(
    provider: str, text_model: Any, paradigm: str = "auto", terms: ModelTerms | None = None
) -> ToolprotoLLM:
    """Have *provider* mean *text_model*, with tools."""
    ours = [each["provider"] for each in litellm.custom_provider_map]
    known = provider in litellm.provider_list and provider not in ours
    if not provider or "/" in provider or known:
        raise UsageError(
            f"{provider!r} cannot be the name of a provider: give a name that is new to LiteLLM, "
            "without a slash"
        )
    handler = ToolprotoLLM(text_model, paradigm, terms)
    others = [each for each in litellm.custom_provider_map if each["provider"] != provider]
    litellm.custom_provider_map = [*others, {"provider": provider, "custom_handler": handler}]
    return handler


class ToolprotoLLM(CustomLLM):
    """A handler with tools over a *text_model* that can only read and write text."""

    def __init__(
        self, text_model: Any, paradigm: str = "auto", terms: ModelTerms | None = None
    ) -> None:
        super().__init__()
        name = text_model if isinstance(text_model, str) else ""
        endpoint = _of_litellm(text_model) if name else text_model
        self._text = TextModel(endpoint, paradigm, terms, name)

    def completion(self, *args: Any, **kwargs: Any) -> ModelResponse:
        """The whole answer."""
        exchange = self._exchange(False, **kwargs)
        with _in_their_words():
            return _response(exchange, self._text.answer(exchange), kwargs["model"])

    async def acompletion(self, *args: Any, **kwargs: Any) -> ModelResponse:
        """The whole answer, on an event loop."""
        exchange = self._exchange(False, **kwargs)
        with _in_their_words():
            return _response(exchange, await self._text.aanswer(exchange), kwargs["model"])

    def streaming(self, *args: Any, **kwargs: Any) -> Iterator[GenericStreamingChunk]:
        """The answer as it comes."""
        with _in_their_words():
            for piece in self._text.pieces(self._exchange(True, **kwargs)):
                yield from _chunks(piece)

    async def astreaming(self, *args: Any, **kwargs: Any) -> AsyncIterator[GenericStreamingChunk]:
        """The answer as it comes, on an event loop."""
        with _in_their_words():
            async with aclosing(self._text.apieces(self._exchange(True, **kwargs))) as pieces:
                async for piece in pieces:
                    for chunk in _chunks(piece):
                        yield chunk

    def _exchange(
        self, stream: bool, messages: list[Any], optional_params: dict[str, Any], **_: Any
    ) -> Exchange:
        shape = optional_params.get("response_format") or {}
        stop = optional_params.get("stop") or ()
        return self._text.bridge.ask(
            messages,
            optional_params.get("tools") or (),
            optional_params.get("tool_choice") or "auto",
            parallel=optional_params.get("parallel_tool_calls") is not False,
            stream=stream,
            schema=(shape.get("json_schema") or {}).get("schema"),
            stop=[stop] if isinstance(stop, str) else stop,
            params={key: value for key, value in optional_params.items() if key not in _OURS},
            sees=self._text.sees,
        )


@contextmanager
def _in_their_words() -> Iterator[None]:
    """Errors with a status that LiteLLM goes by: it tries some again, or another model."""
    try:
        yield
    except EndpointError as error:
        status = 408 if isinstance(error, EndpointTimeout) else error.status
        if status is None:
            raise
        raise CustomLLMError(status, str(error)) from error


def _response(exchange: Exchange, answer: Answer, model: str) -> ModelResponse:
    stamp = Stamp(secrets.token_hex(12), int(time.time()))
    told = whole_completion(exchange.asked, [answer], stamp)
    return ModelResponse(**{**told, "model": model})


def _chunks(piece: Piece) -> Iterator[GenericStreamingChunk]:
    match piece:
        case TextDelta(text):
            yield _chunk(text)
        case CallStarted(index, name, id):
            yield _chunk(tool=_tool(index, id, name, ""))
        case ArgumentsDelta(index, text):
            yield _chunk(tool=_tool(index, None, None, text))
        case Ended(reason, usage):
            total = usage.input_tokens + usage.output_tokens
            counted = {
                "prompt_tokens": usage.input_tokens,
                "completion_tokens": usage.output_tokens,
                "total_tokens": total,
            }
            yield _chunk(reason=reason, usage=counted)


def _tool(index: int, id: str | None, name: str | None, arguments: str) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"id": id, "type": "function", "function": function, "index": index}


def _chunk(text: str = "", tool: Any = None, reason: str = "", usage: Any = None) -> Any:
    return GenericStreamingChunk(
        text=text,
        tool_use=tool,
        is_finished=bool(reason),
        finish_reason=reason,
        usage=usage,
        index=0,
    )


def _of_litellm(name: str) -> FrameworkModel:
    """The model that LiteLLM calls *name*, as an endpoint."""

    def asked(request: ChatRequest) -> dict[str, Any]:
        stop = {"stop": list(request.stop)} if request.stop else {}
        return {
            "model": name,
            "messages": written(request),
            "stream": True,
            **stop,
            **request.params,
        }

    def reply(request: ChatRequest) -> Iterator[Chunk]:
        for each in litellm.completion(**asked(request)):
            yield _heard(each)

    async def areply(request: ChatRequest) -> AsyncIterator[Chunk]:
        async for each in await litellm.acompletion(**asked(request)):
            yield _heard(each)

    return FrameworkModel(reply, areply, shows=True)


def _heard(each: Any) -> Chunk:
    choice = each.choices[0] if each.choices else None
    counted = getattr(each, "usage", None)
    usage = Usage(counted.prompt_tokens, counted.completion_tokens) if counted else None
    if choice is None:
        return Chunk(usage=usage)
    return Chunk(choice.delta.content or "", "", choice.finish_reason, usage)
