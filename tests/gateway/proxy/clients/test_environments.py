"""Environments are made once, and say why when they cannot be made."""

from __future__ import annotations

from pathlib import Path

import pytest

from . import environments
from .environments import NotInstalled, installed

NPM = """#!/bin/sh
echo "$@" >> "$(dirname "$0")/asked"
{}
"""


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with nothing on it yet but a node; its folder of programs."""
    programs = tmp_path / "bin"
    programs.mkdir()
    put(programs / "node", "#!/bin/sh\n")
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    monkeypatch.setattr(environments, "_HOME", tmp_path / "clients")
    return programs


def put(path: Path, script: str) -> None:
    path.write_text(script)
    path.chmod(0o755)


def asked(machine: Path) -> list[str]:
    return (machine / "asked").read_text().splitlines()


def test_an_environment_is_made_once(machine: Path):
    put(machine / "npm", NPM.format("exit 0"))
    first = installed("package.json")
    assert installed("package.json") == first
    assert (first / "package.json").exists()
    assert len(asked(machine)) == 1


def test_what_cannot_be_installed_says_why(machine: Path):
    put(machine / "npm", NPM.format("echo 'no such package: ai' >&2; exit 7"))
    with pytest.raises(NotInstalled, match=r"(?s)exit 7.*no such package: ai"):
        installed("package.json")


def test_an_attempt_that_failed_is_made_again(machine: Path):
    put(machine / "npm", NPM.format('touch "$5/leftover"; exit 1'))
    with pytest.raises(NotInstalled):
        installed("package.json")
    put(machine / "npm", NPM.format("exit 0"))
    folder = installed("package.json")
    assert len(asked(machine)) == 2
    assert sorted(path.name for path in folder.iterdir()) == [".ready", "package.json"]


def test_what_is_made_is_nothing_for_the_repository(machine: Path):
    put(machine / "npm", NPM.format("exit 0"))
    assert (installed("package.json").parent / ".gitignore").read_text() == "*\n"
