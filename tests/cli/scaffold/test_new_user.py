"""From nothing to a paradigm with green laws, snapshots and a package, as a new user would.

Three commands: ``pip install 'toolproto[cli,testing]'``, ``toolproto new-paradigm``, ``pytest``.
Tests have no network, so the first is played: a fresh environment is given what is installed here.
"""

from __future__ import annotations

import subprocess
import sysconfig
import venv
from pathlib import Path

import pytest

import toolproto

ROOT = Path(toolproto.__file__).parent.parent
#: Three cases for each law, where usually there are a hundred.
QUICK = """from hypothesis import settings
settings.register_profile("quick", max_examples=3)
settings.load_profile("quick")
"""


#: What Hypothesis knows of Unicode takes it seconds to find out; here it has done so before.
ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "HYPOTHESIS_STORAGE_DIRECTORY": str(ROOT / ".hypothesis"),
}


class Shell:
    """A clean folder, and a clean environment to run programs in."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self.folder = folder
        self._programs = programs

    def run(self, *words: str, code: int = 0) -> str:
        program, *options = words
        command = [str(self._programs / "python"), "-m", program, *options]
        done = subprocess.run(
            command,
            cwd=self.folder,
            env={"PATH": str(self._programs), "HOME": str(self.folder), **ENVIRONMENT},
            capture_output=True,
            encoding="utf-8",
            timeout=300,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=False)
    libraries = next(home.glob("lib*/python*/site-packages"))
    installed = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), str(ROOT)]
    (libraries / "installed.pth").write_text("\n".join(installed), encoding="utf-8")
    (libraries / "sitecustomize.py").write_text(QUICK, encoding="utf-8")
    return home / "bin"


@pytest.fixture
def shell(programs: Path, tmp_path: Path) -> Shell:
    return Shell(tmp_path, programs)


BRACKET = ["toolproto", "new-paradigm", "bracket", "--open", "[[call ", "--close", "]]"]
PYTEST = ["pytest", "-p", "no:cacheprovider"]


def test_a_package_is_there_after_three_commands(shell: Shell) -> None:
    shell.run(*BRACKET, "--package")
    # How the work grows is measured for every paradigm elsewhere, and so are places, where one that
    # is declared has nothing of its own: they take as long as all else.
    out = shell.run(*PYTEST, "toolproto-bracket", "-k", "not linearity and not place")
    assert "21 passed" in out and "3 snapshots passed" in out
    files = {path.name for path in (shell.folder / "toolproto-bracket").iterdir()}
    assert files == {"README.md", "fixtures", "pyproject.toml", "src", "tests"}


def test_two_paradigms_live_in_one_folder(shell: Shell) -> None:
    shell.run(*BRACKET)
    shell.run("toolproto", "new-paradigm", "shout", "--custom")
    out = shell.run(*PYTEST, "-k", "not TestBracket and not linearity")
    assert "6 snapshots passed" in out and "failed" not in out
    reply = shell.folder / "reply.txt"
    reply.write_text('Look.\n\n@call now {}\n\n[[call {"name": "now", "arguments": {}}]]', "utf-8")
    for name in ("bracket", "shout"):
        assert "accepted now" in shell.run("toolproto", "explain", "reply.txt", "-p", name)


def test_a_reply_that_reads_otherwise_fails(shell: Shell) -> None:
    shell.run(*BRACKET)
    source = shell.folder / "bracket.py"
    source.write_text(source.read_text("utf-8").replace("[[call ", "[[use "), "utf-8")
    out = shell.run(*PYTEST, "fixtures", code=1)
    assert "2 failed" in out and "1 passed" in out
