"""A proxy before a backend, asked over HTTP, and what comes back of a stream."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from tests.gateway.proxy.backend import Backend, served
from toolproto.gateway.proxy.app import make_app
from toolproto.gateway.proxy.config import ModelTerms, ProxyConfig, Upstream

CHAT = "/v1/chat/completions"
PARADIGMS = ["json_strict", "xml_tag", "hermes", "qwen3_coder", "pythonic"]
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER = {"name": "get_weather", "description": "Current weather.", "parameters": CITY}
TOOLS = [{"type": "function", "function": WEATHER}]
OSLO = 'Call get_weather with {"city": "Oslo"}'
BOTH = f'{OSLO}. Call get_weather with {{"city": "Lima"}}'


@contextmanager
def proxy(backend: Backend, paradigm: str = "xml_tag", **settings: Any) -> Iterator[str]:
    """A proxy before *backend*; its address."""
    with served(backend.app()) as upstream:
        config = ProxyConfig((Upstream(f"{upstream}/v1"),), ModelTerms(paradigm), **settings)
        with served(make_app(config)) as url:
            yield url


def asked(question: str, **more: Any) -> dict[str, Any]:
    """A request with a tool."""
    return {
        "model": "m",
        "messages": [{"role": "user", "content": question}],
        "tools": TOOLS,
    } | more


def events(response: httpx.Response) -> list[Any]:
    """The data of each event, read as JSON where it is."""
    assert response.headers["content-type"].startswith("text/event-stream")
    assert response.content.isascii()
    *blocks, rest = response.text.split("\n\n")
    assert rest == ""
    lines = [block.split("\n")[-1].removeprefix("data: ") for block in blocks]
    return [line if line == "[DONE]" else json.loads(line) for line in lines]
