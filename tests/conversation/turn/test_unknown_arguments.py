"""A call with an argument that its tool does not know, written again though the model was told."""

from __future__ import annotations

import pytest

from toolproto import ChatSession, Deny, Policy, Tool, ToolSpec
from toolproto.endpoints import ScriptedEndpoint

CLOSED = {
    "type": "object",
    "properties": {"name": {"type": "string"}},
    "required": ["name"],
    "additionalProperties": False,
}
ASKED = '<tool_code>{"name": "look", "arguments": {"name": "a", "path": "/b"}}</tool_code>'
OTHER = '<tool_code>{"name": "look", "arguments": {"name": "a", "depth": 2}}</tool_code>'
UNFIT = '<tool_code>{"name": "look", "arguments": {"path": "/b"}}</tool_code>'


def session(*replies, risk="read", parameters=CLOSED, **options):
    ran = []

    def look(**arguments):
        ran.append(arguments)
        return "seen"

    tool = Tool(ToolSpec("look", "Look.", parameters), look, risk=risk)
    endpoint = ScriptedEndpoint(*replies)
    return ChatSession(endpoint, paradigm="xml_tag", tools=[tool], **options), endpoint, ran


def test_the_model_is_told_first_and_what_reads_then_runs_without_it():
    chat, endpoint, ran = session(ASKED, ASKED, "Done.")
    result = chat.send("hello")
    assert (result.text, ran) == ("Done.", [{"name": "a"}])
    assert "unknown 'path'; leave it out" in endpoint.requests[1].messages[-1].content
    assert [each.name for each in result.calls[-1].call.repairs] == ["unknown_argument"]
    assert result.calls[-1].call.repairs[0].detail == "'path'"


@pytest.mark.parametrize(
    ("replies", "risk"),
    [
        ((ASKED, OTHER, "Done."), "read"),  # another mistake, which it was not told of
        ((UNFIT, UNFIT, "Done."), "read"),  # something else is wrong as well
        ((ASKED + ASKED, "Done."), "read"),  # twice, and not told yet
        ((ASKED, ASKED, "Done."), "write"),  # "dry_run" might be what matters
        ((ASKED, ASKED, "Done."), "exec"),
    ],
)
def test_otherwise_nothing_runs(replies, risk):
    chat, _, ran = session(*replies, risk=risk)
    assert (chat.send("hello").text, ran) == ("Done.", [])


def test_a_name_that_a_pattern_allows_is_not_left_out():
    parameters = {**CLOSED, "patternProperties": {"^x_": {"type": "string"}}}
    wrong = ASKED.replace('"path"', '"x_path": 1, "path"')
    chat, _, ran = session(wrong, wrong, "Done.", parameters=parameters)
    assert (chat.send("hello").text, ran) == ("Done.", [])


def test_the_next_turn_tells_it_anew():
    chat, endpoint, ran = session(ASKED, "No.", ASKED, "No.")
    assert [chat.send(said).text for said in ("hello", "again")] == ["No.", "No."]
    assert (ran, len(endpoint.requests)) == ([], 4)


def test_whoever_is_asked_about_reads_sees_what_was_left_out():
    asked = []

    def approve(request):
        asked.append([repair.name for repair in request.call.repairs])
        return Deny("no")

    policy = Policy(risks={"read": "ask"})
    chat, _, ran = session(ASKED, ASKED, "Done.", approver=approve, policy=policy)
    chat.send("hello")
    assert (ran, asked) == ([], [["unknown_argument"]])
