"""A turn can be stopped at any moment, from anywhere, and the session goes on."""

from __future__ import annotations

import asyncio
import random
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from tests.amount import amount
from tests.patience import PATIENCE
from toolproto import TextDelta, tool
from toolproto.conversation.deciding.approvals import Allow
from toolproto.conversation.hooks import Hooks
from toolproto.conversation.turn.events import StateChanged, ToolStatus, ToolUpdated, TurnEnded
from toolproto.conversation.turn.states import TERMINAL, TurnState
from toolproto.endpoints import Hold
from toolproto.protocol.errors import TurnCancelled
from toolproto.protocol.tools.context import ToolContext

from .test_stateful import check_request, wait_for_tools
from .test_turns import call

TIMES = amount(4, 30)
SAVE = call("save", '{"n": 1}')


def in_a_thread(function: Callable[[], Any]) -> None:
    """Call *function* from another thread, and wait for it."""
    thread = threading.Thread(target=function)
    thread.start()
    thread.join()


class Scene(Hooks):
    """A turn with hooks, an approver, a reviewer and a tool, one of which acts at *moment*."""

    def __init__(self, moment: str) -> None:
        self.comes = moment
        self.act: Callable[[], Any] = lambda: None
        self.tool = self._tool()
        self.arm()

    def arm(self) -> None:
        """From the beginning: nothing has happened yet."""
        self.moment = self.comes
        self.started = self.cleaned = 0
        self.hold = Hold()

    def at(self, moment: str) -> None:
        if moment == self.moment:
            self.moment = ""
            self.act()

    def on_turn_start(self, turn):
        self.started += 1
        self.at("on_turn_start")
        return lambda: self._clean_up()

    def _clean_up(self):
        self.cleaned += 1
        self.at("clean_up")

    def on_before_request(self, moment):
        self.at("on_before_request")

    def on_stream_data(self, data):
        self.at("on_stream_data")

    def on_after_request(self, moment):
        self.at("on_after_request")

    def before_tool(self, call, tool):
        self.at("before_tool")

    def after_tool(self, result):
        self.at("after_tool")

    def on_turn_end(self, result):
        self.at("on_turn_end")

    def approve(self, request):
        self.at("asking")
        return Allow()

    def review(self, result):
        self.at("reviewing")

    def watch(self, event, session):
        if isinstance(event, StateChanged):
            self.at(event.snapshot.state.value)
        elif isinstance(event, TextDelta):
            self.at("text")

    @property
    def script(self) -> list[Any]:
        said: list[Any] = ["Let me ", lambda: self.at("between chunks"), f"see. {SAVE}"]
        if self.moment == "before the first chunk":
            said.insert(0, self.hold)
        elif self.moment == "in the middle of the reply":
            said.insert(1, self.hold)
        return [said, "It is saved.", "Yes.", "Yes.", "Yes."]

    def options(self) -> dict[str, Any]:
        watched = {"approver": self.approve, "reviewer": self.review}
        return {"tools": [self.tool], "hooks": [self], **watched}

    def _tool(self) -> Any:
        @tool(risk="write")
        def save(n: int, context: ToolContext) -> str:
            self.at("in a tool")
            if self.moment == "while a tool hangs":
                self.hold.reached.set()
                assert context.cancelled.wait(PATIENCE), "the tool was not told"
            return "saved"

        return save


def check_history(session: Any) -> None:
    """Every call has its one result, and the conversation can be sent."""
    calls = Counter(call.id for message in session.messages for call in message.calls)
    results = Counter(each.call.id for message in session.messages for each in message.results)
    assert calls == results and set(calls.values()) <= {1}


def check_usable(player: Any) -> None:
    """The session goes on as if nothing had been."""
    assert player.endpoint.open == 0 and player.session.state in TERMINAL
    check_history(player.session)
    assert player.send("and now?").status == "completed"
    assert player.endpoint.open == 0
    for request in player.requests:
        if request.messages[0].role == "system":
            check_request(request.messages)


def check_ended(player: Any, scene: Scene) -> None:
    """The turn ended once, was tidied up after, and left nothing running."""
    assert len(player.of(TurnEnded)) == 1 and isinstance(player.events[-1], TurnEnded)
    assert scene.started == scene.cleaned
    assert wait_for_tools()
    if player.kind == "async":
        assert player.runner.run(other_tasks()) == set()
    check_usable(player)


