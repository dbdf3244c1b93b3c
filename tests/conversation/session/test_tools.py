"""Running tools: at the same time, within their time, whatever they do."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import threading
import weakref
from typing import Annotated

import pytest
from pydantic import AfterValidator

from tests.patience import PATIENCE
from toolproto import Message, Tool, ToolCall, ToolFailed, ToolResult, tool
from toolproto.conversation.deciding.approvals import Allow, Defer, Deny
from toolproto.conversation.session.running_calls import AT_ONCE
from toolproto.conversation.turn.events import ToolStatus, ToolUpdated
from toolproto.conversation.turn.limits import TurnLimits
from toolproto.protocol.tools.context import ToolContext
from toolproto.protocol.tools.outcome import ToolOutput

VARIABLE: contextvars.ContextVar[str] = contextvars.ContextVar("VARIABLE", default="unset")


class SilentError(Exception):
    def __str__(self):
        raise RuntimeError("I do not talk")


class Silent:
    def __str__(self):
        raise RuntimeError("I do not talk")

    __repr__ = __str__


def refuse_day(day):
    raise ValueError("not today")


def call(name, arguments="{}"):
    return f'<tool_code>{{"name": "{name}", "arguments": {arguments}}}</tool_code>'


def contents(result):
    return [record.result.content for record in result.calls]


@pytest.fixture(autouse=True)
def no_thread_is_left_behind():
    before = set(threading.enumerate())
    yield
    left = [each for each in threading.enumerate() if each not in before]
    for thread in left:
        thread.join(PATIENCE)
    assert not any(thread.is_alive() for thread in left)


# -- at the same time ------------------------------------------------------------------------


def test_calls_of_one_step_run_at_the_same_time(play):
    together = threading.Barrier(3, timeout=PATIENCE)

    @tool
    def meet(n: int) -> int:
        together.wait()
        return n

    reply = "".join(call("meet", f'{{"n": {n}}}') for n in range(3))
    assert contents(play(reply, "ok", tools=[meet]).send()) == ["0", "1", "2"]


def test_async_calls_of_one_step_run_at_the_same_time(play):
    here = []

    @tool
    async def meet(n: int) -> int:
        here.append(n)
        while len(here) < 3:
            await asyncio.sleep(0)
        return n

    reply = "".join(call("meet", f'{{"n": {n}}}') for n in range(3))
    assert contents(play(reply, "ok", tools=[meet]).send()) == ["0", "1", "2"]


def test_many_calls_run_a_bounded_number_at_once_and_keep_their_order(play):
    full = threading.Barrier(AT_ONCE, timeout=PATIENCE)
    lock = threading.Lock()
    running, most = 0, 0

    @tool
    def work(n: int) -> str:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        if n < AT_ONCE:
            full.wait()
        with lock:
            running -= 1
        return f"did {n}"

    reply = "".join(call("work", f'{{"n": {n}}}') for n in range(50))
    result = play(reply, "ok", tools=[work]).send()
    assert most == AT_ONCE
    assert contents(result) == [f"did {n}" for n in range(50)]
    sent = play.session.messages[2].results
    assert [each.content for each in sent] == [f"did {n}" for n in range(50)]


def test_calls_of_equal_content_run_each_and_get_a_result_each(play):
    numbers = iter(range(9))

    @tool
    def draw() -> int:
        return next(numbers)

    result = play(call("draw") * 2, "ok", tools=[draw]).send()
    assert sorted(contents(result)) == ["0", "1"]
    assert len({record.call.id for record in result.calls}) == 2


def test_every_call_goes_from_pending_over_running_to_its_end(play):
    @tool
    def work(n: int) -> str:
        if n:
            raise ValueError(n)
        return "fine"

    play(call("work", '{"n": 0}') + call("work", '{"n": 1}'), "ok", tools=[work]).send()
    for n, end in ((0, ToolStatus.COMPLETED), (1, ToolStatus.ERROR)):
        updates = [each for each in play.of(ToolUpdated) if each.call.arguments["n"] == n]
        assert [each.status for each in updates] == [ToolStatus.PENDING, ToolStatus.RUNNING, end]
        assert [each.result is None for each in updates] == [True, True, False]


# -- what tools give back --------------------------------------------------------------------


def test_a_tool_may_give_more_than_text(play):
    @tool
    def chart() -> ToolOutput:
        return ToolOutput({"points": 2}, "A chart", {"took": 1}, (b"png",))

    result = play(call("chart"), "ok", tools=[chart]).send().calls[0].result
    assert (result.content, result.title) == ('{"points": 2}', "A chart")
    assert (result.metadata, result.attachments) == ({"took": 1}, (b"png",))
    assert "png" not in play.requests[1].messages[-1].content


def test_a_huge_result_is_cut_for_the_model_and_kept_whole_for_the_program(play):
    @tool
    def dump() -> str:
        return "x" * 5_000_000

    result = play(call("dump"), "ok", tools=[dump]).send().calls[0].result
    assert "characters left out" in result.content and len(result.content) < 51_000
    assert len(result.metadata["full"]) == 5_000_000
    assert len(play.requests[1].messages[-1].content) < 52_000


@pytest.mark.parametrize(
    "value, content",
    [
        (b"\xff\x00", "(2 bytes of binary data)"),
        (float("nan"), "NaN"),
        (None, "(no output)"),
        (ToolResult(ToolCall("other", {}, "other"), "mine"), "mine"),
        (Silent(), '"<Unserializable Silent object>"'),
        (ToolOutput("x", metadata=5), "TypeError: 'int' object is not iterable"),
    ],
)
def test_odd_values_become_results_of_their_own_call(play, value, content):
    def odd():
        return value

    record = play(call("odd"), "ok", tools=[odd]).send().calls[0]
    assert record.result.content == content and record.result.call is record.call
    assert record.call.name == "odd"


def test_a_result_whose_content_is_no_text_does_not_end_the_turn(play):
    def odd():
        return ToolResult(ToolCall("odd", {}), 42)

    result = play(call("odd"), "ok", tools=[odd]).send()
    assert (result.status, contents(result)) == ("completed", ["42"])


def test_what_a_plain_function_makes_lazily_is_made_in_its_thread(play):
    threads = []

    def lazy():
        threads.append(threading.current_thread())
        yield "one"
        threads.append(threading.current_thread())

    assert contents(play(call("lazy"), "ok", tools=[lazy]).send()) == ['["one"]']
    assert threading.current_thread() not in threads


def test_a_function_that_returns_something_to_await_is_awaited(play):
    async def inner():
        return "awaited"

    def outer():
        return inner()

    assert contents(play(call("outer"), "ok", tools=[outer]).send()) == ["awaited"]


# -- what tools raise ------------------------------------------------------------------------


RAISED = [
    (ValueError("bad"), "ValueError: bad"),
    (SystemExit(1), "SystemExit: 1"),
    (GeneratorExit(), "GeneratorExit"),
    (asyncio.CancelledError(), "CancelledError"),
    (TimeoutError("mine"), "TimeoutError: mine"),
    (KeyboardInterrupt(), "KeyboardInterrupt"),
    (StopIteration(3), "StopIteration: 3"),
    (SilentError(), "SilentError"),
    (ExceptionGroup("two", [ValueError("a"), KeyError("b")]), "ExceptionGroup: two"),
]


@pytest.mark.parametrize("error, content", RAISED, ids=lambda each: type(each).__name__)
def test_whatever_a_plain_function_raises_is_a_result(play, error, content):
    def fail():
        raise error

    def fine() -> str:
        return "fine"

    play(call("fail") + call("fine"), "ok", tools=[fail, fine], limits=TurnLimits(seconds=1))
    try:
        result = play.send()
    except KeyboardInterrupt:
        pytest.fail("it would have ended the tests")
    assert result.status == "completed"
    assert contents(result)[0].startswith(content) and contents(result)[1] == "fine"
    assert [record.result.is_error for record in result.calls] == [True, False]


@pytest.mark.parametrize(
    "error, content",
    [
        (ValueError("bad"), "ValueError: bad"),
        (SystemExit(1), "SystemExit: 1"),
        (asyncio.CancelledError(), "CancelledError"),
        (TimeoutError("mine"), "TimeoutError: mine"),
        (StopIteration(), "RuntimeError"),
    ],
    ids=lambda each: type(each).__name__,
)
def test_whatever_an_async_function_raises_is_a_result(play, error, content):
    async def fail():
        await asyncio.sleep(0)
        raise error

    result = play(call("fail"), "ok", tools=[fail], limits=TurnLimits(seconds=2)).send()
    assert result.status == "completed" and contents(result)[0].startswith(content)


def test_a_tool_whose_validator_refuses_is_answered(play):
    def book(day: Annotated[str, AfterValidator(refuse_day)]) -> str:
        return day

    result = play(call("book", '{"day": "x"}'), "ok", tools=[book]).send()
    assert "not today" in contents(result)[0] and result.calls[0].result.is_error


# -- time ------------------------------------------------------------------------------------


def test_an_async_tool_whose_time_is_up_is_cancelled_and_cleans_up(play):
    cleaned, release = threading.Event(), threading.Event()

    @tool(timeout=0.05)
    async def hang() -> str:
        try:
            while not release.is_set():
                await asyncio.sleep(0.01)
        finally:
            if not release.is_set():
                cleaned.set()
        return "late"

    result = play(call("hang"), "ok", tools=[hang]).send()
    try:
        assert "longer than 0.05 seconds" in contents(result)[0]
        assert cleaned.wait(PATIENCE)
    finally:
        release.set()


def test_an_async_tool_of_a_cancelled_turn_is_cancelled_and_cleans_up(play):
    running, cleaned, release = threading.Event(), threading.Event(), threading.Event()

    @tool
    async def hang(context: ToolContext) -> str:
        running.set()
        context.session.cancel()
        try:
            while not release.is_set():
                await asyncio.sleep(0.01)
        finally:
            if not release.is_set():
                cleaned.set()
        return "late"

    result = play(call("hang"), "ok", tools=[hang]).send()
    try:
        assert result.status == "aborted" and running.is_set()
        assert cleaned.wait(PATIENCE)
    finally:
        release.set()


def test_a_tool_without_a_timeout_has_that_of_the_limits(play):
    release = threading.Event()

    def hang() -> str:
        release.wait(PATIENCE)
        return "late"

    result = play(call("hang"), "ok", tools=[hang], limits=TurnLimits(tool_seconds=0.05)).send()
    release.set()
    assert "longer than 0.05 seconds" in contents(result)[0] and result.status == "completed"


@pytest.mark.parametrize("seconds", [None, float("inf"), 1e9])
def test_a_tool_may_have_all_the_time_in_the_world(play, seconds):
    def quick() -> str:
        return "done"

    limits = TurnLimits(tool_seconds=seconds)
    assert contents(play(call("quick"), "ok", tools=[quick], limits=limits).send()) == ["done"]


def test_a_tool_may_have_more_time_than_a_clock_can_count(play):

    @tool(timeout=1e12)
    def quick() -> str:
        return "done"

    assert contents(play(call("quick"), "ok", tools=[quick]).send()) == ["done"]


def test_tools_that_hang_do_not_keep_others_from_their_turn(play):
    release = threading.Event()

    @tool(timeout=0.05)
    def hang(n: int) -> str:
        release.wait(PATIENCE)
        return "late"

    def quick() -> str:
        return "done"

    hanging = "".join(call("hang", f'{{"n": {n}}}') for n in range(AT_ONCE))
    result = play(hanging + call("quick"), "ok", tools=[hang, quick]).send()
    release.set()
    assert contents(result)[-1] == "done" and len(contents(result)) == AT_ONCE + 1


def test_what_comes_too_late_is_dropped(play):
    release, done = threading.Event(), threading.Event()

    @tool(timeout=0.05)
    def slow() -> str:
        release.wait(PATIENCE)
        done.set()
        return "late"

    def wait() -> str:
        release.set()
        assert done.wait(PATIENCE)
        return "waited"

    result = play(call("slow"), call("wait"), "ok", tools=[slow, wait]).send()
    assert "longer than" in contents(result)[0] and contents(result)[1:] == ["waited"]
    assert "late" not in str([message.results for message in play.session.messages])


def test_the_time_of_a_call_that_was_stopped_is_not_made_up(play):
    def stop(context: ToolContext) -> str:
        context.session.cancel()
        context.cancelled.wait(PATIENCE)
        return "stopped"

    record = play(call("stop"), "ok", tools=[stop]).send().calls[0]
    assert record.seconds is None or record.seconds < PATIENCE


# -- what tools are told ---------------------------------------------------------------------


def test_a_context_tells_where_the_call_stands(play):
    seen = []

    def look(n: int, context: ToolContext) -> str:
        seen.append(context)
        return "ok"

    play("Let me see. " + call("look", '{"n": 1}'), "ok", tools=[look]).send()
    context = seen[0]
    assert context.session is play.session
    assert context.message is play.session.messages[1]
    assert isinstance(context.message, Message) and context.message.content == "Let me see."
    assert context.call_id == play.session.messages[1].calls[0].id
    assert context.message.id and context.session.id.startswith("session_")
    assert context.call.arguments == {"n": 1}


def test_a_tool_that_ended_in_time_is_never_told_to_stop(play):
    seen = []

    def look(context: ToolContext) -> str:
        seen.append(context.cancelled)
        return "ok"

    play(call("look"), "ok", tools=[look]).send()
    assert not seen[0].is_set()


def test_context_variables_reach_the_tools(play):
    def plain() -> str:
        return VARIABLE.get()

    async def later() -> str:
        return VARIABLE.get()

    def watch(event, session):  # where the caller of the session is
        VARIABLE.set("set")

    play(call("plain") + call("later"), "ok", tools=[plain, later])
    result = contextvars.copy_context().run(play.send, watch=watch)
    assert contents(result) == ["set", "set"]


def test_what_a_tool_does_to_its_arguments_does_not_change_the_conversation(play):
    def spoil(items: list[int], options: dict[str, int]) -> str:
        items.clear()
        options["spoilt"] = 1
        return "spoilt"

    arguments = '{"items": [1, 2], "options": {"a": 1}}'
    result = play(call("spoil", arguments), "ok", tools=[spoil]).send()
    expected = {"items": [1, 2], "options": {"a": 1}}
    assert play.session.messages[1].calls[0].arguments == expected
    assert result.calls[0].call.arguments == expected


def test_a_tool_with_a_schema_of_its_own_cannot_change_the_conversation_either(play):
    def spoil(items):
        items.append("spoilt")

    schema = {"type": "object", "properties": {"items": {"type": "array"}}}
    made = Tool.from_schema("spoil", "", schema, spoil)
    play(call("spoil", '{"items": [1]}'), "ok", tools=[made]).send()
    assert play.session.messages[1].calls[0].arguments == {"items": [1]}


def test_what_a_tool_does_to_its_context_does_not_change_the_conversation(play):
    def spoil(n: int, context: ToolContext) -> str:
        context.call.arguments["n"] = 666
        return "spoilt"

    play(call("spoil", '{"n": 1}'), "ok", tools=[spoil]).send()
    assert play.session.messages[1].calls[0].arguments == {"n": 1}


def test_a_tool_may_stop_the_turn(play):
    def stop(context: ToolContext) -> str:
        context.session.cancel()
        return str(context.cancelled.wait(PATIENCE))

    result = play(call("stop"), "never", tools=[stop]).send()
    assert result.status == "aborted" and len(play.requests) == 1


def test_a_tool_cannot_begin_a_turn_of_its_own_session(play):
    def again(context: ToolContext) -> str:
        sent = context.session.send("again")
        return asyncio.run(sent) if asyncio.iscoroutine(sent) else sent

    result = play(call("again"), "ok", tools=[again]).send()
    assert result.status == "completed" and "a turn is running" in contents(result)[0]


def test_a_tool_may_take_tools_away_while_others_run(play):
    def drop(n: int, context: ToolContext) -> str:
        if n == 0:
            context.session.tools.remove("drop")
        return f"did {n}"

    reply = "".join(call("drop", f'{{"n": {n}}}') for n in range(AT_ONCE + 4))
    result = play(reply, call("drop", '{"n": 9}'), "ok", tools=[drop]).send()
    assert contents(result)[:-1] == [f"did {n}" for n in range(AT_ONCE + 4)]
    assert "there is no tool" in contents(result)[-1] and result.status == "completed"


# -- asking ----------------------------------------------------------------------------------


def asking(question="Really?"):
    def plain(context: ToolContext) -> str:
        return f"plain {context.ask(question)}"

    async def later(context: ToolContext) -> str:
        return f"later {await context.aask(question)}"

    return [plain, later]


@pytest.mark.parametrize(
    "decision, expected",
    [
        (Allow(), True),
        (Allow(ToolCall("other", {})), True),
        (Deny("no"), False),
        (Defer(), False),
    ],
)
def test_a_tool_may_ask_the_approver(play, decision, expected):
    requests = []

    def approver(request):
        requests.append(request)
        return decision

    result = play(call("plain") + call("later"), "ok", tools=asking(), approver=approver).send()
    assert contents(result) == [f"plain {expected}", f"later {expected}"]
    assert {request.reason for request in requests} == {"Really?"}
    assert sorted(request.call.name for request in requests) == ["later", "plain"]


def test_a_tool_that_asks_when_nobody_is_there_hears_no(play):
    result = play(call("plain") + call("later"), "ok", tools=asking()).send()
    assert contents(result) == ["plain False", "later False"]


def test_what_a_tool_was_allowed_is_not_allowed_to_its_next_call(play):
    @tool(risk="write")
    def put(n: int, context: ToolContext) -> str:
        return str(context.ask("Really?"))

    asked = []

    def approver(request):
        asked.append(request.reason)
        return Allow(always=request.reason == "Really?")

    script = call("put", '{"n": 1}'), call("put", '{"n": 2}'), "ok"
    play(*script, tools=[put], approver=approver).send()
    assert asked == ["put changes something", "Really?"] * 2


def test_one_question_is_asked_at_a_time(play):
    lock = threading.Lock()

    def approver(request):
        assert lock.acquire(blocking=False)
        threading.Event().wait(0.002)
        lock.release()
        return Allow()

    def plain(n: int, context: ToolContext) -> bool:
        return context.ask("Really?")

    reply = "".join(call("plain", f'{{"n": {n}}}') for n in range(8))
    result = play(reply, "ok", tools=[plain], approver=approver).send()
    assert contents(result) == ["true"] * 8


@pytest.mark.parametrize("play", ["async"], indirect=True)  # a plain one cannot be interrupted
def test_a_question_nobody_answers_ends_with_its_turn(play):
    async def approver(request):
        play.session.cancel()
        await asyncio.Event().wait()

    result = play(call("plain"), "never", tools=asking(), approver=approver).send()
    assert result.status == "aborted"
    assert asyncio.all_tasks(play.runner.get_loop()) == set()


@pytest.mark.parametrize("answer", [None, True, ValueError("no display")])
def test_an_approver_that_fails_a_tool_fails_only_that_tool(play, answer):
    def approver(request):
        if isinstance(answer, Exception):
            raise answer
        return answer

    result = play(call("plain") + call("later"), "ok", tools=asking(), approver=approver).send()
    assert result.status == "completed"
    assert all(record.result.is_error for record in result.calls)


def test_a_tool_may_ask_an_async_approver_of_an_async_session(play):
    async def approver(request):
        await asyncio.sleep(0)
        return Allow()

    result = play(call("plain") + call("later"), "ok", tools=asking(), approver=approver).send()
    if play.kind == "async":
        assert contents(result) == ["plain True", "later True"]
    else:
        assert all("approver is async" in content for content in contents(result))


def test_nobody_is_asked_on_behalf_of_a_call_that_was_given_up(play):
    asked, tried = [], threading.Event()

    @tool(timeout=0.05)
    def late(context: ToolContext) -> str:
        context.cancelled.wait(PATIENCE)
        try:
            return str(context.ask("Still there?"))
        finally:
            tried.set()

    def wait() -> str:
        return str(tried.wait(PATIENCE))

    def approver(request):
        asked.append(request.reason)
        return Allow()

    play(call("late"), call("wait"), "ok", tools=[late, wait], approver=approver).send()
    assert asked == []


def test_an_async_tool_that_asks_without_awaiting_is_told(play):
    async def wrong(context: ToolContext) -> str:
        return str(context.ask("Really?"))

    result = play(call("wrong"), "ok", tools=[wrong], approver=lambda request: Allow()).send()
    assert play.kind == "sync" or "aask" in contents(result)[0]


# -- names -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "written, repair",
    [
        ("Look_Up", "name_case"),
        ("look-up", "name_separator"),
        ("lookUp", "name_separator"),
        ("functions.look_up", "name_prefix"),
        ("look_upp", "name_near"),
    ],
)
def test_a_name_that_is_nearly_right_is_mended_and_recorded(play, written, repair):
    def look_up() -> str:
        return "found"

    record = play(call(written), "ok", tools=[look_up]).send().calls[0]
    assert (record.call.name, record.result.content) == ("look_up", "found")
    assert [(each.name, each.detail) for each in record.call.repairs] == [(repair, written)]


def test_a_misspelt_name_does_not_lead_to_a_tool_that_writes(play):
    ran = []

    @tool(risk="write")
    def put_away() -> str:
        ran.append(1)
        return "done"

    result = play(
        call("put_awayy"), "ok", tools=[put_away], approver=lambda request: Allow()
    ).send()
    assert ran == [] and "did you mean 'put_away'?" in contents(result)[0]
    assert play(call("Put-Away"), "ok", tools=[put_away], approver=lambda r: Allow()).send()
    assert ran == [1]


# -- nothing is left behind ------------------------------------------------------------------


def test_a_turn_leaves_no_task_behind(play):
    async def later(n: int) -> int:
        await asyncio.sleep(0)
        return n

    def fail() -> str:
        raise ToolFailed("no")

    reply = "".join(call("later", f'{{"n": {n}}}') for n in range(20)) + call("fail")
    play(reply, "ok", tools=[later, fail]).send()
    assert asyncio.all_tasks(play.runner.get_loop()) == set()


def test_a_cancelled_turn_leaves_no_task_behind(play):
    release = threading.Event()

    def hang() -> str:
        release.wait(PATIENCE)
        return "late"

    def stop(event, session):
        if isinstance(event, ToolUpdated) and event.status is ToolStatus.RUNNING:
            session.cancel()

    play(call("hang"), "never", tools=[hang]).send(watch=stop)
    assert asyncio.all_tasks(play.runner.get_loop()) == set()
    release.set()


def test_a_session_keeps_nothing_of_a_turn_but_its_messages(play):
    class Thing:
        pass

    things = weakref.WeakSet()

    def make(context: ToolContext) -> str:
        thing = Thing()
        things.add(thing)
        return "made"

    play(call("make"), "ok", tools=[make]).send()
    gc.collect()
    assert len(things) == 0
