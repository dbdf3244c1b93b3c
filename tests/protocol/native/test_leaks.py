"""Calls that a service lost are found in its text and thoughts, and nothing else is touched."""

from __future__ import annotations

from dataclasses import replace

import pytest

from toolproto.protocol.events import (
    CallCompleted,
    CallRejected,
    Event,
    ReasoningDelta,
    TextDelta,
)
from toolproto.protocol.messages import NativePiece, ProblemKind, ToolCall
from toolproto.protocol.native import NativeReader
from toolproto.testing import STANDARD_OFFER

OSLO = ToolCall("get_weather", {"city": "Oslo"})
CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
SIZES = (1, 7, 10_000)


def pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def read(text: str, size: int, *, thought: str = "", offer=STANDARD_OFFER) -> list[Event]:
    reader = NativeReader(offer)
    events = [event for piece in pieces(thought, size) for event in reader.think(piece)]
    events += [event for piece in pieces(text, size) for event in reader.feed(piece)]
    return [*events, *reader.finish("stop")]


def text_of(events: list[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def thought_of(events: list[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, ReasoningDelta))


def calls_of(events: list[Event]) -> list[ToolCall]:
    return [event.call for event in events if isinstance(event, CallCompleted)]


@pytest.mark.parametrize("size", SIZES)
def test_a_call_that_came_as_text_is_a_call_at_the_end_and_its_markup_is_gone(size):
    events = read(f"I look.\n{CALL}", size)
    assert text_of(events) == "I look.\n"
    [call] = calls_of(events)
    assert call == OSLO
    assert call.repairs[0].name == "leaked_as_text"
    assert isinstance(events[-1], CallCompleted)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "text",
    [
        f"Write `{CALL}` for it.",
        f"Example:\n\n```\n{CALL}\n```\nThat is all.",
        f"```xml\n{CALL}\n```",
        f"So:\n{CALL}\nThat is how.",
        f"> {CALL}",
        f"I wrote {CALL} and it ran.",
        f"<think>Perhaps {CALL}</think>Hello.",
        'I call {"name": "get_weather", "arguments": {"city": "Oslo"}}',
        '{"name": "Oslo", "population": 700000}',
        '{"name": "get_weather", "arguments": {"city": "Oslo"}}\nThat was it.',
        CALL.replace("get_weather", "no_such_tool"),
        "A <tool_call> tag opens it, [TOOL_CALLS] too.",
    ],
)
def test_what_is_no_call_goes_out_as_it_came(text, size):
    assert read(text, size) == [TextDelta(piece) for piece in pieces(text, size)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "text",
    [
        '{"name": "get_weather", "arguments": {"city": "Oslo"}}',
        '[{"name": "get_weather", "arguments": {"city": "Oslo"}}]',
        '{"type": "function", "function": {"name": "get_weather", "arguments": {"city": "Oslo"}}}',
        'get_weather(city="Oslo")',
        '[get_weather(city="Oslo")]',
        'get_weather{"city": "Oslo"}',
        '{"id": "call_1", "name": "get_weather", "arguments": {"city": "Oslo"}}',
    ],
)
def test_a_call_without_a_marker_counts_as_the_whole_text(text, size):
    events = read(text, size)
    assert (text_of(events), calls_of(events)) == ("", [OSLO])


@pytest.mark.parametrize("size", SIZES)
def test_a_call_that_ends_a_thought_is_meant_if_nothing_else_comes(size):
    thought = f"I need the weather.\n{CALL}"
    events = read("", size, thought=thought)
    [call] = calls_of(events)
    assert call == OSLO and call.repairs[0].name == "leaked_in_reasoning"
    assert thought_of(events) == "I need the weather.\n"
    for text, more in (("Hello.", ""), ("", "\nBut no.")):
        events = read(text, size, thought=thought + more)
        assert events == [
            *map(ReasoningDelta, pieces(thought + more, size)),
            *map(TextDelta, pieces(text, size)),
        ]


@pytest.mark.parametrize("size", SIZES)
def test_a_leak_that_cannot_be_read_is_a_problem(size):
    events = read('I look.\n<tool_call>{"name": "get_weather", "arguments": {"city": "Os', size)
    assert text_of(events) == "I look.\n"
    [problem] = [event.problem for event in events if isinstance(event, CallRejected)]
    assert (problem.kind, problem.name) == (ProblemKind.TRUNCATED, "get_weather")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "leak", [CALL, "<tool_call>\n", "</tool_call>", "<|tool_calls_section_end|>"]
)
@pytest.mark.parametrize("first", (True, False))
def test_a_leak_beside_calls_goes_and_is_no_second_call(leak, size, first):
    reader = NativeReader(STANDARD_OFFER)
    native = [NativePiece(0, "a", "get_weather", '{"city": "Oslo"}')]
    events = reader.take(native) if not first else []
    for piece in pieces(f"I look.\n{leak}", size):
        events += reader.feed(piece)
    events += reader.take(native) if first else []
    events += reader.finish("tool_calls")
    assert text_of(events) == "I look.\n"
    assert calls_of(events) == [OSLO]
    assert reader.changed


@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_rescued_against_the_offer(size):
    none = replace(STANDARD_OFFER, choice="none")
    assert read(CALL, size, offer=none) == [TextDelta(piece) for piece in pieces(CALL, size)]
    one = replace(STANDARD_OFFER, parallel=False)
    events = read(f"{CALL}\n{CALL}", size, offer=one)
    assert (text_of(events).strip(), calls_of(events)) == ("", [OSLO])


def test_an_event_waits_only_while_a_call_may_stand_there():
    reader = NativeReader(STANDARD_OFFER)
    assert reader.feed("It is 5 <") == [] and reader.holding
    assert reader.feed(" 6.") == [TextDelta("It is 5 <"), TextDelta(" 6.")]
    assert not reader.holding and not reader.changed


def test_events_of_text_and_thought_keep_their_order():
    reader = NativeReader(STANDARD_OFFER)
    assert reader.feed("a <") == []
    assert reader.think("hm") == []
    assert reader.feed("b") == [TextDelta("a <"), ReasoningDelta("hm"), TextDelta("b")]


@pytest.mark.parametrize("size", SIZES)
def test_a_result_that_the_model_made_up_goes_with_the_call_before_it(size):
    events = read(f"I look.\n{CALL}\n<tool_response>\nRain.\n</tool_response>\nIt rains.", size)
    assert (text_of(events).strip(), calls_of(events)) == ("I look.", [OSLO])


@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_read_behind_a_result_that_the_model_made_up(size):
    text = f"It gave\n\n<tool_response>\nRain.\n</tool_response>\n\n{CALL}"
    assert read(text, size) == [TextDelta(piece) for piece in pieces(text, size)]


def test_so_much_waits_and_no_more():
    reader = NativeReader(STANDARD_OFFER)
    begun = CALL[: CALL.index("Oslo")]
    events = reader.feed(begun)
    for _ in range(300):
        events += reader.feed("x" * 1000)
    assert not reader.holding
    assert text_of(events) == begun + "x" * 300_000
    assert reader.finish("stop") == []
