"""What ends a turn that would not end, and what is made of replies that are not as asked."""

from __future__ import annotations

from itertools import pairwise

import pytest

from toolproto import Hooks, Message, UsageError, tool
from toolproto.conversation.deciding.approvals import Allow, Defer, Deny
from toolproto.conversation.masking import Masking
from toolproto.conversation.stores import MemoryStore
from toolproto.conversation.turn.compaction import Compaction
from toolproto.conversation.turn.events import HistoryCompacted, TurnEnded
from toolproto.conversation.turn.limits import TurnLimits
from toolproto.endpoints import ScriptedReply
from toolproto.protocol.errors import LimitReached
from toolproto.protocol.messages import Chunk
from toolproto.protocol.paradigms.system_prompt import ToolContextBuilder

from .test_turns import add, call

ADD = call("add", '{"a": 1, "b": 2}')
TURNED = call("add", '{"b": 2, "a": 1}')


@tool
def look(place: str) -> str:
    """Look somewhere."""
    return f"nothing at {place}"


def asks_for(player):
    return [request.reason for request in player.asked]


@pytest.fixture
def asked(play):
    """A player whose approver answers from a list, and what it was asked."""

    def start(decisions, *replies, **options):
        play.asked = []
        answers = iter(decisions)

        def approver(request):
            play.asked.append(request)
            return next(answers)

        return play(*replies, approver=approver, **options)

    return start


# -- the same calls again and again -------------------------------------------------------


def looped(*names):
    return [call("look", f'{{"place": "{name}"}}') for name in names]


@pytest.mark.parametrize("period", [1, 2, 3, 4])
def test_a_loop_of_any_short_period_is_noticed(asked, period):
    script = looped(*"abcd"[:period]) * 3
    player = asked([Deny()], *script, "done", tools=[look], limits=TurnLimits(requests=20))
    result = player.send()
    assert isinstance(result.error, LimitReached) and result.error.limit == "repetition"
    assert result.stats.requests == 3 * period and "3 times" in player.asked[0].reason
    assert sum(not record.result.is_error for record in result.calls) == 3 * period - 1


def test_a_longer_period_is_no_loop(asked):
    script = looped(*"abcde") * 3
    result = asked([], *script, "done", tools=[look], limits=TurnLimits(requests=20)).send()
    assert result.status == "completed"


def test_the_order_of_arguments_makes_no_other_call(asked):
    assert asked([Deny()], ADD, TURNED, ADD, tools=[add]).send().status == "error"


def test_what_the_user_asks_for_again_is_no_loop(asked):
    player = asked([], *[ADD, "one"] * 6, tools=[add], store="memory:")
    assert [player.send().text for _ in range(6)] == ["one"] * 6


def test_a_loop_of_one_turn_does_not_lock_the_session(play):
    store = MemoryStore()
    play(*[ADD] * 4, tools=[add], store=store, id="x")
    assert play.send().error.limit == "repetition"
    play(*[ADD, "three"] * 2, tools=[add], store=store, id="x")
    assert [play.send().text for _ in range(2)] == ["three", "three"]


def test_a_loop_goes_on_where_a_pending_turn_is_resumed(play):
    @tool(risk="write")
    def save() -> str:
        return "saved"

    saves = call("save", "{}")
    approvals = iter([Allow(), Defer(), Deny()])
    store = MemoryStore()
    options = {"tools": [save], "approver": lambda request: next(approvals), "store": store}
    waiting = play(saves, saves, saves, "never", **options, id="x").send().pending
    play.open(play.endpoint, **options, id="x")
    result = play.resume({waiting[0].call.id: Allow()})
    assert isinstance(result.error, LimitReached) and result.error.limit == "repetition"


@pytest.mark.parametrize("decision", [Allow(), Allow(always=True)])
def test_that_the_model_may_go_on_in_circles_lets_no_call_run(asked, decision):
    @tool(risk="write")
    def save() -> str:
        return "saved"

    moods = [Allow(), Allow(), decision, Deny("enough")]
    player = asked(moods, *[call("save", "{}")] * 3, "ok", tools=[save])
    result = player.send()
    first, _, loop, last = asks_for(player)
    assert loop.startswith(first) and "3 times in a row" in loop
    assert last == first and [each.kind for each in player.asked][2:] == ["loop", "approval"]
    assert result.calls[2].result.content == "not run: enough"


def test_the_same_call_three_times_in_one_reply_is_a_loop(play):
    result = play(ADD + TURNED + ADD, ADD, "3", tools=[add]).send()
    assert [record.result.is_error for record in result.calls] == [True, True, True, False]
    assert "3 times in one reply" in result.calls[0].result.content
    assert result.text == "3"


def test_nothing_is_a_loop_when_repeats_are_switched_off(play):
    limits = TurnLimits(repeats=None, requests=20)
    result = play(ADD * 4, *[ADD] * 8, "ok", tools=[add], limits=limits).send()
    assert result.text == "ok" and not any(record.result.is_error for record in result.calls)


