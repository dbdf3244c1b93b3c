"""Schemas from strangers: no exception, and a bounded grammar."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from toolproto.protocol.grammar import render
from toolproto.protocol.paradigms import get_paradigm, list_paradigms
from toolproto.protocol.tools.spec import ToolOffer, ToolSpec

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))
from grammars import _odd


def offered(schema: Any, **more: Any) -> ToolOffer:
    parameters = {"type": "object", "properties": {"x": schema}, "required": ["x"], **more}
    return ToolOffer((ToolSpec("f", "", parameters),), "required")


def nested(depth: int) -> Any:
    schema: Any = {"type": "string"}
    for _ in range(depth):
        schema = {"type": "array", "items": schema}
    return schema


def branching(depth: int) -> Any:
    return {"anyOf": [branching(depth - 1)] * 3} if depth else {"type": "string", "maxLength": 250}


HOSTILE = {
    "nested": nested(500),
    "branching": branching(9),
    "circle": {"$ref": "#/properties/x"},
    "wide circle": {"anyOf": [{"$ref": "#/properties/x"}] * 5},
    "list circle": {"type": "array", "items": {"$ref": "#/properties/x"}},
    "many properties": {"type": "object", "properties": {f"k{at}": {} for at in range(20_000)}},
    "large enum": {"enum": [f"{at}" * 50 for at in range(20_000)]},
    "long pattern": {"type": "string", "pattern": "(a|b|c)" * 5000},
    "counted pattern": {"type": "string", "pattern": "^((a{0,200}){0,200}){0,200}$"},
    "huge bounds": {"type": "number", "minimum": -1e300, "maximum": 1e300},
    "huge counts": {"type": "array", "minItems": 10**9, "maxItems": 10**12},
    "no numbers": {"type": "integer", "minimum": "1", "maximum": None},
    "odd types": {"type": ["string", 7, None, {"a": 1}]},
    "not even a schema": [1, 2, 3],
    "prefix": {"prefixItems": [{"type": "string"}] * 5000},
    "large values": {"enum": [[list(range(300))] * 300]},
    "long numbers": {"enum": [10**4000 + at for at in range(400)]},
    "large reference": {"$ref": [list(range(300))] * 300},
}


@pytest.mark.parametrize("name", ["json_strict", "qwen3_coder", "pythonic", "gemma4", "xml_strict"])
@pytest.mark.parametrize("schema", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_schema_makes_a_grammar_of_a_bounded_size(name: str, schema: Any) -> None:
    grammar = get_paradigm(name).grammar(offered(schema))
    if grammar is not None:
        made = render(grammar, "gbnf")
        assert made is not None and len(made.value) < 2_000_000


@pytest.mark.parametrize("seed", range(150))
def test_nothing_that_stands_for_a_schema_raises(seed: int) -> None:
    random = Random(seed)
    name = random.choice(list_paradigms())
    grammar = get_paradigm(name).grammar(offered(_odd(random, 0)))
    if grammar is not None:
        assert render(grammar, "gbnf") is not None
