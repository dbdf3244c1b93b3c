"""OpenAI's agents, streamed and not."""

from __future__ import annotations

import asyncio

from agents import Agent, Runner, function_tool, set_tracing_disabled
from working import TASK, TOOLS, play

from toolproto.integrations.openai_agents import ToolprotoModel

set_tracing_disabled(True)


def agent(text_model):
    model = ToolprotoModel(text_model, "xml_tag")
    return Agent(name="worker", model=model, tools=[function_tool(tool) for tool in TOOLS])


def whole(text_model):
    return Runner.run_sync(agent(text_model), TASK).final_output


def streamed(text_model):
    async def run():
        running = Runner.run_streamed(agent(text_model), TASK)
        deltas = 0
        async for event in running.stream_events():
            if event.type == "raw_response_event":
                deltas += event.data.type == "response.function_call_arguments.delta"
        assert deltas >= 3, deltas  # tools are strict: arguments leave when they are whole
        return running.final_output

    return asyncio.run(run())


if __name__ == "__main__":
    play({each.__name__: each for each in (whole, streamed)})
