"""Pieces that came together go out together."""

from __future__ import annotations

import pytest

from toolproto.endpoints.apis.pieces import Ended, Piece, joined
from toolproto.protocol.events import (
    ArgumentsDelta,
    CallCompleted,
    CallStarted,
    ReasoningDelta,
    TextDelta,
)
from toolproto.protocol.messages import ToolCall, Usage

ENDED = Ended("stop", Usage())
ENDED = CallCompleted(0, ToolCall("f", {}))
BEGUN = [CallStarted(0, "f", "call_a"), CallStarted(1, "f", "call_b")]
CASES: list[tuple[list[Piece], list[Piece]]] = [
    ([], []),
    ([TextDelta("a")], [TextDelta("a")]),
    ([TextDelta("a"), TextDelta("b"), TextDelta("c"), ENDED], [TextDelta("abc"), ENDED]),
    (
        [ReasoningDelta("a"), ReasoningDelta("b"), TextDelta("c")],
        [ReasoningDelta("ab"), TextDelta("c")],
    ),
    (
        [TextDelta("a"), ReasoningDelta("b"), TextDelta("c")],
        [TextDelta("a"), ReasoningDelta("b"), TextDelta("c")],
    ),
    (
        [
            BEGUN[0],
            ArgumentsDelta(0, "{"),
            ArgumentsDelta(0, "}"),
            ENDED,
        ],
        [BEGUN[0], ArgumentsDelta(0, "{}"), ENDED],
    ),
    (
        [
            ArgumentsDelta(0, "}"),
            ENDED,
            BEGUN[1],
            ArgumentsDelta(1, "{"),
        ],
        [
            ArgumentsDelta(0, "}"),
            ENDED,
            BEGUN[1],
            ArgumentsDelta(1, "{"),
        ],
    ),
    (
        [ArgumentsDelta(0, "a"), ArgumentsDelta(1, "b")],
        [ArgumentsDelta(0, "a"), ArgumentsDelta(1, "b")],
    ),
]


@pytest.mark.parametrize(("pieces", "whole"), CASES)
def test_neighbours_of_one_kind_are_one(pieces, whole):
    assert joined(pieces) == whole
