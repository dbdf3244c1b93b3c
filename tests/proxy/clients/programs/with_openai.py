"""OpenAI's own client: chat completions."""

from __future__ import annotations

import json

from asking import TOOLS, URL, Call, Refused, Reply, Result, play
from openai import APIError, APIStatusError, OpenAI
from openai.lib.streaming.chat import ChatCompletionStreamState
from usual import Client, usual

client = OpenAI(base_url=f"{URL}/v1", api_key="unused", max_retries=0)


def ask(model, turns, *, streamed, choice="auto", parallel=True, tools=TOOLS):
    offered = [{"type": "function", "function": {"name": n, **t}} for n, t in tools.items()]
    if choice not in ("auto", "required", "none"):
        choice = {"type": "function", "function": {"name": choice}}
    request = {"model": model, "messages": [said(turn) for turn in turns]}
    if tools:
        request |= {"tools": offered, "tool_choice": choice, "parallel_tool_calls": parallel}
    if streamed:
        state = ChatCompletionStreamState()
        for chunk in client.chat.completions.create(**request, stream=True):
            state.handle_chunk(chunk)
        completion = state.get_final_completion()
    else:
        completion = client.chat.completions.create(**request)
    return read(completion.choices[0])


def said(turn):
    match turn:
        case Reply():
            return turn.native
        case Result():
            return {"role": "tool", "tool_call_id": turn.call.id, "content": turn.text}
    return {"role": "user", "content": turn}


def read(choice):
    message = choice.message
    calls = [
        Call(call.id, call.function.name, json.loads(call.function.arguments))
        for call in message.tool_calls or []
    ]
    return Reply(message.content or "", calls, choice.finish_reason, message)


def refused(error):
    assert isinstance(error, APIError), error
    if not isinstance(error, APIStatusError):
        return Refused(None, error.message)
    return Refused(error.status_code, error.message, error.response.headers.get("retry-after"))


if __name__ == "__main__":
    play(usual(Client(ask, refused)))
