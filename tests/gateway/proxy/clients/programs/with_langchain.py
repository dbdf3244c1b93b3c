"""LangChain: its chat model, and an agent made of it."""

from __future__ import annotations

import openai
from asking import TOOLS, URL, Call, Refused, Reply, Result, expect, http_client, order, play
from langchain.agents import create_agent
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from openai import APIError, APIStatusError
from usual import Client, usual

HTTP = http_client(openai)


def chat(model):
    return ChatOpenAI(model=model, base_url=f"{URL}/v1", api_key="unused", max_retries=0, **HTTP)


def ask(model, turns, *, streamed, choice="auto", parallel=True, tools=TOOLS):
    bound = chat(model)
    if tools:
        offered = [{"type": "function", "function": {"name": n, **t}} for n, t in tools.items()]
        # LangChain itself would refuse a name that is not on offer.
        if choice not in ("auto", "required", "none"):
            choice = {"type": "function", "function": {"name": choice}}
        bound = bound.bind(tools=offered, tool_choice=choice, parallel_tool_calls=parallel)
    messages = [said(turn) for turn in turns]
    if not streamed:
        return read(bound.invoke(messages))
    first, *more = bound.stream(messages)
    return read(sum(more, first))


def said(turn):
    match turn:
        case Reply():
            return turn.native
        case Result():
            return ToolMessage(turn.text, tool_call_id=turn.call.id)
    return HumanMessage(turn)


def read(message):
    calls = [Call(call["id"], call["name"], call["args"]) for call in message.tool_calls]
    return Reply(message.text, calls, message.response_metadata.get("finish_reason"), message)


def refused(error):
    assert isinstance(error, APIError), error
    if not isinstance(error, APIStatusError):
        return Refused(None, error.message)
    return Refused(error.status_code, error.message, error.response.headers.get("retry-after"))


@tool
def get_weather(city: str) -> str:
    """Current weather in a city."""
    return f"{city}: 4 °C"


def agent(model, streamed):
    """An agent calls two tools at once and answers with what they said."""
    runner = create_agent(chat(model), [get_weather])
    asked = ". ".join(order("get_weather", {"city": city}) for city in ("Oslo", "Lima"))
    state = {"messages": [{"role": "user", "content": asked}]}
    if streamed:
        parts = runner.stream(state, stream_mode="messages")
        answer = "".join(part.text for part, where in parts if where["langgraph_node"] == "model")
        expect(answer, "Let me see. I was told: Oslo: 4 °C | Lima: 4 °C")
    else:
        answer = runner.invoke(state)["messages"][-1].text
        expect(answer, "I was told: Oslo: 4 °C | Lima: 4 °C")


def structured(model, streamed):
    """An answer as an object, which is the arguments of a call that it demands."""
    schema = {"title": "Reading", "description": "A reading.", **TOOLS["book"]["parameters"]}
    reader = chat(model).with_structured_output(schema, method="function_calling")
    found = reader.invoke(order("Reading", {"stops": ["Oslo"], "nights": 2}))
    expect(found, {"stops": ["Oslo"], "nights": 2})


if __name__ == "__main__":
    play({**usual(Client(ask, refused)), "agent": agent, "object": structured})
