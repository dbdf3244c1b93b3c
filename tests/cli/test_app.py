"""The command line as a whole: commands, settings, failures and exit codes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from toolproto import __version__
from toolproto.cli.app import COMMANDS, main
from toolproto.package import install_command

TOOLS = str(Path(__file__).parents[2] / "benchmarks" / "tools.json")


def run(*words: str, **environment: str) -> Result:
    return CliRunner(env=environment).invoke(main, list(words), prog_name="toolproto")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name):
    shown = run(name, "--help")
    assert shown.exit_code == 0, shown.output
    assert shown.output.startswith(f"Usage: toolproto {name}")


def test_the_help_of_the_whole_lists_every_command():
    shown = run("--help").output
    assert [name for name in COMMANDS if f"  {name} " not in shown] == []


def test_no_command_is_loaded_for_the_help():
    program = (
        "import sys; from toolproto.cli.app import main; "
        "main(['--help'], standalone_mode=False); print(*sys.modules, sep='\\n')"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not loaded & {"rich", "httpx", "asyncio", "pydantic", "toolproto.cli.commands.chat"}


def test_it_runs_as_a_module():
    command = [sys.executable, "-m", "toolproto", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"toolproto {__version__}\n"


FAILURES = [
    (["sevre"], 2, "there is no command 'sevre'; did you mean 'serve'?"),
    (["zzz"], 2, "`toolproto --help` lists them"),
    (["--nope"], 2, "--nope"),
    (["prompt"], 2, "which tools? give --tools"),
    (["prompt", "--tools", "none.json"], 2, "none.json: No such file or directory"),
    (["prompt", "--tools", "none.py"], 2, "none.py cannot be loaded"),
    (["prompt", "-t", TOOLS, "-p", "nope"], 2, "no paradigm named 'nope'"),
    (["prompt", "-t", TOOLS, "--budget", "0"], 2, "budget"),
    (["--config", "none.toml", "trust"], 2, "none.toml"),
    (["trust", "--config", "none.toml"], 2, "none.toml"),
    (["trust", "--config"], 2, "requires an argument"),
]


@pytest.mark.parametrize("words, code, told", FAILURES)
def test_a_failure_is_one_line_on_stderr(words, code, told):
    done = run(*words)
    assert done.exit_code == code
    assert done.stdout == ""
    assert told in done.stderr
    assert done.stderr.startswith("toolproto: error: ")
    assert done.stderr.count("\n") == 1


def test_the_trace_is_shown_when_asked_for():
    assert "Traceback" in run("--debug", "prompt").stderr


def test_a_failing_endpoint_has_its_own_code():
    asked = ["--endpoint", "http://127.0.0.1:9", "--message", "hi"]
    done = subprocess.run(
        [sys.executable, "-m", "toolproto", "chat", *asked], capture_output=True, text=True
    )
    assert done.returncode == 3
    assert "Traceback" not in done.stderr


def settings(text: str) -> None:
    Path("toolproto.toml").write_text(text, encoding="utf-8")
    run("trust")


def test_a_flag_wins_over_the_environment_and_that_over_the_file():
    settings(f'tools = "{TOOLS}"\n[prompt]\nsystem = "from the file"\n')
    assert run("prompt").stdout.startswith("from the file")
    environment = {"TOOLPROTO_PROMPT_SYSTEM": "from the environment"}
    assert run("prompt", **environment).stdout.startswith("from the environment")
    given = run("prompt", "--system", "from the flag", **environment)
    assert given.stdout.startswith("from the flag")


def test_a_shared_setting_reaches_commands_that_have_the_option_and_no_others():
    settings(f'paradigm = "react"\ntools = ["{TOOLS}"]\n')
    assert "Action Input" in run("prompt").stdout
    assert run("paradigms").exit_code == 0


def test_the_shared_variable_of_an_option_counts():
    settings(f'tools = ["{TOOLS}"]\n')
    assert "Action Input" in run("prompt", TOOLPROTO_PARADIGM="react").stdout


BAD_SETTINGS = [
    ("x = ", "is not TOML"),
    ("[prompt]\nsytem = 'x'\n", "[prompt] has no option 'sytem'; did you mean 'system'?"),
    ("prompt = 3\n", "'prompt' must be a table, like [prompt]"),
    ("[prompt]\nbudget = 'many'\n", "budget"),
]


@pytest.mark.parametrize("text, told", BAD_SETTINGS)
def test_a_bad_setting_is_named(text, told):
    settings(text)
    done = run("prompt", "-t", TOOLS)
    assert done.exit_code == 2
    assert told in done.stderr


def test_a_settings_file_that_is_no_text_is_named():
    Path("toolproto.toml").write_bytes(b"\xff\xfe")
    assert "is not TOML" in run("paradigms").stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_its_completion(shell):
    assert "_TOOLPROTO_COMPLETE" in run("completion", shell).stdout


def test_completion_finds_commands_and_options():
    words = {"COMP_WORDS": "toolproto par", "COMP_CWORD": "1"}
    done = subprocess.run(
        [sys.executable, "-c", "from toolproto.cli import run; run()"],
        env={"_TOOLPROTO_COMPLETE": "bash_complete", **words}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout.split() == ["plain,parse", "plain,paradigms"]


def test_without_click_the_remedy_is_told():
    program = "import sys; sys.modules['click'] = None; from toolproto.cli import run; run()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.strip().endswith(f"run: {install_command('cli')}")


def test_settings_may_be_named_behind_any_command(tmp_path):
    settings = tmp_path / "mine.toml"
    settings.write_text('[prompt]\nparadigm = "nonsuch"\n')
    for words in (["--config", str(settings)], [f"--config={settings}"]):
        before, behind = run(*words, "prompt", "-t", TOOLS), run("prompt", *words, "-t", TOOLS)
        assert "nonsuch" in before.output
        assert (before.exit_code, before.output) == (behind.exit_code, behind.output)
    assert "--config" in run("prompt", "--help").output


def test_a_table_that_nobody_reads_is_named(tmp_path):
    settings = tmp_path / "toolproto.toml"
    settings.write_text('[modles."qwen"]\nparadigm = "hermes"\n')
    told = run("paradigms").output
    assert "no table [modles]; did you mean [models]?" in told
    settings.write_text("[zzz]\n")
    assert "no table [zzz]; there are chat," in run("paradigms").output
