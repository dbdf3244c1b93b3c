"""Who is asked before a call runs, what an answer does, and going on with what was left open."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from tests.patience import PATIENCE
from toolproto import CallCompleted, Tool, ToolCall, ToolResult, UsageError, tool
from toolproto.conversation.deciding.approvals import Allow, Defer, Deny, call_digest
from toolproto.conversation.hooks import Hooks
from toolproto.conversation.turn.events import (
    ApprovalAsked,
    Decided,
    StateChanged,
    ToolStatus,
    ToolUpdated,
)
from toolproto.conversation.turn.limits import TurnLimits
from toolproto.endpoints import ScriptedReply
from toolproto.protocol.deciding.policy import Policy
from toolproto.protocol.messages import Grade, Repair
from toolproto.protocol.tools.context import ToolContext


class Desk:
    """Tools that keep what they were given, and an approver that answers from a list."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.requests = []
        self.ran = []

    def approver(self, request):
        self.requests.append(request)
        answer = self.answers.pop(0)
        return answer(request) if callable(answer) else answer

    @property
    def tools(self):
        def peek(n: int) -> str:
            self.ran.append(("peek", n))
            return f"peeked {n}"

        def put(n: int, where: str = "here") -> str:
            self.ran.append(("put", n))
            return f"put {n}"

        def push(n: int) -> str:
            self.ran.append(("push", n))
            return f"pushed {n}"

        asked = Tool.from_schema("elsewhere", "", None)
        return [tool(peek), tool(risk="write")(put), tool(risk="egress")(push), asked]


def call(name, n=1):
    return f'<tool_code>{{"name": "{name}", "arguments": {{"n": {n}}}}}</tool_code>'


ELSEWHERE = '<tool_code>{"name": "elsewhere", "arguments": {}}</tool_code>'
#: A fence that nobody asked for: read as a call, and marked as a guess.
GUESSED = '```json\n{"name": "put", "arguments": {"n": 1}}\n```'


def at(play, desk, *replies, **options):
    options.setdefault("approver", desk.approver)
    return play(*replies, tools=desk.tools, **options)


def contents(result):
    return [record.result.content for record in result.calls]


def pending_ids(play):
    return [request.call.id for request in play.session.pending]


def answers_every_call(play):
    """Whether each call of the conversation has exactly one result, in order."""
    messages = play.session.messages
    called = [each.id for message in messages for each in message.calls]
    answered = [each.call.id for message in messages for each in message.results]
    return called == answered


# -- nobody there ----------------------------------------------------------------------------


def test_without_an_approver_only_reading_runs_and_the_model_is_told_why(play):
    desk = Desk()
    result = at(play, desk, call("peek") + call("put") + call("push"), "ok", approver=None).send()
    assert desk.ran == [("peek", 1)]
    assert contents(result) == [
        "peeked 1",
        "not run: put changes something, and nobody is there to approve it",
        "not run: push sends something out, and nobody is there to approve it",
    ]
    told = play.requests[1].messages[-1].content
    assert told.index("peeked 1") < told.index("put changes") < told.index("push sends")
    assert result.status == "completed" and answers_every_call(play)


def test_a_policy_may_let_things_run_that_nobody_approves(play):
    desk = Desk()
    policy = Policy(tools={"pu[st]*": "allow"}, risks={"read": "deny"})
    at(play, desk, call("peek") + call("put"), "ok", approver=None, policy=policy).send()
    assert desk.ran == [("put", 1)]
    assert "peek is not allowed here" in play.requests[1].messages[-1].content


def test_what_a_policy_denies_is_never_asked_about(play):
    desk = Desk()
    result = at(play, desk, call("put"), "ok", policy=Policy(risks={"write": "deny"})).send()
    assert desk.requests == [] and desk.ran == []
    assert isinstance(result.calls[0].decision, Deny)


def test_what_a_policy_denies_is_not_named_to_a_model_that_asks_for_what_is_not_there(play):
    at(play, Desk(), call("zzz"), "ok", policy=Policy(tools={"put": "deny"})).send()
    told = play.requests[1].messages[-1].content
    assert "peek" in told
    assert "put" not in told.replace("output", "")


