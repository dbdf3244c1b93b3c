"""Lines that begin with a slash."""

from __future__ import annotations

import json

import pytest

from toolproto import Policy, tool
from toolproto.cli.chat.commands import COMMANDS, completions
from toolproto.cli.chat.conversation import Setup, TerminalChat
from toolproto.cli.endpoint_choice import EndpointChoice
from toolproto.cli.paradigm_choice import load_paradigm
from toolproto.conversation.session import import_jsonl
from toolproto.conversation.stores import MemoryStore
from toolproto.conversation.toolsets import MemoryFiles, file_tools
from toolproto.protocol.paradigms import list_paradigms

from .people import Typed, chat, repl
from .scripted_service import ScriptedService


@tool(risk="exec")
def run_code(code: str, timeout: int = 10) -> str:
    """Run a program.

    And much more.
    """
    return code


def play(*lines, replies=("One.", "Two."), **setup):
    conversation = chat(*replies, **setup)
    loop, paper = repl(conversation, Typed(*lines))
    loop.run()
    return paper.text, conversation


def test_help_lists_every_command():
    seen, _ = play("/help")
    assert [name for name in COMMANDS if f"/{name} " not in seen] == []
    assert "Ctrl-C cancels a turn" in seen


UNKNOWN = [
    ("/tols", "there is no command /tols; did you mean /tools?"),
    ("/Quit", "did you mean /quit?"),
    ("/xyz", "/help lists them"),
    ("/", "/help lists them"),
    ("/etc/passwd is odd", "to begin a message with"),
]


@pytest.mark.parametrize("line, told", UNKNOWN)
def test_an_unknown_command_is_told_the_nearest(line, told):
    seen, conversation = play(line)
    assert told in seen and not conversation.session.messages


def test_two_slashes_begin_a_message():
    _, conversation = play("//etc/passwd is odd")
    assert conversation.session.messages[0].content == "/etc/passwd is odd"


def test_tools_are_listed_with_their_risk():
    seen, _ = play("/tools", tools=[run_code])
    assert "run_code(code, timeout) exec: Run a program." in seen
    assert "start with --tools" in play("/tools")[0]


def test_the_paradigm_can_be_changed_on_the_way():
    seen, conversation = play("hello", "/paradigm", "/paradigm hermes", "again", "/paradigm nope")
    assert "xml_tag: " in seen and "hermes: " in seen
    assert "no paradigm named 'nope'" in seen
    assert conversation.session.paradigm.name == "hermes"
    assert [each.content for each in conversation.session.messages] == [
        "hello", "One.", "again", "Two.",
    ]  # fmt: skip


def test_the_system_prompt_can_be_changed_on_the_way():
    seen, conversation = play("/system", "/system Be brief.", "/system", "hello")
    assert "there is no system prompt" in seen and "│ Be brief." in seen
    request = conversation.setup.endpoint.requests[0]
    assert request.messages[0].content.startswith("Be brief.")


def test_retry_gives_another_answer_in_place_of_the_first():
    seen, conversation = play("hello", "/retry", replies=("One.", "Two.", "Three."))
    assert "again: hello" in seen and "Two." in seen
    assert [each.content for each in conversation.session.messages] == ["hello", "Two."]
    assert "there is no message to send again" in play("/retry")[0]


def test_retry_after_an_error_says_it_again():
    seen, conversation = play("hello", "/retry", replies=(ConnectionError("no"), "Here."))
    assert "error:" in seen and conversation.session.messages[-1].content == "Here."


def test_a_saved_conversation_can_be_read_again(tmp_path):
    file, page, named = tmp_path / "a b.jsonl", tmp_path / "chat.md", tmp_path / "other.txt"
    seen, _ = play(
        "hello", f"/save '{file}'", f"/save {page}", f"/save {named} md", "/save", "/save a b c",
        '/save "a', f"/save {named} pdf", "/save /nowhere/at/all.md",
    )  # fmt: skip
    assert import_jsonl(MemoryStore(), file.read_text().splitlines())
    assert json.loads(file.read_text().splitlines()[0])["format"] == "toolproto session"
    assert page.read_text() == named.read_text() == "# hello\n\n**You:** hello\n\n**Model:** One.\n"
    assert seen.count("write /save FILE, /save FILE jsonl or /save FILE md") == 3
    assert "No closing quotation" in seen and "No such file" in seen


