"""Turns that are due, and workers that take them."""

from __future__ import annotations

import os
import signal
import threading
import warnings

import psycopg
import pytest

from soak.forking import ended, forked
from toolproto import ChatSession, tool
from toolproto.conversation.session.worker import SessionWorker
from toolproto.conversation.stores.sql.queue import TurnQueue
from toolproto.endpoints.recorded.scripted import ScriptedEndpoint
from toolproto.protocol.errors import StoreFull, UsageError

CALL = '<tool_code>{"name": "note", "arguments": {"text": "this"}}</tool_code>'


@pytest.fixture
def queue(postgres_url):
    made = TurnQueue(postgres_url, lease=60)
    yield made
    made.close()


def expire(url):
    """Let every worker be as long gone as its lease."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("UPDATE toolproto_due SET until = now() - interval '1 second'")


def test_a_turn_is_taken_once_and_in_the_order_of_its_session(queue):
    numbers = [queue.put(session, text) for session, text in (("a", "1"), ("a", "2"), ("b", "3"))]
    first, second = queue.take("one"), queue.take("two")
    assert (first.id, first.session, first.message, first.attempts) == (numbers[0], "a", "1", 1)
    assert second.session == "b"  # a has something to do before
    assert queue.take("three") is None
    assert queue.finish(first, "one", "completed")
    assert queue.take("three").message == "2"


def test_a_worker_that_is_not_heard_of_loses_its_turn(queue, postgres_url):
    queue.put("a", "hello")
    lost = queue.take("one")
    assert queue.hold(lost, "one")
    expire(postgres_url)
    again = queue.take("two")
    assert (again.id, again.attempts) == (lost.id, 2)
    assert not queue.hold(lost, "one")
    assert not queue.finish(lost, "one", "completed")
    assert queue.finish(again, "two", "completed")
    assert (queue.figures().due, queue.figures().done, queue.figures().taken) == (0, 1, 2)


def test_what_is_given_back_is_taken_at_once(queue):
    queue.put("a", "hello")
    queue.give_back(queue.take("one"), "one")
    assert queue.take("two").attempts == 2


def test_no_more_is_taken_in_than_there_is_room_for(postgres_url):
    queue = TurnQueue(postgres_url, room=2)
    queue.put("a", "1"), queue.put("b", "2")
    with pytest.raises(StoreFull, match="2 turns are waiting already"):
        queue.put("c", "3")
    queue.finish(queue.take("one"), "one", "completed")
    queue.put("c", "3")
    queue.close()


def test_what_was_done_long_ago_is_forgotten(queue):
    for session in "abc":
        queue.put(session, "hello")
    queue.finish(queue.take("one"), "one", "completed")
    assert queue.forget(age=3600) == 0
    assert queue.forget(age=0) == 1
    assert queue.figures().due == 2


def test_only_postgresql_shares_turns(tmp_path):
    with pytest.raises(UsageError, match="postgresql://"):
        TurnQueue(f"sqlite:///{tmp_path / 'a.db'}")


# -- workers ----------------------------------------------------------------------------------


def opened(url, *replies, tools=()):
    def session(id):
        return ChatSession(ScriptedEndpoint(*replies), "xml_tag", tools, store=url, id=id)

    return session


def test_a_worker_takes_turns_of_any_session(queue, postgres_url):
    for session in ("a", "b", "a"):
        queue.put(session, "hello")
    worker = SessionWorker(queue, opened(postgres_url, "Hello."))
    assert [worker.take_one() for _ in range(4)] == [True, True, True, False]
    for id, turns in (("a", 2), ("b", 1)):
        session = opened(postgres_url)(id)
        assert len(session.turns) == turns and not session.interrupted
        session.close()


def killed(work):
    """Do *work* in a process that kills itself in the middle of it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking beside threads
        assert ended(forked(work)) == -signal.SIGKILL


def test_a_turn_that_another_began_is_gone_on_with_and_not_begun_again(
    queue, postgres_url, tmp_path
):
    @tool(risk="read")
    def note(text: str) -> str:
        """Write it down."""
        with open(tmp_path / "notes", "a") as file:
            file.write(f"{text}\n")
        return "noted"

    def dies(request):
        os.kill(os.getpid(), signal.SIGKILL)

    def begin():
        own = TurnQueue(postgres_url, lease=60)
        session = opened(postgres_url, CALL, dies, tools=[note])
        SessionWorker(own, session).take_one()
        return 0

    queue.put("a", "Note it.")
    killed(begin)
    expire(postgres_url)
    worker = SessionWorker(queue, opened(postgres_url, "It is noted.", tools=[note]))
    assert worker.take_one()
    assert (tmp_path / "notes").read_text() == "this\n"
    whole = opened(postgres_url)("a")
    assert not whole.interrupted
    assert [message.role for message in whole.messages] == ["user", "assistant"] * 2
    assert whole.messages[0].content == "Note it."
    assert whole.messages[-1].content == "It is noted."
    whole.close()


def test_a_turn_whose_worker_died_before_it_could_say_so_is_not_done_again(queue, postgres_url):
    queue.put("a", "hello")
    turn = queue.take("dead")
    session = opened(postgres_url, "Hello.")("a")
    queue.begin(turn, "dead", 0)
    session.send("hello")
    session.close()
    expire(postgres_url)
    assert SessionWorker(queue, opened(postgres_url)).take_one()  # there is no reply to be had
    whole = opened(postgres_url)("a")
    assert len(whole.turns) == 1
    whole.close()


def test_a_turn_that_nobody_can_take_is_given_up(queue, postgres_url):
    queue.put("a", "hello")

    def refused(id):
        raise UsageError("no such model")

    assert SessionWorker(queue, refused).take_one()
    queue.put("b", "hello")
    for _ in range(20):
        queue.give_back(queue.take("dead"), "dead")
    assert SessionWorker(queue, refused).take_one()
    with psycopg.connect(postgres_url) as connection:
        told = connection.execute("SELECT outcome FROM toolproto_due ORDER BY id").fetchall()
    assert told == [("refused: no such model",), ("given up after 20 attempts",)]


def test_no_lock_is_held_while_a_model_talks(queue, postgres_url):
    seen = []
    #: What connections of ours hold or are within, as the server itself sees it.
    watched = """
        SELECT count(l.pid), count(a.xact_start)
        FROM pg_stat_activity a LEFT JOIN pg_locks l ON l.pid = a.pid
        WHERE a.application_name = 'toolproto'"""

    def talks(request):
        with psycopg.connect(postgres_url, application_name="watcher") as connection:
            seen.append(connection.execute(watched).fetchone())
        return "Hello."

    queue.put("a", "hello")
    session = opened(postgres_url, talks)
    assert SessionWorker(queue, session).take_one()
    assert seen == [(0, 0)]


def test_a_worker_ends_when_it_is_told_to(queue, postgres_url):
    stop = threading.Event()
    worker = SessionWorker(queue, opened(postgres_url, "Hello."))
    thread = threading.Thread(target=worker.work, args=(stop,))
    thread.start()
    queue.put("a", "hello")
    while queue.figures().due:
        stop.wait(0.02)
    stop.set()
    thread.join()
    assert queue.figures().done == 1