# -- asking ----------------------------------------------------------------------------------


def test_the_approver_sees_what_will_run(play):
    desk = Desk(Allow())
    result = at(play, desk, call("put", 3), "ok").send()
    request = desk.requests[0]
    assert (request.call.name, request.call.arguments) == ("put", {"n": 3})
    assert (request.tool.name, request.risk) == ("put", "write")
    assert request.digest == call_digest(request.call)
    assert desk.ran == [("put", 3)] and result.calls[0].decision == Allow()
    assert play.of(ApprovalAsked) == [ApprovalAsked(request)]
    assert play.of(Decided) == [Decided(request, Allow())]


def test_a_denied_call_stays_in_the_conversation_with_its_reason(play):
    desk = Desk(Deny("not on a Sunday"))
    result = at(play, desk, call("put"), "Very well.").send()
    assert desk.ran == [] and contents(result) == ["not run: not on a Sunday"]
    assert [each.name for each in play.session.messages[1].calls] == ["put"]
    assert "not on a Sunday" in play.requests[1].messages[-1].content
    assert (result.status, result.stats.reasks) == ("completed", 0)
    statuses = [event.status for event in play.of(ToolUpdated)]
    assert statuses == [ToolStatus.PENDING, ToolStatus.ERROR]


def test_each_call_is_asked_about_once_and_before_anything_runs(play):
    desk = Desk()

    def decide(request):
        assert desk.ran == []
        return Allow()

    desk.answers = [decide, decide]
    at(play, desk, call("peek") + call("put", 1) + call("put", 2), "ok").send()
    assert [request.call.arguments["n"] for request in desk.requests] == [1, 2]
    assert sorted(desk.ran) == [("peek", 1), ("put", 1), ("put", 2)]


def test_allowing_once_is_for_once(play):
    desk = Desk(Allow(), Deny())
    at(play, desk, call("put", 1), call("put", 2), "ok").send()
    assert desk.ran == [("put", 1)]


def test_allowing_always_is_for_that_tool_in_that_conversation(play):
    desk = Desk(Allow(always=True), Deny())
    script = [call("put", 1) + call("put", 2), call("push"), "ok", call("put", 3), "ok"]
    at(play, desk, *script).send()
    play.send("again")
    assert desk.ran[-1] == ("put", 3) and len(desk.ran) == 3
    assert [request.call.name for request in desk.requests] == ["put", "push"]
    at(play, desk, call("put", 4), "ok", approver=None).send()
    assert ("put", 4) not in desk.ran


def test_a_guessed_call_runs_if_its_tool_was_granted_for_a_plain_one(play):
    desk = Desk(Allow(always=True))
    at(play, desk, call("put", 2), GUESSED, "ok").send()
    assert desk.ran == [("put", 2), ("put", 1)] and len(desk.requests) == 1


def test_always_given_to_a_guessed_call_covers_plain_ones_only(play):
    desk = Desk(Allow(always=True), Deny("show me first"))
    result = at(play, desk, GUESSED, call("put", 2), GUESSED, "ok").send()
    assert desk.ran == [("put", 1), ("put", 2)]
    assert desk.requests[1].call.grade is Grade.GUESSED
    assert "had to be guessed at (fenced" in desk.requests[1].reason
    assert contents(result)[-1] == "not run: show me first"


@pytest.mark.parametrize("policy", [Policy(risks={"write": "allow"}), Policy(tools={"*": "allow"})])
def test_a_guessed_call_that_writes_is_asked_about_although_its_risk_is_allowed(play, policy):
    desk = Desk(Deny("no"))
    at(play, desk, GUESSED, "ok", policy=policy).send()
    assert desk.ran == [] and "guessed at" in desk.requests[0].reason


@pytest.mark.parametrize(
    "policy, ran", [(Policy({"put": "allow"}), 1), (Policy({"put": "allow"}, guessed="ask"), 0)]
)
def test_a_guessed_call_runs_if_the_policy_names_its_tool(play, policy, ran):
    desk = Desk()
    at(play, desk, GUESSED, "ok", policy=policy, approver=None).send()
    assert len(desk.ran) == ran


