"""White space that is no answer."""

from __future__ import annotations

import pytest

from toolproto.bridge.pieces import CallBegun, CallEnded, Ended, Piece, Text, Thought
from toolproto.bridge.translate.text_runs import TextRuns
from toolproto.messages import Usage

CALL = (CallBegun(0, "c", "now"), CallEnded(0))
END = Ended("stop", Usage())

RUNS: dict[str, tuple[list[Piece], list[Piece]]] = {
    "words": ([Text("a"), Text("\n"), Text("b")], [Text("a"), Text("\n"), Text("b")]),
    "space before words": ([Text("\n"), Text(" "), Text("a")], [Text("\n a")]),
    "space before a call": ([Text("\n"), *CALL], [*CALL]),
    "space behind a call": ([*CALL, Text("\n"), END], [*CALL, END]),
    "space behind words and a call": (
        [Text("a"), *CALL, Text("\n"), *CALL],
        [Text("a"), *CALL, *CALL],
    ),
    "space behind a thought": ([Thought("hm"), Text("\n\n"), *CALL], [Thought("hm"), *CALL]),
    "nothing": ([Text(""), Thought(""), END], [END]),
}


@pytest.mark.parametrize(("pieces", "passed"), RUNS.values(), ids=RUNS)
def test_only_runs_with_words_in_them_pass(pieces, passed):
    runs = TextRuns()
    assert [each for piece in pieces for each in runs.passed(piece)] == passed
