"""A journal kept by hand: no driver, no store."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from toolproto import ToolRegistry, ToolResult, get_paradigm, tool
from toolproto.conversation.deciding.approvals import Allow
from toolproto.conversation.hooks import Hooks
from toolproto.conversation.journal.journal import VERSION, Journal, journaled, unpacked
from toolproto.conversation.journal.log import SessionLog
from toolproto.conversation.journal.replay import Recall
from toolproto.conversation.stores import MemoryStore
from toolproto.conversation.stores.base import Record
from toolproto.conversation.turn import commands as cmd
from toolproto.conversation.turn.call_results import UNKNOWN_OUTCOME
from toolproto.conversation.turn.events import ApprovalAsked
from toolproto.conversation.turn.flow import Turn
from toolproto.conversation.turn.setup import Conversation, TurnSetup
from toolproto.protocol.errors import StoreError, TurnCancelled
from toolproto.protocol.messages import Chunk, Message

CALL = '<tool_code>{"name": "add", "arguments": {"a": 1, "b": 2}}</tool_code>'


@tool(risk="write")
def add(a: int, b: int) -> int:
    return a + b


@tool
def look(city: str) -> str:
    return "sunny"


LOOK = '<tool_code>{"name": "look", "arguments": {"city": "Oslo"}}</tool_code>'


class Hand:
    """Answers a turn's commands, and keeps what it writes; *order* is what was done in order."""

    hooks: tuple[Any, ...] = ()

    def __init__(self, *replies: str, fails: dict[str, Exception] | None = None) -> None:
        self.chunks: list[Any] = []
        for reply in replies:
            self.chunks += [Chunk(each) for each in reply] + [Chunk(finish_reason="stop"), None]
        self.fails = fails or {}
        self.records: list[Record] = []
        self.order: list[str] = []
        self.invoked: list[Any] = []
        self.now = 0.0

    def play(self, known: tuple[Record, ...] = (), idempotent: bool = False) -> Any:
        conversation = Conversation()
        recall = Recall(known, lambda call: idempotent, conversation.started)
        paradigm, message = get_paradigm("xml_tag"), Message("user", "go")
        journal = Journal(conversation, paradigm.ids, recall, message)
        paradigm.ids = journal.draw_id
        tools = ToolRegistry([add, look])
        turn = Turn(TurnSetup(paradigm, tools, hooks=self.hooks, attended=True), conversation)
        began = [] if known else [Record("turn", {"version": VERSION})]
        self.perform(journaled(turn.run(message), journal, began))
        return turn.result

    def perform(self, flow: Any) -> None:
        answer: Any = None
        failure: Exception | None = None
        while True:
            try:
                command = flow.throw(failure) if failure else flow.send(answer)
            except StopIteration:
                return
            answer = failure = None
            try:
                answer = self.answer(command)
            except Exception as error:
                failure = error

    def answer(self, command: Any) -> Any:
        name = type(command).__name__
        self.order.append(name)
        if isinstance(command, cmd.Write):
            self.order[-1] = "+".join(each.kind for each in command.records)
        if error := self.fails.pop(self.order[-1], None):
            raise error
        match command:
            case cmd.Write(records):
                self.records += [each for record in records for each in unpacked(record)]
            case cmd.Read():
                return self.chunks.pop(0)
            case cmd.Invoke(calls):
                self.invoked += calls
            case cmd.Settle():
                return cmd.Outcome(ToolResult(self.invoked.pop(0), "3"))
            case cmd.Ask():
                return Allow()
            case cmd.Today():
                return date(2026, 1, 2)
            case cmd.Clock():
                self.now += 1
                return self.now
        return None

    @property
    def shown(self) -> list[str]:
        """What was done, without what is only watched or read."""
        return [name for name in self.order if name not in ("Emit", "Read", "Append", "Pause")]


def kinds(hand: Hand) -> list[str]:
    return [record.kind for record in hand.records]


def test_everything_is_written_before_what_comes_of_it():
    hand = Hand(CALL, "3")
    assert hand.play().status == "completed"
    order = hand.shown
    assert order[0] == "turn" and order.index("turn") < order.index("Open")
    started = next(at for at, name in enumerate(order) if name.endswith("started"))
    assert started == order.index("Invoke") - 1
    assert order[order.index("Settle") + 1].endswith("outcome")
    assert order[order.index("Ask") + 1].endswith("decision")
    assert order[order.index("Close") + 1].endswith("reply")


def test_only_a_start_and_a_beginning_must_survive_a_power_cut():
    durable = []

    class Watching(Hand):
        def answer(self, command):
            if isinstance(command, cmd.Write) and command.durable:
                durable.append(command.records[-1].kind)
            return super().answer(command)

    Watching(CALL, "3").play()
    assert durable == ["turn", "started"]


def test_a_whole_reply_is_one_record_however_it_came():
    hand = Hand(CALL, "3")
    hand.play()
    replies = [record.data for record in hand.records if record.kind == "reply"]
    assert [each["parts"] for each in replies] == [["text", CALL], ["text", "3"]]


def test_a_reply_is_written_with_the_start_of_its_calls():
    hand = Hand(LOOK, "sunny")
    hand.play()
    writes = [name for name in hand.order if name.islower()]
    assert writes == ["turn", "reply+started", "outcome", "ended"]


@pytest.mark.parametrize("text", [LOOK, LOOK.removesuffix("</tool_code>")])
def test_a_reply_tells_the_arguments_of_its_calls_however_late_they_are_read(text):
    """So that what is secret in them is taken out of its text, and not of the next one's."""
    hand = Hand(text, "sunny")
    hand.play()
    replies = [record.data for record in hand.records if record.kind == "reply"]
    assert [each.get("arguments") for each in replies] == [[{"city": "Oslo"}], None]


