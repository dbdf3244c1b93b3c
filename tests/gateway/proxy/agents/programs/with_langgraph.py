"""LangGraph's agent, streamed."""

from __future__ import annotations

import warnings

from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from working import TASK, TOOLS, URL, end

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from langgraph.prebuilt import create_react_agent


def run() -> object:
    model = ChatOpenAI(model="m", base_url=f"{URL}/v1", api_key="unused", streaming=True)
    agent = create_react_agent(model, [tool(each) for each in TOOLS])
    said = None
    for message, _ in agent.stream({"messages": [("user", TASK)]}, stream_mode="messages"):
        said = message.content or said
    return said


end(run)
