"""Rules, decisions and what a decision is bound to."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolproto.conversation.deciding.approvals import (
    Allow,
    Defer,
    Deny,
    Policy,
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


def rule(policy, tool, *repairs):
    return policy.rule(ToolCall(tool.name, {}, repairs=repairs), tool)[0]


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


# -- policies --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "risk, expected", [("read", "allow"), ("write", "ask"), ("egress", "ask"), ("exec", "ask")]
)
def test_only_reading_is_free(risk, expected):
    assert rule(Policy(), named("t", risk)) == expected


@pytest.mark.parametrize(
    "policy, tool, expected",
    [
        (Policy(risks={"write": "allow"}), named("t", "write"), "allow"),
        (Policy(risks={"read": "deny"}), named("t", "write"), "ask"),
        (Policy(risks={"read": "deny"}), named("t", "read"), "deny"),
        # What the tool itself says comes before the risk,
        (Policy(risks={"write": "deny"}), named("t", "write", False), "allow"),
        (Policy(risks={"read": "allow"}), named("t", "read", True), "ask"),
        # and its name before both.
        (Policy(tools={"t": "deny"}), named("t", "read", False), "deny"),
        (Policy(tools={"fs_*": "deny", "fs_read": "allow"}), named("fs_read"), "deny"),
        (Policy(tools={"fs_read": "allow", "fs_*": "deny"}), named("fs_read"), "allow"),
        (Policy(tools={"FS_*": "deny"}), named("fs_read"), "allow"),
        (Policy(tools={"*": "deny"}), named("a.b/c:d"), "deny"),
        (Policy(tools={"[x": "deny"}), named("x"), "allow"),
    ],
)
def test_the_first_word_that_is_said_about_a_tool_counts(policy, tool, expected):
    assert rule(policy, tool) == expected


@pytest.mark.parametrize(
    "usual, guessed, expected",
    [
        ("allow", "allow", "allow"),
        ("allow", "ask", "ask"),
        ("allow", "deny", "deny"),
        ("ask", "allow", "ask"),
        ("ask", "deny", "deny"),
        ("deny", "allow", "deny"),
        ("deny", "ask", "deny"),
    ],
)
def test_guessing_only_makes_things_stricter(usual, guessed, expected):
    policy = Policy(risks={"write": usual}, guessed=guessed)
    assert rule(policy, named("t", "write"), GUESSED) == expected
    assert rule(policy, named("t", "write"), Repair("case")) == usual


def test_a_guess_is_good_enough_for_reading():
    assert rule(Policy(guessed="deny"), named("t"), GUESSED) == "allow"


def test_the_reason_names_the_tool_what_it_does_and_what_was_guessed():
    tool = named("push", "egress")
    assert Policy().rule(ToolCall("push", {}), tool)[1] == "push sends something out"
    call = ToolCall("push", {}, repairs=(GUESSED, Repair("case")))
    assert Policy().rule(call, tool)[1].endswith("its call had to be guessed at (fenced)")


@pytest.mark.parametrize(
    "terms", [{"tools": {"t": "yes"}}, {"risks": {"read": True}}, {"guessed": None}]
)
def test_a_rule_nobody_knows_is_a_mistake(terms):
    with pytest.raises(UsageError, match=r"is not a rule; use one of \('allow', 'ask', 'deny'\)"):
        Policy(**terms)


def test_a_risk_nobody_knows_is_a_mistake():
    with pytest.raises(UsageError, match="'delete' is not a risk"):
        Policy(risks={"delete": "deny"})


# -- answers ---------------------------------------------------------------------------------


def test_nobody_there_means_no_and_says_why():
    tool = named("send", "egress")
    call = ToolCall("send", {})
    request = approval_request(call, tool, Policy().rule(call, tool)[1])
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


# -- tools that strangers describe -----------------------------------------------------------


@pytest.mark.parametrize(
    "policy", [Policy(), Policy(tools={"look": "allow"}), Policy(risks={"read": "allow"})]
)
def test_a_tool_that_needs_caution_is_asked_about_whatever_was_allowed(policy):
    tool = replace(named("look"), caution="its description changed")
    ruled, reason = policy.rule(ToolCall("look", {}), tool)
    assert ruled == "ask"
    assert reason.endswith("and its description changed")


def test_caution_allows_nothing_that_is_denied():
    tool = replace(named("look"), caution="its description changed")
    assert rule(Policy(tools={"look": "deny"}), tool) == "deny"


def test_an_approval_for_good_is_for_what_was_described_then():
    tool = named("look")
    assert tool.grant == "look"
    assert replace(tool, pin="1f").grant == "look@1f"
