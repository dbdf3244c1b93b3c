"""A tool tells how far it is while it runs, and whoever watches the turn hears of it."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from tests.patience import PATIENCE
from toolproto import Policy, ToolContext, TurnLimits, tool
from toolproto.cli.chat.drawing import progress
from toolproto.conversation.as_json import event_json
from toolproto.conversation.turn.events import ToolProgressed, ToolStatus, ToolUpdated
from toolproto.protocol.messages import ToolCall

from .conftest import Player

CALL = '<tool_code>{"name": "work", "arguments": {}}</tool_code>'
ALL = Policy(tools={"*": "allow"})


@pytest.fixture(params=["plain", "async"])
def steps(request: pytest.FixtureRequest) -> Any:
    """A tool that goes on when its step was seen, and the event that says so."""
    seen = threading.Event()

    def told(context: ToolContext, step: int) -> None:
        context.progress(step, 3, f"step {step}")

    if request.param == "plain":

        @tool(name="work")
        def plain(context: ToolContext) -> str:
            for step in (1, 2, 3):
                if context.cancelled.is_set():
                    break
                seen.clear()
                told(context, step)
                assert seen.wait(PATIENCE)
            return "done"

        return plain, seen

    @tool(name="work")
    async def asynchronous(context: ToolContext) -> str:
        for step in (1, 2, 3):
            seen.clear()
            told(context, step)
            assert await asyncio.to_thread(seen.wait, PATIENCE)
        return "done"

    return asynchronous, seen


def test_each_step_is_an_event_while_the_tool_runs(play: Player, steps: Any) -> None:
    work, seen = steps

    def watch(event: Any, session: Any) -> None:
        if isinstance(event, ToolProgressed):
            seen.set()

    result = play(CALL, "fine", tools=[work], policy=ALL).send(watch=watch)
    assert result.text == "fine"
    news = play.of(ToolProgressed)
    assert [(each.done, each.total, each.message) for each in news] == [
        (1, 3, "step 1"), (2, 3, "step 2"), (3, 3, "step 3"),
    ]  # fmt: skip
    kinds = [each for each in play.events if isinstance(each, ToolProgressed | ToolUpdated)]
    updates = [at for at, each in enumerate(kinds) if isinstance(each, ToolUpdated)]
    assert kinds[updates[-1]].status is ToolStatus.COMPLETED and updates[-1] == len(kinds) - 1


def test_a_flood_of_steps_is_seen_one_at_a_time_and_the_last_counts(play: Player) -> None:
    @tool
    def work(context: ToolContext) -> str:
        for step in range(20_000):
            context.progress(step, message="x" * 10_000)
        return "done"

    play(CALL, "fine", tools=[work], policy=ALL).send()
    news = play.of(ToolProgressed)
    assert 1 <= len(news) < 20_000 and news[-1].done == 19_999
    assert all(len(each.message) <= 500 and each.total is None for each in news)


def test_what_an_async_tool_tells_last_is_seen_before_its_end(play: Player) -> None:
    @tool(name="work")
    async def at_once(context: ToolContext) -> str:
        context.progress(2, 2)
        return "done"

    play([CALL, CALL], "done", tools=[at_once], policy=ALL).send()
    told: dict[type, Any] = {
        ToolProgressed: lambda each: each.done,
        ToolUpdated: lambda each: each.status,
    }
    order = [each for each in play.events if type(each) in told]
    for id in {each.call.id for each in order}:
        own = [told[type(each)](each) for each in order if each.call.id == id]
        assert own == [ToolStatus.PENDING, ToolStatus.RUNNING, 2, ToolStatus.COMPLETED]


def test_nothing_is_heard_of_a_call_that_was_given_up(play: Player) -> None:
    begun, over, contexts = threading.Event(), threading.Event(), []

    @tool
    def work(context: ToolContext) -> str:
        contexts.append(context)
        begun.set()
        over.wait(PATIENCE)
        return "late"

    result = play(
        CALL, "fine", tools=[work], policy=ALL, limits=TurnLimits(tool_seconds=0.05)
    ).send()
    assert begun.wait(PATIENCE)  # on a crowded machine it is given up before
    contexts[0].progress(1, 2)
    over.set()
    assert "longer than 0.05 seconds" in result.calls[0].result.content
    assert not play.of(ToolProgressed)


def test_a_turn_can_be_cancelled_at_a_step(play: Player, steps: Any) -> None:
    work, seen = steps

    def watch(event: Any, session: Any) -> None:
        if isinstance(event, ToolProgressed):
            session.cancel()
            assert event.call.name == "work"
            seen.set()

    result = play(CALL, "fine", tools=[work], policy=ALL).send(watch=watch)
    assert result.status == "aborted"


def test_a_program_and_a_person_are_shown_it() -> None:
    call = ToolCall("work", {}, "c1")
    told = ToolProgressed(call, 3, 10, "half\x1b[2J way\nthere")
    assert progress(told) == " 3/10 half⟨U+001B⟩[2J way there"
    assert progress(ToolProgressed(call, 0.5)) == " 0.5"
    assert event_json(ToolProgressed(call, float("nan"), float("inf"), "m")) == {
        "event": "tool_progress", "id": "c1", "done": None, "total": None, "message": "m",
    }  # fmt: skip
