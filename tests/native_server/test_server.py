"""The server that loses calls says on the wire what its tables say, as the APIs would."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests import plain
from toolproto.endpoints import HttpEndpoint
from toolproto.protocol.messages import ChatRequest, Message

from .answers import APIS, Answer, Called, Said, Thought
from .server import BASES, DONE, NativeServer, serving
from .ways import LOSING, SOUND, WAYS
from .wires import WIRES

TOOLS = {"tools": [{"type": "function", "function": {"name": "get_weather"}}]}
ASKED = {"model": "m", "messages": [{"role": "user", "content": "Rain?"}], **TOOLS}
WAYS_THAT_ANSWER = [way for way in (*SOUND, *LOSING) if not way.answer.refused]


@pytest.fixture(scope="module")
def server():
    return NativeServer(WAYS["words"])


@pytest.fixture(scope="module")
def address(server):
    with serving(server) as url:
        yield url


@pytest.mark.parametrize("api", sorted(APIS))
def test_an_endpoint_of_each_api_reads_the_text_and_the_thoughts_of_answers(server, address, api):
    server.minds_tools, names = False, {"google": "gemini"}
    with HttpEndpoint(f"{address}{BASES[api]}", model="m", dialect=names.get(api, api)) as made:
        for size in (7, None):
            server.size = size
            for way in WAYS_THAT_ANSWER[::9]:
                server.way = way
                request = ChatRequest((Message("user", "Rain?"),))
                with made.stream(request) as chunks:
                    came = list(chunks)
                for key, kind in (("text", Said), ("reasoning", Thought)):
                    sent = "".join(part.text for part in way.answer.parts if isinstance(part, kind))
                    assert "".join(getattr(chunk, key) for chunk in came) == sent, way.name


def put_together(blocks: list[str]) -> list[dict[str, Any]]:
    """Return the calls of a stream of OpenAI's, as its own clients put them together."""
    calls: dict[int, dict[str, Any]] = {}
    for block in blocks:
        data = block.removeprefix("data: ").strip()
        choices = [] if data == "[DONE]" else json.loads(data)["choices"]
        for choice in choices:
            for piece in choice["delta"].get("tool_calls", []):
                call = calls.setdefault(piece["index"], {"name": "", "arguments": ""})
                call["name"] += piece["function"].get("name") or ""
                call["arguments"] += piece["function"].get("arguments") or ""
    return list(calls.values())


@pytest.mark.parametrize("size", [1, 7, None])
def test_a_stream_that_works_is_put_together_as_openai_s_clients_do(size):
    two = WAYS["two_calls"].answer
    calls = put_together(list(WIRES["openai_chat"].stream(two, size)))
    assert [call["name"] for call in calls] == ["get_weather", "get_time"]
    assert [json.loads(call["arguments"]) for call in calls] == [
        {"city": "Paris", "days": 3}, {"tz": "UTC"},
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["index_missing", "index_wanders", "name_in_every_piece"])
def test_what_is_wrong_in_a_stream_is_wrong_on_the_wire(name):
    blocks = list(WIRES["openai_chat"].stream(WAYS[name].answer, 7))
    with pytest.raises((KeyError, AssertionError)):
        calls = put_together(blocks)
        assert [call["name"] for call in calls] == ["get_weather"]


def test_a_whole_answer_of_each_api_holds_its_call():
    answer = Answer((Thought("Hm."), Said("So."), Called()), "tool_calls")
    written = {api: json.dumps(wire.whole(answer)) for api, wire in WIRES.items()}
    assert all("get_weather" in body and "Paris" in body for body in written.values())
    assert '"stop_reason": "tool_use"' in written["anthropic"]
    assert '"functionCall": {"name": "get_weather", "args": {"city"' in written["google"]


def test_requests_without_tools_are_answered_in_the_paradigm_and_results_in_words(server, address):
    server.way, server.minds_tools = WAYS["nothing"], True
    url = f"{address}/v1/chat/completions"
    lost = plain.post(url, json=ASKED).json()["choices"][0]["message"]
    assert lost["content"] is None and "tool_calls" not in lost
    untooled = {key: value for key, value in ASKED.items() if key != "tools"}
    taught = plain.post(url, json=untooled).json()["choices"][0]["message"]["content"]
    assert json.loads(taught)["tool_calls"][0]["name"] == "get_weather"
    result = {"role": "tool", "tool_call_id": "call_1", "content": "21"}
    told = plain.post(url, json={**ASKED, "messages": [*ASKED["messages"], result]}).json()
    assert told["choices"][0]["message"]["content"] == DONE


def test_a_refusal_comes_as_an_error_or_first_in_the_stream(server, address):
    url = f"{address}/v1/chat/completions"
    server.way = WAYS["failed_generation"]
    refused = plain.post(url, json=ASKED)
    assert refused.status_code == 400
    assert refused.json()["error"]["failed_generation"].startswith("get_weather{")
    server.way = WAYS["no_tools_in_stream"]
    streamed = plain.post(url, json={**ASKED, "stream": True})
    assert streamed.status_code == 200 and "does not support tools" in streamed.text
