"""A conversation that was run again, branched and gone back in: the tree, and one way through."""

from __future__ import annotations

import inspect
import sys

import pytest

from toolproto import Allow, Defer, Deny, UsageError, tool
from toolproto.conversation.journal.journal import unpacked
from toolproto.conversation.session import ChatSession
from toolproto.conversation.stores import MemoryStore
from toolproto.conversation.turn.compaction import Compaction
from toolproto.endpoints import ScriptedEndpoint
from toolproto.protocol.errors import EndpointError, SessionConflict

from .test_turns import add, call

ADD = call("add", '{"a": 1, "b": 2}')


@tool(risk="write")
def put(key: str) -> str:
    return f"{key} is put"


PUT = call("put", '{"key": "k"}')


@pytest.fixture
def store():
    return MemoryStore()


def said(session):
    return [message.content for message in session.messages if not message.results]


def rerun(play, turn=None, **terms):
    if isinstance(play.session, ChatSession):
        return play.session.rerun(turn, **terms)
    return play.runner.run(play.session.rerun(turn, **terms))


def reopened(play, store, *replies, **options):
    return play(*replies, store=store, id="x", **options).session


def cut(store, kind, nth=0):
    """A copy of *store* that ends with the nth record of its *kind*."""
    records = [each for record in store.read("x") for each in unpacked(record)]
    places = [at for at, each in enumerate(records) if each.kind == kind]
    kept = MemoryStore()
    kept.create("x")
    kept.append("x", records[: places[nth] + 1], 0, durable=True)
    return kept


def test_the_last_reply_is_run_again_and_the_first_one_kept(play, store):
    play("one", "two", "three", store=store, id="x").send("a")
    play.send("b")
    assert rerun(play).text == "three"
    assert said(play.session) == ["a", "one", "b", "three"]
    turns = {turn.number: (turn.parent, turn.message.content) for turn in play.session.turns}
    assert turns == {1: (None, "a"), 2: (1, "b"), 3: (1, "b")}
    play.session.switch(2)
    assert said(play.session) == ["a", "one", "b", "two"]


def test_an_earlier_turn_is_run_again(play, store):
    play("one", "two", "three", "four", store=store, id="x").send("a")
    play.send("b")
    with pytest.raises(UsageError, match=r"turns stand behind turn 1 \(2\): keep_following=True"):
        rerun(play, 1)
    rerun(play, 1, keep_following=False)
    assert said(play.session) == ["a", "three"]
    play.send("c")
    assert said(play.session) == ["a", "three", "c", "four"]
    assert [message.content for message in play.requests[3].messages][-3:] == ["a", "three", "c"]


def test_an_earlier_message_is_said_otherwise(play, store):
    play("one", "two", "three", "four", store=store, id="x").send("a")
    play.send("b")
    play.send("B", beside=2)
    assert said(play.session) == ["a", "one", "B", "three"]
    play.send("A", beside=1)
    assert said(play.session) == ["A", "four"]
    ways = {1: ["a", "one"], 2: ["a", "one", "b", "two"], 3: ["a", "one", "B", "three"]}
    for turn, way in {**ways, 4: ["A", "four"]}.items():
        play.session.switch(turn)
        assert said(play.session) == way


def test_a_conversation_goes_on_where_it_was_switched_to(play, store):
    play("one", "two", "three", "four", store=store, id="x").send("a")
    play.send("b")
    play.session.switch(1)
    play.send("c")
    play.session.switch(2)
    play.send("d")
    assert said(play.session) == ["a", "one", "b", "two", "d", "four"]
    assert [turn.parent for turn in play.session.turns] == [None, 1, 1, 2]


def test_a_tree_is_there_when_the_session_is_opened_again(play, store):
    play(ADD, "one", "two", ADD, "three", tools=[add], store=store, id="x").send("a")
    play.send("b")
    rerun(play)
    tree = [(turn.number, turn.parent, turn.status) for turn in play.session.turns]
    for turn in (1, 2, 3):
        play.session.switch(turn)
        way = play.session.messages
        session = reopened(play, store, tools=[add])
        assert session.messages == way
        assert [(each.number, each.parent, each.status) for each in session.turns] == tree


