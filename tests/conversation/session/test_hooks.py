"""The lifecycle hooks as programs meet them: order, errors, clean-ups and messages.

Most hooks here are plain objects with just the methods a test is about (:func:`hook`); that a
session takes those, too, is one of the promises.
"""

from __future__ import annotations

import asyncio
import functools
import threading
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest

from tests.patience import PATIENCE, unhurried
from toolproto import (
    Attachment,
    Message,
    TextDelta,
    ToolCall,
    ToolContextBuilder,
    ToolResult,
    UsageError,
    tool,
)
from toolproto.conversation.deciding.approvals import Allow
from toolproto.conversation.hooks import Hooks
from toolproto.conversation.turn.events import MessageAppended, StateChanged, TurnEnded
from toolproto.conversation.turn.limits import TurnLimits
from toolproto.conversation.turn.states import TurnState
from toolproto.endpoints import ScriptedReply
from toolproto.protocol.errors import EndpointError, LimitReached, TurnCancelled, WireError
from toolproto.protocol.messages import Chunk, Usage
from toolproto.protocol.tools.define import Tool

CALL = '<tool_code>{"name": "add", "arguments": {"a": 2, "b": 3}}</tool_code>'
BROKEN = "<tool_code>{oops}</tool_code>"
HOOKS = (
    "on_turn_start",
    "transform_system",
    "transform_params",
    "on_before_request",
    "on_stream_data",
    "on_message_append",
    "on_after_request",
    "before_tool",
    "after_tool",
    "on_turn_end",
)
hook = SimpleNamespace
only_sync = pytest.mark.parametrize("play", ["sync"], indirect=True)
only_async = pytest.mark.parametrize("play", ["async"], indirect=True)


class Stop(BaseException):
    """What no ``except Exception`` catches."""


class Left(Exception):
    """Raised by a watcher to leave the block."""


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def plain(each):
    return each


def awaited(each):
    """*each* with its hooks made async, but the one that may not be."""

    def later(method):
        async def waiting(*arguments):
            await asyncio.sleep(0)
            return method(*arguments)

        return waiting

    methods = {name: getattr(each, name) for name in HOOKS if hasattr(each, name)}
    asynchronous = {name: later(method) for name, method in methods.items()}
    if "on_message_append" in methods:
        asynchronous["on_message_append"] = methods["on_message_append"]
    return hook(**asynchronous)


#: Plain hooks in both sessions, async ones where they belong.
every_style = pytest.mark.parametrize(
    ("play", "style"),
    [("sync", plain), ("async", plain), ("async", awaited)],
    indirect=["play"],
    ids=["sync", "async", "awaited"],
)


class Diary(Hooks):
    """Notes each hook as it is called, and its clean-up."""

    def __init__(self, name, noted):
        self.note = lambda what: noted.append(f"{name} {what}")

    def on_turn_start(self, turn):
        self.note("on_turn_start")
        return lambda: self.note("clean_up")

    def transform_system(self, prompt):
        self.note("transform_system")

    def transform_params(self, params):
        self.note("transform_params")

    def on_before_request(self, moment):
        self.note("on_before_request")

    def on_stream_data(self, data):
        self.note("on_stream_data")

    def on_message_append(self, moment):
        self.note(f"on_message_append {moment.message.role}")

    def on_after_request(self, moment):
        self.note("on_after_request")

    def before_tool(self, call, tool):
        self.note("before_tool")

    def after_tool(self, result):
        self.note("after_tool")

    def on_turn_end(self, result):
        self.note(f"on_turn_end {result.status}")


def cleaning(noted, *names, fail=()):
    """Hooks that leave a clean-up each; those in *fail* raise."""

    def clean_up(name):
        noted.append(name)
        if name in fail:
            raise ValueError(name)

    return [
        hook(on_turn_start=lambda turn, name=name: functools.partial(clean_up, name))
        for name in names
    ]


def raising(error):
    def fail(*_):
        raise error

    return fail


def user(text):
    return Message("user", text)


def contents(player):
    return [message.content for message in player.session.messages]


def statuses(player):
    return [event.result.status for event in player.of(TurnEnded)]


def sends(player, text="go"):
    """Play a turn as ``session.send`` does."""
    if player.kind == "sync":
        return player.session.send(text)
    return player.runner.run(player.session.send(text))


def assert_usable(player):
    """The session takes another turn, and nothing of the last one is left."""
    assert player.endpoint.open == 0
    again = player.send("again")
    assert (again.status, again.text) == ("completed", "fine")


# -- order -------------------------------------------------------------------------------------

REQUEST = ["transform_system", "transform_params", "on_before_request"]
REPLY = ["on_stream_data", "on_stream_data", "on_message_append assistant", "on_after_request"]
TOOL = ["before_tool", "after_tool", "on_message_append user"]
TWO_TOOLS = [*["before_tool"] * 2, *["after_tool"] * 2, "on_message_append user"]


@tool
def elsewhere(a: int) -> int:
    """Runs in another place."""
    return a


ELSEWHERE = Tool(elsewhere.spec, None)
CALL_ELSEWHERE = '<tool_code>{"name": "elsewhere", "arguments": {"a": 1}}</tool_code>'


def cancel_at_text(event, session):
    if isinstance(event, TextDelta):
        session.cancel()


#: name: (replies, watcher, what each hook is called for, how the turn ends)
SEQUENCES = {
    "a reply": (["Hi."], None, [*REQUEST, *REPLY], "completed"),
    "a reply with a call": (
        [CALL, "5"],
        None,
        [*REQUEST, *REPLY, *TOOL, *REQUEST, *REPLY],
        "completed",
    ),
    "two calls": (
        [CALL + CALL.replace("3", "4"), "5, 6"],
        None,
        [*REQUEST, *REPLY, *TWO_TOOLS, *REQUEST, *REPLY],
        "completed",
    ),
    "a call that cannot be read": (
        [BROKEN, "Sorry."],
        None,
        [*REQUEST, *REPLY, "on_message_append user", *REQUEST, *REPLY],
        "completed",
    ),
    "a call for elsewhere": (
        [CALL_ELSEWHERE],
        None,
        [*REQUEST, *REPLY, "before_tool"],
        "pending",
    ),
    "cancelled while streaming": (
        [["Hi ", "there"]],
        cancel_at_text,
        [*REQUEST, "on_stream_data", "on_message_append assistant"],
        "aborted",
    ),
    "the service fails": ([EndpointError("busy")], None, REQUEST, "error"),
    "the service breaks off": (
        [ScriptedReply(["Hi"], finish_reason=None)],
        None,
        [*REQUEST, "on_stream_data", "on_message_append assistant"],
        "error",
    ),
    "the service says nothing": (
        ["", "Hi."],
        None,
        [
            *REQUEST,
            "on_stream_data",
            "on_after_request",
            *REQUEST,
            *REPLY,
        ],
        "completed",
    ),
}


def sequence(steps, end):
    """*steps* as the hooks a and b are called for them, one after the other."""
    ended = ["on_turn_start", *steps] + ([] if end == "error" else [f"on_turn_end {end}"])
    return [f"{name} {step}" for step in ended for name in "ab"] + ["b clean_up", "a clean_up"]


