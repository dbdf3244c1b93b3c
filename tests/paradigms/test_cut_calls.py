"""A reply that the limit cut inside a call: nothing is made of what is there of it."""

from __future__ import annotations

import pytest

from toolproto import (
    CallCompleted,
    CallRejected,
    ProblemKind,
    ToolCall,
    ToolOffer,
    ToolSpec,
    get_paradigm,
    paradigms,
)
from toolproto.testing.laws import read_in_pieces

PROPERTIES = {"path": {"type": "string"}, "limit": {"type": "integer"}, "flags": {"type": "object"}}
OFFER = ToolOffer((ToolSpec("find", "", {"type": "object", "properties": PROPERTIES}),))
CALLS = [
    ToolCall("find", {}),
    ToolCall("find", {"path": "a\n<b>", "limit": 30, "flags": {"x, y": ["z", None]}}),
]


@pytest.mark.parametrize("name", paradigms())
@pytest.mark.parametrize("call", CALLS, ids=["empty", "odd"])
def test_wherever_a_call_is_cut_it_is_whole_or_truncated(name: str, call: ToolCall) -> None:
    paradigm = get_paradigm(name)
    written = paradigm.encode_call(call)
    for end in range(len(written)):
        for event in read_in_pieces(paradigm, [written[:end]], OFFER, "length"):
            if isinstance(event, CallCompleted):
                assert event.call == call, written[:end]
            elif isinstance(event, CallRejected):
                assert event.problem.kind is ProblemKind.TRUNCATED, written[:end]
                assert event.problem.raw in written[:end]


def test_half_a_tag_is_no_argument() -> None:
    reply = (
        '<functions><function name="find"><params><param name="flags" value="{&quot;a&quot;: {}}'
    )
    [event] = read_in_pieces(get_paradigm("bfcl_verbose_xml"), [reply], OFFER, "length")[1:]
    assert isinstance(event, CallRejected)
    assert event.problem.kind is ProblemKind.TRUNCATED
    assert event.problem.raw == reply.removeprefix("<functions>")