@pytest.mark.parametrize("turn", [0, 7, -1])
def test_a_turn_that_there_is_not_is_refused(play, store, turn):
    play("one", "two", store=store, id="x").send("a")
    for attempt in (
        lambda: rerun(play, turn),
        lambda: play.send("b", beside=turn),
        lambda: play.session.switch(turn),
    ):
        with pytest.raises(UsageError, match="turn"):
            attempt()
    assert said(play.session) == ["a", "one"]
    assert play.send("b").text == "two"


def test_nothing_is_run_again_where_nothing_ran(play, store):
    with pytest.raises(UsageError, match="no turn"):
        rerun(play("x", store=store, id="x"))
    assert play.send().text == "x"


def test_a_session_that_is_not_kept_has_no_tree(play):
    play("one", "two").send("a")
    for attempt in (
        lambda: play.session.switch(1),
        lambda: play.session.turns,
        lambda: play.session.title,
    ):
        with pytest.raises(UsageError, match="not kept"):
            attempt()
    assert play.send("b").text == "two"


def test_a_turn_is_run_again_and_inserted_without_a_store(play):
    play("one", ADD, "two", "three", "two!", "one!", "half", tools=[add])
    for text in "abc":
        play.send(text)
    with pytest.raises(UsageError, match="keep_following"):
        rerun(play, 2)
    assert rerun(play, 2, keep_following=True).text == "two!"
    assert said(play.session) == ["a", "one", "b", "two!", "c", "three"]
    assert [each.content for each in play.requests[4].messages[1:]] == ["a", "one", "b"]
    assert rerun(play, 1, keep_following=True, params={"seed": 1}).text == "one!"
    inserted = play.session.insert("a½", after=1)
    done = inserted if play.kind == "sync" else play.runner.run(inserted)
    assert done.text == "half" and [each.content for each in play.requests[6].messages[1:]] == [
        "a", "one!", "a½"
    ]  # fmt: skip
    assert said(play.session) == ["a", "one!", "a½", "half", "b", "two!", "c", "three"]
    ids = [message.id for message in play.session.messages]
    assert len(set(ids)) == len(ids)


def test_without_a_store_and_an_answer_all_is_as_it_was(play):
    play("one", "two", EndpointError("gone"), "three")
    play.send("a")
    play.send("b")
    before = play.session.messages
    assert rerun(play, 1, keep_following=False).status == "error"
    assert play.session.messages == before
    for wrong in (0, 3):
        with pytest.raises(UsageError, match=rf"there is no turn {wrong} to run again; .*\[1, 2\]"):
            rerun(play, wrong)
    assert rerun(play).text == "three" and said(play.session) == ["a", "one", "b", "three"]


def test_what_was_summed_up_cannot_be_run_again_without_a_store(play):
    def reply(request):
        return "Sum." if "summar" in request.messages[0].content else "word " * 300

    play.open(reply, compaction=Compaction(600, keep_turns=1))
    for text in "abc":
        play.send(text)
    with pytest.raises(UsageError, match="summed up"):
        rerun(play, 1, keep_following=False)
    assert play.session.messages[-2].content.endswith("c")


def test_a_turn_refused_at_once_moves_nothing(play, store):
    play("one", "two", "three", store=store, id="x", tools=[add]).send("a")
    play.send("b")
    before = len(store.read("x"))
    with pytest.raises(UsageError):
        play.send("B", beside=2, choice="no such tool")
    assert said(play.session) == ["a", "one", "b", "two"] and len(store.read("x")) == before


def test_a_pending_turn_is_run_again(play, store):
    options = dict(tools=[put], approver=lambda request: Defer())
    play(PUT, "other", store=store, id="x", **options).send("a")
    assert play.session.pending
    assert rerun(play).text == "other"
    assert not play.session.pending and said(play.session) == ["a", "other"]
    play.session.switch(1)
    (request,) = play.session.pending
    reopened(play, store, "done", **options)
    assert play.resume({request.call.id: Deny()}).text == "done"


def test_a_resumed_turn_is_run_again_from_its_message(play, store):
    options = dict(tools=[put], approver=lambda request: Defer())
    play(PUT, "put", "other", "more", store=store, id="x", **options).send("a")
    play.resume({play.session.pending[0].call.id: Allow()})
    assert [turn.is_resumed for turn in play.session.turns] == [False, True]
    with pytest.raises(UsageError, match="turn 2"):
        rerun(play, 2)
    assert rerun(play).text == "other"
    assert said(play.session) == ["a", "other"]
    play.session.switch(2)
    assert said(play.session)[-1] == "put"
    assert play.send("b").text == "more"