@every_style
@pytest.mark.parametrize("case", SEQUENCES)
def test_hooks_are_called_in_the_order_they_were_given(play, style, case):
    replies, watch, steps, end = SEQUENCES[case]
    noted = []
    hooks = [style(Diary(name, noted)) for name in "ab"]
    result = play(*replies, tools=[add, ELSEWHERE], hooks=hooks).send(watch=watch)
    assert (noted, result.status) == (sequence(steps, end), end)


@every_style
def test_a_resumed_turn_starts_and_ends_like_any_other(play, style):
    noted, told = [], []
    start = hook(on_turn_start=lambda turn: told.append(turn.message))
    hooks = [style(Diary(name, noted)) for name in "ab"]
    play(CALL_ELSEWHERE, "1", tools=[ELSEWHERE], hooks=[*hooks, style(start)]).send()
    noted.clear()
    (request,) = play.session.pending
    play.resume({request.call.id: "1"})
    steps = ["after_tool", "on_message_append user", *REQUEST, *REPLY]
    assert noted == sequence(steps, "completed")
    assert told == [user("go"), None]


@every_style
def test_a_follow_up_request_starts_no_turn(play, style):
    noted, asked = [], []

    def once_more(moment):
        if not asked:
            asked.append(moment.message.content)
            moment.append_and_request(user("Sure?"))

    hooks = [*(style(Diary(name, noted)) for name in "ab"), style(hook(on_after_request=once_more))]
    play("Hm.", "Yes.", hooks=hooks).send()
    steps = [*REQUEST, *REPLY, "on_message_append user", *REQUEST, *REPLY]
    assert noted == sequence(steps, "completed")
    assert contents(play) == ["go", "Hm.", "Sure?", "Yes."]


@pytest.mark.parametrize("play", ["sync", "async"], indirect=True)
def test_a_hook_may_be_any_object(play):
    class Counting:
        calls = 0

        def __call__(self, *_):
            self.calls += 1

    counting = Counting()
    seen = []
    hooks = [
        object(),
        Hooks(),
        hook(on_turn_end=functools.partial(seen.append)),
        hook(on_before_request=counting, on_turn_start=None),
    ]
    result = play("Hi.", hooks=hooks).send()
    assert (result.status, result.error) == ("completed", None)
    assert counting.calls == 1 and len(seen) == 1


def test_a_hook_may_call_what_it_overrides(play):
    class Polite(Hooks):
        def on_turn_start(self, turn):
            return super().on_turn_start(turn)

        def on_after_request(self, moment):
            return super().on_after_request(moment)

    assert play("Hi.", hooks=[Polite()]).send().status == "completed"


def test_a_hook_that_makes_a_turn_in_the_same_session_is_refused(play):
    noted = []

    async def awaits(turn):
        await play.session.send("again")

    def waits(turn):
        play.session.send("again")

    again = hook(on_turn_start=waits if play.kind == "sync" else awaits)
    play("Hi.", hooks=[*cleaning(noted, "a"), again])
    with pytest.raises(UsageError, match="a turn is running"):
        sends(play)
    assert noted == ["a"] and play.session.messages == (user("go"),)
    assert play.session.result.status == "error"


# -- clean-ups ---------------------------------------------------------------------------------


@every_style
@pytest.mark.parametrize("position", range(3))
def test_a_failing_start_undoes_what_was_started_before_it(play, style, position):
    noted, ended = [], []
    hooks = [*cleaning(noted, "a", "b", "c"), hook(on_turn_end=ended.append)]
    error = ValueError("start")
    hooks[position] = hook(on_turn_start=raising(error))
    result = play("Hi.", hooks=map(style, hooks)).send()
    assert result.error is error and result.status == "error"
    assert noted == ["a", "b"][:position][::-1] and ended == []
    assert play.requests == [] and statuses(play) == ["error"]


#: How a turn may end, and what is the matter then.
ENDINGS = {
    "success": ("completed", None),
    "a hook's error": ("error", ValueError),
    "an endpoint's error": ("error", EndpointError),
    "too many requests": ("error", LimitReached),
    "cancellation": ("aborted", TurnCancelled),
    "leaving": ("aborted", TurnCancelled),
    "Ctrl-C": ("aborted", TurnCancelled),
}


def end_in(play, ending, hooks):
    """A turn that ends as *ending* says."""
    replies, watch = ["Hi ", "there"], None
    if ending == "a hook's error":
        hooks = [*hooks, hook(on_before_request=raising(ValueError("main")))]
    elif ending == "Ctrl-C":
        hooks = [*hooks, hook(on_before_request=raising(KeyboardInterrupt()))]
    elif ending == "an endpoint's error":
        replies.append(EndpointError("busy"))
    elif ending == "too many requests":
        hooks = [*hooks, hook(on_after_request=lambda m: m.append_and_request(user("more")))]
    elif ending == "cancellation":
        watch = cancel_at_text
    elif ending == "leaving":

        def watch(event, session):
            if isinstance(event, TextDelta):
                raise Left

    play(replies, hooks=hooks, limits=TurnLimits(requests=1))
    try:
        play.send(watch=watch)
    except (Left, KeyboardInterrupt) as left:
        assert (type(left) is Left) == (ending == "leaving")
    return play.session.result


@pytest.mark.parametrize("ending", ENDINGS)
def test_clean_ups_run_last_first_however_a_turn_ends(play, ending):
    noted = []
    result = end_in(play, ending, cleaning(noted, "a", "b", "c"))
    status, kind = ENDINGS[ending]
    assert noted == ["c", "b", "a"]
    assert result.status == status and type(result.error) is (kind or type(None))
    assert play.endpoint.open == 0


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_clean_up_is_tried_and_what_fails_joins_the_main_error(play, ending):
    noted = []
    hooks = cleaning(noted, "a", "b", "c", "d", fail=("a", "c"))
    result = end_in(play, ending, hooks)
    assert noted == ["d", "c", "b", "a"]
    assert isinstance(result.error, ExceptionGroup)
    kind = ENDINGS[ending][1]
    errors = list(result.error.exceptions)
    if kind:
        assert type(errors.pop(0)) is kind
    assert [str(error) for error in errors] == ["c", "a"]


def test_a_single_failing_clean_up_stays_plain(play):
    result = play("Hi.", hooks=cleaning([], "a", "b", fail=("b",))).send()
    assert (result.status, type(result.error), str(result.error)) == ("error", ValueError, "b")
    assert result.partial_text == "Hi."


@every_style
def test_the_errors_of_a_turn_are_told_in_the_order_they_happened(play, style):
    end = hook(on_turn_end=raising(ValueError("end")))
    hooks = [*cleaning([], "a", "b", fail=("a", "b")), end]
    result = play(["Hi ", "there"], hooks=map(style, hooks)).send(watch=cancel_at_text)
    kinds = [type(error) for error in result.error.exceptions]
    assert kinds == [TurnCancelled, ValueError, ValueError, ValueError]
    assert [str(error) for error in result.error.exceptions[1:]] == ["end", "b", "a"]


@only_async
def test_clean_ups_may_be_async(play):
    noted = []

    async def clean_up():
        await asyncio.sleep(0)
        noted.append("async")

    hooks = [*cleaning(noted, "a"), hook(on_turn_start=lambda turn: clean_up)]
    assert play("Hi.", hooks=[*hooks, *cleaning(noted, "c")]).send().status == "completed"
    assert noted == ["c", "async", "a"]