async def other_tasks() -> set[Any]:
    return asyncio.all_tasks() - {asyncio.current_task()}


# -- from within, and from another thread -------------------------------------------------

STOPPING = ["on_turn_start", "on_before_request", "on_stream_data", "on_after_request"]
STOPPING += ["before_tool", "after_tool", "asking", "reviewing", "in a tool", "between chunks"]
STOPPING += ["text", "preparing", "streaming", "tool_call"]
ENDING = ["finalizing", "on_turn_end", "clean_up", "completed"]


@pytest.mark.parametrize("way", ["here", "in a thread"])
@pytest.mark.parametrize("moment", STOPPING + ENDING)
def test_a_turn_is_cancelled_at_any_moment(play, moment, way):
    scene = Scene(moment)
    for _ in range(TIMES):
        scene.arm()
        play(*scene.script, **scene.options())
        cancel = play.session.cancel
        scene.act = cancel if way == "here" else lambda cancel=cancel: in_a_thread(cancel)
        result = play.send(watch=scene.watch)
        if moment in STOPPING:
            assert result.status == "aborted" and isinstance(result.error, TurnCancelled)
            assert play.session.state is TurnState.CANCELLED
        else:  # the answer is there: whether it still counts as cancelled is a matter of taste
            assert result.status in ("aborted", "completed")
            assert result.partial_text == "It is saved."
        assert scene.moment == "", "the moment never came"
        check_ended(play, scene)


WAITING = ["before the first chunk", "in the middle of the reply", "while a tool hangs"]


@pytest.mark.parametrize("moment", WAITING)
def test_a_turn_that_waits_is_woken(play, moment):
    scene = Scene(moment)
    for _ in range(TIMES):
        scene.arm()
        play(*scene.script, **scene.options())

        def cancel():
            assert scene.hold.reached.wait(PATIENCE)
            play.session.cancel()

        thread = threading.Thread(target=cancel)
        thread.start()
        result = play.send()
        thread.join()
        assert result.status == "aborted"
        if moment == "while a tool hangs":
            assert "may have taken effect" in result.calls[0].result.content
        check_ended(play, scene)


def test_cancelling_without_a_turn_does_nothing(play):
    play("one", "two", "three")
    for _ in range(TIMES):
        play.session.cancel()
        in_a_thread(play.session.cancel)
    assert play.send().status == "completed"
    play.session.cancel()
    assert play.session.state is TurnState.COMPLETED and play.session.result.text == "one"
    assert play.send().text == "two"


def test_cancelling_often_is_cancelling_once(play):
    scene = Scene("text")
    for _ in range(TIMES):
        scene.arm()
        play(*scene.script, **scene.options())
        scene.act = lambda: [play.session.cancel() for _ in range(3)]
        assert play.send(watch=scene.watch).status == "aborted"
        check_ended(play, scene)


def test_a_cancel_from_any_thread_at_any_time_ends_the_turn_once(play):
    @tool(risk="write")
    def save(n: int) -> str:
        return "saved"

    @tool
    def look(n: int) -> str:
        return "nothing"

    scene = Scene("")
    for seed in range(amount(80, 300)):
        scene.arm()
        both = SAVE + call("look", f'{{"n": {seed}}}')
        others = [call("look", f'{{"n": {seed + at}}}') for at in (1, 2)]
        replies = [["Well. ", both], *others, "That is it.", "Yes.", "Yes."]
        approver = {"approver": scene.approve, "hooks": [scene]}
        play(*replies, "Yes.", tools=[save, look], **approver)
        timer = threading.Timer(random.Random(seed).uniform(0, 0.004), play.session.cancel)
        timer.start()
        assert play.send().status in ("aborted", "completed")
        timer.join()
        check_ended(play, scene)


# -- tools and hooks that make it hard ----------------------------------------------------


def cancel_when_running(event: Any, session: Any) -> None:
    if isinstance(event, ToolUpdated) and event.status is ToolStatus.RUNNING:
        session.cancel()


