"""OpenAI's agents, streamed; API is ``chat`` or ``responses``."""

from __future__ import annotations

import asyncio
import sys

from agents import (
    Agent,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    Runner,
    function_tool,
    set_tracing_disabled,
)
from openai import AsyncOpenAI
from working import TASK, TOOLS, URL, end

set_tracing_disabled(True)
MODELS = {"chat": OpenAIChatCompletionsModel, "responses": OpenAIResponsesModel}


async def run() -> object:
    client = AsyncOpenAI(base_url=f"{URL}/v1", api_key="unused")
    model = MODELS[sys.argv[1]](model="m", openai_client=client)
    agent = Agent(name="worker", model=model, tools=[function_tool(tool) for tool in TOOLS])
    running = Runner.run_streamed(agent, TASK)
    async for _ in running.stream_events():
        pass
    return running.final_output


end(lambda: asyncio.run(run()))
