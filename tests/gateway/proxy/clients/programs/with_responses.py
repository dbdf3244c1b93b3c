"""OpenAI's own client: responses."""

from __future__ import annotations

import json

import openai
from asking import TOOLS, URL, Call, Refused, Reply, Result, http_client, play
from openai import APIError, APIStatusError, OpenAI
from usual import Client, usual

client = OpenAI(base_url=f"{URL}/v1", api_key="unused", max_retries=0, **http_client(openai))


def ask(model, turns, *, streamed, choice="auto", parallel=True, tools=TOOLS):
    if choice not in ("auto", "required", "none"):
        choice = {"type": "function", "name": choice}
    request = {"model": model, "input": [item for turn in turns for item in said(turn)]}
    if tools:
        offered = [{"type": "function", "name": n, "strict": False, **t} for n, t in tools.items()]
        request |= {"tools": offered, "tool_choice": choice, "parallel_tool_calls": parallel}
    if not streamed:
        return read(client.responses.create(**request))
    with client.responses.stream(**request) as stream:
        for event in stream:
            if event.type == "response.failed":
                raise RuntimeError(event.response.error.message)
        return read(stream.get_final_response())


def said(turn):
    match turn:
        case Reply():
            return turn.native
        case Result():
            told = {"type": "function_call_output", "call_id": turn.call.id, "output": turn.text}
            return [told]
    return [{"role": "user", "content": turn}]


def read(response):
    calls = [
        Call(item.call_id, item.name, json.loads(item.arguments))
        for item in response.output
        if item.type == "function_call"
    ]
    return Reply(response.output_text, calls, response.status, response.output)


def refused(error):
    if isinstance(error, APIStatusError):
        retry_after = error.response.headers.get("retry-after")
        return Refused(error.status_code, error.message, retry_after)
    return Refused(None, error.message if isinstance(error, APIError) else str(error))


if __name__ == "__main__":
    play(usual(Client(ask, refused, ends=("completed", "completed"))))