@pytest.mark.parametrize("timeout", [None, 0.01])
def test_an_async_tool_that_hangs_is_cancelled_and_leaves_no_thread(play, timeout):
    stopped = threading.Event()

    @tool(timeout=timeout)
    async def stall() -> str:
        try:
            await asyncio.sleep(PATIENCE)
        finally:
            stopped.set()
        return "late"

    play(call("stall", "{}"), "ok", "ok", tools=[stall])
    result = play.send(watch=None if timeout else cancel_when_running)
    assert result.status == ("completed" if timeout else "aborted")
    assert wait_for_tools()
    check_usable(play)


def test_a_tool_that_asks_does_not_keep_a_cancelled_turn(play):
    asked, answer = threading.Event(), threading.Event()

    @tool
    def ask(context: ToolContext) -> str:
        return str(context.ask("Really?"))

    def approver(request):
        asked.set()
        assert answer.wait(PATIENCE)
        return Allow()

    async def aapprover(request):
        asked.set()
        await asyncio.Event().wait()

    approvers = {"sync": approver, "async": aapprover}
    play(call("ask", "{}"), "ok", tools=[ask], approver=approvers[play.kind])
    thread = threading.Thread(target=lambda: (asked.wait(PATIENCE), play.session.cancel()))
    thread.start()
    assert play.send().status == "aborted"
    thread.join()
    if play.kind == "async":
        assert play.runner.run(other_tasks()) == set()
    answer.set()
    assert wait_for_tools()
    check_usable(play)


def test_nobody_is_asked_for_a_tool_that_was_given_up(play):
    asked, over = [], threading.Event()

    @tool(timeout=0.01)
    def late(context: ToolContext) -> str:
        context.cancelled.wait(PATIENCE)
        try:
            return str(context.ask("Still?"))
        finally:
            over.set()

    play(call("late", "{}"), "ok", tools=[late], approver=lambda request: asked.append(request))
    play.send()
    assert over.wait(PATIENCE) and asked == []


def test_cancelling_again_while_the_turn_ends_changes_nothing(play):
    seen = []

    class Impatient(Hooks):
        def on_turn_end(self, result):
            seen.append(result.status)
            play.session.cancel()

    play("Hello.", "ok", hooks=[Impatient(), Impatient()])
    scene = Scene("text")
    scene.act = lambda: play.session.cancel()
    assert play.send(watch=scene.watch).status == "aborted"
    assert seen == ["aborted", "aborted"] and play.session.state is TurnState.CANCELLED


