"""A result, as it is printed and as a notebook shows it."""

from __future__ import annotations

from toolproto import (
    ApprovalRequest,
    EndpointError,
    ToolCall,
    ToolResult,
    ToolSpec,
    TurnResult,
    Usage,
)
from toolproto.conversation.turn import CallRecord, TurnStats

CALL = ToolCall("look", {"at": "<script>alert(1)</script>"}, id="1")


def result(text: str = "Fog.\nMore of it.", **others: object) -> TurnResult:
    stats = TurnStats(requests=2, calls=1, seconds=1.24)
    return TurnResult("completed", text, stats=stats, usage=Usage(340, 25), **others)  # type: ignore[arg-type]


def test_it_prints_as_one_line():
    assert repr(result()) == (
        "<TurnResult completed: 'Fog. More of it.', 2 requests, 1 call, 340+25 tokens, 1.2 s>"
    )


def test_a_long_text_is_cut():
    assert len(repr(result("word " * 100_000))) < 200


def test_what_went_wrong_is_told():
    error = EndpointError("no such\nhost")
    assert "error: EndpointError: 'no such host', 0 requests" in repr(
        TurnResult("error", "half", error=error)
    )
    spec = ToolSpec("look", "", {"type": "object"})
    waiting = ApprovalRequest(CALL, spec, "write", "it changes something", "")
    assert "pending: waits for look" in repr(TurnResult("pending", "", pending=(waiting,)))


def test_a_card_shows_text_and_calls_escaped():
    record = CallRecord(CALL, ToolResult(CALL, "<b>fog</b>", is_error=True))
    card = result("<img src=x onerror=alert(1)>", calls=(record,) * 30)._repr_html_()
    assert "<script" not in card and "<img" not in card and "<b>" not in card
    assert "&lt;b&gt;fog&lt;/b&gt;" in card and "look(at=" in card
    assert "and 10 more" in card


def test_a_card_is_small_whatever_was_said():
    record = CallRecord(CALL, ToolResult(CALL, "x" * 1_000_000))
    assert len(result("y" * 1_000_000, calls=(record,) * 500)._repr_html_()) < 20_000
