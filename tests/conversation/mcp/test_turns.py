"""Whole turns with tools of servers, under both drivers."""

from __future__ import annotations

import asyncio
import gc
import threading

import pytest

from toolproto import Policy, tool
from toolproto.conversation.deciding.approvals import Allow, Defer, Deny
from toolproto.conversation.mcp import McpServer
from toolproto.conversation.turn.limits import TurnLimits
from toolproto.protocol.errors import McpError, TurnCancelled

from .conftest import command, running, until

ALL = Policy(tools={"*": "allow"})


def call(name, arguments="{}"):
    return f'<tool_code>{{"name": "{name}", "arguments": {arguments}}}</tool_code>'


def contents(result):
    return [record.result.content for record in result.calls]


def shut(play):
    if play.kind == "sync":
        play.session.close()
    else:
        play.runner.run(play.session.aclose())


def system(play, at):
    return play.requests[at].messages[0].content


@tool
def echo(text: str) -> str:
    """The program's own."""
    return f"own {text}"


def test_a_server_is_opened_with_the_first_turn_and_closed_with_the_session(play, rough):
    server = rough()
    play(call("echo", '{"text": "a"}'), "done", tools=[server], policy=ALL)
    assert not server.is_open and len(play.session.tools) == 0
    result = play.send()
    assert result.text == "done" and contents(result) == ['{"text": "a"}']
    assert server.is_open and "echo it" in system(play, 0)
    shut(play)
    assert not server.is_open


def test_a_server_that_somebody_opened_stays_open(play, rough):
    with rough() as server:
        play(call("echo"), "done", tools=[server], policy=ALL).send()
        shut(play)
        assert server.is_open


def test_names_that_clash_get_the_name_of_the_server_in_front(play, process):
    with process(name="one") as one, process(name="two") as two:
        replies = [call("echo", '{"text": "a"}'), call("one__echo"), call("two__echo"), "done"]
        result = play(*replies, tools=[one, echo, two], policy=ALL).send()
        assert contents(result) == ["own a", "{}", "{}"]
        names = list(play.session.tools)
        assert names[0] == "echo" and {"one__echo", "die", "two__echo", "two__die"} <= {*names}


def test_the_next_request_teaches_the_list_as_it_is_then(play, rough):
    with rough() as server:
        result = play(call("change"), call("added"), "done", tools=[server], policy=ALL).send()
        assert contents(result) == ["changed", "the new one"]
        assert "added" not in system(play, 0) and "wrong_id" in system(play, 0)
        assert "added" in system(play, 1) and "wrong_id" not in system(play, 1)


def test_a_tool_that_changed_is_asked_about_again_although_everything_is_allowed(play, rough):
    asked = []

    def approver(request):
        asked.append((request.call.name, request.reason))
        return Allow(always=True)

    with rough() as server:
        script = [call("echo"), call("change"), call("echo"), call("echo", '{"text": "2"}'), "done"]
        play(*script, tools=[server], policy=ALL, approver=approver).send()
        assert [name for name, _ in asked] == ["echo"]
        assert asked[0][1].endswith(
            "and what its server says about it changed since it was first seen"
        )


def test_an_approval_for_good_does_not_outlive_what_was_approved(play, process):
    asked = []

    def approver(request):
        asked.append(request.call.name)
        return Allow(always=True)

    with process() as server:
        script = [call("echo"), call("echo", '{"text": "2"}'), call("change"), call("echo"), "done"]
        play(*script, tools=[server], approver=approver).send()
        assert asked == ["echo", "change", "echo"]


def test_a_tool_that_its_server_changes_while_its_call_waits_is_asked_about_again(play, rough):
    def approver(request):
        return Defer() if request.call.name == "echo" else Allow()

    with rough(trusted=True) as server:
        play(call("echo") + call("change"), "done", tools=[server], approver=approver)
        (request,) = play.send().pending
        assert request.kind == "approval"
        result = play.resume({request.call.id: Allow(always=True)})
        assert (result.status, contents(result)) == ("pending", [])
        (again,) = play.session.pending
        assert again.before == request.pin and again.pin != request.pin
        told = play.resume({request.call.id: Allow(always=True)})
        assert told.status == "completed" and not told.calls[0].result.is_error


def test_that_a_tool_only_reads_is_the_word_of_the_program_or_of_a_trusted_server(process):
    def claims(**options):
        with process("annotated", **options) as server:
            return {each.name: each.only_reads for each in server.tools()}

    assert not any(claims(trusted=False).values())
    assert any(claims(trusted=True).values())
    assert any(claims(trusted=False, risks={"*": "read"}).values())


def test_a_call_that_follows_a_strangers_result_is_asked_about(play, process):
    with process(trusted=False) as server:
        script = [call("echo"), call("fails"), "done"]
        result = play(*script, tools=[server], policy=ALL).send()
        assert result.calls[0].result.trusted is False
        assert "it follows the result of echo" in contents(result)[1]


