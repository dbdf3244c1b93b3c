"""pydantic-ai: plain requests to a model, and agents."""

from __future__ import annotations

import asyncio

import openai
from asking import TOOLS, URL, Call, Refused, Reply, Result, expect, http_client, order, play
from openai import AsyncOpenAI
from pydantic import BaseModel
from pydantic_ai import (
    Agent,
    AgentRunResultEvent,
    ModelAPIError,
    ModelHTTPError,
    ModelRequest,
    ToolDefinition,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from usual import Client, usual

client = AsyncOpenAI(
    base_url=f"{URL}/v1", api_key="unused", max_retries=0, **http_client(openai, is_async=True)
)
loop = asyncio.new_event_loop()


def chat(model):
    return OpenAIChatModel(model, provider=OpenAIProvider(openai_client=client))


def ask(model, turns, *, streamed, choice="auto", parallel=True, tools=TOOLS):
    offered = [
        ToolDefinition(name=n, description=t["description"], parameters_json_schema=t["parameters"])
        for n, t in tools.items()
    ]
    request = {
        "model": chat(model),
        "messages": [said(turn) for turn in turns],
        "model_settings": terms(choice, parallel) if tools else None,
        "model_request_parameters": ModelRequestParameters(function_tools=offered),
    }
    asked = streamed_response(request) if streamed else model_request(**request)
    return read(loop.run_until_complete(asked))


async def streamed_response(request):
    async with model_request_stream(**request) as stream:
        async for _ in stream:
            pass
        return stream.get()


def terms(choice, parallel):
    if choice in ("auto", "required", "none"):
        return {"tool_choice": choice, "parallel_tool_calls": parallel}
    if choice in TOOLS:
        return {"tool_choice": [choice]}
    # It would itself refuse a name that is not on offer.
    named = {"type": "function", "function": {"name": choice}}
    return {"extra_body": {"tool_choice": named}}


def said(turn):
    match turn:
        case Reply():
            return turn.native
        case Result():
            return ModelRequest([ToolReturnPart(turn.call.name, turn.text, turn.call.id)])
    return ModelRequest([UserPromptPart(turn)])


def read(response):
    calls = [
        Call(call.tool_call_id, call.tool_name, call.args_as_dict()) for call in response.tool_calls
    ]
    return Reply(response.text or "", calls, response.finish_reason, response)


def refused(error):
    if isinstance(error, ModelHTTPError):
        cause = error.__cause__
        return Refused(error.status_code, str(error), cause.response.headers.get("retry-after"))
    assert isinstance(error, ModelAPIError), error
    return Refused(None, error.message)


def get_weather(city: str) -> str:
    """Current weather in a city."""
    return f"{city}: 4 °C"


class Reading(BaseModel):
    """What a thermometer showed."""

    city: str
    degrees: int


def agent(model, streamed):
    """An agent calls two tools at once and answers with what they said."""
    asked = ". ".join(order("get_weather", {"city": city}) for city in ("Oslo", "Lima"))
    answer = output(Agent(chat(model), tools=[get_weather]), asked, streamed)
    expect(answer, "I was told: Oslo: 4 °C | Lima: 4 °C")


def structured(model, streamed):
    """An answer as an object, which is the arguments of a call that it demands."""
    asked = order("final_result", {"city": "Oslo", "degrees": 4})
    answer = output(Agent(chat(model), output_type=Reading), asked, streamed)
    expect(answer, Reading(city="Oslo", degrees=4))


def output(agent, asked, streamed):
    return loop.run_until_complete(streamed_output(agent, asked) if streamed else run(agent, asked))


async def run(agent, asked):
    return (await agent.run(asked)).output


async def streamed_output(agent, asked):
    async with agent.run_stream_events(asked) as events:
        async for event in events:
            if isinstance(event, AgentRunResultEvent):
                return event.result.output


if __name__ == "__main__":
    scenarios = usual(Client(ask, refused, ends=("tool_call", "stop")))
    play({**scenarios, "agent": agent, "object": structured})
