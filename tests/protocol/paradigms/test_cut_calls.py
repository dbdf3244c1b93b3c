"""A reply that the limit cut inside a call: nothing is made of what is there of it."""

from __future__ import annotations

from itertools import product

import pytest

from tests.amount import some_paradigms
from toolproto import (
    CallCompleted,
    CallRejected,
    Grade,
    ProblemKind,
    ToolCall,
    ToolOffer,
    ToolSpec,
    get_paradigm,
    list_paradigms,
)
from toolproto.protocol.paradigms.wire import WireParadigm
from toolproto.testing.laws import read_in_pieces

PROPERTIES = {"path": {"type": "string"}, "limit": {"type": "integer"}, "flags": {"type": "object"}}
OFFER = ToolOffer((ToolSpec("find", "", {"type": "object", "properties": PROPERTIES}),))
CALLS = [
    ToolCall("find", {}),
    ToolCall("find", {"path": "a\n<b>", "limit": 30, "flags": {"x, y": ["z", None]}}),
]


@pytest.mark.parametrize("name", list_paradigms())
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


DELETING = {"path": {"type": "string"}, "dry_run": {"type": "boolean"}}
DELETE_OFFER = ToolOffer(
    (ToolSpec("delete", "", {"type": "object", "properties": DELETING, "required": ["path"]}),)
)
DELETE = ToolCall("delete", {"path": "/tmp/a", "dry_run": True})
#: Words of services for replies that lack their end; what no table knows is one, too.
CUT = [
    "length", "max_tokens", "MAX_TOKENS", "model_length", "maxTokens",
    "token_limit", "model_context_window_exceeded", "content_filter", "SAFETY", "RECITATION",
    "refusal", "guardrail_intervened", "error", "ERROR", "abort",
    "cancelled", "insufficient_system_resource", "network_error", "OTHER", "unheard-of",
]  # fmt: skip


def read_cut(name: str, end: int, reason: str) -> None:
    """The call, cut at *end* for *reason*, is whole or no call."""
    paradigm = get_paradigm(name)
    cut = paradigm.encode_call(DELETE)[:end]
    for event in read_in_pieces(paradigm, [cut], DELETE_OFFER, reason):
        if isinstance(event, CallCompleted):
            assert event.call == DELETE, (cut, reason)


@pytest.mark.parametrize("name", list_paradigms())
def test_no_argument_is_lost_wherever_a_call_is_cut(name: str) -> None:
    for end in range(len(get_paradigm(name).encode_call(DELETE))):
        read_cut(name, end, "error")


# One table says for all of them which reasons are a cut.
@pytest.mark.parametrize("name", some_paradigms())
def test_no_argument_is_lost_for_whatever_reason_a_call_is_cut(name: str) -> None:
    written = get_paradigm(name).encode_call(DELETE)
    second = written.index("dry_run")
    for end, reason in product({second - 2, second - 1, second, len(written) - 1}, CUT):
        read_cut(name, end, reason)


def test_half_a_tag_is_no_argument() -> None:
    reply = (
        '<functions><function name="find"><params><param name="flags" value="{&quot;a&quot;: {}}'
    )
    [event] = read_in_pieces(get_paradigm("bfcl_verbose_xml"), [reply], OFFER, "length")[1:]
    assert isinstance(event, CallRejected)
    assert event.problem.kind is ProblemKind.TRUNCATED
    assert event.problem.raw == reply.removeprefix("<functions>")


@pytest.mark.parametrize("name", list_paradigms())
@pytest.mark.parametrize("call", CALLS, ids=["empty", "odd"])
def test_a_call_that_was_cut_for_no_reason_that_is_known_is_a_guess(name, call) -> None:
    paradigm = get_paradigm(name)
    written, payload = paradigm.encode_call(call), ""
    if isinstance(paradigm, WireParadigm):
        payload = written.removesuffix(paradigm.wire.section[1]).rstrip()
    # These are over with their last bracket: a list need not be closed for its calls to be whole.
    listed = name in ("granite3", "mistral")
    for end in range(len(written)):
        for told in paradigm.parse_response(written[:end], OFFER).calls:
            over = written[:end].rstrip().startswith(payload) and payload
            guessed = told.grade in (Grade.GUESSED, Grade.TRUNCATED)
            assert guessed or over or listed, written[:end]
