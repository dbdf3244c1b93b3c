"""Text without escapes: a grammar and an encoder ask the same of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolproto.protocol.decoding.families.elements import Tag, tag_at
from toolproto.protocol.grammar.accepting import departure
from toolproto.protocol.grammar.automaton import can_be, table
from toolproto.protocol.grammar.ir import ANYTHING, EMPTY, Grammar, Literal, Without, either
from toolproto.protocol.grammar.notation import TextForm
from toolproto.protocol.grammar.raw import RawInTags, closing_tags, closing_tags_pattern
from toolproto.protocol.messages import ToolCall
from toolproto.protocol.paradigms import get_paradigm
from toolproto.protocol.tools.spec import ToolOffer, ToolSpec

WORDS = ("city", "function", "tool_call")
PIECES = [
    "<", "/", "\\", "</", "</ ", "</city", "</city>", "</ City >", "<\\city>", "</x:city>", "city",
    "</function>", "</tool\\_call>", "</|DSML|city>", "<|close|>city<|sep|>", ">", " ", "a", "_",
    "tool", "\n", "\r", "<![CDATA[", "</cit\u0131y>", "</FUNCT\u0130ON>", ":", "|", "\uff5c",
    "\n<parameter=city>", "\n<x:ARG name='city'>", "]<]minimax[>[", "<arg_key>",
    "\n<\uff5cD\uff5cparam", "\r\n<\u0130nvoke",
]  # fmt: skip
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=6).map("".join)


@given(texts)
def test_the_pattern_and_the_grammar_find_the_same_closing_tags(text: str) -> None:
    node = Without(ANYTHING, closing_tags(WORDS))
    grammar = Grammar(node, {}, node, (), False, EMPTY)
    free = closing_tags_pattern(WORDS).search(text) is None
    assert (departure(grammar, text) is None) is free


@given(texts)
def test_whatever_a_reader_takes_for_a_closing_tag_is_found(text: str) -> None:
    tags = (tag_at(text, at, True) for at in range(len(text)))
    if any(isinstance(tag, Tag) and tag.closes and tag.word.lower() in WORDS for tag in tags):
        assert closing_tags_pattern(WORDS).search(text)


@pytest.mark.parametrize("name", ["qwen3_coder", "glm45", "minimax_m2", "deepseek_v32"])
@pytest.mark.parametrize(
    "line",
    [
        "<parameter=days>",
        "<arg_key>days</arg_key>",
        "<x:arg key='days'>",
        "<invoke name='days'>",
        "]<]minimax[>[<param name='days'>",
    ],
)
def test_no_line_of_a_value_begins_like_the_next_argument(name: str, line: str) -> None:
    paradigm, properties = get_paradigm(name), {"city": {"type": "string"}, "days": {}}
    tool = ToolSpec("f", "", {"type": "object", "properties": properties, "required": ["city"]})
    grammar = paradigm.grammar(ToolOffer((tool,), "required"))
    assert grammar is not None
    written = paradigm.encode_calls([ToolCall("f", {"city": "x\nLINE\ny"})])
    assert departure(grammar, written) is None
    departs = departure(grammar, written.replace("LINE", line))
    assert departs is not None and departs.at < written.index("LINE") + len(line)
    quoted = paradigm.encode_calls([ToolCall("f", {"city": f"x\n{line}\ny"})])
    assert f"\\n{line}\\n" in quoted and departure(grammar, quoted) is None


@pytest.mark.parametrize("framed", [True, False])
@given(texts)
def test_a_value_can_be_said_just_if_the_grammar_accepts_it(framed: bool, text: str) -> None:
    notation = RawInTags(closers=WORDS, framed=framed)
    node = notation.string(TextForm()).node
    grammar = Grammar(node, {}, node, (), False, EMPTY)
    assert (departure(grammar, text) is None) is notation.can_say(text)


def test_a_table_has_no_state_from_which_no_end_is_reached() -> None:
    node = Without(ANYTHING, either([Literal("</a>"), Literal("</b>")]))
    states = table(node)
    alive = set(states.ends)
    for _ in states.steps:
        alive |= {at for at, steps in enumerate(states.steps) if {to for _, to in steps} & alive}
    assert alive == set(range(len(states.steps)))
    assert len(states.steps) == 4  # nothing, <, </ and </a or </b


def test_what_must_hold_what_it_may_not_hold_is_nothing() -> None:
    assert table(Without(Literal("a"), Literal("a"))).ends == frozenset()
    assert not can_be(Without(Literal("a"), Literal("a")))
    assert can_be(Without(Literal("a"), Literal("b")))
