"""How servers are written down, by programs and by people."""

from __future__ import annotations

import json

import pytest

from toolproto import UsageError
from toolproto.conversation.mcp import McpConfig, McpServer, read_servers
from toolproto.conversation.mcp.config import config_of, name_of, parse_source
from toolproto.package import install_command

NAMES = [
    (["npx", "-y", "@modelcontextprotocol/server-filesystem", "/tmp"], "filesystem"),
    (["npx", "-y", "@scope/thing-mcp@1.2.3"], "thing"),
    (["uvx", "mcp-server-git", "--repository", "."], "git"),
    (["uv", "run", "my_server.py"], "my_server"),
    (["/usr/bin/python3.12", "-m", "weather_mcp"], "weather"),
    (["node", "dist/index.js"], "index"),
    (["docker", "run", "-i", "--rm", "mcp/puppeteer"], "puppeteer"),
    (["./bin/tool.sh"], "tool"),
    (["C:\\tools\\server.exe"], "server"),
    (["https://mcp.example.com/v1/mcp"], "mcp_example_com"),
    (["http://localhost:8080/mcp"], "localhost"),
    (["-"], "server"),
    (["npx"], "npx"),
]


@pytest.mark.parametrize("words, name", NAMES)
def test_a_server_is_named_after_what_it_is(words, name):
    assert name_of(*words) == name


def test_the_file_of_another_program_is_read_as_it_is(tmp_path, monkeypatch):
    monkeypatch.setenv("TOKEN", "secret")
    monkeypatch.delenv("NOWHERE", raising=False)
    file = tmp_path / "claude_desktop_config.json"
    told = {
        "mcpServers": {
            "files": {
                "command": "npx",
                "args": ["-y", "files", "${NOWHERE:-/tmp}", 7],
                "env": {"KEY": "${TOKEN}", "PORT": 80},
                "cwd": "/srv",
                "alwaysAllow": ["everything"],
                "timeout": 60_000,
            },
            "search": {
                "type": "streamable-http",
                "url": "https://example.com/mcp",
                "headers": {"Authorization": "Bearer ${env:TOKEN}"},
            },
            "old": {"url": "https://example.com/sse"},
            "off": {"command": "nope", "disabled": True},
        },
        "theme": "dark",
    }
    file.write_text("\ufeff" + json.dumps(told), encoding="utf-8")
    files, search, old = read_servers(file)
    assert files == McpConfig(
        "files",
        "npx",
        ("-y", "files", "/tmp", "7"),
        {"KEY": "secret", "PORT": "80"},
        "/srv",
    )
    assert (search.type, search.headers) == ("http", {"Authorization": "Bearer secret"})
    assert old.type == "sse"
    assert read_servers({"servers": {"a": {"command": "x"}}}) == [McpConfig("a", "x")]


WRONG = [
    ({}, "expected an object with 'mcpServers'"),
    ({"mcpServers": []}, "expected an object with 'mcpServers'"),
    ({"mcpServers": {"a": "npx"}}, "'a' must be an object"),
    ({"mcpServers": {"a": {}}}, "needs a command to start, or a url to reach; it has neither"),
    ({"mcpServers": {"a": {"command": "x", "url": "http://y"}}}, "it has both"),
    ({"mcpServers": {"a": {"command": ["npx"]}}}, "'command' of the MCP server 'a' must be text"),
    ({"mcpServers": {"a": {"command": "x", "args": "y"}}}, "'args' of .* must be a list"),
    ({"mcpServers": {"a": {"command": "x", "env": ["y"]}}}, "'env' of .* must be an object"),
    ({"mcpServers": {"a": {"command": "x", "env": {"K": None}}}}, "'env' of .* must be text"),
    ({"mcpServers": {"a": {"command": "${NOWHERE}"}}}, "'a' needs NOWHERE in the environment"),
    ({"mcpServers": {"a": {"url": "file:///etc"}}}, r"use http\(s\)"),
    ({"mcpServers": {"a": {"url": "http://y", "type": "ws"}}}, "use stdio, http or sse"),
]


@pytest.mark.parametrize("told, said", WRONG)
def test_what_cannot_be_used_is_named(told, said, monkeypatch):
    monkeypatch.delenv("NOWHERE", raising=False)
    with pytest.raises(UsageError, match=said):
        read_servers(told)


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000, "nul"])
def test_a_file_that_holds_no_servers_is_named(tmp_path, text):
    file = tmp_path / "servers.json"
    file.write_text(text)
    with pytest.raises(UsageError, match=r"servers\.json"):
        read_servers(file)


def test_one_word_is_an_address_a_file_or_a_command_line(tmp_path):
    (http,) = parse_source("https://example.com/mcp")
    assert (http.url, http.type, http.name) == ("https://example.com/mcp", "http", "example_com")
    (command,) = parse_source("uvx mcp-server-git --repository 'my repository'")
    assert command.args == ("mcp-server-git", "--repository", "my repository")
    file = tmp_path / "a.json"
    file.write_text('{"mcpServers": {"x": {"command": "y"}}}')
    assert parse_source(str(file)) == [McpConfig("x", "y")]
    for wrong in ("", "  ", "npx 'unclosed"):
        with pytest.raises(UsageError):
            parse_source(wrong)


@pytest.mark.parametrize(
    "terms, said",
    [
        ({"risk": "harmless"}, "'harmless' is not a risk"),
        ({"risks": {"*": "none"}}, "'none' is not a risk"),
        ({"timeout": 0}, "timeout is 0"),
        ({"start_timeout": -1.0}, "start_timeout is -1.0"),
        ({"restarts": -1}, "restarts is -1"),
        ({"tiemout": 3}, "no setting 'tiemout'"),
    ],
)
def test_terms_that_cannot_be_are_said_at_once(terms, said):
    with pytest.raises(UsageError, match=said):
        McpServer("x", **terms)


def test_a_server_needs_something_to_start_or_to_reach():
    with pytest.raises(UsageError, match="neither"):
        McpServer()
    with pytest.raises(UsageError, match="both"):
        McpServer("x", url="http://y")


def test_settings_may_say_all_there_is_to_say():
    told = {"command": "x", "timeout": 3, "risks": {"a*": "exec"}, "roots": ["."], "prefix": True}
    config = config_of("mine", told, strict=True)
    assert (config.timeout, config.risks, config.roots) == (3, {"a*": "exec"}, (".",))


def test_nothing_is_imported_until_a_server_is_opened():
    import subprocess
    import sys

    program = (
        "import sys; from toolproto.conversation.mcp import McpServer; McpServer('x'); "
        "assert not {'mcp', 'httpx2', 'anyio', 'asyncio'} & {*sys.modules}, sorted(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_package_that_is_missing_is_named(tmp_path):
    import os
    import subprocess
    import sys

    (tmp_path / "mcp.py").write_text("raise ModuleNotFoundError('no', name='mcp')")
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from toolproto.conversation.mcp import McpServer; McpServer('x').open()",
        ],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert f"MCP servers need an extra; run: {install_command('mcp')}" in done.stderr
