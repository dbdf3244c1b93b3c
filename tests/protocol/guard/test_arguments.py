"""The values of a call, one by one."""

from __future__ import annotations

from typing import Any

import pytest

from toolproto import ToolSpec
from toolproto.protocol.guard.arguments import leaves, pieces, spellings

SPEC = ToolSpec(
    "send",
    "",
    {
        "type": "object",
        "properties": {
            "to": {"type": "array", "items": {"type": "string"}},
            "kind": {"enum": ["mail", 3]},
            "when": {"type": "object", "properties": {"day": {"default": "today"}}},
        },
    },
)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"to": ["a@b.c", "d"]}, [("to[0]", "a@b.c"), ("to[1]", "d")]),
        ({"kind": "mail", "n": 3, "urgent": True, "note": None, "text": " "}, []),
        ({"n": 4, "x": 1.5}, [("n", 4), ("x", 1.5)]),
        ({"when": {"day": "today"}}, []),
        ({"when": {"day": "now", "X-Evil": "1"}},
         [("when.X-Evil", "X-Evil"), ("when.day", "now"), ("when.X-Evil", "1")]),
    ],
)  # fmt: skip
def test_what_somebody_chose_is_told_with_its_place(arguments: Any, told: Any) -> None:
    assert [tuple(each) for each in leaves(arguments, SPEC)] == told


def test_what_is_too_much_to_look_at_is_told_as_a_whole() -> None:
    many = list(leaves({"a": list(map(str, range(100_000)))}, SPEC))
    assert len(many) < 3_000 and many[-1].path == "arguments"
    deep: Any = "x"
    for _ in range(5_000):
        deep = [deep]
    assert [each.path for each in leaves({"a": deep}, SPEC)] == ["arguments"]


def test_a_number_is_written_in_several_ways() -> None:
    assert "30,000" in spellings(30000) and "30000" in spellings(30000.0)
    assert "0.01" in spellings(0.01) and "1,234.50" in spellings(1234.5)
    assert spellings(10**5000)  # a number of more digits than Python prints


def test_telling_parts_of_a_text_are_names_numbers_and_runs_of_words() -> None:
    told = list(pieces("See (www.a.example/b), code 463820! " + "one two three four five " * 3))
    assert told[:2] == ["www.a.example/b", "463820"] and len(told) == 5
    assert list(pieces("Travel Information at Luxury Palace")) == [
        "Travel Information at",
        "Information at Luxury",
        "at Luxury Palace",
    ]
    assert list(pieces("as it is")) == [] == list(pieces("hello"))
