"""One turn, for programs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.patience import PATIENCE, interrupt
from toolproto.cli.app import main
from toolproto.conversation.as_json import event_json
from toolproto.conversation.turn.events import TurnEnded

from .people import chat
from .scripted_service import HOLD, ScriptedService, Thought, call, words

TOOLS = '''
from toolproto import tool

@tool
def get_weather(city: str) -> str:
    """Current weather for a city."""
    return {"Oslo": "4 °C, rain"}[city]

@tool(risk="write")
def write_file(path: str, content: str) -> str:
    """Write a file."""
    return f"wrote {path}"
'''
WRITE = call("write_file", path="a.txt", content="x")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tools.py").write_text(TOOLS)
    return tmp_path


def run(service: ScriptedService | None, *words: str, said: str | bytes = "hi") -> Result:
    endpoint = ["--endpoint", service.url] if service else []
    arguments = ["chat", *endpoint, "-p", "xml_tag", *words]
    return CliRunner().invoke(main, arguments, input=said, prog_name="toolproto")


def lines(done: Result) -> list[dict]:
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_answer_goes_to_stdout_and_all_else_to_stderr():
    with ScriptedService(f"I look. {call('get_weather', city='Oslo')}", "It *rains*.") as service:
        done = run(service, "-t", "tools.py")
    assert (done.exit_code, done.stdout) == (0, "It *rains*.\n")
    assert "I look." in done.stderr and '→ get_weather {"city": "Oslo"}' in done.stderr
    assert "✓ get_weather · 4 °C, rain" in done.stderr


def test_standard_input_is_the_message_and_so_is_an_option():
    with ScriptedService("One.", "Two.") as service:
        assert run(service, said="line 1\nline 2\n").stdout == "One.\n"
        assert run(service, "-m", "hello", said="not read").stdout == "Two.\n"
        sent = [request["messages"][-1]["content"] for request in service.requests]
    assert sent == ["line 1\nline 2", "hello"]


def test_an_empty_message_is_no_message():
    for words_, said in ((["-m", " "], ""), ([], "\n ")):
        done = run(None, "--endpoint", "http://localhost:1/v1", *words_, said=said)
        assert done.exit_code == 2 and "the message is empty" in done.stderr


APPROVED = [
    ([], False),
    (["--approve", "read"], False),
    (["--approve", "none"], False),
    (["--approve", "all"], True),
    (["--allow", "write_*"], True),
    (["--approve", "all", "--deny", "write_file"], False),
]


@pytest.mark.parametrize("options, runs", APPROVED)
def test_a_policy_decides_about_calls(options, runs):
    with ScriptedService(WRITE, "Done.") as service:
        done = run(service, "-t", "tools.py", *options)
        told = service.requests[1]["messages"][-1]["content"]
    assert done.exit_code == 0 and done.stdout == "Done.\n"
    assert ("✓ write_file" in done.stderr) == runs == ("wrote a.txt" in told)
    assert ("not run" in told) == (not runs)


def test_there_is_nobody_to_ask_in_a_pipe():
    with ScriptedService() as service:
        done = run(service, "--approve", "ask")
    assert done.exit_code == 2 and "there is no terminal to ask at" in done.stderr


def test_every_event_is_a_line_of_json():
    reply = [Thought("Hm."), *words(f"I look. {call('get_weather', city='Oslo')}")]
    with ScriptedService(reply, "It rains.") as service:
        done = run(service, "-t", "tools.py", "--json")
    events = lines(done)
    assert done.exit_code == 0 and done.stderr == ""
    kinds = "state text reasoning call_started arguments call tool message ended"
    assert {each["event"] for each in events} >= set(kinds.split())
    assert "".join(each["text"] for each in events if each["event"] == "arguments") == (
        '{"city": "Oslo"}'
    )
    ended = events[-1]
    assert (ended["event"], ended["status"], ended["text"]) == ("ended", "completed", "It rains.")
    assert ended["calls"] == 1 and ended["input_tokens"] == 180


def test_refusals_and_broken_calls_are_events_too():
    broken = "<tool_code>what?</tool_code>"
    with ScriptedService(WRITE, broken, "No.") as service:
        events = lines(run(service, "-t", "tools.py", "--json"))
    kinds = [each["event"] for each in events]
    assert kinds.index("approval_asked") < kinds.index("decided") < kinds.index("call_rejected")
    decided = next(each for each in events if each["event"] == "decided")
    assert decided["decision"]["decision"] == "deny"


def test_what_no_encoding_holds_does_not_stop_the_answer():
    with ScriptedService("half \ud83d of it", "half \ud83d of it") as service:
        assert run(service, said=b"\xff\xfe").stdout == "half ? of it\n"
        assert lines(run(service, "--json"))[-1]["text"] == "half \ud83d of it"


def test_the_exit_code_says_how_it_went():
    with ScriptedService(*[WRITE] * 3) as service:
        done = run(service, "-t", "tools.py", "--max-requests", "2")
    assert done.exit_code == 1 and done.stdout == "" and "2 requests" in done.stderr
    with ScriptedService() as service:  # which answers 418
        done = run(service)
    assert done.exit_code == 3 and "error:" in done.stderr and "418" in done.stderr
    assert run(None).exit_code == 2
    assert run(None, "--endpoint", "http://x", "--session", "a").exit_code == 2


def test_a_call_that_nobody_here_can_run_waits(here):
    schema = {"name": "ask_user", "parameters": {"type": "object", "properties": {}}}
    (here / "tools.json").write_text(json.dumps([schema]))
    with ScriptedService(call("ask_user")) as service:
        done = run(service, "-t", "tools.json")
    assert done.exit_code == 1 and "ask_user waits: its result comes from elsewhere" in done.stderr


def test_options_reach_the_model():
    settings = ["--temperature", "0.5", "--max-tokens", "99", "--seed", "7", "-s", "Be brief."]
    with ScriptedService("Ok.") as service:
        run(service, *settings, "--examples", "-t", "tools.py", "--describe", "typescript")
        request = service.requests[0]
    assert (request["temperature"], request["max_tokens"], request["seed"]) == (0.5, 99, 7)
    system, *shown = request["messages"]
    assert system["content"].startswith("Be brief.") and "city: string" in system["content"]
    assert len(shown) > 1  # the example, and then the message


def test_auto_takes_the_paradigm_that_suits_the_model():
    with ScriptedService("Ok.") as service:
        run(service, "-t", "tools.py", "-p", "auto", "--model", "deepseek-r1-distill-qwen-7b")
        assert "tool▁calls" in service.requests[0]["messages"][0]["content"]


def test_what_was_found_best_for_a_model_is_used_unless_said_otherwise(here):
    (here / "toolproto.toml").write_text('[models."m"]\nparadigm = "hermes"\nexamples = true\n')
    with ScriptedService("Ok.", "Ok.") as service:
        arguments = [
            "chat",
            "--endpoint",
            service.url,
            "--model",
            "m",
            "-t",
            "tools.py",
            "-m",
            "hi",
        ]
        CliRunner().invoke(main, arguments)
        CliRunner().invoke(main, [*arguments, "-p", "xml_tag", "--no-examples"])
        first, second = (request["messages"] for request in service.requests)
    assert "<tool_call>" in first[0]["content"] and len(first) > 2
    assert "<tool_code>" in second[0]["content"] and len(second) == 2


def test_a_session_is_kept_and_gone_on_with():
    with ScriptedService("One.", "Two.") as service:
        for message in ("first", "second"):
            done = run(service, "--store", "chats.db", "--session", "trip", "-m", message)
            assert done.exit_code == 0
        assert [said["content"] for said in service.requests[1]["messages"]][-3:] == [
            "first", "One.", "second",
        ]  # fmt: skip


def test_a_kept_session_goes_on_as_it_was_led_unless_somebody_says_otherwise():
    kept = ["--store", "chats.db", "--session", "trip", "-t", "tools.py", "-m", "hi"]
    with ScriptedService("One.", "Two.", "Three.", "Four.", models=["a", "b"]) as service:
        begin = ["chat", "--endpoint", service.url]
        first = ["-p", "hermes", "--model", "b", "-s", "Be brief."]
        for said in (first, [], ["-p", "xml_tag", "--model", "a", "-s", ""], []):
            assert CliRunner().invoke(main, [*begin, *kept, *said]).exit_code == 0
        assert [request["model"] for request in service.requests] == ["b", "b", "a", "a"]
        taught = ["<tool_call>" in each["messages"][0]["content"] for each in service.requests]
        assert taught == [True, True, False, False]
        led = ["Be brief." in each["messages"][0]["content"] for each in service.requests]
        assert led == [True, True, False, False]


def test_a_recording_answers_on_another_day():
    with ScriptedService("One.") as service:
        assert run(service, "--record", "tape.jsonl").stdout == "One.\n"
    assert "Today is" not in Path("tape.jsonl").read_text()
    done = CliRunner().invoke(
        main, ["chat", "--recording", "tape.jsonl", "-p", "xml_tag"], input="hi"
    )
    assert done.stdout == "One.\n"


def test_it_is_a_filter_in_a_real_pipe():
    with ScriptedService(words("It\x1b[31m rains.\n")) as service:
        command = [sys.executable, "-m", "toolproto", "chat", "--endpoint", service.url]
        done = subprocess.run(command, input="hi", capture_output=True, text=True, timeout=PATIENCE)
    # What a model wrote is data here, and stays as it is.
    assert (done.returncode, done.stdout, done.stderr) == (0, "It\x1b[31m rains.\n\n", "")


def test_ctrl_c_in_a_pipe_is_130():
    with ScriptedService(["I go on", HOLD]) as service:
        command = [sys.executable, "-m", "toolproto", "chat", "--endpoint", service.url, "-m", "hi"]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        with subprocess.Popen(command, **pipes) as process:
            try:
                assert process.stdout and process.stdout.read(7) == b"I go on"
                interrupt(process)
                _, told = process.communicate(timeout=PATIENCE)
            finally:
                process.kill()
    assert process.returncode == 130 and b"Traceback" not in told


def test_every_event_of_a_session_has_its_json():
    conversation = chat(f"I look. {WRITE}", "No.")
    with conversation.session.stream("hi") as events:
        told = [(event, event_json(event)) for event in events]
    assert all(json.dumps(each) and each["event"] for _, each in told)
    assert isinstance(told[-1][0], TurnEnded)


def test_files_are_kept_in_the_store():
    options = ["--store", "x.db", "--files", "notes", "--approve", "all", "--in-order"]
    with ScriptedService(WRITE, "Written.") as service:
        assert run(service, *options).stdout == "Written.\n"
    read = call("read_file", path="a.txt")
    with ScriptedService(read, "Read.") as service:
        done = run(service, *options, "--json")
    assert [e["result"]["content"] for e in lines(done) if e.get("result")] == ["x"]
    listed = CliRunner().invoke(main, ["sessions", "--store", "x.db", "list"]).stdout
    assert "files:" not in listed
    assert "--store" in run(None, "--files", "notes", "--model", "x").stderr


def test_a_refused_call_may_stop_the_turn():
    with ScriptedService(WRITE, "never") as service:
        done = run(service, "--tools", "tools.py", "--stop-on-deny")
    assert done.exit_code == 130 and done.stdout == ""


def test_the_only_model_of_a_service_is_taken():
    with ScriptedService("Hello.", models=["qwen"]) as service:
        assert run(service).exit_code == 0
    assert service.requests[0]["model"] == "qwen"


def test_of_several_models_one_must_be_named():
    with ScriptedService(models=["small", "large"]) as service:
        done = run(service)
    assert done.exit_code == 2
    assert "which model? give --model NAME; the service has small, large" in done.stderr


KEYS = [
    ({}, "no key was sent: give one in the environment variable TOOLPROTO_API_KEY"),
    ({"TOOLPROTO_API_KEY": "wrong"}, "check the key in the environment variable TOOLPROTO_API_KEY"),
]


@pytest.mark.parametrize("environment, told", KEYS)
@pytest.mark.parametrize("words", [(), ("--model", "qwen")])
def test_a_refusal_for_want_of_a_key_names_the_variable(environment, told, words, monkeypatch):
    monkeypatch.delenv("TOOLPROTO_API_KEY", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with ScriptedService(key="right") as service:
        done = run(service, *words)
    assert done.exit_code == 3
    assert "401 Unauthorized" in done.stderr and told in done.stderr


def test_demo_tools_can_be_had_by_name():
    with ScriptedService(call("calculate", expression="6 * 7"), "It is 42.") as service:
        done = run(service, "-t", "demo")
    assert (done.exit_code, done.stdout) == (0, "It is 42.\n")
    assert "✓ calculate · 42" in done.stderr


DOT = b"GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\x00\x00\x00\x00\x00!\xf9\x04\x00;"


def test_a_picture_is_shown_with_the_message(here):
    (here / "dot.gif").write_bytes(DOT)
    with ScriptedService("A dot.") as service:
        done = run(service, "--image", "dot.gif", "--image", "https://x.org/y.png", said="What?")
        text, first, second = service.requests[0]["messages"][-1]["content"]
    assert done.stdout == "A dot.\n" and text == {"type": "text", "text": "What?"}
    assert first["image_url"]["url"].startswith("data:image/gif;base64,")
    assert second["image_url"]["url"] == "https://x.org/y.png"


def test_a_picture_that_is_not_there_or_cannot_be_sent_is_said_before_anything_is_sent(here):
    (here / "dot.gif").write_bytes(DOT)
    with ScriptedService("Hello.") as service:
        missing = run(service, "--image", "no.gif")
        blind = run(service, "--image", "dot.gif", "--dialect", "openai_completions")
        assert not service.requests
    assert missing.exit_code == 2 and "'no.gif' cannot be read" in missing.stderr
    assert blind.exit_code and "cannot be sent in the dialect" in blind.stderr


def test_a_pipe_starts_without_what_reads_keys():
    program = (
        "import sys; import toolproto.cli.commands.chat, toolproto.cli.chat.piped, "
        "toolproto.cli.chat.starting; sys.exit('prompt_toolkit' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0
