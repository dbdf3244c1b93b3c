"""``toolproto chat`` in a real pseudo-terminal: what is typed, and what is on the screen."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from .hostile import HOSTILE, obeyed
from .scripted_service import HOLD, ScriptedService, Thought, call, words

if sys.platform == "win32":
    pytest.skip("a pseudo-terminal is another matter there", allow_module_level=True)

from .window import Window

TOOLS = '''
from toolproto import ToolContext, ToolSpec, tool
from toolproto.conversation.deciding.approvals import ApprovalRequest, call_digest
from toolproto.protocol.messages import ToolCall

@tool
def get_weather(city: str) -> str:
    """Current weather for a city."""
    return {"Oslo": "4 °C, rain"}[city]

@tool(risk="write")
def write_file(path: str, content: str) -> str:
    """Write a file."""
    return f"wrote {len(content)} characters to {path}"

@tool
def wait(context: ToolContext) -> str:
    """Wait until somebody has enough."""
    context.cancelled.wait(60)
    return "enough"

@tool(risk="exec")
def confirm(context: ToolContext) -> str:
    """Ask while it runs."""
    return "confirmed" if context.ask("Is the door closed?") else "not confirmed"

@tool
async def fill_in(context: ToolContext) -> str:
    """Ask for values while it runs, as servers of MCP do."""
    values = {"type": "object", "properties": {"path": {"type": "string"}}}
    call = ToolCall("form", {"path": "a.txt"}, "1")
    form = ToolSpec("form", "Fill it in.", values)
    told = await context.adecide(
        ApprovalRequest(call, form, "egress", "it asks", call_digest(call), is_form=True)
    )
    return f"filled in: {told.instead.arguments['path']}"
'''
EDITOR = """#!/bin/sh
sed -i 's/a.txt/b.txt/' "$1"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "tools.py").write_text(TOOLS)
    editor = tmp_path / "editor"
    editor.write_text(EDITOR)
    editor.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(editor))
    return tmp_path


def window(folder: Path, service: ScriptedService, *words: str, **how: Any) -> Window:
    return Window(
        folder, "--endpoint", service.url, "-p", "xml_tag", "-t", "tools.py", *words, **how
    )


def write(path: str, content: str = "hello") -> str:
    return call("write_file", path=path, content=content)


def test_calls_are_approved_edited_refused_and_approved_for_good(folder):
    long = "\n".join(f"line {number}" for number in range(50))
    answer = "It **is**:\n\n- written\n- and *read*"
    with (
        ScriptedService(
            [Thought("What is the weather?"), *words("I look. "), call("get_weather", city="Oslo")],
            words(answer), write("a.txt", long), "Once.", write("a.txt"), "Edited.",
            write("a.txt"), "Refused.", write("1"), write("2"), "Always.", "Again.", "And again.",
        ) as service,
        window(folder, service) as chat,
    ):  # fmt: skip
        header = f"default at {service.url} · xml_tag · 5 tools · /help"
        assert chat.prompt() == f"{header}\n\n>"

        chat.say("How is it?")
        seen = chat.until("and read")
        assert "∴ thought, 20 characters: /thinking shows it\n\nI look.\n\n╭─ get_weather" in seen
        assert "✓ get_weather · 4 °C, rain\n\nIt is:\n\n • written\n • and read" in seen
        chat.prompt()

        chat.say("Write it.")
        seen = chat.question()
        assert "│   ┆ … folded\n╰─ write_file changes something" in seen and "[w]hole" in seen
        chat.say("w")
        chat.until("line 49")
        chat.question()
        chat.say("y")
        chat.until("Once.")
        assert "wrote 389 characters to a.txt" in chat.text
        chat.prompt()

        chat.say("Write another.")
        chat.question()
        chat.say("e")
        chat.until('"b.txt"')
        chat.question()
        chat.say("y")
        chat.until("Edited.")
        assert "wrote 5 characters to b.txt" in chat.text
        chat.prompt()

        chat.say("And another.")
        chat.question()
        chat.say("n")
        chat.until("why?")
        chat.say("two are enough")
        chat.until("Refused.")
        assert "✗ write_file · not run: two are enough" in chat.text
        chat.prompt()

        chat.say("All of them.")
        chat.question()
        chat.say("a")
        chat.until("Always.")
        assert "to 1\n" in chat.text and "to 2\n" in chat.text
        chat.prompt()

        chat.say("Say it.")
        chat.until("Again.")
        chat.prompt()
        chat.say("/retry")
        chat.until("And again.")
        chat.prompt()
        chat.say("/save chat.md")
        chat.until("saved as md")
        chat.prompt()
        chat.type("\x04")
        assert chat.ended() == 0

        told = [request["messages"][-1]["content"] for request in service.requests]
    assert "the user changed the call" in told[5] and "two are enough" in told[7]
    page = (folder / "chat.md").read_text()
    assert page.startswith("# How is it?") and page.endswith("**Model:** And again.\n")
    history = folder / "state" / "toolproto" / "chat_history"
    assert stat.S_IMODE(history.stat().st_mode) == 0o600
    said = history.read_text().splitlines()
    assert said[0] == "How is it?" and "two are enough" not in said and "y" not in said


