"""Pydantic AI's agent, streamed and not, with an endpoint and with a text model of its own."""

from __future__ import annotations

import asyncio

from pydantic import BaseModel
from pydantic_ai import Agent, NativeOutput
from pydantic_ai.messages import ModelResponse, PartStartEvent, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from working import TASK, TOOLS, play, spoken

from toolproto.endpoints import ScriptedEndpoint
from toolproto.integrations.pydantic_ai import ToolprotoModel
from toolproto.messages import ChatRequest, Message


def agent(text_model):
    return Agent(ToolprotoModel(text_model, "xml_tag"), tools=TOOLS)


def whole(text_model):
    return agent(text_model).run_sync(TASK).output


def streamed(text_model):
    calls = []

    async def watch(context, events):
        async for event in events:
            if isinstance(event, PartStartEvent) and isinstance(event.part, ToolCallPart):
                calls.append(event.part.tool_name)

    async def run():
        return await agent(text_model).run(TASK, event_stream_handler=watch)

    result = asyncio.run(run())
    assert list(dict.fromkeys(calls)) == [tool.__name__ for tool in TOOLS], calls
    assert result.usage.output_tokens > 0
    return result.output


def of_its_own(text_model):
    roles = {"system-prompt": "system", "user-prompt": "user"}

    def said(messages):
        for message in messages:
            role = "assistant" if isinstance(message, ModelResponse) else None
            for part in message.parts:
                yield Message(role or roles[part.part_kind], part.content)

    async def speak(messages, info):
        assert not info.function_tools
        for text in spoken(text_model, ChatRequest(tuple(said(messages)))):
            yield text

    return streamed(FunctionModel(stream_function=speak))


class Reading(BaseModel):
    city: str
    degrees: int


def structured():
    """Answers as objects: by an output tool, and as JSON in words."""
    wrong = '<tool_code>{"name": "final_result", "arguments": {"city": "Oslo"}}</tool_code>'
    right = (
        '<tool_code>{"name": "final_result", "arguments": {"city": "Oslo", "degrees": 4}}'
        "</tool_code>"
    )
    for output, replies in (
        (Reading, ["It is 4 degrees.", wrong, right]),
        (NativeOutput(Reading), ["Well.", '```json\n{"city": "Oslo", "degrees": 4}\n```']),
    ):
        model = ToolprotoModel(ScriptedEndpoint(*replies), "xml_tag")
        got = Agent(model, output_type=output).run_sync("How cold is it?").output
        assert got == Reading(city="Oslo", degrees=4), got


if __name__ == "__main__":
    structured()
    play({each.__name__: each for each in (whole, streamed, of_its_own)})
