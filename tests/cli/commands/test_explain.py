"""``toolproto explain`` as somebody types it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from toolproto.cli.app import main

REPLY = 'Let me look. <tool_code>{"name": "now", "arguments": {}}</tool_code>'
TOOLS = [{"name": "now", "description": "The time.", "parameters": {"type": "object"}}]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    Path("reply.txt").write_text(REPLY, encoding="utf-8")
    Path("tools.json").write_text(json.dumps(TOOLS), encoding="utf-8")
    return tmp_path


def run(*words: str, stdin: bytes | str = "") -> Result:
    return CliRunner().invoke(main, ["explain", *words], input=stdin)


def test_a_reply_in_a_file_is_explained(folder: Path) -> None:
    result = run("reply.txt", "--paradigm", "xml_tag", "--tools", "tools.json")
    assert result.exit_code == 0
    assert result.stdout == (
        "xml_tag reads 68 characters: 1 accepted\n"
        "\n"
        "    text      0-13 'Let me look. '\n"
        "    markup   13-24 '<tool_code>'  (markers of calls)\n"
        '  1 call     24-56 \'{"name": "now", "arguments": {}}\'\n'
        "    markup   56-68 '</tool_code>'  (markers of calls)\n"
        "\n"
        "1. accepted now (24-56)\n"
        "   it is written as asked\n"
        "   {}\n"
    )


def test_a_reply_on_standard_input_is_explained(folder: Path) -> None:
    assert run("-p", "xml_tag", stdin=REPLY).stdout.startswith("xml_tag reads 68 characters")


def test_in_colour_the_reply_is_shown_as_it_is(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    out = run("reply.txt", "-p", "xml_tag").stdout
    assert "\x1b[32m" in out and "[1]" in out and "markup" not in out


@pytest.mark.parametrize("colour", ["0", "1"])
def test_no_reply_commands_the_terminal(
    folder: Path, monkeypatch: pytest.MonkeyPatch, colour: str
) -> None:
    if colour == "1":
        monkeypatch.setenv("FORCE_COLOR", "1")
    bad = "\x1b]52;c;AAAA\x07\u202e[bold]x[/bold]\x9b2J"
    reply = f'{bad}<tool_code>{{"name": "{bad}"}}</tool_code><tool_code>{bad}</tool_code>'
    out = run("-p", "xml_tag", "--chunk-size", "5", stdin=reply).stdout
    assert [each for each in ("\x1b]", "\x07", "\u202e", "\x9b") if each in out] == []
    assert "[bold]" in out


def test_json_is_one_line(folder: Path) -> None:
    result = run("reply.txt", "-p", "xml_tag", "--json")
    assert result.stdout.count("\n") == 1
    assert json.loads(result.stdout)["count"]["accepted"] == 1


def test_a_stream_is_played_again(folder: Path) -> None:
    out = run("reply.txt", "-p", "xml_tag", "--chunk-size", "30").stdout
    assert "chunk 1: 'Let me look. <tool_code>{\"name', 17 held back" in out
    assert "chunk 4: the end, 0 held back" in out


CHUNKS = {
    "a list": json.dumps(["Let me ", "look."]),
    "lines": '"Let me "\n"look."\n',
    "an exchange": json.dumps(
        {"chunks": [{"text": "Let me "}, {"reasoning": "x"}, {"text": "look."}]}
    ),
    "lines of chunks": '{"text": "Let me "}\n{"text": "look."}\n',
}


@pytest.mark.parametrize("form", CHUNKS)
def test_chunks_come_from_a_file(folder: Path, form: str) -> None:
    Path("chunks.json").write_text(CHUNKS[form], encoding="utf-8")
    result = run("--chunks", "chunks.json", "-p", "xml_tag", "--json")
    told = json.loads(result.stdout)
    assert [step["text"] for step in told["steps"] if step["text"]] == ["Let me ", "look."]


def test_a_cut_reply_and_an_opened_thought_are_told_by_options(folder: Path) -> None:
    cut = run("-p", "xml_tag", "--finish-reason", "length", "--json", stdin=REPLY[:40])
    assert json.loads(cut.stdout)["findings"][0]["problem"]["kind"] == "truncated"
    thought = run("-p", "xml_tag", "--thinking", "--json", stdin=REPLY)
    assert json.loads(thought.stdout)["findings"][0]["reasons"] == ["open_thinking"]


def test_strict_fails_for_a_call_that_is_rejected(folder: Path) -> None:
    bad = "<tool_code>now</tool_code>"
    assert run("-p", "xml_tag", "--strict", stdin=bad).exit_code == 1
    assert run("-p", "xml_tag", stdin=bad).exit_code == 0
    assert run("-p", "xml_tag", "--strict", stdin=REPLY).exit_code == 0


WRONG = {
    "no such file": (["nowhere.txt"], "nowhere.txt"),
    "no such paradigm": (["reply.txt", "-p", "nonesuch"], "nonesuch"),
    "not UTF-8": (["latin.txt"], "is not UTF-8"),
    "chunks that are no JSON": (["--chunks", "reply.txt"], "expected JSON strings"),
    "chunks of several exchanges": (["--chunks", "two.jsonl"], "a chunk is a string"),
    "numbers for chunks": (["--chunks", "numbers.json"], "a chunk is a string"),
    "no chunk size": (["reply.txt", "--chunk-size", "0"], "chunk-size"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_mistake_is_told_in_one_line(folder: Path, case: str) -> None:
    Path("latin.txt").write_bytes(b"\xe9t\xe9")
    Path("two.jsonl").write_text('{"chunks": []}\n{"chunks": []}\n', encoding="utf-8")
    Path("numbers.json").write_text("[1, 2]", encoding="utf-8")
    words, told = WRONG[case]
    result = run(*words)
    assert result.exit_code == 2
    assert told in result.stderr and result.stderr.count("\n") == 1


def test_it_runs_as_a_program(folder: Path) -> None:
    command = [sys.executable, "-m", "toolproto", "explain", "-p", "xml_tag", "--json"]
    done = subprocess.run(command, input=REPLY.encode(), capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["count"]["accepted"] == 1
