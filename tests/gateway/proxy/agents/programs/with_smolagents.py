"""Smolagents: the agent that calls tools, streamed. Its answer is a call, too."""

from __future__ import annotations

from smolagents import OpenAIServerModel, ToolCallingAgent, tool
from working import TASK, TOOLS, URL, end


def run() -> object:
    model = OpenAIServerModel("m", api_base=f"{URL}/v1", api_key="unused")
    agent = ToolCallingAgent(
        tools=[tool(each) for each in TOOLS], model=model, stream_outputs=True, max_steps=8
    )
    return agent.run(TASK)


end(run)