def test_where_nobody_decides_the_model_is_asked_whether_it_meant_a_guessed_call(play):
    desk = Desk()
    policy = Policy(risks={"write": "allow"})
    result = at(play, desk, GUESSED, call("put"), "ok", policy=policy, approver=None).send()
    assert desk.ran == [("put", 1)] and result.ok
    assert "if you mean it, write it alone" in play.requests[1].messages[-1].content


def test_a_guessed_call_that_reads_runs(play):
    desk = Desk()
    at(play, desk, GUESSED.replace("put", "peek"), "ok").send()
    assert desk.ran == [("peek", 1)]


def test_an_argument_name_that_had_to_be_guessed_is_asked_about(play):
    desk = Desk(Deny())
    reply = '<tool_code>{"name": "put", "arguments": {"n": 1, "wheer": "x"}}</tool_code>'
    at(play, desk, reply, "ok", policy=Policy(risks={"write": "allow"})).send()
    assert desk.ran == []


@pytest.mark.parametrize("reason", ["length", "MAX_TOKENS", "error", "abort", "unheard_of"])
def test_a_call_that_was_cut_off_never_runs(play, reason):
    desk = Desk()
    policy = Policy(risks={"write": "allow"}, guessed="allow")
    cut = ScriptedReply(call("put")[:-14], finish_reason=reason)
    result = at(play, desk, cut, "ok", policy=policy).send()
    assert desk.ran == [] and desk.requests == [] and result.stats.reasks == 1


def test_a_call_marked_as_cut_off_never_runs_whoever_made_it(play):
    class Cutting(Hooks):
        def before_tool(self, call, tool):
            return replace(call, repairs=(Repair("cut", Grade.TRUNCATED),))

    desk = Desk(Allow())
    result = at(play, desk, call("peek"), "ok", hooks=[Cutting()]).send()
    assert desk.ran == [] and "cut off" in contents(result)[0]


# -- what is approved is what runs -----------------------------------------------------------


def test_an_edited_call_runs_as_it_was_edited(play):
    desk = Desk(Allow(ToolCall("put", {"n": 9}, id="mine")))
    result = at(play, desk, call("put", 1), "ok").send()
    assert desk.ran == [("put", 9)]
    assert result.calls[0].call.arguments == {"n": 9}
    assert result.calls[0].call.id == play.session.messages[1].calls[0].id != "mine"
    assert answers_every_call(play)


def test_another_tool_may_run_instead(play):
    desk = Desk(Allow(ToolCall("peek", {"n": 9})))
    result = at(play, desk, call("put", 1), "ok").send()
    assert desk.ran == [("peek", 9)]
    assert contents(result) == ['[the user changed the call to peek {"n": 9}]\npeeked 9']


def test_not_even_a_person_gets_past_what_the_policy_denies(play):
    desk = Desk(Allow(ToolCall("peek", {"n": 9})))
    policy = Policy(tools={"peek": "deny"})
    result = at(play, desk, call("put", 1), "ok", policy=policy).send()
    assert desk.ran == [] and contents(result) == ["not run: peek is not allowed here"]


def test_always_is_about_what_was_allowed(play):
    desk = Desk(Allow(ToolCall("put", {"n": 9}), always=True))
    at(play, desk, call("put", 1), call("put", 2), "ok").send()
    assert desk.ran == [("put", 9), ("put", 2)]


def test_a_tool_without_a_function_that_is_to_run_instead_waits_for_its_result(play):
    desk = Desk(Allow(ToolCall("elsewhere", {})))
    assert at(play, desk, call("put"), "ok").send().status == "pending"
    result = play.resume({pending_ids(play)[0]: "from outside"})
    assert contents(result) == ["from outside"] and answers_every_call(play)


@pytest.mark.parametrize(
    "instead, why",
    [
        (ToolCall("put", {"n": "many"}), "integer"),
        (ToolCall("put", {}), "n"),
        (ToolCall("nothing", {"n": 1}), "no tool"),
        (ToolCall("put", {"n": 1}, repairs=(Repair("cut", Grade.TRUNCATED),)), "cut off"),
    ],
)
def test_an_edited_call_is_checked_like_any_other(play, instead, why):
    desk = Desk(Allow(instead))
    result = at(play, desk, call("put", 1), "ok").send()
    assert desk.ran == [] and result.status == "completed"
    assert contents(result)[0].startswith("not run as changed by the user") and (
        why in contents(result)[0]
    )


