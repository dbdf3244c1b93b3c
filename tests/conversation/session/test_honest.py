"""A turn says what it did: what it takes, what it answers, and what it keeps when it fails."""

from __future__ import annotations

import logging
import threading
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from toolproto import Message, ToolFailed, UsageError, get_paradigm, tool
from toolproto.conversation.deciding.approvals import Allow, Defer
from toolproto.conversation.hooks import Hooks
from toolproto.conversation.session import ChatSession
from toolproto.conversation.stores import MemoryStore
from toolproto.conversation.turn.compaction import Compaction
from toolproto.conversation.turn.events import CompactionFailed
from toolproto.endpoints import ScriptedEndpoint, ScriptedReply
from toolproto.protocol.errors import EndpointError, LimitReached, SessionConflict, TurnCancelled
from toolproto.protocol.events import TextDelta
from toolproto.protocol.messages import Chunk, ToolCall, ToolResult
from toolproto.protocol.paradigms.system_prompt import ToolContextBuilder

from .test_turns import add, call

ADD = call("add", '{"a": 1, "b": 2}')


# -- what a turn takes --------------------------------------------------------------------


def test_a_message_of_the_user_is_sent_as_it_is(play):
    said = Message("user", "hello")
    assert play("hi").send(said).text == "hi"
    assert play.session.messages[0] == said


@pytest.mark.parametrize(
    "wrong",
    [None, {"role": "user", "content": "x"}, 7, b"x", "", " \n", Message("user", ""),
     Message("assistant", "x"), Message("system", "x"), Message("user", None),
     Message("user", "x", results=(ToolResult(ToolCall("add", {}), "3"),))],
)  # fmt: skip
def test_what_nobody_can_say_is_refused_and_nothing_is_kept(play, wrong):
    play("hi", store="memory:")
    with pytest.raises(UsageError):
        play.send(wrong)
    assert play.session.messages == () and play.requests == []
    assert play.send("hello").text == "hi" and len(play.session.turns) == 1


def test_a_misspelt_term_is_refused(play):
    play("hi")
    with pytest.raises(UsageError, match=r"'choise'.*choice"):
        play.send("x", choise="none")
    with pytest.raises(UsageError, match="params"):
        play.send("x", params=["temperature"])
    assert play.session.messages == ()


def test_a_store_may_be_a_file_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with_store = ChatSession(ScriptedEndpoint("hi"), store="chats.db", id="x")
    assert with_store.send("hello").text == "hi"
    with_store.close()
    again = ChatSession.open("chats.db", "x", ScriptedEndpoint())
    assert len(again.messages) == 2
    again.close()
    assert (tmp_path / "chats.db").is_file()
    for wrong in ("sqlite:chats.db", "mysql://x/y", ""):
        with pytest.raises(UsageError):
            ChatSession(ScriptedEndpoint(), store=wrong)


def test_somebody_else_who_wrote_is_told_by_an_error(play):
    store = MemoryStore()
    play("one", store=store, id="x")
    other = ChatSession(ScriptedEndpoint("two"), store=store, id="x")
    other.send("me first")
    with pytest.raises(SessionConflict):
        play.send("and me")
    assert play.requests == []


# -- the answer ---------------------------------------------------------------------------


def test_the_answer_is_what_the_hooks_made_of_it(play):
    class Shouting(Hooks):
        def on_message_append(self, moment):
            if moment.message.role == "assistant":
                moment.message = Message("assistant", moment.message.content.upper())

    result = play("quiet", hooks=[Shouting()]).send()
    assert result.text == result.partial_text == play.session.messages[-1].content == "QUIET"


def test_the_text_of_a_turn_without_an_answer_raises_what_went_wrong(play):
    result = play(EndpointError("no such host")).send()
    assert result.status == "error" and result.partial_text == ""
    with pytest.raises(EndpointError, match="no such host"):
        _ = result.text

    result = play(["Well, ", "no"]).send(watch=_cancel_at_text)
    assert result.partial_text == "Well,"
    with pytest.raises(TurnCancelled):
        _ = result.text


