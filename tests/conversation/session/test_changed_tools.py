"""A decision about a tool holds for the tool as it was: a changed one is asked about again."""

from __future__ import annotations

import pytest

from toolproto import Allow, Defer, Deny, Policy, Tool, ToolCall
from toolproto.conversation.stores import MemoryStore
from toolproto.conversation.turn.call_results import UNKNOWN_OUTCOME
from toolproto.endpoints import ScriptedEndpoint

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


def pay(
    ran, description="Keep a note.", parameters=SCHEMA, origin="", pin="", risk="write", name="pay"
):
    made = Tool.from_schema(name, description, parameters, lambda to: ran.append(to), risk=risk)
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


def test_of_two_calls_each_runs_as_it_was_allowed_however_often_their_tool_is_replaced(play):
    allowed, ran = [], []

    def made(words):
        def function(to):
            ran.append((to, words))

        return Tool.from_schema("pay", words, SCHEMA, function, risk="write")

    def approver(request):
        allowed.append((request.call.arguments["to"], request.pin.description))
        # Each time the one has just been decided about again, the other one is asked about.
        if len(allowed) in (2, 4, 6):
            play.session.tools.remove("pay")
            play.session.tools.add(made(f"As of {len(allowed)}."))
        return Allow()

    two = PAY + PAY.replace("Ann", "Bob")
    play(two, "ok", tools=[made("At first.")], approver=approver).send()
    assert len(ran) == 2 and set(ran) <= set(allowed)


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


@pytest.mark.parametrize("reopened", [False, True])
@pytest.mark.parametrize("answer", [Allow(), Allow(always=True)])
def test_a_call_behind_one_that_is_asked_about_again_keeps_its_answer(play, ran, answer, reopened):
    def replace_pay(risk):
        play.session.tools.remove("pay")
        play.session.tools.add(pay(ran, risk=risk))

    def approver(request):
        if request.call.name == "wire":
            replace_pay("exec")
        return Defer()

    def pending():
        return {each.call.name: each.call.id for each in play.session.pending}

    wired = PAY.replace("pay", "wire").replace("Ann", "Bob")
    options = {"approver": approver, "ordering": "in_order", "store": MemoryStore(), "id": "x"}
    tools = [pay(ran), pay(ran, name="wire")]
    play(PAY + wired, wired, "ok", tools=tools, **options).send()
    play.resume({pending()["pay"]: Allow()})
    assert [*pending()] == ["pay", "wire"]
    replace_pay("egress")
    play.resume({pending()["pay"]: Allow(), pending()["wire"]: answer})
    assert [*pending()] == ["pay"] and ran == []
    if reopened:
        tools = [pay(ran, risk="egress"), pay(ran, name="wire")]
        play.open(play.endpoint, tools=tools, **options)
    play.resume({pending()["pay"]: Allow()})
    assert ran == (["Ann", "Bob", "Bob"] if answer.always else ["Ann", "Bob"])


# -- and after a crash ----------------------------------------------------------------------


def broken_off(store, last):
    """Return a store of which the last turn ends with the first record of the kind *last*."""
    told, left = store.read("x"), MemoryStore()
    begins = max(at for at, each in enumerate(told) if each.kind == "turn")
    kinds = [each.kind for each in told]
    left.create("x")
    left.append("x", told[: kinds.index(last, begins) + 1], 0, durable=False)
    return left


@pytest.mark.parametrize("changed", CHANGES)
@pytest.mark.parametrize("answer", [Allow(), Allow(always=True)])
def test_a_decision_of_a_turn_that_broke_off_is_about_the_tool_as_it_was(
    play, ran, changed, answer
):
    asked = []

    def approver(request):
        asked.append(request)
        return answer

    store = MemoryStore()
    play(PAY, PAY, "ok", tools=[pay(ran)], approver=approver, store=store, id="x").send()
    (before,) = {each.pin for each in asked}
    ran.clear(), asked.clear()
    left = broken_off(store, "decision")
    again = {"tools": [pay(ran, **changed)], "approver": approver, "store": left, "id": "x"}
    play.open(ScriptedEndpoint(PAY, "ok"), **again)
    assert play.resume({}).status == "completed"
    assert asked[0].before == before and asked[0].pin != before
    assert len(asked) == (1 if answer.always else 2) and ran == ["Ann", "Ann"]