def test_ctrl_c_cancels_whatever_happens_and_the_chat_goes_on(folder):
    with (
        ScriptedService(
            [*words("I talk and talk"), HOLD], [HOLD], call("wait"), write("a.txt"),
            call("confirm"), call("confirm"), "Confirmed.", "The end.",
        ) as service,
        window(folder, service) as chat,
    ):  # fmt: skip
        chat.prompt()
        chat.say("one")
        chat.until("I talk and talk")
        chat.interrupt()
        assert "I talk and talk\n\ncancelled\n" in chat.prompt()

        chat.say("two")
        chat.until("waiting for the model")
        chat.interrupt()
        chat.until(lambda seen: seen.count("cancelled") == 2)
        chat.prompt()

        chat.say("three")
        chat.until("wait · Ctrl-C cancels")
        chat.interrupt()
        chat.until("✗ wait · stopped before it was done")
        chat.prompt()

        chat.say("four")
        chat.question()
        chat.interrupt()
        chat.until("✗ write_file · not run: the user stopped the turn")
        chat.prompt()

        chat.say("five")
        chat.question()
        chat.say("y")
        chat.until("Is the door closed?\nwhat do you tell it? [y]es · [n]o >")
        chat.interrupt()
        chat.until("✗ confirm · stopped before it was done")
        chat.prompt()

        chat.say("six")
        chat.question()
        chat.say("y")
        chat.until(lambda seen: seen.endswith("[y]es · [n]o >"))
        chat.say("y")
        chat.until("✓ confirm · confirmed\n\nConfirmed.")
        chat.prompt()

        chat.type("half a message")
        chat.until("> half a message")
        chat.interrupt()
        chat.prompt()
        chat.say("seven")
        chat.until("The end.")
        chat.prompt()
        chat.interrupt()
        chat.until("Ctrl-C again, Ctrl-D or /quit leaves\n\n>")
        chat.interrupt()
        assert chat.ended() == 0
        assert [request["messages"][-1]["content"] for request in service.requests][:2] == [
            "one", "two",
        ]  # fmt: skip


def test_the_window_may_change_its_size_at_any_time(folder):
    text = " ".join(f"word{number}" for number in range(60))
    with (
        ScriptedService([*words(text), HOLD], words(text), write("a.txt", text), "Ok.") as service,
        window(folder, service, rows=30, columns=60) as chat,
    ):
        chat.prompt()
        chat.say("one")
        chat.until("word59")
        chat.resize(30, 100)
        chat.interrupt()
        seen = chat.prompt()
        assert [seen.count(f"word{number}") for number in range(10, 60)] == [1] * 50

        chat.say("two")
        chat.until(lambda seen: seen.count("word59") == 2)
        assert max(map(len, chat.prompt().split("\n"))) > 90
        chat.resize(30, 40)
        chat.say("three")
        seen = chat.question()
        assert all(len(line) <= 40 for line in seen.split("\n"))
        chat.say("y")
        chat.until("Ok.")
        chat.prompt()
        chat.say("/quit")
        assert chat.ended() == 0


