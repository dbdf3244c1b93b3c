"""What a proxy is set up with, from flags, files and the deployment's own."""

from __future__ import annotations

import json
import re
import shlex
import socket
import tomllib
from dataclasses import asdict
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from toolproto import UsageError
from toolproto.cli.app import main
from toolproto.endpoints.apis.dialects import get_dialect
from toolproto.gateway.bridge.taught import taught
from toolproto.gateway.proxy import ModelTerms, ProxyConfig, ProxyLimits, Upstream
from toolproto.gateway.proxy.config import config_from
from toolproto.gateway.proxy.run import banner, check

ROOT = Path(__file__).parents[3]
DEPLOY = ROOT / "deploy"
GUIDE = ROOT / "docs" / "proxy.md"
LOCAL = Upstream("http://localhost:8080/v1")


def test_a_config_survives_being_written_down():
    config = ProxyConfig(
        (Upstream("http://a/v1", prefix="a/", api_key_env="A"), LOCAL),
        ModelTerms("hermes", reasks=0),
        {"deepseek*": ModelTerms("deepseek_v3")},
        key_env="K",
        hosts=("proxy",),
        limits=ProxyLimits(tools=3),
    )
    assert config_from(json.loads(json.dumps(config.as_json()))) == config


def test_the_longest_prefix_that_comes_first_claims_a_model():
    config = ProxyConfig((Upstream("http://a/v1", prefix="a/"), LOCAL))
    assert config.upstream("a/llama") is config.upstreams[0]
    assert config.upstreams[0].name_of("a/llama") == "llama"
    assert config.upstream("llama") is LOCAL
    assert LOCAL.name_of("a/llama") == "a/llama"


def test_the_first_pattern_that_fits_gives_a_model_its_terms():
    config = ProxyConfig((LOCAL,), models={"m-1": ModelTerms("react"), "m-*": ModelTerms("hermes")})
    assert [config.terms(name).paradigm for name in ("m-1", "m-2", "n")] == [
        "react", "hermes", "auto"
    ]  # fmt: skip


def test_auto_goes_by_the_models_name():
    assert taught("qwen3-coder-30b", ModelTerms()).name == "qwen3_coder"


BAD = [
    ({"upstreams": []}, "which upstream|no upstream"),
    ({"upstreams": [{"url": "http://a", "dialect": "x"}]}, "no dialect 'x'"),
    ({"upstreams": [{"url": "http://a", "native": "x"}]}, "native: Input should be 'never'"),
    ({"upstreams": [{"url": "http://a"}], "host": "0.0.0.0"}, "--key-env"),
    ({"upstreams": [{"uri": "http://a"}]}, "uri"),
    ({"upstreams": [{"url": "http://a"}], "prot": 1}, "prot"),
]


@pytest.mark.parametrize("values, told", BAD)
def test_a_setting_that_cannot_be_used_is_named(values, told):
    with pytest.raises(UsageError, match=told):
        config_from(values)


def test_what_would_fail_with_the_first_request_fails_at_the_start(monkeypatch):
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    with pytest.raises(UsageError, match="no paradigm named 'nope'"):
        check(ProxyConfig((LOCAL,), ModelTerms("nope")))
    with pytest.raises(UsageError, match="NO_SUCH_KEY is not set"):
        check(ProxyConfig((LOCAL,), key_env="NO_SUCH_KEY"))


def test_the_command_says_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["serve"])
    assert done.exit_code == 2
    assert "--upstream URL" in done.stderr


def test_the_settings_in_the_guide_are_taken_as_they_stand(tmp_path, monkeypatch):
    (written,) = re.findall(r"```toml\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    (tmp_path / "toolproto.toml").write_text(written)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GATEWAY_KEY", "k")
    assert tomllib.loads(written)["limits"] == asdict(ProxyLimits())
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        CliRunner().invoke(main, ["trust"])
        done = CliRunner().invoke(main, ["serve", "--port", str(port)])
    # All was well up to the port.
    assert (done.exit_code, f"cannot listen on 127.0.0.1:{port}" in done.stderr) == (2, True)


def test_the_banner_can_be_pasted():
    shown = banner(ProxyConfig((LOCAL,), port=8123))
    assert "export OPENAI_BASE_URL=http://127.0.0.1:8123/v1" in shown
    assert 'base_url="http://127.0.0.1:8123/v1"' in shown


def test_anthropic_hears_only_what_it_knows():
    params = {"max_completion_tokens": 5, "seed": 1, "temperature": 0}
    assert get_dialect("anthropic").spoken_params(params) == {"max_tokens": 5, "temperature": 0}
    assert get_dialect("openai_chat").spoken_params(params) == params
    assert get_dialect("azure_openai").spoken_params(params) == params


def commands() -> list[list[str]]:
    unit = (DEPLOY / "toolproto.service").read_text()
    compose = (DEPLOY / "compose.yaml").read_text()
    started = shlex.split(re.search(r"^ExecStart=(.*)$", unit, re.MULTILINE)[1])
    composed = json.loads(re.search(r'command: (\["serve".*?\])', compose, re.DOTALL)[1])
    return [started[started.index("serve") + 1 :], composed[1:]]


@pytest.mark.parametrize("words", commands(), ids=["systemd", "compose"])
def test_the_deployments_start_the_command_as_it_is(words):
    # As the program has it: with the options that every command has.
    command = main.get_command(click.Context(main), "serve")
    assert command.make_context("serve", words).args == []
