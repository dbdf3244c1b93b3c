"""What ``deploy/`` ships: units and files that their programs take, and commands that are ours."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from tests.gateway.proxy.clients.environments import NotInstalled, _tool, installed
from toolproto.cli.app import main
from toolproto.cli.settings import Settings

DEPLOY = Path(__file__).parents[1] / "deploy"
UNIT = (DEPLOY / "toolproto.service").read_text(encoding="utf-8")
COMPOSE = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")


def needs(program: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"there is no {program}")


@needs("systemd-analyze")
@pytest.mark.parametrize("name", ["toolproto.service", "toolproto-worker@.service"])
def test_the_unit_is_one_that_systemd_takes(name, tmp_path):
    unit = tmp_path / name.replace("@", "@8201")
    # It looks whether the program is there.
    there = re.sub("/opt/toolproto/bin/[a-z]+", sys.executable, (DEPLOY / name).read_text())
    unit.write_text(there)
    done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True)
    # Some versions complain of other units of the machine, too.
    assert "toolproto" not in done.stdout + done.stderr
    if "toolproto" not in done.stderr and done.returncode:
        pytest.skip(f"systemd-analyze cannot work here: {done.stderr[:200]}")


@needs("docker")
@pytest.mark.parametrize("name", ["compose.yaml", "workers.yaml"])
def test_the_compose_file_is_one_that_docker_takes(name):
    given = {"PROXY_KEY": "x", "MODEL_IMAGE": "x", "DATABASE_PASSWORD": "x"}
    variables = {**os.environ, **given}
    compose = ["docker", "compose"]
    # Without its plugin docker takes the options behind it for its own, and says so in many ways.
    if subprocess.run([*compose, "version"], capture_output=True).returncode:
        pytest.skip("docker has no compose here")
    command = [*compose, "-f", str(DEPLOY / name), "config", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, env=variables)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["dclint", "--quiet", "compose.yaml"],
        ["dclint", "--quiet", "workers.yaml"],
        ["dockerfile-utils", "lint", "Dockerfile"],
        ["dockerfile-utils", "lint", "Dockerfile.worker"],
    ],
)
def test_linters_find_nothing_wrong_with_the_files_for_docker(words, tmp_path):
    """They need no docker: a key that does not exist, or an instruction, is an error to them."""
    try:
        folder = installed(str(Path(__file__).with_name("deploy_lint.json")))
    except NotInstalled as error:
        pytest.skip(str(error))
    program, *rest = words
    command = [_tool("node"), str(folder / "node_modules" / ".bin" / program), *rest]
    done = subprocess.run(command, capture_output=True, text=True, cwd=DEPLOY)
    assert done.returncode == 0, done.stdout + done.stderr
    broken = tmp_path / rest[-1]
    broken.write_text((DEPLOY / rest[-1]).read_text().replace("command:", "comand:", 1) + "RAN ls")
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode != 0, "the linter looks at nothing"


def words_of_the_unit() -> list[str]:
    (line,) = re.findall(r"^ExecStart=(.*)$", UNIT, re.MULTILINE)
    program, *words = shlex.split(line)
    assert program.endswith("/toolproto")
    return words


def words_of_the_compose_file() -> list[str]:
    (found,) = re.findall(r'command: \["serve",[^]]*\]', COMPOSE)
    return re.findall(r'"([^"]*)"', found)


@pytest.mark.parametrize("words", [words_of_the_unit(), words_of_the_compose_file()])
def test_the_commands_are_ones_that_the_program_takes(words, tmp_path):
    settings = tmp_path / "toolproto.toml"
    settings.touch()
    words = [str(settings) if word.endswith("toolproto.toml") else word for word in words]
    name, *rest = words
    context = click.Context(main, obj=Settings())
    command = main.get_command(context, name)
    assert command is not None and name == "serve"
    with command.make_context(name, rest, parent=context) as inner:
        assert not inner.args
