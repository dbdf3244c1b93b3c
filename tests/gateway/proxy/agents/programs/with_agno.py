"""Agno's agent, streamed."""

from __future__ import annotations

from agno.agent import Agent
from agno.models.openai.like import OpenAILike
from working import TASK, TOOLS, URL, end


def run() -> object:
    model = OpenAILike(id="m", base_url=f"{URL}/v1", api_key="unused")
    said = ""
    for event in Agent(model=model, tools=TOOLS, telemetry=False).run(TASK, stream=True):
        said += str(event.content or "")
    return said


end(run)
