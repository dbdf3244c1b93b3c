"""Turns in the middle, run again and inserted; titles, workspaces, what a session is led by."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from tests.patience import PATIENCE
from toolproto import UsageError, tool
from toolproto.conversation.deciding.approvals import Allow, Defer
from toolproto.conversation.session import ChatSession, export_jsonl, import_jsonl
from toolproto.conversation.stores import MemoryStore, open_store
from toolproto.conversation.turn.compaction import Compaction
from toolproto.endpoints import ScriptedEndpoint
from toolproto.protocol.errors import EndpointError

from .test_turns import add, call

ADD = call("add", '{"a": 1, "b": 2}')


@pytest.fixture(params=["memory", "sqlite"])
def store(request, tmp_path):
    place = MemoryStore() if request.param == "memory" else open_store(tmp_path / "x.db")
    yield place
    place.close()


def run(play, work):
    """What *work* on the session comes to, whichever session it is."""
    done = work(play.session)
    return play.runner.run(done) if play.kind == "async" else done


def said(session):
    return [message.content for message in session.messages if message.content]


def agrees(play, store):
    """Whether the session is the same when it is opened again."""
    again = ChatSession(ScriptedEndpoint(), "xml_tag", store=store, id="x")
    assert again.messages == play.session.messages and not again.interrupted
    calls = [call.id for message in again.messages for call in message.calls]
    results = [each.call.id for message in again.messages for each in message.results]
    assert sorted(calls) == sorted(results)
    return True


# -- in place -----------------------------------------------------------------------------


def test_a_turn_is_run_again_in_place(play, store):
    replies = ["One.", "Two.", ADD, "Three.", "Four.", ADD, "Two, better."]
    play(*replies, tools=[add], store=store, id="x")
    for text in ("1", "2", "3", "4"):
        play.send(text)
    before = play.session.messages
    result = run(play, lambda session: session.rerun(2, keep_following=True))
    assert result.text == "Two, better."
    assert said(play.session)[:2] == ["1", "One."]
    assert [m.content for m in play.session.messages if m.role == "user" and not m.results] == [
        "1", "2", "3", "4",
    ]  # fmt: skip
    assert said(play.session)[-1] == "Four." and "Two." not in said(play.session)
    assert agrees(play, store) and len(play.requests) == 7
    play.session.switch(4)
    assert play.session.messages == before  # nothing is lost


def test_a_turn_is_inserted(play, store):
    play("One.", ADD, "Two.", "Between.", "After.", tools=[add], store=store, id="x")
    for text in ("1", "2"):
        play.send(text)
    result = run(play, lambda session: session.insert("1½", after=1))
    assert result.text == "Between."
    told = [text for text in said(play.session) if "tool" not in text]
    assert told == ["1", "One.", "1½", "Between.", "2", "Two."]
    assert [m.content for m in play.requests[3].messages[1:]] == ["1", "One.", "1½"]
    assert agrees(play, store)
    assert play.send("3").text == "After."
    assert "Between." in str(play.requests[4].messages) and agrees(play, store)
    kept = play.session.turns[3].result
    assert kept.text == "Two." and kept.calls[0].started is not None


def test_without_an_answer_nothing_follows(play, store):
    play("One.", "Two.", EndpointError("gone"), store=store, id="x")
    for text in ("1", "2"):
        play.send(text)
    assert run(play, lambda session: session.insert("1½", after=1)).status == "error"
    assert said(play.session) == ["1", "One.", "1½"]
    play.session.switch(2)
    assert said(play.session) == ["1", "One.", "2", "Two."]


def test_turns_that_were_resumed_follow_too(play, store):
    @tool(risk="write")
    def save() -> str:
        return "saved"

    play("One.", call("save", "{}"), "Saved.", "Between.", tools=[save],
         approver=lambda request: Defer(), store=store, id="x")  # fmt: skip
    play.send("1")
    waiting = play.send("2").pending
    play.resume({waiting[0].call.id: Allow()})
    run(play, lambda session: session.insert("1½", after=1))
    assert [each.content for m in play.session.messages for each in m.results] == ["saved"]
    assert said(play.session)[-1] == "Saved." and not play.session.pending and agrees(play, store)


@pytest.mark.parametrize("how", ["insert", "rerun"])
@pytest.mark.parametrize("went_on", [False, True])
def test_a_turn_behind_calls_that_waited_answers_none_twice(play, store, how, went_on):
    @tool(risk="write")
    def save() -> str:
        return "saved"

    play(call("save", "{}"), "Saved.", "Last.", "Between.", tools=[save],
         approver=lambda request: Defer(), store=store, id="x")  # fmt: skip
    waiting = play.send("1").pending
    if went_on:
        play.send("never mind")
    else:
        play.resume({waiting[0].call.id: Allow()})
    play.send("2")
    if how == "insert":
        run(play, lambda session: session.insert("1½", after=1))
    else:
        run(play, lambda session: session.rerun(1, keep_following=True))
    told = said(play.session)
    assert told[-3:] == ["Saved.", "2", "Last."] and ("never mind" in told) == went_on
    assert "Between." in told and not play.session.pending and agrees(play, store)


def test_what_is_not_on_the_way_cannot_be_followed(play):
    play("One.", "Two.", "Other.", store="memory:")
    for text in ("1", "2"):
        play.send(text)
    play.send("other", beside=2)
    for turn in (2, 9):
        with pytest.raises(UsageError, match="not in the current conversation"):
            run(play, lambda session, turn=turn: session.insert("x", after=turn))
    assert said(play.session) == ["1", "One.", "other", "Other."]


def test_a_turn_that_shortened_the_history_is_not_moved(play):
    def reply(request):
        return "Sum." if "summar" in request.messages[0].content else "word " * 300

    play.open(reply, store="memory:", compaction=Compaction(600, keep_turns=1))
    for text in ("1", "2", "3"):
        play.send(text)
    with pytest.raises(UsageError, match="shortened the history"):
        run(play, lambda session: session.insert("x", after=1))
    assert len(play.session.turns) == 3


# -- titles -------------------------------------------------------------------------------


def titled(gate):
    """An endpoint that answers at once, and finds titles when *gate* lets it."""

    def reply(request):
        if "title" not in request.messages[0].content:
            return "Hello!"
        gate.wait(PATIENCE)
        return "A Friendly Chat"

    return reply


def wait_for(play, title):
    until = time.monotonic() + PATIENCE
    while play.session.title != title and time.monotonic() < until:
        play.runner.run(asyncio.sleep(0.005)) if play.kind == "async" else time.sleep(0.005)
    return play.session.title


def test_a_title_is_found_in_the_background(play):
    gate = threading.Event()
    play.open(titled(gate), store="memory:", auto_title=True, system="Be kind.")
    assert play.send("hello there").text == "Hello!"
    assert play.session.title == "hello there"  # nobody waited for it
    gate.set()
    assert wait_for(play, "A Friendly Chat") == "A Friendly Chat"
    play.send("again")
    assert play.session.title == "A Friendly Chat"


def close(play):
    run(play, lambda session: session.aclose() if play.kind == "async" else session.close())


def test_a_session_that_is_closed_at_once_has_its_title(play, store):
    gate = threading.Event()
    play.open(titled(gate), store=store, id="x", auto_title=True, system="Be kind.")
    play.send("hello there")
    threading.Timer(0.05, gate.set).start()
    close(play)
    assert store.info("x").title == "A Friendly Chat"


def test_the_model_of_the_session_finds_its_title(play, store):
    play("Hello!", "A Friendly Chat", store=store, auto_title=True, model="small-x",
         params={"temperature": 0}, system="Be kind.")  # fmt: skip
    play.send("hello there")
    close(play)
    for request in play.requests:
        assert (request.model, request.params) == ("small-x", {"temperature": 0})
    assert "title" in play.requests[1].messages[0].content


def test_a_title_that_somebody_gave_stays(play):
    gate = threading.Event()
    play.open(titled(gate), store="memory:", auto_title=True, system="Be kind.")
    play.send("hello there")
    play.session.title = "Mine"
    gate.set()
    play.send("again")
    assert play.session.title == "Mine"


def test_a_title_that_cannot_be_found_disturbs_nobody(play):
    def reply(request):
        if "title" in request.messages[0].content:
            raise EndpointError("busy")
        return "Hello!"

    play.open(reply, store="memory:", auto_title=True, system="Be kind.")
    assert [play.send("hi").text for _ in range(3)] == ["Hello!"] * 3
    assert play.session.title == "hi"


def test_titles_are_for_sessions_that_are_kept(play):
    with pytest.raises(UsageError, match="auto_title"):
        play("hi", auto_title=True)


# -- workspaces, and what a session is led by ---------------------------------------------


def test_sessions_are_listed_by_workspace(play, store):
    for id, workspace in [("a", "home"), ("b", "work"), ("c", "")]:
        play("hi", store=store, id=id, workspace=workspace).send("hello")
        assert play.session.workspace == workspace
    assert [info.id for info in store.list(workspace="work")] == ["b"]
    assert [info.id for info in store.list(workspace="")] == ["c"]
    assert [info.id for info in store.list("hello", workspace="home")] == ["a"]
    assert len(store.list()) == 3
    play.session.workspace = "work"
    assert {info.id for info in store.list(workspace="work")} == {"b", "c"}


def test_a_session_keeps_its_paradigm_and_model(play, store):
    play("hi", "hi", paradigm="hermes", tools=[add], store=store, id="x", model="small").send()
    again = ChatSession(ScriptedEndpoint("hi"), tools=[add], store=store, id="x")
    assert (again.paradigm.name, again.model) == ("hermes", "small")
    again.paradigm, again.model = "xml_tag", ""
    again.send("on")
    again = ChatSession(ScriptedEndpoint("hi"), tools=[add], store=store, id="x")
    assert (again.paradigm.name, again.model) == ("xml_tag", "")
    other = ChatSession(ScriptedEndpoint("hi"), "json_strict", store=store, id="x", model="m")
    assert (other.paradigm.name, other.model) == ("json_strict", "m")
    assert ChatSession(ScriptedEndpoint("hi")).paradigm.name == "json_strict"


def test_what_a_turn_writes_does_not_grow_with_the_session(play):
    store = MemoryStore()
    play(*[ADD, "Three."] * 30, tools=[add], store=store, id="x")
    sizes = []
    for _ in range(30):
        before = sum(len(line) for line in export_jsonl(store, "x"))
        play.send("go")
        sizes.append(sum(len(line) for line in export_jsonl(store, "x")) - before)
    assert max(sizes[1:]) - min(sizes[1:]) < 40


def test_an_imported_session_has_its_branches(play, store):
    play("One.", "Two.", "Between.", store=store, id="x")
    for text in ("1", "2"):
        play.send(text)
    run(play, lambda session: session.insert("1½", after=1))
    other = MemoryStore()
    import_jsonl(other, export_jsonl(store, "x"))
    again = ChatSession(ScriptedEndpoint(), store=other, id="x")
    assert said(again) == said(play.session) and len(again.turns) == 4
