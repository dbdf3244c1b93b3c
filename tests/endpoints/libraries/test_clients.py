"""LiteLLM and OpenAI's own SDK as endpoints, before a server on this machine."""

from __future__ import annotations

import asyncio

import pytest

from toolproto import AsyncChatSession, ChatSession
from toolproto.endpoints import ClientEndpoint

from ..fault_server import TEXT, Fault, FaultServer

pytestmark = pytest.mark.filterwarnings("ignore")  # theirs, not ours


def test_litellm_is_one_line():
    litellm = pytest.importorskip("litellm")
    with FaultServer(Fault()) as server:
        terms = {"api_base": server.url, "api_key": "k"}
        endpoint = ClientEndpoint(litellm.completion, model="openai/m", params=terms)
        assert ChatSession(endpoint).send("hi").text == TEXT.strip()

        async def run() -> str:
            later = ClientEndpoint(litellm.acompletion, model="openai/m", params=terms)
            async with AsyncChatSession(later) as session:
                return (await session.send("hi")).text

        assert asyncio.run(run()) == TEXT.strip()
        assert server.requests[0].body["model"] == "m"


def test_the_sdk_of_openai_is_one_line():
    openai = pytest.importorskip("openai")
    with FaultServer(Fault()) as server:
        client = openai.OpenAI(base_url=server.url, api_key="k")
        endpoint = ClientEndpoint(client.chat.completions.create, model="m", include_usage=True)
        result = ChatSession(endpoint).send("hi")
        assert (result.text, result.usage.output_tokens) == (TEXT.strip(), 7)
