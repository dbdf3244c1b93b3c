"""Several who decide about the same calls at the same moment."""

from __future__ import annotations

import threading
from collections import Counter

import pytest

from soak.crash_world import World
from soak.races import Race, race
from tests.amount import amount
from tests.conversation.stores.postgres_server import NoServer, PostgresServer
from tests.patience import PATIENCE
from toolproto import Allow, ChatSession, Defer, Deny, tool
from toolproto.conversation.stores import MemoryStore
from toolproto.protocol.errors import SessionConflict, StoreError, UsageError

from .test_turns import call

ROUNDS = amount(3, 8)


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def url(request, tmp_path_factory):
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path_factory.mktemp('race') / 'sessions.db'}"
        return
    try:
        server = PostgresServer()
    except NoServer as reason:
        pytest.skip(str(reason))
    yield server.url()
    server.remove()


def test_of_processes_that_decide_at_once_one_does(url, tmp_path):
    counts, faults = race(Race(World(tmp_path, url, seed=1), rounds=ROUNDS))
    assert faults == []
    assert counts["rounds"] == ROUNDS and counts["completed"] >= ROUNDS
    assert counts["SessionConflict"] + counts["UsageError"] >= ROUNDS


@pytest.mark.parametrize("first", range(10))
def test_of_threads_that_decide_at_once_one_does(first):
    ran, store = Counter(), MemoryStore()

    def opened():
        @tool(risk="write")
        def book(seat: str) -> str:
            ran[seat] += 1
            return "booked"

        replies = [call("book", '{"seat": "A"}') + call("book", '{"seat": "B"}'), "Done."]
        options = dict(approver=lambda request: Defer(), store=store, id="x")
        return ChatSession(
            lambda request: replies[len(request.messages) > 2], "xml_tag", [book], **options
        )

    opened().send("Book them")
    sessions, start, outcomes = [opened() for _ in range(6)], threading.Barrier(6), {}
    a, b = (request.call.id for request in sessions[0].pending)

    def decide(at):
        verdicts = {a: Allow(), b: Deny()} if (at + first) % 2 else {a: Deny(), b: Allow()}
        start.wait(PATIENCE)
        try:
            result = sessions[at].resume(verdicts)
            outcomes[at] = "lost" if isinstance(result.error, SessionConflict) else result.status
        except SessionConflict:
            outcomes[at] = "lost"

    sides = [threading.Thread(target=decide, args=(at,)) for at in range(6)]
    for side in sides:
        side.start()
    for side in sides:
        side.join(PATIENCE)
    (winner,) = [at for at, outcome in outcomes.items() if outcome == "completed"]
    assert Counter(outcomes.values()) == {"completed": 1, "lost": 5}
    assert ran == {"A" if (winner + first) % 2 else "B": 1}


def test_one_session_is_not_used_by_two_threads(tmp_path):
    ran, running, go_on = [], threading.Event(), threading.Event()

    @tool(risk="write")
    def book() -> str:
        running.set()
        go_on.wait(PATIENCE)
        ran.append(1)
        return "booked"

    replies = [call("book", "{}"), "Done."]
    session = ChatSession(
        lambda request: replies[len(request.messages) > 2],
        "xml_tag",
        [book],
        approver=lambda request: Defer(),
        store=MemoryStore(),
        id="x",
    )
    session.send("Book it")
    verdicts = {session.pending[0].call.id: Allow()}
    first = threading.Thread(target=session.resume, args=(verdicts,))
    first.start()
    running.wait(PATIENCE)
    with pytest.raises(UsageError, match="a turn is running"):
        session.resume(verdicts)
    go_on.set()
    first.join(PATIENCE)
    assert ran == [1] and not session.pending


def test_a_rejection_that_comes_too_late_runs_nothing(play):
    ran, store = [], MemoryStore()

    @tool(risk="write")
    def book() -> str:
        ran.append(1)
        return "booked"

    options = dict(tools=[book], store=store, id="x")
    play(call("book", "{}"), approver=lambda request: Defer(), **options).send()
    id = play.session.pending[0].call.id
    play("Done.", **options)
    # Somebody allowed it, and was killed before anything came of it.
    log = play.session._keeping.log
    log.write([log.resuming({id: Allow()})])
    play("Done.", **options)
    with pytest.raises(SessionConflict, match="decided differently before"):
        play.resume({id: Deny()})
    assert ran == []
    assert play.resume({id: Allow()}).status == "completed" and ran == [1]


def test_an_end_that_was_not_kept_is_told(play):
    class Failing(MemoryStore):
        def append(self, id, records, at, *, durable):
            if self.fails and records[-1].kind == "ended":
                raise StoreError("the disk is full")
            super().append(id, records, at, durable=durable)

    store = Failing()
    store.fails = True
    result = play("Hello.", "Hello again.", store=store, id="x").send()
    assert (result.status, result.partial_text) == ("error", "Hello.")
    assert isinstance(result.error, StoreError) and play.session.interrupted
    store.fails = False
    assert play.resume({}).status == "completed" and not play.session.interrupted
