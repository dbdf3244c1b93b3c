"""Strands' agent, streamed."""

from __future__ import annotations

from strands import Agent, tool
from strands.models.openai import OpenAIModel
from working import TASK, TOOLS, URL, end


def run() -> object:
    reached = {"base_url": f"{URL}/v1", "api_key": "unused"}
    model = OpenAIModel(client_args=reached, model_id="m")
    return Agent(model=model, tools=[tool(each) for each in TOOLS], callback_handler=None)(TASK)


end(run)
