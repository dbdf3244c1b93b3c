"""What a reply may be: the terms of an offer, and what its tools' schemas ask."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from typing import Any

import pytest

from toolproto.protocol.decoding.reply.thinking_tokens import Reasoning
from toolproto.protocol.grammar import Grammar, departure
from toolproto.protocol.messages import ToolCall
from toolproto.protocol.paradigms import get_paradigm, list_paradigms
from toolproto.protocol.tools.spec import ToolOffer, ToolSpec
from toolproto.testing import STANDARD_OFFER

WEATHER = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
NOW = '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>'
UNKNOWN = '<tool_call>\n{"name": "sing", "arguments": {"song": "<song>"}}\n</tool_call>'
UNKNOWN_JSON = '{"tool_calls": [{"name": "sing", "arguments": {}}]}'


def hermes(**terms: Any) -> Grammar:
    grammar = get_paradigm("hermes").grammar(replace(STANDARD_OFFER, **terms))
    assert grammar is not None
    return grammar


def accepts(grammar: Grammar, text: str) -> bool:
    return departure(grammar, text) is None


REPLIES = [
    ("auto", WEATHER, True), ("auto", "Hello.", True), ("auto", f"Well. {WEATHER}", True),
    ("auto", f"{WEATHER}\n{NOW}", True), ("auto", f"{WEATHER} Done.", False), ("auto", "", True),
    ("auto", "A <tool_call> is", True), ("auto", UNKNOWN, True),
    ("auto", f"{NOW}\n{UNKNOWN}", False),
    ("auto", WEATHER.replace("city", "town"), False), ("none", "A <tool_call> is", False),
    ("required", UNKNOWN, False), ("required", WEATHER, True), ("required", "Hello.", False),
    ("required", f"Well. {WEATHER}", False), ("required", "", False), ("now", NOW, True),
    ("now", WEATHER, False), ("none", "Hello.", True), ("none", WEATHER, False),
]  # fmt: skip


@pytest.mark.parametrize("choice, reply, fits", REPLIES)
def test_a_choice_says_what_may_be_written(choice: str, reply: str, fits: bool) -> None:
    assert accepts(hermes(choice=choice), reply) is fits


def test_without_parallel_there_is_one_call_at_most() -> None:
    assert accepts(hermes(parallel=False), WEATHER)
    assert not accepts(hermes(parallel=False), f"{WEATHER}\n{NOW}")


def test_a_reply_has_only_so_many_calls() -> None:
    assert accepts(hermes(), "\n".join([NOW] * 16))
    assert not accepts(hermes(), "\n".join([NOW] * 17))


def test_a_model_that_thinks_thinks_first() -> None:
    offer = replace(STANDARD_OFFER, choice="required")
    thinking = get_paradigm("hermes", reasoning=Reasoning()).grammar(offer)
    assert thinking is not None
    assert accepts(thinking, f"<think>Which city?</think>\n{WEATHER}")
    assert accepts(thinking, WEATHER)
    assert not accepts(thinking, f"<think>{WEATHER}")
    inside = get_paradigm("hermes", reasoning=Reasoning(starts_inside=True)).grammar(offer)
    assert inside is not None
    assert accepts(inside, f"Which city?</think>\n{WEATHER}")
    assert not accepts(inside, WEATHER)


@pytest.mark.parametrize(
    "name, begun, marker",
    [
        ("hermes", '<tool_call>\n{"name": "now"', "<tool_call>"),
        ("json_strict", '{"tool_calls": [{"name": "now"', '{"tool_calls": ['),
        ("fenced_json", '```json\n{"name": "now"', '```json\n{"name": "'),
        ("phi4_mini", 'functools[{"name": "now"', "functools["),
        ("pythonic", "[now(", "[now("),
        ("cline", "<now>", "<now>"),
        ("raw_block", "<<call now\n", "<<call "),
        ("solar_open", "<|tool_calls|><|tool_call:begin|>", "<|tool_calls|><|tool_call:begin|>"),
    ],
)
def test_a_call_is_known_by_its_beginning(name: str, begun: str, marker: str) -> None:
    """Up to the name of its tool, where that comes early; where calls are forbidden, its marker."""
    assert begun in triggers_of(name, choice="auto")
    assert marker in triggers_of(name, choice="none")


def triggers_of(name: str, **terms: Any) -> tuple[str, ...]:
    grammar = get_paradigm(name).grammar(replace(STANDARD_OFFER, **terms))
    assert grammar is not None
    return grammar.triggers


def test_no_trigger_begins_with_another() -> None:
    """Some forms have nothing behind a name: there `now` begins as `nowhere` does."""
    tools = tuple(ToolSpec(name, "", {}) for name in ("nowhere", "now", "then"))
    for name in list_paradigms():
        grammar = get_paradigm(name).grammar(ToolOffer(tools))
        assert grammar is not None and grammar.triggers
        for one, two in itertools.permutations(grammar.triggers, 2):
            assert not one.startswith(two), name


@pytest.mark.parametrize("name", ["name", "arguments", "tool_calls", "json", "function", "call"])
def test_a_tool_called_like_a_part_of_the_form_begins_no_other_text(name: str) -> None:
    offer = ToolOffer((ToolSpec(name, "", {}),))
    for form, text in (("fenced_json", '```json\n{"a": 1}\n```'), ("json_strict", UNKNOWN_JSON)):
        grammar = get_paradigm(form).grammar(offer)
        assert grammar is not None and accepts(grammar, text)
        assert accepts(grammar, get_paradigm(form).encode_call(ToolCall(name, {})))


def test_of_many_tools_those_that_are_not_held_are_named() -> None:
    offer = ToolOffer(tuple(ToolSpec(f"tool_{at:02}", "", {}) for at in range(66)))
    grammar = get_paradigm("hermes").grammar(offer)
    assert grammar is not None
    assert [left.where for left in grammar.left_out] == ["tool_64", "tool_65"]
    assert accepts(grammar, NOW.replace("now", "tool_65"))


@pytest.mark.parametrize("name", list_paradigms())
def test_every_paradigm_has_a_grammar(name: str) -> None:
    paradigm = get_paradigm(name)
    call = ToolCall("write_file", {"path": "a.py", "content": 'print("<b>é</b>")\n'}, "call_1")
    grammar = paradigm.grammar(replace(STANDARD_OFFER, choice="required"))
    assert grammar is not None and not grammar.left_out
    assert accepts(grammar, paradigm.encode_call(call))
    assert not accepts(grammar, paradigm.encode_call(replace(call, name="rm")))
    assert not accepts(grammar, paradigm.encode_call(ToolCall("write_file", {"path": "a.py"})))


def test_the_same_offer_has_the_same_grammar() -> None:
    paradigm = get_paradigm("hermes")
    again = ToolOffer(tuple(replace(tool) for tool in STANDARD_OFFER.tools))
    assert paradigm.grammar(STANDARD_OFFER) is paradigm.grammar(again)


def test_of_many_offers_only_the_oldest_is_forgotten() -> None:
    paradigm = get_paradigm("hermes")
    offers = [ToolOffer((ToolSpec(f"tool_{at}", "", {}),)) for at in range(64)]
    made = [paradigm.grammar(offer) for offer in offers]
    paradigm.grammar(ToolOffer((ToolSpec("one_more", "", {}),)))
    assert paradigm.grammar(offers[-1]) is made[-1]
    assert paradigm.grammar(offers[1]) is made[1]
    assert paradigm.grammar(offers[0]) is not made[0]


def test_an_offer_of_megabytes_is_not_kept() -> None:
    paradigm = get_paradigm("hermes")
    large = ToolOffer((ToolSpec("f", "", {"$comment": "x" * 1_000_000}),))
    assert paradigm.grammar(large) is not paradigm.grammar(large)


# -- arguments -------------------------------------------------------------------------------

VALUES: list[tuple[Any, list[Any], list[Any]]] = [
    ({"type": "integer", "minimum": 1, "maximum": 5}, [1, 5], [0, 6, 1.5, "1", None]),
    ({"type": "number"}, [1, 1.5, -2e-10], ["1", None, True]),
    ({"type": "boolean"}, [True, False], [1, "true"]),
    ({"type": ["string", "null"]}, ["x", None], [1]),
    ({"enum": ["a", 2, None]}, ["a", 2, None], ["b", 3]),
    ({"const": {"a": [1]}}, [{"a": [1]}], [{"a": [2]}]),
    ({"type": "string", "maxLength": 3}, ["", "äöü", "\n\n\n"], ["abcd"]),
    ({"type": "string", "minLength": 2}, ["ab", 'a"'], ["a"]),
    ({"type": "string", "pattern": "^[a-c]+$"}, ["abc"], ["", "abd"]),
    ({"type": "string", "format": "date"}, ["2024-02-29"], ["tomorrow"]),
    ({"type": "array", "items": {"type": "integer"}, "maxItems": 2}, [[], [1], [1, 2]], [[1] * 3]),
    ({"type": "array", "items": {"enum": ["x"]}, "minItems": 1}, [["x"], ["x", "x"]], [[], ["y"]]),
    ({"type": "array", "prefixItems": [{"const": 1}, {"const": 2}], "items": False},
     [[], [1], [1, 2]], [[2], [1, 2, 3]]),
    ({"type": "object", "properties": {"a": {"type": "integer"}, "b": {}}, "required": ["b"]},
     [{"b": "x"}, {"a": 1, "b": [None]}], [{}, {"a": 1}, {"a": "x", "b": 1}, {"b": 1, "c": 2}]),
    ({"type": "object", "properties": {"a": {"type": "null"}, "b": {"type": "null"}}},
     [{}, {"a": None}, {"b": None}, {"a": None, "b": None}], [{"a": 1}, {"b": None, "a": None}]),
    ({"type": "object", "additionalProperties": {"type": "integer"}},
     [{}, {"k": 1, "é": 2}], [{"k": "x"}]),
    ({"anyOf": [{"type": "integer"}, {"type": "string", "maxLength": 1}]}, [5, "x"], ["xy", None]),
    ({"allOf": [{"type": "integer", "minimum": 3}, {"maximum": 4}]}, [3, 4], [2, 5]),
    ({"$ref": "#/$defs/two"}, [2], [3]),
    ({}, [1, "x", [], {"a": {"b": [1]}}], []),
    (True, [None, "x"], []),
]  # fmt: skip


def one_argument(schema: Any) -> ToolOffer:
    properties = {"x": schema}
    defs = {"two": {"const": 2}, "loop": {"$ref": "#/$defs/loop"}}
    parameters = {"type": "object", "properties": properties, "required": ["x"], "$defs": defs}
    return ToolOffer((ToolSpec("f", "", parameters),), "required")


def call(value: Any) -> str:
    return f'{{"tool_calls": [{{"name": "f", "arguments": {json.dumps({"x": value})}}}]}}'


@pytest.mark.parametrize("schema, fitting, others", VALUES)
def test_an_argument_is_what_its_schema_asks(
    schema: Any, fitting: list[Any], others: list[Any]
) -> None:
    grammar = get_paradigm("json_strict").grammar(one_argument(schema))
    assert grammar is not None
    assert [value for value in fitting if not accepts(grammar, call(value))] == []
    assert [value for value in others if accepts(grammar, call(value))] == []


LEFT_OUT = [
    ({"type": "array", "uniqueItems": True, "items": {"type": "integer"}}, "uniqueItems"),
    ({"type": "integer", "multipleOf": 5}, "multipleOf"),
    ({"not": {"const": 3}, "type": "integer"}, "not"),
    ({"type": "string", "pattern": r"\bx\b"}, "pattern"),
    ({"type": "string", "maxLength": 100_000}, "maxLength"),
    ({"enum": [f"value {number}" for number in range(5000)]}, "enum"),
    ({"anyOf": [{"const": number} for number in range(5000)]}, "anyOf"),
    ({"oneOf": [{"type": "integer"}, {"type": "number"}]}, "oneOf"),
    ({"$ref": "#/$defs/loop"}, "$ref"),
    ({"$ref": "https://example.org/schema"}, "$ref"),
    ({"type": "object"}, "distinct keys"),
]  # fmt: skip


@pytest.mark.parametrize("schema, what", LEFT_OUT)
def test_what_a_grammar_cannot_demand_is_named(schema: Any, what: str) -> None:
    grammar = get_paradigm("json_strict").grammar(one_argument(schema))
    assert grammar is not None
    assert what in {each.what for each in grammar.left_out}


@pytest.mark.parametrize(
    "schema", [False, {"enum": []}, {"type": "integer", "minimum": 2, "maximum": 1}, {"type": []}]
)
def test_a_tool_that_nobody_can_call_has_no_calls(schema: Any) -> None:
    offer = one_argument(schema)
    paradigm = get_paradigm("json_strict")
    assert paradigm.grammar(offer) is None
    free = paradigm.grammar(replace(offer, choice="auto"))
    assert free is not None and accepts(free, "Hello.") and not accepts(free, call(1))
    [left_out] = map(str, free.left_out)
    assert left_out == "f: the tool (no call of this tool can be valid)"


def test_alternatives_that_are_apart_leave_nothing_out() -> None:
    branches = [
        {"type": "object", "properties": {"kind": {"const": kind}}, "required": ["kind"]}
        for kind in ("a", "b")
    ]
    grammar = get_paradigm("json_strict").grammar(one_argument({"oneOf": branches}))
    assert grammar is not None and grammar.left_out == ()


def test_a_list_of_calls_that_is_closed_too_early_is_accepted_and_read() -> None:
    paradigm, offer = get_paradigm("json_strict"), STANDARD_OFFER
    call = '{"name": "now", "arguments": {}}'
    reply = f'{{"tool_calls": [{call}], {call}]}}'
    grammar = paradigm.grammar(offer)
    assert grammar is not None and departure(grammar, reply) is None
    assert len(paradigm.parse_response(reply, offer).calls) == 2
