"""AutoGen's assistant, streamed."""

from __future__ import annotations

import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.openai import OpenAIChatCompletionClient
from working import TASK, TOOLS, URL, end

ABLE = {
    "vision": False,
    "function_calling": True,
    "json_output": False,
    "family": "unknown",
    "structured_output": False,
}


async def run() -> object:
    client = OpenAIChatCompletionClient(
        model="m", base_url=f"{URL}/v1", api_key="unused", model_info=ABLE
    )
    agent = AssistantAgent(
        "worker",
        model_client=client,
        tools=TOOLS,
        model_client_stream=True,
        max_tool_iterations=8,
    )
    last = None
    async for event in agent.run_stream(task=TASK):
        last = event
    return last.messages[-1].content


end(lambda: asyncio.run(run()))