@only_async
@pytest.mark.parametrize("name", HOOKS)
def test_a_task_cancelled_from_outside_cleans_up(play, name):
    noted, ended = [], []

    async def wait(*_):
        task.cancel()
        await asyncio.Event().wait()

    async def main():
        nonlocal task
        task = asyncio.create_task(play.session.send("go"))
        await task

    task = None
    # on_message_append cannot wait; then the next thing that does is cancelled.
    waits = wait if name != "on_message_append" else lambda moment: task.cancel()
    end = hook(on_turn_end=lambda result: ended.append(result.status))
    hooks = [*cleaning(noted, "a", "b"), end, hook(**{name: waits})]
    play(CALL, "5", "fine", tools=[add], hooks=hooks)
    with pytest.raises(asyncio.CancelledError):
        play.runner.run(main())
    assert noted == ["b", "a"]
    assert play.session.result.status == "aborted"
    expected = {"on_turn_start": [], "on_turn_end": ["completed"]}.get(name, ["aborted"])
    assert ended == expected


@only_sync
@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, Stop])
@pytest.mark.parametrize("name", HOOKS)
def test_what_is_no_exception_passes_through_after_cleaning_up(play, name, error):
    noted = []
    hooks = [*cleaning(noted, "a", "b"), hook(**{name: raising(error())})]
    play(CALL, "5", tools=[add], hooks=hooks)
    with pytest.raises(error):
        play.session.send("go")
    assert noted == ["b", "a"]
    assert play.session.result.status == "aborted" and play.endpoint.open == 0


@only_async
@pytest.mark.parametrize("name", HOOKS)
def test_what_is_no_exception_passes_through_an_async_session(play, name):
    noted = []
    hooks = [*cleaning(noted, "a", "b"), hook(**{name: raising(Stop())})]
    play(CALL, "5", tools=[add], hooks=hooks)
    with pytest.raises(Stop):
        play.send()
    assert noted == ["b", "a"]
    assert play.session.result.status == "aborted" and play.endpoint.open == 0


def test_a_clean_up_that_stops_the_program_does_not_stop_the_others(play):
    noted = []
    stops = hook(on_turn_start=lambda turn: raising(Stop()))
    play("Hi.", "fine", hooks=[*cleaning(noted, "a"), stops, *cleaning(noted, "c")])
    with pytest.raises(Stop):
        play.send()
    assert noted == ["c", "a"] and play.session.result.status == "completed"


@pytest.mark.parametrize("error", [StopIteration, StopAsyncIteration])
@pytest.mark.parametrize("name", [*HOOKS, "clean_up"])
def test_an_error_that_would_end_a_generator_is_an_error_like_any(play, name, error):
    noted = []
    bad = hook(**{name: raising(error("x"))})
    if name == "clean_up":
        bad = hook(on_turn_start=lambda turn: raising(error("x")))
    result = play(CALL, "5", tools=[add], hooks=[*cleaning(noted, "a"), bad]).send()
    assert result.status == "error" and isinstance(result.error, RuntimeError | error)
    assert noted == ["a"] and statuses(play) == ["error"]


@pytest.mark.parametrize("name", HOOKS)
def test_an_error_in_any_hook_ends_the_turn_with_it(play, name):
    noted, ended = [], []
    error = ValueError(name)
    hooks = [
        *cleaning(noted, "a"),
        hook(on_turn_end=lambda result: ended.append(result.status)),
        hook(**{name: raising(error)}),
        *cleaning(noted, "z"),
    ]
    result = play(CALL, "5", tools=[add], hooks=hooks).send()
    assert result.error is error and result.status == "error" and statuses(play) == ["error"]
    assert noted == (["a"] if name == "on_turn_start" else ["z", "a"])
    assert ended == (["completed"] if name == "on_turn_end" else [])
    assert play.endpoint.open == 0 and play.session.state is TurnState.ERROR


def test_an_error_that_counts_as_false_is_an_error_all_the_same(play):
    class EmptyError(Exception):
        def __len__(self):
            return 0

    error = EmptyError()
    result = play("Hi.", hooks=[hook(on_before_request=raising(error))]).send()
    assert result.error is error and result.status == "error" and play.requests == []


@pytest.mark.parametrize("name", HOOKS)
def test_no_call_is_left_without_an_answer_when_a_hook_fails(play, name):
    fail = [True]

    def once(*_):
        if fail:
            fail.clear()
            raise ValueError(name)

    play(CALL, "5", tools=[add], hooks=[hook(**{name: once})]).send()
    called = {call.id for message in play.session.messages for call in message.calls}
    answered = {result.call.id for message in play.session.messages for result in message.results}
    assert called == answered


def test_a_call_that_ran_is_not_said_not_to_have_run_when_its_result_is_lost(play):
    def refuse(moment):
        if moment.message.results:
            raise ValueError("no results here")

    result = play(CALL, "5", tools=[add], hooks=[hook(on_message_append=refuse)]).send()
    assert isinstance(result.error, ValueError)
    (told,) = play.session.messages[-1].results
    assert told.is_error and "not run" not in told.content


def test_an_error_that_had_to_be_wrapped_is_its_cause(play):
    error = StopAsyncIteration("x")
    result = play("Hi.", hooks=[hook(on_turn_start=raising(error))]).send()
    assert result.error is error or result.error.__cause__ is error


@only_sync
@pytest.mark.parametrize("name", HOOKS)
def test_an_async_hook_in_a_plain_session_is_the_programs_mistake(play, name):
    noted = []

    async def never(*_):
        raise AssertionError("ran")

    play(CALL, "5", tools=[add], hooks=[*cleaning(noted, "a", "b"), hook(**{name: never})])
    remedy = "plain method" if name == "on_message_append" else "use an AsyncChatSession"
    with pytest.raises(UsageError, match=remedy):
        play.session.send("go")
    assert noted == ["b", "a"] and play.endpoint.open == 0
    assert play.session.result.status == "error"


@only_sync
def test_an_async_clean_up_in_a_plain_session_is_the_programs_mistake(play):
    noted = []

    async def never():
        raise AssertionError("ran")

    late = hook(on_turn_start=lambda turn: never)
    play("Hi.", hooks=[*cleaning(noted, "a"), late, *cleaning(noted, "c")])
    with pytest.raises(UsageError, match="a clean-up is async"):
        play.session.send("go")
    assert noted == ["c", "a"]


def test_a_mistake_of_the_program_is_raised_even_if_a_clean_up_fails_too(play):
    fail = hook(on_before_request=lambda moment: "no request")
    play("Hi.", hooks=[*cleaning([], "a", fail=("a",)), fail])
    with pytest.raises(ExceptionGroup) as raised:
        sends(play)
    assert raised.group_contains(UsageError) and raised.group_contains(ValueError)


def test_a_clean_up_that_cannot_be_called_is_refused_at_once(play):
    noted = []
    play("Hi.", hooks=[*cleaning(noted, "a"), hook(on_turn_start=lambda turn: True)])
    with pytest.raises(UsageError, match="clean-up"):
        sends(play)
    assert noted == ["a"] and play.requests == []


def test_a_turn_nobody_reads_calls_no_hook(play):
    noted = []
    play("Hi.", hooks=[Diary("a", noted)])

    async def nothing_read():
        async with play.session.stream("go"):
            pass

    if play.kind == "sync":
        with play.session.stream("go"):
            pass
    else:
        play.runner.run(nothing_read())
    assert noted == [] and play.session.messages == ()
    assert play.send().text == "Hi."


# -- cancellation ------------------------------------------------------------------------------


