"""A turn as a user sees it, under both drivers."""

from __future__ import annotations

import asyncio
import threading

import pytest

from tests.patience import PATIENCE
from toolproto import CallCompleted, CallStarted, Message, TextDelta, ToolFailed, UsageError, tool
from toolproto.conversation.stores import MemoryStore
from toolproto.conversation.turn.events import (
    MessageAppended,
    StateChanged,
    ToolStatus,
    ToolUpdated,
    TurnEnded,
)
from toolproto.conversation.turn.limits import TurnLimits
from toolproto.conversation.turn.states import TurnState
from toolproto.endpoints import ScriptedReply
from toolproto.protocol.errors import EndpointError, LimitReached, TurnCancelled, WireError
from toolproto.protocol.messages import Chunk, Usage
from toolproto.protocol.tools.context import ToolContext

CALL = [
    "Let me ",
    'look. <tool_code>{"name": "add", "arg',
    'uments": {"a": 2, "b": 3}}</tool_code>',
]


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def call(name: str, arguments: str) -> str:
    return f'<tool_code>{{"name": "{name}", "arguments": {arguments}}}</tool_code>'


def states(player):
    return [event.snapshot.state.value for event in player.of(StateChanged)]


def test_a_call_is_run_and_its_result_sent_back(play):
    result = play(CALL, "It is 5.", tools=[add]).send("2+3?")
    assert (result.status, result.text) == ("completed", "It is 5.")
    assert states(play) == [
        "preparing", "streaming", "tool_call", "streaming", "finalizing", "completed",
    ]  # fmt: skip
    assert [message.role for message in play.session.messages] == [
        "user", "assistant", "user", "assistant",
    ]  # fmt: skip
    second = play.requests[1].messages
    assert [message.role for message in second] == ["system", "user", "assistant", "user"]
    assert "5" in second[3].content and "add" in second[3].content
    assert [record.result.content for record in result.calls] == ["5"]


def test_the_result_tells_the_answer_from_the_talk_with_tools(play):
    result = play(CALL, "It is 5.", tools=[add]).send("2+3?")
    assert [message.content for message in result.transcript[result.answer]] == ["It is 5."]
    assert [message.role for message in result.chatter] == ["assistant", "user"]
    assert result.transcript[0] == Message("user", "2+3?")
    assert (result.stats.requests, result.stats.calls, result.stats.failed_calls) == (2, 1, 0)


def test_events_tell_what_happens_in_order(play):
    play(CALL, "It is 5.", tools=[add]).send()
    statuses = [event.status for event in play.of(ToolUpdated)]
    assert statuses == [ToolStatus.PENDING, ToolStatus.RUNNING, ToolStatus.COMPLETED]
    assert "".join(event.text for event in play.of(TextDelta)) == "Let me look. It is 5."
    assert len(play.of(CallCompleted)) == 1
    assert len(play.of(MessageAppended)) == 4
    assert isinstance(play.events[-1], TurnEnded) and len(play.of(TurnEnded)) == 1


def test_usage_is_summed_over_the_requests(play):
    first = [*CALL, Chunk(usage=Usage(10, 4), finish_reason="stop")]
    second = ["5", Chunk(usage=Usage(20, 1), finish_reason="stop")]
    assert play(first, second, tools=[add]).send().usage == Usage(30, 5)


def test_a_conversation_goes_on(play):
    play("Hello!", "You said hi.").send("hi")
    play.send("What did I say?")
    assert [message.content for message in play.requests[1].messages[-3:]] == [
        "hi", "Hello!", "What did I say?",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "reply, advice",
    [
        (call("add", '{"a": "x", "b": 3}'), "integer"),
        (call("subtract", '{"a": 1, "b": 3}'), "the tools are: add"),
        ("<tool_code>{oops}</tool_code>", "could not be used"),
        (call("add", '{"a": 1}'), "b"),
    ],
)
def test_a_call_that_cannot_run_is_answered_with_advice(play, reply, advice):
    result = play(reply, "sorry", tools=[add]).send()
    assert result.status == "completed" and result.stats.reasks == 1
    told = play.requests[1].messages[-1]
    assert told.role == "user" and advice in told.content


def test_a_model_that_never_gets_it_right_is_given_up(play):
    bad = "<tool_code>{oops}</tool_code>"
    result = play(*[bad] * 9, tools=[add], limits=TurnLimits(reasks=2)).send()
    assert result.status == "error" and isinstance(result.error, LimitReached)
    assert result.error.limit == "reasks" and len(play.requests) == 3


def test_a_call_that_worked_renews_the_patience(play):
    bad, good = "<tool_code>{oops}</tool_code>", CALL
    script = [bad, good, bad, call("add", '{"a": 1, "b": 1}'), bad, "done"]
    result = play(*script, tools=[add], limits=TurnLimits(reasks=1)).send()
    assert (result.status, result.stats.reasks) == ("completed", 3)


