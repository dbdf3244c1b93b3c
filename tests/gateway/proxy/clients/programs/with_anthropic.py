"""Anthropic's own client: messages, and the runner that calls tools by itself."""

from __future__ import annotations

import anthropic
from anthropic import Anthropic, APIError, APIStatusError, beta_tool
from asking import TOOLS, URL, Call, Refused, Reply, Result, expect, http_client, order, play
from usual import Client, usual

client = Anthropic(base_url=URL, api_key="unused", max_retries=0, **http_client(anthropic))


def ask(model, turns, *, streamed, choice="auto", parallel=True, tools=TOOLS):
    request = {"model": model, "max_tokens": 1_000, "messages": [said(turn) for turn in turns]}
    if tools:
        request |= {"tools": [offered(*tool) for tool in tools.items()]}
        request |= {"tool_choice": chosen(choice, parallel)}
    if streamed:
        with client.messages.stream(**request) as stream:
            message = stream.get_final_message()
    else:
        message = client.messages.create(**request)
    return read(message)


def offered(name, tool):
    return {
        "name": name,
        "description": tool["description"],
        "input_schema": tool["parameters"],
    }


def chosen(choice, parallel):
    kinds = {"auto": "auto", "required": "any", "none": "none"}
    picked = {"type": kinds[choice]} if choice in kinds else {"type": "tool", "name": choice}
    return picked if parallel else {**picked, "disable_parallel_tool_use": True}


def said(turn):
    match turn:
        case Reply():
            return {"role": "assistant", "content": turn.native}
        case Result():
            told = {"type": "tool_result", "tool_use_id": turn.call.id, "content": turn.text}
            return {"role": "user", "content": [told]}
    return {"role": "user", "content": turn}


def read(message):
    text = "".join(block.text for block in message.content if block.type == "text")
    calls = [
        Call(block.id, block.name, block.input)
        for block in message.content
        if block.type == "tool_use"
    ]
    return Reply(text, calls, message.stop_reason, message.content)


def refused(error):
    assert isinstance(error, APIError), error
    if not isinstance(error, APIStatusError):
        return Refused(None, error.message)
    return Refused(error.status_code, str(error.body), error.response.headers.get("retry-after"))


@beta_tool
def get_weather(city: str) -> str:
    """Current weather in a city.

    Args:
        city: Its name.
    """
    return f"{city}: 4 °C"


def agent(model, streamed):
    """The runner calls the tool and comes back with the answer."""
    question = {"role": "user", "content": order("get_weather", {"city": "Oslo"})}
    runner = client.beta.messages.tool_runner(
        model=model, max_tokens=1_000, tools=[get_weather], messages=[question], stream=streamed
    )
    *_, last = (each.get_final_message() if streamed else each for each in runner)
    expect(last.content[0].text, "I was told: Oslo: 4 °C")


if __name__ == "__main__":
    ends = ("tool_use", "end_turn")
    play({**usual(Client(ask, refused, ends)), "agent": agent})