@every_style
@pytest.mark.parametrize("name", HOOKS)
def test_a_turn_may_be_cancelled_in_any_hook(play, style, name):
    noted, ended, cancelled = [], [], []

    def cancel(*_):
        if not cancelled:
            cancelled.append(name)
            play.session.cancel()

    hooks = [
        *cleaning(noted, "a"),
        hook(on_turn_end=lambda result: ended.append(result.status)),
        hook(**{name: cancel}),
    ]
    result = play(CALL, "fine", "fine", tools=[add], hooks=map(style, hooks)).send()
    late = name == "on_turn_end"
    assert result.status == ("completed" if late else "aborted")
    assert statuses(play) == [result.status] and ended == [result.status]
    assert noted == ["a"]
    assert_usable(play)


@pytest.mark.parametrize(
    ("play", "style", "name"),
    [
        ("sync", plain, "on_message_append"),
        ("async", plain, "on_message_append"),
        ("async", awaited, "on_message_append"),
        ("sync", plain, "on_after_request"),
        ("async", plain, "on_after_request"),
        ("async", awaited, "on_after_request"),
    ],
    indirect=["play"],
)
def test_cancelling_in_the_last_hooks_of_a_turn_still_ends_it_properly(play, style, name):
    ended = []
    hooks = [
        hook(on_turn_end=lambda result: ended.append(("a", result.status))),
        hook(on_turn_end=lambda result: ended.append(("b", result.status))),
        hook(**{name: lambda moment: play.session.cancel()}),
    ]
    result = play("Hi.", hooks=map(style, hooks)).send()
    assert ended == [("a", result.status), ("b", result.status)]
    assert statuses(play) == [result.status]


@every_style
def test_cancelling_while_the_turn_ends_leaves_out_no_hook(play, style):
    ended = []

    def cancel(result):
        ended.append("a")
        play.session.cancel()

    hooks = [hook(on_turn_end=cancel), hook(on_turn_end=lambda result: ended.append("b"))]
    result = play("Hi.", "fine", hooks=map(style, hooks)).send()
    assert ended == ["a", "b"] and len(statuses(play)) == 1
    assert result.partial_text == "Hi." and result.status in ("completed", "aborted")


def test_leaving_when_the_answer_is_there_still_ends_the_turn(play):
    ended = []

    def leave(event, session):
        if isinstance(event, StateChanged) and event.snapshot.state is TurnState.FINALIZING:
            raise Left

    play("Hi.", hooks=[hook(on_turn_end=lambda result: ended.append("a"))])
    with pytest.raises(Left):
        play.send(watch=leave)
    assert ended == ["a"]


@every_style
def test_cancelling_twice_is_cancelling(play, style):
    ended = []

    def again(result):
        ended.append(result.status)
        play.session.cancel()

    hooks = [style(hook(on_turn_end=again)) for _ in range(3)]
    result = play(["Hi ", "there"], "fine", hooks=hooks).send(watch=cancel_at_text)
    assert ended == ["aborted"] * 3
    assert result.status == "aborted" and type(result.error) is TurnCancelled


@every_style
@pytest.mark.parametrize("name", sorted({*HOOKS} - {"on_message_append", "on_turn_end"}))
def test_what_a_hook_raises_when_it_is_cancelled_is_the_cancellation(play, style, name):
    def give_up(*_):
        play.session.cancel()
        raise ValueError("because of the cancellation")

    result = play(CALL, "fine", tools=[add], hooks=[style(hook(**{name: give_up}))]).send()
    assert result.status == "aborted" and type(result.error) is TurnCancelled


@every_style
def test_the_start_that_cancels_keeps_its_own_clean_up(play, style):
    noted, ended = [], []

    def cancel(turn):
        play.session.cancel()
        return functools.partial(noted.append, "mine")

    hooks = [
        *cleaning(noted, "a"),
        hook(on_turn_start=cancel, on_turn_end=ended.append),
        *cleaning(noted, "z"),
    ]
    assert play("Hi.", hooks=map(style, hooks)).send().status == "aborted"
    assert noted == ["mine", "a"] and ended == [] and play.requests == []


@only_async
@pytest.mark.parametrize("name", sorted({*HOOKS} - {"on_message_append"}))
def test_a_hook_that_waits_for_ever_is_ended_by_the_time_of_the_turn(play, name):
    def attempt(seconds):
        noted, begun, undone = [], [], []

        async def hang(*_):
            begun.append(name)
            try:
                await asyncio.Event().wait()
            finally:
                undone.append(name)

        hooks = [*cleaning(noted, "a"), hook(**{name: hang})]
        limits = TurnLimits(seconds=seconds)
        result = play(CALL, "fine", tools=[add], hooks=hooks, limits=limits).send()
        return result.status, noted, begun, undone

    told = unhurried(attempt, reached=lambda told: told[2])
    assert told == ("timeout", ["a"], [name], [name])


@only_async
def test_a_hook_that_holds_on_is_cancelled_at_the_next_chance(play):
    async def stubborn(moment):
        play.session.cancel()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return  # swallowed

    result = play("Hi.", "fine", hooks=[hook(on_before_request=stubborn)]).send()
    assert result.status == "aborted" and play.requests == []


# -- requests ----------------------------------------------------------------------------------


@every_style
def test_the_system_prompt_passes_through_the_hooks_in_turn(play, style):
    hooks = [
        hook(transform_system=lambda prompt: prompt + "\n\nBe brief."),
        hook(transform_system=lambda prompt: None),
        hook(transform_system=lambda prompt: prompt.replace("brief", "kind")),
    ]
    play(CALL, "5", system="You add.", tools=[add], hooks=map(style, hooks)).send()
    for request in play.requests:
        system = request.messages[0]
        assert system.role == "system" and system.content.endswith("\n\nBe kind.")
        stable = system.content[: request.stable_prefix]
        assert stable.startswith("You add.") and "Be kind" not in stable and "Today" not in stable
    assert play.requests[0].stable_prefix == play.requests[1].stable_prefix > 0


def test_a_new_beginning_of_the_system_prompt_is_not_called_stable(play):
    hooks = [hook(transform_system=lambda prompt: f"No. 1\n{prompt}")]
    play("Hi.", system="You add.", hooks=hooks).send()
    assert play.requests[0].messages[0].content.startswith("No. 1\nYou add.")
    assert play.requests[0].stable_prefix == 0


def test_no_system_prompt_is_no_message(play):
    hooks = [hook(transform_system=lambda prompt: "")]
    play("Hi.", system="You add.", tools=[add], hooks=hooks).send()
    assert [message.role for message in play.requests[0].messages] == ["user"]
    assert play.requests[0].stable_prefix == 0


@every_style
def test_generation_parameters_pass_through_the_hooks_in_turn(play, style):
    hooks = [
        hook(transform_params=lambda params: {**params, "temperature": 0}),
        hook(transform_params=lambda params: None),
        hook(transform_params=lambda params: {**params, "seen": sorted(params)}),
    ]
    options = {"params": {"top_p": 1, "seed": 1}, "hooks": map(style, hooks)}
    play(CALL, "5", tools=[add], **options).send(params={"seed": 2})
    sent = {"top_p": 1, "seed": 2, "temperature": 0, "seen": ["seed", "temperature", "top_p"]}
    assert [request.params for request in play.requests] == [sent, sent]


