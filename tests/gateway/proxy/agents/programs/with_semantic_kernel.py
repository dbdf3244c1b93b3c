"""Semantic Kernel's agent, streamed."""

from __future__ import annotations

import asyncio

from openai import AsyncOpenAI
from semantic_kernel import Kernel
from semantic_kernel.agents import ChatCompletionAgent
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion
from semantic_kernel.functions import KernelPlugin, kernel_function
from working import TASK, TOOLS, URL, end


async def run() -> object:
    client = AsyncOpenAI(base_url=f"{URL}/v1", api_key="unused")
    tools = KernelPlugin("files", functions=[kernel_function(each) for each in TOOLS])
    agent = ChatCompletionAgent(
        name="worker",
        kernel=Kernel(),
        service=OpenAIChatCompletion(ai_model_id="m", async_client=client),
        plugins=[tools],
    )
    said = ""
    async for piece in agent.invoke_stream(messages=TASK):
        said += str(piece.message)
    return said


end(lambda: asyncio.run(run()))
