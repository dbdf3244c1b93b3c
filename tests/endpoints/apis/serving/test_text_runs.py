"""White space that is no answer."""

from __future__ import annotations

import pytest

from toolproto.endpoints.apis.pieces import Ended, Piece
from toolproto.endpoints.apis.serving.text_runs import TextRuns
from toolproto.protocol.events import CallCompleted, CallStarted, ReasoningDelta, TextDelta
from toolproto.protocol.messages import ToolCall, Usage

CALL = (CallStarted(0, "now", "c"), CallCompleted(0, ToolCall("now", {})))
END = Ended("stop", Usage())

RUNS: dict[str, tuple[list[Piece], list[Piece]]] = {
    "words": (
        [TextDelta("a"), TextDelta("\n"), TextDelta("b")],
        [TextDelta("a"), TextDelta("\n"), TextDelta("b")],
    ),
    "space before words": ([TextDelta("\n"), TextDelta(" "), TextDelta("a")], [TextDelta("\n a")]),
    "space before a call": ([TextDelta("\n"), *CALL], [*CALL]),
    "space behind a call": ([*CALL, TextDelta("\n"), END], [*CALL, END]),
    "space behind words and a call": (
        [TextDelta("a"), *CALL, TextDelta("\n"), *CALL],
        [TextDelta("a"), *CALL, *CALL],
    ),
    "space behind a thought": (
        [ReasoningDelta("hm"), TextDelta("\n\n"), *CALL],
        [ReasoningDelta("hm"), *CALL],
    ),
    "nothing": ([TextDelta(""), ReasoningDelta(""), END], [END]),
}


@pytest.mark.parametrize(("pieces", "passed"), RUNS.values(), ids=RUNS)
def test_only_runs_with_words_in_them_pass(pieces, passed):
    runs = TextRuns()
    assert [each for piece in pieces for each in runs.passed(piece)] == passed