def test_parameters_changed_in_place_do_not_stay_changed(play):
    seen = []

    def grow(params):
        seen.append(dict(params))
        params["n"] = len(seen)

    play(CALL, "5", tools=[add], params={"seed": 1}, hooks=[hook(transform_params=grow)]).send()
    assert seen == [{"seed": 1}, {"seed": 1}]
    assert [request.params["n"] for request in play.requests] == [1, 2]


@every_style
def test_a_request_may_be_changed_replaced_or_given_other_messages(play, style):
    def change(moment):
        moment.request = replace(moment.request, params={"a": 1})

    def answer(moment):
        return replace(moment.request, stop=("END",))

    def set_messages(moment):
        call = ToolCall("add", {"a": 1, "b": 1})
        moment.set_messages([Message("user", "instead", calls=(call,), reasoning="r")])

    hooks = [hook(on_before_request=each) for each in (change, answer, set_messages)]
    play("Hi.", hooks=map(style, hooks)).send("go")
    (request,) = play.requests
    assert request.messages == (user("instead"),)
    assert (request.stop, request.params) == (("END",), {"a": 1})
    assert contents(play) == ["go", "Hi."]


@every_style
def test_the_fields_of_the_messages_that_are_sent_can_be_chosen(play, style):
    picture = Attachment("image/png", data="AA==")
    said = Message("user", "Look.", reasoning="Why?", attachments=(picture,))

    def sending(*fields):
        chosen = {"fields": fields} if fields else {}
        return style(hook(on_before_request=lambda moment: moment.set_messages([said], **chosen)))

    for fields, sent in [
        ((), Message("user", "Look.", attachments=(picture,))),
        (("content",), Message("user", "Look.")),
        (("content", "reasoning"), Message("user", "Look.", reasoning="Why?")),
    ]:
        play("Hi.", hooks=[sending(*fields)]).send()
        assert play.requests[0].messages == (sent,)
    with pytest.raises(UsageError, match="no field 'results'"):
        play("Hi.", hooks=[sending("results")]).send()


@every_style
@pytest.mark.parametrize("is_first", [True, False])
def test_a_tool_added_before_a_request_is_taught_in_it_and_can_be_called(play, style, is_first):
    def add_tool(moment):
        if "add" not in moment.tools:
            moment.tools.add(add)

    @tool
    def other() -> str:
        """Do something else."""
        return "done"

    rules = ToolContextBuilder("You count.", rules={"add": "Add slowly."}, dated=False)
    usual = {"tools": [] if is_first else [other], "system": rules}
    added = play(CALL, "5", hooks=[style(hook(on_before_request=add_tool))], **usual)
    assert [each.result.content for each in added.send().calls] == ["5"]
    first, second = added.requests
    known = play("Hi.", **{**usual, "tools": [*usual["tools"], add]})
    known.send()
    expected = known.requests[0]
    for request in (first, second):
        assert request.messages[0] == expected.messages[0]
        assert (request.stable_prefix, request.stop) == (expected.stable_prefix, expected.stop)


@every_style
def test_a_tool_added_beside_a_prompt_of_a_hooks_own_stands_in_that(play, style):
    def add_tool(moment):
        system = replace(moment.request.messages[0], content="Be somebody else.")
        moment.request = replace(moment.request, messages=(system, *moment.request.messages[1:]))
        if "add" not in moment.tools:
            moment.tools.add(add)

    play(CALL, "5", system="You count.", hooks=[style(hook(on_before_request=add_tool))]).send()
    request = play.requests[0]
    said = request.messages[0].content
    assert said.startswith("Be somebody else.") and "add" in said and request.stable_prefix == 0


@every_style
def test_requests_are_shown_again_before_each_follow_up(play, style):
    seen = []

    def look(moment):
        seen.append([message.role for message in moment.request.messages])

    play(CALL, "5", tools=[add], hooks=[style(hook(on_before_request=look))]).send()
    assert seen == [["system", "user"], ["system", "user", "assistant", "user"]]


def test_a_system_message_set_by_a_hook_is_not_called_stable(play):
    def set_messages(moment):
        moment.set_messages([Message("system", "Something else."), *moment.request.messages[1:]])

    play("Hi.", system="You add.", hooks=[hook(on_before_request=set_messages)]).send()
    assert play.requests[0].stable_prefix == 0


@pytest.mark.parametrize(
    "name, answer",
    [
        ("transform_system", 5),
        ("transform_params", 5),
        ("on_before_request", "no request"),
        ("on_stream_data", "no chunk"),
        ("before_tool", "no call"),
        ("after_tool", "no result"),
    ],
)
def test_an_answer_of_the_wrong_kind_is_the_programs_mistake(play, name, answer):
    noted = []
    hooks = [*cleaning(noted, "a"), hook(**{name: lambda *_: answer})]
    play(CALL, "5", tools=[add], hooks=hooks)
    with pytest.raises(UsageError, match=name):
        sends(play)
    assert noted == ["a"] and play.endpoint.open == 0


def test_a_request_assigned_that_is_none_is_the_programs_mistake(play):
    def assign(moment):
        moment.request = {"messages": []}

    play("Hi.", hooks=[hook(on_before_request=assign)])
    with pytest.raises(UsageError, match="on_before_request"):
        sends(play)


# -- streaming ---------------------------------------------------------------------------------


@every_style
def test_every_chunk_is_seen_and_may_be_replaced(play, style):
    seen = []

    def look(data):
        assert data.message.role == "assistant" and data.message.content == "".join(data.heard)
        seen.append((data.chunk.text, list(data.heard), data.chunk.finish_reason))

    def shout(data):
        return replace(data.chunk, text=data.chunk.text.upper())

    hooks = [style(hook(on_stream_data=look)), style(hook(on_stream_data=shout))]
    result = play(["a", "b", Chunk("c", finish_reason="stop")], hooks=[*hooks, hooks[0]]).send()
    assert result.text == "ABC"
    assert seen[::2] == [("a", [], None), ("b", ["A"], None), ("c", ["A", "B"], "stop")]
    assert [text for text, *_ in seen[1::2]] == ["A", "B", "C"]
    assert "".join(event.text for event in play.of(TextDelta)) == "ABC"


def test_a_hook_sees_the_message_under_construction(play):
    seen = []

    def look(data):
        message = data.message
        seen.append((message.content, message.reasoning, [call.name for call in message.calls]))

    chunks = [Chunk(reasoning="Add."), "Sum: ", CALL, Chunk(" Yes.", finish_reason="stop")]
    play(chunks, "5", tools=[add], hooks=[hook(on_stream_data=look)]).send()
    assert seen[:4] == [("", "", []), ("", "Add.", []), ("Sum:", "Add.", []),
                        ("Sum:", "Add.", ["add"])]  # fmt: skip


def test_a_hook_hears_why_a_reply_ended_and_what_it_took(play):
    heard = []
    last = Chunk("b", finish_reason="stop", raw="data: …")
    after = hook(on_after_request=lambda moment: heard.append(moment.last_chunk))
    play([Chunk("a", usage=Usage(3, 4)), last], ["c"], hooks=[after]).send()
    assert heard == [replace(last, usage=Usage(3, 4))] and heard[0].raw == "data: …"
    play.send()
    assert heard[1].finish_reason == "stop"


def test_a_call_may_be_written_by_a_hook(play):
    def spell_out(data):
        return replace(data.chunk, text=data.chunk.text.replace("[sum]", CALL))

    result = play("[sum]", "5", tools=[add], hooks=[hook(on_stream_data=spell_out)]).send()
    assert [record.result.content for record in result.calls] == ["5"]


