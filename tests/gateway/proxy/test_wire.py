"""What OpenAI's chat completions say over the wire, and in which order."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import pytest

from tests import plain
from tests.gateway.proxy.backend import Backend, served
from tests.gateway.proxy.clients.model import model_of
from tests.gateway.proxy.wire import (
    BOTH,
    CHAT,
    CITY,
    OSLO,
    PARADIGMS,
    WEATHER,
    asked,
    events,
    proxy,
)
from toolproto.gateway.proxy.app import make_app
from toolproto.gateway.proxy.config import ModelTerms, ProxyConfig, Upstream


@pytest.fixture(scope="module")
def backend() -> Backend:
    return Backend(model_of("xml_tag"))


@pytest.fixture(scope="module")
def url(backend: Backend) -> Iterator[str]:
    with proxy(backend) as url:
        yield url


def kind(event: Any) -> str:
    """What an event of a chat completion is about."""
    match event:
        case "[DONE]":
            return "done"
        case {"error": _}:
            return "error"
        case {"choices": [], "usage": dict()}:
            return "usage"
        case {"choices": [{"finish_reason": str(reason)}]}:
            return f"finish {reason}"
        case {"choices": [{"delta": {"role": "assistant"}}]}:
            return "role"
        case {"choices": [{"delta": {"tool_calls": [{"index": at, "id": str()}]}}]}:
            return f"call {at}"
        case {"choices": [{"delta": {"tool_calls": [{"index": at, "function": _}]}}]}:
            return f"arguments {at}"
        case {"choices": [{"delta": {"function_call": {"name": _}}}]}:
            return "function"
        case {"choices": [{"delta": {"function_call": _}}]}:
            return "arguments"
        case {"choices": [{"delta": {"content": str()}}]}:
            return "text"
    raise AssertionError(f"an event of no kind: {event}")


def kinds(several: Sequence[Any]) -> list[str]:
    """What comes after what, however many events it takes."""
    return [each for each, _ in groupby(map(kind, several))]


def arguments(several: Sequence[Any], index: int) -> dict[str, Any]:
    """The fragments of one call, joined."""
    calls = [
        call
        for event in several
        if kind(event) == f"arguments {index}"
        for call in event["choices"][0]["delta"]["tool_calls"]
    ]
    return json.loads("".join(call["function"]["arguments"] for call in calls))


@pytest.mark.parametrize("paradigm", PARADIGMS)
def test_a_stream_says_role_text_calls_finish_usage_and_done(paradigm):
    with proxy(Backend(model_of(paradigm)), paradigm) as url:
        body = asked(BOTH, stream=True, stream_options={"include_usage": True})
        came = events(plain.post(url + CHAT, json=body))
    assert kinds(came) == [
        *("role", "text", "call 0", "arguments 0", "call 1", "arguments 1"),
        *("finish tool_calls", "usage", "done"),
    ]
    assert arguments(came, 0) == {"city": "Oslo"}
    assert arguments(came, 1) == {"city": "Lima"}
    assert came[-2]["usage"] == {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}


def test_a_call_begins_with_its_id_type_name_and_no_arguments(url):
    came = events(plain.post(url + CHAT, json=asked(BOTH, stream=True)))
    begun = [event["choices"][0]["delta"] for event in came if kind(event).startswith("call")]
    ids = [delta["tool_calls"][0].pop("id") for delta in begun]
    function = {"name": "get_weather", "arguments": ""}
    assert begun == [
        {"tool_calls": [{"index": at, "type": "function", "function": function}]} for at in (0, 1)
    ]
    assert len(set(ids)) == 2 and all(ids)


def test_a_fragment_says_nothing_but_its_index_and_text(url):
    came = events(plain.post(url + CHAT, json=asked(OSLO, stream=True)))
    deltas = [event["choices"][0]["delta"] for event in came if kind(event) == "arguments 0"]
    assert deltas
    for delta in deltas:
        (call,) = delta["tool_calls"]
        assert (delta.keys(), call.keys()) == ({"tool_calls"}, {"index", "function"})
        assert call["function"].keys() == {"arguments"}


def test_one_id_time_and_model_stand_in_every_chunk(url):
    came = events(plain.post(url + CHAT, json=asked(BOTH, stream=True)))
    *chunks, _ = came
    assert len({(c["id"], c["created"], c["model"], c["object"]) for c in chunks}) == 1
    assert chunks[0]["object"] == "chat.completion.chunk"
    assert "usage" not in chunks[0]


def test_whoever_asks_for_usage_finds_the_field_in_every_chunk(url):
    body = asked(OSLO, stream=True, stream_options={"include_usage": True})
    *chunks, last, _ = events(plain.post(url + CHAT, json=body))
    assert all(chunk["usage"] is None for chunk in chunks)
    assert last["choices"] == []


def test_words_alone_end_with_stop(url):
    came = events(plain.post(url + CHAT, json=asked("Hello", stream=True)))
    assert kinds(came) == ["role", "text", "finish stop", "done"]


def test_a_call_without_words_has_null_for_content():
    calls = Backend(lambda _: model_of("xml_tag")([{"content": "call it"}]))
    with proxy(calls) as url:
        whole = plain.post(url + CHAT, json=asked("x")).json()
        came = events(plain.post(url + CHAT, json=asked("x", stream=True)))
    (choice,) = whole["choices"]
    assert choice["message"]["content"] is None
    assert choice["finish_reason"] == "tool_calls"
    assert kinds(came)[:2] == ["role", "call 0"]


def test_arguments_of_a_call_without_any_are_an_empty_object(url):
    now = {"type": "function", "function": {"name": "now", "parameters": {"type": "object"}}}
    body = asked("Call now with {}", tools=[now])
    (call,) = plain.post(url + CHAT, json=body).json()["choices"][0]["message"]["tool_calls"]
    assert call["function"] == {"name": "now", "arguments": "{}"}
    came = events(plain.post(url + CHAT, json=body | {"stream": True}))
    assert arguments(came, 0) == {}


def test_two_choices_come_side_by_side_each_in_its_order(url):
    body = asked(OSLO, n=2, stream=True, stream_options={"include_usage": True})
    *came, usage, _ = events(plain.post(url + CHAT, json=body))
    for index in (0, 1):
        of_one = [event for event in came if event["choices"][0]["index"] == index]
        assert kinds(of_one) == ["role", "text", "call 0", "arguments 0", "finish tool_calls"]
        assert arguments(of_one, 0) == {"city": "Oslo"}
    ids = [e["choices"][0]["delta"]["tool_calls"][0]["id"] for e in came if kind(e) == "call 0"]
    assert len(set(ids)) == 2
    assert usage["usage"]["total_tokens"] == 20


def test_two_choices_whole(url):
    choices = plain.post(url + CHAT, json=asked(OSLO, n=2)).json()["choices"]
    assert [choice["index"] for choice in choices] == [0, 1]
    assert len({choice["message"]["tool_calls"][0]["id"] for choice in choices}) == 2


def test_where_to_stop_is_told_the_backend(url, backend):
    plain.post(url + CHAT, json=asked("Hello", stop=["END", "\n\n"])).raise_for_status()
    assert backend.bodies[-1]["stop"][:2] == ["END", "\n\n"]


SHAPE = {"type": "json_schema", "json_schema": {"name": "place", "schema": CITY}}


@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_beside_tools_keeps_to_its_format(stream):
    replies = iter(["I think it is Oslo.", '```json\n{"city": "Oslo"}\n```'])
    backend = Backend(lambda _: next(replies))
    body = asked("Where?", response_format=SHAPE, stream=stream)
    with proxy(backend) as url:
        response = plain.post(url + CHAT, json=body)
    assert len(backend.bodies) == 2
    if not stream:
        assert response.json()["choices"][0]["message"]["content"] == '{"city": "Oslo"}'
        return
    came = events(response)
    assert kinds(came) == ["role", "text", "finish stop", "done"]
    said = [event["choices"][0]["delta"]["content"] for event in came if kind(event) == "text"]
    assert "".join(said) == '{"city": "Oslo"}'


@pytest.mark.parametrize("format", [SHAPE, {"type": "json_object"}, {"type": "text"}])
def test_the_format_of_an_answer_without_tools_is_the_backends_business(format):
    backend = Backend(lambda _: "7")
    body = {"model": "m", "messages": [{"role": "user", "content": "How many?"}]}
    with proxy(backend) as url:
        response = plain.post(url + CHAT, json={**body, "response_format": format})
    assert response.json()["choices"][0]["message"]["content"] == "7"
    assert backend.bodies == [{**body, "response_format": format}]


def test_functions_of_old_are_answered_in_their_own_form(url):
    body = asked(OSLO, functions=[WEATHER])
    del body["tools"]
    (choice,) = plain.post(url + CHAT, json=body).json()["choices"]
    called = choice["message"]["function_call"]
    assert (called["name"], json.loads(called["arguments"])) == ("get_weather", {"city": "Oslo"})
    assert choice["finish_reason"] == "function_call"
    came = events(plain.post(url + CHAT, json=body | {"stream": True}))
    expected = ["role", "text", "function", "arguments", "finish function_call", "done"]
    assert kinds(came) == expected


def test_results_of_old_are_told_the_model(url, backend):
    called = {"name": "get_weather", "arguments": '{"city": "Oslo"}'}
    history = [
        {"role": "user", "content": OSLO},
        {"role": "assistant", "content": None, "function_call": called},
        {"role": "function", "name": "get_weather", "content": "4 degrees"},
    ]
    body = {"model": "m", "messages": history, "functions": [WEATHER]}
    answer = plain.post(url + CHAT, json=body).json()["choices"][0]
    assert answer["message"]["content"] == "I was told: 4 degrees"


def test_no_character_of_an_argument_can_end_a_line(url):
    city = "a\u2028b\u2029c\u0085d\x0be"
    question = f"Call get_weather with {json.dumps({'city': city})}"
    came = events(plain.post(url + CHAT, json=asked(question, stream=True)))
    assert arguments(came, 0) == {"city": city}


@pytest.mark.parametrize("stream", [False, True])
def test_an_error_before_the_first_byte_has_its_status_words_and_time_to_wait(url, stream):
    refused = plain.post(url + CHAT, json=asked("Fail with 429", stream=stream))
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "7")
    assert refused.headers["content-type"] == "application/json"
    error = refused.json()["error"]
    assert error.keys() == {"message", "type", "param", "code"}
    assert "not now, please" in error["message"]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 500, 503])
def test_an_upstream_keeps_its_own_status(url, status):
    refused = plain.post(url + CHAT, json=asked(f"Fail with {status}", stream=True))
    assert refused.status_code == status


def test_an_upstream_that_is_not_there_is_a_bad_gateway():
    with served(Backend(model_of("xml_tag")).app()) as gone:
        pass
    config = ProxyConfig((Upstream(f"{gone}/v1"),), ModelTerms("xml_tag"))
    with served(make_app(config)) as url:
        refused = plain.post(url + CHAT, json=asked("Hello", stream=True))
    assert refused.status_code == 502
    # Where the upstream stands is nobody's business.
    assert gone.rpartition(":")[2] not in refused.text


@pytest.mark.parametrize("breaks_after", [14, 30, 64])
def test_an_upstream_that_breaks_off_is_an_error_and_never_an_end(breaks_after):
    with proxy(Backend(model_of("xml_tag"), breaks_after=breaks_after)) as url:
        came = events(plain.post(url + CHAT, json=asked(OSLO, stream=True)))
        whole = plain.post(url + CHAT, json=asked(OSLO))
    assert kind(came[-2]) == "error"
    # It belongs to this stream: programs that follow several go by the id.
    assert {event["id"] for event in came[:-1]} == {came[0]["id"]}
    # Some clients wait for it, and none takes it for a finish.
    assert came[-1] == "[DONE]"
    assert not [each for each in kinds(came) if each.startswith(("finish", "usage"))]
    assert whole.status_code == 502


BAD = {
    "unknown tool": {"tool_choice": {"type": "function", "function": {"name": "fly"}}},
    "unknown word": {"tool_choice": "perhaps"},
    "demand without tools": {"tools": [], "tool_choice": "required"},
    "no choices": {"n": 0},
    "bad format": {"response_format": {"type": "poem"}},
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
@pytest.mark.parametrize("stream", [False, True])
def test_what_cannot_be_asked_is_a_400_that_names_the_field(url, bad, stream):
    refused = plain.post(url + CHAT, json=asked("Hello", stream=stream) | bad)
    error = refused.json()["error"]
    assert (refused.status_code, error["type"]) == (400, "invalid_request_error")
    assert error["param"].partition("[")[0] in bad


NO_MESSAGES = ("hi", ["hi"], {"role": "user"}, [], None, [None])


@pytest.mark.parametrize(
    ("path", "messages"),
    [
        (path, messages)
        for path in (CHAT, "/v1/messages", "/api/chat")
        for messages in NO_MESSAGES
        if messages or path != "/api/chat"  # which then asks only whether the model is there
    ],
)
def test_messages_that_are_none_are_a_400_that_says_so(url, path, messages):
    refused = plain.post(url + path, json={"model": "m", "max_tokens": 9, "messages": messages})
    assert refused.status_code == 400
    assert "messages" in refused.text
    assert refused.headers["x-should-retry"] == "false"


def test_a_strict_template_gets_messages_in_order_without_tools_too():
    said = [
        {"role": "user", "content": "Hi."},
        {"role": "user", "content": [{"type": "text", "text": "Hello?"}], "name": "me"},
        {"role": "assistant", "content": "Yes?"},
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": "A"},
        {"role": "user", "content": "B"},
    ]
    strict = Backend(lambda messages: "hm")
    with served(strict.app()) as upstream:
        for normalize in (False, True):
            backend = Upstream(f"{upstream}/v1", normalize=normalize)
            with served(make_app(ProxyConfig((backend,)))) as url:
                body = {"model": "m", "messages": said, "logprobs": True}
                answer = plain.post(url + CHAT, json=body)
            assert answer.status_code == (200 if normalize else 400)
    sent = strict.bodies[-1]
    assert [each["role"] for each in sent["messages"]] == ["system", "user", "assistant", "user"]
    assert sent["messages"][-1]["content"] == "A\n\nB"
    assert [part["text"] for part in sent["messages"][1]["content"]] == ["Hi.", "Hello?"]
    assert sent["logprobs"] is True
