"""Tab in a shell: commands, paradigms, models, sessions and endpoints, in each shell there is."""

from __future__ import annotations

import os
import shutil
import socket
import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("these shells are not there", allow_module_level=True)

import click
import pexpect

from tests.cli.chat.scripted_service import ScriptedService
from tests.patience import PATIENCE, ended
from toolproto.cli.completing import ENDPOINT, FILE, LOCAL_MODEL, MODEL, PARADIGM, SESSION, TOOLS
from toolproto.cli.settings import load_settings
from toolproto.conversation.session import ChatSession
from toolproto.endpoints import ScriptedEndpoint

SET_UP = {
    "bash": ("bash --noprofile --norc -i", 'eval "$(toolproto completion bash)"'),
    "zsh": ("zsh -f -i", 'autoload -U compinit; compinit -u; eval "$(toolproto completion zsh)"'),
    "fish": ("fish --no-config -i", "toolproto completion fish | source"),
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    programs = tmp_path / "bin"
    programs.mkdir()
    script = programs / "toolproto"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m toolproto "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("HOME", str(tmp_path))
    session = ChatSession(ScriptedEndpoint("Hello."), store="sqlite:///chats.db", id="trip_to_rome")
    session.send("hi")
    return tmp_path


@pytest.mark.parametrize("shell", SET_UP)
def test_tab_completes_in_a_shell(shell: str, here: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    start, set_up = SET_UP[shell]
    command, *words = start.split()
    child = pexpect.spawn(command, words, encoding="utf-8", timeout=PATIENCE, dimensions=(30, 200))
    child.sendline(f"{set_up}; echo is'_'ready")
    child.expect("is_ready")
    Path("my reply.txt").touch()
    found = {
        "toolproto explain -p herm": "hermes",
        "toolproto chat --endpoint http://localhost:11": "http://localhost:11434/v1",
        "toolproto parse my": r"my\ reply.txt",  # as the shell completes files
        "toolproto explain -p my": r"my\ reply.txt",  # which may define a paradigm
    }
    if shell == "bash":  # to another shell this is a word like the first
        found["toolproto sessions --store chats.db show tr"] = "trip_to_rome"
    for begun, whole in found.items():
        child.send(f"{begun}\t")
        child.expect_exact(whole.removeprefix(begun.rpartition(" ")[2]))
        child.send("\x15")  # empties the line
    ended(child)


def words(kind, begun: str = "", **params) -> list[str]:
    ctx = click.Context(click.Command("chat"))
    ctx.params = params
    return [item.value for item in kind.shell_complete(ctx, click.Option(["--x"]), begun)]


def test_each_kind_of_word_has_its_values(here: Path) -> None:
    assert words(PARADIGM, "xml_") == ["xml_strict", "xml_tag"]
    assert words(TOOLS, "") == ["demo", "files:", "python:"]
    assert "smollm2" in words(LOCAL_MODEL, "smol")
    assert words(SESSION, store="chats.db") == ["trip_to_rome"]
    assert words(SESSION) == words(SESSION, store="none.db") == []
    assert "http://localhost:11434/v1" in words(ENDPOINT, "http://localhost:11")


def test_what_is_no_value_may_be_a_file(here: Path) -> None:
    ctx, option = click.Context(click.Command("chat")), click.Option(["--x"])
    for kind in (FILE, PARADIGM, LOCAL_MODEL, TOOLS):
        (item,) = kind.shell_complete(ctx, option, "brack")
        assert (item.type, item.value) == ("file", "brack")
    assert MODEL.shell_complete(ctx, option, "brack") == []


def test_models_and_endpoints_are_those_of_the_settings(here: Path) -> None:
    Path("toolproto.toml").write_text(
        'endpoint = "http://mine:1/v1"\nmodel = "small"\n[models."qwen2.5:7b"]\nexamples = true\n'
    )
    load_settings(folder=Path()).trust.remember()
    assert words(MODEL) == ["qwen2.5:7b", "small"]
    assert words(ENDPOINT, "http://m") == ["http://mine:1/v1"]


def test_no_server_is_asked(here: Path) -> None:
    with ScriptedService(models=["small", "large"]) as service:
        assert words(MODEL, "s", endpoint=service.url) == []
        Path("toolproto.toml").write_text(f'endpoint = "{service.url}"\n')
        load_settings(folder=Path()).trust.remember()
        assert words(MODEL) == [] and words(ENDPOINT, service.url) == [service.url]
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        port = server.getsockname()[1]
        assert words(SESSION, store=f"postgresql://127.0.0.1:{port}/sessions") == []
        with pytest.raises(BlockingIOError):  # nobody came
            server.accept()


def test_what_goes_wrong_leaves_no_suggestions_and_no_error(here: Path) -> None:
    Path("broken.db").write_bytes(b"not a database")
    assert words(SESSION, store="broken.db") == []
    Path("toolproto.toml").write_text("x = ")
    assert words(ENDPOINT) == []


def test_the_settings_of_a_strange_folder_are_not_followed(here: Path) -> None:
    Path("toolproto.toml").write_text('endpoint = "http://bait:1/v1"\nstore = "chats.db"\n')
    assert words(ENDPOINT, "http://b") == words(SESSION) == []