@pytest.mark.parametrize("changed", CHANGES)
@pytest.mark.parametrize("is_put_off", [False, True])
@pytest.mark.parametrize("is_known", [False, True])
@pytest.mark.parametrize("is_attended", [False, True])
def test_what_became_of_a_call_that_ran_is_told_though_its_tool_has_changed(
    play, ran, changed, is_put_off, is_known, is_attended
):
    options = {"approver": lambda request: Defer() if is_put_off else Allow(), "id": "x"}
    store = MemoryStore()
    play(PAY, "ok", tools=[pay(ran)], store=store, **options).send()
    if is_put_off:
        play.resume({play.session.pending[0].call.id: Allow()})
    left = broken_off(store, "outcome" if is_known else "started")
    if not is_attended:
        del options["approver"]
    play.open(ScriptedEndpoint("ok"), tools=[pay(ran, **changed)], store=left, **options)
    result = play.resume({})
    assert (result.status, ran) == ("completed", ["Ann"])
    assert (result.calls[0].result.content == UNKNOWN_OUTCOME) != is_known


@pytest.mark.parametrize("is_put_off", [False, True])
@pytest.mark.parametrize(
    "now",
    [
        {"tools": []},
        {"parameters": {**SCHEMA, "required": ["when"]}},
        {"policy": Policy({"pay": "deny"})},
    ],
)
def test_a_call_that_ran_is_not_said_not_to_have_run_whatever_its_tool_is_now(
    play, ran, now, is_put_off
):
    options = {"approver": lambda request: Defer() if is_put_off else Allow(), "id": "x"}
    store = MemoryStore()
    play(PAY, "ok", tools=[pay(ran)], store=store, **options).send()
    if is_put_off:
        play.resume({play.session.pending[0].call.id: Allow()})
    parameters = {name: each for name, each in now.items() if name == "parameters"}
    options |= {"tools": [pay(ran, **parameters)], "store": broken_off(store, "started")}
    options |= {name: each for name, each in now.items() if name != "parameters"}
    play.open(ScriptedEndpoint(PAY, "ok", "ok"), **options)
    play.resume({})
    assert play.send("and now?").status == "completed" and ran == ["Ann"]
    told = [each.content for said in play.session.messages for each in said.results]
    assert told[0] == UNKNOWN_OUTCOME


def test_an_answer_about_one_call_is_none_about_another(play, ran):
    store, two = MemoryStore(), PAY + PAY.replace("pay", "wire").replace("Ann", "Bob")
    tools = [pay(ran), pay(ran, name="wire")]
    play(two, "ok", tools=tools, approver=lambda request: Allow(), store=store, id="x").send()
    ran.clear()
    left = broken_off(store, "decision")
    tools = [pay(ran, risk="read"), pay(ran, name="wire")]  # nobody is asked about the first now
    no = {"approver": lambda request: Deny(), "store": left, "id": "x"}
    play.open(ScriptedEndpoint("ok"), tools=tools, **no)
    assert play.resume({}).status == "completed"
    assert ran == ["Ann"]


def test_every_answer_to_a_call_whose_tool_changed_is_followed_after_a_crash(play):
    """Asked about twice and three times, the calls wait for no second answer to the same tool."""
    asked, ran, risks = [], [], ["write", "exec", "egress"]

    def made():
        risk = risks[0]
        return Tool.from_schema("pay", "", SCHEMA, lambda to: ran.append((to, risk)), risk=risk)

    def approver(request):
        asked.append((request.call.arguments["to"], request.risk))
        if request.call.arguments["to"] == "Bob" and risks[1:]:
            del risks[0]
            play.session.tools.remove("pay")
            play.session.tools.add(made())
        return Allow()

    store, two = MemoryStore(), PAY + PAY.replace("Ann", "Bob")
    play(two, "ok", tools=[made()], approver=approver, store=store, id="x").send()
    kinds = [each.kind for each in store.read("x")]
    before, first = asked.copy(), list(ran)
    for end in range(kinds.index("decision") + 1, len(kinds)):
        left = MemoryStore()
        left.create("x")
        left.append("x", store.read("x")[:end], 0, durable=False)
        asked.clear(), ran.clear()
        options = {"tools": [made()], "approver": approver, "store": left, "id": "x"}
        play.open(ScriptedEndpoint("ok"), **options)
        assert play.resume({}).status == "completed"
        known = before[: kinds[:end].count("decision")]
        assert not set(asked) & {each for each in known if each[1] == risks[0]}
        assert sorted(ran) == (sorted(first) if "started" not in kinds[:end] else [])