def test_a_call_changed_behind_the_decision_does_not_run(play):
    def sneak(request):
        request.call.arguments["n"] = 666
        return Allow()

    desk = Desk(sneak)
    result = at(play, desk, call("put", 1), "ok").send()
    assert desk.ran == [] and contents(result) == ["not run: it is not what was approved"]


def test_what_an_approver_does_to_its_request_does_not_change_the_history(play):
    def sneak(request):
        request.call.arguments["n"] = 666
        return Deny()

    at(play, Desk(sneak), call("put", 1), "ok").send()
    assert play.session.messages[1].calls[0].arguments == {"n": 1}


def test_a_call_changed_while_it_was_pending_does_not_run(play):
    desk = Desk(Defer())
    at(play, desk, call("put", 1), "ok").send()
    request = play.session.pending[0]
    request.call.arguments["n"] = 666
    result = play.resume({request.call.id: Allow()})
    assert desk.ran == [] and contents(result) == ["not run: it is not what was approved"]


def test_a_call_changed_after_it_was_approved_runs_as_it_was_approved(play):
    ran = []

    @tool(risk="write")
    async def put(n: int) -> str:
        ran.append(n)
        return "ok"

    def sneak(event, session):
        if isinstance(event, ToolUpdated) and event.status is ToolStatus.RUNNING and not ran:
            event.call.arguments["n"] = 666

    play(call("put", 1), "ok", tools=[put], approver=lambda request: Allow()).send(watch=sneak)
    assert ran == [1]


def test_a_tool_cannot_change_the_calls_that_wait_behind_it(play):
    ran = []

    @tool
    def peek(n: int, context: ToolContext) -> str:
        for each in context.message.calls:
            each.arguments["n"] = 666
        ran.append(n)
        return "ok"

    play("".join(call("peek", n) for n in range(40)), "ok", tools=[peek]).send()
    assert sorted(ran) == list(range(40))


def test_calls_with_one_id_are_asked_about_and_run_one_by_one(play):
    one = '{"name": "put", "arguments": {"n": 1}, "id": "a"}'
    two = '{"name": "put", "arguments": {"n": 2}, "id": "a"}'
    desk = Desk(Allow(), Deny(), Allow())
    script = [f'{{"tool_calls": [{one}, {two}]}}', f'{{"tool_calls": [{one}]}}', "ok"]
    result = at(play, desk, *script, paradigm="json_strict").send()
    assert desk.ran == [("put", 1), ("put", 1)]
    assert contents(result) == ["put 1", "not run: the user denied it", "put 1"]
    assert len({record.call.id for record in result.calls}) == 3
    assert answers_every_call(play)


def test_events_speak_of_a_call_by_one_id(play):
    one = '{"name": "peek", "arguments": {"n": 1}, "id": "a"}'
    two = '{"name": "peek", "arguments": {"n": 2}, "id": "a"}'
    at(play, Desk(), f'{{"tool_calls": [{one}, {two}]}}', "ok", paradigm="json_strict").send()
    read = {event.call.id for event in play.of(CallCompleted)}
    assert read == {event.call.id for event in play.of(ToolUpdated)}


# -- approvers that misbehave ----------------------------------------------------------------


@pytest.mark.parametrize("answer", [None, True, "yes", Allow, Allow(instead={"n": 1})])
def test_an_approver_that_does_not_decide_is_a_mistake_and_nothing_runs(play, answer):
    desk = Desk()
    replies = call("put", 1) + call("peek"), "ok"
    with pytest.raises(UsageError):
        at(play, desk, *replies, approver=lambda request: answer).send()
    assert desk.ran == [] and answers_every_call(play)
    assert play.session.result.status == "error"
    assert play.send("never mind").text == "ok"


def test_an_approver_that_fails_ends_the_turn_and_not_the_session(play):
    def fail(request):
        raise ValueError("no display")

    desk = Desk(Allow(), fail)
    result = at(play, desk, call("put", 1) + call("put", 2) + call("peek"), "ok").send()
    assert result.status == "error" and isinstance(result.error, ValueError)
    assert desk.ran == [] and answers_every_call(play)
    assert set(contents(result)) == {"not run: the turn failed"}
    assert play.send("go on").text == "ok"


