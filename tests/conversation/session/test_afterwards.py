"""What a turn was, afterwards: its steps, its cost, its files, and all of it from the journal."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from types import SimpleNamespace as hook

import pytest

from toolproto import Message, Tool, ToolCall, UsageError, get_paradigm, tool
from toolproto.conversation.deciding.approvals import Allow, Defer, Deny
from toolproto.conversation.session import ChatSession
from toolproto.conversation.stores import MemoryStore
from toolproto.conversation.toolsets import (
    FileLimits,
    FolderFiles,
    MemoryFiles,
    file_tools,
    python_tool,
)
from toolproto.conversation.turn.compaction import Compaction
from toolproto.conversation.turn.events import (
    ReasoningEnded,
    ReasoningStarted,
    StepEnded,
    StepStarted,
)
from toolproto.conversation.turn.patches import changes_of, unified
from toolproto.conversation.turn.pricing import Price
from toolproto.endpoints import ScriptedEndpoint
from toolproto.protocol.deciding.policy import Policy
from toolproto.protocol.errors import EndpointError
from toolproto.protocol.events import ReasoningDelta
from toolproto.protocol.messages import Attachment, Chunk, MessageSegment, Usage
from toolproto.protocol.tools.outcome import ToolOutput

from .test_turns import add, call

ADD = call("add", '{"a": 1, "b": 2}')


def priced(text, read, said):
    return [text, Chunk(finish_reason="stop", usage=Usage(read, said))]


# -- steps --------------------------------------------------------------------------------


def test_every_request_is_a_step_with_its_usage_and_reason(play):
    play(priced(ADD, 10, 5), priced("3", 20, 1), tools=[add]).send()
    assert [event.number for event in play.of(StepStarted)] == [1, 2]
    steps = [event.step for event in play.of(StepEnded)]
    assert [(s.number, s.usage, s.finish_reason) for s in steps] == [
        (1, Usage(10, 5), "stop"),
        (2, Usage(20, 1), "stop"),
    ]
    assert play.session.result.steps == tuple(steps)


def test_a_step_that_fails_has_ended_too(play):
    result = play(priced(ADD, 10, 5), EndpointError("gone"), tools=[add]).send()
    assert [step.finish_reason for step in result.steps] == ["stop", None]
    assert len(play.of(StepEnded)) == len(play.of(StepStarted)) == 2


def test_thinking_begins_and_ends_once_however_it_comes(play):
    said = [Chunk(reasoning="Hm"), Chunk(reasoning=", hm."), Chunk("Well. "),
            Chunk("<think>Or"), Chunk(" not?</think>No.", finish_reason="stop")]  # fmt: skip
    play(said).send()
    kinds = (ReasoningStarted, ReasoningDelta, ReasoningEnded)
    seen = [type(event) for event in play.events if isinstance(event, kinds)]
    assert seen.count(ReasoningStarted) == seen.count(ReasoningEnded) == 2
    assert [event.text for event in play.of(ReasoningEnded)] == ["Hm, hm.", "Or not?"]


@pytest.mark.parametrize("end", [EndpointError("gone"), None])
def test_thinking_that_breaks_off_has_ended(play, end):
    def reply(request):
        yield Chunk(reasoning="Hm")
        if end:
            raise end

    play.open(reply)
    play.send()
    assert [event.text for event in play.of(ReasoningEnded)][:1] == ["Hm"]


# -- cost ---------------------------------------------------------------------------------

PRICES = {"small-*": (1, 2), "large": Price(10, 20)}


@pytest.mark.parametrize(
    "model, cost", [("small-x", 30e-6 + 12e-6), ("large", 300e-6 + 120e-6), ("other", None)]
)
def test_a_price_table_gives_the_cost(play, model, cost):
    play(priced(ADD, 10, 5), priced("3", 20, 1), tools=[add], prices=PRICES, model="large")
    result = play.send(model=model)
    assert result.cost == (None if cost is None else pytest.approx(cost))
    assert (result.steps[0].cost is None) == (cost is None)


def test_the_model_of_the_endpoint_has_its_price():
    endpoint = ScriptedEndpoint(priced("hi", 1_000_000, 0))
    endpoint.model = "large"
    assert ChatSession(endpoint, prices=PRICES).send("hi").cost == 10


def test_a_summary_is_counted_with_the_request_that_needed_it(play):
    long = "word " * 300
    replies = [priced(long, 10, 5), priced("Sum.", 7, 3), priced("Fine.", 20, 1)]
    play(*replies, prices=PRICES, model="large", compaction=Compaction(600, keep_turns=1))
    play.send("1")
    result = play.send("2")
    assert result.usage == result.steps[0].usage == Usage(27, 4)
    assert result.cost == pytest.approx((270 + 80) * 1e-6)
    assert play.session.usage == Usage(37, 9)
    assert play.session.cost == pytest.approx((370 + 180) * 1e-6)


def test_what_a_title_took_is_counted_in_the_session(play):
    play(priced("Fine.", 20, 1), priced("A Title", 7, 3), prices=PRICES, model="large",
         store="memory:")  # fmt: skip
    result = play.send("1")
    made = play.session.make_title()
    assert (play.runner.run(made) if play.kind == "async" else made) == "A Title"
    assert result.usage == Usage(20, 1) and play.session.usage == Usage(27, 4)
    assert play.session.cost == pytest.approx((270 + 80) * 1e-6)


def test_what_a_service_does_not_count_has_no_known_cost(play):
    play(priced(ADD, 10, 5), "3", priced("hi", 0, 0), tools=[add], prices=PRICES, model="large")
    result = play.send()
    assert result.steps[0].cost == pytest.approx(200e-6)
    assert result.steps[1].cost is None and result.cost is None and play.session.cost is None
    assert play.send().cost == 0


def test_a_request_that_was_never_answered_costs_nothing(play):
    play(EndpointError("busy"), prices=PRICES, model="large")
    assert play.send().cost == 0


@pytest.mark.parametrize("wrong", [{"x": 3}, {"x": (1,)}, {"x": (1, -1)}, {"x": ("1", 2)}, [1],
                                   {"x": (1, float("nan"))}, {"x": (True, 1)}])  # fmt: skip
def test_a_price_that_is_none_is_refused(wrong):
    with pytest.raises(UsageError, match="price"):
        ChatSession(ScriptedEndpoint(), prices=wrong)


# -- messages -----------------------------------------------------------------------------


@pytest.mark.parametrize("store", [True, False])
def test_every_message_has_an_id_of_its_own(play, store):
    kept = {"store": MemoryStore(), "id": "chat"} if store else {}
    play(ADD, "3", ADD, "4", "again", tools=[add], **kept)
    play.send()
    play.send()
    said = play.session.messages
    ids = [message.id for message in said]
    assert all(ids) and len(set(ids)) == len(ids) == 8
    if store:
        play.open(play.endpoint, tools=[add], **kept)
        assert [message.id for message in play.session.messages] == ids
        rerun = play.session.rerun()
        again = rerun if play.kind == "sync" else play.runner.run(rerun)
        assert not {message.id for message in again.transcript} & set(ids)


def test_a_resumed_turn_names_its_messages_too(play):
    asks = Tool.from_schema("ask", "Ask.", {"type": "object"})
    play('<tool_code>{"name": "ask", "arguments": {}}</tool_code>', "Thanks.", tools=[asks])
    (request,) = play.send().pending
    play.resume({request.call.id: "yes"})
    ids = [message.id for message in play.session.messages]
    assert all(ids) and len(set(ids)) == len(ids) == 4


def test_each_reply_step_and_stored_turn_names_its_model(play):
    store = MemoryStore()
    ask = hook(on_before_request=lambda moment: replace(moment.request, model="huge"))
    play(ADD, "3", "b", "c", tools=[add], store=store, id="chat", model="large")
    play.endpoint.model = "usual"
    first = play.send()
    play.send(model="small")
    assert [step.model for step in first.steps] == ["large", "large"]
    assert [message.model for message in first.transcript] == ["", "large", "", "large"]
    play.open(play.endpoint, tools=[add], store=store, id="chat", hooks=[ask])
    play.send()
    play.open(ScriptedEndpoint(), store=store, id="chat")
    assert [turn.model for turn in play.session.turns] == ["large", "small", "huge"]
    replies = [each for each in play.session.messages if each.role == "assistant"]
    assert [each.model for each in replies] == ["large", "large", "small", "huge"]
    assert [step.model for step in play.session.turns[1].result.steps] == ["small"]


def test_the_model_of_the_endpoint_is_named_where_no_other_was_asked_for(play):
    endpoint = ScriptedEndpoint("hi")
    endpoint.model = "usual"
    play.open(endpoint)
    assert play.send().steps[0].model == play.session.messages[1].model == "usual"


def test_thinking_has_times_and_is_trimmed(play):
    store = MemoryStore()
    play([Chunk(reasoning="Hm, "), Chunk(reasoning="hm. \n\n"), "Yes."], store=store, id="x")
    naps = hook(on_stream_data=lambda data: time.sleep(0.02))
    play.open(play.endpoint, store=store, id="x", hooks=[naps])
    play.send()
    (ended,) = play.of(ReasoningEnded)
    message = play.session.messages[-1]
    assert ended.text == message.reasoning == "Hm, hm."
    assert ended.seconds == message.thought_seconds >= 0.02
    play.open(play.endpoint, store=store, id="x")
    assert play.session.messages[-1].thought_seconds == message.thought_seconds


def test_a_message_keeps_text_thinking_and_calls_in_their_order(play):
    store = MemoryStore()
    reply = f"<think>Hm.</think>First {ADD} and <think>Well.</think>then{ADD.replace('1', '5')}"
    play(reply, "ok", tools=[add], store=store, id="x").send()
    said = play.session.messages[1]
    first, second = (call.id for call in said.calls)
    assert [(part.kind, part.text.strip()) for part in said.parts] == [
        ("reasoning", "Hm."), ("text", "First"), ("call", first), ("text", "and"),
        ("reasoning", "Well."), ("text", "then"), ("call", second),
    ]  # fmt: skip
    play("", store=store, id="x")
    assert play.session.messages[1].parts == said.parts


def test_a_message_in_the_usual_order_has_its_parts_too(play):
    play(f"Here. {ADD}", "ok", tools=[add]).send()
    said = play.session.messages[1]
    assert said.segments == ()
    assert said.parts == (MessageSegment("text", "Here."), MessageSegment("call", said.calls[0].id))
    changed = Message("assistant", "other", segments=(MessageSegment("text", "old"),))
    assert changed.parts == (MessageSegment("text", "other"),)


@pytest.mark.parametrize("paradigm", ["apriel", "command_a", "mistral", "solar_open", "kimi_k2"])
def test_a_paradigm_with_a_place_for_ids_shows_which_call_a_result_answers(paradigm, play):
    asked = get_paradigm(paradigm).encode_call(ToolCall("add", {"a": 1, "b": 2}, "call_7"))
    play(asked, "3", paradigm=paradigm, tools=[add]).send()
    id = play.session.messages[1].calls[0].id
    shown = [message.content for message in play.requests[1].messages[-2:]]
    assert all(id in text for text in shown)


def test_a_result_is_exactly_tool_call_result_where_the_model_is_shown_ids(play):
    spoken = get_paradigm("json_strict", shows_ids=True)
    asked = '{"tool_calls": [{"name": "add", "arguments": {"a": 1, "b": 2}}]}'
    play(asked, "3", paradigm=spoken, tools=[add]).send()
    id = play.session.messages[1].calls[0].id
    called, told = (message.content for message in play.requests[1].messages[-2:])
    assert told == f'{{"tool_call_result": {{"toolCallId": "{id}", "result": "3"}}}}'
    assert called == asked.replace('{"name"', f'{{"id": "{id}", "name"')
    again = spoken.parse_response(called, play.session.tools.offer())
    assert [call.id for call in again.calls] == [id] and not again.calls[0].repairs


def test_attachments_survive_reopening(play):
    given = (b"\x89PNG\0\xff", Attachment("image/png", "aGk="), {"page": 3}, {"$bytes": "no"})

    @tool
    def draw() -> ToolOutput:
        return ToolOutput("drawn", attachments=given)

    store = MemoryStore()
    play(call("draw", "{}"), "ok", tools=[draw], store=store, id="x").send()
    play("", store=store, id="x")
    assert play.session.messages[2].results[0].attachments == given


# -- from the journal ---------------------------------------------------------------------


def same(again, result):
    """Whether *again*, from a journal, tells what *result* told."""
    for name in ("status", "transcript", "answer", "calls", "usage", "steps", "finish_reason",
                 "pending", "resumed", "stats", "partial_text"):  # fmt: skip
        assert getattr(again, name) == getattr(result, name), name
    assert (type(again.error), str(again.error)) == (type(result.error), str(result.error))
    assert again.cost == result.cost
    return True


@tool(risk="write")
def save(n: int) -> str:
    """Save something."""
    return f"saved {n}"


def test_a_turn_gives_back_its_result_after_reopening(play):
    store = MemoryStore()
    options = {"tools": [add, save], "store": store, "id": "x", "prices": {"*": (1, 2)}}
    approver = iter([Allow(), Deny("no")])
    both = ADD + call("save", '{"n": 1}') + call("save", '{"n": 2}')
    play(priced(both, 10, 5), priced("Done.", 3, 4), EndpointError("gone", status=503),
         approver=lambda request: next(approver), **options)  # fmt: skip
    first, second = play.send("go"), play.send("and?")
    play("", **options)
    assert same(play.session.turns[0].result, first) and same(play.session.turns[1].result, second)
    told = play.session.turns[0].result
    assert [record.decision for record in told.calls] == [None, Allow(), Deny("no")]
    assert [record.started is None for record in told.calls] == [False, False, True]
    assert told.text == "Done." and told.cost == pytest.approx(31e-6)
    with pytest.raises(EndpointError, match="gone"):
        _ = play.session.turns[1].result.text


def test_a_pending_turn_and_the_one_that_resumed_it_give_back_their_results(play):
    store = MemoryStore()
    options = {"tools": [save], "store": store, "id": "x", "approver": lambda request: Defer()}
    waiting = play(call("save", '{"n": 1}'), "Done.", **options).send()
    done = play.resume({waiting.pending[0].call.id: Allow()})
    play("", **options)
    first, second = (turn.result for turn in play.session.turns)
    assert first.status == "pending" and first.pending == waiting.pending
    assert same(second, done) and second.calls[0].decision == Allow()


# -- files --------------------------------------------------------------------------------


def writes(path, content):
    return call("write_file", f'{{"path": "{path}", "content": "{content}"}}')


FREELY = Policy(tools={"write_file": "allow"})


@pytest.fixture(params=["memory", "folder"])
def files(request, tmp_path):
    place = MemoryFiles() if request.param == "memory" else FolderFiles(tmp_path)
    place.write("old.txt", b"one\ntwo\n")
    return place


def test_a_step_tells_what_it_changed_as_a_diff(play, files):
    reply = writes("old.txt", r"one\n2\n") + writes("new.txt", "new") + writes("new.txt", "newer")
    result = play(reply, "ok", tools=file_tools(files), policy=FREELY).send()
    assert result.steps[0].diff == (
        "--- a/old.txt\n+++ b/old.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
        "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+newer\n\\ No newline at end of file\n"
    )
    assert result.steps[1].diff == ""


@pytest.mark.parametrize("store", [None, "reopened"])
def test_what_a_turn_wrote_is_put_back(play, files, store):
    kept = {"store": MemoryStore(), "id": "x"} if store else {}
    options = {"tools": file_tools(files), "policy": FREELY, **kept}
    reply = writes("old.txt", "1") + writes("a/new.txt", "new") + writes("old.txt", "2")
    play(reply, "ok", **options).send()
    assert files.read("old.txt") == b"2"
    if store:
        play("", **options)
    assert sorted(play.session.undo()) == ["a/new.txt", "old.txt"]
    assert files.read("old.txt") == b"one\ntwo\n"
    assert "new.txt" not in [entry.name for entry in files.list("a").entries]
    with pytest.raises(UsageError, match="changed since"):
        play.session.undo()


@pytest.mark.parametrize("style", ["plain", "async", "process"])
@pytest.mark.parametrize("store", [None, "reopened"])
def test_what_a_tool_changed_without_telling_is_in_the_step_and_put_back(
    play, tmp_path, style, store
):
    if style == "async" and play.kind == "sync":
        pytest.skip("the same as in a plain session")
    (tmp_path / "a").mkdir()
    for name in ("old.txt", "gone.txt", "same.txt"):
        (tmp_path / name).write_text(f"{name}\n")

    def change() -> str:
        (tmp_path / "old.txt").write_text("changed\n")
        (tmp_path / "a" / "new.txt").write_text("new\n")
        (tmp_path / "gone.txt").unlink()
        return "done"

    async def achange() -> str:
        return change()

    code = f"""import os
