"""The author of a tool is told which patterns no call is held to."""

from __future__ import annotations

from typing import Annotated

import pytest
from pydantic import Field

from toolproto import Tool

LOOKS = "^(?=.*x)a"


def asked(properties):
    return {"type": "object", "properties": properties}


def test_the_author_of_a_schema_is_told_of_a_pattern_that_looks_ahead(caplog):
    schema = asked({"word": {"type": "string", "pattern": LOOKS}, "day": {"pattern": "^a$"}})
    Tool.from_schema("find", "Find it.", schema)
    Tool.from_openai({"type": "function", "function": {"name": "find", "parameters": schema}})
    told = (
        f"the pattern {LOOKS!r} at properties/word of 'find' is not enforced: "
        "it looks ahead or behind, or sets flags"
    )
    assert caplog.messages == [told, told]


def test_the_author_of_a_function_is_told_too(caplog):
    def find(word: Annotated[str, Field(json_schema_extra={"pattern": r"(a)\1"})]) -> str:
        """Find it."""
        return word

    Tool.from_function(find)
    assert [r"'(a)\\1' at properties/word" in each for each in caplog.messages] == [True]


def test_every_place_of_a_pattern_is_looked_at(caplog):
    schema = asked(
        {
            "a": {"type": "array", "items": {"anyOf": [{"pattern": "(?>a)"}, {"pattern": "a"}]}},
            "b": {"patternProperties": {"[]a]": {}, "^x": {"pattern": "a"}}},
            "c": {"enum": [{"pattern": LOOKS}]},
        }
    )
    Tool.from_schema("find", "Find it.", schema)
    assert sorted(each.partition(" of ")[0] for each in caplog.messages) == [
        "the pattern '(?>a)' at properties/a/items/anyOf/0",
        "the pattern '[]a]' at properties/b",
    ]


@pytest.mark.parametrize("schema", [None, asked({}), asked({"a": True})])
def test_of_a_schema_without_patterns_nothing_is_said(schema, caplog):
    Tool.from_openai({"type": "function", "function": {"name": "find", "parameters": schema}})
    assert caplog.messages == []


def test_of_a_thousand_patterns_only_the_first_are_looked_at(caplog):
    schema = asked({f"p{number}": {"pattern": LOOKS} for number in range(1000)})
    Tool.from_schema("find", "Find it.", schema)
    assert len(caplog.messages) == 64
