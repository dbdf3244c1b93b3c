"""Sessions that are kept: opened again, gone on with after a crash, decided about later."""

from __future__ import annotations

import contextlib

import pytest

from toolproto import Allow, Defer, UsageError, merge, tool
from toolproto.conversation.journal.journal import unpacked
from toolproto.conversation.session import AsyncChatSession, ChatSession
from toolproto.conversation.stores import MemoryStore
from toolproto.conversation.turn.call_results import UNKNOWN_OUTCOME
from toolproto.conversation.turn.events import StateChanged, ToolUpdated, TurnEnded
from toolproto.protocol.errors import SessionConflict

from .test_turns import add, call

ADD = call("add", '{"a": 1, "b": 2}')


@pytest.fixture
def store():
    return MemoryStore()


class Killed(BaseException):
    """The process is gone: nothing is cleaned up, nothing more is written."""


class Dying(MemoryStore):
    """A store that is killed at its n-th append, before or after it is done."""

    def __init__(self, n: int, after: bool) -> None:
        super().__init__()
        self.left, self.after = n, after

    def append(self, id, records, at, *, durable):
        self.left -= 1
        if self.left == 0 and not self.after:
            raise Killed
        if self.left < 0:
            raise Killed
        super().append(id, records, at, durable=durable)
        if self.left == 0:
            raise Killed


def ids(session):
    calls = [call.id for message in session.messages for call in message.calls]
    answered = [each.call.id for message in session.messages for each in message.results]
    return calls, answered


def test_a_session_is_opened_again(play, store):
    play(ADD, "It is 3.", tools=[add], store=store, id="sum").send("1+2?")
    said = play.session.messages
    play("You asked for a sum.", tools=[add], store=store, id="sum")
    assert play.session.messages == said
    assert play.send("What did I ask?").text == "You asked for a sum."
    shown = [message.content for message in play.requests[0].messages]
    assert "1+2?" in shown[1] and "It is 3." in shown[-2]


def test_only_what_is_there_can_be_opened(play, store):
    kinds = {"sync": ChatSession, "async": AsyncChatSession}
    with pytest.raises(UsageError, match="no session 'trip'"):
        kinds[play.kind].open(store, "trip", endpoint=lambda request: "hi")
    play("hi", store=store, id="trip").send()
    session = kinds[play.kind].open(store, "trip", endpoint=lambda request: "hi", tools=[add])
    assert len(session.messages) == 2


def test_a_pending_call_is_decided_about_in_another_process(play, store):
    ran = []

    @tool(risk="write")
    def book(flight: str) -> str:
        ran.append(flight)
        return "booked"

    options = dict(tools=[book], store=store, id="trip")
    later = dict(approver=lambda request: Defer(), **options)
    first = play(call("book", '{"flight": "LH1"}'), **later).send("Book the cheaper one.")
    assert first.status == "pending"
    play("It is booked.", **options)
    (request,) = play.session.pending
    assert request.call.arguments == {"flight": "LH1"} and request.digest == first.pending[0].digest
    result = play.resume({request.call.id: Allow()})
    assert (result.text, ran) == ("It is booked.", ["LH1"])
    with pytest.raises(UsageError, match="no call is pending"):
        play.resume({request.call.id: Allow()})


def test_two_who_decide_at_once_run_the_call_once(play, store):
    ran = []

    @tool(risk="write")
    def book() -> str:
        ran.append(1)
        return "booked"

    options = dict(tools=[book], store=store, id="trip")
    play(call("book", "{}"), approver=lambda request: Defer(), **options).send()
    id = play.session.pending[0].call.id
    one = play("yes", **options).session
    other = play("yes", **options).session
    play.session = one
    assert play.resume({id: Allow()}).status == "completed"
    play.session = other
    with pytest.raises(SessionConflict):
        play.resume({id: Allow()})
    assert ran == [1]


def test_two_who_write_at_once_do_not_interleave(play, store):
    one = play("one", "one", store=store, id="x").session
    other = play("other", store=store, id="x").session
    play.session = one
    play.send("a")
    play.session = other
    with pytest.raises(SessionConflict):
        play.send("b")
    with pytest.raises(SessionConflict):
        play.send("c")
    play.session = one
    assert play.send("d").status == "completed"
    assert [m.content for m in one.messages if m.role == "user"] == ["a", "d"]


