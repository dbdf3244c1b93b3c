"""Tab in a shell: commands, paradigms, models, sessions and endpoints, in each shell there is."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("these shells are not there", allow_module_level=True)

import click
import pexpect

from tests.patience import PATIENCE, ended
from toolproto.cli.completing import ENDPOINT, LOCAL_MODEL, MODEL, PARADIGM, SESSION, TOOLS
from toolproto.endpoints import ScriptedEndpoint
from toolproto.session import ChatSession

from .chat.scripted_service import ScriptedService

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
    with ScriptedService(models=["qwen-small"]) as service:
        found = {
            "toolproto explain -p herm": "hermes",
            "toolproto chat --endpoint http://localhost:11": "http://localhost:11434/v1",
            "toolproto parse my": r"my\ reply.txt",  # as the shell completes files
        }
        if shell == "bash":  # to another shell these are words like the first
            found |= {
                f"toolproto chat --endpoint {service.url} --model qw": "qwen-small",
                "toolproto sessions --store chats.db show tr": "trip_to_rome",
            }
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
    Path("bracket.py").touch()
    Path("tools.json").touch()
    Path(".hidden.py").touch()
    assert words(PARADIGM, "xml_") == ["xml_strict", "xml_tag"]
    assert words(PARADIGM, "b")[-2:] == ["bin/", "bracket.py"]
    assert words(TOOLS, "") == ["demo", "files:", "python:", "bin/", "bracket.py", "tools.json"]
    assert "smollm2" in words(LOCAL_MODEL, "smol")
    assert words(SESSION, store="chats.db") == ["trip_to_rome"]
    assert words(SESSION) == words(SESSION, store="none.db") == []
    assert "http://localhost:11434/v1" in words(ENDPOINT, "http://localhost:11")
    with ScriptedService(models=["small", "large"]) as service:
        assert words(MODEL, "s", endpoint=service.url) == ["small"]


def test_what_goes_wrong_leaves_no_suggestions_and_no_error(here: Path) -> None:
    Path("broken.db").write_bytes(b"not a database")
    assert words(SESSION, store="broken.db") == []
    assert words(MODEL, endpoint="http://127.0.0.1:9") == []
    assert words(PARADIGM, "no/such/folder/") == []
    Path("toolproto.toml").write_text("x = ")
    assert words(ENDPOINT) == []


def test_the_settings_of_a_strange_folder_are_not_followed(here: Path) -> None:
    with ScriptedService(models=["bait"]) as service:
        Path("toolproto.toml").write_text(f'endpoint = "{service.url}"\n')
        assert words(MODEL) == []
        assert service.url not in words(ENDPOINT)
