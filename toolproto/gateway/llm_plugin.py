"""A plugin for ``llm``: tools for any of its models, as ``llm -m tp/NAME -T …`` or ``--functions``.

Every model that other plugins register has a twin whose name begins with ``tp/``; it teaches the
model to write calls, and reads them. ``TOOLPROTO_PARADIGM`` chooses the paradigm, otherwise the
model's name does. Installed beside ``llm`` the plugin is found by itself. Tested with llm 0.36.
"""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from contextlib import aclosing
from typing import Any

import llm
from llm.parts import Message, StreamEvent, TextPart, ToolCallPart, ToolResultPart

from ..endpoints.apis.pieces import Ended, Piece
from ..protocol.events import ArgumentsDelta, CallCompleted, CallStarted, ReasoningDelta, TextDelta
from ..protocol.messages import ChatRequest, Chunk, Usage
from .bridge.entry import Bridge
from .bridge.exchange import Exchange
from .bridge.taught import taught
from .bridge.terms import ModelTerms
from .text_model import AsyncReply, Reply, answer, async_answer

__all__ = ["AsyncToolModel", "ToolModel", "register_models"]

PREFIX = "tp/"


@llm.hookimpl(trylast=True)
def register_models(register: Any, model_aliases: list[Any]) -> None:
    """A twin with tools for each model that is registered so far."""
    paradigm = os.environ.get("TOOLPROTO_PARADIGM", "auto")
    for each in list(model_aliases):
        model = ToolModel(each.model, paradigm) if each.model else None
        twin = AsyncToolModel(each.async_model, paradigm) if each.async_model else None
        if model is not None:
            register(model, twin, aliases=[PREFIX + alias for alias in each.aliases])


class _Twin:
    """What the model with tools has of the *text_model* that it stands on."""

    can_stream = True
    supports_tools = True
    supports_schema = True

    def __init__(
        self, text_model: Any, paradigm: str = "auto", terms: ModelTerms | None = None
    ) -> None:
        self.model_id = PREFIX + text_model.model_id
        self.Options = text_model.Options
        self.needs_key = text_model.needs_key
        self.key_env_var = getattr(text_model, "key_env_var", None)
        self._inner = text_model
        self._paradigm = paradigm
        self._terms = terms

    def __str__(self) -> str:
        return f"toolproto: {self.model_id}"

    def _exchange(self, prompt: Any, stream: bool) -> Exchange:
        terms = self._terms or ModelTerms()
        is_open = self._paradigm == "auto"
        bridge = Bridge(taught(self._inner.model_id, terms) if is_open else self._paradigm, terms)
        options = {k: v for k, v in prompt.options.model_dump().items() if v is not None}
        return bridge.ask(
            [each for message in prompt.messages for each in _written(message)],
            [_tool(each) for each in prompt.tools],
            stream=stream,
            schema=prompt.schema or None,
            params=options,
        )


class ToolModel(_Twin, llm.KeyModel):
    """A model with tools, over one of ``llm``'s that has none."""

    def execute(
        self,
        prompt: Any,
        stream: bool,
        response: Any,
        conversation: Any = None,
        key: str | None = None,
    ) -> Iterator[StreamEvent]:
        """The answer as it comes."""
        ids: dict[int, str] = {}
        for piece in answer(self._exchange(prompt, stream), _reply(self._inner, key)):
            yield from _events(piece, response, ids)


class AsyncToolModel(_Twin, llm.AsyncKeyModel):
    """The same, on an event loop."""

    async def execute(
        self,
        prompt: Any,
        stream: bool,
        response: Any,
        conversation: Any = None,
        key: str | None = None,
    ) -> AsyncIterator[StreamEvent]:
        """The answer as it comes."""
        ids: dict[int, str] = {}
        reply = _async_reply(self._inner, key)
        async with aclosing(async_answer(self._exchange(prompt, stream), reply)) as pieces:
            async for piece in pieces:
                for event in _events(piece, response, ids):
                    yield event


def _events(piece: Piece, response: Any, ids: dict[int, str]) -> Iterator[StreamEvent]:
    match piece:
        case TextDelta(text):
            yield StreamEvent(type="text", chunk=text)
        case ReasoningDelta(text):
            yield StreamEvent(type="reasoning", chunk=text)
        case CallStarted(index, name, id):
            ids[index] = id
            yield StreamEvent(type="tool_call_name", chunk=name, tool_call_id=id)
        case ArgumentsDelta(index, text):
            yield StreamEvent(type="tool_call_args", chunk=text, tool_call_id=ids[index])
        case CallCompleted(_, call):
            arguments = dict(call.arguments)
            made = llm.ToolCall(name=call.name, arguments=arguments, tool_call_id=call.id)
            response.add_tool_call(made)
        case Ended(_, usage):
            response.set_usage(input=usage.input_tokens, output=usage.output_tokens)


def _tool(tool: Any) -> dict[str, Any]:
    function = {
        "name": tool.name,
        "description": tool.description or "",
        "parameters": tool.input_schema,
    }
    return {"type": "function", "function": function}


def _written(message: Message) -> Iterator[dict[str, Any]]:
    """*message* as OpenAI writes it."""
    texts = [part.text for part in message.parts if isinstance(part, TextPart)]
    calls = [
        {"id": part.tool_call_id, "function": {"name": part.name, "arguments": part.arguments}}
        for part in message.parts
        if isinstance(part, ToolCallPart)
    ]
    for part in message.parts:
        if isinstance(part, ToolResultPart):
            yield {"role": "tool", "tool_call_id": part.tool_call_id, "content": part.output}
    if message.role != "tool":
        said = {"role": message.role, "content": "".join(texts)}
        yield {**said, "tool_calls": calls} if calls else said


# -- the text model -------------------------------------------------------------------------


def _reply(model: Any, key: str | None) -> Reply:
    def reply(request: ChatRequest) -> Generator[Chunk]:
        response = model.prompt(**_given(request, key))
        yield from map(Chunk, response)
        yield _last(response.usage())

    return reply


def _async_reply(model: Any, key: str | None) -> AsyncReply:
    async def reply(request: ChatRequest) -> AsyncGenerator[Chunk]:
        response = model.prompt(**_given(request, key))
        async for text in response:
            yield Chunk(text)
        yield _last(await response.usage())

    return reply


def _given(request: ChatRequest, key: str | None) -> dict[str, Any]:
    """What the text model is asked: everything as messages, and the last also as a prompt."""
    *before, last = request.messages
    system = next((each.content for each in before if each.role == "system"), None)
    said = [Message(role=each.role, parts=[TextPart(text=each.content)]) for each in before]
    keyed = {} if key is None else {"key": key}
    return {
        "prompt": last.content,
        "system": system,
        "messages": said,
        **dict(request.params),
        **keyed,
    }


def _last(usage: Any) -> Chunk:
    return Chunk("", "", "stop", Usage(usage.input or 0, usage.output or 0))
