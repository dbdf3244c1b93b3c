"""A chat from the first line to the last, without a terminal."""

from __future__ import annotations

import logging
import threading
from contextlib import contextmanager
from signal import SIGINT, pthread_kill

import pytest

from tests.patience import PATIENCE
from toolproto import Policy, Tool, ToolContext, tool
from toolproto.cli.chat.conversation import Setup, TerminalChat, policy
from toolproto.cli.chat.interrupts import Interrupts
from toolproto.cli.chat.repl import Repl
from toolproto.conversation.stores import MemoryStore
from toolproto.endpoints import Hold
from toolproto.protocol.messages import Chunk
from toolproto.protocol.paradigms import get_paradigm

from .hostile import HOSTILE, obeyed
from .people import Paper, Typed, chat, repl
from .scripted_service import call


@tool
def get_weather(city: str) -> str:
    """Current weather for a city."""
    return {"Oslo": "4 °C, rain"}[city]


@tool(risk="write")
def write_file(path: str, content: str) -> str:
    """Write a file."""
    return f"wrote {path}"


def play(*replies, typed: Typed | None = None, tools=(get_weather, write_file), **options):
    """What is seen when *typed* is typed at a model that says *replies*."""
    setup = {key: options.pop(key) for key in ("policy", "store", "id") if key in options}
    conversation = chat(*replies, tools=tools, **setup)
    loop, paper = repl(conversation, typed or Typed("hello"), **options)
    loop.run()
    return paper.text, conversation


def test_a_turn_from_the_question_to_the_answer():
    seen, _ = play(f"I look. {call('get_weather', city='Oslo')}", "**4 °C**, and rain.")
    assert seen.startswith(
        "\n\nI look.\n\n"
        "╭─ get_weather · read\n"
        '│ city  "Oslo"\n'
        "╰─\n"
        "✓ get_weather · 4 °C, rain\n\n"
        "4 °C, and rain.\n\n"
        "2 requests · 1 call · "
    )


def test_thinking_is_counted_and_shown_when_asked_for():
    reply = [Chunk(reasoning="Is it? "), Chunk(reasoning="It is."), "Yes."]
    seen, _ = play(reply, typed=Typed("really?", "/thinking"))
    assert "∴ thought, 13 characters: /thinking shows it\n\nYes.\n" in seen
    assert seen.rstrip().endswith("\n  Is it? It is.")
    seen, _ = play(reply, typed=Typed("/thinking on", "really?"))
    assert "\n  Is it? It is.\n\nYes.\n" in seen
    assert "\n  Is it? It is.\n" in play(reply, thinking=True)[0]


def test_a_call_that_changes_something_waits_for_a_yes():
    write = call("write_file", path="a.txt", content="x")
    seen, _ = play(write, "Done.", typed=Typed("write", "y"))
    assert "╰─ write_file changes something\n✓ write_file · wrote a.txt\n\nDone." in seen
    seen, conversation = play(write, "Pity.", typed=Typed("write", "n not there"))
    assert "✗ write_file · not run: not there\n\nPity." in seen
    assert conversation.session.messages[2].results[0].content == "not run: not there"


def test_always_asks_once():
    calls = [call("write_file", path=f"{n}.txt", content="x") for n in range(3)]
    typed = Typed("write", "a")
    seen, _ = play(*calls, "Done.", typed=typed)
    assert sum("run it?" in asked for asked in typed.asked) == 1
    assert seen.count("✓ write_file") == 3


def test_what_the_person_changed_is_what_runs():
    typed = Typed("write", "e", "y", edits=['{"path": "b.txt", "content": "x"}'])
    seen, conversation = play(call("write_file", path="a.txt", content="x"), "Done.", typed=typed)
    assert "✓ write_file · wrote b.txt\n" in seen  # and not what the model is told about it
    assert "the user changed the call" in conversation.session.messages[2].results[0].content


def test_two_calls_are_two_cards_and_two_results():
    calls = call("get_weather", city="Oslo") + call("get_weather", city="Rome")
    seen, _ = play(calls, "Hm.")
    assert seen.count("╭─ get_weather") == 2 and seen.count("✓") == 1 and seen.count("✗") == 1


def test_problems_and_repairs_are_a_line_each():
    broken = "<tool_code>weather in Oslo?</tool_code>"
    mended = "<tool_code>{'name': 'get_weather', 'arguments': {'city': 'Oslo',}}</tool_code>"
    seen, _ = play(broken, mended, "Rain.")
    assert "! malformed: " in seen
    assert "│ ~ quote_style (lossless)\n│ ~ trailing_comma (lossless)\n" in seen


def test_an_unknown_tool_is_shown_with_what_the_model_is_told():
    seen, _ = play(call("rm", path="/"), "Sorry.")
    assert '╭─ rm\n│ path  "/"\n╰─\n✗ rm · ' in seen and "there is no tool" in seen


