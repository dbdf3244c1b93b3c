"""``--native``: whether chat, serve and the page use the tools of a service's own."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.cli.chat.scripted_service import Refusal, ScriptedService, call, native_call
from toolproto.cli.app import main
from toolproto.cli.commands.serve import _config
from toolproto.cli.commands.serve import command as serve
from toolproto.cli.settings import Settings
from toolproto.protocol.errors import UsageError
from toolproto.web.choices import Choices

WEATHER = native_call("a1", "get_weather", city="Oslo")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def chat(service: ScriptedService, *words: str) -> Result:
    known = ("--endpoint", service.url, "--model", "m", "-p", "xml_tag", "--tools", "demo")
    return CliRunner().invoke(main, ["chat", *known, "--message", "Rain in Oslo?", *words])


def test_without_a_word_the_tools_are_taught() -> None:
    with ScriptedService("Hello.") as service:
        assert chat(service).exit_code == 0
    (sent,) = service.requests
    assert "tools" not in sent and "get_weather" in sent["messages"][0]["content"]


def test_a_chat_uses_the_tools_of_the_service() -> None:
    with ScriptedService(WEATHER, "It rains.") as service:
        done = chat(service, "--native", "auto")
    assert (done.exit_code, done.stdout) == (0, "It rains.\n"), done.output
    first, second = service.requests
    assert "get_weather" in [each["function"]["name"] for each in first["tools"]]
    assert [each["role"] for each in second["messages"]][-2:] == ["assistant", "tool"]
    assert "rain" in second["messages"][-1]["content"]


def test_the_settings_of_a_model_say_whether_its_service_has_tools() -> None:
    Path("toolproto.toml").write_text('[models.m]\nnative = "auto"\n')
    with ScriptedService("Hello.", "Hello.") as service:
        assert chat(service).exit_code == 0
        assert chat(service, "--native", "never").exit_code == 0
    assert ["tools" in sent for sent in service.requests] == [True, False]


def test_a_service_that_refuses_tools_is_taught_and_one_that_must_have_them_fails() -> None:
    refusal = Refusal("m does not support tools")
    with ScriptedService(refusal, call("get_weather", city="Oslo"), "Rain.") as service:
        assert chat(service, "--native", "auto").stdout == "Rain.\n"
    assert ["tools" in sent for sent in service.requests] == [True, False, False]
    with ScriptedService(refusal) as service:
        done = chat(service, "--native", "only")
    assert done.exit_code == 3 and "does not support tools" in done.stderr


def test_a_probe_tries_the_tools_of_the_service_too() -> None:
    known = ("--model", "m", "-p", "hermes", "--kind", "one_tool", "--no-baseline", "--no-save")
    with ScriptedService("No.") as service:
        words = ("--endpoint", service.url, "--native", "auto", "--max-requests", "1")
        CliRunner().invoke(main, ["probe", *known, *words])
    assert "tools" in service.requests[0]


def test_a_setting_that_there_is_not_is_refused() -> None:
    Path("toolproto.toml").write_text('[models.m]\nnative = "yes"\n')
    with ScriptedService() as service:
        done = chat(service)
    assert done.exit_code == 2 and "never, auto, only" in done.stderr
    with pytest.raises(UsageError, match="native"):
        Choices(native="yes")


def test_a_model_in_this_process_has_no_tools_of_its_own() -> None:
    done = CliRunner().invoke(main, ["chat", "--local", "--native", "only", "--message", "Hi"])
    assert done.exit_code == 2 and "has no tools" in done.stderr


def test_the_proxy_is_told_how_its_backend_gets_tools() -> None:
    words = ["--upstream", "http://localhost:8000/v1", "--native", "auto"]
    config = _config(serve.make_context("serve", words).params, Settings())
    assert config.upstreams[0].native == "auto"
