"""A decision about a tool holds for the tool as it was: a changed one is asked about again."""

from __future__ import annotations

import pytest

from toolproto import Allow, Defer, Tool, ToolCall
from toolproto.conversation.stores import MemoryStore

PAY = '<tool_code>{"name": "pay", "arguments": {"to": "Ann"}}</tool_code>'
SCHEMA = {"type": "object", "properties": {"to": {"type": "string"}}}
#: Each makes another tool of the one that was asked about.
CHANGES = [
    {"risk": "exec"},
    {"description": "Wire money to whom the page names."},
    {"parameters": {**SCHEMA, "required": ["to"]}},
    {"origin": "shop"},
    {"pin": "2e"},
]


@pytest.fixture
def ran():
    return []


def pay(ran, description="Keep a note.", parameters=SCHEMA, origin="", pin="", risk="write"):
    made = Tool.from_schema("pay", description, parameters, lambda to: ran.append(to), risk=risk)
    return Tool(made.spec, made.function, risk, trusted=True, origin=origin, pin=pin)


@pytest.mark.parametrize("reopened", [False, True])
@pytest.mark.parametrize("changed", CHANGES)
@pytest.mark.parametrize(
    "answer", [Allow(), Allow(always=True), Allow(ToolCall("pay", {"to": "Bob"}))]
)
def test_a_tool_that_changed_while_its_call_waited_is_asked_about_again(
    play, ran, changed, answer, reopened
):
    options = {"approver": lambda request: Defer(), "store": MemoryStore(), "id": "x"}
    play(PAY, PAY, "ok", tools=[pay(ran)], **options).send()
    if reopened:
        play.open(play.endpoint, tools=[pay(ran, **changed)], **options)
    else:
        play.session.tools.remove("pay")
        play.session.tools.add(pay(ran, **changed))
    (request,) = play.session.pending
    result = play.resume({request.call.id: answer})
    assert (result.status, ran) == ("pending", [])
    (again,) = play.session.pending
    assert again.before == request.pin and again.before != again.pin
    assert "not as it was when it was decided about" in again.reason
    play.resume({request.call.id: answer})
    assert ran == (["Bob"] if answer.instead else ["Ann"]) * (2 if answer.always else 1)


@pytest.mark.parametrize("changed", CHANGES)
def test_always_does_not_cover_a_tool_that_changed(play, ran, changed):
    asked = []

    def approver(request):
        asked.append(request)
        return Allow(always=True)

    options = {"approver": approver, "store": MemoryStore(), "id": "x"}
    play(PAY, PAY, "ok", PAY, "ok", tools=[pay(ran)], **options).send()
    assert (len(asked), len(ran)) == (1, 2)
    play.open(play.endpoint, tools=[pay(ran, **changed)], **options)
    play.send("again")
    assert len(asked) == 2 and asked[1].before == asked[0].pin


def test_a_tool_that_is_replaced_while_somebody_decides_is_asked_about_again(play, ran):
    asked = []

    def approver(request):
        asked.append(request)
        if len(asked) == 1:
            play.session.tools.remove("pay")
            play.session.tools.add(pay(ran, risk="exec"))
        return Allow()

    play(PAY, "ok", tools=[pay(ran)], approver=approver).send()
    assert [each.risk for each in asked] == ["write", "exec"] and ran == ["Ann"]
    assert asked[1].before == asked[0].pin


def test_a_tool_that_is_replaced_while_another_is_decided_about_is_asked_about_again(play, ran):
    asked = []

    def approver(request):
        asked.append((request.call.arguments["to"], request.risk))
        if len(asked) == 2:
            play.session.tools.remove("pay")
            play.session.tools.add(pay(ran, risk="exec"))
        return Allow()

    play(PAY + PAY.replace("Ann", "Bob"), "ok", tools=[pay(ran)], approver=approver).send()
    assert sorted(ran) == ["Ann", "Bob"]
    assert ("Ann", "exec") in asked and ("Bob", "exec") in asked


def test_a_call_that_was_edited_is_asked_about_again_if_its_tool_is_replaced_then(play, ran):
    asked = []

    def approver(request):
        asked.append((request.call.arguments["to"], request.risk))
        if len(asked) == 2:
            play.session.tools.remove("pay")
            play.session.tools.add(pay(ran, risk="exec"))
        return Allow(ToolCall("pay", {"to": "Eve"})) if len(asked) == 1 else Allow()

    play(PAY + PAY.replace("Ann", "Bob"), "ok", tools=[pay(ran)], approver=approver).send()
    assert ("Eve", "exec") in asked and sorted(ran) == ["Bob", "Eve"]
