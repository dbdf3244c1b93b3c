"""Transports before a service with tools of its own."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest

from tests.gateway.proxy.backend import served
from tests.gateway.proxy.test_native import BEGUN, CALLED, DONE, OSLO, OwnTools, block, refusal
from tests.gateway.proxy.wire import asked
from toolproto.endpoints import HttpEndpoint
from toolproto.gateway import AsyncToolTransport, ModelTerms, ToolTransport


def ask(transport: Any, **more: Any) -> httpx.Response:
    """The answer to a request, by a client that waits or by one on a loop."""
    url, body = "http://any/v1/chat/completions", asked("Oslo?", **more)
    if isinstance(transport, ToolTransport):
        with httpx.Client(transport=transport) as client:
            return client.post(url, json=body)

    async def answer() -> httpx.Response:
        async with httpx.AsyncClient(transport=transport) as client:
            return await client.post(url, json=body)

    return asyncio.run(answer())


BOTH = pytest.mark.parametrize("kind", [ToolTransport, AsyncToolTransport])


def calls(answer: httpx.Response) -> list[tuple[str, str, Any]]:
    message = answer.json()["choices"][0]["message"]
    made = [(each["id"], each["function"]) for each in message.get("tool_calls", ())]
    return [(id, each["name"], json.loads(each["arguments"])) for id, each in made]


@BOTH
def test_the_services_own_calls_reach_the_client(kind):
    backend = OwnTools(CALLED)
    with served(backend.app()) as address:
        answer = ask(kind(f"{address}/v1", "xml_tag", native="auto"))
    assert calls(answer) == [("theirs_1", "get_weather", OSLO)]
    assert backend.taught == [False]


@BOTH
def test_an_answer_of_no_use_is_asked_for_in_the_paradigm(kind):
    backend = OwnTools([BEGUN, block({}, "stop"), DONE])
    with served(backend.app()) as address:
        answer = ask(kind(f"{address}/v1", "xml_tag", native="auto"))
    assert [each[1:] for each in calls(answer)] == [("get_weather", OSLO)]
    assert backend.taught == [False, True]


@BOTH
def test_a_service_without_tools_is_taught_and_remembered(kind):
    backend = OwnTools([refusal("m does not support tools")], 400, "application/json")
    with served(backend.app()) as address:
        transport = kind(f"{address}/v1", "xml_tag", native="auto")
        for _ in range(2):
            assert len(calls(ask(transport))) == 1
    assert backend.taught == [False, True, True]


@BOTH
def test_with_only_a_refusal_is_an_error(kind):
    backend = OwnTools([refusal("m does not support tools")], 400, "application/json")
    with served(backend.app()) as address:
        answer = ask(kind(f"{address}/v1", "xml_tag", native="only"))
    assert (answer.status_code, backend.taught) == (400, [False])


def test_an_endpoint_says_itself_that_it_has_tools():
    backend = OwnTools(CALLED)
    with (
        served(backend.app()) as address,
        HttpEndpoint(f"{address}/v1", model="m", native="auto") as endpoint,
    ):
        answer = ask(ToolTransport(endpoint, "xml_tag"))
    assert len(calls(answer)) == 1
    assert backend.taught == [False]


def test_one_model_can_be_taught_all_the_same():
    backend = OwnTools(CALLED)
    models = {"m": ModelTerms("xml_tag", native="never")}
    with served(backend.app()) as address:
        answer = ask(ToolTransport(f"{address}/v1", native="auto", models=models))
    assert len(calls(answer)) == 1
    assert backend.taught == [True]
