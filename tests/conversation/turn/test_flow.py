"""The turn with its commands answered by hand: no driver, no endpoint, no clock."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from toolproto import ToolRegistry, ToolResult, get_paradigm, tool
from toolproto.conversation.deciding.approvals import Allow
from toolproto.conversation.turn import commands as cmd
from toolproto.conversation.turn.flow import Turn
from toolproto.conversation.turn.setup import Conversation, TurnSetup
from toolproto.protocol.errors import EndpointError, TurnCancelled
from toolproto.protocol.messages import Chunk, Message

CALL = '<tool_code>{"name": "add", "arguments": {"a": 1, "b": 2}}</tool_code>'


@tool(risk="write")
def add(a: int, b: int) -> int:
    return a + b


class Hand:
    """Answers commands from a table; *performed* are their names in order."""

    def __init__(self, *replies: str, **answers: Any) -> None:
        self.chunks: list[Any] = []
        for reply in replies:
            self.chunks += [Chunk(reply), Chunk(finish_reason="stop"), None]
        self.answers = {"Clock": 0.0, "Today": date(2026, 1, 2), "Ask": Allow(), **answers}
        self.performed: list[str] = []
        self.invoked: list[Any] = []

    def play(self, turn: Turn, text: str = "go") -> Any:
        flow = turn.run(Message("user", text))
        answer: Any = None
        failure: Exception | None = None
        while True:
            try:
                command = flow.throw(failure) if failure else flow.send(answer)
            except StopIteration as done:
                return done.value
            answer, failure = self.answer(command), None
            if isinstance(answer, Exception):
                failure = answer

    def answer(self, command: cmd.Command[Any]) -> Any:
        name = type(command).__name__
        if name != "Emit":
            self.performed.append(name)
        match command:
            case cmd.Read():
                return self.chunks.pop(0)
            case cmd.Invoke(calls):
                self.invoked += calls
            case cmd.Settle():
                return self.answers.get("Settle") or cmd.Outcome(
                    ToolResult(self.invoked.pop(0), "3")
                )
        return self.answers.get(name)


@pytest.fixture
def turn():
    setup = TurnSetup(get_paradigm("xml_tag"), ToolRegistry([add]), attended=True)
    return Turn(setup, Conversation())


def test_a_turn_is_a_list_of_commands(turn):
    hand = Hand(CALL, "It is 3.")
    assert hand.play(turn).text == "It is 3."
    assert hand.performed == [
        "Clock", "Append", "TakesTools", "Today",
        "Open", "Read", "Read", "Read", "Close", "Append",
        "Ask", "Invoke", "Settle", "Append", "TakesTools",
        "Open", "Read", "Read", "Read", "Close", "Append", "Clock", "Clock",
    ]  # fmt: skip


def test_the_date_is_asked_for_once(turn):
    hand = Hand(CALL, "It is 3.")
    hand.play(turn)
    assert hand.performed.count("Today") == 1


@pytest.mark.parametrize("where", ["Open", "Read", "Ask", "Invoke", "Settle"])
@pytest.mark.parametrize("error", [TurnCancelled("stop"), EndpointError("broken")])
def test_a_command_may_fail_anywhere(turn, where, error):
    hand = Hand(CALL, "never", **{where: error})
    if where == "Read":
        hand.chunks[0] = error
    result = hand.play(turn)
    assert result.status == ("aborted" if isinstance(error, TurnCancelled) else "error")
    assert result.error is error
    messages = turn.conversation.messages
    assert {c.id for m in messages for c in m.calls} == {
        r.call.id for m in messages for r in m.results
    }
    if where in ("Open", "Read"):
        assert hand.performed.count("Close") == 1


def test_what_ran_before_the_turn_was_stopped_is_told(turn):
    hand = Hand(CALL, "never", Settle=TurnCancelled("stop"))
    (record,) = hand.play(turn).calls
    assert "may have taken effect" in record.result.content
    hand = Hand(CALL, "never", Invoke=TurnCancelled("stop"))
    (record,) = hand.play(Turn(turn.setup, Conversation())).calls
    assert record.result.content.startswith("not run")


def test_a_call_that_changed_after_it_was_approved_does_not_run(turn):
    class Sly(Hand):
        def answer(self, command):
            if isinstance(command, cmd.Ask):
                command.request.call.arguments["a"] = 1000
            return super().answer(command)

    hand = Sly(CALL, "ok")
    (record,) = hand.play(turn).calls
    assert "not what was approved" in record.result.content
    assert "Invoke" not in hand.performed
