"""``--constrain``: whether chat, probe and serve hold the model to a grammar."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.cli.chat.scripted_service import ScriptedService
from toolproto.cli.app import main
from toolproto.cli.commands.serve import _config
from toolproto.cli.commands.serve import command as serve
from toolproto.cli.settings import Settings

CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(*words: str) -> Result:
    return CliRunner().invoke(main, [*words, "--model", "m", "-p", "hermes"])


@pytest.mark.parametrize("mode, is_held", [("auto", True), ("calls", True), ("off", False)])
def test_a_chat_sends_a_grammar_unless_it_is_off(mode: str, is_held: bool) -> None:
    with ScriptedService("Hello.") as service:
        known = ("--endpoint", service.url, "--service", "llama.cpp", "--constrain", mode)
        done = run("chat", *known, "--tools", "demo", "--message", "Hi")
    assert done.exit_code == 0, done.output
    assert ("grammar" in service.requests[0]) is is_held


def test_a_chat_that_demands_a_grammar_says_what_is_missing() -> None:
    with ScriptedService("Hello.") as service:
        unknown = ("--endpoint", service.url, "--constrain", "calls")
        done = run("chat", *unknown, "--tools", "demo", "--message", "Hi")
    assert done.exit_code != 0 and service.requests == []
    assert "service" in done.stderr and "vllm" in done.stderr


@pytest.mark.parametrize("mode, is_held", [("calls", True), ("off", False)])
def test_a_probe_is_held_where_that_is_wanted(mode: str, is_held: bool) -> None:
    with ScriptedService(CALL) as service:
        known = ("--endpoint", service.url, "--service", "llama.cpp", "--constrain", mode)
        run("probe", *known, "--kind", "one_tool", "--max-requests", "1", "--no-save")
    assert ("grammar" in service.requests[0]) is is_held


def test_the_proxy_holds_all_models_but_those_whose_settings_say_otherwise() -> None:
    words = ["--upstream", "http://localhost:8000/v1", "--service", "vllm", "--constrain", "calls"]
    settings = Settings(values={"models": {"small": {"constrain": "off"}}})
    config = _config(serve.make_context("serve", words).params, settings)
    assert config.upstreams[0].service == "vllm"
    assert (config.terms("any").constrain, config.terms("small").constrain) == ("calls", "off")
