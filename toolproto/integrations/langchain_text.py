"""A text model of LangChain's own, for :mod:`.langchain` to stand on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from langchain_core.language_models.base import BaseLanguageModel
from langchain_core.messages import BaseMessage
from langchain_core.messages.utils import convert_to_messages
from langchain_core.runnables import RunnableConfig

from ..messages import ChatRequest, Chunk, Usage
from .text_model import FrameworkModel, written

__all__ = ["of_langchain"]

#: What it writes is not for those who listen to ours: it holds calls as text.
_UNHEARD: RunnableConfig = {"callbacks": []}


def of_langchain(model: BaseLanguageModel[Any]) -> FrameworkModel:
    """*model*, be it for chats or for text, as an endpoint."""

    def reply(request: ChatRequest) -> Iterator[Chunk]:
        for each in model.stream(_messages(request), _UNHEARD, **_terms(request)):
            yield _heard(each)

    async def areply(request: ChatRequest) -> AsyncIterator[Chunk]:
        async for each in model.astream(_messages(request), _UNHEARD, **_terms(request)):
            yield _heard(each)

    return FrameworkModel(reply, areply, shows=True)


def _messages(request: ChatRequest) -> list[BaseMessage]:
    return convert_to_messages(written(request))


def _terms(request: ChatRequest) -> dict[str, Any]:
    return {**({"stop": list(request.stop)} if request.stop else {}), **request.params}


def _heard(each: Any) -> Chunk:
    if isinstance(each, str):  # of a language model that knows no messages
        return Chunk(each)
    told = each.response_metadata
    reasons = (told.get(key) for key in ("finish_reason", "done_reason", "stop_reason"))
    counted = each.usage_metadata
    usage = Usage(counted["input_tokens"], counted["output_tokens"]) if counted else None
    thought = each.additional_kwargs.get("reasoning_content") or ""
    return Chunk(str(each.text), thought, next(filter(None, reasons), None), usage)