def test_a_chunk_whose_end_was_taken_away_is_a_broken_reply(play):
    hooks = [hook(on_stream_data=lambda data: Chunk(data.chunk.text))]
    assert isinstance(play("Hi.", hooks=hooks).send().error, WireError)


# -- after a request ---------------------------------------------------------------------------


@pytest.mark.parametrize("order", [1, -1])
def test_hooks_after_a_request_run_at_the_same_time(play, order):
    def first(moment):
        there.set()
        assert back.wait(PATIENCE)

    def second(moment):
        assert there.wait(PATIENCE)
        back.set()

    async def afirst(moment):
        there.set()
        await asyncio.wait_for(back.wait(), PATIENCE)

    async def asecond(moment):
        await asyncio.wait_for(there.wait(), PATIENCE)
        back.set()

    is_sync = play.kind == "sync"
    there, back = (
        (threading.Event(), threading.Event()) if is_sync else (asyncio.Event(), asyncio.Event())
    )
    both = (first, second) if is_sync else (afirst, asecond)
    hooks = [hook(on_after_request=each) for each in both[::order]]
    assert play("Hi.", hooks=hooks).send().status == "completed"


@only_sync
def test_messages_of_hooks_that_run_at_the_same_time_are_appended_one_at_a_time(play):
    inside = threading.Lock()

    def alone(moment):
        assert inside.acquire(blocking=False)
        time.sleep(0.001)
        inside.release()

    def append(moment):
        for number in range(5):
            moment.append_message(Message("user", str(number)))

    after = [hook(on_after_request=append) for _ in range(4)]
    result = play("Hi.", hooks=[*after, hook(on_message_append=alone)]).send()
    assert result.status == "completed" and len(result.transcript) == 2 + 20


@every_style
def test_deferred_messages_are_merged_by_priority_and_then_in_the_order_of_hooks(play, style):
    def defer(*messages):
        def append(moment):
            for text, priority in messages:
                moment.append_message(user(text), priority=priority, deferred=True)

        return style(hook(on_after_request=append))

    hooks = [
        defer(("a1", 0), ("a2", 5), ("a3", 0)),
        hook(),
        defer(("b1", 0), ("b2", 9)),
        defer(("c1", 5), ("c2", -1)),
    ]
    play("Hi.", hooks=hooks).send()
    assert contents(play)[2:] == ["b2", "a2", "c1", "a1", "a3", "b1", "c2"]


@only_async
def test_deferred_messages_do_not_depend_on_which_hook_was_faster(play):
    async def slow(moment):
        await fast_done.wait()
        moment.append_message(user("slow"), deferred=True)

    async def fast(moment):
        moment.append_message(user("fast"), deferred=True)
        fast_done.set()

    fast_done = asyncio.Event()
    play("Hi.", hooks=[hook(on_after_request=slow), hook(on_after_request=fast)]).send()
    assert contents(play)[2:] == ["slow", "fast"]


@every_style
def test_messages_come_at_once_or_after_the_results_of_tools(play, style):
    def append(moment):
        if moment.message.calls:
            moment.append_message(user("deferred"), deferred=True)
            moment.append_message(user("at once"), priority=-9)
            moment.append_message([user("also"), user("these")])
            seen.append(contents(play))

    seen = []
    play(CALL, "5", tools=[add], hooks=[style(hook(on_after_request=append))]).send()
    messages = play.session.messages
    assert [message.content for message in messages[2:5]] == ["at once", "also", "these"]
    assert messages[5].results and messages[6].content == "deferred"
    assert seen == [["go", "", "at once", "also", "these"]]
    assert [event.message for event in play.of(MessageAppended)] == list(messages)
    assert play.session.result.transcript == messages


@every_style
@pytest.mark.parametrize("deferred", [False, True])
def test_a_hook_may_ask_for_another_request(play, style, deferred):
    asked = []

    def twice(moment):
        if len(asked) < 2:
            asked.append(moment.finish_reason)
            moment.append_and_request(user("more"), deferred=deferred)

    result = play("1", "2", "3", hooks=[style(hook(on_after_request=twice))]).send()
    assert contents(play) == ["go", "1", "more", "2", "more", "3"]
    assert (result.text, result.stats.requests, asked) == ("3", 3, ["stop", "stop"])


@pytest.mark.parametrize("deferred", [False, True])
@pytest.mark.parametrize("request_", [False, True])
def test_nothing_appended_asks_for_nothing(play, deferred, request_):
    def nothing(moment):
        moment.append_message([], request=request_, deferred=deferred)

    result = play("1", hooks=[hook(on_after_request=nothing)]).send()
    assert result.stats.requests == 1 and contents(play) == ["go", "1"]


def test_one_hook_that_asks_is_enough(play):
    def quiet(moment):
        moment.append_message(user("note"), deferred=True)

    def ask(moment):
        if moment.message.content == "1":
            moment.append_message(user("more"), request=True, deferred=True, priority=1)

    hooks = [hook(on_after_request=quiet), hook(on_after_request=ask)]
    play("1", "2", hooks=hooks).send()
    assert contents(play) == ["go", "1", "more", "note", "2", "note"]


def test_a_hook_that_always_asks_again_is_stopped(play):
    always = hook(on_after_request=lambda moment: moment.append_and_request(user("more")))
    noted = []
    hooks = [*cleaning(noted, "a"), always]
    result = play(*"123456", hooks=hooks, limits=TurnLimits(requests=4)).send()
    assert result.status == "error" and result.error.limit == "requests"
    assert len(play.requests) == 4 and noted == ["a"]


@every_style
def test_an_error_after_a_request_ends_the_turn(play, style):
    error = ValueError("no")
    noted = []
    hooks = [
        hook(on_after_request=lambda moment: moment.append_and_request(user("a"))),
        hook(on_after_request=raising(error)),
    ]
    result = play("1", "2", hooks=[*cleaning(noted, "a"), *map(style, hooks)]).send()
    assert result.error is error and len(play.requests) == 1 and noted == ["a"]


def test_what_was_appended_before_an_error_is_told_all_the_same(play):
    hooks = [
        hook(on_after_request=lambda moment: moment.append_message(user("a"))),
        hook(on_after_request=raising(ValueError("no"))),
    ]
    play("1", hooks=hooks).send()
    assert contents(play) == ["go", "1", "a"]
    assert [event.message.content for event in play.of(MessageAppended)] == ["go", "1", "a"]


@only_async
def test_hooks_that_fail_at_the_same_time_are_all_told(play):
    async def fail(moment, text):
        await asyncio.sleep(0)
        raise ValueError(text)

    hooks = [hook(on_after_request=functools.partial(fail, text=text)) for text in "ab"]
    error = play("1", hooks=hooks).send().error
    assert isinstance(error, ExceptionGroup)
    assert [str(each) for each in error.exceptions] == ["a", "b"]


def test_only_messages_can_be_appended(play):
    wrong = hook(on_after_request=lambda moment: moment.append_message("text"))
    play("1", "2", hooks=[wrong])
    with pytest.raises(UsageError, match="Message"):
        sends(play)
    assert contents(play) == ["go", "1"]


def test_a_message_appended_when_the_moment_is_over_is_refused(play):
    kept = []
    late = hook(
        on_after_request=kept.append,
        on_turn_end=lambda result: kept[0].append_message(user("late")),
    )
    play("1", hooks=[late])
    with pytest.raises(UsageError):
        sends(play)


