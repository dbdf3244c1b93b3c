"""Messages, tools and text models of Pydantic AI's, as :mod:`.pydantic_ai` needs them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

from pydantic_ai import ToolDefinition
from pydantic_ai.exceptions import ModelAPIError, ModelHTTPError
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    RetryPromptPart,
    SystemPromptPart,
    TextPart,
    TextPartDelta,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings

from ..errors import EndpointError
from ..messages import ChatRequest, Chunk, Message, Usage
from .text_model import FrameworkModel

__all__ = ["choice_of", "in_their_words", "of_pydantic_ai", "written_messages", "written_tool"]


@contextmanager
def in_their_words(name: str) -> Iterator[None]:
    """An error of the service of *name* as Pydantic AI's: it may try again, or another model."""
    try:
        yield
    except EndpointError as error:
        if error.status is None:
            raise ModelAPIError(name, str(error)) from error
        raise ModelHTTPError(error.status, name, error.body or str(error)) from error


def choice_of(chosen: Any, given: ModelRequestParameters) -> Any:
    """What may or must be called, as OpenAI says it."""
    if isinstance(chosen, list | tuple) and chosen:
        named = [{"type": "function", "name": name} for name in chosen]
        return {"type": "allowed_tools", "mode": "required", "tools": named}
    if chosen in ("required", "none"):
        return chosen
    return "auto" if given.allow_text_output else "required"


def of_pydantic_ai(model: Model[Any]) -> FrameworkModel:
    """*model* as an endpoint, which is asked from an event loop."""

    async def areply(request: ChatRequest) -> AsyncIterator[Chunk]:
        settings: Any = {**request.params}
        if request.stop:
            settings["stop_sequences"] = list(request.stop)
        asked = ([_said(each) for each in request.messages], ModelSettings(**settings))
        async with model.request_stream(*asked, ModelRequestParameters()) as response:
            async for event in response:
                match event:
                    case PartStartEvent(part=TextPart(content=text)):
                        yield Chunk(text)
                    case PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
                        yield Chunk(text)
            counted = response.usage
            usage = counted() if callable(counted) else counted
            reason = response.finish_reason or "stop"
            yield Chunk("", "", reason, Usage(usage.input_tokens, usage.output_tokens))

    return FrameworkModel(None, areply)


def _said(message: Message) -> ModelMessage:
    match message.role:
        case "assistant":
            return ModelResponse(parts=[TextPart(message.content)])
        case "system":
            return ModelRequest(parts=[SystemPromptPart(message.content)])
    return ModelRequest(parts=[UserPromptPart(message.content)])


def written_tool(tool: ToolDefinition) -> dict[str, Any]:
    """*tool* as OpenAI writes it."""
    function = {
        "name": tool.name,
        "description": tool.description or "",
        "parameters": tool.parameters_json_schema,
        "strict": tool.strict,
    }
    return {"type": "function", "function": function}


def written_messages(messages: list[ModelMessage]) -> Iterator[dict[str, Any]]:
    """*messages* as OpenAI writes them."""
    for message in messages:
        if isinstance(message, ModelRequest):
            for part in message.parts:
                yield from _asked(part)
        else:
            yield _replied(message)


def _asked(part: Any) -> Iterator[dict[str, Any]]:
    match part:
        case SystemPromptPart(content=text):
            yield {"role": "system", "content": text}
        case UserPromptPart(content=content):
            parts = [content] if isinstance(content, str) else content
            texts = [
                each if isinstance(each, str) else f"[{type(each).__name__}]" for each in parts
            ]
            yield {"role": "user", "content": "\n\n".join(texts)}
        case ToolReturnPart(tool_call_id=id):
            yield {"role": "tool", "tool_call_id": id, "content": part.model_response_str()}
        case RetryPromptPart(tool_name=None):
            yield {"role": "user", "content": part.model_response()}
        case RetryPromptPart(tool_call_id=id):
            yield {"role": "tool", "tool_call_id": id, "content": part.model_response()}


def _replied(message: ModelResponse) -> dict[str, Any]:
    text = "".join(part.content for part in message.parts if isinstance(part, TextPart))
    calls = [
        {
            "id": part.tool_call_id,
            "function": {"name": part.tool_name, "arguments": part.args_as_json_str()},
        }
        for part in message.parts
        if isinstance(part, ToolCallPart)
    ]
    return {"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})}


def _unseen(part: Any) -> str:
    """A line for what is no text, an image perhaps."""
    return f"[{type(part).__name__}: not shown to this model]"
