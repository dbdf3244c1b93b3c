"""The states of a call on its way, and the moves between them."""

from __future__ import annotations

import pytest

from toolproto import Tool, ToolCall, ToolResult, UsageError
from toolproto.conversation.deciding.approvals import approval_request
from toolproto.conversation.turn.on_its_way import MOVES, CallState, OnItsWay
from toolproto.conversation.turn.result import CallRecord
from toolproto.protocol.deciding.decisions import Topic

CALL = ToolCall("pay", {}, "call_1")
PAY = Tool.from_schema("pay", "", None, risk="write")
RESULT = ToolResult(CALL, "paid")


def test_every_state_is_in_the_table_and_leads_to_a_result():
    assert MOVES.keys() == set(CallState)
    assert [state for state, moves in MOVES.items() if not moves] == [CallState.SETTLED]
    assert all(CallState.SETTLED in moves for moves in MOVES.values() if moves)


def test_what_ran_is_neither_asked_about_nor_run_again():
    for state in (CallState.RUNNING, CallState.TO_REVIEW, CallState.SETTLED):
        way = OnItsWay(CALL)
        way.state = state
        assert not way.is_open
        for back in (CallState.PENDING, CallState.WAITING, CallState.RUNNING):
            with pytest.raises(UsageError, match="cannot go from"):
                way.to(back)


def test_a_call_says_what_it_waits_for_until_it_is_settled():
    way = OnItsWay(CALL)
    assert way.waits_for == ""
    way.wait(approval_request(CALL, PAY, "why", asked=[Topic("loop")]))
    assert (way.waits_for, way.is_open) == ("loop", True)
    way.go_on()
    assert (way.waits_for, way.state) == ("", CallState.PENDING)
    way.to(CallState.RUNNING)
    way.review(RESULT, approval_request(CALL, PAY, "it waits for a review"))
    way.settle(RESULT, CallRecord(CALL, RESULT))
    assert (way.result, way.unreviewed, way.waits_for) == (RESULT, None, "")


def test_a_call_keeps_its_id_whatever_is_changed_in_it():
    way = OnItsWay(CALL)
    way.call = ToolCall("pay", {"to": "Ann"}, "other")
    assert way.id == "call_1"