@pytest.mark.parametrize(
    "wrong",
    [{"reasks": None}, {"requests": None}, {"requests": 0}, {"requests": 2.5}, {"requests": True},
     {"repeats": 1}, {"continuations": None}, {"seconds": 0}, {"tool_seconds": "1"},
     {"result_characters": None}, {"argument_characters": None}],
)  # fmt: skip
def test_a_limit_that_is_none_is_refused_at_once(wrong):
    with pytest.raises(UsageError, match=next(iter(wrong))):
        TurnLimits(**wrong)


def test_a_loop_may_go_on_once_or_always(asked):
    player = asked([Allow(), Deny()], *[ADD] * 9, tools=[add], limits=TurnLimits(requests=20))
    assert player.send().stats.requests == 6  # three more, then asked again
    player = asked(
        [Allow(always=True)], *[ADD] * 9, "ok", tools=[add], limits=TurnLimits(requests=20)
    )
    assert player.send().text == "ok"


def test_a_loop_that_waits_for_a_decision_is_pending(asked):
    player = asked([Defer()], ADD, ADD, ADD, "ok", tools=[add])
    result = player.send()
    assert result.status == "pending" and len(result.pending) == 1
    assert player.resume({result.pending[0].call.id: Allow()}).text == "ok"


def test_without_an_approver_the_model_is_told_once_and_then_stopped(play):
    result = play(ADD, ADD, ADD, "It is 3.", tools=[add]).send()
    assert (
        result.status == "completed"
        and "use the results you have" in result.calls[2].result.content
    )
    result = play(*[ADD] * 4, tools=[add]).send()
    assert result.status == "error" and result.stats.requests == 4


# -- tools that must be called ------------------------------------------------------------


def test_a_required_call_is_asked_for_again(play):
    result = play("Sure!", ADD, "3", tools=[add]).send(choice="required")
    assert (result.text, result.stats.reasks) == ("3", 1)
    assert "You must call a tool now" in play.requests[1].messages[-1].content


def test_a_named_tool_is_the_only_one_that_runs(play):
    other = call("look", '{"place": "x"}')
    result = play("Sure!", other, ADD, "3", tools=[add, look]).send(choice="add")
    assert [(r.call.name, r.result.is_error) for r in result.calls] == [
        ("look", True),
        ("add", False),
    ]
    assert "the tool 'add'" in play.requests[1].messages[-1].content
    assert result.text == "3"


def test_a_model_that_will_not_call_is_given_up(play):
    result = play(*["Sure!"] * 9, tools=[add]).send(choice="required")
    assert result.error.limit == "reasks"


def test_no_call_runs_when_none_may(play):
    result = play(ADD, "plain", tools=[add]).send(choice="none")
    assert result.calls[0].result.is_error and "plain text" in result.calls[0].result.content


def test_a_choice_that_is_no_tool_is_refused_at_once(play):
    with pytest.raises(UsageError, match="'subtract'"):
        play("x", tools=[add]).send(choice="subtract")
    assert play.session.messages == () and play.send("y").text == "x"


def test_one_call_at_a_time(play):
    both = ADD + call("look", '{"place": "x"}')
    result = play(both, "ok", tools=[add, look]).send(parallel=False)
    assert [record.result.is_error for record in result.calls] == [False, True]
    assert "one call" in result.calls[1].result.content


# -- replies that end too early -----------------------------------------------------------


def test_a_reply_cut_by_its_length_does_not_run_its_open_call(play):
    cut = ScriptedReply(ADD[:-20], finish_reason="length")
    result = play(cut, "sorry", tools=[add]).send()
    assert result.calls == () and result.problems[0].kind.value == "truncated"
    assert result.text == "sorry"


def test_what_was_whole_before_the_cut_runs(play):
    cut = ScriptedReply(ADD + "\n" + ADD[:30], finish_reason="length")
    assert len(play(cut, "sorry", tools=[add]).send().calls) == 1


def test_a_cut_reply_can_be_continued_and_joined(play):
    first = ScriptedReply("I add. " + ADD[:40], finish_reason="length")
    result = play(first, ADD[40:], "3", tools=[add], limits=TurnLimits(continuations=1)).send()
    assert result.calls[0].result.content == "3" and result.stats.requests == 2
    assert result.calls[0].call.repairs[-1].name == "continued"
    assert play.requests[1].messages[-2] == Message("assistant", "I add. " + ADD[:40])


def test_a_reply_is_continued_only_so_often(play):
    cut = ScriptedReply("and on", finish_reason="length")
    result = play(cut, cut, cut, limits=TurnLimits(continuations=1)).send()
    assert (result.text, result.finish_reason) == ("and onand on", "length")
    assert result.status == "completed"


def test_a_made_up_result_is_cut_and_the_real_one_sent(play):
    made_up = ADD + '\n<tool_result name="add" id="call_1">\n99\n</tool_result>\nIt is 99.'
    result = play(made_up, "It is 3.", tools=[add]).send()
    assert [record.result.content for record in result.calls] == ["3"]
    assert "99" not in play.requests[1].messages[-2].content


# -- what the model is shown --------------------------------------------------------------