def test_long_results_are_folded_and_shown_on_request():
    @tool
    def read() -> str:
        """Read."""
        return "\n".join(f"line {number}" for number in range(50))

    seen, _ = play(call("read"), "Read.", tools=[read], typed=Typed("go", "/result", "/result 2"))
    assert "✓ read · line 0 line 1" in seen and "(+ 49 lines: /result)" in seen
    assert "│ line 49\n╰─\n" in seen
    assert "there are 1 results; /result 1 shows the last" in seen


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_nothing_that_a_model_or_a_tool_says_is_obeyed(text, caplog):
    # What a tool raises is logged as it is, and half a character cannot be sent between processes.
    caplog.set_level(logging.CRITICAL, "toolproto.tools")

    @tool
    def echo(text: str) -> str:
        """Say it back."""
        return f"{text}\n" * 3

    @tool(risk="exec")
    def fail(text: str, context: ToolContext) -> str:
        """Fail with it."""
        context.ask(text)
        raise RuntimeError(text)

    reply = [Chunk(reasoning=text), f"# {text}\n\n{text} ", call("echo", text=text), call(text)]
    typed = Typed("go", "y", "y", "/thinking", "/result", "/result 2", "/retry", "y", "y")
    rest = [f"a {call('fail', text=text)} <tool_code>{text}", text]
    seen, _ = play(reply, *rest, reply, *rest, tools=[echo, fail], typed=typed, thinking=True)
    assert obeyed(seen) == []


def test_an_endpoint_that_fails_is_told_and_the_chat_goes_on():
    seen, _ = play(ConnectionError("no"), "Hello.", typed=Typed("one", "two"))
    assert "error: " in seen and "Hello." in seen


def test_a_cut_reply_and_an_empty_one_are_told():
    seen, _ = play([Chunk("And th", finish_reason="length")], *[""] * 4, typed=Typed("one", "two"))
    assert "the reply was cut for its length" in seen
    assert "error: the model gave no usable reply 4 times in a row" in seen


# -- Ctrl-C --------------------------------------------------------------------------------


