"""Merging: any two chunkings of one reply become equal, and nothing else changes."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolproto import (
    ArgumentsDelta,
    CallCompleted,
    CallProblem,
    CallRejected,
    CallStarted,
    Event,
    ProblemKind,
    ReasoningDelta,
    Span,
    TextDelta,
    Tool,
    ToolCall,
    ToolSpec,
    counted_ids,
    get_paradigm,
    merge,
    parse_any,
)

CALL = ToolCall("now", {})
DONE = CallCompleted(0, CALL)
FAILED = CallRejected(1, CallProblem(ProblemKind.MALFORMED, "it is empty"))
START = CallStarted(0, "now", "call_1")

MERGED = {
    "nothing": ([], []),
    "one text": ([TextDelta("a")], [TextDelta("a")]),
    "texts": ([TextDelta("a"), TextDelta("b"), TextDelta("c")], [TextDelta("abc")]),
    "thoughts": ([ReasoningDelta("a"), ReasoningDelta("b")], [ReasoningDelta("ab")]),
    "a text behind a thought": (
        [ReasoningDelta("a"), TextDelta("b")],
        [ReasoningDelta("a"), TextDelta("b")],
    ),
    "arguments of one call": (
        [START, ArgumentsDelta(0, "{"), ArgumentsDelta(0, "}"), DONE],
        [START, ArgumentsDelta(0, "{}"), DONE],
    ),
    "arguments of two calls": (
        [ArgumentsDelta(0, "a"), ArgumentsDelta(1, "b"), ArgumentsDelta(1, "c")],
        [ArgumentsDelta(0, "a"), ArgumentsDelta(1, "bc")],
    ),
    "texts around a call": (
        [TextDelta("a"), START, DONE, TextDelta("b")],
        [TextDelta("a"), START, DONE, TextDelta("b")],
    ),
    "equal calls": ([DONE, DONE], [DONE, DONE]),
    "problems": ([FAILED, FAILED], [FAILED, FAILED]),
    "starts": ([START, START], [START, START]),
}


@pytest.mark.parametrize("kind", MERGED)
def test_neighbouring_deltas_are_joined(kind):
    events, merged = MERGED[kind]
    assert merge(events) == merged


@pytest.mark.parametrize("kind", MERGED)
def test_merging_again_changes_nothing(kind):
    once = merge(MERGED[kind][0])
    assert merge(once) == once


def test_texts_with_something_dropped_between_them_stay_apart():
    events = [TextDelta("a", Span(0, 1)), TextDelta("b", Span(5, 6))]
    assert merge(events) == [TextDelta("a"), TextDelta("b")]


def test_texts_that_touch_are_joined_and_so_are_their_places():
    (merged,) = merge([TextDelta("ab", Span(3, 5)), TextDelta("c", Span(5, 6))])
    assert isinstance(merged, TextDelta)
    assert (merged.text, merged.span) == ("abc", Span(3, 6))


def test_a_text_without_a_place_is_joined_to_its_neighbour():
    (merged,) = merge([TextDelta("a", Span(0, 1)), TextDelta("b"), TextDelta("c", Span(2, 3))])
    assert merged == TextDelta("abc")


def test_the_place_of_a_text_takes_no_part_in_equality():
    assert TextDelta("a", Span(0, 1)) == TextDelta("a", Span(7, 8)) == TextDelta("a")


def test_the_id_of_a_start_takes_no_part_in_equality():
    assert CallStarted(0, "now", "a") == CallStarted(0, "now", "b")


def test_the_events_given_are_not_changed():
    events: list[Event] = [TextDelta("a"), TextDelta("b")]
    merge(events)
    assert events == [TextDelta("a"), TextDelta("b")]


def test_any_iterable_will_do():
    assert merge(iter([TextDelta("a"), TextDelta("b")])) == [TextDelta("ab")]


texts = st.builds(TextDelta, st.text(min_size=1, max_size=5))
thoughts = st.builds(ReasoningDelta, st.text(min_size=1, max_size=5))
arguments = st.builds(ArgumentsDelta, st.integers(0, 2), st.text(min_size=1, max_size=5))
events = st.lists(texts | thoughts | arguments | st.sampled_from([START, DONE, FAILED]))


def split(event: Event, at: int) -> list[Event]:
    """*event* as it might have come in two pieces."""
    if isinstance(event, TextDelta | ReasoningDelta):
        halves: list[Event] = [type(event)(event.text[:at]), type(event)(event.text[at:])]
    elif isinstance(event, ArgumentsDelta):
        halves = [ArgumentsDelta(event.index, part) for part in (event.text[:at], event.text[at:])]
    else:
        return [event]
    return halves


@given(events=events, at=st.integers(0, 4))
def test_pieces_merge_to_what_the_whole_merges_to(events, at):
    pieces = [piece for event in events for piece in split(event, at)]
    assert merge(pieces) == merge(events)


@given(events=events)
def test_no_two_neighbours_are_left_that_could_be_joined(events):
    for one, other in pairwise(merge(events)):
        if isinstance(one, ArgumentsDelta) and isinstance(other, ArgumentsDelta):
            assert one.index != other.index
        else:
            assert type(one) is not type(other) or not isinstance(one, TextDelta | ReasoningDelta)


@given(events=events)
def test_no_text_is_lost(events):
    def said(events: list[Event]) -> str:
        return "".join(event.text for event in events if isinstance(event, TextDelta))

    assert said(merge(events)) == said(events)


def test_a_hundred_thousand_pieces_are_merged_at_once():
    assert merge([ArgumentsDelta(0, "x")] * 100_000) == [ArgumentsDelta(0, "x" * 100_000)]


@pytest.mark.parametrize(
    "event", [TextDelta("a"), ReasoningDelta("a"), START, ArgumentsDelta(0, "a"), DONE, FAILED]
)
def test_an_event_cannot_be_changed(event):
    name = next(iter(type(event).__dataclass_fields__))
    with pytest.raises(AttributeError):
        setattr(event, name, "b")


def test_events_are_readable_in_a_snapshot(snapshot):
    paradigm = get_paradigm("xml_tag", ids=counted_ids())
    reply = (
        """I'll see. <tool_code>{"name": "now", 'arguments': {}}</tool_code><tool_code>{"a""" + '"'
    )
    assert list(paradigm.parse_response(reply).events) == snapshot


def test_a_call_that_is_barred_may_be_doubted_as_well():
    code = {"type": "object", "properties": {"code": {"type": "string"}}, "required": ["code"]}
    run = Tool(ToolSpec("run", "Run code.", code), print, risk="exec")
    read = parse_any("So:\nrun(code='print(1)')\nThat is how.", [run])
    assert read.calls == []
    assert [problem.kind.value for problem in read.problems] == ["not_allowed"]