class Listening(Hooks):
    def on_after_request(self, moment: Any) -> None: ...


class Ending(Hooks):
    def on_turn_end(self, result: Any) -> None: ...


@pytest.mark.parametrize("hooks, acts", [((), "Ask"), ((Listening(),), "Together")])
def test_nobody_acts_on_a_reply_that_is_not_written(hooks, acts):
    hand = Hand(CALL, "3")
    hand.hooks = hooks
    hand.play()
    order = [name for name in hand.shown if name != "Clock"]
    assert order[order.index("Close") + 1 :][:2] == ["reply", acts]


def test_whoever_watches_hears_of_a_question_when_the_reply_is_written():
    class Watching(Hand):
        def answer(self, command):
            if isinstance(command, cmd.Emit) and isinstance(command.event, ApprovalAsked):
                assert "reply" in kinds(self)
            return super().answer(command)

    assert Watching(CALL, "3").play().status == "completed"


def test_a_reply_that_cannot_be_written_ends_the_turn_before_a_hook_hears_of_it():
    hand = Hand(CALL, "3", fails={"reply": StoreError("disk full")})
    hand.hooks = (Listening(), Ending())
    result = hand.play()
    assert result.status == "error" and kinds(hand) == ["turn"]
    assert not {"Together", "Hook", "Ask", "Invoke"} & set(hand.order)


def test_a_clean_up_is_not_left_out_for_a_write_that_failed():
    cleaned = []

    class Starting(Hooks):
        def on_turn_start(self, moment: Any) -> Any: ...

    class Cleaning(Hand):
        def answer(self, command):
            if isinstance(command, cmd.CleanUp):
                cleaned.append(self.order.count("ended"))
            answer = super().answer(command)
            return (lambda: None) if isinstance(command, cmd.Hook) else answer

    hand = Cleaning("hi", fails={"ended": StoreError("disk full")})
    hand.hooks = (Starting(),)
    assert hand.play().status == "error" and cleaned == [0]


def test_told_again_nothing_is_done_and_only_the_end_is_written():
    first = Hand(CALL, "3")
    result = first.play()
    again = Hand()
    assert again.play(tuple(first.records[1:-1])) == result
    assert set(again.order) == {"Emit", "Append", "Pause", "ended"} - {"Pause"}
    assert kinds(again) == ["ended"]


@pytest.mark.parametrize("idempotent", [False, True])
def test_a_start_without_an_outcome_is_unknown_or_done_again(idempotent):
    first = Hand(CALL, "3")
    first.play()
    until = kinds(first).index("started") + 1
    again = Hand("3")
    result = again.play(tuple(first.records[1:until]), idempotent)
    assert result.calls[0].result.content == ("3" if idempotent else UNKNOWN_OUTCOME)
    assert again.order.count("Invoke") == idempotent and "started" not in kinds(again)


def test_an_unknown_outcome_is_written_once_and_for_all():
    first = Hand(CALL, "3")
    first.play()
    known = tuple(first.records[1 : kinds(first).index("started") + 1])
    second = Hand("3")
    result = second.play(known)
    third = Hand()
    assert third.play((*known, *second.records[:-1])) == result


def test_nothing_runs_whose_start_could_not_be_written():
    hand = Hand(CALL, "3", fails={"started": StoreError("disk full")})
    result = hand.play()
    assert result.status == "error" and "Invoke" not in hand.order
    assert "ended" not in kinds(hand)  # after a write that failed there is no other


def test_an_end_that_could_not_be_written_is_told_as_an_error():
    hand = Hand("hi", fails={"ended": StoreError("disk full")})
    result = hand.play()
    assert (result.status, result.partial_text) == ("error", "hi") and "ended" not in kinds(hand)


def test_a_start_that_was_stopped_is_told_as_one_that_was_not():
    first = Hand(CALL, "3", fails={"Invoke": TurnCancelled("stop")})
    result = first.play()
    assert result.calls[0].result.content == "not run: the user stopped the turn"
    again = Hand()
    told = again.play(tuple(first.records[1:-1]))
    assert (told.calls, told.status) == (result.calls, result.status)


def test_a_journal_that_does_not_fit_ends_the_turn_and_runs_nothing():
    first = Hand(CALL, "3")
    first.play()
    for cut in range(1, len(first.records) - 1):
        records = first.records[1:-1]
        del records[cut - 1]
        again = Hand("and", "so", "on")
        result = again.play(tuple(records))
        assert result.status in ("completed", "error")
        if "started" in [each.kind for each in records]:
            assert "Invoke" not in again.order


@pytest.mark.parametrize("version", [VERSION + 1, 10**9])
def test_a_newer_journal_is_refused(version):
    store = MemoryStore()
    store.create("x")
    turn = {"version": version, "turn": 1, "parent": None, "message": {"role": "user"}}
    store.append("x", [Record("turn", turn)], 0, durable=True)
    with pytest.raises(StoreError, match="newer toolproto"):
        SessionLog(store, "x")


@pytest.mark.parametrize("data", [
    {}, {"version": "2"}, {"version": None}, {"version": 2}, {"version": 2, "turn": 1},
    {"version": 2, "turn": 1, "parent": 5}, {"version": 2, "turn": 1, "parent": 1},
    {"version": 2, "turn": [1], "parent": None}, {"version": 2, "turn": 1, "parent": None,
                                                  "message": []},
])  # fmt: skip
def test_a_damaged_journal_is_refused(data):
    store = MemoryStore()
    store.create("x")
    store.append("x", [Record("turn", data)], 0, durable=True)
    with pytest.raises(StoreError):
        SessionLog(store, "x")
