"""A reply ends before a stop sequence, however its text was cut into pieces."""

from __future__ import annotations

import pytest

from toolproto.endpoints.stopping import StopSequences


def said(pieces, *stops):
    cut = StopSequences(stops)
    text = "".join(cut.feed(piece) for piece in pieces)
    return text + cut.finish(), cut.found


@pytest.mark.parametrize("size", [1, 2, 3, 100])
@pytest.mark.parametrize(
    "text, stops, expected",
    [
        ("one two", (), ("one two", "")),
        ("one two", ("two",), ("one ", "two")),
        ("aab", ("ab",), ("a", "ab")),
        ("one tw", ("two",), ("one tw", "")),
        ("x</s>y", ("</s>", "<"), ("x", "</s>")),
        ("x", ("",), ("x", "")),
    ],
)
def test_nothing_behind_a_stop_sequence_is_said(text, stops, expected, size):
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    text, found = said(pieces, *stops)
    assert text == expected[0] and bool(found) == bool(expected[1])


def test_text_that_cannot_be_one_is_not_held_back():
    cut = StopSequences(["<end>"])
    assert [cut.feed(each) for each in ("a", "<", "e", "x", "<en", "d>", "more")] == [
        *("a", "", "", "<ex", "", "", "")
    ]
