"""Results as the model is told them: one for each call, in the order of the calls."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolproto import get_paradigm
from toolproto.endpoints.apis.served import APIS
from toolproto.gateway.bridge.prompting import first_request

HI = {"role": "user", "content": "hi"}
CITY = {"type": "object", "properties": {"city": {"type": "string"}}}
TOOLS = [{"type": "function", "function": {"name": "get_weather", "parameters": CITY}}]


def calling(**cities: str) -> dict[str, Any]:
    calls = [
        {
            "id": id,
            "type": "function",
            "function": {"name": "get_weather", "arguments": json.dumps({"city": city})},
        }
        for id, city in cities.items()
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def twice(message: dict[str, Any]) -> dict[str, Any]:
    return {**message, "tool_calls": message["tool_calls"] * 2}


def result(id: str, content: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "content": content}


def results(*messages: dict[str, Any]) -> list[list[tuple[str, str]]]:
    asked = APIS["/v1/chat/completions"].read({"model": "m", "messages": [HI, *messages]})
    told = (message.results for message in asked.messages if message.results)
    return [[(each.call.id, each.content) for each in several] for several in told]


NONE = "no result came for this call"
CASES = {
    "in order": ([calling(a="A", b="B"), result("a", "1"), result("b", "2")], [["a1", "b2"]]),
    "as they ended": ([calling(a="A", b="B"), result("b", "2"), result("a", "1")], [["a1", "b2"]]),
    "one is missing": ([calling(a="A", b="B"), result("b", "2")], [["a" + NONE, "b2"]]),
    "of two messages": (
        [calling(a="A"), calling(b="B"), result("b", "2"), result("a", "1")],
        [["a1", "b2"]],
    ),
    "the developer speaks": (
        [calling(a="A", b="B"), {"role": "developer", "content": "!"}, result("b", "2")],
        [["a" + NONE, "b2"]],
    ),
    "one too late": (
        [calling(a="A", b="B"), result("b", "2"), HI, result("a", "1")],
        [["a" + NONE, "b2"], ["a1"]],
    ),
    "calls nobody answered": ([calling(a="A"), HI, calling(b="B"), result("b", "2")], [["b2"]]),
    "an id that came again": (
        [calling(a="A"), result("a", "1"), calling(a="B"), result("a", "2")],
        [["a1"], ["a2"]],
    ),
}


#: What clients keep that forget, or that keep what a model wrote; and what is noted.
PUT_RIGHT = {
    "a forgotten call": ([result("x", "9"), HI], [["x9"]], "no call for the result at messages[1]"),
    "a forgotten call among others": (
        [calling(a="A"), result("x", "9"), result("a", "1")],
        [["a1", "x9"]],
        "no call for the result at messages[2]",
    ),
    "one id for two calls": (
        [twice(calling(a="A")), result("a", "1"), result("a", "2")],
        [["a1", "a_22"]],
        "two calls with one id at messages[1]",
    ),
    "one id for two calls, and one result": (
        [twice(calling(a="A")), result("a", "1")],
        [["a1", "a_2" + NONE]],
        "two calls with one id at messages[1]",
    ),
}


@pytest.mark.parametrize(("messages", "told", "note"), PUT_RIGHT.values(), ids=PUT_RIGHT)
def test_a_conversation_that_was_kept_badly_goes_on(messages, told, note):
    assert [[id + content for id, content in several] for several in results(*messages)] == told
    asked = APIS["/v1/chat/completions"].read({"model": "m", "messages": [HI, *messages]})
    assert asked.notes == (note,)


def test_anthropic_s_and_responses_clients_forget_calls_as_well():
    forgotten = {"type": "tool_result", "tool_use_id": "x", "content": "9"}
    body = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": [forgotten]}]}
    assert APIS["/v1/messages"].read(body).messages[0].results[0].content == "9"
    output = {"type": "function_call_output", "call_id": "x", "output": "9"}
    asked = APIS["/v1/responses"].read({"model": "m", "input": [output]})
    assert asked.messages[0].results[0].content == "9" and len(asked.notes) == 1


@pytest.mark.parametrize(("messages", "told"), CASES.values(), ids=CASES)
def test_each_call_has_its_result_in_its_place(messages, told):
    assert [[id + content for id, content in several] for several in results(*messages)] == told


@pytest.mark.parametrize("name", ["xml_tag", "hermes", "json_strict", "qwen3_coder", "react"])
def test_a_model_reads_results_in_the_order_of_its_calls(name):
    messages = [HI, calling(a="Oslo", b="Lima"), result("b", "LIMA"), result("a", "OSLO")]
    body = {"model": "m", "tools": TOOLS, "messages": messages}
    asked = APIS["/v1/chat/completions"].read(body)
    told = first_request(asked, get_paradigm(name)).messages[-1].content
    assert told.index("OSLO") < told.index("LIMA")
