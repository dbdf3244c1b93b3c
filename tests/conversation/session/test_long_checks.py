"""A check that takes long is not made on an event loop; and no reply has thousands of calls run."""

from __future__ import annotations

import threading
from dataclasses import replace

from toolproto import TurnLimits, tool
from toolproto.conversation.hooks import Hooks

from .test_turns import call


@tool
def note(text: str) -> str:
    """Note a text."""
    return "noted"


class Noting(dict):
    """Arguments that know from which threads they were looked at."""

    threads: set[int]

    def __getitem__(self, key):
        self.threads.add(threading.get_ident())
        return super().__getitem__(key)


class Changing(Hooks):
    def __init__(self, size):
        self.size = size
        self.seen = Noting(text="x" * size)
        self.seen.threads = set()

    def before_tool(self, call, tool):
        return replace(call, arguments=self.seen)


def checked_in(play, size):
    """The threads in which arguments of that size are checked."""
    hook = Changing(size)
    play(call("note", '{"text": "x"}'), "ok", tools=[note], hooks=[hook])
    assert play.send().text == "ok"
    return hook.seen.threads


def test_small_arguments_are_checked_at_once(play):
    assert checked_in(play, 10) == {threading.get_ident()}


def test_large_arguments_are_checked_beside_an_event_loop(play):
    elsewhere = checked_in(play, 200_000) - {threading.get_ident()}
    assert bool(elsewhere) == (play.kind == "async")


def test_a_reply_has_so_many_calls_run_and_each_is_answered(play):
    ran = []

    @tool
    def count(n: int) -> str:
        """Count."""
        ran.append(n)
        return str(n)

    calls = "".join(call("count", f'{{"n": {n}}}') for n in range(300))
    play(calls, "ok", tools=[count])
    result = play.send()
    assert sorted(ran) == list(range(128)) and len(result.calls) == 300
    assert "128 calls may be made at a time" in result.calls[-1].result.content
    assert result.text == "ok"


def test_how_many_is_a_limit_like_others(play):
    calls = "".join(call("note", f'{{"text": "{n}"}}') for n in range(5))
    play(calls, "ok", tools=[note], limits=TurnLimits(calls=2))
    assert [record.result.is_error for record in play.send().calls] == [False] * 2 + [True] * 3
