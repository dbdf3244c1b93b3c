"""What the other APIs say over the wire, and in which order."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby

import pytest

from tests import plain
from tests.gateway.proxy.backend import Backend
from tests.gateway.proxy.clients.model import model_of
from tests.gateway.proxy.wire import BOTH, CITY, TOOLS, WEATHER, events, proxy


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with proxy(Backend(model_of("xml_tag"))) as url:
        yield url


def test_a_message_of_anthropics_comes_block_by_block(url):
    tool = {"name": "get_weather", "input_schema": CITY}
    body = {"model": "m", "max_tokens": 99, "tools": [tool], "stream": True,
            "messages": [{"role": "user", "content": BOTH}]}  # fmt: skip
    response = plain.post(url + "/v1/messages", json=body)
    came = events(response)
    names = [line[7:] for line in response.text.split("\n") if line.startswith("event: ")]
    assert names == [event["type"] for event in came]
    block = ["content_block_start", "content_block_delta", "content_block_stop"]
    assert [each for each, _ in groupby(names)] == [
        *("message_start", *block, *block, *block, "message_delta", "message_stop")
    ]
    starts = [event for event in came if event["type"] == "content_block_start"]
    assert [start["index"] for start in starts] == [0, 1, 2]
    assert [start["content_block"]["type"] for start in starts] == ["text", "tool_use", "tool_use"]
    assert starts[1]["content_block"]["input"] == {}
    for index, city in ((1, "Oslo"), (2, "Lima")):
        of_block = [event for event in came if event.get("index") == index]
        deltas = [event["delta"] for event in of_block if "delta" in event]
        assert {delta["type"] for delta in deltas} == {"input_json_delta"}
        joined = "".join(delta["partial_json"] for delta in deltas)
        assert json.loads(joined) == {"city": city}
    assert came[-2]["delta"]["stop_reason"] == "tool_use"


def test_a_response_comes_item_by_item_and_its_events_are_numbered(url):
    body = {"model": "m", "input": BOTH, "tools": [{"type": "function", **WEATHER}], "stream": True}
    came = events(plain.post(url + "/v1/responses", json=body))
    assert [event["sequence_number"] for event in came] == list(range(len(came)))
    call = [
        "response.output_item.added",
        "response.function_call_arguments.delta",
        "response.function_call_arguments.done",
        "response.output_item.done",
    ]
    assert [each for each, _ in groupby(event["type"] for event in came)] == [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        *call,
        *call,
        "response.completed",
    ]
    items = came[-1]["response"]["output"]
    assert [item["type"] for item in items] == ["message", "function_call", "function_call"]
    assert [json.loads(item["arguments"]) for item in items[1:]] == [
        {"city": "Oslo"},
        {"city": "Lima"},
    ]


def test_ollamas_answer_comes_line_by_line_with_calls_that_are_whole(url):
    body = {"model": "m", "messages": [{"role": "user", "content": BOTH}], "tools": TOOLS}
    response = plain.post(url + "/api/chat", json=body)
    assert response.headers["content-type"] == "application/x-ndjson"
    assert response.content.isascii()
    lines = [json.loads(line) for line in response.text.split("\n")[:-1]]
    calls = [call["function"] for line in lines for call in line["message"].get("tool_calls", [])]
    assert [(call["name"], call["arguments"]) for call in calls] == [
        ("get_weather", {"city": "Oslo"}),
        ("get_weather", {"city": "Lima"}),
    ]
    assert [line["done"] for line in lines] == [False] * (len(lines) - 1) + [True]


ENDPOINTS = {
    "/v1/messages": {"max_tokens": 9, "messages": [{"role": "user", "content": "Fail with 429"}]},
    "/v1/responses": {"input": "Fail with 429"},
    "/api/chat": {"messages": [{"role": "user", "content": "Fail with 429"}]},
}


@pytest.mark.parametrize("path", ENDPOINTS)
@pytest.mark.parametrize("stream", [False, True])
def test_every_api_tells_an_error_before_the_first_byte(url, path, stream):
    refused = plain.post(url + path, json={"model": "m", "stream": stream, **ENDPOINTS[path]})
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "7")
    assert "not now, please" in refused.text


@pytest.mark.parametrize("path", ENDPOINTS)
def test_no_api_takes_a_broken_stream_for_an_end(path):
    question = json.dumps(ENDPOINTS[path]).replace("Fail with 429", "Hello")
    with proxy(Backend(model_of("xml_tag"), breaks_after=4)) as url:
        body = {"model": "m", "stream": True, **json.loads(question)}
        text = plain.post(url + path, json=body).text
    assert "error" in text
    for end in ("message_stop", "response.completed", '"done":true', '"done": true'):
        assert end not in text
