"""Pydantic AI, streamed; not by ``run_stream``, which takes words before a call for the answer."""

from __future__ import annotations

import asyncio

from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from working import TASK, TOOLS, URL, end


async def watch(context, events) -> None:
    async for _ in events:
        pass


async def run() -> object:
    provider = OpenAIProvider(base_url=f"{URL}/v1", api_key="unused")
    agent = Agent(OpenAIChatModel("m", provider=provider), tools=TOOLS)
    return (await agent.run(TASK, event_stream_handler=watch)).output


end(lambda: asyncio.run(run()))
