"""What a policy says of a tool."""

from __future__ import annotations

import pytest

from toolproto import Policy, Tool, UsageError


def named(name, risk="read", needs_approval=None, origin=""):
    return Tool.from_schema(name, "", None, risk=risk, needs_approval=needs_approval, origin=origin)


@pytest.mark.parametrize(
    "risk, expected", [("read", "allow"), ("write", "ask"), ("egress", "ask"), ("exec", "ask")]
)
def test_only_reading_is_free(risk, expected):
    assert Policy().rule(named("t", risk)) == expected


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
        # A server's name stands for its tools, unless they are named themselves.
        (Policy(tools={"shop": "deny"}), named("buy", origin="shop"), "deny"),
        (Policy(tools={"shop": "deny"}), named("buy", origin="shops"), "allow"),
        (Policy(tools={"shop": "deny"}), named("buy"), "allow"),
        (Policy(tools={"": "deny"}), named("buy"), "allow"),
        (Policy(tools={"shop": "deny", "b*": "ask"}), named("buy", origin="shop"), "ask"),
        (Policy(tools={"b*": "ask", "shop": "deny"}), named("buy", origin="shop"), "ask"),
        (Policy(tools={"shop": "deny", "*": "ask"}), named("buy", origin="shop"), "deny"),
        (Policy(tools={"*": "ask", "shop": "deny"}), named("buy", origin="shop"), "ask"),
    ],
)
def test_the_first_word_that_is_said_about_a_tool_counts(policy, tool, expected):
    assert policy.rule(tool) == expected
    assert policy.denies(tool) is (expected == "deny")


@pytest.mark.parametrize(
    "policy, tool, is_named",
    [
        (Policy(), named("t", "write", False), True),
        (Policy(), named("t", "write", True), False),
        (Policy(tools={"t": "allow"}), named("t", "write"), True),
        (Policy(tools={"t*": "allow"}), named("t", "write"), True),
        (Policy(tools={"shop": "allow"}), named("t", "write", origin="shop"), True),
        (Policy(tools={"*": "allow"}), named("t", "write"), False),
        (Policy(tools={"*": "allow"}), named("t", "write", False), False),
        (Policy(tools={"t": "ask"}), named("t", "write", False), False),
        (Policy(risks={"write": "allow"}), named("t", "write"), False),
    ],
)
def test_a_tool_is_named_by_more_than_a_star(policy, tool, is_named):
    assert policy.lets_by_name(tool) is is_named


@pytest.mark.parametrize(
    "terms", [{"tools": {"t": "yes"}}, {"risks": {"read": True}}, {"guessed": "never"}]
)
def test_a_rule_nobody_knows_is_a_mistake(terms):
    with pytest.raises(UsageError, match=r"is not a rule; use one of \('allow', 'ask', 'deny'\)"):
        Policy(**terms)


def test_a_risk_nobody_knows_is_a_mistake():
    with pytest.raises(UsageError, match="'delete' is not a risk"):
        Policy(risks={"delete": "deny"})