def test_what_a_model_says_cannot_touch_the_terminal_or_look_like_us(folder):
    hostile = "\n".join(HOSTILE.values())
    imitation = "x\n╰─ reads\nrun it? [y]es · [a]lways · [e]dit · [n]o > y\n✓ write_file · done"
    with (
        ScriptedService(
            [Thought(hostile), f"# Hi\n\n{hostile}\n\n", write(f"{hostile}.txt", imitation)],
            hostile,
        ) as service,
        window(folder, service, "--thinking", rows=200, columns=100) as chat,
    ):
        chat.prompt()
        chat.say("go")
        seen = chat.question()
        lines = seen.split("\n")
        card = lines[lines.index("╭─ write_file · write") : -1]
        assert card[-1] == "╰─ write_file changes something"
        assert all(line.startswith("│ ") for line in card[1:-1])
        assert "│   ┆ run it? [y]es · [a]lways · [e]dit · [n]o > y" in card
        chat.say("y")
        chat.until("✓ write_file · wrote")
        chat.prompt()
        chat.say("/result")
        chat.until("╭─ write_file\n")
        chat.prompt()
        chat.say("/quit")
        chat.ended()
    ours = chat.without_our_own_sequences()
    assert obeyed(ours.replace("\r", "")) == []
    assert "⟨U+001B⟩]52;c;" in chat.everything and "⟨U+202E⟩gnp.exe" in chat.everything


def test_a_kept_session_is_opened_again_and_a_message_may_have_several_lines(folder):
    kept = ["--store", "chats.db", "--session", "trip"]
    with ScriptedService("Hello.", "Yes.", "One turn.") as service:
        with window(folder, service, *kept) as chat:
            chat.prompt()
            chat.say('"""one')
            chat.until("…")
            chat.say('two"""')
            chat.until("Hello.")
            chat.prompt()
            chat.say("three\\")
            chat.until(lambda seen: seen.endswith("\n…"))
            chat.say("four")
            chat.until("Yes.")
            chat.prompt()
            chat.type("/qu\t\r")
            assert chat.ended() == 0
        with window(folder, service, *kept, "--message", "five") as chat:
            chat.until("One turn.")
            assert chat.ended() == 0
        sent = [each["content"] for each in service.requests[-1]["messages"]]
    assert sent[-5:] == ["one\ntwo", "Hello.", "three\nfour", "Yes.", "five"]


def test_without_an_editor_arguments_are_changed_on_the_line(folder, monkeypatch):
    monkeypatch.setenv("EDITOR", os.devnull)
    with ScriptedService(write("a.txt"), "Ok.") as service, window(folder, service) as chat:
        chat.prompt()
        chat.say("write")
        chat.question()
        chat.say("e")
        chat.until('arguments > { "path": "a.txt", "content": "hello" }')
        chat.type('\x15{"path": "c.txt", "content": "hello"}\r')
        chat.until('│ path     "c.txt"')
        chat.question()
        chat.say("y")
        chat.until("Ok.")
        assert "wrote 5 characters to c.txt" in chat.text


def test_keys_pressed_while_an_answer_comes_leave_no_half_line(folder):
    go_on = Event()
    answer = [*words("I talk and talk"), go_on, " to the end."]
    with (
        ScriptedService(answer, write("a.txt"), "Next.") as service,
        window(folder, service) as chat,
    ):
        chat.prompt()
        chat.say("one")
        chat.until("I talk and talk")
        chat.say("two")  # typed ahead: it is the next message, and not shown among the answer
        go_on.set()
        seen = chat.question()
        assert "> one\n\nI talk and talk to the end.\n\n" in seen
        assert seen.count("two") == 1
        chat.say("y")  # what answers a question is shown, as ever
        assert "[n]o > y\n" in chat.until("Next.")
        chat.prompt()
        chat.say("/exit")
        assert chat.ended() == 0