def test_the_moment_after_a_request_shows_the_reply_as_it_was_kept(play):
    def redact(moment):
        moment.message = replace(moment.message, content="[redacted]")

    seen = []
    look = hook(on_after_request=lambda moment: seen.append(moment.message))
    play("secret", hooks=[hook(on_message_append=redact), look]).send()
    assert seen == [play.session.messages[-1]] == [Message("assistant", "[redacted]")]


# -- messages that join ------------------------------------------------------------------------


def test_every_message_but_the_users_own_passes_the_hooks(play):
    seen = []

    def append(moment):
        moment.append_message(user("at once"))
        moment.append_message(user("deferred"), deferred=True)

    watch = hook(on_message_append=lambda moment: seen.append(moment.message))
    play(CALL, BROKEN, "5", tools=[add], hooks=[watch, hook(on_after_request=append)]).send()
    assert seen == list(play.session.messages[1:]) and len(seen) == 11


def test_the_demand_for_a_call_passes_the_hooks(play):
    seen = []
    watch = hook(on_message_append=lambda moment: seen.append(moment.message.content))
    play("no", CALL, "5", tools=[add], hooks=[watch]).send(choice="required")
    assert "You must call a tool" in seen[1]


def test_a_message_may_be_changed_by_one_hook_after_another(play):
    def adding(letter):
        def change(moment):
            seen.append(moment.message.content)
            moment.message = replace(moment.message, content=moment.message.content + letter)

        return hook(on_message_append=change)

    seen = []
    play("1", "2", hooks=[adding("a"), adding("b")]).send()
    assert contents(play) == ["go", "1ab"] and seen == ["1", "1a"]
    play.send("on")
    assert [m.content for m in play.requests[1].messages if m.role == "assistant"] == ["1ab"]


def change(calls):
    for each in calls:
        each.arguments["a"] = 7


CHANGING = {
    "before_tool": lambda call, tool: change([call]),
    "after_tool": lambda result: change([result.call]),
    "on_message_append": lambda moment: change(moment.message.calls),
    "on_after_request": lambda moment: change(moment.message.calls),
}


@pytest.mark.parametrize("name", CHANGING)
@every_style
def test_a_call_cannot_be_changed_in_place(play, style, name):
    play(CALL, "done", tools=[add], hooks=[style(hook(**{name: CHANGING[name]}))])
    with pytest.raises(UsageError, match=rf"{name} changed the arguments of 'add' in place"):
        play.send()


def test_a_deep_change_is_noticed_and_a_changed_call_may_be_returned(play):
    @tool
    def total(numbers: list[int]) -> int:
        """Add numbers."""
        return sum(numbers)

    def appending(call, tool):
        call.arguments["numbers"].append(4)

    asked = '<tool_code>{"name": "total", "arguments": {"numbers": [1, 2]}}</tool_code>'
    play(asked, "done", tools=[total], hooks=[hook(before_tool=appending)])
    with pytest.raises(UsageError, match="in place"):
        play.send()
    given = hook(before_tool=lambda call, tool: appending(call, tool) or call)
    result = play(asked, "done", tools=[total], hooks=[given]).send()
    assert result.calls[0].result.content == "7"


class Misspelt(Hooks):
    def on_turn_started(self, turn):
        """Never called, if nobody said so."""


class MadeUp(Hooks):
    def on_the_moon(self):
        """Not a hook."""


class Watching(Diary):
    """A hook with other methods of its own."""

    def note_all(self):
        """Not a hook, and not like one."""


@pytest.mark.parametrize(
    "wrong, said",
    [
        (Misspelt(), r"Misspelt.on_turn_started is no hook; did you mean 'on_turn_start'\?"),
        (MadeUp(), r"MadeUp.on_the_moon is no hook; there are: on_turn_start, "),
        (hook(before_tools=print, after_tool=print), "did you mean 'before_tool'"),
    ],
)
def test_a_hook_that_would_never_be_called_is_refused(play, wrong, said):
    with pytest.raises(UsageError, match=said):
        play("hi", hooks=[wrong])
    play("hi", hooks=[Watching("a", []), hook(on_turn_end=print, on_state=print)])


def test_a_message_may_be_left_out(play):
    def leave_out(moment):
        if moment.message.content == "1":
            moment.prevent_default()

    seen = []
    after = hook(on_message_append=lambda moment: seen.append(moment.prevented))
    result = play("1", "2", hooks=[hook(on_message_append=leave_out), after]).send()
    assert contents(play) == ["go"] and seen == [True]
    assert (result.status, result.text) == ("completed", "1")
    assert [event.message.content for event in play.of(MessageAppended)] == ["go"]


@pytest.mark.parametrize("instead", [None, "The tool says nothing."])
def test_a_call_whose_results_are_left_out_is_answered_all_the_same(play, instead):
    def leave_out(moment):
        if moment.message.results and instead:
            moment.message = user(instead)
        elif moment.message.results:
            moment.prevent_default()

    play(CALL, "2", "3", tools=[add], hooks=[hook(on_message_append=leave_out)])
    play.send()
    play.send("on")
    for request in play.requests[1:]:
        roles = [message.role for message in request.messages]
        assert roles[:4] == ["system", "user", "assistant", "user"]
        assert "its result is not shown to you" in request.messages[3].content
        assert (instead or "") in request.messages[3].content
    assert not any(message.results for message in play.session.messages)


def test_a_message_may_be_put_elsewhere(play):
    def first(moment):
        if moment.message.content == "note":
            assert moment.messages == play.session.messages
            moment.place(0)

    note = hook(on_after_request=lambda moment: moment.append_message(user("note")))
    play("1", "2", hooks=[hook(on_message_append=first), note]).send()
    assert contents(play) == ["note", "go", "1"]
    play.send("on")
    assert contents(play) == ["note", "note", "go", "1", "on", "2"]


def test_a_hook_may_change_its_mind_about_another_hooks_place(play):
    hooks = [
        hook(on_message_append=lambda moment: moment.place(0)),
        hook(on_message_append=lambda moment: moment.place(len(moment.messages))),
    ]
    play("1", hooks=hooks).send()
    assert contents(play) == ["go", "1"]


@pytest.mark.parametrize("position", [-1, 2, 99])
def test_a_place_outside_the_conversation_is_the_programs_mistake(play, position):
    noted = []
    place = hook(on_message_append=lambda moment: moment.place(position))
    play("1", hooks=[*cleaning(noted, "a"), place])
    with pytest.raises(UsageError, match=f"position {position}"):
        sends(play)
    assert noted == ["a"] and contents(play) == ["go"]


def test_no_earlier_turn_is_taken_for_this_one_when_a_message_is_put_before_it(play):
    def first(moment):
        if moment.message.content == "note":
            moment.place(0)

    def note(moment):
        if moment.message.calls and len(play.session.messages) > 4:
            moment.append_message([user("note")] * 3)

    hooks = [hook(on_message_append=first), hook(on_after_request=note)]
    four = CALL.replace("3", "4")
    play(CALL, "5", four, "6", tools=[add], hooks=hooks, keep_calls=False)
    play.send("one")
    play.send("two")
    said = [message.content for message in play.requests[3].messages if message.role == "assistant"]
    assert [text for text in said if '"b": 3' in text] == []


