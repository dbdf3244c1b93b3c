"""What the designs behind the loop ask for, one behaviour a test; ``docs/seeds.md`` names them."""

from __future__ import annotations

import json
import threading
from types import SimpleNamespace as hook

import pytest

from tests.amount import some
from tests.cli.chat.scripted_service import ScriptedService
from tests.patience import PATIENCE
from toolproto import (
    ChatSession,
    HttpEndpoint,
    Message,
    Tool,
    ToolCall,
    ToolContext,
    ToolRegistry,
    get_paradigm,
    list_paradigms,
    tool,
)
from toolproto.conversation.deciding.approvals import Allow, Deny
from toolproto.conversation.stores import MemoryStore
from toolproto.conversation.turn.events import ReasoningEnded
from toolproto.endpoints import ScriptedEndpoint
from toolproto.protocol.errors import EndpointError, TurnCancelled
from toolproto.protocol.events import ArgumentsDelta, TextDelta, merge

from .test_turns import add, call

ADD = call("add", '{"a": 1, "b": 2}')


def test_the_start_of_a_turn_sees_the_users_message_before_anything_is_sent(play):
    seen = []

    def start(turn):
        seen.append((turn.message.content, [each.content for each in turn.messages]))
        assert play.requests == []

    play("Hi.", hooks=[hook(on_turn_start=start)]).send("go")
    assert seen == [("go", ["go"])] and len(play.requests) == 1


@pytest.mark.parametrize(
    "ending, told", [("answer", ["completed"]), ("cancel", ["aborted"]), ("error", [])]
)
def test_the_end_is_told_of_success_and_of_cancellation_but_not_of_an_error(play, ending, told):
    def cancel(event, session):
        if ending == "cancel" and isinstance(event, TextDelta):
            session.cancel()

    replies = ["Hi. ", EndpointError("gone")] if ending == "error" else ["Hi. ", "There."]
    ended = []
    play(replies, hooks=[hook(on_turn_end=lambda result: ended.append(result.status))])
    result = play.send(watch=cancel)
    assert ended == told and result.status == (told or ["error"])[0]


def test_every_request_offers_the_tools_that_are_enabled_then(play):
    registry = ToolRegistry([add])

    @registry.add
    def switch() -> str:
        """Switch it off."""
        registry.disable("add")
        return "off"

    play(call("switch", "{}"), "ok", "ok", tools=registry).send()
    play.send()
    offered = ["add" in request.messages[0].content for request in play.requests]
    assert offered == [True, False, False]


def test_options_of_endpoint_session_and_turn_are_merged_and_none_is_left_out():
    with ScriptedService("Hi.") as service:
        endpoint = HttpEndpoint(
            service.url, model="m", params={"seed": 1, "top_p": 0.5, "top_k": 1}
        )
        session = ChatSession(endpoint, params={"seed": 2, "temperature": 0})
        session.send("go", params={"temperature": 1, "top_k": None})
        (sent,) = service.requests
    assert (sent["seed"], sent["top_p"], sent["temperature"]) == (2, 0.5, 1)
    assert "top_k" not in sent


def test_text_is_shown_as_it_arrives(play):
    shown, pieces = [], ["One. ", "Two. ", "Three."]

    def reply(request):
        for number, piece in enumerate(pieces):
            assert shown == pieces[:number]
            yield piece

    def watch(event, session):
        if isinstance(event, TextDelta):
            shown.append(event.text)

    play.open(reply)
    assert play.send(watch=watch).status == "completed"
    assert shown == pieces


@pytest.mark.parametrize("said, title", [
    ("How is the weather in Oslo, and what about Rome?", "How is the weather in Oslo, a…"),
    ("Exactly thirty characters, yes", "Exactly thirty characters, yes"),
])  # fmt: skip
def test_a_title_is_the_first_thirty_characters_of_the_first_message(play, said, title):
    play("Fine.", "Fine.", store=MemoryStore(), id="x").send(said)
    play.send("Something else")
    assert play.session.title == title and len(title) <= 30


def test_thinking_in_tags_is_taken_out_of_the_text(play):
    result = play("<think>Two and two.</think>It is four.").send()
    assert result.text == "It is four."
    assert "".join(event.text for event in play.of(TextDelta)) == "It is four."
    assert play.session.messages[-1].reasoning == "Two and two."
    assert [event.text for event in play.of(ReasoningEnded)] == ["Two and two."]


