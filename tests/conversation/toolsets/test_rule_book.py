"""Rules of which the model sees an index."""

from __future__ import annotations

import json

import pytest

from toolproto import ChatSession, UsageError
from toolproto.conversation import rules_tool
from toolproto.endpoints import ScriptedEndpoint

LETTERS = "# How we write letters\n\nBegin with the date."
BILLS = "How we write bills\n\nRound to cents."


def read_rule(name):
    called = {"name": "read_rule", "arguments": {"name": name}}
    return f"<tool_code>{json.dumps(called)}</tool_code>"


@pytest.mark.parametrize("is_folder", [True, False])
def test_the_model_sees_an_index_and_reads_the_whole_on_demand(is_folder, tmp_path):
    rules = {"bills": BILLS, "letters": LETTERS}
    for name, text in rules.items():
        (tmp_path / f"{name}.md").write_text(text)
    endpoint = ScriptedEndpoint(read_rule("letters"), "Oslo, today: …")
    session = ChatSession(endpoint, "xml_tag", [rules_tool(tmp_path if is_folder else rules)])
    result = session.send("Write a letter")
    prompt = endpoint.requests[0].messages[0].content
    assert prompt.index("bills: How we write bills") < prompt.index("letters: How we write letters")
    assert "Begin with the date" not in prompt and "Round to cents" not in prompt
    assert result.calls[0].result.content == LETTERS
    assert "Begin with the date." in endpoint.requests[1].messages[-1].content
    assert "Round to cents" not in endpoint.requests[1].messages[-1].content


def test_a_rule_that_there_is_not_is_answered_with_those_that_there_are():
    endpoint = ScriptedEndpoint(read_rule("contracts"), "None.")
    session = ChatSession(endpoint, "xml_tag", [rules_tool({"bills": BILLS})])
    assert not session.send("Write a contract").calls[0].result.content.startswith("How")
    assert "bills" in endpoint.requests[1].messages[-1].content


@pytest.mark.parametrize("wrong", [{}, {"bills": " "}])
def test_an_index_of_nothing_is_refused(wrong, tmp_path):
    for rules in (wrong, tmp_path):
        with pytest.raises(UsageError, match="needs a"):
            rules_tool(rules)