@pytest.mark.parametrize("place", ["on_turn_start", "on_before_request", "asking", "reviewing"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_ctrl_c_passes_through_and_leaves_the_session_in_order(play, place, error):
    scene = Scene(place)

    def stop() -> None:
        raise error

    scene.act = stop
    play(*scene.script, **scene.options())
    with pytest.raises(error):
        play.send()
    assert play.session.result.status == "aborted" and play.session.state is TurnState.CANCELLED
    assert scene.cleaned == (place != "on_turn_start")
    check_usable(play)


# -- leaving the block, and cancelling the task -------------------------------------------


class Enough(Exception):
    """Raised by the program in the middle of a turn."""


def test_the_block_can_be_left_after_any_event(play):
    scene = Scene("")
    play(*scene.script, **scene.options()).send()
    count = len(play.events)
    assert count > 15
    for at in [at for at in range(1, count + 1) for _ in range(1 + TIMES // count)]:
        scene.arm()
        play(*scene.script, **scene.options())

        def leave(event, session, at=at):
            if len(play.events) == at:
                raise Enough

        with pytest.raises(Enough):
            play.send(watch=leave)
        assert len(play.of(TurnEnded)) <= 1 and play.session.result is not None
        assert scene.started == scene.cleaned and wait_for_tools()
        check_usable(play)


def test_a_block_left_at_once_was_no_turn(play):
    play("one")
    block = play.session.stream("go")
    if play.kind == "sync":
        with block:
            pass
    else:

        async def leave() -> None:
            async with block:
                pass

        play.runner.run(leave())
    assert play.session.state is TurnState.IDLE and play.session.messages == ()
    play.session.cancel()
    assert play.send().text == "one"


# What only an AsyncChatSession can do.
ASYNC = pytest.mark.parametrize("play", ["async"], indirect=True)


async def until(reached: threading.Event) -> None:
    while not reached.is_set():
        await asyncio.sleep(0)


@ASYNC
@pytest.mark.parametrize("moment", WAITING)
def test_cancelling_the_task_cancels_the_turn(play, moment):
    async def cancelled(scene: Scene) -> None:
        task = asyncio.create_task(play.session.send("go"))
        await until(scene.hold.reached)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    scene = Scene(moment)
    for _ in range(TIMES):
        scene.arm()
        play(*scene.script, **scene.options())
        play.runner.run(cancelled(scene))
        assert play.session.state is TurnState.CANCELLED
        assert play.session.result.status == "aborted"
        assert scene.started == scene.cleaned and wait_for_tools()
        assert play.runner.run(other_tasks()) == set()
        check_usable(play)


@ASYNC
@pytest.mark.parametrize("moment", WAITING)
def test_a_turn_can_be_given_a_timeout_from_outside(play, moment):
    async def given_up() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(play.session.send("go"), 0.002)
        task = asyncio.current_task()
        assert task and task.cancelling() == 0

    scene = Scene(moment)
    for _ in range(TIMES):
        scene.arm()
        play(*scene.script, **scene.options())
        play.runner.run(given_up())
        assert play.session.result.status == "aborted"
        assert scene.started == scene.cleaned and wait_for_tools()
        check_usable(play)


ASYNC_PLACES = ["on_turn_start", "on_before_request", "on_after_request", "before_tool"]
ASYNC_PLACES += ["after_tool", "on_turn_end", "approver", "reviewer"]


def waiting_at(place: str, reached: threading.Event) -> dict[str, Any]:
    """Options whose *place* waits for ever."""

    async def wait(*_: Any) -> Any:
        reached.set()
        await asyncio.Event().wait()

    if not place.startswith(("on_", "before_", "after_")):
        return {"approver": lambda request: Allow(), place: wait}
    hooks = Hooks()
    setattr(hooks, place, wait)
    return {"approver": lambda request: Allow(), "hooks": [hooks]}


@ASYNC
@pytest.mark.parametrize("way", ["a thread", "the loop", "the task"])
@pytest.mark.parametrize("place", ASYNC_PLACES)
def test_async_code_that_waits_is_woken(play, place, way):
    @tool(risk="write")
    def save(n: int) -> str:
        return "saved"

    async def cancelled(reached: threading.Event) -> None:
        task = asyncio.create_task(play.session.send("go"))
        await until(reached)
        if way == "the task":
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return
        if way == "the loop":
            play.session.cancel()
        else:
            in_a_thread(play.session.cancel)
        assert (await task).status == "aborted"
        assert task.cancelling() == 0

    for _ in range(TIMES):
        reached = threading.Event()
        play(f"Well. {SAVE}", "ok", "ok", tools=[save], **waiting_at(place, reached))
        play.runner.run(cancelled(reached))
        assert play.session.state is TurnState.CANCELLED
        check_history(play.session)
        assert play.runner.run(other_tasks()) == set() and play.endpoint.open == 0


@ASYNC
def test_a_task_that_was_cancelled_before_can_still_cancel_a_turn(play):
    hold = Hold()
    play([hold, "never"])

    async def farewell() -> Any:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:  # and one last turn, as long as there is a loop
            return await play.session.send("bye")

    async def cancelled() -> Any:
        task = asyncio.create_task(farewell())
        await asyncio.sleep(0)
        task.cancel()
        await until(hold.reached)
        play.session.cancel()
        return await task

    assert play.runner.run(cancelled()).status == "aborted"


@pytest.mark.parametrize("place", ["on_turn_start", "on_message_append", "on_turn_end", "clean_up"])
def test_a_hook_that_cancels_and_raises_has_cancelled(play, place):
    class Stopping(Hooks):
        def stop(self):
            play.session.cancel()
            raise ValueError("what came of it")

        def on_turn_start(self, moment):
            if place == "on_turn_start":
                self.stop()
            return self.stop if place == "clean_up" else None

        def on_message_append(self, moment):
            if place == "on_message_append":
                self.stop()

        def on_turn_end(self, result):
            if place == "on_turn_end":
                self.stop()

    result = play("fine", "again", hooks=[Stopping()]).send()
    assert (result.status, play.session.state) == ("aborted", TurnState.CANCELLED)
    assert isinstance(result.error, TurnCancelled)
