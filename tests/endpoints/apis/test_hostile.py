"""Whatever a client sends, it is told what is wrong with it, or is understood."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolproto.endpoints.apis.asked import BadRequest
from toolproto.endpoints.apis.serving.api import Answer
from toolproto.gateway.bridge.prompting import first_request
from toolproto.protocol.paradigms import get_paradigm

from .samples import APIS, BODIES, PIECES, STAMP, streamed

FEW = settings(max_examples=settings.default.max_examples // 3)
EVERY = pytest.mark.parametrize("name", APIS)


def told(name: str, body: dict[str, Any]) -> BadRequest | None:
    """What is wrong with *body*; if nothing is, it can be sent, and an answer can be written."""
    api = APIS[name]
    try:
        asked = api.read(body)
    except BadRequest as refused:
        json.dumps(api.error(refused.fault)).encode("ascii")
        assert len(refused.message) < 1000
        return refused
    first_request(asked, get_paradigm("xml_tag"))
    streamed(api, asked, PIECES)
    json.dumps(api.whole(asked, [Answer("Rain.")], STAMP))
    return None


# -- arbitrary bodies ---------------------------------------------------------------------

_VOCABULARY = """
    type role content text name id input arguments function tool_calls tool_call_id call_id
    output tools tool messages model user assistant system message function_call auto required
    tool_use tool_result tool_use_id stream format schema json_schema options stop think
"""
WORDS = st.sampled_from(_VOCABULARY.split())
LEAVES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), WORDS, st.text(max_size=5))
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=10,
)


@EVERY
@FEW
@given(body=st.dictionaries(WORDS, VALUES, max_size=8))
def test_arbitrary_json_is_refused_or_understood(name, body):
    told(name, body)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to everything in *value*."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for key, each in inner:
        yield (*path, key)
        if isinstance(each, dict | list):
            yield from places(each, (*path, key))


@EVERY
@FEW
@given(draw=st.data())
def test_a_good_body_with_anything_in_any_place_is_refused_or_understood(name, draw):
    body = copy.deepcopy(BODIES[name])
    *way, last = draw.draw(st.sampled_from(list(places(body))), "place")
    inner: Any = body
    for key in way:
        inner = inner[key]
    inner[last] = draw.draw(VALUES, "value")
    told(name, body)


@EVERY
def test_the_body_that_these_begin_with_is_good(name):
    assert told(name, BODIES[name]) is None


# -- by hand ------------------------------------------------------------------------------


def nested(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    return value


@EVERY
@pytest.mark.parametrize("key", ["messages", "input", "tools", "metadata", "anything"])
@pytest.mark.parametrize("depth", [500, 100_000])
def test_what_is_nested_too_deeply_is_refused_by_its_field(name, key, depth):
    refused = told(name, {**BODIES[name], key: nested(depth)})
    assert refused is not None
    assert refused.param == key and "levels deep" in refused.message


@EVERY
def test_a_call_of_an_earlier_turn_may_not_hide_depth_in_its_text(name):
    deep = "[" * 500 + "]" * 500
    body = {
        "openai_chat": {
            "messages": [
                {
                    "role": "assistant",
                    "tool_calls": [{"id": "a", "function": {"name": "a", "arguments": deep}}],
                }
            ]
        },
        "openai_responses": {
            "input": [
                {"type": "function_call", "call_id": "a", "name": "a", "arguments": deep},
            ]
        },
    }.get(name)
    if body is not None:
        refused = told(name, {"model": "m", **body})
        assert refused is not None
        assert "levels deep" in refused.message and "arguments" in str(refused.param)


@EVERY
def test_half_a_character_is_read_like_any_other(name):
    text = "\ud800"
    field = "input" if name == "openai_responses" else "messages"
    body = {"model": text, field: [{"role": "user", "content": text}]}
    assert told(name, body) is None
    refused = told(name, {"model": "m", field: [{"role": text, "content": ""}]})
    assert refused is not None
    assert "\\ud800" in refused.message


@EVERY
def test_a_long_word_of_the_client_is_not_repeated_to_it(name):
    field = "input" if name == "openai_responses" else "messages"
    refused = told(name, {"model": "m", field: [{"role": "x" * 10**6, "content": ""}]})
    assert refused is not None
    refused = told(name, {**BODIES[name], "tools": [{"type": "function", "name": "x" * 10**6}]})
    assert refused is not None


def test_a_hundred_thousand_results_take_no_longer_than_messages_do():
    """Each would once have copied all those before it."""
    call = {"id": "a", "function": {"name": "a", "arguments": "{}"}}
    result = {"role": "tool", "tool_call_id": "a", "content": "x"}
    messages = [{"role": "assistant", "tool_calls": [call]}, *[result] * 100_000]
    asked = APIS["openai_chat"].read({"model": "m", "messages": messages})
    assert [len(message.results) for message in asked.messages] == [0, 100_000]


def test_twenty_thousand_calls_find_their_results_by_name():
    names = [f"t{at % 2}" for at in range(20_000)]
    calls = [{"function": {"name": name, "arguments": {}}} for name in names]
    results = [{"role": "tool", "tool_name": name, "content": "x"} for name in names]
    messages = [{"role": "assistant", "tool_calls": calls}, *results]
    asked = APIS["ollama"].read({"model": "m", "messages": messages})
    answered = [result.call.id for result in asked.messages[1].results]
    assert answered == [call.id for call in asked.messages[0].calls]


@pytest.mark.parametrize("name", APIS)
def test_a_hundred_thousand_messages_are_read(name):
    field = "input" if name == "openai_responses" else "messages"
    pair = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    asked = APIS[name].read({"model": "m", field: pair * 50_000})
    assert len(asked.messages) == 100_000


def with_tools(count: int, schemas: int, start: int = 0) -> dict[str, Any]:
    """A request with tools that have so many *schemas* each."""
    schema = {"type": "object", "properties": {f"p{number}": {} for number in range(schemas)}}
    names = [f"f{number}" for number in range(start, start + count)]
    tools = [{"type": "function", "function": {"name": n, "parameters": schema}} for n in names]
    return {"model": "m", "messages": [{"role": "user", "content": "hi"}], "tools": tools}


def test_five_hundred_ordinary_tools_are_taken():
    assert told("openai_chat", with_tools(500, 20)) is None


def test_of_tools_that_would_take_long_to_check_the_last_are_open():
    asked = APIS["openai_chat"].read(with_tools(100, 1000))
    sizes = [len(tool.parameters["properties"]) for tool in asked.offer.tools]
    assert sizes[0] == 1000 and sizes[-1] == 0
    assert any("too large" in note for note in asked.notes)
    assert len(asked.notes) <= 32


def test_it_does_not_depend_on_earlier_requests_what_becomes_of_a_tool():
    def offered(*terms: int) -> list[int]:
        asked = APIS["openai_chat"].read(with_tools(*terms))
        return [len(tool.parameters["properties"]) for tool in asked.offer.tools]

    for start in range(0, 100, 20):
        assert offered(20, 1000, start) == [1000] * 20
    all_of_them = offered(100, 1000)
    assert all_of_them == offered(100, 1000) and all_of_them[-1] == 0
    assert offered(20, 1000) == [1000] * 20
