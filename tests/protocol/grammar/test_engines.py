"""Every rendering in its own engine: none refuses it, and all accept the same replies."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from toolproto.protocol.grammar import Grammar, GrammarWalk, departure, render, sample_reply
from toolproto.protocol.messages import ToolCall
from toolproto.protocol.paradigms import get_paradigm, list_paradigms
from toolproto.protocol.tools.spec import ToolOffer, ToolSpec
from toolproto.testing import STANDARD_OFFER
from toolproto.testing.schemas import random_call, random_offer, random_tool

from .engines import (
    Engine,
    llama_cpp,
    llguidance,
    llguidance_schema,
    xgrammar,
    xgrammar_tag,
)

ENGINES = {"gbnf": llama_cpp, "lark": llguidance, "ebnf": xgrammar, "structural_tag": xgrammar_tag}


def offers(name: str) -> list[ToolOffer]:
    random = Random(name)
    drawn = replace(random_offer(random), choice="required")
    return [STANDARD_OFFER, replace(drawn, parallel=False)]


def told(grammar: Grammar, rendering: str) -> Engine:
    made = render(grammar, rendering)
    assert made is not None
    return ENGINES[rendering](made.value)


@pytest.mark.parametrize("rendering", ENGINES)
@pytest.mark.parametrize("name", list_paradigms())
def test_an_engine_takes_the_grammar_and_accepts_what_it_says(name: str, rendering: str) -> None:
    random = Random(name)
    for offer in offers(name):
        paradigm = get_paradigm(name)
        accepts = told(paradigm.grammar(offer), rendering)
        called = sample_reply(
            paradigm.grammar(replace(offer, choice="required")), random, length=60
        )
        assert accepts(called)
        assert accepts(f"Let me see: {called}") is (offer.choice == "auto")
        assert accepts("No call.") is (offer.choice == "auto")
        cut = called[:-1]
        # What waits for a trigger lets everything pass that does not begin a call.
        if departure(paradigm.grammar(offer), cut) is not None:
            assert not accepts(cut)


@pytest.mark.parametrize("rendering", ["gbnf", "lark", "ebnf"])
def test_without_a_choice_no_call_can_begin(rendering: str) -> None:
    grammar = get_paradigm("hermes").grammar(replace(STANDARD_OFFER, choice="none"))
    accepts = told(grammar, rendering)
    assert accepts("Words, <tool_cal and so on.")
    assert not accepts("Words <tool_call> and so on.")


@pytest.mark.parametrize("name", ["cline", "pythonic"])
def test_tags_of_many_tools_are_one_grammar(name: str) -> None:
    # Every tool begins a call in its own way, and each tag would hold all the others again.
    random = Random(50)
    offer = ToolOffer(tuple(random_tool(random, f"tool_{at}") for at in range(50)))
    made = render(get_paradigm(name).grammar(offer), "structural_tag")
    assert made is not None and made.value["format"]["type"] == "grammar"
    assert len(made.value["format"]["grammar"]) < 200_000


@pytest.mark.parametrize("rendering", ["gbnf", "lark"])
def test_what_an_engine_lets_a_model_write_leads_to_an_end(rendering: str) -> None:
    random = Random(9)
    grammar = get_paradigm("qwen3_coder").grammar(replace(STANDARD_OFFER, choice="required"))
    engine, walk = told(grammar, rendering), GrammarWalk(grammar)
    for _ in range(5):
        said, begun = engine.drawn(random, 80), walk.again()
        assert begun.take(said) == len(said)
        ending = begun.ending()
        assert ending is not None and engine(said + ending)


@pytest.mark.parametrize("name", ["json_strict", "xlam"])
def test_the_schema_of_a_reply_accepts_what_the_grammar_does(name: str) -> None:
    random = Random(7)
    grammar = get_paradigm(name).grammar(replace(STANDARD_OFFER, choice="required"))
    made = render(grammar, "json_schema")
    assert made is not None
    accepts = llguidance_schema(made.value)
    for _ in range(5):
        calls = [random_call(random, STANDARD_OFFER) for _ in range(2)]
        assert accepts(get_paradigm(name).encode_calls(calls))
    assert not accepts('{"tool_calls": [{"name": "rm", "arguments": {}}]}')
    assert "too large to be read" in [each.what for each in made.left_out]
    for _ in range(5):
        said = accepts.ended(accepts.drawn(random, 60), random)
        assert said is not None and accepts(said)
        assert get_paradigm(name).parse_response(said, STANDARD_OFFER).calls


def test_no_schema_says_replies_with_markers_or_words() -> None:
    assert render(get_paradigm("hermes").grammar(STANDARD_OFFER), "json_schema") is None
    assert render(get_paradigm("json_strict").grammar(STANDARD_OFFER), "json_schema") is None


@pytest.mark.parametrize("name", ["hermes", "json_strict", "pythonic"])
def test_an_argument_with_a_long_name_is_not_nested_too_deeply(name: str) -> None:
    # Its placeholder is excluded letter by letter; llguidance refuses some thirty brackets.
    key = "number_of_persons_in_the_household_of_the_applicant"
    schema = {"type": "object", "properties": {key: {"type": "string"}}, "required": [key]}
    grammar = get_paradigm(name).grammar(ToolOffer((ToolSpec("f", "", schema),), "required"))
    assert grammar is not None
    right = get_paradigm(name).encode_calls([ToolCall("f", {key: "<number_of_persons"})])
    copied = get_paradigm(name).encode_calls([ToolCall("f", {key: f"<{key}>"})])
    for rendering, judge in (("lark", llguidance), ("gbnf", llama_cpp)):
        made = render(grammar, rendering)
        assert made is not None
        accepts = judge(made.value)
        assert accepts(right) and not accepts(copied)
