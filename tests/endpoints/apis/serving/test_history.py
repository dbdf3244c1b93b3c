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
