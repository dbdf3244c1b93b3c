"""A crew of one, streamed."""

from __future__ import annotations

import os

os.environ["CREWAI_DISABLE_TELEMETRY"] = "true"  # read when it is imported

from crewai import LLM, Agent, Crew, Task
from crewai.tools import tool
from working import TASK, TOOLS, URL, end


def run() -> object:
    model = LLM("m", provider="openai", base_url=f"{URL}/v1", api_key="unused", stream=True)
    worker = Agent(
        role="worker",
        goal="Do what the task says.",
        backstory="Careful with files.",
        llm=model,
        tools=[tool(each.__name__)(each) for each in TOOLS],
        max_iter=8,
    )
    task = Task(description=TASK, expected_output="A sentence.", agent=worker)
    return Crew(agents=[worker], tasks=[task]).kickoff()


end(run)