os.chdir({str(tmp_path)!r})
open("old.txt", "w").write("changed\\n")
open("a/new.txt", "w").write("new\\n")
os.remove("gone.txt")"""
    asked, runs = {
        "plain": (call("change", "{}"), Tool.from_function(change, risk="write")),
        "async": (call("change", "{}"), Tool.from_function(achange, name="change", risk="write")),
        "process": (call("python_eval", json.dumps({"code": code})), python_tool()),
    }[style]
    kept = {"store": MemoryStore(), "id": "x"} if store else {}
    options = {"tools": [*file_tools(tmp_path), runs], "policy": Policy({"*": "allow"}), **kept}
    result = play(asked, "ok", **options).send()
    (first, _) = result.steps
    assert "-old.txt" in first.diff and "+changed" in first.diff
    assert "+++ b/a/new.txt" in first.diff and "+++ /dev/null" in first.diff
    assert "same.txt" not in first.diff
    if store:
        play("", **options)
    assert sorted(play.session.undo()) == ["a/new.txt", "gone.txt", "old.txt"]
    assert (tmp_path / "old.txt").read_text() == "old.txt\n"
    assert (tmp_path / "gone.txt").exists() and not (tmp_path / "a" / "new.txt").exists()


def test_a_place_that_is_too_large_is_not_compared(tmp_path):
    files = FolderFiles(tmp_path, FileLimits(entries=1))
    tools = {each.name: each for each in file_tools(files)}
    (tmp_path / "a.txt").write_text("a")
    assert tools["write_file"].look() == {"a.txt": "a"}
    (tmp_path / "b.txt").write_text("b")
    assert tools["write_file"].look() is None


@pytest.mark.parametrize("goes_on", ["sends", "resumes"])
def test_what_the_turn_before_wrote_stays_when_others_of_its_calls_waited(play, files, goes_on):
    moods = [Allow(), Defer(), Allow()]
    options = {"tools": file_tools(files), "approver": lambda request: moods.pop(0)}
    replies = writes("b.txt", "2") + writes("old.txt", "1"), writes("a.txt", "3"), "ok"
    play(*replies, store=MemoryStore(), id="x", **options).send()
    assert files.read("b.txt") == b"2"
    if goes_on == "sends":
        play.send("never mind")
    else:
        play.resume({request.call.id: Deny() for request in play.session.pending})
    assert play.session.undo() == ["a.txt"]
    assert files.read("b.txt") == b"2"


def test_what_was_changed_since_is_not_put_back(play, files):
    options = {"tools": file_tools(files), "policy": FREELY, "store": "memory:"}
    play(writes("old.txt", "1") + writes("new.txt", "new"), "ok", "well", **options).send()
    files.write("old.txt", b"mine")
    with pytest.raises(UsageError, match=r"old.txt.*changed since.*put back: new.txt"):
        play.session.undo()
    assert files.read("old.txt") == b"mine"
    play.send("and?")
    for turn in (None, 2, 7):
        with pytest.raises(UsageError):
            play.session.undo(turn)


def test_a_change_that_no_text_shows_is_written_and_cannot_be_put_back(play):
    files = MemoryFiles({"image": b"\xff\xfe"})
    play(writes("image", "text"), "ok", tools=file_tools(files), policy=FREELY).send()
    assert files.read("image") == b"text" and play.session.result.steps[0].diff == ""
    with pytest.raises(UsageError, match="no file that can be restored"):
        play.session.undo()


def test_a_diff_has_a_bound():
    assert len(unified("x", "a\n" * 9_000, "b\n" * 9_000)) < 200
    huge = [type("R", (), {"metadata": {"change": {"path": f"{n}", "before": None,
            "after": "x" * 5_000}}})() for n in range(60)]  # fmt: skip
    assert len(changes_of(huge)) < 110_000
    odd = [type("R", (), {"metadata": each})() for each in
           ({"change": 3}, {"change": {"path": 3}}, {"change": {}}, {})]  # fmt: skip
    assert changes_of(odd) == ""
