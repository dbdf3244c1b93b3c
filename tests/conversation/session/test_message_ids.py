"""Messages with an id: sent twice, answered once."""

from __future__ import annotations

import contextlib

import pytest

from toolproto import Allow, ChatSession, Defer, UsageError, tool
from toolproto.conversation.session import Redaction
from toolproto.conversation.stores import MemoryStore
from toolproto.conversation.turn.events import TurnEnded
from toolproto.conversation.turn.states import TurnState
from toolproto.protocol.errors import SessionConflict

from .test_keeping import Dying, Killed
from .test_turns import add, call

ADD = call("add", '{"a": 1, "b": 2}')
PAY = call("pay", '{"amount": 7}')


@tool(risk="write")
def pay(amount: int) -> str:
    """Pay that much."""
    return "paid"


@pytest.fixture
def store():
    return MemoryStore()


def test_a_message_sent_again_gives_the_first_result(play, store):
    first = play(ADD, "It is 3.", tools=[add], store=store, id="sum").send(message_id="m1")
    told = play.send(message_id="m1")  # by the same session, which knows it still
    assert (told.status, told.text, told.calls) == (first.status, first.text, first.calls)
    assert len(play.events) == 1 and play.of(TurnEnded)[0].result.text == "It is 3."
    assert play.session.state is TurnState.COMPLETED
    play(tools=[add], store=store, id="sum")  # and by one that has no reply to give
    again = play.send("go, said otherwise", message_id="m1")
    assert (again.text, again.usage, len(again.calls)) == (first.text, first.usage, 1)
    assert play.requests == []
    assert [turn.message_id for turn in play.session.turns] == ["m1"]


def test_messages_of_other_ids_or_of_none_are_sent(play, store):
    play("One.", "Two.", "Three.", store=store, id="a")
    said = [play.send(message_id="m1"), play.send(message_id="m2"), play.send()]
    assert [each.text for each in said] == ["One.", "Two.", "Three."]
    assert play.send(message_id="m2").text == "Two."
    assert [turn.message_id for turn in play.session.turns] == ["m1", "m2", None]
    play("Elsewhere.", store=store, id="b")
    assert play.send(message_id="m1").text == "Elsewhere."


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("n", range(1, 6))
def test_a_turn_that_broke_off_is_continued_by_its_message(play, n, after):
    ran = []

    @tool(risk="write")
    def note(text: str) -> str:
        """Write it down."""
        ran.append(text)
        return "noted"

    replies = (call("note", '{"text": "this"}'), "It is noted.")
    dying = Dying(n, after)
    with contextlib.suppress(Killed):
        play(*replies, tools=[note], store=dying, id="a").send("Note it.", message_id="m1")
    dying.left = 1_000_000
    play(*replies[-2:], tools=[note], store=dying, id="a")
    if any(each.kind == "reply" for turn in play.session.turns for each in turn.told()):
        play(replies[1], tools=[note], store=dying, id="a")
    result = play.send("Note it.", message_id="m1")
    assert result.status == "completed" and len(ran) <= 1
    (turn,) = play.session.turns
    assert turn.message_id == "m1" and turn.message.content == "Note it."
    roles = [message.role for message in play.session.messages]
    assert roles == ["user", "assistant"] * 2


def test_a_failed_turn_is_told_as_it_ended(play, store):
    play(ConnectionError("no network"), store=store, id="a")
    assert play.send(message_id="m1").status == "error"
    play("Never said.", store=store, id="a")
    assert play.send(message_id="m1").status == "error"
    assert play.session.state is TurnState.ERROR and play.requests == []


def test_decisions_sent_again_give_the_first_result(play, store):
    play(PAY, tools=[pay], approver=lambda request: Defer(), store=store, id="a")
    (request,) = play.send(message_id="m1").pending
    verdicts = {request.call.id: Allow()}
    play("It is paid.", tools=[pay], store=store, id="a")
    assert play.resume(verdicts, message_id="d1").text == "It is paid."
    play(tools=[pay], store=store, id="a")
    assert play.resume(verdicts, message_id="d1").text == "It is paid."
    assert play.send(message_id="m1").status == "pending"  # what the message came to
    with pytest.raises(UsageError, match="no call is pending"):
        play.resume(verdicts, message_id="d2")
    assert [turn.message_id for turn in play.session.turns] == ["m1", "d1"]


def test_decisions_whose_turn_broke_off_are_continued(play):
    kept = Dying(1_000_000, after=True)
    play(PAY, tools=[pay], approver=lambda request: Defer(), store=kept, id="a")
    (request,) = play.send().pending
    verdicts = {request.call.id: Allow()}
    kept.left = 2
    with contextlib.suppress(Killed):
        play("It is paid.", tools=[pay], store=kept, id="a").resume(verdicts, message_id="d1")
    kept.left = 1_000_000
    play("It is paid.", tools=[pay], store=kept, id="a")
    assert play.session.interrupted
    assert play.resume(verdicts, message_id="d1").text == "It is paid."


def test_who_comes_second_with_a_message_gets_what_the_first_one_got(store):
    one, two = (ChatSession(lambda request: "Hello.", store=store, id="a") for _ in range(2))
    one.send("Hi", message_id="m1")
    with pytest.raises(SessionConflict):
        two.send("Hi", message_id="m1")
    again = ChatSession(lambda request: "Something else.", store=store, id="a")
    assert again.send("Hi", message_id="m1").text == "Hello."


@pytest.mark.parametrize("id", ["", "x" * 201, 7])
def test_an_id_is_a_short_text(play, store, id):
    play("Hello.", store=store, id="a")
    with pytest.raises(UsageError, match="message_id"):
        play.send(message_id=id)
    assert play.session.turns == ()


def test_only_a_kept_session_knows_what_it_was_sent(play):
    play("Hello.")
    with pytest.raises(UsageError, match="this session is not kept"):
        play.send(message_id="m1")


def test_what_only_a_kept_session_has_another_has_not(play, store):
    names = ("title", "workspace", "turns", "way")
    play("Hello.")
    assert not any(hasattr(play.session, name) for name in names)
    play("Hello.", store=store)
    assert all(hasattr(play.session, name) for name in names)


def test_an_id_that_would_be_redacted_is_refused(play, store):
    play("Hello.", store=store, id="a", redact=Redaction(secrets=["order-4711"]))
    with pytest.raises(UsageError, match="would be redacted"):
        play.send(message_id="order-4711")
