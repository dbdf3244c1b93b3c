"""The values of the protocol: equal by content, and never changed."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields, replace

import pytest

from toolproto import (
    CallProblem,
    Grade,
    Message,
    ProblemKind,
    Repair,
    Span,
    ToolCall,
    ToolResult,
    counted_ids,
)
from toolproto.protocol.messages import ChatRequest, Chunk, Usage, random_id

CALL = ToolCall("now", {"zone": "UTC"})
PROBLEM = CallProblem(ProblemKind.MALFORMED, "it is empty")
LOSSLESS, GUESSED, TRUNCATED = (Repair(grade.value, grade) for grade in Grade)

#: Bookkeeping: two calls that differ in it are the same call.
SAME_CALL = {
    "id": {"id": "call_9"},
    "raw": {"raw": "{...}"},
    "span": {"span": Span(3, 9)},
    "repairs": {"repairs": (GUESSED,)},
}


@pytest.mark.parametrize("field", SAME_CALL)
def test_how_a_call_came_about_takes_no_part_in_equality(field):
    assert replace(CALL, **SAME_CALL[field]) == CALL


@pytest.mark.parametrize("change", [{"name": "then"}, {"arguments": {}}])
def test_what_a_call_says_is_what_it_is(change):
    assert replace(CALL, **change) != CALL


@pytest.mark.parametrize("change", [{"span": Span(3, 9)}, {"repairs": (GUESSED,)}])
def test_where_a_problem_stood_takes_no_part_in_equality(change):
    assert replace(PROBLEM, **change) == PROBLEM


@pytest.mark.parametrize(
    "change",
    [
        {"kind": ProblemKind.TRUNCATED},
        {"message": "it is late"},
        {"raw": "{"},
        {"name": "now"},
        {"suggestions": ("now",)},
    ],
    ids=str,
)
def test_what_a_problem_says_is_what_it_is(change):
    assert replace(PROBLEM, **change) != PROBLEM


def test_results_of_equal_calls_are_equal():
    other = replace(CALL, id="call_9")
    assert ToolResult(CALL, "12:00") == ToolResult(other, "12:00")
    assert ToolResult(CALL, "12:00") != ToolResult(CALL, "12:00", is_error=True)


GRADES = [
    ((), None),
    ((LOSSLESS,), Grade.LOSSLESS),
    ((LOSSLESS, LOSSLESS), Grade.LOSSLESS),
    ((GUESSED, LOSSLESS), Grade.GUESSED),
    ((LOSSLESS, GUESSED), Grade.GUESSED),
    ((TRUNCATED, LOSSLESS), Grade.TRUNCATED),
    ((GUESSED, TRUNCATED, LOSSLESS), Grade.TRUNCATED),
]


@pytest.mark.parametrize("repairs, grade", GRADES)
def test_a_call_is_as_sure_as_its_least_sure_repair(repairs, grade):
    assert replace(CALL, repairs=repairs).grade is grade


def test_a_repair_is_lossless_unless_it_says_otherwise():
    assert Repair("quote_style").grade is Grade.LOSSLESS


def test_counted_ids_count():
    ids = counted_ids()
    assert [ids(), ids(), ids()] == ["call_1", "call_2", "call_3"]


def test_counted_ids_take_a_prefix():
    assert counted_ids("t-")() == "t-1"


def test_two_counts_do_not_disturb_each_other():
    first, second = counted_ids(), counted_ids()
    first()
    assert second() == "call_1"


def test_random_ids_do_not_repeat():
    ids = {random_id() for _ in range(1000)}
    assert len(ids) == 1000
    assert all(id.startswith("call_") for id in ids)


VALUES = [
    CALL,
    PROBLEM,
    LOSSLESS,
    ToolResult(CALL, "12:00"),
    Message("user", "Hello"),
    Chunk("Hello"),
    Usage(1, 2),
    ChatRequest((Message("user", "Hello"),)),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_value_cannot_be_changed(value):
    for field in fields(value):
        with pytest.raises(FrozenInstanceError):
            setattr(value, field.name, None)


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_value_takes_no_other_fields(value):
    assert not hasattr(value, "__dict__")


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_value_equals_its_copy(value):
    assert replace(value) == value


def test_a_span_is_a_pair():
    start, end = Span(2, 5)
    assert "abcdef"[start:end] == "cde"


def test_a_call_is_shown_without_the_text_it_was_read_from():
    assert "secret" not in repr(replace(CALL, raw="secret"))
    assert "secret" not in repr(replace(PROBLEM, raw="secret"))


def test_the_kinds_of_problems_are_these():
    """Programs match on them: adding one is a decision, removing one breaks somebody."""
    assert [kind.value for kind in ProblemKind] == [
        "malformed",
        "truncated",
        "unknown_tool",
        "invalid_arguments",
        "not_allowed",
        "fabricated_result",
        "doubted",
        "too_large",
    ]