def test_nobody_there_means_that_only_what_reads_runs(play, process):
    with process("annotated") as server:
        result = play(call("deletes"), "done", tools=[server]).send()
        assert contents(result) == [
            "not run: deletes changes something, and nobody is there to approve it"
        ]


def test_what_a_server_does_wrong_is_a_result(play, rough):
    with rough() as server:
        script = [call(name) for name in ("die", "fails", "refuses", "no_object", "echo")]
        result = play(*script, "done", tools=[server], policy=ALL).send()
        assert result.text == "done"
        assert [record.result.is_error for record in result.calls] == [True] * 4 + [False]
        assert contents(result)[0].startswith("the MCP server 'rough' ended before it answered")


def test_a_server_that_cannot_be_opened_fails_the_first_turn(play):
    play("unheard", tools=[McpServer("no-such-program")])
    with pytest.raises(McpError, match="cannot be started"):
        play.send()
    assert play.session.messages == ()


def test_a_call_that_takes_too_long_is_given_up_and_the_server_told(play, rough, tmp_path):
    note = tmp_path / "note"
    with rough(note=str(note), timeout=0.3) as server:
        result = play(call("never"), "done", tools=[server], policy=ALL).send()
        assert contents(result) == ["it took longer than 0.3 seconds and was given up"]
        until(lambda: note.exists() and "cancelled" in note.read_text())


def test_cancelling_a_turn_tells_the_server(play, rough, tmp_path):
    note = tmp_path / "note"

    def stop():
        until(lambda: note.exists() and "started" in note.read_text())
        play.session.cancel()

    with rough(note=str(note)) as server:
        play(call("never"), "done", tools=[server], policy=ALL)
        stopping = threading.Thread(target=stop)
        stopping.start()
        result = play.send()
        stopping.join()
        assert isinstance(result.error, TurnCancelled)
        until(lambda: "cancelled" in note.read_text())


def test_several_calls_of_one_reply_run_at_the_same_time(play, rough, tmp_path):
    note = tmp_path / "note"

    def stop():
        try:  # one after the other there would never be four
            until(lambda: note.exists() and note.read_text().count("started") == 4)
        finally:
            play.session.cancel()

    with rough(note=str(note)) as server:
        reply = "\n".join(call("never") for _ in range(4))
        play(reply, "done", tools=[server], policy=ALL, limits=TurnLimits(repeats=9))
        stopping = threading.Thread(target=stop)
        stopping.start()
        result = play.send()
        stopping.join()
        assert len(result.calls) == note.read_text().count("started") == 4


def test_a_large_answer_is_cut_for_the_model_as_any(play, rough):
    with rough() as server:
        limits = TurnLimits(result_characters=1_000)
        result = play(call("big"), "done", tools=[server], policy=ALL, limits=limits).send()
        assert len(contents(result)[0]) == 1_000


def test_a_session_that_is_forgotten_takes_its_server_along(process):
    from toolproto import ChatSession
    from toolproto.endpoints import ScriptedEndpoint

    def used():
        server = McpServer(*command("plain"), name="forgotten")
        session = ChatSession(ScriptedEndpoint("hi"), tools=[server])
        session.send("x")
        assert len(running("rough.py")) == 1

    used()
    gc.collect()
    until(lambda: not running("rough.py"))


def test_one_server_serves_two_sessions_at_once(process):
    from toolproto import AsyncChatSession
    from toolproto.endpoints import ScriptedEndpoint

    async def both(server):
        made = [
            AsyncChatSession(
                ScriptedEndpoint(call("echo", f'{{"text": "{n}"}}'), "done"),
                "xml_tag",
                [server],
                policy=ALL,
            )
            for n in (1, 2)
        ]
        return await asyncio.gather(*(each.send("x") for each in made))

    with process() as server:
        results = asyncio.run(both(server))
        assert [contents(each) for each in results] == [['{"text": "1"}'], ['{"text": "2"}']]


def test_a_session_in_with_closes_what_it_opened(process):
    from toolproto import AsyncChatSession, ChatSession
    from toolproto.endpoints import ScriptedEndpoint

    server = process()
    with ChatSession(ScriptedEndpoint("hi"), tools=[server]) as session:
        assert session.send("x").text == "hi"
        assert server.is_open
    assert not server.is_open

    async def awaited():
        async with AsyncChatSession(ScriptedEndpoint("hi"), tools=[server]) as session:
            assert (await session.send("x")).text == "hi"

    asyncio.run(awaited())
    assert not server.is_open


def test_a_refusal_keeps_a_call_from_the_server(play, process, tmp_path):
    note = tmp_path / "note"
    with process(note=str(note)) as server:
        result = play(
            call("never"), "done", tools=[server], approver=lambda request: Deny("not now")
        ).send()
        assert contents(result) == ["not run: not now"]
        assert "started" not in note.read_text()
