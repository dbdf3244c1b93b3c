"""What comes out at which chunk, and what is held back."""

from __future__ import annotations

import pytest

from toolproto import ToolOffer, ToolSpec, UsageError, get_paradigm
from toolproto.protocol.events import (
    ArgumentsDelta,
    CallCompleted,
    CallDoubted,
    CallStarted,
    TextDelta,
    merge,
)
from toolproto.testing.explain import explain_reply, in_chunks

XML = get_paradigm("xml_tag")
NOW = ToolOffer((ToolSpec("now", "The time.", {"type": "object", "properties": {}}),))
REPLY = 'Let me look. <tool_code>{"name": "now", "arguments": {}}</tool_code> Done.'


def test_each_chunk_tells_what_came_out_and_what_did_not() -> None:
    chunks = [
        "Let me look. <tool",
        '_code>{"name": "now", ',
        '"arguments": {}}',
        "</tool_code> Done.",
    ]
    steps = explain_reply(REPLY, XML, NOW, chunks=chunks).steps
    assert [(step.number, step.text) for step in steps] == [*enumerate(chunks, 1), (5, "")]
    assert [type(event) for step in steps for event in merge(step.events)] == [
        TextDelta,
        CallStarted,
        ArgumentsDelta,
        CallCompleted,
        TextDelta,
        CallDoubted,
    ]
    assert [step.held for step in steps] == [5, 0, 0, 0, 0]


def test_text_that_may_become_a_call_is_held_back() -> None:
    (first, *_) = explain_reply(REPLY, XML, NOW, chunks=in_chunks(REPLY, 24)).steps
    assert (first.read, first.held) == (24, len("<tool_code>"))


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_any_size_of_chunks_gives_the_same_events(size: int) -> None:
    steps = explain_reply(REPLY, XML, NOW, chunks=in_chunks(REPLY, size)).steps
    whole = merge([*XML.parse_response(REPLY, NOW).events])
    assert merge(event for step in steps for event in step.events) == whole
    assert steps[-1].held == 0 and steps[-1].read == len(REPLY)


def test_without_chunks_there_are_no_steps() -> None:
    assert explain_reply(REPLY, XML, NOW).steps == ()


def test_chunks_of_another_reply_are_refused() -> None:
    with pytest.raises(UsageError, match="do not join"):
        explain_reply(REPLY, XML, NOW, chunks=["Hello"])


def test_a_chunk_has_at_least_one_character() -> None:
    with pytest.raises(UsageError, match="at least one"):
        in_chunks(REPLY, 0)
