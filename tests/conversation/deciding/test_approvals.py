"""Decisions, and what a decision is bound to."""

from __future__ import annotations

from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolproto.conversation.deciding.approvals import (
    Allow,
    Defer,
    Deny,
    approval_request,
    call_digest,
    decided,
    deny_all,
    reviewed,
)
from toolproto.protocol.errors import UsageError
from toolproto.protocol.messages import Grade, Repair, Span, ToolCall, ToolResult
from toolproto.protocol.tools import Tool

GUESSED = Repair("fenced", Grade.GUESSED)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


def named(name, risk="read", needs_approval=None):
    return Tool.from_schema(name, "", None, risk=risk, needs_approval=needs_approval)


# -- digests ---------------------------------------------------------------------------------


@given(JSON, JSON)
def test_two_values_of_one_digest_are_equal(one, two):
    if call_digest(ToolCall("t", {"x": one})) == call_digest(ToolCall("t", {"x": two})):
        assert one == two


def test_a_digest_is_the_same_in_any_order_and_for_any_kind_of_mapping():
    call = ToolCall("t", {"a": 1, "b": {"c": [1, 2], "d": None}})
    turned = ToolCall("t", MappingProxyType({"b": {"d": None, "c": (1, 2)}, "a": 1}))
    assert call_digest(call) == call_digest(turned)


def test_a_digest_is_about_what_runs_and_not_about_how_it_was_written():
    call = ToolCall("t", {"a": 1}, "id_1", "raw", Span(0, 3), (GUESSED,))
    assert call_digest(call) == call_digest(ToolCall("t", {"a": 1}, "id_2"))
    assert call_digest(call) != call_digest(ToolCall("u", {"a": 1}))


@pytest.mark.parametrize(
    "one, two",
    [(1, "1"), (1, True), (0, False), (None, "null"), ([], {}), ("a", "á"), (1, 1.0), ("", None)],
)
def test_values_that_only_look_alike_have_digests_of_their_own(one, two):
    assert call_digest(ToolCall("t", {"x": one})) != call_digest(ToolCall("t", {"x": two}))


@pytest.mark.parametrize("value", ["\ud800", "\x00", "💥", float("nan"), 10**400, b"\xff", {1, 2}])
def test_anything_has_a_digest(value):
    assert len(call_digest(ToolCall("t", {"x": value}))) == 64


def test_a_request_says_what_is_asked_about_and_why():
    tool, call = named("send", "egress"), ToolCall("send", {"to": "all"})
    request = approval_request(call, tool, "it is late")
    assert (request.call, request.tool, request.risk) == (call, tool.spec, "egress")
    assert (request.reason, request.digest) == ("it is late", call_digest(call))


# -- answers ---------------------------------------------------------------------------------


def test_nobody_there_means_no_and_says_why():
    tool = named("send", "egress")
    call = ToolCall("send", {})
    request = approval_request(call, tool, "send sends something out")
    assert deny_all(request) == Deny("send sends something out, and nobody is there to approve it")


@pytest.mark.parametrize("decision", [Allow(), Allow(always=True), Deny(), Deny("no"), Defer()])
def test_a_decision_is_what_was_decided(decision):
    assert decided(decision) is decision


@pytest.mark.parametrize("answer", [None, True, False, "yes", Allow, Deny, 1, {"allow": True}])
def test_whatever_is_no_decision_is_a_mistake(answer):
    with pytest.raises(UsageError, match="expected Allow, Deny or Defer"):
        decided(answer)


@pytest.mark.parametrize("instead", [{"name": "t"}, "t", True])
def test_what_runs_instead_has_to_be_a_call(instead):
    with pytest.raises(UsageError):
        decided(Allow(instead=instead))


def test_a_review_is_nothing_a_result_or_a_refusal():
    result = ToolResult(ToolCall("t", {}), "x")
    assert reviewed(None) is None
    assert reviewed(result) is result
    assert reviewed(Deny("secret")) == Deny("secret")
    assert reviewed(Defer()) == Defer()


@pytest.mark.parametrize("answer", [True, False, "fine", Allow(), Deny, Defer, 0])
def test_whatever_is_no_review_is_a_mistake(answer):
    with pytest.raises(UsageError, match="expected None, a ToolResult, Deny or Defer"):
        reviewed(answer)
