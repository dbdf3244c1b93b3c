"""Workers that share the turns of many sessions."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import threading
import time
import warnings
from contextlib import contextmanager

import psycopg
import pytest

from soak.forking import ended, forked
from tests.patience import PATIENCE
from toolproto import Allow, ChatSession, Defer, tool
from toolproto.conversation.session.workers import SessionWorkers
from toolproto.conversation.stores import SqlStore
from toolproto.endpoints.recorded.scripted import ScriptedEndpoint
from toolproto.protocol.errors import StoreError, StoreFull, UsageError

CALL = '<tool_code>{"name": "note", "arguments": {"text": "this"}}</tool_code>'
#: Seconds after which a worker that is not heard of has lost its turns.
LEASE = 0.6


@pytest.fixture
def store(postgres_url):
    made = SqlStore(postgres_url)
    yield made
    made.close()


@pytest.fixture
def queue(postgres_url):
    made = SessionWorkers(postgres_url)
    made.prepare()
    made.prepare()  # which does nothing the second time
    yield made
    made.close()


def opened(store, *replies, tools=(), **options):
    def session(id):
        endpoint = ScriptedEndpoint(*replies)
        return ChatSession(endpoint, "xml_tag", tools, store=store, id=id, **options)

    return session


@contextmanager
def working(url, opened, *, lease=LEASE, concurrency=4):
    """A worker, in a thread of its own, that ends its turns when the block does."""
    workers = SessionWorkers(url, opened, lease=lease)
    thread = threading.Thread(target=workers.work, args=(concurrency,))
    thread.start()
    try:
        yield workers
    finally:
        workers.stop()
        thread.join(PATIENCE)
        workers.close()
        assert not thread.is_alive()


def ask(url, query):
    with psycopg.connect(url, autocommit=True, application_name="watcher") as connection:
        return connection.execute(query).fetchall()


def wait_for(url, statuses=()):
    """Wait until all jobs are over; those that remain have *statuses*."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        found = [row[0] for row in ask(url, "SELECT status::text FROM procrastinate_jobs")]
        if not {"todo", "doing"} & set(found):
            assert sorted(found) == sorted(statuses)
            return
        time.sleep(0.02)
    raise AssertionError(f"there are still jobs: {found}")


def contents(store, id):
    session = ChatSession(ScriptedEndpoint(), store=store, id=id)
    assert not session.interrupted
    return [turn.message.content for turn in session.turns if turn.message]


def test_a_worker_takes_the_turns_of_all_sessions_each_in_its_order(queue, postgres_url, store):
    for number in range(4):
        for id in ("a", "b", "c"):
            queue.send(id, f"{id}{number}")
    with working(postgres_url, opened(store, "Hello.")):
        wait_for(postgres_url)
    for id in ("a", "b", "c"):
        assert contents(store, id) == [f"{id}{number}" for number in range(4)]


def test_a_message_that_comes_twice_is_answered_once(queue, postgres_url, store):
    ids = [queue.send("a", "hello", message_id="m1") for _ in range(3)]
    other = queue.send("a", "hello")
    assert ids == ["m1"] * 3 and other != "m1"
    with working(postgres_url, opened(store, "Hello.")):
        wait_for(postgres_url)
        queue.send("a", "hello", message_id="m1")
        wait_for(postgres_url)
    session = ChatSession(ScriptedEndpoint(), store=store, id="a")
    assert [turn.message_id for turn in session.turns] == ["m1", other]


def test_decisions_come_when_they_come(queue, postgres_url, store):
    ran = []

    @tool(risk="write")
    def note(text: str) -> str:
        """Write it down."""
        ran.append(text)
        return "noted"

    replies = opened(store, CALL, tools=[note], approver=lambda request: Defer())
    queue.send("a", "Note it.")
    with working(postgres_url, replies):
        wait_for(postgres_url)  # nothing is kept waiting for the decision
    (request,) = opened(store)("a").pending
    for _ in range(2):
        queue.resume("a", {request.call.id: Allow()}, message_id="yes")
    with working(postgres_url, opened(store, "It is noted.", tools=[note])):
        wait_for(postgres_url)
        assert ran == ["this"]
        assert opened(store)("a").messages[-1].content == "It is noted."
        queue.resume("a", {request.call.id: Allow()}, message_id="yes, again")
        wait_for(postgres_url, ["failed"])  # no call is pending
    assert ran == ["this"]


