"""An answer does the same at once, put off and in a reopened session, under both drivers."""

from __future__ import annotations

import pytest

from tests.conversation.deciding.cells import CELLS, LATE, SAID, Talk, came_of, drawn, live
from toolproto import Allow, ChatSession, Defer, Deny, LimitReached, tool
from toolproto.endpoints import ScriptedEndpoint
from toolproto.protocol.errors import SessionConflict


def put_off(play, kind, answer, concerns, store=None):
    """Return what comes of it when every answer comes later; with *store* in another session."""
    talk = Talk(kind, concerns)
    kept = {} if store is None else {"store": store, "id": "x"}
    options = {**talk.options, "approver": lambda request: Defer(), **kept}
    play(*talk.replies, **options)
    results = [play.send(SAID)]
    while play.session.pending:
        if store is not None:
            play.session.close()
            play.open(play.endpoint, **{**options, "tools": talk.tools})
        told = {each.call.id: talk.said(answer, each) for each in play.session.pending}
        results.append(play.resume(told))
    return came_of(talk, results)


@pytest.mark.parametrize("kind, answer, concerns", drawn(60))
def test_it_is_the_same_under_both_drivers(play, kind, answer, concerns):
    talk = Talk(kind, concerns)
    approver = lambda request: talk.said(answer, request)  # noqa: E731
    play(*talk.replies, approver=approver, **talk.options)
    found = came_of(talk, [play.send(SAID)])
    assert found == live(kind, answer, concerns)
    assert found[2][0][0] == ("approval" if kind == "approval" else kind)
    assert all(count for _, count in found[2]) is (concerns or kind == "concern")


@pytest.mark.parametrize("kind, answer, concerns", drawn(60))
def test_it_is_the_same_if_the_answer_comes_later(play, kind, answer, concerns):
    assert put_off(play, kind, answer, concerns) == live(kind, answer, concerns)


@pytest.mark.parametrize("kind, answer, concerns", drawn(60))
def test_it_is_the_same_in_a_session_that_was_reopened(play, kind, answer, concerns, tmp_path):
    store = f"sqlite:///{tmp_path}/x.db"
    assert put_off(play, kind, answer, concerns, store) == live(kind, answer, concerns)


@pytest.mark.parametrize("kind, answer, concerns", drawn(60))
def test_of_two_programs_that_answer_the_second_is_told_so(play, kind, answer, concerns, tmp_path):
    talk = Talk(kind, concerns)
    options = {**talk.options, "approver": lambda request: Defer(), "id": "x"}
    options["store"] = f"sqlite:///{tmp_path}/x.db"
    play(*talk.replies, **options)
    play.send(SAID)
    other = ChatSession(ScriptedEndpoint("Done."), "xml_tag", **options)
    told = {each.call.id: talk.said(answer, each) for each in other.pending}
    play.resume(told)
    ran = list(talk.ran)
    with pytest.raises(SessionConflict):
        other.resume(told)
    assert talk.ran == ran


@pytest.mark.parametrize("kind, answer, concerns", [cell for cell in CELLS if cell[1] in LATE])
def test_a_result_from_elsewhere_lets_nothing_else_run(play, kind, answer, concerns, tmp_path):
    found = put_off(play, kind, answer, concerns)
    assert found == put_off(play, kind, answer, concerns, f"sqlite:///{tmp_path}/x.db")
    ran, _, asked, _ = found
    assert ran == [] and asked[0][0] == kind and len(asked) > 1


# -- the question about a loop --------------------------------------------------------------

PEEK = '<tool_code>{"name": "peek", "arguments": {}}</tool_code>'
PUT = '<tool_code>{"name": "put", "arguments": {"n": 1}}</tool_code>'


@pytest.fixture
def ran():
    return []


@pytest.fixture
def tools(ran):
    @tool
    def peek() -> str:
        ran.append("peek")
        return "peeked"

    @tool(risk="write")
    def put(n: int) -> str:
        ran.append("put")
        return "put"

    return [peek, put]


def test_eight_equal_reads_are_asked_about_once_for_good(play, ran, tools):
    play(*[PEEK * 8] * 3, "ok", tools=tools, approver=lambda request: Defer())
    waiting = play.send().pending
    assert [each.kind for each in waiting] == ["loop"] and ran == []
    result = play.resume({waiting[0].call.id: Allow(always=True)})
    assert (result.status, len(ran)) == ("completed", 24)


def test_going_on_in_circles_for_good_grants_no_tool(play, ran, tools):
    play(PUT * 3, PUT.replace("1", "2"), "ok", tools=tools, approver=lambda request: Defer())
    waiting = play.send().pending
    assert "changes something" in waiting[0].reason
    waiting = play.resume({waiting[0].call.id: Allow(always=True)}).pending
    assert [each.kind for each in waiting] == ["approval"] * 3 and ran == []
    waiting = play.resume({each.call.id: Allow() for each in waiting}).pending
    assert len(ran) == 3 and [each.call.arguments for each in waiting] == [{"n": 2}]


@pytest.mark.parametrize("reopened", [False, True])
def test_in_order_calls_behind_one_that_waits_wait_as_well(play, ran, tools, reopened, tmp_path):
    store = f"sqlite:///{tmp_path}/x.db"
    options = {"tools": tools, "ordering": "in_order", "store": store, "id": "x"}
    play(PEEK + PUT + PEEK, "ok", approver=lambda request: Defer(), **options)
    (request,) = play.send().pending
    assert ran == ["peek"]
    if reopened:
        play.session.close()
        play.open(play.endpoint, approver=lambda request: Defer(), **options)
    assert play.resume({request.call.id: Allow()}).status == "completed"
    assert ran == ["peek", "put", "peek"]


@pytest.mark.parametrize("answer", [Deny("no"), Deny("no", stop=True)])
def test_a_loop_that_was_put_off_and_is_denied_ends_the_turn(play, ran, tools, answer):
    play(PEEK * 3, "never", tools=tools, approver=lambda request: Defer())
    (request,) = play.send().pending
    result = play.resume({request.call.id: answer})
    assert isinstance(result.error, LimitReached) and result.error.limit == "repetition"
    assert ran == [] and len(play.requests) == 1 and len(result.not_run) == 3
