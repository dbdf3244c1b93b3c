"""LiteLLM: a provider of one's own, in the loop of its documentation, streamed and not."""

from __future__ import annotations

import asyncio
import json
import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm
from working import TASK, TOOLS, play

from toolproto.integrations.litellm import register

litellm.suppress_debug_info = True
NAMED = {tool.__name__: tool for tool in TOOLS}
PATH = {"type": "string"}
OFFERED = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": name,
            "parameters": {"type": "object", "properties": fields, "required": list(fields)},
        },
    }
    for name, fields in {
        "list_files": {},
        "read_file": {"path": PATH},
        "write_file": {"path": PATH, "content": PATH},
    }.items()
]


def asked(messages, **more):
    return {"model": "tp/any", "messages": messages, "tools": OFFERED, "num_retries": 0, **more}


def loop(text_model, ask):
    register("tp", text_model, "xml_tag")
    messages = [{"role": "user", "content": TASK}]
    for _ in range(6):
        message = ask(messages).choices[0].message
        if not message.tool_calls:
            return message.content
        messages.append(message.model_dump(exclude_none=True))
        for call in message.tool_calls:
            told = NAMED[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": told})
    raise RuntimeError("no end")


def whole(text_model):
    return loop(text_model, lambda messages: litellm.completion(**asked(messages)))


def streamed(text_model):
    def ask(messages):
        chunks = list(litellm.completion(**asked(messages, stream=True)))
        return litellm.stream_chunk_builder(chunks)

    return loop(text_model, ask)


def in_a_loop(text_model):
    def ask(messages):
        async def run():
            chunks = await litellm.acompletion(**asked(messages, stream=True))
            return litellm.stream_chunk_builder([chunk async for chunk in chunks])

        return asyncio.run(run())

    return loop(text_model, ask)


if __name__ == "__main__":
    play({each.__name__: each for each in (whole, streamed, in_a_loop)})