@pytest.mark.parametrize("kind", ["turn", "reply", "started", "outcome"])
def test_a_turn_that_broke_off_is_run_again(play, store, kind):
    play(ADD, "3.", tools=[add], store=store, id="x").send("a")
    kept = cut(store, kind)
    reopened(play, kept, "again", "more", tools=[add])
    assert play.session.interrupted
    assert rerun(play).text == "again"
    assert not play.session.interrupted and said(play.session) == ["a", "again"]
    play.session.switch(1)
    assert not play.session.interrupted
    assert play.send("b").text == "more"
    calls = [each.id for message in play.session.messages for each in message.calls]
    answers = [each.call.id for message in play.session.messages for each in message.results]
    assert sorted(calls) == sorted(answers)


def test_leaving_a_turn_that_broke_off_closes_it(play, store):
    play("one", ADD, "two", tools=[add], store=store, id="x").send("a")
    play.send("b")
    kept = cut(store, "started")
    reopened(play, kept, "c", tools=[add])
    play.session.switch(1)
    assert said(play.session) == ["a", "one"] and not play.session.interrupted
    play.session.switch(2)
    assert not play.session.interrupted
    (answer,) = [each for message in play.session.messages for each in message.results]
    assert "outcome unknown" in answer.content


def test_a_variant_that_broke_off_is_gone_on_with(play, store):
    play("one", ADD, "two", tools=[add], store=store, id="x").send("a")
    rerun(play)
    kept = cut(store, "outcome")
    reopened(play, kept, "2", tools=[add])
    assert play.session.interrupted
    assert play.resume({}).text == "2"
    assert [turn.status for turn in play.session.turns] == ["completed", "completed"]
    assert said(play.session)[0] == "a" and said(play.session)[-1] == "2"


def test_branches_share_no_permission(play, store):
    asked = []

    def approver(request):
        asked.append(request.call)
        return Allow(always=True)

    options = dict(tools=[put], approver=approver)
    play(PUT, "one", PUT, "two", PUT, "three", store=store, id="x", **options).send("a")
    rerun(play)
    assert len(asked) == 2
    play.send("b")
    assert len(asked) == 2


def test_two_who_branch_at_once_do_not_interleave(play, store):
    one = reopened(play, store, "one", "two", "three")
    play.send("a")
    other = reopened(play, store, "four")
    play.session = one
    rerun(play)
    play.session = other
    for attempt in (
        lambda: rerun(play),
        lambda: play.send("b", beside=1),
        lambda: play.session.switch(1),
    ):
        with pytest.raises(SessionConflict):
            attempt()
    assert said(reopened(play, store)) == ["a", "two"]
    play.session = one
    assert play.send("b").text == "three"


def test_a_turn_is_not_switched_away_from_while_it_runs(play, store):
    refused = []

    def watch(event, session):
        if not refused:
            with pytest.raises(UsageError, match="running"):
                session.switch(1)
            refused.append(event)

    play("one", "two", store=store, id="x").send("a")
    assert play.send("b", watch).text == "two"


def test_a_long_conversation_has_a_long_way(store):
    """And no recursion in it."""
    count = 260
    session = ChatSession(ScriptedEndpoint(*["ok"] * count), store=store, id="x")
    depth = len(inspect.stack(0))
    # With Python's own limit it would take a thousand turns, each asking with all before it.
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(depth + count)
    try:
        for _ in range(count):
            session.send("go")
        again = ChatSession(ScriptedEndpoint(), store=store, id="x")
        assert len(again.messages) == 2 * count
    finally:
        sys.setrecursionlimit(usual)


def test_a_turn_that_is_run_again_has_the_terms_it_had(play):
    play("one", "two", "three", store=MemoryStore(), id="x").send(params={"seed": 1})
    rerun(play)
    rerun(play, params={"seed": 2})
    assert [request.params for request in play.requests] == [{"seed": 1}, {"seed": 1}, {"seed": 2}]