def test_the_beginning_of_every_request_stays_the_same(play):
    builder = ToolContextBuilder("You are terse.", rules={"add": "Add only what is asked."})
    play(ADD, "3", call("look", '{"place": "x"}'), "no", tools=[add, look], system=builder)
    play.send("1+2?")
    play.send("What is at x?")
    requests = play.requests
    for before, after in pairwise(requests):
        size = len(before.messages)
        assert after.messages[:size] == before.messages
    system = requests[0].messages[0].content
    assert 0 < requests[0].stable_prefix < len(system)
    assert "Today is" not in system[: requests[0].stable_prefix]
    assert "Today is" in system


def test_later_turns_can_see_results_only(play):
    play(ADD, "It is 3.", "ok", tools=[add], keep_calls=False).send("1+2?")
    assert ADD in play.requests[1].messages[-2].content  # within the turn all is shown
    play.send("thanks")
    shown = "\n".join(message.content for message in play.requests[2].messages[1:])
    assert "tool_code" not in shown and "3" in shown


def test_examples_stand_before_everything(play):
    play("ok", tools=[add], examples=True).send("1+2?")
    system, *examples, said = [message.role for message in play.requests[0].messages]
    assert (system, said) == ("system", "user")
    assert examples == ["user", "assistant"] * 3


def test_parameters_of_session_and_turn_are_sent(play):
    play("ok", params={"temperature": 0, "seed": 1}).send(params={"seed": 2})
    assert play.requests[0].params == {"temperature": 0, "seed": 2}


def test_old_results_are_pruned_and_old_turns_summed_up(play):
    @tool
    def read(n: int) -> str:
        return f"page {n} " + "words " * 400

    script = []
    for n in range(6):
        script += [call("read", f'{{"n": {n}}}'), f"I read page {n}."]

    def reply(request):
        if "summar" in request.messages[0].content:
            return "They read pages."
        return script.pop(0)

    play(*[reply] * 40, tools=[read], compaction=Compaction(2500), limits=TurnLimits(repeats=9))
    seen = []
    for n in range(6):
        assert play.send(f"read page {n}").text == f"I read page {n}."
        seen += play.of(HistoryCompacted)
    assert seen and len(play.of(TurnEnded)) == 1
    calls = {c.id for m in play.session.messages for c in m.calls}
    answered = {r.call.id for m in play.session.messages for r in m.results}
    assert calls == answered
    assert any("They read pages." in message.content for message in play.session.messages)


def test_private_values_stay_here(play):
    sent = []

    @tool
    def mail(to: str) -> str:
        sent.append(to)
        return f"sent to {to}"

    masking = Masking({"email": "countess@example.org"}, nonce=lambda: "4F9A2C1B")
    private = "PRIVATE-EMAIL-4F9A2C1B"
    reply = call("mail", f'{{"to": "{private}"}}')
    system = "You write for countess@example.org."
    play(["I write to PRIV", "ATE-EMAIL-4F9A2C1B. ", reply], f"Sent to {private}.",
         tools=[mail], masking=masking, system=system)  # fmt: skip
    result = play.send("Write to countess@example.org")
    assert sent == ["countess@example.org"] and result.text == "Sent to countess@example.org."
    assert "countess@example.org" in play.session.messages[1].content
    for request in play.requests:
        assert "countess@" not in "".join(message.content for message in request.messages)
        assert masking.rule in request.messages[0].content[: request.stable_prefix]


def test_usage_and_finish_reason_come_from_the_last_reply(play):
    result = play([Chunk("hi"), Chunk(finish_reason="content_filter")]).send()
    assert result.finish_reason == "content_filter"


# -- what the error of a turn says --------------------------------------------------------


def test_the_error_of_a_turn_names_the_last_problem(play):
    calls = [call("look", '{"place": 1}'), call("see", "{}")]
    limits = TurnLimits(reasks=1)
    unread = play("<tool_code>{</tool_code>", calls[1], tools=[look], limits=limits).send()
    assert "Your call of 'see' could not be used" in str(unread.error)
    prose = play(*["It is done."] * 2, tools=[look], limits=limits).send(output=int)
    assert str(prose.error).endswith("asked for a call, and wrote prose")
    named = play(*["It is done."] * 2, tools=[look], limits=limits).send(choice="look")
    assert str(named.error).endswith("asked for a call of 'look', and wrote prose")
    silent = play("", "", tools=[look], limits=limits).send()
    assert str(silent.error).endswith("it wrote nothing that can be read")


def test_tracebacks_of_turns_show_the_mistake_and_not_the_way_to_it(play):
    class Failing(Hooks):
        def on_before_request(self, moment):
            raise ValueError("mine")

    def frames(result):
        with pytest.raises(type(result.error)) as caught:
            result.raise_for_status()
        return [each.name for each in caught.traceback]

    here = ["frames", "raise_for_status"]
    assert frames(play("hi", hooks=[Failing()]).send()) == [*here, "on_before_request"]
    assert frames(play("", limits=TurnLimits(reasks=0)).send()) == here