def test_what_is_pasted_is_one_message_and_stays_whole_on_the_screen(folder):
    pasted = [f"pasted line {number:02}" for number in range(60)]
    with ScriptedService("Read.") as service, window(folder, service, rows=20) as chat:
        chat.prompt()
        chat.paste("\r".join(pasted))  # as terminals send the ends of lines
        chat.until("pasted line 59")
        chat.say(" and a word")
        chat.until("Read.")
        chat.prompt()
        shown = chat.everything
        said = service.requests[0]["messages"][-1]["content"]
    assert said == "\n".join(pasted) + " and a word"
    assert [shown.count(line) for line in pasted] == [1] * 60


def test_what_was_typed_ahead_answers_no_question(folder):
    go_on = Event()
    answer = [*words("I talk and talk"), go_on, " to the end."]
    with (
        ScriptedService(answer, write("a.txt"), "Refused.") as service,
        window(folder, service) as chat,
    ):
        chat.prompt()
        chat.say("one")
        chat.until("I talk and talk")
        chat.type("write it\ry\r")
        go_on.set()
        chat.question()
        chat.say("n not now")
        chat.until("✗ write_file · not run: not now\n\nRefused.")


def test_ctrl_c_cancels_a_turn_that_asked_something_before(folder):
    replies = (write("a.txt"), [*words("I go on and on"), HOLD])
    with ScriptedService(*replies) as service, window(folder, service) as chat:
        chat.prompt()
        chat.say("write")
        chat.question()
        chat.say("y")
        chat.until("I go on and on")
        chat.interrupt()
        chat.until("cancelled")
        chat.prompt()


def test_an_interrupt_from_elsewhere_is_like_ctrl_c(folder):
    with ScriptedService(call("confirm")) as service, window(folder, service) as chat:
        chat.prompt()
        chat.say("one")
        chat.question()
        chat.say("y")
        chat.until("what do you tell it? [y]es · [n]o >")  # asked in the thread of the tool
        chat.signal()
        chat.until("✗ confirm · stopped before it was done")
        chat.prompt()
        chat.signal()
        chat.until("Ctrl-C again, Ctrl-D or /quit leaves\n\n>")
        chat.signal()
        assert chat.ended() == 0


def test_bytes_that_are_no_text_are_sent_as_characters(folder):
    with ScriptedService("Hm.") as service, window(folder, service) as chat:
        chat.prompt()
        chat.send_bytes(b"caf\xe9\r")
        chat.until("Hm.")
        assert service.requests[0]["messages"][-1]["content"] == "caf\ufffd"


def test_earlier_messages_come_back(folder):
    with ScriptedService("One.", "Two.") as service:
        with window(folder, service) as chat:
            chat.prompt()
            chat.say("what was said")
            chat.until("One.")
        with window(folder, service) as chat:
            chat.prompt()
            chat.type("\x1b[A")
            chat.until("> what was said")
            chat.say(" again")
            chat.until("Two.")
        assert service.requests[1]["messages"][-1]["content"] == "what was said again"


def test_values_that_a_tool_asks_for_while_it_runs_are_changed_in_the_editor(folder):
    with ScriptedService(call("fill_in"), "Ok.") as service, window(folder, service) as chat:
        chat.prompt()
        chat.say("go")
        chat.until("send it? [y]es · [e]dit · [n]o >")  # asked beside the event loop of the tool
        chat.say("e")
        chat.until('"b.txt"')
        chat.until(lambda seen: seen.endswith("[n]o >"))
        chat.say("y")
        chat.until("✓ fill_in · filled in: b.txt\n\nOk.")


def test_a_dumb_terminal_is_sent_no_sequences(folder):
    with (
        ScriptedService(write("a.txt"), "Ok.") as service,
        window(folder, service, kind="dumb") as chat,
    ):
        chat.prompt()
        chat.say("write")
        chat.question()
        chat.say("y")
        seen = chat.until("Ok.")
        chat.prompt()
        chat.say("/quit")
        assert chat.ended() == 0
    assert "> write\n" in seen and "[n]o > y\n" in seen
    assert "\x1b" not in chat.raw
