"""``toolproto grammar``: printed in every rendering, and replies held against it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from toolproto.cli.app import main
from toolproto.protocol.grammar import RENDERINGS

WEATHER = {
    "name": "get_weather",
    "description": "Weather.",
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer", "multipleOf": 2}},
        "required": ["city"],
    },
}
CALL = '{"tool_calls": [{"name": "get_weather", "arguments": {"city": "Oslo"}}]}'


@pytest.fixture(autouse=True)
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tools.json").write_text(json.dumps([WEATHER]))


def run(*words: str, said: str | None = None) -> Result:
    return CliRunner().invoke(main, ["grammar", "-t", "tools.json", *words], input=said)


@pytest.mark.parametrize("rendering", RENDERINGS)
def test_the_grammar_is_printed_in_every_rendering(rendering: str) -> None:
    done = run("--as", rendering, "--choice", "required")
    assert done.exit_code == 0, done.output
    assert "get_weather" in done.stdout
    # A schema is passed on as it is, with all of its keywords.
    told = "left out: get_weather.days: multipleOf"
    assert (told in done.stderr) is (rendering != "json_schema")


def test_as_json_it_tells_triggers_and_what_is_left_out() -> None:
    told = json.loads(run("--json").stdout)
    assert told["triggers"] == ['{"tool_calls": [{"name": "get_weather"']
    assert told["left_out"] == ["get_weather.days: multipleOf"]
    assert told["grammar"].startswith("root ::= ")


@pytest.mark.parametrize(
    "choice, reply, code, told",
    [
        ("required", CALL, 0, "keeps to the grammar"),
        ("required", CALL.replace("get_weather", "rm"), 1, "departs at character 26"),
        ("required", CALL[:-2], 1, "the reply ends"),
        ("auto", "Just words.", 0, "keeps to the grammar"),
        ("none", CALL, 1, "departs at character 15"),
    ],
)
def test_a_reply_is_held_against_it(choice: str, reply: str, code: int, told: str) -> None:
    done = run("--choice", choice, "--check", "-", said=reply + "\n")
    assert done.exit_code == code
    assert told in done.stdout


def test_a_departure_is_told_to_programs_too() -> None:
    done = run("--choice", "required", "--check", "-", "--json", said="Hello.")
    told = json.loads(done.stdout)
    assert told == {"accepted": False, "at": 0, "expected": ['{"tool_calls": [']}


@pytest.mark.parametrize(
    "words, told",
    [
        (("--choice", "rm"), "there is no tool 'rm' to choose"),
        (("--as", "json_schema"), "cannot express these replies"),
    ],
)
def test_what_cannot_be_is_said(words: tuple[str, ...], told: str) -> None:
    done = run(*words)
    assert done.exit_code == 2
    assert told in done.stderr
