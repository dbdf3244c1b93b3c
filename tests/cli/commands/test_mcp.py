"""MCP servers on the command line: named, listed, checked, and used in a chat."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.cli.chat.scripted_service import ScriptedService, call
from tests.conversation.mcp.conftest import command, nothing_is_left  # noqa: F401 (a fixture)
from toolproto.cli.app import main

PLAIN, DEAD = shlex.join(command("annotated")), shlex.join(command("dead"))


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    place = tmp_path / "here"
    place.mkdir()
    monkeypatch.chdir(place)
    return place


def run(*words: str, said: str = "") -> Result:
    return CliRunner().invoke(main, words, input=said, prog_name="toolproto")


def chatted(service: ScriptedService, server: str) -> Result:
    return run("chat", "--endpoint", service.url, "-p", "xml_tag", "--mcp", server, said="x")


def listed(**servers: list[str]) -> str:
    """A file as other programs keep it."""
    told = {name: {"command": words[0], "args": words[1:]} for name, words in servers.items()}
    Path("servers.json").write_text(json.dumps({"mcpServers": told}))
    return "servers.json"


def test_servers_and_their_tools_are_listed():
    done = run("mcp", listed(one=command("annotated"), two=command("odd")))
    assert done.exit_code == 0
    assert "✓ one: rough 1, MCP 2025-06-18," in done.stdout
    assert "  reads (read)" in done.stdout and "  anything (exec)" in done.stdout
    assert "    ! schema too long: only its names are kept" in done.stdout


def test_a_server_that_does_not_answer_is_named_and_the_others_are_listed():
    done = run("mcp", DEAD, PLAIN.replace("annotated", "empty"))
    assert done.exit_code == 2 and "two MCP servers are called 'rough'" in done.stderr
    done = run("mcp", listed(good=command("empty"), bad=command("dead")))
    assert done.exit_code == 1
    assert "✓ good: rough 1" in done.stdout
    assert "its last words: see the manual" in done.stdout


def test_the_list_is_data_too():
    (row,) = [json.loads(line) for line in run("mcp", PLAIN, "--json").stdout.splitlines()]
    assert row["server"] == "rough" and row["fault"] is None
    assert row["tools"][0] == {
        "name": "reads",
        "description": "",
        "parameters": {"type": "object", "properties": {"text": {"type": "string"}}},
        "risk": "read",
        "caution": None,
        "labels": [],
    }


def test_without_servers_there_is_nothing_to_list():
    assert run("mcp").stdout.startswith("there are no MCP servers; name one, or write [mcp.NAME]")


def test_settings_name_servers_once_their_folder_is_trusted():
    words = command("annotated")
    Path("toolproto.toml").write_text(
        f"[mcp.mine]\ncommand = {json.dumps(words[0])}\nargs = {json.dumps(words[1:])}\n"
        'risk = "write"\n[mcp.other]\ncommand = "no-such-program"\ndisabled = true\n'
    )
    refused = run("mcp")
    assert refused.exit_code == 2 and "trust" in refused.stderr
    assert run("trust").exit_code == 0
    done = run("mcp")
    assert done.exit_code == 0 and "✓ mine" in done.stdout and "reads (write)" in done.stdout
    found = [json.loads(line) for line in run("doctor", "--json").stdout.splitlines()]
    (told,) = [each for each in found if each["what"] == "mcp mine"]
    assert told["state"] == "fine" and "9 tools" in told["told"]


@pytest.mark.parametrize(
    "table, said",
    [
        ("[mcp]\nmine = 3", "like [mcp.mine]"),
        ('[mcp.mine]\ncomand = "x"', "no setting 'comand'"),
        ("[mcp.mine]\nargs = []", "needs a command to start, or a url to reach"),
    ],
)
def test_settings_that_cannot_be_used_say_so(table, said):
    Path("other.toml").write_text(table)
    done = run("--config", "other.toml", "mcp")
    assert done.exit_code == 2 and said in done.stderr


def test_the_doctor_asks_the_servers():
    done = run("doctor", "--mcp", PLAIN, "--mcp", "http://127.0.0.1:9/mcp")
    assert done.exit_code == 1
    assert "✓ mcp rough" in done.stdout and "✗ mcp 127_0_0_1" in done.stdout


def test_a_chat_uses_the_tools_of_servers():
    with ScriptedService(call("echo", text="a"), "done") as service:
        terms = ["--endpoint", service.url, "-p", "xml_tag", "--allow", "echo"]
        server = shlex.join(command("plain"))
        done = run("chat", *terms, "--mcp", server, "--mcp", "no-such-program", said="hi")
    assert (done.exit_code, done.stdout) == (0, "done\n")
    assert "✓ echo" in done.stderr
    assert "'no-such-program' cannot be started" in done.stderr
    assert "continuing without it" in done.stderr


def test_in_a_pipe_what_only_reads_runs_and_nothing_that_changed():
    """What a server says about its tools is remembered from one chat to the next."""
    server = shlex.join(command("annotated"))
    for reply, shown in [(call("deletes"), "✗ deletes"), (call("wrong"), "✗ wrong")]:
        with ScriptedService(reply, "done") as service:
            done = chatted(service, server)
        assert shown in done.stderr
    pins = Path(str(Path.cwd().parent / "state")) / "toolproto" / "mcp_pins.json"
    known = json.loads(pins.read_text())
    known["rough"]["reads"] = "another"
    pins.write_text(json.dumps(known))
    with ScriptedService(call("reads"), "done") as service:
        done = chatted(service, server)
    assert "what its server says about it changed" in done.stderr