def test_the_text_of_a_pending_turn_says_what_it_waits_for(play):
    @tool(risk="write")
    def save() -> str:
        return "saved"

    options = {"tools": [save], "approver": lambda request: Defer()}
    result = play("I save. " + call("save", "{}"), "done", **options).send()
    assert result.partial_text == "I save."
    with pytest.raises(UsageError, match=result.pending[0].call.id):
        _ = result.text


THOUGHT = [Chunk(reasoning="Hm, hm."), Chunk(finish_reason="stop")]


@pytest.mark.parametrize("nothing", ["", " \n", "<think>Hm, hm.</think>", THOUGHT])
def test_a_reply_that_says_nothing_is_asked_for_again(play, nothing):
    result = play(nothing, "Here I am.").send()
    assert (result.text, result.stats.reasks) == ("Here I am.", 1)
    assert "wrote nothing" in play.requests[1].messages[-1].content
    thought = "".join(message.reasoning for message in result.transcript)
    assert thought == ("Hm, hm." if "Hm" in str(nothing) else "")


def test_a_model_that_never_says_anything_is_an_error(play):
    result = play(*[THOUGHT] * 9).send()
    assert isinstance(result.error, LimitReached) and result.error.limit == "reasks"
    assert [m.reasoning for m in play.session.messages if m.role == "assistant"] == ["Hm, hm."] * 4


def test_a_reply_that_the_service_holds_back_is_not_asked_for_again(play):
    result = play([Chunk(finish_reason="content_filter")], "never").send()
    assert isinstance(result.error, EndpointError) and len(play.requests) == 1


@pytest.mark.parametrize("error", [EndpointError("gone"), None])
def test_what_was_said_before_a_failure_stays(play, error):
    class Failing(Hooks):
        def on_stream_data(self, data):
            if error and data.chunk.text == "on":
                raise error

    reply = ScriptedReply([Chunk(reasoning="hm"), "Going ", "on"], finish_reason=None)
    result = play(reply, "fine", hooks=[Failing()]).send()
    said = "Going" if error else "Going on"
    assert (result.status, result.partial_text) == ("error", said)
    last = play.session.messages[-1]
    assert (last.role, last.content, last.reasoning) == ("assistant", said, "hm")
    assert play.send("again").text == "fine"


# -- tools --------------------------------------------------------------------------------


@tool
def crash(n: int) -> str:
    """Fail."""
    raise KeyError("secret drawer")


@tool
async def acrash(n: int) -> str:
    """Fail, awaited."""
    raise KeyError("secret drawer")


@pytest.mark.parametrize("broken", [crash, acrash])
def test_where_a_tool_failed_is_logged_and_kept_for_the_program(play, caplog, broken):
    with caplog.at_level(logging.WARNING, "toolproto.tools"):
        result = play(call(broken.name, '{"n": 1}'), "sorry", tools=[broken]).send()
    told = result.calls[0].result
    assert "raise KeyError" in told.metadata["traceback"] and "Traceback" not in told.content
    assert caplog.records[0].exc_info and broken.name in caplog.text
    assert "raise KeyError" not in str(play.requests[1].messages)


def test_a_tool_that_says_no_leaves_no_traceback(play, caplog):
    @tool
    def refuse() -> str:
        raise ToolFailed("not today")

    result = play(call("refuse", "{}"), "ok", tools=[refuse]).send()
    assert "traceback" not in result.calls[0].result.metadata and caplog.records == []


@pytest.mark.parametrize("who", ["reviewer", "after_tool"])
def test_a_tool_that_is_done_is_told_so_when_somebody_after_it_fails(play, who):
    def fail(*_):
        raise ValueError("no display")

    class After(Hooks):
        after_tool = fail

    options = {"reviewer": fail} if who == "reviewer" else {"hooks": [After()]}
    result = play(ADD, "ok", tools=[add], **options).send()
    (record,) = result.calls
    assert record.result.content.startswith("it ran to its end, but its result is not shown")
    assert record.seconds is not None and isinstance(result.error, ValueError)


