"""What programs send and get that nobody had thought of: found by running two dozen of them."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from tests import plain
from tests.gateway.proxy.backend import Backend
from tests.gateway.proxy.wire import CHAT, CITY, TOOLS, WEATHER, asked, proxy

GOOGLE = "/v1beta/models/m:generateContent"
DECLARED = [{"functionDeclarations": [WEATHER]}]
ANTHROPIC = [{"name": "get_weather", "description": "Current weather.", "input_schema": CITY}]
CALL = '<tool_code>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_code>'
RESPONSES = [{"type": "function", **WEATHER}]

# -- conversations in which the user says nothing ------------------------------------------

SILENT: dict[str, tuple[str, dict[str, Any]]] = {
    "chat, system": (CHAT, {"tools": TOOLS, "messages": [{"role": "system", "content": "Hi."}]}),
    "chat, developer": (
        CHAT,
        {"tools": TOOLS, "messages": [{"role": "developer", "content": "Hi."}]},
    ),
    "chat, empty": (CHAT, {"tools": TOOLS, "messages": [{"role": "user", "content": ""}]}),
    "responses, developer": (
        "/v1/responses",
        {"tools": RESPONSES, "input": [{"role": "developer", "content": "Hi."}]},
    ),
    "responses, empty": (
        "/v1/responses",
        {"tools": RESPONSES, "input": [{"role": "user", "content": ""}]},
    ),
    "anthropic, empty": (
        "/v1/messages",
        {
            "tools": ANTHROPIC,
            "max_tokens": 9,
            "system": "Hi.",
            "messages": [{"role": "user", "content": ""}],
        },
    ),
    "ollama, system": (
        "/api/chat",
        {"tools": TOOLS, "stream": False, "messages": [{"role": "system", "content": "Hi."}]},
    ),
    "google, empty": (GOOGLE, {"tools": DECLARED, "contents": [{"parts": [{"text": ""}]}]}),
    "anthropic, nothing at all": (
        "/v1/messages",
        {"max_tokens": 9, "messages": [{"role": "user", "content": ""}]},
    ),
}


@pytest.mark.parametrize("name", SILENT)
def test_a_conversation_in_which_the_user_says_nothing_is_answered(name):
    path, body = SILENT[name]
    backend = Backend(lambda _: "Hello!")
    with proxy(backend) as url:
        answer = plain.post(url + path, json={"model": "m", **body})
    assert answer.status_code == 200 and "Hello!" in answer.text
    (sent,) = backend.bodies
    assert [message["role"] for message in sent["messages"]][-1] == "user"
    assert all(message["content"].strip() for message in sent["messages"])


# -- the choice of a tool in another maker's form -------------------------------------------


@pytest.mark.parametrize(("mode", "calls"), [("auto", 1), ("required", 1), ("any", 1), ("none", 0)])
def test_a_choice_of_tools_may_be_an_object_with_a_type(mode, calls):
    backend = Backend(lambda _: CALL if calls else "It rains.")
    with proxy(backend) as url:
        answer = plain.post(url + CHAT, json=asked("How is Oslo?", tool_choice={"type": mode}))
    assert answer.status_code == 200
    message = answer.json()["choices"][0]["message"]
    assert len(message.get("tool_calls", [])) == calls


# -- errors in the middle of a stream --------------------------------------------------------


def test_the_gemini_cli_sees_an_error_as_one():
    # Its SDK parses each chunk of the body by itself, and raises if that is an error in JSON.
    stream = GOOGLE.replace("generateContent", "streamGenerateContent?alt=sse")
    body = {"tools": DECLARED, "contents": [{"parts": [{"text": "Hi"}]}]}
    with (
        proxy(Backend(lambda _: "some words that go on", breaks_after=12)) as url,
        httpx.stream("POST", url + stream, json=body) as answer,
    ):
        *said, told, event = [chunk.decode() for chunk in answer.iter_raw()]
    assert said and all(each.startswith("data: ") for each in said)
    assert json.loads(told)["error"]["status"] == "UNAVAILABLE"
    # A reader of events passes over that, and finds the error in an event.
    assert json.loads(event.removeprefix("data: ")) == json.loads(told)


# -- calls that leave whole -----------------------------------------------------------------

STREAMED: dict[str, tuple[str, dict[str, Any]]] = {
    "ollama": ("/api/chat", {"tools": TOOLS, "messages": [{"role": "user", "content": "Oslo?"}]}),
    "google": (
        GOOGLE.replace("generateContent", "streamGenerateContent?alt=sse"),
        {"tools": DECLARED, "contents": [{"parts": [{"text": "Oslo?"}]}]},
    ),
}


@pytest.mark.parametrize("name", STREAMED)
def test_a_streamed_call_is_checked_where_the_api_sends_it_whole(name):
    wrong = CALL.replace("city", "town")
    said = [wrong, CALL]
    path, body = STREAMED[name]
    backend = Backend(lambda _: said.pop(0))
    with proxy(backend) as url:
        answer = plain.post(url + path, json={"model": "m", **body}).text
    assert "town" not in answer and "Oslo" in answer
    assert len(backend.bodies) == 2


# -- a model that calls where it may not ----------------------------------------------------


@pytest.mark.parametrize("stream", [False, True])
def test_a_model_that_only_calls_where_none_may_ends_in_words(stream):
    # An agent whose turns are used up asks so; it takes ``length`` for a reason to ask again.
    with proxy(Backend(lambda _: CALL)) as url:
        answer = plain.post(url + CHAT, json=asked("Oslo?", tool_choice="none", stream=stream))
    assert "(No answer: the model only tried to call get_weather" in answer.text
    assert '"finish_reason":"stop"' in answer.text.replace(" ", "")


# -- what the model is told of a garbled call -----------------------------------------------


def test_the_model_hears_of_no_tool_that_is_called_like_the_scraps_of_its_call():
    said = ['<tool_code>{"name": "<<", "arguments": {"city": "Oslo"}}</tool_code>', CALL]
    backend = Backend(lambda _: said.pop(0))
    with proxy(backend) as url:
        answer = plain.post(url + CHAT, json=asked("Oslo?")).json()
    assert answer["choices"][0]["message"]["tool_calls"]
    advice = backend.bodies[-1]["messages"][-1]["content"]
    assert "the name of the tool could not be read; the tools are: get_weather" in advice


# -- calls in another form that cannot be read ----------------------------------------------

UNREAD = {
    "unknown tool": (
        '<tool_call>\n{"name": "fly", "arguments": {"to": "Oslo"}}\n</tool_call>',
        "there is no tool 'fly'",
    ),
    "not JSON": ("<tool_call>\nOslo, please\n</tool_call>", "not in the form you were shown"),
}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("name", UNREAD)
def test_a_call_in_another_form_that_cannot_be_read_is_put_to_the_model(name, stream):
    wrong, advice = UNREAD[name]
    said = [f"Let me look.\n{wrong}", CALL]
    backend = Backend(lambda _: said.pop(0))
    with proxy(backend) as url:
        answer = plain.post(url + CHAT, json=asked("Oslo?", stream=stream)).text
    assert "get_weather" in answer and "tool_calls" in answer
    assert advice in backend.bodies[-1]["messages"][-1]["content"]


@pytest.mark.parametrize("name", UNREAD)
def test_one_that_the_model_does_not_mend_is_an_error(name):
    with proxy(Backend(lambda _: UNREAD[name][0])) as url:
        answer = plain.post(url + CHAT, json=asked("Oslo?"))
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "unusable_tool_call")


@pytest.mark.parametrize(
    "said",
    [
        "Write <tool_call>…</tool_call> around it.",
        "In Hermes:\n```\n<tool_call>\nx\n</tool_call>\n```",
        "It is called like this: <tool_call>x</tool_call>",
    ],
)
def test_words_about_another_form_are_words(said):
    backend = Backend(lambda _: said)
    with proxy(backend) as url:
        answer = plain.post(url + CHAT, json=asked("How?")).json()
    assert answer["choices"][0]["message"]["content"] == said
    assert len(backend.bodies) == 1
