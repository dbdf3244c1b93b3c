"""Slips in markup: a value that is not closed, or closed by another name; values in attributes."""

from __future__ import annotations

import time

import pytest

from toolproto import Grade, ToolOffer, ToolSpec, get_paradigm
from toolproto.testing.laws import read_in_pieces

SEARCH = {
    "query": {"type": "string"},
    "max_results": {"type": "integer"},
    "site": {"type": ["string", "null"]},
}
OFFER = ToolOffer(
    (
        ToolSpec("search", "Searches.", {"type": "object", "properties": SEARCH}),
        ToolSpec("now", "The time.", {"type": "object", "properties": {}}),
    )
)
BOTH = {"query": "pizza", "max_results": 5}
GLM = "<tool_call>search<arg_key>query</arg_key><arg_value>{}</arg_value></tool_call>"
QWEN = "<tool_call>\n<function=search>\n<parameter=query>\n{}\n</function>\n</tool_call>"
DEEPSEEK = (
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="search">\n'
    '<｜DSML｜parameter name="{}" string="false">{}</｜DSML｜parameter>\n'
    "</｜DSML｜invoke>\n</｜DSML｜function_calls>"
)
KIMI = (
    '<|open|>tools<|sep|><|open|>call tool="search" index="0"<|sep|>'
    '<|open|>argument key="query" type="json"<|sep|>{}<|close|>argument<|sep|>'
    "<|close|>call<|sep|><|close|>tools<|sep|>"
)
VERBOSE = '<functions><function name="search"><params>{}</params></function></functions>'
CONCISE = '<functions><function name="search">{}</function></functions>'


def read(name: str, text: str):
    """The only call of *text*, read whole, and the same in single characters."""
    paradigm = get_paradigm(name)
    parsed = paradigm.parse_response(text, OFFER)
    assert read_in_pieces(paradigm, text, OFFER) == list(parsed.events)
    (call,) = parsed.calls
    return call


def repairs(call) -> list[str]:
    return [repair.name for repair in call.repairs]


@pytest.mark.parametrize("text", ["pizza", 'a "b"\n\\ c'])
@pytest.mark.parametrize(("name", "form"), [("deepseek_v32", DEEPSEEK), ("kimi_k3", KIMI)])
def test_a_string_that_its_tag_calls_json_has_its_quotes(name, form, text):
    written = '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    call = read(name, form.format(*(["query", written] if form is DEEPSEEK else [written])))
    assert (call.arguments, call.grade) == ({"query": text}, None)


@pytest.mark.parametrize("text", ["pizza", "5", "{x}", '"a" or "b"'])
def test_what_is_no_string_of_json_stays_the_text_that_it_is(text):
    assert read("deepseek_v32", DEEPSEEK.format("query", text)).arguments == {"query": text}


def test_none_is_null_where_that_may_stand():
    call = read("glm47", GLM.replace("query", "site").format("None"))
    assert (call.arguments, call.grade) == ({"site": None}, Grade.GUESSED)
    assert read("glm47", GLM.format("None")).arguments == {"query": "None"}
    assert read("deepseek_v32", DEEPSEEK.format("site", "None")).arguments == {"site": None}
