"""Every command, used wrongly and in poor surroundings: no traceback, a remedy, the right code."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from tests.patience import PATIENCE
from toolproto.cli.app import COMMANDS, main
from toolproto.cli.console import mark

if sys.platform == "win32":
    pytest.skip("needs fork", allow_module_level=True)

#: How each command ends with no more words and nothing on standard input.
ALONE = {
    "": 0,
    "capture": 2,
    "chat": 2,
    "completion": 2,
    "doctor": 0,
    "explain": 0,
    "grammar": 2,
    "mcp": 0,
    "model": 0,
    "model list": 0,
    "model pull": 2,
    "new-paradigm": 2,
    "paradigms": 0,
    "parse": 0,
    "probe": 2,
    "prompt": 2,
    "replay": 2,
    "serve": 2,
    "sessions": 0,
    "sessions delete": 2,
    "sessions export": 2,
    "sessions import": 2,
    "sessions list": 2,
    "sessions show": 2,
    "tools": 0,
    "tools lint": 2,
    "tour": None,  # test_tour.py runs it
    "trust": 2,
    "web": None,  # it serves until it is stopped
}
#: Words that each command cannot use, and how it ends.
WRONG = {
    "": ["probbe"],
    "capture": ["capture", "here", "--from", "none.jsonl"],
    "chat": ["chat", "--approve", "maybe"],
    "completion": ["completion", "tcsh"],
    "doctor": ["doctor", "--dialect", "latin"],
    "explain": ["explain", "none.txt"],
    "grammar": ["grammar", "--tools", "demo", "--choice", "nonsuch"],
    "mcp": ["mcp", "none.json"],
    "model": ["model", "lst"],
    "model list": ["model", "list", "--jsn"],
    "model pull": ["model", "pull", "nonsuch"],
    "new-paradigm": ["new-paradigm", "Not A Name"],
    "paradigms": ["paradigms", "hermez"],
    "parse": ["parse", "none.jsonl"],
    "probe": ["probe", "--recording", "none.jsonl"],
    "prompt": ["prompt", "--tools", "demo", "-p", "xmltag"],
    "replay": ["replay", "none"],
    "serve": ["serve", "--upstream", "nowhere"],
    "sessions": ["sessions", "lst"],
    "sessions delete": ["sessions", "--store", "none.db", "delete", "x"],
    "sessions export": ["sessions", "--store", "none.db", "export", "x"],
    "sessions import": ["sessions", "--store", "none.db", "import", "none.jsonl"],
    "sessions list": ["sessions", "--store", "none.db", "list"],
    "sessions show": ["sessions", "--store", "none.db", "show", "x"],
    "tools": ["tools", "lnt"],
    "tools lint": ["tools", "lint", "none.json"],
    "tour": ["tour", "--into", "."],
    "trust": ["trust", "none"],
    "web": ["web", "--port", "0"],
}
#: What a remedy is told with.
REMEDY = re.compile(
    r"--\w|`toolproto |give |name |did you mean|choose|expected|must be|try '|one of|as in|as --"
    r"|is not there|no such|does not exist|No such"
)


def every_command() -> dict[str, click.Command]:
    """Each command and each command below one, by its words."""
    ctx = click.Context(main, info_name="toolproto")
    found: dict[str, click.Command] = {"": main}
    for name in COMMANDS:
        command = found[name] = main.get_command(ctx, name)
        for below in getattr(command, "commands", {}):
            found[f"{name} {below}"] = command.commands[below]
    return found


COMMANDS_BY_WORDS = every_command()


def ran(folder: Path, cases: list[list[str]], **surroundings: str) -> list[tuple[int, str, str]]:
    """What came of each of *cases*: its exit code, and what it printed."""
    out = folder / "out"
    out.mkdir()
    here = folder / "here"
    here.mkdir()
    ours = {key: value for key, value in os.environ.items() if not key.startswith("TOOLPROTO")}
    root = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-m", "tests.cli.every_command", str(out)],
        cwd=here,
        env={**ours, "PYTHONPATH": root, "COLUMNS": "80", **surroundings},
        input=json.dumps(cases).encode(),
        capture_output=True,
        timeout=3 * PATIENCE,  # a hundred commands
    )
    assert done.returncode == 0, done.stderr.decode()
    return [tuple(each) for each in json.loads(done.stdout)]


def test_the_tables_name_every_command():
    assert sorted(ALONE) == sorted(WRONG) == sorted(COMMANDS_BY_WORDS)


def check_failure(code: int, told: str) -> None:
    assert code == 2, told
    assert told.startswith("toolproto: error: ") and told.count("\n") == 1
    assert REMEDY.search(told), f"no remedy in: {told}"


#: Those that end by themselves.
ENDING = {name: code for name, code in ALONE.items() if code is not None}
#: What a file gets as it is: special tokens are not to be guessed.
PROMPT = ["prompt", "-t", "demo", "-p", "deepseek_v3"]


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    """What came of :data:`ENDING`, of :data:`WRONG` and of :data:`PROMPT`, in one process."""
    cases = [*(name.split() for name in ENDING), *WRONG.values(), PROMPT]
    done = ran(tmp_path_factory.mktemp("usual"), cases)
    return done[: len(ENDING)], done[len(ENDING) : -1], done[-1]


def test_alone_each_command_does_its_work_or_says_what_is_missing(usual):
    for (name, expected), (code, out, err) in zip(ENDING.items(), usual[0], strict=True):
        assert "Traceback" not in err, f"{name}: {err}"
        assert code == expected, f"{name}: {code} {out} {err}"
        if expected:
            check_failure(code, err)
        elif name in ("", "model", "sessions"):
            assert out.startswith("Usage: toolproto") and not err


def test_a_wrong_value_is_told_in_a_sentence_with_the_remedy(usual):
    for name, (code, out, err) in zip(WRONG, usual[1], strict=True):
        if name == "mcp":  # a server that does not answer is what the command is to find out
            assert code in (1, 2), f"{code} {out} {err}"
            continue
        assert not out, name
        check_failure(code, err)


POOR = {
    "in a narrow window without colour": {"COLUMNS": "40", "NO_COLOR": "1"},
    "in the C locale": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "with nobody to read it": {"CLOSED_PIPE": "1"},
}


@pytest.mark.parametrize("surroundings", POOR.values(), ids=POOR)
def test_poor_surroundings_break_no_command(tmp_path, usual, surroundings):
    helps = [[*name.split(), "--help"] for name in ALONE]
    plain = [["paradigms"], ["paradigms", "xml_tag"], ["--version"], ["doctor"], ["model", "list"],
             ["prompt", "-t", "demo", "-p", "xml_tag"], ["grammar", "-t", "demo"],
             ["explain", "-p", "hermes"], ["parse"], ["completion", "fish"]]  # fmt: skip
    # What is wrong is told the same in a narrow window: see above.
    wrong = [] if "COLUMNS" in surroundings else list(WRONG.values())
    *done, (_, prompt, _) = ran(tmp_path, [*helps, *plain, *wrong, PROMPT], **surroundings)
    closed = "CLOSED_PIPE" in surroundings
    for words, (code, out, err) in zip([*helps, *plain], done, strict=False):
        assert "Traceback" not in err and "Exception ignored" not in err, f"{words}: {err}"
        assert code in ((0, 1) if closed else (0,)), f"{words}: {code} {err}"
        assert closed or out or words == ["model", "list"], words
    for words, (code, _, err) in zip(wrong, done[len(helps) + len(plain) :], strict=True):
        assert code in (1, 2) and "Traceback" not in err, f"{words}: {code} {err}"
        assert err.isascii() or "PYTHONUTF8" not in surroundings
    # A terminal may show question marks for special tokens; a file gets them.
    rich = usual[2][1]
    assert closed or (prompt == rich and "<｜tool▁calls▁begin｜>" in prompt)


@pytest.mark.parametrize("words", ["explain <&-", "prompt -t demo >&-", "--version 2>&-"])
def test_a_closed_stream_breaks_no_command(words, tmp_path):
    root = str(Path(__file__).parents[2])
    done = subprocess.run(
        ["sh", "-c", f"{shlex.quote(sys.executable)} -m toolproto {words}"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": root},
    )
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr


def test_a_terminal_without_check_marks_tells_fine_from_broken():
    terminal = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    assert {mark(state, terminal) for state in ("fine", "missing", "broken")} == {"+", "-", "x"}