def test_an_approver_that_stops_like_an_iterator_fails_too(play):
    def empty(request):
        return next(iter(()))

    result = at(play, Desk(empty), call("put"), "ok").send()
    assert result.status == "error" and answers_every_call(play)


def test_an_async_approver_needs_an_async_session(play):
    desk = Desk()

    async def approver(request):
        return Allow()

    at(play, desk, call("put"), "ok", approver=approver)
    if play.kind == "async":
        assert play.send().status == "completed" and desk.ran == [("put", 1)]
        return
    with pytest.raises(UsageError, match="approver is async; use an AsyncChatSession"):
        play.send()
    assert desk.ran == [] and answers_every_call(play)


def test_what_was_approved_while_the_turn_was_cancelled_does_not_run(play):
    def stop(request):
        play.session.cancel()
        return Allow()

    desk = Desk(stop)
    result = at(play, desk, call("put"), "never").send()
    assert (result.status, desk.ran) == ("aborted", [])
    assert contents(result) == ["not run: the user stopped the turn"] and answers_every_call(play)


def test_an_approver_may_take_tools_away(play):
    def remove(request):
        play.session.tools.remove("push")
        return Deny("and no pushing either")

    desk = Desk(remove, Allow())  # should it be asked about what is gone
    result = at(play, desk, call("put") + call("push"), "ok").send()
    assert (result.status, desk.ran) == ("completed", []) and answers_every_call(play)


def test_a_tool_may_be_taken_away_while_the_model_writes(play):
    def remove(event, session):
        if isinstance(event, CallCompleted):
            session.tools.remove("peek")

    desk = Desk()
    result = at(play, desk, call("peek"), "ok").send(watch=remove)
    assert (result.status, desk.ran) == ("completed", []) and answers_every_call(play)


# -- reviews ---------------------------------------------------------------------------------


def test_a_reviewer_sees_each_result_before_the_model_does(play):
    seen = []

    def review(result):
        assert len(play.requests) == 1
        seen.append(result)

    at(play, Desk(), call("peek", 1) + call("peek", 2), "ok", reviewer=review).send()
    assert sorted(result.content for result in seen) == ["peeked 1", "peeked 2"]
    assert "peeked 2" in play.requests[1].messages[-1].content


def test_a_reviewer_may_replace_a_result(play):
    other = ToolResult(ToolCall("put", {}, "other"), "redacted", title="t")
    result = at(play, Desk(), call("peek"), "ok", reviewer=lambda result: other).send()
    assert contents(result) == ["redacted"] and result.calls[0].call.name == "peek"
    assert "peeked" not in play.requests[1].messages[-1].content and answers_every_call(play)


def test_a_withheld_result_leaves_nothing_behind(play):
    reviewer = lambda result: Deny("it names a customer")  # noqa: E731
    result = at(play, Desk(), call("peek"), "ok", reviewer=reviewer, limits=TurnLimits()).send()
    assert contents(result) == ["the result is withheld: it names a customer"]
    assert result.calls[0].result.is_error and result.calls[0].result.metadata == {}
    assert "peeked" not in str(play.session.messages) + str(play.requests)


def test_a_reviewer_cannot_send_more_than_the_limit(play):
    reviewer = lambda result: replace(result, content="x" * 5000)  # noqa: E731
    limits = TurnLimits(result_characters=100)
    result = at(play, Desk(), call("peek"), "ok", reviewer=reviewer, limits=limits).send()
    assert len(contents(result)[0]) < 300


@pytest.mark.parametrize("answer", [True, "fine", Allow()])
def test_a_reviewer_that_answers_something_else_is_a_mistake(play, answer):
    with pytest.raises(UsageError, match="a reviewer answered"):
        at(play, Desk(), call("peek"), "ok", reviewer=lambda result: answer).send()
    assert answers_every_call(play) and "peeked" not in str(play.session.messages)
    assert play.send("go on").text == "ok"


