"""A program that uses every public name is right for mypy and pyright; each mistake is found."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import toolproto
from tests.gateway.proxy.clients.environments import _tool, installed

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FILES = ("program.py", "mistakes.py")
MISTAKES = [
    number
    for number, line in enumerate((HERE / "mistakes.py").read_text("utf-8").splitlines(), 1)
    if "# mistake" in line
]


def found_by_mypy() -> set[tuple[str, int]]:
    command = [sys.executable, "-m", "mypy", "--strict", *(str(HERE / file) for file in FILES)]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout
    assert "Found" in said, said
    return {
        (Path(path).name, int(line))
        for path, line in re.findall(r"^(.+?):(\d+): error:", said, re.MULTILINE)
    }


def found_by_pyright() -> set[tuple[str, int]]:
    folder = installed(str(HERE / "pyright.json"))
    program = folder / "node_modules" / "pyright" / "index.js"
    project = folder / "project"
    project.mkdir(exist_ok=True)
    for file in FILES:
        (project / file).write_text((HERE / file).read_text("utf-8"), "utf-8")
    settings = {"extraPaths": [str(ROOT)], "typeCheckingMode": "strict"}
    (project / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [_tool("node"), str(program), "-p", str(project), "--pythonpath", sys.executable]
    done = subprocess.run([*command, "--outputjson"], capture_output=True, text=True)
    report = json.loads(done.stdout)
    assert report["summary"]["filesAnalyzed"] == len(FILES)
    return {
        (Path(each["file"]).name, each["range"]["start"]["line"] + 1)
        for each in report["generalDiagnostics"]
        if each["severity"] == "error"
    }


@pytest.mark.time_limit(600)
@pytest.mark.parametrize("found", [found_by_mypy, found_by_pyright])
def test_a_program_that_uses_everything_is_right_and_every_mistake_is_found(found):
    lines = found()
    assert len(MISTAKES) >= 12
    assert sorted(line for file, line in lines if file == "program.py") == []
    assert sorted(line for file, line in lines if file == "mistakes.py") == MISTAKES


def test_the_program_uses_every_public_name():
    written = (HERE / "program.py").read_text("utf-8")
    used = {name for name in toolproto.__all__ if len(re.findall(rf"\b{name}\b", written)) > 1}
    assert sorted(used) == toolproto.__all__


def test_the_program_runs():
    command = [sys.executable, str(HERE / "program.py")]
    done = subprocess.run(
        command, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
