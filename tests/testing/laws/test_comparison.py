"""What a broken law shows: two readings side by side, parted where they part."""

from __future__ import annotations

import pytest

from toolproto.protocol.events import ArgumentsDelta, CallCompleted, CallStarted, TextDelta
from toolproto.protocol.messages import Repair, Span, ToolCall
from toolproto.testing.laws.broken import LawBroken, shown
from toolproto.testing.laws.comparison import columns, same_events, same_value, side_by_side

CALL = ToolCall("now", {"a": 1}, "call_1", "raw", Span(0, 3))


@pytest.mark.parametrize("other", [1.0, True, "1"])
def test_values_that_python_thinks_equal_are_not(other):
    assert same_value({"a": [1]}, {"a": [1]})
    assert not same_value({"a": [1]}, {"a": [other]})


def test_the_order_of_keys_is_no_difference():
    assert same_value({"a": 1, "b": 2}, {"b": 2, "a": 1})
    assert not same_value({"a": -0.0}, {"a": 0.0})


def test_ids_are_no_difference_but_spans_raw_texts_and_repairs_are():
    def events(**changes: object) -> list[object]:
        call = {"name": "now", "arguments": {}, "id": "x", "raw": "r", "span": Span(0, 1)}
        return [CallCompleted(0, ToolCall(**{**call, **changes}))]

    assert same_events(events(), events(id="y"))
    assert same_events(events(repairs=(Repair("a"),)), events(repairs=(Repair("a"), Repair("a"))))
    for changes in ({"span": Span(0, 2)}, {"raw": "s"}, {"repairs": (Repair("a"),)}):
        assert not same_events(events(), events(**changes))


def test_an_arrow_points_at_the_first_difference():
    left = [TextDelta("a", Span(0, 1)), CallStarted(0, "now"), CallCompleted(0, CALL)]
    right = [TextDelta("a", Span(0, 1)), CallStarted(0, "then"), ArgumentsDelta(0, "{}")]
    assert side_by_side(("one", "other"), left, right).splitlines() == [
        line.rstrip()
        for line in (
            f"  {'one':<56} | other",
            f"  {'---':<56} | -----",
            "  text 'a' @0-1".ljust(58) + " | text 'a' @0-1",
            "→ started 0: now".ljust(58) + " | started 0: then",
            "  completed 0: now {\"a\": 1} @0-3 raw 'raw'".ljust(58) + " | arguments 0: '{}'",
        )
    ]


def test_a_list_that_goes_on_is_a_difference():
    assert "→ " + " " * 56 + " | b" in columns(("x", "y"), ["a"], ["a", "b"])


def test_long_lines_are_shown_where_they_differ_and_long_lists_around_that():
    rows = [f"row {number}" for number in range(40)]
    other = [*rows[:20], "x" * 300 + "!", *rows[21:]]
    rows[20] = "x" * 300 + "?"
    said = columns(("x", "y"), rows, other)
    assert "x?" in said and "x!" in said
    assert "… 16 rows that are the same" in said and "… 12 more rows" in said
    assert max(map(len, said.splitlines())) < 120


def test_a_message_names_the_law_its_number_and_the_remedy():
    error = LawBroken("chunking", "it differs", "hold back")
    assert str(error) == "chunking (law 2): it differs\n→ hold back"
    assert str(LawBroken("exercise", "it raises", "mend it")).startswith("exercise: it raises")


def test_a_long_text_is_shown_without_its_middle():
    assert shown("x" * 50) == repr("x" * 50)
    assert len(shown("x" * 100_000)) < 700