def test_a_turn_whose_worker_died_is_continued_by_another(queue, postgres_url, tmp_path):
    @tool(risk="read")
    def note(text: str) -> str:
        """Write it down."""
        with open(tmp_path / "notes", "a") as file:
            file.write(f"{text}\n")
        return "noted"

    def dies(request):
        os.kill(os.getpid(), signal.SIGKILL)

    def begin():
        SessionWorkers(postgres_url, opened(postgres_url, CALL, dies, tools=[note])).work()
        return 0

    queue.send("a", "Note it.")
    queue.send("a", "And then?")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking beside threads
        assert ended(forked(begin)) == -signal.SIGKILL
    store = SqlStore(postgres_url)
    with working(postgres_url, opened(store, "It is noted.", tools=[note])):
        wait_for(postgres_url)
    assert (tmp_path / "notes").read_text() == "this\n"
    whole = opened(store)("a")
    assert contents(store, "a") == ["Note it.", "And then?"]
    assert [message.role for message in whole.messages] == ["user", "assistant"] * 3
    store.close()


def test_a_turn_whose_end_could_not_be_told_is_not_done_again(queue, postgres_url, store):
    def forgets(request):
        # As if the database went away just before it could be told.
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            connection.execute(
                "ALTER FUNCTION procrastinate_finish_job_v1 RENAME TO procrastinate_finish_lost"
            )
        return "Hello."

    queue.send("a", "hello")
    queue.send("a", "and?")
    replies = iter([forgets, "Once more."])

    def session(id):
        return ChatSession(ScriptedEndpoint(next(replies, "?")), store=store, id=id)

    with working(postgres_url, session):
        until = time.monotonic() + PATIENCE
        while not (turns := opened(store)("a").turns) or turns[0].status is None:
            assert time.monotonic() < until
            time.sleep(0.02)
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            connection.execute(
                "ALTER FUNCTION procrastinate_finish_lost RENAME TO procrastinate_finish_job_v1"
            )
        wait_for(postgres_url)
    assert contents(store, "a") == ["hello", "and?"]


def test_a_store_that_cannot_be_written_to_is_tried_again(queue, postgres_url, store):
    failures = iter([StoreError("it is gone"), StoreError("it is gone")])

    def session(id):
        for error in failures:
            raise error
        return opened(store, "Hello.")(id)

    queue.send("a", "hello")
    with working(postgres_url, session):
        wait_for(postgres_url)
    assert contents(store, "a") == ["hello"]


def test_a_turn_that_nobody_can_do_is_given_up_and_the_next_one_is_done(queue, postgres_url, store):
    refusals = iter([UsageError("no such model")])

    def session(id):
        for error in refusals:
            raise error
        return opened(store, "Hello.")(id)

    queue.send("a", "first")
    queue.send("a", "second")
    queue.send("b", "third")
    ask(postgres_url, "UPDATE procrastinate_jobs SET attempts = 20 WHERE lock = 'b' RETURNING 1")
    with working(postgres_url, session):
        wait_for(postgres_url, ["failed", "failed"])
    assert contents(store, "a") == ["second"]
    assert contents(store, "b") == []