def when_reached(hold: Hold) -> threading.Thread:
    """Press Ctrl-C when the reply has come to *hold*."""

    def press() -> None:
        assert hold.reached.wait(PATIENCE)
        pthread_kill(threading.main_thread().ident, SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    return thread


def test_ctrl_c_cancels_a_stream_and_not_the_program():
    hold = Hold()
    thread = when_reached(hold)
    seen, conversation = play(["I go on and", hold], "Two.", typed=Typed("one", "two"))
    thread.join()
    assert "I go on and\n\ncancelled\n" in seen and "Two." in seen
    assert [said.content for said in conversation.session.messages] == [
        "one", "I go on and", "two", "Two.",
    ]  # fmt: skip


def test_ctrl_c_cancels_a_tool():
    running = Hold()

    @tool
    def wait(context: ToolContext) -> str:
        """Wait."""
        running.reached.set()
        assert context.cancelled.wait(PATIENCE)
        return "never heard"

    thread = when_reached(running)
    seen, _ = play(call("wait"), "Two.", tools=[wait], typed=Typed("one", "two"))
    thread.join()
    assert "✗ wait · stopped before it was done" in seen and "cancelled" in seen and "Two." in seen


class Stubborn:
    """An endpoint that does not listen to anybody; *reached* when it has begun."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.asked = 0

    @contextmanager
    def stream(self, request):
        self.asked += 1
        yield self._chunks() if self.asked == 1 else iter([Chunk("Two.", finish_reason="stop")])

    def _chunks(self):
        yield Chunk("I go on")
        self.reached.set()
        threading.Event().wait(PATIENCE)


class Once(Interrupts):
    """Raises once: what is pressed while the turn is settled is another matter."""

    def __init__(self) -> None:
        super().__init__()
        self.raised = threading.Event()

    def _handle(self, signal, frame):
        if not self.raised.is_set():
            try:
                super()._handle(signal, frame)
            except KeyboardInterrupt:
                self.raised.set()
                raise


def test_a_second_ctrl_c_does_not_wait_for_the_first():
    endpoint, interrupts, paper = Stubborn(), Once(), Paper()

    def press() -> None:
        assert endpoint.reached.wait(PATIENCE)
        # Not twice: Python takes two that come at once for one, and does not see one that comes
        # when it is just about to wait.
        while not interrupts.raised.wait(0.02):
            pthread_kill(threading.main_thread().ident, SIGINT)

    class Patient(Typed):
        def message(self, mark: str, *, kept: bool = True) -> str:
            if self.asked:
                thread.join()
            return super().message(mark)

    thread = threading.Thread(target=press)
    thread.start()
    conversation = TerminalChat(Setup(endpoint, get_paradigm, "xml_tag"))
    Repl(conversation, paper.screen, Patient("one", "two"), interrupts).run()
    assert "I go on\nstopped\n" in paper.text and "Two." in paper.text


def test_ctrl_c_at_a_question_cancels_the_turn():
    write = call("write_file", path="a.txt", content="x")
    seen, _ = play(write, "Two.", typed=Typed("one", KeyboardInterrupt(), "two"))
    assert "✗ write_file · not run: the user stopped the turn\n\ncancelled" in seen
    assert "Two." in seen


def test_ctrl_c_twice_at_an_empty_prompt_leaves():
    typed = Typed(KeyboardInterrupt(), "hello", KeyboardInterrupt(), KeyboardInterrupt(), "never")
    seen, _ = play("Hi.", typed=typed)
    assert seen.count("Ctrl-C again, Ctrl-D or /quit leaves") == 2 and "Hi." in seen
    assert len(typed.asked) == 4


def test_ctrl_c_in_a_line_gives_up_the_line():
    typed = Typed(*[KeyboardInterrupt()] * 3, "/quit", is_line_empty=False)
    assert "leaves" not in play(typed=typed)[0]


# -- what waits, and what broke off --------------------------------------------------------

ASK_USER = Tool.from_schema("ask_user", "Ask.", {"properties": {"question": {"type": "string"}}})
ASKED = call("ask_user", question="Which one?")


def test_a_tool_without_a_function_is_answered_by_the_person():
    typed = Typed("buy", "the blue one")
    seen, conversation = play(ASKED, "Blue, then.", tools=[ASK_USER], typed=typed)
    assert seen.count("╭─ ask_user") == 1 and "✓ ask_user · the blue one\n\nBlue, then." in seen
    assert typed.asked[1] == "result > " and not conversation.session.pending


def test_or_refused():
    seen, _ = play(ASKED, "Then not.", tools=[ASK_USER], typed=Typed("buy", "/deny none of them"))
    assert "✗ ask_user · not run: none of them\n\nThen not." in seen


def test_what_waits_is_forgotten_when_its_message_is_said_again():
    typed = Typed("buy", KeyboardInterrupt(), "/retry")
    _, conversation = play(ASKED, "Which one?", tools=[ASK_USER], typed=typed)
    assert [each.content for each in conversation.session.messages] == ["buy", "Which one?"]


def test_what_waits_is_asked_about_when_the_person_wants_it():
    typed = Typed("/pending", "buy", KeyboardInterrupt(), "/pending", "blue", "and?")
    seen, conversation = play(ASKED, "Blue.", "And what?", tools=[ASK_USER], typed=typed)
    assert "no call waits" in seen and "1 call not decided: /pending asks again" in seen
    assert [each.content for each in conversation.session.messages if not each.results][-3:] == [
        "Blue.", "and?", "And what?",
    ]  # fmt: skip


def test_a_message_goes_on_without_what_waits():
    typed = Typed("buy", KeyboardInterrupt(), "never mind")
    seen, conversation = play(ASKED, "Fine.", tools=[ASK_USER], typed=typed)
    assert "not run: the user went on" in seen and "Fine." in seen
    assert not conversation.session.pending


def test_a_kept_session_is_gone_on_with():
    store = MemoryStore()
    play("Hello **you**.", typed=Typed("hi"), store=store, id="one")
    seen, conversation = play("Again.", typed=Typed("hi again"), store=store, id="one")
    assert seen.startswith("> hi\n\nHello you.\n") and "Again." in seen
    assert len(conversation.session.messages) == 4


def test_what_a_kept_session_waits_for_is_asked_on_opening():
    store = MemoryStore()
    kept = {"tools": [ASK_USER], "store": store, "id": "one"}
    play(ASKED, typed=Typed("buy", EOFError()), **kept)
    seen, _ = play("Blue.", typed=Typed("blue"), **kept)
    assert seen.index("╭─ ask_user") < seen.index("✓ ask_user · blue") < seen.index("Blue.")


@pytest.mark.parametrize("said", ["y", "n"])
def test_a_turn_that_broke_off_can_be_gone_on_with(said):
    whole, broken = MemoryStore(), MemoryStore()
    play("Never heard.", typed=Typed("hi"), store=whole, id="one")
    broken.create("one")
    broken.append("one", whole.read("one")[:1], 0, durable=True)
    seen, conversation = play("Here I am.", typed=Typed(said), store=broken, id="one")
    assert ("Here I am." in seen) == (said == "y")
    assert not conversation.session.pending


# -- without questions ---------------------------------------------------------------------

WRITE = call("write_file", path="a.txt", content="x")


def test_without_somebody_to_ask_only_reads_run():
    seen, _ = play(WRITE, "No.", attended=False, policy=policy("read"))
    assert "✗ write_file · not run: write_file changes something, and nobody is there" in seen


def test_all_runs_all_and_none_none():
    assert "✓ write_file" in play(WRITE, "Ok.", policy=policy("all"))[0]
    read = call("get_weather", city="Oslo")
    assert "✗ get_weather · not run" in play(read, "Ok.", policy=policy("none"))[0]


def test_a_policy_heeds_names_before_the_rest():
    assert policy("read", allow=["fs_*"], deny=["fs_rm"]) == Policy(
        {"fs_rm": "deny", "fs_*": "allow"}
    )
    assert policy("all", deny=["x"]) == Policy({"x": "deny", "*": "allow"})
    assert policy("none", allow=["x"], deny=["x"]) == Policy({"x": "deny", "*": "deny"})


def test_one_turn_and_no_more():
    conversation, paper = chat("Hello."), Paper()
    loop = Repl(conversation, paper.screen, Typed(), Interrupts())
    result = loop.once("hi")
    assert result is not None and result.text == "Hello." and "Hello." in paper.text
