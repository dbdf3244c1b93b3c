"""LlamaIndex's agent that calls functions, streamed."""

from __future__ import annotations

import asyncio

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.llms.openai_like import OpenAILike
from working import TASK, TOOLS, URL, end


async def run() -> object:
    model = OpenAILike(
        model="m",
        api_base=f"{URL}/v1",
        api_key="unused",
        is_chat_model=True,
        is_function_calling_model=True,
    )
    running = FunctionAgent(tools=TOOLS, llm=model, streaming=True).run(TASK)
    async for _ in running.stream_events():
        pass
    return await running


end(lambda: asyncio.run(run()))