def test_a_worker_that_lost_its_turn_leaves_it_to_the_other(queue, postgres_url, store):
    begun, go = threading.Event(), threading.Event()

    def sleeps(request):
        begun.set()
        assert go.wait(PATIENCE)
        return "Too late."

    def wakes(request):
        go.set()
        time.sleep(2 * LEASE)  # the first one has noticed by now that the turn is not its own
        return "In time."

    queue.send("a", "hello")
    queue.send("a", "and?")
    with working(postgres_url, opened(store, sleeps), lease=1000):
        assert begun.wait(PATIENCE)
        ask(postgres_url, "UPDATE procrastinate_workers SET last_heartbeat = 'epoch' RETURNING 1")
        with working(postgres_url, opened(store, wakes, "And so on.")):
            wait_for(postgres_url)
    assert contents(store, "a") == ["hello", "and?"]
    assert len(opened(store)("a").turns) == 2


def test_no_lock_or_transaction_is_held_while_a_model_talks(queue, postgres_url, store):
    seen = []
    #: What connections of ours hold or are within, as the server itself sees it.
    watched = """
        SELECT count(l.pid), count(a.xact_start)
        FROM pg_stat_activity a LEFT JOIN pg_locks l ON l.pid = a.pid
        WHERE a.application_name = 'toolproto'"""

    def talks(request):
        time.sleep(0.3)  # what the worker did to begin is over
        seen.extend(ask(postgres_url, watched))
        return "Hello."

    queue.send("a", "hello")
    with working(postgres_url, opened(store, talks), lease=1000):
        wait_for(postgres_url)
    assert seen == [(0, 0)]


def test_a_worker_finishes_its_turns_and_takes_no_more_when_it_is_told_to_end(
    queue, postgres_url, store
):
    talking, go = threading.Event(), threading.Event()

    def talks(request):
        talking.set()
        assert go.wait(PATIENCE)
        return "Hello."

    queue.send("a", "hello")
    with working(postgres_url, opened(store, talks)) as workers:
        assert talking.wait(PATIENCE)
        workers.stop()
        queue.send("b", "hello")
        with working(postgres_url, opened(store, "Hello.")):  # which could take it over
            time.sleep(3 * LEASE)
            go.set()
            wait_for(postgres_url)
    assert contents(store, "a") == ["hello"]
    assert ask(postgres_url, "SELECT count(*) FROM procrastinate_jobs") == [(0,)]


def test_no_more_is_taken_in_than_there_is_room_for(queue, postgres_url):
    small = SessionWorkers(postgres_url, room=2)
    small.send("a", "1")
    small.send("b", "2")
    with pytest.raises(StoreFull, match="2 turns wait already"):
        small.send("c", "3")
    small.close()


@pytest.mark.parametrize(
    ("message", "id", "error"),
    [("", None, "empty"), ("hello", "", "message_id"), ("hello", "x" * 201, "message_id")],
)
def test_what_no_session_would_take_is_refused_at_once(queue, message, id, error):
    with pytest.raises(UsageError, match=error):
        queue.send("a", message, message_id=id)


def test_any_text_goes_through(queue, postgres_url, store):
    text = "NUL \0, half a pair \ud83d, é, 中"
    queue.send("a", text, message_id="é")
    with working(postgres_url, opened(store, "Hello.")):
        wait_for(postgres_url)
    assert contents(store, "a") == [text]


def test_a_database_that_is_not_there_is_a_store_error():
    workers = SessionWorkers("postgresql://nobody:secret-4711@127.0.0.1:1/none?connect_timeout=1")
    workers._door.pool.timeout = 0.2
    with pytest.raises(StoreError, match="the queue cannot be used") as caught:
        workers.send("a", "hello")
    assert "secret" not in str(caught.value)
    workers.close()


def test_room_and_lease_are_above_0():
    for options in ({"room": 0}, {"lease": 0}):
        with pytest.raises(UsageError, match="above 0"):
            SessionWorkers("postgresql://host/database", **options)


def test_without_procrastinate_it_is_said_what_to_install(monkeypatch):
    monkeypatch.delitem(sys.modules, "toolproto.conversation.session.workers")
    monkeypatch.setitem(sys.modules, "procrastinate", None)
    with pytest.raises(UsageError, match=r"pip install .*\[workers\]"):
        importlib.import_module("toolproto.conversation.session.workers")