def test_the_time_of_a_call_is_its_own(play):
    """Not that of the reviewer who looks at another result meanwhile."""

    def reviewer(result):
        threading.Event().wait(0.3)

    both, took = ADD + call("add", '{"a": 3, "b": 4}'), []
    for _ in range(5):  # a crowded machine may keep a call waiting as long, now and then
        before = datetime.now(UTC).timestamp()
        result = play(both, "ok", tools=[add], reviewer=reviewer).send()
        for record in result.calls:
            assert before - 1 < record.started <= record.ended <= datetime.now(UTC).timestamp() + 1
        took.append(max(record.seconds for record in result.calls))
        if took[-1] < 0.3:
            break
    assert min(took) < 0.3


def test_the_chatter_of_a_resumed_turn_has_the_results(play):
    @tool(risk="write")
    def save() -> str:
        return "saved"

    options = {"tools": [save], "approver": lambda request: Defer()}
    waiting = play(call("save", "{}"), "done", **options).send().pending
    result = play.resume({waiting[0].call.id: Allow()})
    assert [each.content for message in result.chatter for each in message.results] == ["saved"]
    assert result.resumed and result.text == "done"


# -- what is sent -------------------------------------------------------------------------


def test_no_stop_sequence_is_sent_without_tools(play):
    class Stopping(type(get_paradigm("xml_tag"))):
        def stop(self, offer):
            return ("<stop>",)

    play("hi", "hi", paradigm=Stopping(), tools=[]).send()
    assert play.requests[0].stop == ()
    play("hi", paradigm=Stopping(), tools=[add]).send()
    assert play.requests[0].stop == ("<stop>",)


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago"])
def test_the_date_is_that_of_the_zone(play, zone):
    """The two are 25 hours apart: never the same day."""
    before = datetime.now(ZoneInfo(zone)).date()
    play("hi", system=ToolContextBuilder(zone=zone)).send()
    after = datetime.now(ZoneInfo(zone)).date()
    told = play.requests[0].messages[0].content
    assert any(f"Today is {day.isoformat()} ({zone})" in told for day in (before, after))
    assert abs(before - date.today()) <= timedelta(days=1)


@pytest.mark.parametrize("zone", ["Atlantis/Sunken", "../../etc/passwd", "\0"])
def test_a_zone_that_there_is_not_is_refused(play, zone):
    with pytest.raises(UsageError, match="Europe/Oslo"):
        play("hi", system=ToolContextBuilder(zone=zone))


def test_a_system_message_of_a_hook_is_sent_in_the_system_prompt(play):
    class Noting(Hooks):
        def on_after_request(self, moment):
            if len(play.requests) == 1:
                moment.append_and_request(Message("system", "Speak French."))

    play("Hello.", "Bonjour.", system="Be brief.", hooks=[Noting()]).send()
    first, second = play.requests
    assert [m.role for m in second.messages] == ["system", "user", "assistant"]
    assert second.messages[0].content == first.messages[0].content + "\n\nSpeak French."
    assert second.stable_prefix == first.stable_prefix


@pytest.mark.parametrize("fails", [EndpointError("busy"), ScriptedReply(["half"], None)])
def test_a_summary_that_cannot_be_had_does_not_end_the_turn(play, fails):
    said = iter(["first " * 200, fails, "second", "third", "fourth"])
    play(*[lambda request: next(said)] * 9, compaction=Compaction(300, keep_turns=1))
    assert play.send("x " * 100).status == "completed"
    assert play.send("y").text == "second"
    assert len(play.of(CompactionFailed)) == 1
    assert len(play.session.messages) == 4
    play.send("z")
    assert "third" in play.session.messages[0].content  # the next turn tries again


@pytest.mark.parametrize("failing", [(0,), (1,), (0, 2)])
def test_every_hook_hears_of_a_reply_though_another_fails(play, failing):
    heard = []

    class Listening(Hooks):
        def __init__(self, number):
            self.number = number

        def on_after_request(self, moment):
            heard.append(self.number)
            if self.number in failing:
                raise ValueError(self.number)

    error = play("hi", hooks=[Listening(n) for n in range(3)]).send().error
    assert heard == [0, 1, 2]
    errors = error.exceptions if isinstance(error, ExceptionGroup) else (error,)
    assert [each.args for each in errors] == [(number,) for number in failing]


def _cancel_at_text(event, session):
    if isinstance(event, TextDelta):
        session.cancel()
