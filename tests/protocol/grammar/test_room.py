"""Texts and lists without a bound get one where a request allows few tokens."""

from __future__ import annotations

from random import Random

import pytest

from tests.protocol.grammar import engines
from toolproto import ToolOffer, ToolSpec, get_paradigm
from toolproto.protocol.grammar import departure, render, sample_reply
from toolproto.protocol.grammar.room import fitted, room_of

WRITE = ToolSpec(
    "write",
    "",
    {
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["text"],
    },
)
OFFER = ToolOffer((WRITE,), "required")


def said(text: str, tags: str = "") -> str:
    return (
        f'<tool_call>\n{{"name": "write", "arguments": {{"text": "{text}"{tags}}}}}\n</tool_call>'
    )


def test_a_text_of_any_length_ends_before_the_tokens_do() -> None:
    grammar = get_paradigm("hermes").grammar(OFFER)
    assert grammar is not None
    few = fitted(grammar, 50)
    assert departure(few, said("x" * 100)) is None
    assert departure(few, said("x" * 120)) is not None
    assert departure(grammar, said("x" * 120)) is None


def test_a_list_of_any_length_ends_before_the_tokens_do() -> None:
    grammar = get_paradigm("hermes").grammar(OFFER)
    assert grammar is not None
    few = fitted(grammar, 50)
    tags = ', "tags": [' + ", ".join(['"a"'] * 10) + "]"
    many = ', "tags": [' + ", ".join(['"a"'] * 30) + "]"
    assert departure(few, said("x", tags)) is None
    assert departure(few, said("x", many)) is not None


@pytest.mark.parametrize("name", ["hermes", "pythonic", "json_strict", "qwen3_coder", "react"])
def test_engines_take_what_fits_and_agree(name: str) -> None:
    grammar = get_paradigm(name).grammar(OFFER)
    assert grammar is not None
    few = fitted(grammar, 512)
    gbnf, lark = render(few, "gbnf"), render(few, "lark")
    assert gbnf is not None and lark is not None
    reply = sample_reply(few, Random(1), length=60)
    assert engines.llama_cpp(gbnf.value)(reply)
    assert engines.llguidance(lark.value)(reply)


@pytest.mark.parametrize(
    ("params", "tokens"),
    [
        ({"max_tokens": 200}, 200),
        ({"num_predict": 64}, 64),
        ({"max_tokens": 4096}, None),
        ({"max_tokens": None}, None),
        ({"max_tokens": "200"}, None),
        ({"max_tokens": -1}, None),
        ({}, None),
    ],
)
def test_only_few_tokens_bound_anything(params: dict[str, object], tokens: int | None) -> None:
    assert room_of(params) == tokens
