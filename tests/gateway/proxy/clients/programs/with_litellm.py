"""LiteLLM, as one of the OpenAI-compatible services it speaks to."""

from __future__ import annotations

import os

# Otherwise it asks the internet for prices when it is imported.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import httpx
import litellm
from asking import IN_PROCESS, TOOLS, URL, Refused, play, transport
from chat_completions import read, said, terms
from usual import Client, usual

litellm.suppress_debug_info = True
if IN_PROCESS:
    litellm.client_session = httpx.Client(transport=transport())


def ask(model, turns, *, streamed, choice="auto", parallel=True, tools=TOOLS):
    answered = litellm.completion(
        f"openai/{model}",
        [said(turn) for turn in turns],
        api_base=f"{URL}/v1",
        api_key="unused",
        num_retries=0,
        max_retries=0,
        stream=streamed,
        **terms(tools, choice, parallel),
    )
    if streamed:
        answered = litellm.stream_chunk_builder(list(answered))
    return read(answered.choices[0])


def refused(error):
    headers = getattr(error, "litellm_response_headers", None) or {}
    return Refused(error.status_code, error.message, headers.get("retry-after"))


if __name__ == "__main__":
    play(usual(Client(ask, refused)))
