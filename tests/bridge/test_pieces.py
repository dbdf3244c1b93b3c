"""Pieces that came together go out together."""

from __future__ import annotations

import pytest

from toolproto.bridge.pieces import (
    ArgumentsPiece,
    CallBegun,
    CallEnded,
    Ended,
    Piece,
    Text,
    Thought,
    joined,
)
from toolproto.messages import Usage

ENDED = Ended("stop", Usage())
BEGUN = [CallBegun(0, "call_a", "f"), CallBegun(1, "call_b", "f")]
CASES: list[tuple[list[Piece], list[Piece]]] = [
    ([], []),
    ([Text("a")], [Text("a")]),
    ([Text("a"), Text("b"), Text("c"), ENDED], [Text("abc"), ENDED]),
    ([Thought("a"), Thought("b"), Text("c")], [Thought("ab"), Text("c")]),
    ([Text("a"), Thought("b"), Text("c")], [Text("a"), Thought("b"), Text("c")]),
    (
        [BEGUN[0], ArgumentsPiece(0, "{"), ArgumentsPiece(0, "}"), CallEnded(0)],
        [BEGUN[0], ArgumentsPiece(0, "{}"), CallEnded(0)],
    ),
    (
        [ArgumentsPiece(0, "}"), CallEnded(0), BEGUN[1], ArgumentsPiece(1, "{")],
        [ArgumentsPiece(0, "}"), CallEnded(0), BEGUN[1], ArgumentsPiece(1, "{")],
    ),
    (
        [ArgumentsPiece(0, "a"), ArgumentsPiece(1, "b")],
        [ArgumentsPiece(0, "a"), ArgumentsPiece(1, "b")],
    ),
]


@pytest.mark.parametrize(("pieces", "whole"), CASES)
def test_neighbours_of_one_kind_are_one(pieces, whole):
    assert joined(pieces) == whole
