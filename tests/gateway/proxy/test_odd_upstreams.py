"""Backends that keep to their API more or less: what they say is read, or told as an error."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests import plain
from tests.gateway.proxy.backend import served
from tests.gateway.proxy.wire import CHAT, asked, events
from toolproto.gateway.proxy.app import make_app
from toolproto.gateway.proxy.config import ModelTerms, ProxyConfig, Upstream

CALL = '<tool_code>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_code>'
DONE = "data: [DONE]\n\n"


@dataclass(frozen=True)
class Said:
    """What an upstream answers."""

    body: str | bytes
    media_type: str = "text/event-stream"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


class OddUpstream:
    """Answers whatever it is told to."""

    def __init__(self) -> None:
        self.said = Said("")

    def app(self) -> Starlette:
        return Starlette(routes=[Route(CHAT, self._chat, methods=["POST"])])

    async def _chat(self, request: Request) -> Response:
        await request.body()
        said = self.said
        return Response(said.body, said.status, said.headers, said.media_type)


def chunk(text: str | None = None, finish: str | None = None, **delta: Any) -> str:
    said = {"index": 0, "delta": {"content": text, **delta}, "finish_reason": finish}
    return f"data: {json.dumps({'choices': [said]})}\n\n"


#: A few kilobytes that would be five megabytes.
BOMB = gzip.compress(b" " * 5_000_000)
FINE = chunk(CALL) + chunk(finish="stop") + DONE
CALLS = {
    "as it should be": Said(FINE),
    "without its last word": Said(FINE.removesuffix(DONE)),
    "without a reason to finish": Said(chunk(CALL) + DONE),
    "lines that end twice": Said(FINE.replace("\n", "\r\n")),
    "no space after the colon": Said(FINE.replace("data: ", "data:")),
    "comments": Said(f": wait\n\n{chunk(CALL)}: wait\n\n{chunk(finish='stop')}"),
    "fields of its own": Said(FINE.replace("data:", "id: 1\nretry: 5\ndata:")),
    "whole though a stream was asked for": Said(
        json.dumps({"choices": [{"message": {"content": CALL}, "finish_reason": "stop"}]}),
        "application/json",
    ),
    "thoughts first": Said(chunk(reasoning_content="hm") + FINE),
    "another choice that nobody asked for": Said(
        FINE.removesuffix(DONE).replace('"index": 0', '"index": 1') + FINE
    ),
}


def native(index: int, arguments: str, **more: Any) -> dict[str, Any]:
    return {"index": index, "function": {**more, "arguments": arguments}}


# llama.cpp with --jinja, and vLLM with a parser of tools, read calls that the model writes.
_NAMED = {"name": "get_weather"}
CALLS |= {
    "a call that the server read itself": Said(
        chunk("I'll look.", tool_calls=[native(0, "", **_NAMED)])
        + chunk(tool_calls=[native(0, '{"city"')])
        + chunk(tool_calls=[native(0, ': "Oslo"}')])
        + chunk(finish="tool_calls")
        + DONE
    ),
    "two calls that the server read itself": Said(
        chunk(tool_calls=[native(0, '{"city": "Oslo"}', **_NAMED)])
        + chunk(tool_calls=[native(1, '{"city": "Lima"}', **_NAMED)])
        + chunk(finish="tool_calls")
        + DONE
    ),
    "a call that the server read itself, whole": Said(
        json.dumps(
            {
                "choices": [
                    {
                        "message": {
                            "content": None,
                            "tool_calls": [native(0, '{"city": "Oslo"}', **_NAMED)],
                        },
                        "finish_reason": "tool_calls",
                    }
                ]
            }
        ),
        "application/json",
    ),
}
FAILURES = {
    "nothing": Said(""),
    "no end": Said(chunk("Hi")),
    "a page": Said("<html>It works!</html>", "text/html"),
    "broken json": Said(chunk("Hi") + "data: {oops\n\n" + chunk(finish="stop")),
    "not an object": Said(chunk("Hi") + "data: []\n\n" + chunk(finish="stop")),
    "an error of its own": Said('data: {"error": {"message": "out of memory"}}\n\n'),
    "an error after words": Said(chunk("Hi") + 'data: {"error": {"message": "gone"}}\n\n'),
    "packed": Said(BOMB, headers={"content-encoding": "gzip"}),
    "a redirect": Said("", status=307, headers={"location": "http://127.0.0.1:9/"}),
}


@pytest.fixture(scope="module")
def upstream() -> OddUpstream:
    return OddUpstream()


@pytest.fixture(scope="module")
def url(upstream: OddUpstream) -> Iterator[str]:
    with served(upstream.app()) as address:
        config = ProxyConfig((Upstream(f"{address}/v1"),), ModelTerms("xml_tag"))
        with served(make_app(config)) as url:
            yield url


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("said", CALLS.values(), ids=CALLS)
def test_a_call_is_read_out_of_it(url, upstream, said, stream):
    upstream.said = said
    answer = plain.post(url + CHAT, json=asked("x", stream=stream))
    assert answer.status_code == 200
    if not stream:
        (choice,) = answer.json()["choices"]
        assert choice["finish_reason"] == "tool_calls"
        called = [call["function"]["arguments"] for call in choice["message"]["tool_calls"]]
        assert list(map(json.loads, called)) == [{"city": "Oslo"}, {"city": "Lima"}][: len(called)]
        assert len(called) == (2 if "Lima" in str(said.body) else 1)
        return
    came = events(answer)
    assert came[-1] == "[DONE]"
    assert came[-2]["choices"][0]["finish_reason"] == "tool_calls"


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("said", FAILURES.values(), ids=FAILURES)
def test_it_is_told_as_an_error(url, upstream, said, stream):
    upstream.said = said
    answer = plain.post(url + CHAT, json=asked("x", stream=stream))
    if answer.status_code == 200:
        assert stream, "an error that was not streamed has a status"
        *_, last, done = events(answer)
        assert done == "[DONE]"  # some clients wait for it
    else:
        assert answer.status_code == 502
        last = answer.json()
    assert last["error"]["type"] == "upstream_error"


@pytest.mark.parametrize("tools", [{}, {"tools": [], "stream": True}])
def test_a_packed_answer_is_not_handed_on(url, upstream, tools):
    upstream.said = Said(BOMB, "application/json", headers={"content-encoding": "gzip"})
    body = {"model": "m", "messages": [{"role": "user", "content": "hi"}], **tools}
    answer = plain.post(url + CHAT, json=body)
    assert answer.status_code == 502
    assert answer.json()["error"]["type"] == "upstream_error"


@pytest.mark.parametrize("with_tools", [False, True])
def test_a_packed_refusal_keeps_its_status(url, upstream, with_tools):
    headers = {"content-encoding": "gzip", "retry-after": "7"}
    upstream.said = Said(BOMB, "application/json", 429, headers)
    body = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
    answer = plain.post(url + CHAT, json=asked("x") if with_tools else body)
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "7")
    assert len(answer.content) < 1000


def test_an_error_in_a_stream_of_its_own_is_told_in_its_own_words(url, upstream):
    upstream.said = Said('data: {"error": {"message": "out of memory"}}\n\n')
    refused = plain.post(url + CHAT, json=asked("x", stream=True))
    assert "out of memory" in refused.json()["error"]["message"]


WAITS = {"7": "7", "-5": None, "nan": None, "soon": None, "": None, "1e400": None}


@pytest.mark.parametrize("written", WAITS)
def test_a_time_to_wait_is_passed_on_if_it_is_one(url, upstream, written):
    upstream.said = Said('{"error": {"message": "busy"}}', "application/json", 429,
                         {"retry-after": written})  # fmt: skip
    refused = plain.post(url + CHAT, json=asked("x"))
    assert refused.headers.get("retry-after") == WAITS[written]
    assert "busy" in refused.json()["error"]["message"]


def test_a_reply_cut_in_a_call_ends_with_length_and_makes_no_call(url, upstream):
    upstream.said = Said(chunk(CALL[:50]) + chunk(finish="length") + DONE)
    (choice,) = plain.post(url + CHAT, json=asked("x")).json()["choices"]
    assert choice["finish_reason"] == "length"
    assert "tool_calls" not in choice["message"]


def test_a_call_of_a_tool_that_nobody_offered_does_not_leave(url, upstream):
    native = [{"index": 0, "id": "c", "type": "function", "function": {"name": "rm"}}]
    upstream.said = Said(chunk(tool_calls=native) + chunk(finish="tool_calls") + DONE)
    answer = plain.post(url + CHAT, json=asked("x"))
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "unusable_tool_call")


def test_an_answer_that_breaks_off_while_it_is_handed_on_is_logged_as_failed(caplog):
    caplog.set_level("INFO", "toolproto.proxy")
    upstream = OddUpstream()
    upstream.said = Said(chunk("half"), headers={"content-length": "9999"})
    with served(upstream.app()) as address:
        config = ProxyConfig((Upstream(f"{address}/v1"),), ModelTerms("xml_tag"))
        with served(make_app(config)) as url, pytest.raises(httpx.RemoteProtocolError):
            body = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": True}
            plain.post(url + CHAT, json=body)
    lines = [each.getMessage() for each in caplog.records if each.name == "toolproto.proxy"]
    line = json.loads(lines[-1])
    assert (line["outcome"], line["status"]) == ("failed", 502)
