"""Messages, answers and text models of LlamaIndex's, as :mod:`.llama_index` needs them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    MessageRole,
    TextBlock,
    ToolCallBlock,
)
from llama_index.core.llms import LLM

from ..bridge.pieces import Ended, Piece
from ..events import CallCompleted, ReasoningDelta, TextDelta
from ..messages import ChatRequest, Chunk
from .text_model import FrameworkModel

__all__ = ["GrowingAnswer", "of_llama_index", "responses_of", "written_message"]


class GrowingAnswer:
    """An answer while it comes: LlamaIndex wants all of it so far, with every piece."""

    def __init__(self) -> None:
        self._text = ""
        self._calls: list[ToolCallBlock] = []

    def take(self, piece: Piece) -> ChatResponse | None:
        """The answer with *piece*; None if that adds nothing yet."""
        match piece:
            case TextDelta(text):
                self._text += text
                return self._response(text)
            case ReasoningDelta(text):
                return self._response("", thinking_delta=text)
            case CallCompleted(_, call):
                self._calls.append(
                    ToolCallBlock(
                        tool_call_id=call.id, tool_name=call.name, tool_kwargs=dict(call.arguments)
                    )
                )
                return self._response("")
            case Ended(reason, usage):
                counted = {
                    "prompt_tokens": usage.input_tokens,
                    "completion_tokens": usage.output_tokens,
                }
                return self._response("", finish_reason=reason, **counted)
        return None

    def _response(self, delta: str, **more: Any) -> ChatResponse:
        text = [TextBlock(text=self._text)] if self._text else []
        message = ChatMessage(role=MessageRole.ASSISTANT, blocks=[*text, *self._calls])
        return ChatResponse(message=message, delta=delta, additional_kwargs=more)


def responses_of(pieces: Iterator[Piece]) -> Iterator[ChatResponse]:
    """The answer that *pieces* make, as it grows."""
    answer = GrowingAnswer()
    for piece in pieces:
        if (response := answer.take(piece)) is not None:
            yield response


def written_message(message: ChatMessage) -> dict[str, Any]:
    """*message* as OpenAI writes it."""
    content = message.content or ""
    if message.role == MessageRole.TOOL:
        id = message.additional_kwargs.get("tool_call_id", "")
        return {"role": "tool", "tool_call_id": id, "content": content}
    calls = [
        {
            "id": each.tool_call_id,
            "function": {"name": each.tool_name, "arguments": each.tool_kwargs},
        }
        for each in message.blocks
        if isinstance(each, ToolCallBlock)
    ]
    said = {"role": message.role.value, "content": content}
    return {**said, "tool_calls": calls} if calls else said


def of_llama_index(model: LLM) -> FrameworkModel:
    """*model* as an endpoint."""

    def reply(request: ChatRequest) -> Iterator[Chunk]:
        for each in model.stream_chat(_messages(request), **request.params):
            yield Chunk(each.delta or "")

    async def areply(request: ChatRequest) -> AsyncIterator[Chunk]:
        async for each in await model.astream_chat(_messages(request), **request.params):
            yield Chunk(each.delta or "")

    return FrameworkModel(reply, areply)


def _messages(request: ChatRequest) -> list[ChatMessage]:
    return [ChatMessage(role=each.role, content=each.content) for each in request.messages]
