"""Four strangers follow the pages word for word; 90 seconds of work lead to a first success."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.cli.chat.scripted_service import ScriptedService, call
from tests.patience import PATIENCE
from tests.ports import free_port

from .environment import ROOT, Environment, Stopwatch, blocks, build_wheel, commands

if sys.platform == "win32":
    pytest.skip("the pages speak of a Unix shell", allow_module_level=True)

#: Seconds to the first success, without downloads; installing the wheel is counted for each.
BAR = 90.0
pytestmark = [pytest.mark.time_limit(300), pytest.mark.xdist_group("newcomers")]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("clone") / "dist")


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Environment, float]:
    """One environment for all four, installed as the README says; and how long that took."""
    watch = Stopwatch("install")
    environment = Environment(tmp_path_factory.mktemp("stranger") / "venv")
    (line,) = [each for each in "".join(blocks("README.md", "sh", "Install")).splitlines()
               if "dist/toolproto-" in each]  # fmt: skip
    environment.shell(line, wheel.parent.parent)
    where = environment.shell("python -c 'import toolproto; print(toolproto.__file__)'", Path("/"))
    assert str(environment.home) in where, "this is not the wheel"
    return environment, watch.success()


def test_the_wheel_of_the_sdist_holds_what_the_package_holds(wheel):
    """Types, tables and the page, too; and nothing that was left lying in the folder."""
    package = ROOT / "toolproto"
    ours = subprocess.run(["git", "ls-files", "."], cwd=package, capture_output=True, text=True)
    if ours.returncode:
        pytest.skip("this is no clone")
    with ZipFile(wheel) as packed:
        names = {name.partition("/")[2] for name in packed.namelist()
                 if name.startswith("toolproto/")}  # fmt: skip
    kept = {name for name in ours.stdout.splitlines() if (package / name).exists()}
    assert kept - names == set() and "py.typed" in names and "web/page/main.js" in names
    assert {name for name in names - kept if "__pycache__" in name} == set()


def test_one_wraps_a_server(installed, tmp_path):
    environment, seconds = installed
    watch = Stopwatch("wrapping a server")
    program, *_ = blocks("README.md", "python", "With a real server")
    said = call("get_weather", city="Oslo").replace("tool_code", "tool_call")
    with ScriptedService(said, "Four degrees and rain.") as service:
        (tmp_path / "mine.py").write_text(program.replace("http://localhost:8080/v1", service.url))
        assert environment.shell("python mine.py", tmp_path) == "Four degrees and rain.\n"
    assert watch.success() + seconds < BAR
    # The server is gone now: the program says so, and does not fall over.
    assert environment.shell("python mine.py", tmp_path).startswith("the server failed: http")


def test_one_adds_a_paradigm(installed, tmp_path):
    environment, seconds = installed
    watch = Stopwatch("adding a paradigm")
    install, *rest = blocks("docs/new-paradigm.md", "sh")[0].splitlines()
    assert install == "pip install -e '.[cli,testing]'"  # a wheel has no such thing: done before
    # All laws take longer than they tell here; test_new_user.py tries each.
    environment.variables["PYTEST_ADDOPTS"] = "-k 'round_trip or fixtures'"
    try:
        seen = [environment.shell(line.partition("#")[0], tmp_path) for line in rest]
    finally:
        del environment.variables["PYTEST_ADDOPTS"]
    assert "bracket.py" in seen[0] and re.search(r"\d+ passed", seen[1])
    assert watch.success() + seconds < BAR


def test_one_tests_parsing_with_snapshots(installed, tmp_path):
    environment, seconds = installed
    watch = Stopwatch("snapshot-testing")
    first = blocks("docs/testing-paradigms.md", "console", "Recorded replies")[0]
    seen = [environment.shell(command, tmp_path) for command in commands(first)]
    assert "1 snapshot generated" in "".join(seen) and "1 snapshot passed" in seen[-1]
    assert watch.success() + seconds < BAR


def test_one_operates_the_proxy(installed, tmp_path):
    environment, seconds = installed
    watch = Stopwatch("operating the proxy")
    serve, export = blocks("README.md", "sh", "Give `tools` to programs you cannot change")[
        0
    ].splitlines()
    base = export.removeprefix("export OPENAI_BASE_URL=")
    port = free_port()
    with ScriptedService(call("get_weather", city="Oslo")) as service:
        serve = serve.replace("http://localhost:8080/v1", service.url) + f" --port {port}"
        process = subprocess.Popen(
            ["bash", "-c", f"exec {serve}"], env=environment.variables, cwd=tmp_path,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        try:
            assert process.stdout and f":{port}/v1" in process.stdout.readline()
            answer = asked(base.replace("8100", str(port)))
        finally:
            process.terminate()
            process.communicate(timeout=PATIENCE)  # so that its work counts, too
    (called,) = answer["choices"][0]["message"]["tool_calls"]
    assert called["function"]["name"] == "get_weather"
    assert json.loads(called["function"]["arguments"]) == {"city": "Oslo"}
    assert watch.success() + seconds < BAR


def asked(base: str) -> dict:
    """What a client of OpenAI's API gets at *base*, once somebody listens there."""
    weather = {"type": "object", "properties": {"city": {"type": "string"}}}
    body = {
        "model": "any",
        "messages": [{"role": "user", "content": "How is the weather in Oslo?"}],
        "tools": [{"type": "function", "function": {"name": "get_weather", "parameters": weather}}],
    }
    request = urllib.request.Request(
        f"{base}/chat/completions", json.dumps(body).encode(), {"content-type": "application/json"}
    )
    for _ in range(600):
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return json.load(answer)
        except ConnectionError:
            pass
        except urllib.error.URLError as error:
            if not isinstance(error.reason, ConnectionError):
                raise
        time.sleep(0.1)
    raise AssertionError("the proxy never listened")
