"""LiteLLM, as one of the OpenAI-compatible services it speaks to."""

from __future__ import annotations

import json
import os

# Otherwise it asks the internet for prices when it is imported.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm
from asking import TOOLS, URL, Call, Refused, Reply, Result, play
from usual import Client, usual

litellm.suppress_debug_info = True


def ask(model, turns, *, streamed, choice="auto", parallel=True, tools=TOOLS):
    if choice not in ("auto", "required", "none"):
        choice = {"type": "function", "function": {"name": choice}}
    request = {}
    if tools:
        offered = [{"type": "function", "function": {"name": n, **t}} for n, t in tools.items()]
        request = {"tools": offered, "tool_choice": choice, "parallel_tool_calls": parallel}
    answered = litellm.completion(
        f"openai/{model}",
        [said(turn) for turn in turns],
        api_base=f"{URL}/v1",
        api_key="unused",
        num_retries=0,
        max_retries=0,
        stream=streamed,
        **request,
    )
    if streamed:
        answered = litellm.stream_chunk_builder(list(answered))
    return read(answered.choices[0])


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
    headers = getattr(error, "litellm_response_headers", None) or {}
    return Refused(error.status_code, error.message, headers.get("retry-after"))


if __name__ == "__main__":
    play(usual(Client(ask, refused)))