def test_a_file_that_is_there_is_replaced_only_with_a_yes(tmp_path):
    path = tmp_path / "chat.md"
    path.write_text("mine")
    play("hello", f"/save {path}", "n")
    assert path.read_text() == "mine"
    play("hello", f"/save {path}", "what?", "y")
    assert path.read_text() != "mine"


def test_thinking_and_results_that_are_not_there_are_told_so():
    seen, _ = play("/thinking", "/thinking off", "/result", "/result x", "/result 0")
    assert "there was no thinking yet" in seen and "thinking is now folded" in seen
    assert seen.count("there are 0 results") == 3


def test_quit_leaves():
    conversation = chat("One.")
    typed = Typed("/quit", "hello")
    loop, _ = repl(conversation, typed)
    loop.run()
    assert len(typed.asked) == 1 and not conversation.session.messages


def test_lines_are_completed():
    assert completions("/to") == ["/tools "]
    assert set(completions("/")) == {f"/{name} " for name in COMMANDS}
    assert completions("/paradigm herm") == ["/paradigm hermes"]
    assert len(completions("/paradigm ")) == len(list_paradigms())
    assert completions("hello") == completions("/save ") == []


def test_where_a_tool_failed_is_shown_when_asked_for():
    @tool
    def crash() -> str:
        raise KeyError("drawer")

    call = '<tool_code>{"name": "crash", "arguments": {}}</tool_code>'
    seen, _ = play("/trace", "go", "/trace", replies=(call, "Sorry."), tools=[crash])
    assert "0 tools raised an error here" in seen
    assert "Traceback" in seen and 'raise KeyError("drawer")' in seen


def test_tools_are_switched_off_and_on():
    seen, conversation = play(
        "/tools off run_*", "/tools on nope", "/tools away", tools=[run_code]
    )  # fmt: skip
    assert "(off)" in seen and "no tool named 'nope'" in seen and "/tools off NAME" in seen
    assert not conversation.session.tools.is_enabled("run_code")
    seen, conversation = play("/tools off run_*", "/tools on *", tools=[run_code])
    assert conversation.session.tools.is_enabled("run_code")


def test_changes_are_shown_and_put_back():
    files = MemoryFiles()
    wanted = '{"name": "write_file", "arguments": {"path": "a", "content": "x"}}'
    call = f"<tool_code>{wanted}</tool_code>"
    seen, _ = play(
        "/diff", "go", "/diff", "/undo", "/undo",
        replies=(call, "Done."), tools=file_tools(files), policy=Policy({"*": "allow"}),
    )  # fmt: skip
    assert "the last turn changed no file" in seen and "± files were changed" in seen
    assert "+x" in seen and "put back: a" in seen and "was changed since" in seen
    assert files.contents() == {}


def test_clear_begins_anew_and_keeps_what_a_store_has():
    seen, conversation = play("hello", "/clear", "again")
    assert "a new conversation\n" in seen
    assert [each.content for each in conversation.session.messages] == ["again", "Two."]


def test_exit_leaves_like_quit():
    assert not play("/exit", "hello")[1].session.messages


def test_the_models_are_listed_and_another_can_be_taken():
    with ScriptedService("From the other.", models=["small", "large"]) as service:
        source = EndpointChoice(service.url, "small")
        setup = Setup(source.open(), load_paradigm, "xml_tag", source=source)
        conversation = TerminalChat(setup)
        loop, paper = repl(conversation, Typed("/model", "/model large", "/model", "hello"))
        loop.run()
    assert "* small\n  large\n" in paper.text and "  small\n* large\n" in paper.text
    assert "talking with large from now on" in paper.text
    assert [request["model"] for request in service.requests] == ["large"]


def test_a_recording_has_no_other_models(tmp_path):
    tape = tmp_path / "tape.jsonl"
    tape.touch()
    seen, _ = play("/model large", source=EndpointChoice(recording=tape))
    assert "with the model it was made with" in seen


def test_a_picture_goes_with_the_next_message_and_no_other(tmp_path):
    dot = tmp_path / "dot.gif"
    dot.write_bytes(b"GIF89a and so on")
    seen, conversation = play("/image", f"/image {dot}", "What is it?", "And now?")
    assert "write /image FILE" in seen and "your next message shows [image: dot.gif" in seen
    first, _, second, _ = conversation.session.messages
    assert [each.name for each in first.attachments] == ["dot.gif"]
    assert (first.content, second.attachments) == ("What is it?", ())
