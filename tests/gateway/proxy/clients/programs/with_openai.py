"""OpenAI's own client: chat completions."""

from __future__ import annotations

import openai
from asking import TOOLS, URL, Refused, http_client, play
from chat_completions import read, said, terms
from openai import APIError, APIStatusError, OpenAI
from openai.lib.streaming.chat import ChatCompletionStreamState
from usual import Client, usual

client = OpenAI(base_url=f"{URL}/v1", api_key="unused", max_retries=0, **http_client(openai))


def ask(model, turns, *, streamed, choice="auto", parallel=True, tools=TOOLS):
    messages = [said(turn) for turn in turns]
    request = {"model": model, "messages": messages, **terms(tools, choice, parallel)}
    if streamed:
        state = ChatCompletionStreamState()
        for chunk in client.chat.completions.create(**request, stream=True):
            state.handle_chunk(chunk)
        completion = state.get_final_completion()
    else:
        completion = client.chat.completions.create(**request)
    return read(completion.choices[0])


def refused(error):
    assert isinstance(error, APIError), error
    if not isinstance(error, APIStatusError):
        return Refused(None, error.message)
    return Refused(error.status_code, error.message, error.response.headers.get("retry-after"))


if __name__ == "__main__":
    play(usual(Client(ask, refused)))
