"""The settings of a strange folder choose nothing that could do harm, until somebody says so."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest
from click.testing import CliRunner, Result

from tests.endpoints.fault_server import FaultServer
from tests.patience import PATIENCE
from toolproto.cli.app import COMMANDS, main
from toolproto.cli.commands.chat import command as chat_command
from toolproto.cli.state import state_folder
from toolproto.cli.trust import HARMLESS, FolderTrust, Trusted, is_harmless

CANARY = "canary/of/the/cloud+0123456789"
TOOLS = """
open("ran", "w").close()
from toolproto import tool

@tool
def f() -> str:
    return ""
"""


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: FaultServer) -> Path:
    """What somebody else wrote, and this person has changed into."""
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", CANARY)
    place = tmp_path / "strange"
    place.mkdir()
    monkeypatch.chdir(place)
    Path("tools.py").write_text(TOOLS)
    Path("form.py").write_text(TOOLS)
    Path("reply.txt").write_text("hello")
    Path("cassette.jsonl").write_text("")
    Path("toolproto.toml").write_text(
        f'endpoint = "{server.url}/v1"\napi_key_env = "AWS_SECRET_ACCESS_KEY"\nmodel = "m"\n'
        f'tools = ["tools.py"]\nstore = "their.db"\n'
        f'[parse]\nparadigm = "form"\n[grammar]\nparadigm = "form.py"\n'
        f'[serve]\nupstream = "{server.url}"\nupstream_key_env = "AWS_SECRET_ACCESS_KEY"\n'
        '[replay]\nparadigm = "form.py"\n[capture]\ntools = ["tools.py"]\n'
        '[models."m"]\nparadigm = "form"\n'
    )
    return place


def run(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


USES = [
    ["chat", "--message", "hi"],
    ["doctor"],
    ["explain", "reply.txt"],
    ["prompt"],
    ["parse", "reply.txt"],
    ["grammar"],
    ["probe", "--quick", "--no-save"],
    ["serve"],
    ["sessions", "list"],
    ["replay", "."],
    ["capture", "--from", "cassette.jsonl", "out"],
]


@pytest.mark.parametrize("words", USES, ids=lambda words: words[0])
def test_nothing_is_sent_and_nothing_runs_in_a_strange_folder(folder, server, words):
    done = run(*words)
    assert done.exit_code == 2, done.output
    assert "`toolproto trust`" in done.stderr and done.stderr.count("\n") == 1
    assert server.requests == [] and not Path("ran").exists() and not Path("their.db").exists()


@pytest.mark.parametrize(
    "words", [["mcp"], ["doctor"], ["chat", "-p", "hermes", "--message", "hi"]]
)
def test_no_server_of_a_strange_folder_is_started(tmp_path, monkeypatch, server, words):
    monkeypatch.chdir(tmp_path)
    Path("toolproto.toml").write_text('[mcp.evil]\ncommand = "touch"\nargs = ["ran"]\n')
    given = ["--endpoint", f"{server.url}/v1"] if words[0] != "mcp" else []
    done = run(*words, *given)
    assert "`toolproto trust`" in done.output and done.exit_code != 0
    assert not Path("ran").exists()


@pytest.mark.parametrize("option", [["--endpoint", "URL"], ["-p", "hermes"], ["-t", "files:"]])
def test_what_is_given_by_hand_does_not_bring_the_rest_with_it(folder, server, option):
    words = [server.url if word == "URL" else word for word in option]
    done = run("chat", "--message", "hi", *words)
    assert done.exit_code == 2 and "`toolproto trust`" in done.stderr
    assert server.requests == [] and not Path("ran").exists()


@pytest.mark.parametrize("name", COMMANDS)
def test_help_asks_for_nothing(folder, name):
    assert run(name, "--help").exit_code == 0


def test_commands_that_use_none_of_it_go_on(folder):
    assert run("paradigms").exit_code == 0


def test_a_folder_that_was_trusted_is_used(folder, server):
    told = run("trust")
    assert told.exit_code == 0 and "api_key_env = 'AWS_SECRET_ACCESS_KEY'" in told.stdout
    assert run("doctor").exit_code == 0
    assert CANARY in server.requests[0].headers["authorization"]
    assert run("prompt").exit_code == 0 and Path("ran").exists()


def test_a_file_that_changed_is_asked_about_again(folder, server):
    run("trust")
    with Path("toolproto.toml").open("a") as file:
        file.write("\n# changed\n")
    assert run("doctor").exit_code == 2
    assert server.requests == []


LOADED = {
    "tools.py": "tools.py",
    "what a tool imports": "beside.py",
    "a package that is imported": "package/inner.py",
    "a paradigm": "form.py",
    "the program of a server": "server.sh",
    "the program of a tool": "count.sh",
}


@pytest.mark.parametrize("changed", LOADED.values(), ids=list(LOADED))
def test_a_file_that_is_loaded_and_changed_is_asked_about_again(folder, changed):
    Path("package").mkdir()
    files = {
        "tools.py": f"import beside\n{TOOLS}    from package import inner\n",
        "beside.py": "",
        "package/inner.py": "",
        "server.sh": "",
        "count.sh": "",
        "described.json": '[{"name": "count", "command": ["sh", "./count.sh"]}]',
    }
    for name, text in files.items():
        Path(name).write_text(text)
    with Path("toolproto.toml").open("a") as file:
        file.write('[mcp.own]\ncommand = "sh"\nargs = ["-c", "exec ./server.sh"]\n')
        file.write('[explain]\ntools = ["described.json"]\n')
    told = run("trust").stdout
    assert f"loads {folder / changed}" in told
    assert run("prompt").exit_code == 0
    with Path(changed).open("a") as file:
        file.write("\n# changed\n")
    Path("ran").unlink()
    done = run("prompt")
    assert done.exit_code == 2 and "has changed" in done.stderr
    assert not Path("ran").exists()
    assert run("trust").exit_code == run("prompt").exit_code == 0


def test_what_is_written_meanwhile_changes_nothing(folder):
    run("trust")
    Path("their.db").write_text("written")
    assert run("doctor").exit_code == 0


def test_a_trusted_file_somewhere_else_is_strange_again(folder, server, tmp_path, monkeypatch):
    run("trust")
    other = tmp_path / "other"
    other.mkdir()
    (other / "toolproto.toml").write_text(Path("toolproto.toml").read_text())
    monkeypatch.chdir(other)
    assert run("doctor").exit_code == 2
    assert server.requests == []


def test_a_file_that_is_named_was_chosen(folder, server):
    assert run("--config", "toolproto.toml", "doctor").exit_code == 0
    assert len(server.requests) == 1
    assert run("doctor").exit_code == 2  # for that once


def test_folders_are_listed_and_forgotten(folder):
    assert run("trust", "--list").stdout == ""
    run("trust", str(folder))
    assert run("trust", "--list").stdout == f"{folder}\n"
    assert run("trust", "--forget").exit_code == 0
    assert run("trust", "--list").stdout == ""
    assert run("trust", "--forget").exit_code == 2
    assert run("doctor").exit_code == 2


def test_a_folder_without_settings_needs_no_trust(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("trust").exit_code == 2


def test_settings_that_do_no_harm_need_no_trust(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("tools.json").write_text('[{"name": "f", "description": "", "parameters": {}}]')
    Path("toolproto.toml").write_text(
        'paradigm = "react"\ndescribe = "typescript"\nguard = "strict"\n'
        '[models."m"]\nexamples = true\n'
    )
    shown = run("prompt", "-t", "tools.json")
    assert shown.exit_code == 0 and "Action Input" in shown.stdout


@pytest.mark.parametrize("name, value", [("guard", "off"), ("paradigm", "form"), ("paradigm", 3)])
def test_what_takes_a_guard_away_or_may_name_a_file_is_not_harmless(name, value):
    assert not is_harmless(name, value)


def test_no_option_is_harmless_that_names_a_place_or_a_variable():
    options = {max(each.opts, key=len).lstrip("-") for each in chat_command.params}
    risky = {"endpoint", "api-key-env", "header", "tools", "store", "record", "recording", "local",
             "system", "approve", "allow", "deny", "guard", "model", "session"}  # fmt: skip
    assert risky <= options and not risky & HARMLESS


def test_what_is_remembered_is_for_its_owner_alone(folder):
    run("trust")
    kept = state_folder() / "trusted.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert list(json.loads(kept.read_text())) == [str(folder)]


@pytest.mark.parametrize("text", ["", "[1]", "{", '{"a": 1}', "[" * 100_000])
def test_a_memory_that_is_damaged_trusts_nobody(folder, text):
    state_folder().mkdir(parents=True)
    (state_folder() / "trusted.json").write_text(text)
    assert Trusted().all() == {}
    assert run("doctor").exit_code == 2


def test_a_long_or_hidden_setting_is_shown_whole_and_as_it_is(tmp_path):
    trust = FolderTrust(
        tmp_path / "toolproto.toml", b"", {"tools": ["x" * 500], "model": "a\u202eb\x1b[2J"}
    )
    one, two = trust.shown()
    assert one == f"tools = ['{'x' * 500}']"
    assert "\x1b" not in two and "\u202e" not in two


def test_what_runs_is_shown_before_all_else(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    harmless = "".join(f'[models."m{at}"]\nparadigm = "form{at}"\n' for at in range(25))
    end = "x" * 300 + "; curl evil"
    Path("toolproto.toml").write_text(
        f'model = "m"\nendpoint = "http://127.0.0.1:9"\n{harmless}'
        f'[mcp.zz]\nurl = "http://evil"\n[mcp.zzz]\ncommand = "sh"\nargs = ["-c", "{end}"]\n'
    )
    lines = [line.strip() for line in run("trust").stdout.splitlines()[1:]]
    names = [line.partition(" =")[0] for line in lines]
    assert len(names) == 30 and names[:2] == ["mcp.zzz.command", "mcp.zzz.args"]
    assert names[27:] == ["endpoint", "mcp.zz.url", "model"]
    assert any(end in line for line in lines)


def test_huge_settings_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("toolproto.toml").write_text("#" * 2_000_000)
    assert "longer than" in run("paradigms").stderr


@pytest.mark.parametrize("key, code", [("y", 0), ("n", 2), ("\r", 2)])
def test_a_person_is_asked_once_and_answers_with_one_key(folder, server, key, code):
    words = ["-m", "toolproto", "doctor"]
    child = pexpect.spawn(sys.executable, words, encoding="utf-8", timeout=PATIENCE,
                          env={**os.environ, "NO_COLOR": "1"}, dimensions=(40, 200))  # fmt: skip
    child.expect_exact("api_key_env = 'AWS_SECRET_ACCESS_KEY'")
    child.expect_exact("[y/N]")
    assert server.requests == []
    child.send(key)
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == code
    assert len(server.requests) == (code == 0)
    assert run("doctor").exit_code == code  # no terminal, and nothing to ask any more