def test_a_reviewer_that_fails_lets_nothing_through(play):
    def fail(result):
        raise ValueError("no display")

    result = at(play, Desk(), call("peek"), "ok", reviewer=fail).send()
    assert isinstance(result.error, ValueError) and answers_every_call(play)
    assert "peeked" not in str(play.session.messages)
    assert contents(result)[0].startswith("it ran to its end, but its result is not shown")


def test_an_async_reviewer_needs_an_async_session(play):
    async def reviewer(result):
        return Deny("no")

    at(play, Desk(), call("peek"), "ok", reviewer=reviewer)
    if play.kind == "async":
        assert contents(play.send()) == ["the result is withheld: no"]
        return
    with pytest.raises(UsageError, match="reviewer is async"):
        play.send()


def test_a_reviewed_result_is_bounded_once(play):
    def touch(result):
        return replace(result, title="seen")

    def dump() -> str:
        return "x" * 5000

    limits = TurnLimits(result_characters=100)
    reply = '<tool_code>{"name": "dump", "arguments": {}}</tool_code>'
    result = play(reply, "ok", tools=[dump], reviewer=touch, limits=limits).send()
    assert contents(result)[0].count("left out") == 1
    assert result.calls[0].result.metadata["full"] == "x" * 5000


def test_a_reviewer_may_put_something_else_than_text_in_place(play):
    reviewer = lambda result: replace(result, content={"n": 1})  # noqa: E731
    result = at(play, Desk(), call("peek"), "ok", reviewer=reviewer).send()
    assert (result.status, contents(result)) == ("completed", ['{"n": 1}'])


def test_what_was_not_run_needs_no_review(play):
    seen = []
    at(play, Desk(Deny()), call("put"), "ok", reviewer=seen.append).send()
    assert seen == []


# -- pending ---------------------------------------------------------------------------------


def test_a_deferred_call_leaves_the_turn_pending(play):
    desk = Desk(Defer())
    result = at(play, desk, call("put"), "ok").send()
    assert (result.status, result.error, len(play.requests)) == ("pending", None, 1)
    assert result.pending == play.session.pending == (desk.requests[0],)
    assert [message.role for message in play.session.messages] == ["user", "assistant"]
    assert result.calls == () and desk.ran == []


def test_a_resumed_turn_goes_on_to_the_answer(play):
    desk = Desk(Defer())
    at(play, desk, call("put", 5), "It is put.").send()
    result = play.resume({pending_ids(play)[0]: Allow()})
    assert (result.status, result.text) == ("completed", "It is put.")
    assert desk.ran == [("put", 5)] and contents(result) == ["put 5"]
    assert result.calls[0].decision == Allow()
    assert [event.snapshot.state.value for event in play.of(StateChanged)] == [
        "preparing", "tool_call", "streaming", "finalizing", "completed",
    ]  # fmt: skip
    assert answers_every_call(play) and play.session.pending == ()


@pytest.mark.parametrize(
    "verdict, content, ran",
    [
        (Allow(ToolCall("put", {"n": 7})), "[the user changed the call to put", [("put", 7)]),
        (Allow(ToolCall("put", {"n": "x"})), "not run as changed by the user", []),
        (Deny("no"), "not run: no", []),
        ("done by hand", "done by hand", []),
        ("", "(no output)", []),
        (ToolResult(ToolCall("other", {}, "other"), "by hand"), "by hand", []),
        (ToolResult(ToolCall("put", {}), "it broke", is_error=True), "it broke", []),
    ],
)
def test_a_pending_call_is_settled_by_a_decision_or_a_result(play, verdict, content, ran):
    desk = Desk(Defer())
    at(play, desk, call("put"), "ok").send()
    result = play.resume({pending_ids(play)[0]: verdict})
    assert desk.ran == ran and contents(result)[0].startswith(content)
    assert result.status == "completed" and answers_every_call(play)
    assert content in play.requests[1].messages[-1].content


@pytest.mark.parametrize("verdict", [True, None, Allow, {"n": 1}, 5])
def test_a_verdict_that_is_none_is_a_mistake_and_the_call_stays_pending(play, verdict):
    desk = Desk(Defer())
    at(play, desk, call("put"), "ok").send()
    waiting = pending_ids(play)
    with pytest.raises(UsageError):
        play.resume({waiting[0]: verdict})
    assert pending_ids(play) == waiting