def test_requests_are_limited_and_the_last_calls_are_not_run(play):
    ran = []

    @tool
    def note(n: int) -> str:
        ran.append(n)
        return "noted"

    script = [call("note", f'{{"n": {n}}}') for n in range(9)]
    result = play(*script, tools=[note], limits=TurnLimits(requests=3)).send()
    assert result.status == "error" and result.error.limit == "requests"
    assert ran == [0, 1] and len(play.requests) == 3
    assert "last request" in result.calls[-1].result.content


def test_ten_round_trips_and_the_answer_fit_into_a_turn(play):
    @tool
    def note(n: int) -> str:
        return "noted"

    script = [call("note", f'{{"n": {n}}}') for n in range(11)]
    result = play(*script[:10], "Done.", tools=[note]).send()
    assert result.text == "Done." and len(result.calls) == 10
    assert play(*script, tools=[note]).send().error.limit == "requests"


def test_a_tool_that_fails_is_a_result(play):
    @tool
    def broken() -> str:
        raise ValueError("no such city")

    @tool
    def careful() -> str:
        raise ToolFailed("try Oslo")

    both = call("broken", "{}") + "\n" + call("careful", "{}")
    result = play(both, "ok", tools=[broken, careful]).send()
    assert [(r.result.is_error, r.result.content) for r in result.calls] == [
        (True, "ValueError: no such city"),
        (True, "try Oslo"),
    ]
    assert result.status == "completed"


def test_an_endpoint_that_fails_ends_the_turn_and_not_the_session(play):
    result = play(EndpointError("busy", status=503), "Hello!").send("hi")
    assert (result.status, states(play)[-1]) == ("error", "error")
    assert result.error.status == 503
    assert play.send("again").text == "Hello!"
    assert play.requests[1].messages[-1].content == "hi\n\nagain"


def test_a_reply_that_is_broken_off_runs_nothing(play):
    ran = []

    @tool
    def note() -> str:
        ran.append(1)
        return "noted"

    result = play(ScriptedReply(call("note", "{}"), finish_reason=None), tools=[note]).send()
    assert isinstance(result.error, WireError) and ran == []


def test_results_come_as_they_are_done_and_are_sent_in_the_order_of_the_calls(play):
    seen = threading.Event()

    @tool
    def slow() -> str:
        assert seen.wait(PATIENCE)
        return "slow"

    @tool
    def fast() -> str:
        return "fast"

    def watch(event, session):
        if isinstance(event, ToolUpdated) and event.status is ToolStatus.COMPLETED:
            seen.set()

    result = play(call("slow", "{}") + call("fast", "{}"), "ok", tools=[slow, fast]).send(
        watch=watch
    )
    sent = play.requests[1].messages[-1].content
    assert sent.index("slow") < sent.index("fast")
    done = [e.call.name for e in play.of(ToolUpdated) if e.status is ToolStatus.COMPLETED]
    assert done == ["fast", "slow"] and result.status == "completed"


def test_a_tool_that_takes_too_long_is_given_up(play):
    seen = []
    release = threading.Event()

    @tool(timeout=0.05)
    def hang(context: ToolContext) -> str:
        seen.append(context.cancelled.wait(PATIENCE))
        release.set()
        return "late"

    result = play(call("hang", "{}"), "ok", tools=[hang]).send()
    assert "longer than 0.05 seconds" in result.calls[0].result.content
    assert release.wait(PATIENCE) and seen == [True]


def test_async_tools_run_under_both_drivers(play):
    @tool
    async def later(n: int) -> int:
        await asyncio.sleep(0)
        return n + 1

    assert (
        play(call("later", '{"n": 1}'), "ok", tools=[later]).send().calls[0].result.content == "2"
    )


def test_cancelling_keeps_what_was_said(play):
    def stop(event, session):
        if isinstance(event, TextDelta):
            session.cancel()

    result = play(CALL, "never", tools=[add]).send(watch=stop)
    assert (result.status, states(play)[-1]) == ("aborted", "cancelled")
    assert isinstance(result.error, TurnCancelled) and len(play.requests) == 1
    assert play.session.messages[-1].role == "assistant"
    assert play.session.messages[-1].calls == ()
    assert play.endpoint.open == 0


def test_cancelling_while_tools_run_answers_every_call(play):
    release = threading.Event()

    @tool
    def hang() -> str:
        release.wait(PATIENCE)
        return "x"

    def stop(event, session):
        if isinstance(event, ToolUpdated) and event.status is ToolStatus.RUNNING:
            session.cancel()

    result = play(call("hang", "{}"), "after", tools=[hang]).send(watch=stop)
    release.set()
    assert result.status == "aborted"
    assert "may have taken effect" in result.calls[0].result.content
    assert play.send("go on").text == "after"


