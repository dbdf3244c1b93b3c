"""``toolproto parse``, as people and scripts use it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner

from tests.bulk.samples import WEATHER, call, read_lines, write_lines, write_replies
from tests.patience import PATIENCE
from toolproto.bulk.files import InputFile, InputKind, read_batches
from toolproto.cli.app import main
from toolproto.protocol.errors import UsageError


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERM", "dumb")
    (tmp_path / "tools.json").write_text(json.dumps([WEATHER]))
    return tmp_path


def parse(*arguments, input=None):
    arguments = ("parse", "--paradigm", "xml_tag", *map(str, arguments))
    return CliRunner().invoke(main, arguments, input=input)


TOOLS = ("--tools", "tools.json")


# -- one reply --------------------------------------------------------------------------------


def test_one_reply_is_shown_for_people():
    result = parse(*TOOLS, input=f"Let me look. {call(name='getWeather')}{call(name='no')}")
    assert result.exit_code == 0
    assert result.stdout == (
        "call get_weather  call_1\n"
        "  city Oslo\n"
        "  lossless repair name_separator (getWeather)\n"
        "problem unknown_tool no\n"
        "  there is no tool 'no'; the tools are: get_weather\n"
        '  {"name": "no", "arguments": {"city": "Oslo"}}\n'
        "text\n"
        "  Let me look.\n"
    )
    assert result.stderr == ""


def test_one_reply_is_an_object_for_scripts():
    result = parse(*TOOLS, "--json", input=call())
    told = json.loads(result.stdout)
    assert told["outcome"] == "calls"
    assert told["calls"] == [
        {
            "id": "call_1",
            "name": "get_weather",
            "arguments": {"city": "Oslo"},
            "repairs": [],
            "place": "",
        }
    ]


def test_a_file_with_one_reply_is_shown_too(folder):
    (folder / "a.txt").write_text("<think>Hm.</think>Hello.")
    assert parse("a.txt", *TOOLS).stdout == "no call\ntext\n  Hello.\nthinking\n  Hm.\n"
    assert json.loads(parse("a.txt", *TOOLS, "--json").stdout)["source"] == "a.txt"


def test_nothing_is_a_reply_without_a_call():
    assert parse(*TOOLS, input="").stdout == "no call\n"


def test_what_a_model_wrote_does_not_drive_the_terminal():
    result = parse(input=f"\x1b]0;pwned\x07[bold]{call(chr(0x202E) + '[red]x')}")
    assert "\x1b" not in result.stdout and "\x07" not in result.stdout
    assert "⟨U+202E⟩[red]x" in result.stdout and "[bold]" in result.stdout


def test_a_closed_stdin_is_told(monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(UsageError, match="standard input is closed"):
        list(read_batches([InputFile("-", InputKind.TEXT)], [], 10))


def test_a_reply_that_is_no_text_fails():
    result = parse(*TOOLS, input=b"\xff")
    assert result.exit_code == 1
    assert result.stdout == "unreadable not UTF-8: invalid start byte at byte 0\n"


def test_without_tools_it_is_said_that_nothing_is_checked():
    result = parse(input=call(name="anything"))
    assert "no --tools" in result.stderr and "call anything" in result.stdout
    assert parse("--quiet", input=call()).stderr == ""


def test_one_reply_has_a_summary_too(folder):
    parse(*TOOLS, "--summary-json", "sum.json", input=call())
    assert json.loads((folder / "sum.json").read_text())["outcomes"]["calls"] == 1


def test_strict_fails_on_any_problem():
    assert parse(*TOOLS, "--strict", input=call()).exit_code == 0
    assert parse(*TOOLS, "--strict", input=call(name="no")).exit_code == 1
    assert parse(*TOOLS, "--strict", "--no-check", input=call(name="no")).exit_code == 0


def test_a_reason_to_end_makes_a_cut_call_a_problem():
    cut = call().removesuffix("}</tool_code>")
    assert json.loads(parse(*TOOLS, "--json", input=cut).stdout)["outcome"] == "guessed"
    result = parse(*TOOLS, "--json", "--finish-reason", "length", input=cut)
    assert json.loads(result.stdout)["outcome"] == "truncated"


# -- many -------------------------------------------------------------------------------------


def test_many_replies_are_rows_on_stdout(folder):
    write_replies(folder / "in.jsonl", 5)
    result = parse("in.jsonl", *TOOLS, "--id-field", "id")
    assert [row["id"] for row in read_lines(result.stdout)] == [0, 1, 2, 3, 4]
    assert result.stderr.splitlines()[:3] == ["2  no call", "2  calls as asked", "1  problem"]
    assert "5 replies, 2 calls in " in result.stderr
    assert result.stderr.splitlines()[-1] == "problems: malformed 1"


def test_rows_come_from_stdin_too(folder):
    data = write_replies(folder / "in.jsonl", 3).read_bytes()
    result = parse("-", "--input-format", "jsonl", *TOOLS, "-q", input=data)
    assert [row["row"] for row in read_lines(result.stdout)] == [1, 2, 3]
    assert result.stderr == ""
    empty = parse("--input-format", "jsonl", *TOOLS, input=b"")
    assert (empty.exit_code, empty.stdout) == (0, "")
    assert "0 replies" in empty.stderr


def test_columns_are_carried_through(folder):
    write_lines(folder / "in.jsonl", [{"answer": "x", "question": "Why?", "text": 1}])
    result = parse("in.jsonl", "--field", "answer", "--keep", "question,said=text", "-q")
    (row,) = read_lines(result.stdout)
    assert (row["question"], row["said"], row["text"]) == ("Why?", 1, "x")


def test_rows_go_to_a_file_and_the_summary_to_another(folder):
    write_replies(folder / "in.jsonl", 6)
    result = parse("in.jsonl", *TOOLS, "-o", "out.jsonl", "--summary-json", "sum.json")
    assert (result.exit_code, result.output) == (0, "")
    assert len(read_lines(folder / "out.jsonl")) == 6
    told = json.loads((folder / "sum.json").read_text())
    assert told["replies"] == told["replies_this_run"] == 6
    assert told["outcomes"]["calls"] == told["outcomes"]["no_call"] == 2
    assert told["problems"] == {"malformed": 2}
    assert told["replies_per_second"] > 0
    again = parse("in.jsonl", *TOOLS, "-o", "out.jsonl", "--resume")
    assert again.exit_code == 0 and "complete" in again.stderr


def test_when_no_row_holds_a_reply_the_run_fails_and_says_why(folder):
    write_lines(folder / "in.jsonl", [{"answer": "x"}])
    result = parse("in.jsonl", *TOOLS)
    assert result.exit_code == 1
    assert "first unreadable: row 1: no field 'reply' (--field)" in result.stderr


def test_a_device_takes_rows_without_a_journal(folder):
    write_replies(folder / "in.jsonl", 3)
    assert parse("in.jsonl", *TOOLS, "-o", "/dev/null").exit_code == 0


@pytest.mark.parametrize(
    "arguments, told",
    [
        (("in.jsonl", "-o", "there.jsonl"), "'there.jsonl' exists already; --force"),
        (("in.jsonl", "-o", "in.jsonl"), "both input and output"),
        (("in.jsonl", "--resume"), "name it with --output"),
        (("--force",), "name it with --output"),
        (("in.jsonl", "--keep", "text"), "--keep my_text=text"),
        (("in.jsonl", "--paradigm", "nope"), "no paradigm named 'nope'"),
        (("in.jsonl", "--paradigm", "any"), "--tools"),
        (("in.jsonl", *TOOLS, "-p", "any", "--finish-reason", "length"), "finish reasons"),
        (("in.jsonl", "--keep", "=x"), "write NAME or NAME=FIELD"),
        (("in.jsonl", "--summary-json", "no/s.json"), "there is no folder 'no'"),
        (("in.jsonl", "-o", "out.csv"), "use one that ends in .jsonl, .jsonl.gz or .parquet"),
        (("no.jsonl",), "no.jsonl: No such file or directory"),
        (("in.log",), "--input-format"),
        ((".",), "name its files, as in ./*.jsonl"),
    ],
)
def test_a_mistake_is_told_in_one_line(folder, arguments, told):
    write_replies(folder / "in.jsonl", 3)
    (folder / "there.jsonl").write_text("rows\n")
    (folder / "in.log").touch()
    result = parse(*arguments, "-q")
    assert result.exit_code == 2
    assert told in result.stderr and result.stderr.count("\n") == 1


def test_a_paradigm_may_be_a_file_of_ones_own(folder):
    (folder / "bracket.py").write_text(
        "from toolproto import WireFormat, WireParadigm\n"
        "class Bracket(WireParadigm):\n"
        "    name = 'bracket'\n"
        "    wire = WireFormat(call=('[[call ', ']]'))\n"
    )
    reply = call().replace("<tool_code>", "[[call ").replace("</tool_code>", "]]")
    told = json.loads(parse("-p", "bracket.py", *TOOLS, "--json", input=reply).stdout)
    assert told["outcome"] == "calls"


# -- as a process -----------------------------------------------------------------------------


def started(*arguments, **options):
    arguments = (sys.executable, "-m", "toolproto", "parse", "-p", "xml_tag", *TOOLS, *arguments)
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(arguments, start_new_session=True, **streams, **options)


def wait_for(path, process):
    """Until the first part of *path* is whole: nothing tells when a file appears."""
    parts = path.with_name(f"{path.name}.parts")
    while process.poll() is None and not any(parts.glob("part-*.jsonl")):
        time.sleep(0.005)


def test_killed_as_a_process_it_goes_on_and_leaves_no_process_behind(folder):
    # A busy machine may let it finish before it lets us kill it: then once more, with more to do.
    for replies in (8_000, 64_000):
        write_replies(folder / "in.jsonl", replies)
        process = started("in.jsonl", "-o", "out.jsonl", "--jobs", "2", "--force")
        wait_for(folder / "out.jsonl", process)
        process.kill()
        # All of its processes hold the pipes, so these end when the last of them does.
        rows, errors = process.communicate(timeout=PATIENCE)
        if process.returncode == -signal.SIGKILL:
            break
    # Python may say there what it cleans up.
    assert (rows, b"Traceback" in errors, process.returncode) == (b"", False, -signal.SIGKILL)
    again = parse("in.jsonl", *TOOLS, "-o", "out.jsonl", "--resume", "--jobs", "1")
    assert (again.exit_code, f"{replies:,} replies" in again.stderr) == (0, True)
    parse("in.jsonl", *TOOLS, "-o", "whole.jsonl", "--jobs", "1")
    assert (folder / "out.jsonl").read_bytes() == (folder / "whole.jsonl").read_bytes()


def test_ctrl_c_ends_it_at_once_and_says_how_to_go_on(folder):
    write_replies(folder / "in.jsonl", 20_000)
    process = started("in.jsonl", "-o", "out.jsonl", "--jobs", "2")
    wait_for(folder / "out.jsonl", process)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of them
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert b"continue with --resume" in errors and b"Traceback" not in errors
    assert any((folder / "out.jsonl.parts").glob("part-*.jsonl"))
    assert not (folder / "out.jsonl").exists()


def test_a_reader_that_leaves_early_is_no_error(folder):
    write_replies(folder / "in.jsonl", 2_000)
    process = started("in.jsonl", "--jobs", "1", "-q")
    assert json.loads(process.stdout.readline())["row"] == 1
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(timeout=PATIENCE) in (0, 1)