def test_a_result_from_elsewhere_that_is_no_text_does_not_end_the_turn(play):
    at(play, Desk(), ELSEWHERE, "ok").send()
    result = play.resume({pending_ids(play)[0]: ToolResult(ToolCall("elsewhere", {}), 42)})
    assert (result.status, contents(result)) == ("completed", ["42"])


def test_a_tool_without_a_function_waits_for_its_result(play):
    desk = Desk()
    result = at(play, desk, ELSEWHERE, "ok", approver=None).send()
    assert result.status == "pending" and desk.requests == []
    assert "elsewhere" in result.pending[0].reason
    result = play.resume({pending_ids(play)[0]: "from outside"})
    assert contents(result) == ["from outside"] and result.status == "completed"


def test_allowing_a_tool_without_a_function_is_a_mistake(play):
    at(play, Desk(), ELSEWHERE, "ok").send()
    waiting = pending_ids(play)
    with pytest.raises(UsageError, match="result"):
        play.resume({waiting[0]: Allow()})
    assert pending_ids(play) == waiting


def test_a_result_from_elsewhere_is_bounded_and_reviewed_like_any_other(play):
    seen = []
    limits = TurnLimits(result_characters=100)
    at(play, Desk(), ELSEWHERE, "ok", reviewer=seen.append, limits=limits).send()
    result = play.resume({pending_ids(play)[0]: "x" * 500})
    assert "characters left out" in contents(result)[0]
    assert result.calls[0].result.metadata["full"] == "x" * 500
    assert seen == [result.calls[0].result]


def test_a_new_message_goes_on_without_pending_calls(play):
    desk = Desk(Defer())
    at(play, desk, call("put"), "ok").send()
    waited = pending_ids(play)[0]
    assert play.send("hello?").text == "ok" and desk.ran == [] and answers_every_call(play)
    with pytest.raises(UsageError, match="no call is pending"):
        play.resume({waited: Allow()})


def test_one_round_may_have_calls_of_every_fate(play):
    desk = Desk(Deny("no"), Defer())
    reply = call("peek", 1) + call("put", 2) + call("push", 3) + ELSEWHERE + call("nothing")
    result = at(play, desk, reply, "ok").send()
    assert result.status == "pending" and desk.ran == [("peek", 1)]
    assert len(result.calls) == 3 and len(play.requests) == 1
    push, elsewhere = pending_ids(play)
    result = play.resume({elsewhere: "outside", push: Allow()})
    assert desk.ran == [("peek", 1), ("push", 3)] and len(result.calls) == 2
    told = play.requests[1].messages[-1].content
    places = [told.index(t) for t in ("peeked 1", "not run: no", "pushed 3", "outside", "no tool")]
    assert places == sorted(places) and answers_every_call(play)


def test_pending_calls_may_be_settled_one_after_the_other(play):
    desk = Desk(Defer(), Defer(), Defer())
    at(play, desk, call("put", 1) + call("put", 2) + call("put", 3), "ok").send()
    one, two, three = pending_ids(play)
    assert play.resume({two: Allow()}).status == "pending"
    assert desk.ran == [("put", 2)] and pending_ids(play) == [one, three]
    assert play.resume({}).status == "pending"
    assert play.resume({one: Defer(), three: Deny()}).status == "pending"
    assert pending_ids(play) == [one] and len(play.requests) == 1
    assert play.resume({one: "by hand"}).status == "completed"
    told = play.requests[1].messages[-1].content
    places = [told.index(text) for text in ("by hand", "put 2", "denied it")]
    assert places == sorted(places) and answers_every_call(play)


def test_a_decision_counts_once(play):
    desk = Desk(Defer(), Defer())
    at(play, desk, call("put", 1) + call("put", 2), "ok").send()
    one, two = pending_ids(play)
    play.resume({one: Allow()})
    with pytest.raises(UsageError, match=f"no pending call has the id '{one}'"):
        play.resume({one: Allow(), two: Allow()})
    assert desk.ran == [("put", 1)] and pending_ids(play) == [two]
    play.resume({two: Allow()})
    for verdicts in ({two: Allow()}, {}):
        with pytest.raises(UsageError, match="no call is pending"):
            play.resume(verdicts)
    assert desk.ran == [("put", 1), ("put", 2)] and answers_every_call(play)