@pytest.mark.parametrize("name", some(list_paradigms(), 6))
def test_a_strategy_is_chosen_by_its_name_and_reads_what_it_writes(name, play):
    """Of two dozen forms a few will do: the laws try each of them."""
    spoken = get_paradigm(name)
    play(
        spoken.encode_call(ToolCall("add", {"a": 1, "b": 2}, "call_1")),
        "3.",
        paradigm=name,
        tools=[add],
    )
    result = play.send()
    assert play.session.paradigm.name == name and result.text == "3."
    assert [(each.call.name, each.result.content) for each in result.calls] == [("add", "3")]


def test_a_result_is_an_ordinary_message_of_the_user_that_names_the_tool(play):
    play(ADD, "3.", tools=[add]).send("1+2?")
    *_, asked, told = play.requests[1].messages
    assert (asked.role, told.role) == ("assistant", "user")
    assert "add" in told.content and "3" in told.content and not (told.results or told.calls)


@pytest.mark.parametrize("decision, ran", [(Allow(), ["save"]), (Deny("no"), [])])
def test_the_user_decides_whether_a_call_runs(play, decision, ran):
    done, asked = [], []

    @tool(risk="write")
    def save() -> str:
        done.append("save")
        return "saved"

    def approver(request):
        asked.append(request.call.name)
        return decision

    play(call("save", "{}"), "ok", tools=[save], approver=approver).send()
    assert done == ran and asked == ["save"]


@pytest.mark.parametrize("paradigm", ["xml_tag", "json_strict", "hermes", "pythonic"])
def test_a_reply_is_read_alike_however_it_is_cut(paradigm):
    spoken = get_paradigm(paradigm)
    reply = f"Look: <b>\n\n{spoken.encode_call(ToolCall('add', {'a': 1, 'b': 2}, 'call_1'))}"
    offer = ToolRegistry([add]).offer()
    readings = []
    for size in (1, 2, 7, len(reply)):
        decoder, events = spoken.decoder(offer), []
        for at in range(0, len(reply), size):
            events += decoder.feed(reply[at : at + size])
        readings.append(merge([*events, *decoder.finish()]))
    assert all(each == readings[0] for each in readings)
    assert [call.name for call in spoken.parse_response(reply, offer).calls] == ["add"]


CODE = 'if a < b and c["x"]:\n\tprint("</tool_code>", \'\\n\', "{")\n'


def test_code_goes_through_a_tag_unharmed(play):
    got = []

    @tool
    def write(path: str, content: str) -> str:
        """Write a file."""
        got.append(content)
        return "written"

    written = json.dumps({"name": "write", "arguments": {"path": "a.py", "content": CODE}})
    play(f"<tool_code>{written}</tool_code>", "ok", tools=[write]).send()
    assert got == [CODE]


def test_the_pieces_of_a_calls_arguments_make_up_the_whole(play):
    play.open(ScriptedEndpoint(ADD, "3.", chunk_size=3), tools=[add])
    result = play.send()
    pieces = [event.text for event in play.of(ArgumentsDelta)]
    assert len(pieces) > 1 and json.loads("".join(pieces)) == result.calls[0].call.arguments


def test_the_snapshot_of_a_turn_that_failed_has_the_error(play):
    seen, error = [], EndpointError("gone")
    play(error)
    play.session.subscribe(seen.append)
    assert play.send().error is error
    assert seen[-1].error is error and seen[-1].messages == (Message("user", "go"),)


def test_a_tool_is_told_when_nobody_waits_for_it_any_more(play):
    begun, told = threading.Event(), threading.Event()

    @tool
    def work(context: ToolContext) -> str:
        """Work until told to stop."""
        begun.set()
        if context.cancelled.wait(PATIENCE):
            told.set()
        return "late"

    play(call("work", "{}"), tools=[work])
    stop = threading.Thread(target=lambda: begun.wait(PATIENCE) and play.session.cancel())
    stop.start()
    result = play.send()
    stop.join()
    assert isinstance(result.error, TurnCancelled) and told.wait(PATIENCE)


def test_nothing_runs_before_its_arguments_are_checked(play):
    ran = []

    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    count = Tool.from_schema("count", "Count.", schema, lambda n: ran.append(n))
    result = play(call("count", '{"n": "many"}'), "Sorry.", tools=[count]).send()
    assert ran == [] and result.calls[0].result.is_error
    assert "integer" in play.requests[1].messages[-1].content