def test_leaving_the_block_ends_the_turn(play):
    class Enough(Exception):
        pass

    def leave(event, session):
        if isinstance(event, TextDelta):
            raise Enough

    with pytest.raises(Enough):
        play(CALL, "fine", tools=[add]).send(watch=leave)
    assert play.session.state is TurnState.CANCELLED
    assert play.session.result.status == "aborted" and play.endpoint.open == 0
    assert play.send("again").status == "completed"


def test_a_turn_has_a_time_budget(play):
    release = threading.Event()

    @tool
    def hang() -> str:
        release.wait(PATIENCE)
        return "x"

    result = play(call("hang", "{}"), tools=[hang], limits=TurnLimits(seconds=0.05)).send()
    release.set()
    assert (result.status, states(play)[-1]) == ("timeout", "cancelled")


def test_a_second_turn_at_the_same_time_is_refused(play):
    def again(event, session):
        if isinstance(event, TextDelta):
            with pytest.raises(UsageError, match="a turn is running"):
                start = session.stream("two")
                if hasattr(start, "__enter__"):
                    start.__enter__()
                else:
                    start.__aenter__().send(None)

    assert play("one").send(watch=again).status == "completed"


def test_listeners_see_snapshots_and_cannot_break_the_turn(play, caplog):
    seen = []

    def bad(snapshot):
        raise ValueError("listener")

    play("hi")
    play.session.subscribe(bad)
    end = play.session.subscribe(lambda snapshot: seen.append(snapshot.state))
    play.send()
    assert seen[0] is TurnState.PREPARING and seen[-1] is TurnState.COMPLETED
    assert "a listener failed" in caplog.text
    end()
    end()


def test_a_snapshot_has_the_messages_the_request_and_in_the_end_the_result(play):
    seen = []
    play(call("add", '{"a": 1, "b": 2}'), "3", tools=[add])
    play.session.subscribe(seen.append)
    result = play.send("go")
    assert [len(each.messages) for each in seen] == [0, 1, 2, 3, 4, 4]
    assert [each.request for each in seen] == [None, *play.requests[:1] * 2, *play.requests[1:] * 3]
    assert [each.result for each in seen] == [None] * 5 + [result]
    assert seen[-1].messages == play.session.messages


def test_no_empty_message_reaches_the_model(play):
    play("", "Hello").send("one")
    play.send("two")
    assert [m.role for m in play.requests[1].messages if m.role != "system"] == ["user"]
    assert all(message.content for message in play.requests[1].messages)


@pytest.mark.parametrize(
    "options, said",
    [
        ({"hooks": [object]}, "object is a class"),
        ({"tools": [add, add]}, "already a tool named 'add'"),
        ({"paradigm": "jsn"}, "no paradigm named 'jsn'"),
    ],
)
def test_a_session_that_cannot_work_is_not_made(play, options, said):
    with pytest.raises(UsageError, match=said):
        play("hi", **options)


def test_an_option_that_there_is_not_is_refused_by_name(play):
    with pytest.raises(TypeError, match="'tool'"):
        play("hi", tool=[add])


@pytest.mark.parametrize("endpoint", [None, 3, "http://localhost", ScriptedReply])
def test_what_is_no_endpoint_is_refused(play, endpoint):
    with pytest.raises(UsageError):
        play.open(endpoint)


def test_a_session_shows_what_it_is(play):
    play("hi", tools=[add]).send()
    assert "xml_tag, 1 tools, 2 messages, completed" in repr(play.session)


# -- ids of calls -------------------------------------------------------------------------


def named(id):
    return (
        f'<tool_code>{{"id": "{id}", "name": "add", "arguments": {{"a": 1, "b": 2}}}}</tool_code>'
    )


def told_ids(player):
    told = {CallStarted: lambda each: each.id}
    told |= dict.fromkeys((CallCompleted, ToolUpdated), lambda each: each.call.id)
    return list(
        dict.fromkeys(told[type(each)](each) for each in player.events if type(each) in told)
    )


def test_a_call_has_one_id_throughout_a_session(play):
    play(*[named("call_1"), "3"] * 3, tools=[add])
    ids = [(play.send(), told_ids(play))[1] for _ in range(3)]
    assert ids == [["call_1"], ["call_1_2"], ["call_1_3"]]
    messages = play.session.messages
    kept = [call.id for message in messages for call in message.calls]
    assert kept == [result.call.id for message in messages for result in message.results]
    play(named("call_1_2"), "3", tools=[add], history=messages)
    play.send()
    assert told_ids(play) == ["call_1_2_2"]


def test_a_session_that_is_opened_again_names_its_calls_as_it_would_have(play):
    store = MemoryStore()
    play(named("call_1"), "3", named("call_1"), "3", tools=[add], store=store, id="s")
    play.send()
    play(named("call_1"), "3", tools=[add], store=store, id="s")
    play.send()
    assert told_ids(play) == ["call_1_2"]
