"""The table of contexts in which a call is only shown."""

from __future__ import annotations

from collections import Counter

from toolproto.protocol.decoding.reply.thinking_tokens import Reasoning
from toolproto.testing import CONTEXTS, STANDARD_OFFER


def test_the_table_does_not_shrink() -> None:
    assert len(CONTEXTS) >= 1_000
    kinds = Counter(context.kind for context in CONTEXTS)
    assert len(kinds) >= 14 and min(kinds.values()) >= 5
    assert len({context.language for context in CONTEXTS}) >= 30


def test_every_context_has_a_slot_and_is_there_once() -> None:
    assert all("{call}" in context.template for context in CONTEXTS)
    assert len({context.template for context in CONTEXTS}) == len(CONTEXTS)


def test_every_dialect_of_thinking_is_there() -> None:
    thoughts = [each.template for each in CONTEXTS if "thinking" in each.kind]
    for opener, closer in Reasoning().tags:
        assert any(opener in text and closer in text for text in thoughts)
        assert any(opener in text and closer not in text for text in thoughts)


def test_further_lines_of_a_call_are_quoted_like_the_first() -> None:
    quote = next(each for each in CONTEXTS if each.kind == "block quote")
    assert "> a\n> b\n" in quote.around("a\nb")


def test_the_offer_has_the_tools_that_the_contexts_are_tried_with() -> None:
    assert "get_weather" in STANDARD_OFFER.names
