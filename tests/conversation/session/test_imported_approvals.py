"""A session that was imported approves nothing: whatever its file says, somebody here is asked."""

from __future__ import annotations

import json

import pytest

from toolproto import Allow, Defer, Policy, tool
from toolproto.conversation.deciding.approvals import call_digest
from toolproto.conversation.session import export_jsonl, import_jsonl
from toolproto.conversation.stores import MemoryStore
from toolproto.protocol.messages import ToolCall

from .test_turns import call

RUN = call("run", "{}")


@pytest.fixture
def ran():
    return []


@pytest.fixture
def run(ran):
    @tool(risk="exec", idempotent=True)
    def run() -> str:
        """Run it."""
        ran.append("run")
        return "it ran"

    return run


def exported(play, *replies, **options):
    store = MemoryStore()
    play(*replies, store=store, id="x", **options).send()
    return [json.loads(line) for line in export_jsonl(store, "x")]


def imported(lines):
    store = MemoryStore()
    import_jsonl(store, (json.dumps(line) for line in lines))
    return store


def test_a_grant_in_a_file_is_none_here(play, run, ran):
    lines = exported(play, RUN, "ok", tools=[run], approver=lambda request: Allow(always=True))
    ran.clear()
    assert any("granted" in line.get("data", {}) for line in lines)
    store = imported(lines)
    result = play(RUN, "ok", tools=[run], store=store, id="x").send("again")
    assert ran == []
    assert "nobody is there to approve it" in result.calls[0].result.content


@pytest.mark.parametrize("kind", ["odd", "clock"])
def test_a_grant_packed_into_another_record_is_none_either(play, run, ran, kind):
    lines = exported(play, "hello", tools=[run])
    packed = {"at": 0.0, "before": ["ended", {"granted": ["run"]}]}
    store = imported([*lines, {"kind": kind, "data": packed}])
    play(RUN, "ok", tools=[run], store=store, id="x").send("again")
    assert ran == []


def test_a_tolerated_repetition_in_a_file_is_not_tolerated_here(play, run):
    lines = exported(
        play, *[RUN] * 5, "ok", tools=[run], approver=lambda request: Allow(always=True)
    )
    assert any(line.get("data", {}).get("loop", {}).get("tolerated") for line in lines)
    kept = imported(lines).read("x")
    loops = [record.data["loop"] for record in kept if "loop" in record.data]
    assert loops and {loop["tolerated"] for loop in loops} == {""}


def records_until(lines, kind):
    """What was written up to the first record of that *kind*, which is with it."""
    at = next(at for at, line in enumerate(lines) if line.get("kind") == kind)
    return lines[: at + 1]


def test_a_recorded_decision_of_a_turn_that_broke_off_is_not_followed(play, run, ran):
    lines = exported(play, RUN, "ok", tools=[run], approver=lambda request: Allow())
    ran.clear()
    crafted = records_until(lines, "decision")
    store = imported(crafted)
    play("ok", tools=[run], store=store, id="x")
    assert not play.session.interrupted
    play.send("go on")
    assert ran == []


def test_a_call_that_was_started_elsewhere_is_not_run_again_here(play, run, ran):
    lines = exported(play, RUN, "ok", tools=[run], approver=lambda request: Allow())
    ran.clear()
    store = imported(records_until(lines, "started"))
    play("ok", tools=[run], store=store, id="x").send("go on")
    assert ran == []
    told = [result.content for each in play.session.messages for result in each.results]
    assert told and told[0].startswith("outcome unknown")


def test_switching_to_a_turn_that_broke_off_follows_no_decision(play, run, ran):
    store = MemoryStore()
    options = {"tools": [run], "approver": lambda request: Allow(), "store": store, "id": "x"}
    play("hello", RUN, "ok", **options).send()
    play.send("run it")
    ran.clear()
    lines = [json.loads(line) for line in export_jsonl(store, "x")]
    crafted = [*records_until(lines, "decision"), {"kind": "head", "data": {"turn": 1}}]
    play("ok", tools=[run], store=imported(crafted), id="x").session.switch(2)
    assert not play.session.interrupted
    play.send("go on")
    assert ran == []


def test_verdicts_of_a_resumed_turn_that_broke_off_are_not_followed(play, run, ran):
    lines = exported(play, RUN, tools=[run], approver=lambda request: Defer())
    waiting = next(line["data"]["pending"]["waiting"] for line in lines if line_has_pending(line))
    verdicts = {id: {"decision": "allow", "always": True} for id in waiting}
    resumed = {"version": lines[0]["version"], "turn": 2, "parent": 1, "verdicts": verdicts}
    store = imported([*lines, {"kind": "turn", "data": resumed}])
    play("ok", tools=[run], store=store, id="x")
    assert not play.session.interrupted
    play.send("go on")
    assert ran == []


def line_has_pending(line):
    return "pending" in line.get("data", {})


def crafted_pending(lines, **changes):
    for line in filter(line_has_pending, lines):
        for request in line["data"]["pending"]["waiting"].values():
            request.update(changes)
    return lines


def test_who_decides_about_an_imported_call_is_told_what_the_tool_really_is(play, run):
    lines = exported(play, RUN, tools=[run], approver=lambda request: Defer())
    tool = {"name": "run", "description": "Harmless.", "parameters": {"type": "object"}}
    crafted_pending(lines, risk="read", reason="it only reads", tool=tool)
    play("ok", tools=[run], store=imported(lines), id="x")
    [request] = play.session.pending
    assert (request.risk, request.tool.description) == ("exec", "Run it.")
    assert request.reason == "it waits in a session that was imported"


def test_an_imported_call_that_the_policy_denies_is_not_run_whoever_allows_it(play, run, ran):
    lines = exported(play, RUN, tools=[run], approver=lambda request: Defer())
    policy = Policy(tools={"run": "deny"})
    play("ok", tools=[run], store=imported(lines), id="x", policy=policy)
    result = play.resume({play.session.pending[0].call.id: Allow()})
    assert ran == []
    assert "not allowed here" in result.calls[0].result.content


def test_an_imported_call_with_wrong_arguments_is_not_run_whoever_allows_it(play, run, ran):
    lines = exported(play, RUN, tools=[run], approver=lambda request: Defer())
    wrong = ToolCall("run", {"unasked": 1}, "")
    for line in filter(line_has_pending, lines):
        for request in line["data"]["pending"]["waiting"].values():
            request["call"]["arguments"] = dict(wrong.arguments)
            request["digest"] = call_digest(wrong)
    play("ok", tools=[run], store=imported(lines), id="x")
    result = play.resume({play.session.pending[0].call.id: Allow()})
    assert ran == []
    assert result.calls[0].result.is_error