def test_allowing_always_counts_when_it_comes_later(play):
    desk = Desk(Defer())
    at(play, desk, call("put", 1), call("put", 2), "ok").send()
    play.resume({pending_ids(play)[0]: Allow(always=True)})
    assert desk.ran == [("put", 1), ("put", 2)]


def test_a_resumed_turn_may_be_left_pending_again(play):
    desk = Desk(Defer(), Defer())
    at(play, desk, call("put", 1), call("put", 2), "ok").send()
    assert play.resume({pending_ids(play)[0]: Allow()}).status == "pending"
    assert play.resume({pending_ids(play)[0]: Allow()}).text == "ok"
    assert desk.ran == [("put", 1), ("put", 2)]


def test_a_tool_taken_away_while_its_call_was_pending_is_not_run(play):
    desk = Desk(Defer())
    at(play, desk, call("put"), "ok").send()
    play.session.tools.remove("put")
    result = play.resume({pending_ids(play)[0]: Allow()})
    assert desk.ran == [] and contents(result) == ["this tool is not there any more"]


def test_cancelling_while_resuming_answers_every_call(play):
    release = threading.Event()

    @tool(risk="write")
    def hang() -> str:
        release.wait(PATIENCE)
        return "late"

    def stop(event, session):
        if isinstance(event, ToolUpdated) and event.status is ToolStatus.RUNNING:
            session.cancel()

    desk = Desk()
    reply = '<tool_code>{"name": "hang", "arguments": {}}</tool_code>' + call("put") + ELSEWHERE
    defer = lambda request: Defer()  # noqa: E731
    play(reply, "after", tools=[hang, *desk.tools], approver=defer).send()
    hanging, _, _ = pending_ids(play)
    result = play.resume({hanging: Allow()}, watch=stop)
    release.set()
    assert result.status == "aborted" and play.session.pending == ()
    assert [text.partition(":")[0] for text in contents(result)] == [
        "stopped before it was done", "not run", "not run",
    ]  # fmt: skip
    assert answers_every_call(play) and play.send("go on").text == "after"


def test_a_hook_that_fails_when_resuming_leaves_the_calls_pending(play):
    class Once(Hooks):
        failed = False

        def on_turn_start(self, turn):
            if turn.message is None and not self.failed:
                self.failed = True
                raise ValueError("not yet")

    desk = Desk(Defer())
    at(play, desk, call("put"), "ok", hooks=[Once()]).send()
    waiting = pending_ids(play)
    assert play.resume({waiting[0]: Allow()}).status == "error"
    assert pending_ids(play) == waiting and desk.ran == []
    assert play.resume({waiting[0]: Allow()}).status == "completed"
    assert desk.ran == [("put", 1)]


def test_a_resumed_turn_keeps_the_terms_it_began_with(play):
    at(play, Desk(), ELSEWHERE, "ok").send(params={"temperature": 0}, choice="required")
    assert play.resume({pending_ids(play)[0]: "x"}).status == "completed"
    assert [request.params for request in play.requests] == [{"temperature": 0}] * 2


def test_putting_off_a_loop_does_not_get_round_the_policy(play):
    desk = Desk(Defer())
    policy = Policy(tools={"push": "deny"})
    both = call("peek") + call("push")
    at(play, desk, *[both] * 3, "ok", policy=policy).send()
    assert "times in a row" in desk.requests[0].reason
    ran = list(desk.ran)
    assert len(pending_ids(play)) == 1
    play.resume({pending_ids(play)[0]: Allow()})
    assert len(desk.ran) == len(ran) + 1 and "push" not in str(desk.ran)


def test_nobody_is_asked_about_a_loop_of_which_nothing_may_run(play):
    desk = Desk()
    at(play, desk, *[call("push")] * 3, "ok", policy=Policy(tools={"push": "deny"}))
    assert play.send().text == "ok" and desk.requests == [] == desk.ran