def test_a_message_cannot_be_made_something_else(play):
    def spoil(moment):
        moment.message = "text"

    play("1", hooks=[hook(on_message_append=spoil)])
    with pytest.raises(UsageError, match="on_message_append"):
        sends(play)
    assert contents(play) == ["go"]


def test_hooks_that_append_messages_cannot_be_async(play):
    noted = []

    async def never(moment):
        raise AssertionError("ran")

    play("1", hooks=[*cleaning(noted, "a", "b"), hook(on_message_append=never)])
    with pytest.raises(UsageError, match="on_message_append cannot be async"):
        sends(play)
    assert noted == ["b", "a"] and contents(play) == ["go"]


def test_hooks_cannot_change_the_history_they_are_shown(play):
    tried = []

    def spoil(moment):
        for spoiling in (lambda: moment.messages.clear(), lambda: moment.messages.append(1)):
            with pytest.raises(AttributeError):
                spoiling()
            tried.append(1)

    hooks = [hook(on_turn_start=spoil, on_message_append=spoil)]
    play("1", hooks=hooks).send()
    assert contents(play) == ["go", "1"] and len(tried) == 4


def test_hooks_that_append_within_an_append_are_stopped(play):
    kept = []

    def again(moment):
        if kept:
            kept[0].append_message(user("more"))

    def keep(moment):
        kept.append(moment)
        moment.append_message(user("first"))

    noted = []
    hooks = [*cleaning(noted, "a"), hook(on_message_append=again, on_after_request=keep)]
    result = play("1", hooks=hooks).send()
    assert isinstance(result.error, RecursionError) and noted == ["a"]
    assert contents(play) == ["go", "1"]


# -- the end of a turn -------------------------------------------------------------------------


@every_style
def test_the_end_of_a_turn_sees_its_result(play, style):
    ended = []
    result = play(CALL, "5", tools=[add], hooks=[style(hook(on_turn_end=ended.append))]).send()
    (seen,) = ended
    assert seen.stats.seconds <= result.stats.seconds
    assert replace(seen, stats=result.stats) == result
    assert (seen.status, seen.text, len(seen.transcript)) == ("completed", "5", 4)


@every_style
def test_an_error_at_the_end_skips_the_other_ends_but_no_clean_up(play, style):
    noted, ended = [], []
    error = ValueError("end")
    hooks = [
        *cleaning(noted, "a"),
        hook(on_turn_end=lambda result: ended.append("a")),
        hook(on_turn_end=raising(error)),
        hook(on_turn_end=lambda result: ended.append("c")),
    ]
    result = play("1", hooks=map(style, hooks)).send()
    assert (result.status, result.partial_text, result.error) == ("error", "1", error)
    assert ended == ["a"] and noted == ["a"]


def test_the_end_comes_before_the_clean_ups_and_before_the_last_state(play):
    noted = []
    end = hook(on_turn_end=lambda result: noted.append(("end", play.session.state)))
    clean = hook(on_turn_start=lambda turn: lambda: noted.append(("clean", play.session.result)))
    play("1", hooks=[clean, end]).send()
    assert noted == [("end", TurnState.FINALIZING), ("clean", None)]


# -- tools -------------------------------------------------------------------------------------


@every_style
def test_a_call_may_be_changed_before_anybody_approves_it(play, style):
    asked, seen = [], []

    def double(call, tool):
        seen.append((dict(call.arguments), tool.name))
        return ToolCall("add", {name: value * 2 for name, value in call.arguments.items()})

    def approve(request):
        asked.append(dict(request.call.arguments))
        return Allow()

    careful = replace(add, needs_approval=True)
    hooks = [style(hook(before_tool=double))] * 2
    result = play(CALL, "20", tools=[careful], hooks=hooks, approver=approve).send()
    assert seen == [({"a": 2, "b": 3}, "add"), ({"a": 4, "b": 6}, "add")]
    assert asked == [{"a": 8, "b": 12}]
    assert [record.result.content for record in result.calls] == ["20"]
    assert result.calls[0].call.id == play.session.messages[1].calls[0].id


@pytest.mark.parametrize(
    "call, advice",
    [
        (ToolCall("multiply", {"a": 1, "b": 2}), "the tools are: add"),
        (ToolCall("add", {"a": "x", "b": 2}), "integer"),
        (ToolCall("add", {"a": 1}), "b"),
    ],
)
def test_a_changed_call_is_checked_again(play, call, advice):
    later = []
    hooks = [
        hook(before_tool=lambda *_: call),
        hook(before_tool=lambda *_: later.append(1), after_tool=lambda *_: later.append(1)),
    ]
    result = play(CALL, "sorry", tools=[add], hooks=hooks).send()
    assert result.status == "completed" and later == []
    (record,) = result.calls
    assert record.result.is_error and advice in record.result.content


@every_style
def test_a_hook_may_answer_in_a_tools_place(play, style):
    ran, later = [], []

    @tool
    def note(n: int) -> str:
        ran.append(n)
        return "noted"

    def answer(call, tool):
        return ToolResult(ToolCall("other", {}), f"cached {call.arguments['n']}")

    hooks = [
        hook(before_tool=answer),
        hook(before_tool=lambda *_: later.append("before")),
        hook(after_tool=lambda result: later.append(result.call.name)),
    ]
    call = '<tool_code>{"name": "note", "arguments": {"n": 1}}</tool_code>'
    careful = replace(note, needs_approval=True)
    result = play(call, "ok", tools=[careful], hooks=map(style, hooks)).send()
    (record,) = result.calls
    assert (record.result.content, record.call.name, ran) == ("cached 1", "note", [])
    assert later == ["note"] and record.seconds is None and record.decision is None


@every_style
def test_a_result_may_be_changed_by_one_hook_after_another(play, style):
    def adding(letter):
        def change(result):
            other = replace(result, content=result.content + letter, call=ToolCall("other", {}))
            return None if letter == "-" else other

        return style(hook(after_tool=change))

    result = play(CALL, "5", tools=[add], hooks=[adding(each) for each in "a-b"]).send()
    assert [record.result.content for record in result.calls] == ["5ab"]
    assert result.calls[0].call.name == "add"
    assert "5ab" in play.requests[1].messages[-1].content


def test_a_call_refused_before_a_tool_is_answered_and_the_turn_ends(play):
    ran = []

    @tool
    def note() -> str:
        ran.append(1)
        return "noted"

    error = PermissionError("not today")
    call = '<tool_code>{"name": "note", "arguments": {}}</tool_code>'
    play(call, "fine", tools=[note], hooks=[hook(before_tool=raising(error))])
    result = play.send()
    assert result.error is error and ran == []
    assert "not run: the turn failed" in result.calls[0].result.content
    assert play.session.messages[-1].results


def test_an_error_after_one_tool_answers_the_other_calls(play):
    release = threading.Event()

    @tool
    def slow() -> str:
        release.wait(PATIENCE)
        return "slow"

    @tool
    def fast() -> str:
        return "fast"

    calls = "".join(
        f'<tool_code>{{"name": "{name}", "arguments": {{}}}}</tool_code>'
        for name in ("slow", "fast")
    )
    hooks = [hook(after_tool=raising(ValueError("no")))]
    result = play(calls, tools=[slow, fast], hooks=hooks).send()
    release.set()
    assert isinstance(result.error, ValueError)
    told = [record.result for record in result.calls]
    assert "may have taken effect" in told[0].content
    assert told[1].content.startswith("it ran to its end")