def test_a_turn_told_again_is_the_same_turn(play, store):
    """Event for event, but for how the text was cut."""
    play(ADD, call("nope", "{}"), "It is 3.", tools=[add], store=store, id="x").send("1+2?")
    live, result = play.events, play.session.result
    # What a crash just before the last record would have left.
    copy = MemoryStore()
    copy.create("x")
    told = [each for record in store.read("x") for each in unpacked(record)]
    records = [each for each in told if each.kind != "ended"]
    copy.append("x", records, 0, durable=True)
    play(tools=[add], store=copy, id="x")
    assert play.session.interrupted
    again = play.resume({})
    assert merged(play.events) == merged(live)
    assert again == result and play.requests == []


def merged(events):
    out, run = [], []
    for event in events:
        if (
            isinstance(event, StateChanged | ToolUpdated | TurnEnded)
            or "turn" in type(event).__module__
        ):
            out += [*merge(run), event]
            run = []
        else:
            run.append(event)
    return out + merge(run)


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("n", range(1, 12))
@pytest.mark.parametrize("resume", [True, False])
def test_a_call_runs_at_most_once_wherever_the_program_is_killed(play, n, after, resume):
    ran = []

    @tool(risk="write", needs_approval=False)
    def book(flight: str) -> str:
        ran.append(flight)
        return f"booked {flight}"

    store = Dying(n, after)
    store.create("trip")
    store.left = n
    options = dict(tools=[book], id="trip")
    script = [call("book", '{"flight": "LH1"}'), call("book", '{"flight": "LH2"}'), "Both."]
    with contextlib.suppress(Killed):
        play(*script, store=store, **options).send("Book both")
    before = list(ran)
    kept = MemoryStore()
    kept.create("trip")
    kept.append("trip", store.read("trip"), 0, durable=True)
    told = [each for record in kept.read("trip") for each in unpacked(record)]
    left = script[[each.kind for each in told].count("reply") :]
    play(*left, store=kept, **options)
    if play.session.interrupted and resume:
        result = play.resume({})
        assert result.status == "completed"
    else:
        play("ok", "ok", store=kept, **options).send("And now?")
    assert len(ran) == len(set(ran)) <= 2
    calls, answered = ids(play.session)
    assert sorted(calls) == sorted(answered)
    sent = "\n".join(m.content for r in play.requests for m in r.messages)
    unknown = [r for m in play.session.messages for r in m.results if r.content == UNKNOWN_OUTCOME]
    for flight in before:
        outcomes = [
            r.content
            for m in play.session.messages
            for r in m.results
            if r.call.arguments == {"flight": flight}
        ]
        assert outcomes == [f"booked {flight}"] or outcomes == [UNKNOWN_OUTCOME] or not outcomes
    if unknown:
        assert "outcome unknown" in sent


def test_an_idempotent_call_is_run_again(play):
    ran = []

    @tool(risk="write", needs_approval=False, idempotent=True)
    def put(value: int) -> str:
        ran.append(value)
        return "put"

    @tool(risk="write", needs_approval=False)
    def pay(value: int) -> str:
        ran.append(-value)
        return "paid"

    both = call("put", '{"value": 1}') + call("pay", '{"value": 2}')
    store = MemoryStore()
    play(both, "ok", tools=[put, pay], store=store, id="x").send()
    kept = MemoryStore()
    kept.create("x")
    records = store.read("x")
    until = next(at for at, each in enumerate(records) if each.kind == "started") + 1
    kept.append("x", records[:until], 0, durable=True)
    ran.clear()
    play("done", tools=[put, pay], store=kept, id="x")
    result = play.resume({})
    assert result.text == "done" and ran == [1]
    assert [each.result.content for each in result.calls] == ["put", UNKNOWN_OUTCOME]


def test_bytes_written_do_not_grow_with_the_conversation(play, store):
    sizes = []
    play(*["ok"] * 30, store=store, id="x")
    for _ in range(30):
        before = len(store.read("x"))
        play.send("hello")
        sizes.append(len(str(store.read("x", before))))
    assert max(sizes[1:]) <= min(sizes[1:]) * 1.2


def test_always_and_denials_are_remembered(play, store):
    asked = []

    @tool(risk="write")
    def put() -> str:
        return "put"

    def approver(request):
        asked.append(request)
        return Allow(always=True)

    options = dict(tools=[put], store=store, id="x", approver=approver)
    play(call("put", "{}"), "ok", **options).send()
    play(call("put", "{}"), "ok", **options).send()
    assert len(asked) == 1
